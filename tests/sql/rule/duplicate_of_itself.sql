-- A lead is not its own duplicate.
select t.here();

-- test: refused
select t.keep('lead', t.lead('attempted'));
select is(t.verdict(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('lead'))), 'refused duplicate_of_itself', 'of itself');
select is(t.stage(t.kept('lead')), 'attempted', 'the lead stays open');

-- test: noted on a closed lead, which is closed already
select t.keep('lead', t.lead('sale'));
select is(t.verdict(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('lead'))), 'noted already_resolved', 'closed is said first');

-- test: allowed of another lead, and of one that is not known yet
select t.keep('original', t.lead('new')), t.keep('lead', t.lead('new'));
select is(t.verdict(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('original'))), 'applied', 'of another');
select results_eq(
    $$ select stage, status, duplicate_of from t.state(t.kept('lead')) $$,
    $$ select 'duplicate', 'resolved', t.kept('original') $$, 'the original is visible');
select is(t.verdict(t.lead('new'), 'duplicate'), 'applied', 'of one not named');

-- test: said
select t.keep('lead', t.lead('new'));
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('lead'))) l;

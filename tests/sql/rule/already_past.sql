-- What a lead has left behind it does not call it back.
select t.here();

-- test: noted
select t.keep('lead', t.sales_lead('proposal'));
select is(t.verdict(t.kept('lead'), 'lead_qualified'), 'noted already_past', 'qualified before the proposal');
select results_eq($$ select stage, version from t.state(t.kept('lead')) $$, $$ values ('proposal', 1) $$, 'the proposal stands');

-- test: allowed before
select results_eq(
    $$ select s, t.cell(t.sales_lead(s), 'lead_qualified', '{}') from unnest('{new,contacted,qualified}'::text[]) s $$,
    $$ values ('new', '→qualified'), ('contacted', '→qualified'), ('qualified', 'N already_there') $$, 'and there');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('proposal'), 'lead_qualified') l;

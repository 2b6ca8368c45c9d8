-- What was not put away cannot be taken out.
select t.here();

-- test: noted at every stage
select results_eq(
    $$ select s, t.verdict(t.sales_lead(s), 'lead_unarchived') from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$,
    $$ select s, 'noted not_archived' from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$, 'nothing to do');

-- test: allowed once archived, and once
select t.keep('lead', t.archived(t.sales_lead('qualified')));
select is(t.verdict(t.kept('lead'), 'lead_unarchived'), 'applied', 'out again');
select is(t.verdict(t.kept('lead'), 'lead_unarchived'), 'noted not_archived', 'it is out already');
select results_eq($$ select stage, status, is_open from t.state(t.kept('lead')) $$, $$ values ('qualified', 'active', true) $$, 'where it stood');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'lead_unarchived') l;

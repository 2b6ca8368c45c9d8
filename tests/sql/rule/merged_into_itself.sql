-- A lead goes on in another lead, not in itself.
select t.here();

-- test: refused
select t.keep('lead', t.sales_lead('new'));
select is(t.verdict(t.kept('lead'), 'leads_merged', jsonb_build_object('into', t.kept('lead'))), 'refused merged_into_itself', 'into itself');
select results_eq($$ select merged_into, is_open, version from t.state(t.kept('lead')) $$, $$ values (null::uuid, true, 1) $$, 'it goes on as it was');

-- test: allowed into another
select t.keep('lead', t.sales_lead('new'));
select is(t.verdict(t.kept('lead'), 'leads_merged', jsonb_build_object('into', t.sales_lead('new'))), 'applied', 'into another');

-- test: said
select t.keep('lead', t.sales_lead('new'));
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'leads_merged', jsonb_build_object('into', t.kept('lead'))) l;

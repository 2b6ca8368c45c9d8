-- A lead that was merged away has no life of its own to merge again.
select t.here();
select t.keep('one', t.sales_lead('new')), t.keep('two', t.sales_lead('new')), t.keep('three', t.sales_lead('new'));
select t.report(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two')));

-- test: refused, into another and into the same
select is(t.verdict(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('three'))), 'refused already_merged', 'into another');
select is(t.verdict(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two'))), 'refused already_merged', 'into the same');
select is((t.state(t.kept('one'))).merged_into, t.kept('two'), 'it stays where it went');

-- test: allowed for the one that goes on
select is(t.verdict(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('three'))), 'applied', 'with all it took in');

-- test: allowed after it was taken apart
select t.report(t.kept('one'), 'leads_unmerged');
select is(t.verdict(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('three'))), 'applied', 'into another');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('three'))) l;

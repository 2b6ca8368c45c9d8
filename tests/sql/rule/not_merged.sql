-- What was not merged cannot be taken apart.
select t.here();

-- test: noted
select is(t.verdict(t.sales_lead('new'), 'leads_unmerged'), 'noted not_merged', 'a lead of its own');
select is(t.verdict(t.lead('sale'), 'leads_unmerged'), 'noted not_merged', 'in any workflow');
select t.keep('one', t.sales_lead('new')), t.keep('two', t.sales_lead('new'));
select t.report(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two')));
select is(t.verdict(t.kept('two'), 'leads_unmerged'), 'noted not_merged', 'the one that goes on was not merged away');

-- test: allowed once merged, and once
select t.keep('one', t.sales_lead('new')), t.keep('two', t.sales_lead('new'));
select t.report(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two')));
select is(t.verdict(t.kept('one'), 'leads_unmerged'), 'applied', 'apart again');
select is(t.verdict(t.kept('one'), 'leads_unmerged'), 'noted not_merged', 'it is by itself already');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'leads_unmerged') l;

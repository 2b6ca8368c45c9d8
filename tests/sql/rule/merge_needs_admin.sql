-- Two leads become one by the word of an owner or admin.
select t.here();
select t.keep('one', t.sales_lead('new')), t.keep('two', t.sales_lead('new')), t.keep('away', t.sales_lead('new'));
select t.report(t.kept('away'), 'leads_merged', jsonb_build_object('into', t.kept('one')));

-- test: refused to a member, and both stay
select t.act_as('member');
select is(t.verdict(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one'))), 'refused merge_needs_admin', 'a member');
select is(t.verdict(t.kept('away'), 'leads_unmerged'), 'refused merge_needs_admin', 'nor apart again');
select is((t.state(t.kept('two'))).merged_into, null, 'it goes on by itself');
select is((t.state(t.kept('away'))).merged_into, t.kept('one'), 'what an admin merged stays merged');

-- test: refused to an app, also on a member's behalf
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one'))), 'refused merge_needs_admin', 'an app');
select is(t.verdict(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')), null, null, t.person('member')), 'refused merge_needs_admin',
          'an app for a member');
select is(t.verdict(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')), null, null, t.person('admin')), 'applied',
          'an app for an admin, with the admin''s right');

-- test: allowed to an admin and an owner
select is(t.verdict(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one'))), 'applied', 'an admin');
select t.act_as('owner');
select is(t.verdict(t.kept('two'), 'leads_unmerged'), 'applied', 'an owner');

-- test: said
select t.act_as('member');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one'))) l;

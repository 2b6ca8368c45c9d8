-- One speaks only for an active member of the workspace.
select t.here();

-- test: raised for strangers
select t.act_as('superuser');
select t.keep('foreigner', leadline.add_member(t.elsewhere(), 'foreigner@example.com', 'member'));
select t.act_as('admin');
select t.keep('lead', t.lead('new'));
select t.act_as('app', '{act_as}');
select t.raises($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, null, gen_random_uuid()) $$, 'PT403', 'unknown_member', 'nobody we know');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, null, t.kept('foreigner')) $$, 'PT403', null, 'a member elsewhere');

-- test: raised for a member who has left
select t.keep('lead', t.lead('new'));
select t.act_as('superuser');
update leadline.memberships m set deactivated_at = clock_timestamp() where m.workspace_id = t.workspace() and m.user_id = t.person('member');
select t.act_as('app', '{act_as}');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, null, t.person('member')) $$, 'PT403', null, 'deactivated');

-- test: allowed for a member
select t.keep('lead', t.lead('new'));
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'contact_attempted', '{}', null, null, t.person('member')), 'applied', 'who is active');

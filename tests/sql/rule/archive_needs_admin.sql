-- A member does not put leads out of everybody's sight, nor take them out again.
select t.here();

-- test: refused to a member
select t.keep('lead', t.sales_lead('new')), t.keep('away', t.archived(t.sales_lead('new')));
select t.act_as('member');
select is(t.verdict(t.kept('lead'), 'lead_archived'), 'refused archive_needs_admin', 'put away');
select is(t.verdict(t.kept('away'), 'lead_unarchived'), 'refused archive_needs_admin', 'taken out');
select results_eq(
    $$ select (t.state(t.kept('lead'))).status, (t.state(t.kept('away'))).status $$, $$ values ('active', 'archived') $$, 'both stay where they are');

-- test: refused to an app that speaks for a member
select t.keep('lead', t.sales_lead('new'));
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'lead_archived', '{}', null, null, t.person('member')), 'refused archive_needs_admin', 'for a member');
select is(t.verdict(t.kept('lead'), 'lead_archived', '{}', null, null, t.person('admin')), 'applied', 'for an admin, with the admin''s right');

-- test: allowed to an admin and an owner
select t.keep('lead', t.sales_lead('won'));
select is(t.verdict(t.kept('lead'), 'lead_archived'), 'applied', 'an admin puts away');
select t.act_as('owner');
select is(t.verdict(t.kept('lead'), 'lead_unarchived'), 'applied', 'an owner takes out');
select results_eq($$ select stage, status from t.state(t.kept('lead')) $$, $$ values ('won', 'won') $$, 'as it was');

-- test: said
select t.keep('lead', t.sales_lead('new'));
select t.act_as('member');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'lead_archived') l;

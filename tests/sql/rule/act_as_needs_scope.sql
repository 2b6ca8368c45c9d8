-- Only a credential with scope act_as speaks for a member.
select t.here();

-- test: raised without the scope
select t.keep('lead', t.lead('new'));
select t.act_as('app');
select t.raises($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, null, t.person('member')) $$, 'PT403', 'act_as_needs_scope', 'an app');
select t.act_as('member');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, null, t.person('admin')) $$, 'PT403', null, 'a member for an admin');

-- test: never for an assistant
select t.keep('lead', t.lead('new'));
select t.act_as('ai', '{act_as}');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, null, t.person('member')) $$, 'PT403', null, 'whatever its scopes');

-- test: allowed with it, and the journal says whose act it was and who wrote
select t.keep('lead', t.lead('new'));
select t.act_as('app', '{act_as}');
select results_eq(
    $$ select verdict, actor_kind, actor_id, on_behalf_of, writer from t.report(t.kept('lead'), 'email_sent', '{}', null, null, t.person('member')) $$,
    $$ select 'applied', 'user', t.person('member'), t.person('member'), 'app' $$, 'the member''s act, the app''s writing');

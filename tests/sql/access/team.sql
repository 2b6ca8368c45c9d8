-- People come, change and go; what they hold moves or ends with them, at once.
select t.here();

-- What happened to the workspace since the test began, as its people read it.
create function pg_temp.told() returns table (activity_type text, about_id uuid, actor_kind text, actor_id uuid, writer text, payload jsonb) language sql as $$
    select a.activity_type, a.about_id, a.actor_kind, a.actor_id, a.writer, a.payload from leadline.workspace_activity a
    where a.seq > current_setting('t.since')::int order by a.seq
$$;
-- A token of the service for whoever is named: t.token, and its id.
create function pg_temp.token(p_role text, p_person uuid default null) returns text language plpgsql as $$
declare
    v_token text := leadline.create_token(t.workspace(), p_role, p_person);
begin
    perform t.keep('token_id', x.token_id) from leadline.tokens x where x.prefix = split_part(v_token, '_', 2);
    return set_config('t.token', v_token, true);
end $$;
select t.act_as('owner');
select t.act_as('member');
select set_config('t.member_login', session_user::text, true);
select t.act_as('admin');
select pg_temp.token('member', t.person('member'));
select t.keep('first', t.lead('scheduled', jsonb_build_object('assigned_user_id', t.person('member')))),
       t.keep('second', t.lead('dnc', jsonb_build_object('assigned_user_id', t.person('member')))),
       t.keep('other', t.lead('new', jsonb_build_object('assigned_user_id', t.person('owner'))));
select set_config('t.since', (select seq::text from leadline.workspaces), true);

-- test: one who leaves without an heir leaves their leads to nobody
select is(leadline.deactivate_member(t.workspace(), t.person('member')), 2, 'two leads, the closed one among them');
select results_eq(
    $$ select lead_id, assigned_user_id from leadline.leads order by array_position(array[t.kept('first'), t.kept('second'), t.kept('other')], lead_id) $$,
    $$ values (t.kept('first'), null), (t.kept('second'), null), (t.kept('other'), t.person('owner')) $$, 'the others'' stay');

-- test: one who leaves with an heir leaves their leads to the heir, by activities that name their cause
select is(leadline.deactivate_member(t.workspace(), t.person('member'), t.person('admin')), 2, 'two leads');
select results_eq(
    $$ select a.lead_id, a.verdict, a.actor_kind, a.actor_id, a.writer, a.changes
       from leadline.lead_activity a
       join leadline.workspace_activity w on w.activity_id = a.caused_by and w.activity_type = 'member_deactivated' and w.about_id = t.person('member')
       where a.activity_type = 'lead_assigned' order by array_position(array[t.kept('first'), t.kept('second')], a.lead_id) $$,
    $$ select l, 'applied', 'system', null::uuid, 'workflow:team', jsonb_build_object('assigned_user_id', jsonb_build_array(t.person('member'), t.person('admin')))
       from unnest(array[t.kept('first'), t.kept('second')]) l $$,
    'two, each caused by the leaving');
select is((t.state(t.kept('first'))).assigned_user_id, t.person('admin'), 'the heir has the lead');
select is((t.state(t.kept('first'))).stage, 'scheduled', 'where it stood');

-- test: deals go where the leads go, by activities that name their cause
select t.keep('deal', t.opportunity('evaluation', jsonb_build_object('assigned_user_id', t.person('member')))),
       t.keep('won', t.opportunity('closedwon', jsonb_build_object('assigned_user_id', t.person('member')))),
       t.keep('others', t.opportunity('evaluation', jsonb_build_object('assigned_user_id', t.person('owner'))));
select leadline.deactivate_member(t.workspace(), t.person('member'), t.person('admin'));
select results_eq(
    $$ select a.opportunity_id, a.verdict, a.actor_kind, a.writer, a.changes
       from leadline.opportunity_activity a
       join leadline.workspace_activity w on w.activity_id = a.caused_by and w.activity_type = 'member_deactivated' and w.about_id = t.person('member')
       order by array_position(array[t.kept('deal'), t.kept('won')], a.opportunity_id) $$,
    $$ select d, 'applied', 'system', 'workflow:team', jsonb_build_object('assigned_user_id', jsonb_build_array(t.person('member'), t.person('admin')))
       from unnest(array[t.kept('deal'), t.kept('won')]) d $$,
    'two, the won one among them');
select is((t.deal(t.kept('others'))).assigned_user_id, t.person('owner'), 'the others'' stay');

-- test: leaving is written down, with the heir, by whoever decided it
select leadline.deactivate_member(t.workspace(), t.person('member'), t.person('owner'));
select results_eq('select * from pg_temp.told()',
    $$ values ('member_deactivated', t.person('member'), 'user', t.person('admin'), 'workflow:team', jsonb_build_object('reassign_to', t.person('owner'))) $$, 'one activity');
select results_eq($$ select role, deactivated_at is not null from leadline.members where user_id = t.person('member') $$, $$ values ('member', true) $$, 'the membership is kept, ended');

-- test: one who leaves takes nothing along: the login leads nowhere at once
select t.act_as('member');
select is(leadline.current_workspace(), t.workspace(), 'in');
select t.act_as('admin');
select leadline.deactivate_member(t.workspace(), t.person('member'));
select t.act_as('member');
select is(leadline.current_workspace(), null, 'out');
select is_empty($$ select from leadline.leads $$, 'no leads');
select is_empty($$ select from leadline.members $$, 'no team');
select throws_ok($$ select t.created() $$, 'PT401', null, 'no reports');
select t.act_as('admin');
select results_eq($$ select revoked_at is not null from leadline.logins where user_id = t.person('member') $$, $$ values (true) $$, 'the login has ended');
select results_eq($$ select revoked_at is not null from leadline.tokens where user_id = t.person('member') $$, $$ values (true) $$, 'the token too');

-- test: one who leaves takes nothing along: the token opens nothing at once
select leadline.deactivate_member(t.workspace(), t.person('member'));
set local session authorization leadline_service;
select throws_ok($$ select leadline.enter(current_setting('t.token')) $$, 'PT401', null, 'unknown');
select throws_ok($$ select leadline.log_activity(t.kept('first'), 'contact_attempted', p_token => current_setting('t.token')) $$, 'PT401', null, 'by the other door');

-- test: nobody speaks for one who has left, and nobody gives them a lead
select leadline.deactivate_member(t.workspace(), t.person('member'));
select is(t.verdict(t.kept('other'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('member'))), 'refused unknown_assignee', 'no lead');
select t.act_as('app', '{act_as}');
select throws_ok($$ select t.report(t.kept('other'), 'contact_attempted', '{}', null, null, t.person('member')) $$, 'PT403', null, 'no voice');

-- test: the same person stays in another workspace
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'member@here.example.com', 'member');
select t.act_as('member', '{}', t.elsewhere());
select t.keep('there', t.created());
select t.act_as('admin');
select leadline.deactivate_member(t.workspace(), t.person('member'));
select t.act_as('member', '{}', t.elsewhere());
select is(leadline.current_workspace(), t.elsewhere(), 'still in there');
select is((t.state(t.kept('there'))).assigned_user_id, t.person('member'), 'with their lead');

-- test: one who returns is the same person, without what they had
select leadline.deactivate_member(t.workspace(), t.person('member'));
select is(leadline.add_member(t.workspace(), 'Member@Here.example.com ', 'member'), t.person('member'), 'known by the address');
select results_eq($$ select role, deactivated_at from leadline.members where user_id = t.person('member') $$, $$ values ('member', null::timestamptz) $$, 'active');
select results_eq($$ select t.activity_type, t.about_id, t.payload from pg_temp.told() t where t.activity_type = 'member_added' $$,
                  $$ select 'member_added', t.person('member'), '{"role": "member"}'::jsonb $$, 'written down');
select is((t.state(t.kept('first'))).assigned_user_id, null, 'the leads have gone to others');
select t.act_as('member');
select is(leadline.current_workspace(), null, 'the login that ended stays ended');
set local session authorization leadline_service;
select throws_ok($$ select leadline.enter(current_setting('t.token')) $$, 'PT401', null, 'and the token');
select t.act_as('admin');
select pg_temp.token('member', t.person('member'));
set local session authorization leadline_service;
select lives_ok($$ select leadline.enter(current_setting('t.token')) $$, 'a new one opens');

-- test: one who returns may return as another
select leadline.deactivate_member(t.workspace(), t.person('member'));
select leadline.add_member(t.workspace(), 'member@here.example.com', 'admin');
select results_eq($$ select role, deactivated_at from leadline.members where user_id = t.person('member') $$, $$ values ('admin', null::timestamptz) $$, 'an admin');

-- test: another role counts at once, by the login one has
select t.act_as('member');
select throws_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'PT403', null, 'a member');
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'member@here.example.com', 'admin');
select results_eq('select * from pg_temp.told()',
    $$ values ('member_role_changed', t.person('member'), 'user', t.person('owner'), 'workflow:team', '{"role": "admin"}'::jsonb) $$, 'written down');
select t.act_as('member');
select lives_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'an admin, by the same login');
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select throws_ok($$ select leadline.add_member(t.workspace(), 'newer@here.example.com', 'member') $$, 'PT403', null,
                 'not by a token that was made for a member: it does not grow');
select set_config('leadline.context', '', true);
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'member@here.example.com', 'member');
select t.act_as('member');
select throws_ok($$ select leadline.add_member(t.workspace(), 'newest@here.example.com', 'member') $$, 'PT403', null, 'a member again');

-- test: nothing happens to one who has the role already
select is(leadline.add_member(t.workspace(), 'member@here.example.com', 'member'), t.person('member'), 'the same person');
select is_empty('select * from pg_temp.told()', 'nothing to write down');

-- test: an owner who steps down is no owner any more: their token is like anybody''s
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'second@here.example.com', 'owner'), pg_temp.token('owner', t.person('owner'));
select leadline.add_member(t.workspace(), 'owner@here.example.com', 'member');
select t.act_as('admin');
select is(leadline.revoke_token(t.workspace(), t.kept('token_id')), true, 'an admin ends it');

-- test: one who becomes an owner is one: no admin ends the token they have
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'member@here.example.com', 'owner');
select t.act_as('admin');
select throws_ok($$ select leadline.revoke_token(t.workspace(), t.kept('token_id')) $$, 'PT403', null, 'the token');
select throws_ok($$ select leadline.revoke_login(t.workspace(), current_setting('t.member_login')::name) $$, 'PT403', null, 'the login');

-- test: tokens and logins that come and go are written down
select pg_temp.token('app');
select leadline.revoke_token(t.workspace(), t.kept('token_id'));
select leadline.revoke_login(t.workspace(), current_setting('t.member_login')::name);
select t.act_as('superuser');
select leadline.add_login(t.workspace(), current_setting('t.member_login')::name, 'member', t.person('member'));
select t.act_as('admin');
select results_eq(
    $$ select t.activity_type, t.actor_kind, t.actor_id, t.writer, t.payload ->> 'role' from pg_temp.told() t $$,
    $$ values ('token_created', 'user', t.person('admin'), 'workflow:team', 'app'), ('token_revoked', 'user', t.person('admin'), 'workflow:team', null),
              ('login_revoked', 'user', t.person('admin'), 'workflow:team', null),
              ('login_added', 'system', null::uuid, 'workflow:administration', 'member') $$,
    'by whom');
select results_eq($$ select distinct t.about_id from pg_temp.told() t where t.activity_type like 'token%' $$, $$ select t.kept('token_id') $$, 'about the token');
select is_empty($$ select from leadline.workspace_activity a where a.payload::text ~ 'll_' $$, 'never the token itself');
select t.act_as('member');
select is(leadline.current_workspace(), t.workspace(), 'a login that is bound again leads in again');

-- test: a list of tokens is for owners and admins and tells no secret
select isnt_empty($$ select from leadline.tokens where token_id = t.kept('token_id') $$, 'an admin has it');
select throws_ok($$ select token_hash from leadline.api_tokens $$, '42501', null, 'not even the hash');
select t.act_as('member');
select is_empty($$ select from leadline.tokens $$, 'a member has none');
select is_empty($$ select from leadline.logins $$, 'nor the logins');
select isnt_empty($$ select from leadline.members where email = 'owner@here.example.com' $$, 'but knows the others');
select t.act_as('app');
select is_empty($$ select from leadline.tokens $$, 'an app has none');

-- test: the service notes which tokens were used
set local session authorization leadline_service;
select is(leadline.note_tokens_used(array[split_part(current_setting('t.token'), '_', 2), 'no such one']), 1, 'the one that is known');
select t.act_as('admin');
select results_eq($$ select token_id from leadline.tokens where last_used_at = now() $$, $$ select t.kept('token_id') $$, 'now');
select throws_ok($$ select leadline.note_tokens_used('{}') $$, '42501', null, 'nobody else does');

-- test: closing a workspace ends everything, for everybody
select t.act_as('owner');
select lives_ok($$ select leadline.close_workspace(t.workspace()) $$, 'the owner closes it');
select is(leadline.current_workspace(), null, 'and is out');
select is_empty($$ select from leadline.workspaces $$, 'sees nothing');
select t.act_as('member');
select is(leadline.current_workspace(), null, 'members are out');
select t.act_as('importer', '{import}');
select is(leadline.current_workspace(), null, 'machines are out');
select throws_ok($$ select t.created() $$, 'PT401', null, 'nobody reports');
set local session authorization leadline_service;
select throws_ok($$ select leadline.enter(current_setting('t.token')) $$, 'PT401', null, 'tokens open nothing');

-- test: what a closed workspace holds stays as it was, and is skipped by the worker
-- privileged: nobody else sees a closed workspace
select t.act_as('owner');
select leadline.close_workspace(t.workspace());
select t.act_as('superuser');
select results_eq(
    $$ select w.stage, w.status from leadline.workspaces w where w.workspace_id = t.workspace() $$, $$ values ('closed', 'closed') $$, 'closed');
select results_eq(
    $$ select a.activity_type, a.verdict, a.from_stage, a.to_stage, a.actor_id, a.writer from leadline.workspace_activity a
       where a.workspace_id = t.workspace() order by a.seq desc limit 1 $$,
    $$ select 'workspace_closed', 'applied', 'active', 'closed', t.person('owner'), 'workflow:team' $$, 'written down');
select is_empty($$ select from leadline.api_tokens x where x.workspace_id = t.workspace() and x.revoked_at is null $$, 'no token');
select is_empty($$ select from leadline.workspace_logins x where x.workspace_id = t.workspace() and x.revoked_at is null $$, 'no login');
select is_empty($$ select from leadline.memberships x where x.workspace_id = t.workspace() and x.deactivated_at is null $$, 'no member');
select is((select count(*) from leadline.leads l where l.workspace_id = t.workspace()), 3::bigint, 'every lead is kept');
select is((select l.assigned_user_id from leadline.leads l where l.workspace_id = t.workspace() and l.lead_id = t.kept('first')), t.person('member'), 'with its owner');
select throws_ok($$ select leadline.add_member(t.workspace(), 'new@here.example.com', 'member') $$, 'PT404', null, 'nobody comes in any more');
select throws_ok($$ select leadline.create_token(t.workspace(), 'app') $$, 'PT404', null, 'by no token');
select throws_ok($$ select leadline.add_login(t.workspace(), 'some_login', 'app') $$, 'PT404', null, 'by no login');
select throws_ok($$ select leadline.close_workspace(t.workspace()) $$, 'PT404', null, 'nor is it closed twice');
select is_empty($$ select * from leadline.verify_state() $$, 'every state is what its journal says');
select is_empty($$ select * from leadline.verify_chain() $$, 'every chain holds');
set local session authorization leadline_worker;
select is_empty($$ select from leadline.list_workspaces() w where w = t.workspace() $$, 'the worker skips it');
select isnt_empty($$ select from leadline.list_workspaces() w where w = t.elsewhere() $$, 'and not the others');
select is(leadline.run_job('checkpoint', t.workspace(), '2026-03-01T10:00:00Z'), false, 'also when told to go there');

-- test: the administrator closes any
-- privileged: nobody else sees a closed workspace
select t.act_as('superuser');
select lives_ok($$ select leadline.close_workspace(t.elsewhere()) $$, 'one without people, too');
select is((select a.writer from leadline.workspace_activity a where a.workspace_id = t.elsewhere() and a.activity_type = 'workspace_closed'), 'workflow:administration', 'as the administrator');
select is((select w.status from leadline.workspaces w where w.workspace_id = t.workspace()), 'open', 'and no other');

-- test: for the administrator, too, each change is written down as the system''s
select t.act_as('superuser');
select leadline.deactivate_member(t.workspace(), t.person('member'), t.person('owner'));
select t.act_as('admin');
select results_eq($$ select t.activity_type, t.actor_kind, t.actor_id, t.writer from pg_temp.told() t $$,
                  $$ values ('member_deactivated', 'system', null::uuid, 'workflow:administration') $$, 'by nobody of the workspace');
select is((select count(*) from leadline.leads where assigned_user_id = t.person('owner')), 3::bigint, 'and the leads have moved');

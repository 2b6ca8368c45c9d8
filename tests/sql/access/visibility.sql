-- What a member sees: their own leads, the others' and nobody's as the settings have it, and the same by every door.
select t.here();
insert into leadline.workspace_activity (activity_type, payload)
values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('mine', t.lead('scheduled', jsonb_build_object('assigned_user_id', t.person('member'), 'name', 'Mine', 'email', 'kim@example.com'))),
       t.keep('theirs', t.lead('scheduled', jsonb_build_object('assigned_user_id', t.person('admin'), 'name', 'Theirs', 'email', 'lee@example.com'))),
       t.keep('nobodys', t.lead('scheduled', '{"name": "Nobody''s", "email": "kim@example.com"}'));
select t.act_as('app');  -- one's own rows of the same transaction would stay in sight
select t.verdict(id, 'note_added', '{"text": "a note"}'), t.verdict(id, 'appointment_no_show'), t.verdict(id, 'sale')
from unnest(array[t.kept('mine'), t.kept('theirs'), t.kept('nobodys')]) id;
select t.act_as('admin');

-- The names of those that are among these ids.
create function pg_temp.names(p_ids uuid[]) returns text[] language sql as $$
    select array_agg(n.name order by n.position)
    from (values (1, 'mine'), (2, 'theirs'), (3, 'nobodys')) n (position, name)
    where t.kept(n.name) = any (p_ids)
$$;
-- Assertions: by every door the acting login sees just these leads.
create function pg_temp.sees(p_names text[]) returns setof text language plpgsql as $$
declare
    v_door text;
    v_ids uuid[];
    v_content int;
begin
    foreach v_door in array '{leads,lead_overview,lead_contacts,lead_timeline,stage_history,activities,refused_activities,lead_activity}'::text[] loop
        execute format('select array_agg(distinct lead_id) from leadline.%I', v_door) into v_ids;
        return next is(pg_temp.names(v_ids), p_names, v_door);
    end loop;
    select array_agg(distinct a.lead_id) into v_ids
    from leadline.activity_content c join leadline.lead_activity a on a.activity_id = c.activity_id;
    return next is(pg_temp.names(v_ids), p_names, 'activity_content');
    select count(*) into v_content from leadline.activity_content;
    return next is(v_content, 2 * coalesce(cardinality(p_names), 0), 'and nothing else in it');
    return next is((select count(*)::int from leadline.leads), coalesce(cardinality(p_names), 0), 'a count');
    return next is(pg_temp.names(array(select t.kept(n) from unnest('{mine,theirs,nobodys}'::text[]) n
                                       where leadline.is_suppressed(t.workspace(), t.kept(n)) is not null)), p_names, 'is_suppressed()');
    return next is(pg_temp.names(array(select t.kept(n) from unnest('{mine,theirs,nobodys}'::text[]) n
                                       where (t.state(t.kept(n))).stage is not null)), p_names, 'one by one');
end $$;

-- test: a member sees their own
select t.act_as('member');
select pg_temp.sees('{mine}');

-- test: and nobody's, when the settings say so
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_unassigned": true}');
select t.act_as('member');
select pg_temp.sees('{mine,nobodys}');

-- test: and everybody's, when the settings say so
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
select t.act_as('member');
select pg_temp.sees('{mine,theirs,nobodys}');

-- test: settings count from the next statement on, there and back
select t.act_as('member');
select is((select count(*) from leadline.leads), 1::bigint, 'one');
select t.act_as('admin');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
select t.act_as('member');
select is((select count(*) from leadline.leads), 3::bigint, 'three');
select t.act_as('admin');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false}');
select t.act_as('member');
select is((select count(*) from leadline.leads), 1::bigint, 'one again');

-- test: everybody else sees all, whatever the settings
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('owner');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('app');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('importer');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('ai');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('analyst', '{contacts}');
select pg_temp.sees('{mine,theirs,nobodys}');

-- test: an analyst without contacts sees every lead and nobody's name
select t.act_as('analyst');
select is((select count(*) from leadline.lead_overview), 3::bigint, 'every lead');
select is_empty($$ select from leadline.lead_contacts $$, 'no names');
select is_empty($$ select from leadline.activity_content $$, 'no texts');
select is_empty($$ select from leadline.lead_timeline where payload ?| '{text,name,email}' $$, 'nor in the timeline');
select is_empty($$ select from leadline.activities where field in ('name', 'email') and (old_value is not null or new_value is not null) $$,
                'nor in the audit log: null for what may not be read');

-- test: another workspace sees nothing, not even the same people when they come in there
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner'), leadline.add_member(t.elsewhere(), 'member@here.example.com', 'member');
select t.act_as('owner', '{}', t.elsewhere());
select pg_temp.sees(null);
select t.act_as('member', '{}', t.elsewhere());
select pg_temp.sees(null);
select throws_ok($$ select t.report(t.kept('mine'), 'contact_attempted') $$, 'PT404', null, 'the lead of the same person');

-- test: a member reports on what they see
select t.act_as('member');
select is(t.verdict(t.kept('mine'), 'appointment_scheduled'), 'applied', 'their own is there');
select is(t.verdict(t.kept('mine'), 'tag_added', '{"tag": "vip"}'), 'applied', 'and theirs to change');
select is(t.verdict(t.kept('mine'), 'suppression_lifted', '{"reason": "she called"}'), 'refused lift_needs_admin', 'but for what is an admin''s');

-- test: an unseen lead is as unknown as any, by every door that writes, and nothing is stored
select set_config('t.rows', (select (count(*), max(activity_id))::text from leadline.lead_activity), true);
select t.act_as('member');
select throws_ok($$ select t.report(t.kept('theirs'), 'contact_attempted') $$, 'PT404', null, 'insert returning');
select throws_ok($$ insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('theirs'), 'contact_attempted') $$, 'PT404', null, 'insert');
select throws_ok($$ select leadline.log_activity(t.kept('theirs'), 'contact_attempted', p_reference => 'r-1') $$, 'PT404', null, 'log_activity');
select throws_ok($$ select t.report(t.kept('nobodys'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('member'))) $$, 'PT404', null, 'nor is it theirs to take');
select results_eq(
    $$ select b.result ->> 'verdict', b.result ->> 'sqlstate', b.result ->> 'rule'
       from leadline.log_activities(jsonb_build_array(jsonb_build_object('lead_id', t.kept('theirs'), 'activity_type', 'note_added', 'payload', '{"text": "x"}'::jsonb))) b $$,
    $$ values ('invalid', 'PT404', 'no_such_lead') $$, 'log_activities');
select results_eq(
    $$ select c.* from t.caught($q$ select t.report(t.kept('theirs'), 'contact_attempted') $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report(gen_random_uuid(), 'contact_attempted') $q$) c $$,
    'word for word as an unknown one');
select throws_ok($$ insert into leadline.lead_activity (lead_id, activity_type)
                    values (t.kept('mine'), 'contact_attempted'), (t.kept('theirs'), 'contact_attempted') $$, 'PT404', null, 'beside one of their own');
select t.act_as('admin');
select is((select (count(*), max(activity_id))::text from leadline.lead_activity), current_setting('t.rows'), 'not one row more');
select is(t.verdict(t.kept('theirs'), 'note_added', '{"text": "first"}', 'r-1'), 'noted', 'the reference is free');

-- test: the settings open unseen leads to reports, too
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_unassigned": true}');
select t.act_as('member');
select is(t.verdict(t.kept('nobodys'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('member'))), 'applied', 'nobody''s lead is taken');
select throws_ok($$ select t.report(t.kept('theirs'), 'contact_attempted') $$, 'PT404', null, 'another''s is still not there');
select t.act_as('admin');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
select t.act_as('member');
select is(t.verdict(t.kept('theirs'), 'tag_added', '{"tag": "vip"}'), 'applied', 'now it is');

-- test: one who is spoken for reaches what they see themselves
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('mine'), 'note_added', '{"text": "x"}', null, null, t.person('member')), 'noted', 'their own lead');
select throws_ok($$ select t.report(t.kept('theirs'), 'note_added', '{"text": "x"}', null, null, t.person('member')) $$, 'PT404', null, 'not another''s');
select throws_ok($$ insert into leadline.lead_activity (lead_id, activity_type, payload, on_behalf_of)
                    values (t.kept('nobodys'), 'note_added', '{"text": "x"}', t.person('member')) $$, 'PT404', null, 'nor nobody''s, without RETURNING');
select is(t.verdict(t.kept('theirs'), 'note_added', '{"text": "x"}', null, null, t.person('admin')), 'noted', 'an admin reaches all');
select is(t.verdict(t.kept('theirs'), 'note_added', '{"text": "x"}'), 'noted', 'and so does the app itself');

-- test: a lead given away answers once more, and is gone
select t.act_as('member');
select results_eq(
    $$ insert into leadline.lead_activity (lead_id, activity_type, payload)
       values (t.kept('mine'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('admin'))) returning verdict, changes -> 'assigned_user_id' $$,
    $$ select 'applied', jsonb_build_array(t.person('member'), t.person('admin')) $$, 'RETURNING works');
select is_empty($$ select from leadline.leads $$, 'the lead is gone');
select is_empty($$ select from leadline.stage_history $$, 'and its history');
select throws_ok($$ select t.report(t.kept('mine'), 'contact_attempted') $$, 'PT404', null, 'it is not there any more');

-- test: given away by log_activity, it answers as well
select t.act_as('member');
select results_eq(
    $$ select l.verdict, l.lead_id, l.replayed from leadline.log_activity(t.kept('mine'), 'lead_assigned', '{"assigned_user_id": null}') l $$,
    $$ select 'applied', t.kept('mine'), false $$, 'the whole answer');
select is((t.state(t.kept('mine'))).stage, null, 'and is gone');

-- test: given away in a batch, what follows on it is about a lead that is not there
select t.act_as('member');
select results_eq(
    $$ select coalesce(b.result ->> 'sqlstate', b.result ->> 'verdict') from leadline.log_activities(jsonb_build_array(
           jsonb_build_object('lead_id', t.kept('mine'), 'activity_type', 'lead_assigned', 'payload', jsonb_build_object('assigned_user_id', null)),
           jsonb_build_object('lead_id', t.kept('mine'), 'activity_type', 'note_added', 'payload', jsonb_build_object('text', 'x')))) b order by b.item $$,
    $$ values ('applied'), ('PT404') $$, 'item by item');

-- test: a lead that was reassigned is there for its new owner and gone for the old one
select t.act_as('owner');
select t.report(t.kept('mine'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('admin')));
select t.report(t.kept('theirs'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('member')));
select t.act_as('member');
select pg_temp.sees('{theirs}');

-- test: a lead one creates is one's own, unless it names somebody
select t.act_as('member');
select results_eq($$ select assigned_user_id from t.state(t.created()) $$, $$ select t.person('member') $$, 'one''s own');
select results_eq(
    $$ insert into leadline.leads (source) values ('web') returning assigned_user_id $$, $$ select t.person('member') $$, 'inserted bare, with RETURNING');
select results_eq(
    $$ select l.verdict, l.changes -> 'assigned_user_id' -> 1
       from leadline.log_activity(null, 'lead_created', jsonb_build_object('assigned_user_id', t.person('admin'))) l $$,
    $$ select 'applied', to_jsonb(t.person('admin')) $$, 'for another: it answers');
select lives_ok($$ insert into leadline.leads (source, assigned_user_id) values ('web', t.person('admin')) $$, 'for another, bare');
select throws_ok($$ insert into leadline.leads (source, assigned_user_id) values ('web', t.person('admin')) returning lead_id $$, '42501', null,
                 'for another, bare, with RETURNING: it would show what is not seen');
select is((select count(*) from leadline.leads where source = 'web'), 1::bigint, 'one''s own is seen');
select t.act_as('admin');
select is((select count(*) from leadline.leads where source = 'web'), 2::bigint, 'both are there');

-- test: an unseen original and an unseen source are not there
select t.act_as('member');
select t.keep('new', t.created());
select throws_ok($$ select t.report(t.kept('new'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('theirs'))) $$, 'PT404', null, 'duplicate_of');
select t.report(t.kept('mine'), 'dnc');
select throws_ok($$ select t.report(t.kept('mine'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('theirs'))) $$, 'PT404', null, 'on a closed lead, too');
select throws_ok($$ select t.created(jsonb_build_object('copied_from', t.kept('theirs'))) $$, 'PT404', null, 'copied_from');
select results_eq(
    $$ select c.* from t.caught($q$ select t.created(jsonb_build_object('copied_from', t.kept('theirs'))) $q$) c $$,
    $$ select c.* from t.caught($q$ select t.created(jsonb_build_object('copied_from', gen_random_uuid())) $q$) c $$, 'word for word as an unknown one');
select is(t.verdict(t.kept('new'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('mine'))), 'applied', 'one''s own is there');
select is((t.state(t.created(jsonb_build_object('copied_from', t.kept('mine'))))).copied_from, t.kept('mine'), 'to copy from, too');

-- test: a repeated birth is answered with the original while its lead is seen, and is not there otherwise
select t.act_as('app');
select t.keep('born', l.lead_id) from leadline.log_activity(null, 'lead_created', jsonb_build_object('assigned_user_id', t.person('member')), 'b-1') l;
select t.act_as('member');
select results_eq($$ select l.replayed, l.lead_id from leadline.log_activity(null, 'lead_created', '{}', 'b-1') l $$, $$ select true, t.kept('born') $$, 'a repeat');
select t.act_as('admin');
select t.report(t.kept('born'), 'lead_assigned', '{"assigned_user_id": null}');
select t.act_as('member');
select throws_ok($$ select leadline.log_activity(null, 'lead_created', '{}', 'b-1') $$, 'PT404', null, 'no answer about what is not seen');
select is_empty($$ insert into leadline.lead_activity (activity_type, reference) values ('lead_created', 'b-1') returning lead_id $$, 'nor by RETURNING');
select t.act_as('app', '{act_as}');
select throws_ok($$ select leadline.log_activity(null, 'lead_created', '{}', 'b-1', p_on_behalf_of => t.person('member')) $$, 'PT404', null, 'nor through one who speaks for them');

-- test: whether somebody is on the do-not-contact list is told of seen leads only
select t.report(t.kept('nobodys'), 'dnc');
select t.act_as('member');
select is(leadline.is_suppressed(t.workspace(), t.kept('mine')), true, 'their own lead shares the address');
select is((t.state(t.kept('mine'))).is_suppressed, true, 'and says so');
select is(leadline.is_suppressed(t.workspace(), t.kept('nobodys')), leadline.is_suppressed(t.workspace(), gen_random_uuid()), 'the unseen one says what an unknown one says');
select is_empty($$ select from leadline.suppressions $$, 'the list itself is not theirs');

-- test: suppressions and checkpoints are for those who see all
select t.report(t.kept('theirs'), 'dnc');
select t.act_as('superuser');
set local session authorization leadline_worker;
select leadline.run_job('checkpoint', t.workspace(), '2026-03-01T10:00:00Z');
select t.act_as('member');
select is_empty($$ select from leadline.suppressions $$, 'no list');
select is_empty($$ select from leadline.checkpoints $$, 'no checkpoint');
select t.act_as('admin');
select isnt_empty($$ select from leadline.suppressions $$, 'an admin has the list');
select isnt_empty($$ select from leadline.checkpoints $$, 'and the checkpoint');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
select t.act_as('member');
select isnt_empty($$ select from leadline.suppressions $$, 'and members who see all');
select isnt_empty($$ select from leadline.checkpoints $$, 'both');

-- test: an admin who is made a member sees as a member, and the other way round
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'admin@here.example.com', 'member');
select t.act_as('admin');
select pg_temp.sees('{theirs}');
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'member@here.example.com', 'admin');
select t.act_as('member');
select pg_temp.sees('{mine,theirs,nobodys}');

-- test: a token sees what a login sees
select set_config('t.token', leadline.create_token(t.workspace(), 'member', t.person('member')), true);
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select pg_temp.sees('{mine}');
select throws_ok($$ select leadline.log_activity(t.kept('theirs'), 'contact_attempted') $$, 'PT404', null, 'and reaches no more');

-- What a member sees of people, deals and subscriptions: whoever is behind a lead or a deal they see; and the same by every door.
select t.here();
insert into leadline.workspace_activity (activity_type, payload)
values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('mine', t.someone(jsonb_build_object('assigned_user_id', t.person('member'), 'email', 'kim@example.com'))),
       t.keep('theirs', t.someone(jsonb_build_object('assigned_user_id', t.person('admin'), 'email', 'lee@example.com'))),
       t.keep('nobodys', t.someone('{"email": "ann@example.com"}'));
-- Of each: a deal, assigned as the lead is, words of the relationship, a question that waits, a subscription with a cycle.
select t.act_as('admin');
select t.keep(n.name || '_deal', t.opportunity('proposal', jsonb_strip_nulls(jsonb_build_object('person_id', t.kept(n.name), 'assigned_user_id', n.user_id)))),
       t.advance(t.kept(n.name), 'qualified')
from (values ('mine', t.person('member')), ('theirs', t.person('admin')), ('nobodys', null)) n (name, user_id);
select t.keep(n || '_paid', t.subscription('active', jsonb_build_object('person_id', t.kept(n)))), t.keep(n || '_asked', t.asked(t.kept(n)))
from unnest('{mine,theirs,nobodys}'::text[]) n;
select t.act_as('billing');
select t.report_on_customer(t.kept(n || '_paid'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'),
       t.report_on_customer(t.kept(n || '_paid'), 'renewal_churned', '{"reason": "too dear"}')
from unnest('{mine,theirs,nobodys}'::text[]) n;
select t.act_as('app');
select t.report_on_person(t.kept(n), 'product_signal_seen',
                          '{"signal": "seats", "observed_at": "2026-01-02T00:00:00Z", "expires_at": "2036-01-02T00:00:00Z", "reason": "she invites all"}')
from unnest('{mine,theirs,nobodys}'::text[]) n;
select t.act_as('admin');

-- The names of those whose person, deal or subscription is among these ids.
create function pg_temp.names(p_ids uuid[]) returns text[] language sql as $$
    select array_agg(n.name order by n.position)
    from (values (1, 'mine'), (2, 'theirs'), (3, 'nobodys')) n (position, name)
    where p_ids && array[t.kept(n.name), t.kept(n.name || '_deal'), t.kept(n.name || '_paid')]
$$;
-- Assertions: by every door the acting login sees just these people, with all that there is of them.
create function pg_temp.sees(p_names text[]) returns setof text language plpgsql as $$
declare
    v_door record;
    v_ids uuid[];
begin
    for v_door in
        select d.name, k.key from (values
            ('person_id', '{people,person_overview,contacts,relationship_activity,relationship_timeline,relationship_stage_events,approvals,approval_queue}'::text[]),
            ('person_id', '{product_signals,person_timeline,subscriptions,subscription_overview,merged_people}'),
            ('opportunity_id', '{opportunities,opportunity_overview,opportunity_contacts,opportunity_activity,opportunity_timeline}'),
            ('subscription_id', '{customer_activity,customer_timeline,renewal_cycles}')) k (key, doors) cross join unnest(k.doors) d (name)
    loop
        execute format('select array_agg(distinct %I) from leadline.%I', v_door.key, v_door.name) into v_ids;
        return next is(pg_temp.names(v_ids), p_names, v_door.name);
    end loop;
    return next is((select count(*)::int from leadline.people), coalesce(cardinality(p_names), 0), 'and nobody else');
    return next is((select count(*)::int from leadline.approvals), coalesce(cardinality(p_names), 0), 'a question each');
    return next is((select count(*)::int from leadline.renewal_cycles where churn_reason = 'too dear'), coalesce(cardinality(p_names), 0), 'and a cycle');
    return next is((select count(*)::int from leadline.person_timeline where payload ->> 'reason' = 'she invites all'), coalesce(cardinality(p_names), 0), 'with its words');
end $$;

-- test: a member sees the people behind their own leads and deals
select t.act_as('member');
select pg_temp.sees('{mine}');

-- test: and behind nobody's, when the settings say so
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_unassigned": true}');
select t.act_as('member');
select pg_temp.sees('{mine,nobodys}');

-- test: and everybody's, when the settings say so
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
select t.act_as('member');
select pg_temp.sees('{mine,theirs,nobodys}');

-- test: everybody else sees all, whatever the settings
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('owner');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('app');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('billing');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('importer');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('ai');
select pg_temp.sees('{mine,theirs,nobodys}');
select t.act_as('analyst', '{contacts}');
select pg_temp.sees('{mine,theirs,nobodys}');

-- test: an analyst without contacts sees every deal and no word that was said
select t.act_as('analyst');
select is((select count(*) from leadline.opportunity_overview), 3::bigint, 'every deal');
select is((select count(*) from leadline.approval_queue), 3::bigint, 'every question');
select is_empty($$ select from leadline.opportunity_contacts $$, 'no words of the buyer');
select is_empty($$ select from leadline.relationship_stage_events where reason is not null $$, 'no reasons');
select is_empty($$ select from leadline.product_signals where reason is not null $$, 'none of a signal');
select is_empty($$ select from leadline.person_timeline where payload ?| '{reason,problem,decision_process,next_step,notes}' $$, 'nor in a timeline');
select is_empty($$ select from leadline.opportunity_timeline where jsonb_typeof(changes -> 'problem') <> 'boolean' $$, 'what changed is named, not told');

-- test: another workspace sees nothing, not even the same people when they come in there
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner'), leadline.add_member(t.elsewhere(), 'member@here.example.com', 'member');
select t.act_as('owner', '{}', t.elsewhere());
select pg_temp.sees(null);
select t.act_as('member', '{}', t.elsewhere());
select pg_temp.sees(null);
select t.act_as('nobody');
select pg_temp.sees(null);

-- test: a deal is enough to see its person, and shows no lead and no address of theirs
select t.report_on_deal(t.kept('theirs_deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('member')));
select t.act_as('member');
select pg_temp.sees('{mine,theirs}');
select is((select count(*) from leadline.leads), 1::bigint, 'one lead');
select is_empty($$ select from leadline.leads where person_id = t.kept('theirs') $$, 'not theirs');
select is_empty($$ select from leadline.person_contacts where person_id = t.kept('theirs') $$, 'nor an address');
select is((select o.leads from leadline.person_overview o where o.person_id = t.kept('theirs')), 0, 'nor how many there are');

-- test: a member reports on the people and deals they see
select t.act_as('member');
select is(t.advance(t.kept('mine'), 'opportunity'), 'applied', 'their person');
select is(t.verdict_on_deal(t.kept('mine_deal'), 'amount_changed', '{"amount": 5}'), 'applied', 'their deal');
select is(t.answer(t.kept('mine_asked'), 'granted'), 'refused approver_needed', 'but for what is an approver''s');
select is(t.verdict_on_customer(t.kept('mine_paid'), 'payment_failed'), 'refused writer_not_allowed', 'and what is billing''s');

-- test: what is unseen is as unknown as any, and nothing is stored
select set_config('t.rows', (select (count(*), max(activity_id))::text from leadline.person_timeline), true);
select t.act_as('member');
select results_eq(
    format('select c.* from t.caught(%L) c', format(s.statement, t.kept('theirs'), t.kept('theirs_deal'), t.kept('theirs_paid'), t.kept('theirs_asked'))),
    format('select c.* from t.caught(%L) c', format(s.statement, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid())), s.statement)
from unnest(array[
    $$ select t.advance(%1$L, 'active') $$,
    $$ select t.report_on_person(%1$L, 'approval_granted', jsonb_build_object('approval_id', %4$L::uuid)) $$,
    $$ select t.report_on_person(t.kept('mine'), 'approval_granted', jsonb_build_object('approval_id', %4$L::uuid)) $$,
    $$ select t.report_on_deal(%2$L, 'amount_changed', '{"amount": 5}') $$,
    $$ select t.report_on_deal(t.kept('mine_deal'), 'contact_role_set', jsonb_build_object('person_id', %1$L::uuid, 'role', 'executive sponsor')) $$,
    $$ select t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'expansion', 'person_id', %1$L::uuid)) $$,
    $$ select t.report_on_customer(%3$L, 'payment_failed') $$,
    $$ select leadline.log_in_journal('opportunity_activity', %2$L, 'opportunity_won') $$]) s (statement);
select throws_ok(format('select t.advance(%L, %L)', t.kept('theirs'), 'active'), 'PT404', null, 'not there');
select t.act_as('admin');
select is((select (count(*), max(activity_id))::text from leadline.person_timeline), current_setting('t.rows'), 'not one row more');

-- test: one who is spoken for reaches what they see themselves
select t.act_as('app', '{act_as}');
select is(t.verdict_on_deal(t.kept('mine_deal'), 'amount_changed', '{"amount": 6}', null, null, t.person('member')), 'applied', 'their own deal');
select throws_ok(format('select t.report_on_deal(%L, %L, %L, null, null, %L)', t.kept('theirs_deal'), 'amount_changed', '{"amount": 6}', t.person('member')), 'PT404', null, 'not another''s');
select throws_ok(format('select t.report_on_person(%L, %L, %L, null, null, %L)', t.kept('nobodys'), 'relationship_closed', '{"reason": "x"}', t.person('member')), 'PT404', null,
                 'nor nobody''s person');
select is(t.verdict_on_person(t.kept('mine'), 'approval_granted', jsonb_build_object('approval_id', t.kept('mine_asked')), null, null, t.person('member')), 'refused approver_needed',
          'with no more right than theirs');
select is(t.verdict_on_person(t.kept('mine'), 'approval_granted', jsonb_build_object('approval_id', t.kept('mine_asked'))), 'refused needs_a_person', 'nor the app''s own');
select is(t.verdict_on_person(t.kept('mine'), 'approval_granted', jsonb_build_object('approval_id', t.kept('mine_asked')), null, null, t.person('admin')), 'applied', 'an admin''s yes is one');

-- test: a deal given away answers once more, and is gone; so is whatever repeats it
select t.act_as('member');
select results_eq(
    $$ insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, reference)
       values (t.kept('mine_deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('admin')), 'given')
       returning verdict, changes -> 'assigned_user_id' $$,
    $$ select 'applied', jsonb_build_array(t.person('member'), t.person('admin')) $$, 'RETURNING works');
select is_empty($$ select from leadline.opportunities $$, 'the deal is gone');
select is_empty($$ select from leadline.person_timeline where subject_id = t.kept('mine_deal') $$, 'and its history');
select throws_ok($$ select t.report_on_deal(t.kept('mine_deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('admin')), 'given') $$, 'PT404', null,
                 'the repeat is about a deal that is not there');
select throws_ok($$ select leadline.log_in_journal('opportunity_activity', t.kept('mine_deal'), 'opportunity_assigned', '{"assigned_user_id": null}', 'given') $$, 'PT404', null,
                 'by the call that answers, too');
select isnt_empty($$ select from leadline.people where person_id = t.kept('mine') $$, 'the person stays, for the lead''s sake');

-- test: given away by the call that answers, it answers as well
select t.act_as('member');
select is(leadline.log_in_journal('opportunity_activity', t.kept('mine_deal'), 'opportunity_assigned', '{"assigned_user_id": null}') ->> 'verdict', 'applied', 'the whole answer');
select is_empty($$ select from leadline.opportunities $$, 'and is gone');

-- test: a deal one opens is one's own, unless it names somebody; then it is answered, and theirs
select t.act_as('member');
select results_eq(
    $$ select r.verdict, r.changes -> 'assigned_user_id' -> 1 from t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'expansion', 'person_id', t.kept('mine'))) r $$,
    $$ select 'applied', to_jsonb(t.person('member')) $$, 'one''s own');
select t.keep('given', r.opportunity_id)
from t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'expansion', 'person_id', t.kept('mine'), 'assigned_user_id', t.person('admin')), 'for them') r;
select is((t.deal(t.kept('given'))).stage, null, 'theirs');
select is_empty($$ select from t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'expansion', 'person_id', t.kept('mine')), 'for them') $$, 'a repeat gives no row');

-- test: a conversion joins a deal that its maker sees, and no other
select t.keep('lead', t.qualification_lead('qualified', jsonb_build_object('assigned_user_id', t.person('member'))));
select t.act_as('member');
select results_eq(
    $$ select c.* from t.caught($q$ select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('theirs_deal'))) $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', gen_random_uuid())) $q$) c $$, 'word for word as an unknown one');
select is((t.state(t.kept('lead'))).opportunity_id, null, 'and nothing came of it');
select is(t.verdict(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('mine_deal'))), 'applied', 'their own is there');

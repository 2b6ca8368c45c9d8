-- How a relationship moves (seed 002): from what, to what, by whom, why; once a reference; refusals kept; and closed outside the order.
select t.here();

-- test: the path of the seed, and what each move is remembered by
select t.keep('person', t.someone());
select results_eq(
    $$ select x.stage, r.verdict, r.from_stage, r.to_stage, r.seq, r.version
       from unnest('{qualified,opportunity,client,onboarding,active}'::text[]) with ordinality x(stage, n),
            lateral t.report_on_person(t.kept('person'), 'relationship_advanced', jsonb_build_object('to', x.stage, 'reason', 'reason ' || x.n), null,
                                       '2026-03-01T10:00:00Z'::timestamptz + x.n * interval '1 hour') r order by x.n $$,
    $$ values ('qualified', 'applied', 'prospect', 'qualified', 1, 1), ('opportunity', 'applied', 'qualified', 'opportunity', 2, 2), ('client', 'applied', 'opportunity', 'client', 3, 3),
              ('onboarding', 'applied', 'client', 'onboarding', 4, 4), ('active', 'applied', 'onboarding', 'active', 5, 5) $$, 'prospect to active');
select results_eq(
    $$ select e.from_stage, e.to_stage, e.is_backward, e.actor_kind, e.actor_id, e.writer, e.reason, e.approval_id, e.caused_by, e.occurred_at
       from leadline.relationship_stage_events e where e.person_id = t.kept('person') order by e.event_id $$,
    $$ select f, x, false, 'user', t.person('admin'), 'person', 'reason ' || n, null::uuid, null::bigint, '2026-03-01T10:00:00Z'::timestamptz + n * interval '1 hour'
       from (values (1, 'prospect', 'qualified'), (2, 'qualified', 'opportunity'), (3, 'opportunity', 'client'), (4, 'client', 'onboarding'), (5, 'onboarding', 'active')) x(n, f, x) $$,
    'who, from what, to what, why, when');
select results_eq(
    $$ select c.stage, c.status, c.furthest_stage, c.stage_entered_at, c.seq, c.version from t.contact(t.kept('person')) c $$,
    $$ values ('active', 'open', 'active', '2026-03-01T15:00:00Z'::timestamptz, 5, 5) $$, 'and the one answer to where it stands');

-- test: a person of whom nothing was said is a prospect
select t.keep('person', t.someone());
select results_eq(
    $$ select c.stage, c.status, c.furthest_stage, c.stage_entered_at, c.seq, c.version from t.contact(t.kept('person')) c $$,
    $$ values ('prospect', 'open', 'prospect', null::timestamptz, 0, 0) $$, 'a name on a list');
select is_empty($$ select from leadline.relationship_stage_events e where e.person_id = t.kept('person') $$, 'without a history');

-- test: on whose say-so they became a client can be answered for ever
select t.keep('person', t.someone());
select t.act_as('member');
select t.report_on_person(t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "signed the contract"}', null, '2026-03-03T10:00:00Z');
select t.act_as('app');
select t.advance(t.kept('person'), 'active');
select t.act_as('admin');
select results_eq(
    $$ select e.occurred_at, e.actor_kind, e.actor_id, e.reason from leadline.relationship_stage_events e where e.person_id = t.kept('person') and e.to_stage = 'client' $$,
    $$ values ('2026-03-03T10:00:00Z'::timestamptz, 'user', t.person('member'), 'signed the contract') $$, 'on the 3rd, on the member''s');
select results_eq(
    $$ select e.actor_kind, e.actor_id is distinct from t.person('member'), e.writer from leadline.relationship_stage_events e where e.person_id = t.kept('person') and e.to_stage = 'active' $$,
    $$ values ('integration', true, 'app') $$, 'an app''s move is an app''s');

-- test: an app that speaks for a member writes down both
select t.keep('person', t.someone());
select t.act_as('app', '{act_as}');
select t.report_on_person(t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "signed"}', null, null, t.person('member'));
select t.act_as('admin');
select results_eq(
    $$ select e.actor_kind, e.actor_id, e.on_behalf_of, e.writer from leadline.relationship_stage_events e where e.person_id = t.kept('person') $$,
    $$ values ('user', t.person('member'), t.person('member'), 'app') $$, 'the member, through the app');

-- test: the same evidence moves once: a repeat is the original
select t.keep('person', t.someone());
select set_config('t.first', leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "replied"}', 'm-1')::text, true);
select set_config('t.second', leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "replied"}', 'm-1')::text, true);
select is(current_setting('t.second')::jsonb - 'replayed', current_setting('t.first')::jsonb - 'replayed', 'word for word');
select results_eq(
    $$ select current_setting(x)::json ->> 'verdict', (current_setting(x)::json ->> 'replayed')::bool from unnest('{t.first,t.second}'::text[]) x $$,
    $$ values ('applied', false), ('applied', true) $$, 'applied, told twice');
select is_empty(
    $$ insert into leadline.relationship_activity (person_id, activity_type, payload, reference)
       values (t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "something else"}', 'm-1') returning verdict $$, 'a bare insert gives no row');
select results_eq($$ select c.stage, c.seq from t.contact(t.kept('person')) c $$, $$ values ('qualified', 1) $$, 'one event');

-- test: a repeat after the relationship has moved on is still the original
select t.keep('person', t.someone());
select t.report_on_person(t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "replied"}', 'm-1');
select t.advance(t.kept('person'), 'client');
select results_eq(
    $$ select j ->> 'verdict', j ->> 'to_stage', (j ->> 'replayed')::bool
       from leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "replied"}', 'm-1') j $$,
    $$ values ('applied', 'qualified', true) $$, 'not refused as backward');
select is(t.point(t.kept('person')), 'client', 'and moves nothing');

-- test: a repeated refusal is that refusal; another person or word may not use its reference
select t.keep('person', t.person_at('client')), t.keep('other', t.someone());
select results_eq(
    $$ select j ->> 'verdict', j ->> 'rule', (j ->> 'replayed')::bool
       from generate_series(1, 2) n, lateral leadline.log_in_journal('relationship_activity',
           t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "x"}', case when n > 0 then 'm-1' end) j order by n $$,
    $$ values ('refused', 'backward_move', false), ('refused', 'backward_move', true) $$, 'the same');
select throws_ok($$ select t.report_on_person(t.kept('other'), 'relationship_advanced', '{"to": "qualified", "reason": "x"}', 'm-1') $$, 'PT409', null, 'somebody else');
select throws_ok($$ select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "x"}', 'm-1') $$, 'PT409', null, 'another word');
select is(t.verdict(t.created(), 'note_added', '{"text": "x"}', 'm-1'), 'noted', 'another journal has references of its own');

-- test: a held question that is sent again is that question, answered or not
select t.keep('person', t.person_at('opportunity'));
select t.act_as('app');
select set_config('t.first', leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "signed"}', 'm-1')::text, true);
select set_config('t.second', leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "signed"}', 'm-1')::text, true);
select is(current_setting('t.second')::jsonb - 'replayed', current_setting('t.first')::jsonb - 'replayed', 'with its approval');
select is((current_setting('t.first')::json ->> 'approval_id') is not null, true, 'which has an id');

-- test: refusals are kept, for whoever asks why
select t.keep('person', t.person_at('client'));
select t.advance(t.kept('person'), 'friend');
select t.advance(t.kept('person'), 'prospect');
select t.advance(t.kept('person'), 'active', '{"reason": ""}');
select results_eq(
    $$ select l.verdict, l.rule, l.from_stage, l.to_stage, l.changes, l.payload ->> 'to', l.sentence is not null
       from leadline.relationship_timeline l where l.person_id = t.kept('person') and l.verdict = 'refused' order by l.seq $$,
    $$ values ('refused', 'unknown_stage', 'client', 'client', null::jsonb, 'friend', true), ('refused', 'backward_move', 'client', 'client', null, 'prospect', true),
              ('refused', 'reason_required', 'client', 'client', null, 'active', true) $$, 'a refusal is a decision');
select results_eq($$ select c.stage, c.seq, c.version from t.contact(t.kept('person')) c $$, $$ values ('client', 4, 1) $$, 'counted, and nothing moved');
select is((select count(*) from leadline.relationship_stage_events e where e.person_id = t.kept('person')), 1::bigint, 'no event of a move');

-- test: refused as an error where the writer prefers errors, and then no row is kept
select t.keep('person', t.person_at('client'));
set local leadline.on_refusal = 'raise';
select t.raises($$ select t.advance(t.kept('person'), 'prospect') $$, 'PT409', 'backward_move', 'raised with its rule');
select is((t.contact(t.kept('person'))).seq, 1, 'no row is kept');

-- test: not proceeding stands outside the order: whoever writes again starts over, not at the end
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.report_on_person(t.kept('person'), 'relationship_advanced', '{"to": "active", "reason": "x"}', null, '2026-01-02T10:00:00Z');
select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "they left"}', null, '2026-01-03T10:00:00Z');
select results_eq(
    $$ select c.stage, c.status, c.furthest_stage from t.contact(t.kept('person')) c $$, $$ values ('closed', 'closed', 'active') $$, 'gone, and once a customer');
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-10-02T10:00:00Z');
select results_eq(
    $$ select c.stage, c.status, c.furthest_stage from t.contact(t.kept('person')) c $$, $$ values ('qualified', 'open', 'active') $$, 'a reply starts them over');
select results_eq(
    $$ select e.from_stage, e.to_stage, e.is_backward, e.writer from leadline.relationship_stage_events e where e.person_id = t.kept('person') order by e.event_id desc limit 1 $$,
    $$ values ('closed', 'qualified', false, 'workflow:lead-outcome') $$, 'a step forward');

-- test: older news does not bring back who was closed since
select t.keep('lead', t.sales_lead('new'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "they said no"}', null, '2026-03-01T10:00:00Z');
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-02-01T10:00:00Z');
select is(t.point(t.kept('person')), 'closed', 'a reply from before');
select is(t.verdict_on_person(t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "x"}', null, '2026-02-01T10:00:00Z'), 'noted superseded', 'told late by hand');

-- test: three moves of one transaction stand in the order they were made, on every reading
select t.keep('person', t.someone());
insert into leadline.relationship_activity (person_id, activity_type, payload, occurred_at)
select t.kept('person'), 'relationship_advanced', jsonb_build_object('to', x, 'reason', 'x'), '2026-03-01T10:00:00Z'
from unnest('{qualified,opportunity,client}'::text[]) with ordinality x(x, n) order by n;
select results_eq(
    $$ select e.from_stage, e.to_stage from leadline.relationship_stage_events e where e.person_id = t.kept('person') order by e.event_id $$,
    $$ values ('prospect', 'qualified'), ('qualified', 'opportunity'), ('opportunity', 'client') $$, 'at the same instant');
select results_eq($$ select l.seq from leadline.relationship_timeline l where l.person_id = t.kept('person') order by l.seq $$, $$ values (1), (2), (3) $$, 'counted');

-- test: what has not happened yet is not reported
select throws_ok($$ select t.report_on_person(t.someone(), 'relationship_advanced', '{"to": "qualified", "reason": "x"}', null, clock_timestamp() + interval '2 days') $$,
    'PT422', null, 'in two days');

-- test: a point that is left and entered again is one person's, twice moved
select t.keep('person', t.someone());
select t.advance(t.kept('person'), x, '{"backward": true}') from unnest('{qualified,opportunity,qualified,opportunity}'::text[]) with ordinality x(x, n) order by n;
select results_eq(
    $$ select e.to_stage, count(*)::int, count(distinct e.person_id)::int from leadline.relationship_stage_events e where e.person_id = t.kept('person') group by 1 order by 1 $$,
    $$ values ('opportunity', 2, 1), ('qualified', 2, 1) $$, 'events and people are two counts');

-- test: malformed is malformed, and leaves no row
select t.keep('person', t.someone());
select throws_ok(format('select t.report_on_person(t.kept(''person''), %L, %L)', type, payload), 'PT422', null, type || payload)
from (values ('relationship_advanced', '{}'::jsonb), ('relationship_advanced', '{"to": null, "reason": "x"}'), ('relationship_advanced', '{"to": 3, "reason": "x"}'),
             ('relationship_advanced', '{"to": "", "reason": "x"}'), ('relationship_advanced', '{"to": "client", "reason": 7}'),
             ('relationship_advanced', '{"to": "client", "reason": "x", "backward": "yes"}'), ('approval_granted', '{}'), ('approval_granted', '{"approval_id": "x"}'),
             ('stage_corrected', '{"to_stage": "prospect", "reason": "x"}'), ('note_added', '{"text": "x"}'), ('fell_in_love', '{}')) x(type, payload);
select throws_ok($$ insert into leadline.relationship_activity (activity_type, payload) values ('relationship_advanced', '{"to": "qualified", "reason": "x"}') $$, 'PT422', null, 'about nobody');
select is((t.contact(t.kept('person'))).seq, 0, 'no row');

-- test: the reason is personal: in no journal, and read where it may be read
select t.keep('person', t.someone());
select t.report_on_person(t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "her brother signed", "mood": "sunny"}');
select is_empty($$ select a.seq from leadline.relationship_activity a where a.person_id = t.kept('person') and to_jsonb(a)::text ~ 'brother|sunny' $$, 'not in the journal');
select is((select l.payload ->> 'reason' from leadline.relationship_timeline l where l.person_id = t.kept('person')), 'her brother signed', 'in the timeline');
select t.act_as('analyst');
select results_eq(
    $$ select e.to_stage, e.reason from leadline.relationship_stage_events e where e.person_id = t.kept('person') $$, $$ values ('client', null::text) $$, 'an analyst sees the move alone');

-- test: no history is changed, by nobody
select t.keep('person', t.person_at('client'));
select throws_ok($$ update leadline.relationship_activity set verdict = 'refused' $$, '42501', null, 'changed');
select throws_ok($$ delete from leadline.relationship_activity $$, '42501', null, 'removed');
select throws_ok($$ update leadline.people set stage = 'active' $$, '42501', null, 'nor a person moved past it');
select throws_ok($$ insert into leadline.relationship_activity (workspace_id, person_id, activity_type) values (t.workspace(), t.kept('person'), 'relationship_closed') $$, '42501', null,
                 'nor a workspace named');
select throws_ok($$ update leadline.approvals set status = 'granted' $$, '42501', null, 'nor an approval given by hand');

-- test: nor by the owner of the tables
-- privileged: only a superuser can try
select t.keep('person', t.person_at('client'));
select t.act_as('superuser');
select throws_ok($$ update leadline.relationship_activity set verdict = 'refused' where person_id = t.kept('person') $$, 'PT405', null, 'changed');
select throws_ok($$ delete from leadline.relationship_activity where person_id = t.kept('person') $$, 'PT405', null, 'removed');
select throws_ok($$ truncate leadline.relationship_activity $$, 'PT405', null, 'emptied');

-- test: a hand's change is written down
-- privileged: only a superuser can try
select t.keep('person', t.person_at('client'));
select t.act_as('superuser');
update leadline.people set stage = 'active', furthest_stage = 'active' where person_id = t.kept('person');
select t.act_as('admin');
select results_eq(
    $$ select l.activity_type, l.verdict, l.from_stage, l.to_stage, l.changes, l.writer from leadline.relationship_timeline l where l.person_id = t.kept('person') order by l.seq desc limit 1 $$,
    $$ values ('direct_change', 'applied', 'client', 'active', '{"stage": ["client", "active"], "furthest_stage": ["client", "active"]}'::jsonb, 'workflow:direct-change') $$,
    'by whoever it was');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');

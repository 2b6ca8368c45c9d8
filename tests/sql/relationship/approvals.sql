-- Moves that wait for a person's yes (seed 002): asked, answered once, by whom, and what the history says of it.
select t.here();
-- What was said of a person: type, verdict and rule of every row, in order.
create function pg_temp.story(p_person_id uuid) returns text[] language sql as $$
    select array_agg(concat_ws(' ', l.activity_type, l.verdict, l.rule) order by l.seq) from leadline.relationship_timeline l where l.person_id = p_person_id
$$;

-- test: yes: the person moves, by the answer, which names the question
select t.keep('person', t.person_at('opportunity'));
select t.keep('approval', t.asked(t.kept('person')));
select t.act_as('owner');
select results_eq(
    $$ select r.verdict, r.rule, r.from_stage, r.to_stage, r.actor_kind, r.actor_id, r.changes, r.caused_by = (t.approval(t.kept('approval'))).activity_id
       from t.report_on_person(t.kept('person'), 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'), 'reason', 'I saw the contract')) r $$,
    $$ values ('applied', null::text, 'opportunity', 'client', 'user', t.person('owner'),
               '{"stage": ["opportunity", "client"], "furthest_stage": ["opportunity", "client"]}'::jsonb, true) $$, 'granted');
select results_eq($$ select c.stage, c.furthest_stage, c.status from t.contact(t.kept('person')) c $$, $$ values ('client', 'client', 'open') $$, 'a client');
select results_eq(
    $$ select e.from_stage, e.to_stage, e.is_backward, e.actor_id, e.writer, e.reason, e.approval_id, e.caused_by = (t.approval(t.kept('approval'))).activity_id
       from leadline.relationship_stage_events e where e.person_id = t.kept('person') and e.to_stage = 'client' $$,
    $$ values ('opportunity', 'client', false, t.person('owner'), 'person', 'I saw the contract', t.kept('approval'), true) $$,
    'the approval id is recorded on the event alongside the actor and the reason');
select results_eq(
    $$ select a.status, a.settled_by_user, a.settled_by = e.event_id, a.settled_at = e.recorded_at
       from t.approval(t.kept('approval')) a, leadline.relationship_stage_events e where e.person_id = t.kept('person') and e.to_stage = 'client' $$,
    $$ values ('granted', t.person('owner'), true, true) $$, 'and the approval knows its answer');

-- test: no: nobody moves, and it is remembered who said so
select t.keep('person', t.person_at('opportunity'));
select t.keep('approval', t.asked(t.kept('person')));
select is(t.answer(t.kept('approval'), 'declined', '{"reason": "not signed yet"}'), 'noted', 'declined');
select results_eq($$ select t.point(t.kept('person')), (t.approval(t.kept('approval'))).status, (t.approval(t.kept('approval'))).settled_by_user $$,
                  $$ values ('opportunity', 'declined', t.person('admin')) $$, 'they stay');
select is(pg_temp.story(t.kept('person')), '{relationship_advanced applied,relationship_advanced held client_needs_a_person,approval_declined noted}', 'each word once');

-- test: the held row stays as it was: the answer is a new one, and the timeline joins them
select t.keep('person', t.person_at('opportunity'));
select t.keep('approval', t.asked(t.kept('person')));
select t.answer(t.kept('approval'), 'granted');
select results_eq(
    $$ select l.activity_type, l.verdict, l.rule, l.from_stage, l.to_stage, l.approval_id = t.kept('approval'), l.settled_by is not null, l.approval_status
       from leadline.relationship_timeline l where l.person_id = t.kept('person') and l.seq > 1 order by l.seq $$,
    $$ values ('relationship_advanced', 'held', 'client_needs_a_person', 'opportunity', 'opportunity', true, true, 'granted'),
              ('approval_granted', 'applied', null, 'opportunity', 'client', true, false, null) $$, 'question and answer');
select is((select h.settled_by from leadline.relationship_timeline h where h.person_id = t.kept('person') and h.verdict = 'held'),
          (select g.activity_id from leadline.relationship_timeline g where g.person_id = t.kept('person') and g.activity_type = 'approval_granted'), 'the one names the other');

-- test: the call that answers tells the approval of a held move, and of no other
select t.keep('one', t.person_at('opportunity')), t.keep('two', t.person_at('prospect'));
select t.act_as('app');
select results_eq(
    $$ select x, j ->> 'verdict', (j ->> 'approval_id') is not null
       from unnest('{one,two,two}'::text[]) with ordinality p(x, n), unnest('{client,qualified,prospect}'::text[]) with ordinality d(d, m),
            lateral leadline.log_in_journal('relationship_activity', t.kept(x), 'relationship_advanced', jsonb_build_object('to', d, 'reason', 'x')) j
       where n = m order by n $$,
    $$ values ('one', 'held', true), ('two', 'applied', false), ('two', 'refused', false) $$, 'held alone has one');

-- test: further than client is asked and granted alike
select results_eq(
    $$ select x, t.answer(a.id, 'granted'), t.point((t.approval(a.id)).person_id)
       from unnest('{onboarding,active}'::text[]) x, lateral (select t.asked(t.person_at('opportunity'), x) as id offset 0) a $$,
    $$ values ('onboarding', 'applied', 'onboarding'), ('active', 'applied', 'active') $$, 'where it was asked for');

-- test: one open question a person and destination; another destination is another question
select t.keep('person', t.person_at('opportunity'));
select t.keep('client', t.asked(t.kept('person'), 'client')), t.keep('active', t.asked(t.kept('person'), 'active'));
select is(t.asked(t.kept('person'), 'client'), null, 'asked already');
select results_eq(
    $$ select q.to_stage from leadline.approval_queue q where q.person_id = t.kept('person') and q.status = 'open' order by 1 $$, $$ values ('active'), ('client') $$, 'two');
select is(t.answer(t.kept('active'), 'granted'), 'applied', 'the further one');
select is(t.answer(t.kept('client'), 'granted'), 'refused approval_stale', 'makes the nearer one stale');

-- test: whoever is closed meanwhile is asked about as before, and a yes moves them out again
select t.keep('person', t.person_at('opportunity'));
select t.keep('approval', t.asked(t.kept('person')));
select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "silence"}');
select is(t.answer(t.kept('approval'), 'granted'), 'applied', 'it is forward');
select is(t.point(t.kept('person')), 'client', 'they signed after all');

-- test: the clock ends what nobody answered, at the time it is told, and not before
select t.keep('one', t.asked(t.person_at('opportunity'))), t.keep('two', t.asked(t.person_at('opportunity')));
select set_config('t.end', (t.approval(t.kept('one'))).expires_at::text, true);
select t.keep('other', t.asked(t.person_at('opportunity')));
select t.answer(t.kept('other'), 'declined');
set local session authorization leadline_worker;
select leadline.run_job('approval_expiry', t.workspace(), '2026-01-01T10:00:00Z');
select t.act_as('admin');
select results_eq($$ select (t.approval(t.kept(x))).status from unnest('{one,two}'::text[]) x $$, $$ values ('open'), ('open') $$, 'long before');
set local session authorization leadline_worker;
select leadline.run_job('approval_expiry', t.workspace(), current_setting('t.end')::timestamptz - interval '1 hour');
select t.act_as('admin');
select results_eq($$ select (t.approval(t.kept(x))).status from unnest('{one,two}'::text[]) x $$, $$ values ('open'), ('open') $$, 'an hour before');
set local session authorization leadline_worker;
select leadline.run_job('approval_expiry', t.workspace(), current_setting('t.end')::timestamptz + interval '1 hour');
select t.act_as('admin');
select results_eq(
    $$ select a.status, a.settled_by_user, t.point(a.person_id) from unnest('{one,two,other}'::text[]) x, lateral t.approval(t.kept(x)) a $$,
    $$ values ('expired', null::uuid, 'opportunity'), ('expired', null, 'opportunity'), ('declined', t.person('admin'), 'opportunity') $$, 'those that waited, and nobody moved');
select results_eq(
    $$ select l.activity_type, l.verdict, l.rule, l.actor_kind, l.writer, l.approval_id = t.kept('one'), l.caused_by = (t.approval(t.kept('one'))).activity_id
       from leadline.relationship_timeline l where l.activity_id = (t.approval(t.kept('one'))).settled_by $$,
    $$ values ('approval_expired', 'noted', null::text, 'system', 'workflow:approvals', true, true) $$, 'an activity of its own');
set local session authorization leadline_worker;
select leadline.run_job('approval_expiry', t.workspace(), '2999-01-01T10:00:00Z');
select t.act_as('admin');
select is((select count(*) from leadline.relationship_timeline l where l.activity_type = 'approval_expired' and l.person_id = (t.approval(t.kept('one'))).person_id), 1::bigint, 'once');

-- test: the clock does its round once, and there is one to do
set local session authorization leadline_worker;
-- The worker's own login is not held to a workspace here; what it is told is asserted as an admin.
select set_config('t.first', leadline.run_job('approval_expiry', t.workspace(), '2026-01-01T10:30:00Z')::text, true),
       set_config('t.again', leadline.run_job('approval_expiry', t.workspace(), '2026-01-01T10:59:00Z')::text, true),
       set_config('t.next', leadline.run_job('approval_expiry', t.workspace(), '2026-01-01T11:01:00Z')::text, true);
select t.act_as('admin');
select results_eq($$ select current_setting(x) from unnest('{t.first,t.again,t.next}'::text[]) x $$, $$ values ('true'), ('false'), ('true') $$, 'hourly');

-- test: approve: true on a sale: whoever may approve says yes with it
select t.keep('lead', t.sales_lead('proposal'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select is(t.verdict(t.kept('lead'), 'deal_won', '{"approve": true}'), 'applied', 'won');
select results_eq(
    $$ select l.verdict, l.rule, l.actor_kind, l.actor_id, l.writer, l.to_stage, l.caused_by = a.activity_id
       from leadline.relationship_timeline l join leadline.lead_activity a on a.lead_id = t.kept('lead') and a.activity_type = 'deal_won' where l.person_id = t.kept('person') $$,
    $$ values ('applied', null::text, 'user', t.person('admin'), 'workflow:lead-outcome', 'client', true) $$, 'a client, by the admin, caused by the sale');
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'sale', '{"approve": true}');
select is(t.point((t.state(t.kept('lead'))).person_id), 'client', 'a sale after an appointment, too');

-- test: approve: true by somebody without the right is a question like any
select t.keep('lead', t.sales_lead('proposal'));
select t.act_as('member');
select is(t.verdict(t.kept('lead'), 'deal_won', '{"approve": true}'), 'applied', 'the sale stands');
select t.act_as('admin');
select results_eq(
    $$ select l.verdict, l.rule, l.actor_kind from leadline.relationship_timeline l where l.person_id = (t.state(t.kept('lead'))).person_id $$,
    $$ values ('held', 'client_needs_a_person', 'system') $$, 'a member, unless the workspace lets them');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"approvers": "member"}');
select t.keep('second', t.sales_lead('proposal')), t.keep('third', t.sales_lead('proposal'));
select t.act_as('member');
select t.report(t.kept('second'), 'deal_won', '{"approve": true}');
select t.act_as('admin');
select is(t.point((t.state(t.kept('second'))).person_id), 'client', 'now it does');
select t.act_as('app');
select t.report(t.kept('third'), 'deal_won', '{"approve": true}');
select t.act_as('admin');
select is(t.point((t.state(t.kept('third'))).person_id), 'prospect', 'but never an app by itself');

-- test: approve: true through an app that speaks for somebody with the right
select t.keep('one', t.sales_lead('proposal')), t.keep('two', t.sales_lead('proposal'));
select t.act_as('app', '{act_as}');
select t.report(t.kept('one'), 'deal_won', '{"approve": true}', null, null, t.person('admin')), t.report(t.kept('two'), 'deal_won', '{"approve": true}', null, null, t.person('member'));
select t.act_as('admin');
select results_eq($$ select t.point((t.state(t.kept(x))).person_id) from unnest('{one,two}'::text[]) x $$, $$ values ('client'), ('prospect') $$, 'an admin, not a member');

-- test: approve: false, and nothing, is a question
select results_eq(
    $$ select p, t.point(l.person_id), t.open_question(l.person_id) is not null
       from unnest(array['{}', '{"approve": false}', '{"approve": null}']::jsonb[]) with ordinality p(p, n), lateral t.report(t.sales_lead('proposal'), 'deal_won', p) r, lateral t.state(r.lead_id) l
       order by n $$,
    $$ select p, 'prospect', true from unnest(array['{}', '{"approve": false}', '{"approve": null}']::jsonb[]) p $$, 'it waits');
select throws_ok($$ select t.report(t.sales_lead('proposal'), 'deal_won', '{"approve": "yes"}') $$, 'PT422', null, 'a word is malformed');

-- test: a refused sale asks nothing
select t.keep('lead', t.sales_lead('qualified'));
select is(t.verdict(t.kept('lead'), 'deal_won', '{"approve": true}'), 'refused won_needs_proposal', 'refused');
select is((t.contact((t.state(t.kept('lead'))).person_id)).seq, 0, 'and nobody was asked about');

-- test: answers of machines are none
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.act_as('app');
select is(t.answer(t.kept('approval'), 'granted'), 'refused needs_a_person', 'an app');
select is(t.answer(t.kept('approval'), 'declined'), 'refused needs_a_person', 'nor its no');
select t.act_as('ai');
select is(t.answer(t.kept('approval'), 'granted'), 'refused ai_forbidden', 'an assistant');
select t.act_as('admin');
select is((t.approval(t.kept('approval'))).status, 'open', 'it waits on');

-- test: an answer sent twice is one answer
select t.keep('approval', t.asked(t.person_at('opportunity')));
select results_eq(
    $$ select j ->> 'verdict', j ->> 'to_stage', (j ->> 'replayed')::bool
       from generate_series(1, 2) n, lateral leadline.log_in_journal('relationship_activity', (t.approval(t.kept('approval'))).person_id, 'approval_granted',
                                                                     jsonb_build_object('approval_id', t.kept('approval')), case when n > 0 then 'yes-1' end) j order by n $$,
    $$ values ('applied', 'client', false), ('applied', 'client', true) $$, 'the original');

-- test: a member sees the questions about people they see, and answers none of others
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false, "approvers": "member"}');
select t.keep('mine', t.asked(t.person_at('opportunity', jsonb_build_object('assigned_user_id', t.person('member'))))),
       t.keep('theirs', t.asked(t.person_at('opportunity', jsonb_build_object('assigned_user_id', t.person('admin')))));
select set_config('t.stranger', (t.approval(t.kept('theirs'))).person_id::text, true);
select t.act_as('member');
select results_eq($$ select q.approval_id from leadline.approval_queue q $$, $$ select t.kept('mine') $$, 'their own');
select throws_ok($$ select t.report_on_person(current_setting('t.stranger')::uuid, 'approval_granted', jsonb_build_object('approval_id', t.kept('theirs'))) $$, 'PT404', null, 'nobody else''s');
select is(t.answer(t.kept('mine'), 'granted'), 'applied', 'theirs they grant');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.answer(t.kept('approval'), 'granted');
select t.answer(t.asked(t.person_at('opportunity')), 'declined');
select t.asked(t.person_at('opportunity'), 'active');
select t.keep('stale', t.asked(t.person_at('opportunity')));
select t.advance((t.approval(t.kept('stale'))).person_id, 'client');
select t.answer(t.kept('stale'), 'granted');
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}');
select t.asked((t.state(t.kept('lead'))).person_id);
set local session authorization leadline_worker;
select leadline.run_job('approval_expiry', t.workspace(), '2999-01-01T10:00:00Z');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

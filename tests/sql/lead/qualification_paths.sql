-- Whole lives of qualification leads: requests decided one by one, put aside and brought back by newer evidence, qualified once for a person,
-- and the way each enquiry goes (seed 003).
select t.here();

-- The lead that an enquiry for a demo made or met.
create function pg_temp.asks(p_email text, p_at timestamptz default '2026-01-05T09:00:00Z', p_class text default 'demo') returns uuid language sql as $$
    select t.enquiry(jsonb_build_object('workflow', 'qualification', 'email', p_email, 'request_class', p_class), p_at)
$$;
-- The request of a lead by its number, counted from one.
create function pg_temp.request(p_lead_id uuid, p_number int) returns uuid language sql as $$
    select d.request_id from t.decisions(p_lead_id) d offset p_number - 1 limit 1
$$;
-- What a lead has done since it was made: type, verdict and rule of every row after the first.
create function pg_temp.story(p_lead_id uuid) returns text[] language sql as $$
    select array_agg(concat_ws(' ', a.activity_type, a.verdict, a.rule) order by a.seq) from leadline.lead_activity a where a.lead_id = p_lead_id and a.seq > 1
$$;

-- test: the path of the seed: asked, accepted, attempted, connected, qualified, converted
select t.keep('lead', pg_temp.asks('kim@example.com'));
select results_eq(
    $$ select a.type, r.verdict, r.from_stage, r.to_stage, r.from_status, r.to_status, r.seq, r.version
       from (values (1, 'request_accepted', '{}'::jsonb), (2, 'contact_attempted', '{}'), (3, 'call_completed', '{}'), (4, 'lead_qualified', t.confirmed()),
           (5, 'lead_converted', '{}')) a(n, type, payload),
            lateral t.report(t.kept('lead'), a.type, a.payload, null, '2026-01-05T10:00:00Z'::timestamptz + a.n * interval '1 hour') r order by n $$,
    $$ values ('request_accepted', 'applied', 'new', 'accepted', 'open', 'open', 2, 2), ('contact_attempted', 'applied', 'accepted', 'attempting', 'open', 'open', 3, 3),
              ('call_completed', 'applied', 'attempting', 'connected', 'open', 'open', 4, 4), ('lead_qualified', 'applied', 'connected', 'qualified', 'open', 'closed', 5, 5),
              ('lead_converted', 'applied', 'qualified', 'qualified', 'closed', 'closed', 6, 6) $$, 'each step');
select results_eq(
    $$ select workflow, stage, status, is_open, stage_entered_at, accepted_at, first_contacted_at, opportunity_id is not null from t.state(t.kept('lead')) $$,
    $$ values ('qualification', 'qualified', 'closed', false, '2026-01-05T14:00:00Z'::timestamptz, '2026-01-05T11:00:00Z'::timestamptz, '2026-01-05T12:00:00Z'::timestamptz, true) $$,
    'and the lead remembers when');
select results_eq(
    $$ select d.decision, d.decision_reason, d.disposition_at, d.qualified_at from t.decisions(t.kept('lead')) d $$,
    $$ values ('accepted', null::text, '2026-01-05T11:00:00Z'::timestamptz, '2026-01-05T14:00:00Z'::timestamptz) $$, 'and so does its request');
select results_eq($$ select c.problem, c.timing, c.buying_role from leadline.lead_contacts c where c.lead_id = t.kept('lead') $$,
    $$ values ('too much paper', 'this spring', 'decides') $$, 'and what was confirmed');

-- test: a decision is about the oldest request that waits, and the row says which
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select pg_temp.asks('kim@example.com', '2026-01-06T09:00:00Z'), pg_temp.asks('kim@example.com', '2026-01-07T09:00:00Z');
select results_eq(
    $$ select r.verdict, r.to_stage, (r.payload ->> 'request_id')::uuid = pg_temp.request(t.kept('lead'), n) from generate_series(1, 3) n,
              lateral t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-08T09:00:00Z'::timestamptz + n * interval '1 hour') r order by n $$,
    $$ values ('applied', 'accepted', true), ('applied', 'accepted', true), ('applied', 'accepted', true) $$, 'one after the other');
select results_eq(
    $$ select d.decision, d.disposition_at from t.decisions(t.kept('lead')) d $$,
    $$ values ('accepted', '2026-01-08T10:00:00Z'::timestamptz), ('accepted', '2026-01-08T11:00:00Z'), ('accepted', '2026-01-08T12:00:00Z') $$, 'each stamped');
select is(t.verdict(t.kept('lead'), 'request_accepted'), 'noted already_there', 'none is left');
select results_eq(
    $$ select a.changes from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.activity_type = 'request_accepted' and a.verdict = 'applied' order by a.seq $$,
    $$ values ('{"stage": ["new", "accepted"], "accepted_at": [null, "2026-01-08T10:00:00.000000Z"], "decision": [null, "accepted"]}'::jsonb), ('{"decision": [null, "accepted"]}'),
              ('{"decision": [null, "accepted"]}') $$, 'what changed, old and new');

-- test: or about the one it names
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select pg_temp.asks('kim@example.com', '2026-01-06T09:00:00Z');
select t.report(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', pg_temp.request(t.kept('lead'), 2)));
select results_eq($$ select d.decision from t.decisions(t.kept('lead')) d $$, $$ values (null), ('accepted') $$, 'the second');

-- test: at every open stage a decision is one
select results_eq(
    $$ select s, r.verdict, r.to_stage, d.decision
       from unnest('{new,accepted,attempting,connected}'::text[]) with ordinality s(s, n), lateral (select t.qualification_lead(s, jsonb_build_object('email', s || '@example.com')) as id offset 0) l,
            lateral (select pg_temp.asks(s || '@example.com', '2026-01-05T09:00:00Z') as met offset 0) q, lateral t.report(case when q.met = l.id then l.id end, 'request_accepted') r,
            lateral t.decisions(r.lead_id) d order by n $$,
    $$ values ('new', 'applied', 'accepted', 'accepted'), ('accepted', 'applied', 'accepted', 'accepted'), ('attempting', 'applied', 'attempting', 'accepted'),
           ('connected', 'applied', 'connected', 'accepted') $$,
    'it moves a new lead alone');

-- test: a rejected request leaves the lead to the others; the last one turns it away
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select pg_temp.asks('kim@example.com', '2026-01-06T09:00:00Z');
select results_eq(
    $$ select r.verdict, r.to_stage, r.changes -> 'decision' from t.report(t.kept('lead'), 'request_rejected', '{"reason": "no_fit"}', null, '2026-01-07T09:00:00Z') r $$,
    $$ values ('applied', 'new', '[null, "rejected"]'::jsonb) $$, 'only that one');
select results_eq(
    $$ select r.verdict, r.to_stage, r.to_status from t.report(t.kept('lead'), 'request_rejected', '{"reason": "no_budget"}', null, '2026-01-07T10:00:00Z') r $$,
    $$ values ('applied', 'disqualified', 'closed') $$, 'the last');
select results_eq(
    $$ select d.decision, d.decision_reason, d.disposition_at from t.decisions(t.kept('lead')) d $$,
    $$ values ('rejected', 'no_fit', '2026-01-07T09:00:00Z'::timestamptz), ('rejected', 'no_budget', '2026-01-07T10:00:00Z') $$, 'each for its reason');
select is((t.state(t.kept('lead'))).rejection_reason, 'no_budget', 'the lead for the last');

-- test: a rejected request beside an accepted one
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select pg_temp.asks('kim@example.com', '2026-01-06T09:00:00Z');
select t.report(t.kept('lead'), 'request_rejected', jsonb_build_object('request_id', pg_temp.request(t.kept('lead'), 2), 'reason', 'duplicate'), null, '2026-01-07T09:00:00Z');
select t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-08T09:00:00Z');
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed(), null, '2026-01-09T09:00:00Z');
select results_eq(
    $$ select d.decision, d.qualified_at from t.decisions(t.kept('lead')) d $$, $$ values ('accepted', '2026-01-09T09:00:00Z'::timestamptz), ('rejected', null) $$, 'the accepted one was qualified');

-- test: disposition_at is stamped once, whatever is thought later
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select t.keep('request', pg_temp.request(t.kept('lead'), 1));
select t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-06T09:00:00Z');
select pg_temp.asks('kim@example.com', '2026-01-07T09:00:00Z');
select is(t.verdict(t.kept('lead'), 'request_rejected', jsonb_build_object('request_id', t.kept('request'), 'reason', 'no_need'), null, '2026-01-08T09:00:00Z'), 'applied', 'rejected after all');
select results_eq(
    $$ select d.decision, d.decision_reason, d.disposition_at from t.decisions(t.kept('lead')) d $$,
    $$ values ('rejected', 'no_need', '2026-01-06T09:00:00Z'::timestamptz), (null, null, null) $$, 'the first time');
select is(t.verdict(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', t.kept('request')), null, '2026-01-09T09:00:00Z'), 'applied', 'and back');
select results_eq(
    $$ select d.decision, d.decision_reason, d.disposition_at from t.decisions(t.kept('lead')) d limit 1 $$,
    $$ values ('accepted', null::text, '2026-01-06T09:00:00Z'::timestamptz) $$, 'still the first time');
select results_eq(
    $$ select a.activity_type, a.changes -> 'decision' from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.changes ? 'decision' order by a.seq $$,
    $$ values ('request_accepted', '[null, "accepted"]'::jsonb), ('request_rejected', '["accepted", "rejected"]'), ('request_accepted', '["rejected", "accepted"]') $$, 'every turn of it is history');

-- test: no decision is earlier than its request
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-05T08:00:00Z');
select ok(d.disposition_at >= q.received_at, 'no time to a decision is negative') from t.decisions(t.kept('lead')) d, t.requests(t.kept('lead')) q;

-- test: an excluded request is nobody's to decide
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'inbound_enquiry', '{"exclusion": "spam"}');
select is(t.verdict(t.kept('lead'), 'request_rejected', '{"reason": "no_fit"}'), 'applied', 'the one that is a request');
select results_eq($$ select d.decision from t.decisions(t.kept('lead')) d $$, $$ values ('rejected'), (null) $$, 'spam is no decision');
select is(t.stage(t.kept('lead')), 'disqualified', 'nor does it keep the lead open');

-- test: a person's first qualification counts once; later ones count on their requests
select t.keep('first', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select t.keep('person', (t.state(t.kept('first'))).person_id);
select t.report(t.kept('first'), 'request_accepted', '{}', null, '2026-01-05T10:00:00Z');
select is((t.contact(t.kept('person'))).first_qualified_at, null, 'accepted is not qualified');
select t.report(t.kept('first'), 'lead_qualified', t.confirmed(), null, '2026-01-06T10:00:00Z');
select t.keep('second', pg_temp.asks('KIM@example.com', '2026-07-05T09:00:00Z'));
select isnt(t.kept('second'), t.kept('first'), 'six months later it is a new lead');
select is((t.state(t.kept('second'))).person_id, t.kept('person'), 'of the same person');
select t.report(t.kept('second'), 'request_accepted', '{}', null, '2026-07-05T10:00:00Z');
select t.report(t.kept('second'), 'lead_qualified', t.confirmed(), null, '2026-07-06T10:00:00Z');
select is((t.contact(t.kept('person'))).first_qualified_at, '2026-01-06T10:00:00Z'::timestamptz, 'the first');
select results_eq(
    $$ select d.qualified_at from unnest('{first,second}'::text[]) with ordinality x(x, n), lateral t.decisions(t.kept(x)) d order by n $$,
    $$ values ('2026-01-06T10:00:00Z'::timestamptz), ('2026-07-06T10:00:00Z') $$, 'both');

-- test: a qualification in sales is one as well; a repeat and a refusal are none
select t.keep('lead', t.sales_lead('contacted', '{"email": "kim@example.com"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.report(t.kept('lead'), 'lead_qualified', '{}', null, '2026-01-06T10:00:00Z'), t.report(t.kept('lead'), 'lead_qualified', '{}', null, '2026-01-07T10:00:00Z');
select is((t.contact(t.kept('person'))).first_qualified_at, '2026-01-06T10:00:00Z'::timestamptz, 'in sales');
select t.keep('lead', t.qualification_lead('accepted'));
select t.report(t.kept('lead'), 'lead_qualified');
select is((t.contact((t.state(t.kept('lead'))).person_id)).first_qualified_at, null, 'without evidence nobody is');

-- test: a loop does not count twice: corrected and qualified again, the first time stays
select t.keep('lead', t.qualification_lead('accepted'));
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed(), null, '2026-01-06T10:00:00Z');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "accepted", "reason": "wrong_record"}', null, '2026-01-07T10:00:00Z');
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed(), null, '2026-01-08T10:00:00Z');
select is((t.contact((t.state(t.kept('lead'))).person_id)).first_qualified_at, '2026-01-06T10:00:00Z'::timestamptz, 'once set');

-- test: put aside, brought back by newer evidence, and put aside again
select t.keep('lead', t.qualification_lead('connected', '{"email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2026-03-01"}', null, '2026-01-06T10:00:00Z');
select results_eq(
    $$ select stage, status, recycle_reason, recycle_on from t.state(t.kept('lead')) $$, $$ values ('recycled', 'closed', 'bad_timing', '2026-03-01'::date) $$, 'until March');
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-02-01T10:00:00Z');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-03-05T10:00:00Z');
select is(t.stage(t.kept('lead')), 'recycled', 'neither an early reply nor a call of ours');
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-03-02T00:00:00Z');
select results_eq(
    $$ select stage, status, recycle_reason, recycle_on, accepted_at, waiting_since from t.state(t.kept('lead')) $$,
    $$ values ('new', 'open', null::text, null::date, null::timestamptz, '2026-03-02T00:00:00Z'::timestamptz) $$, 'new, and waiting');
select t.report(t.kept('lead'), 'lead_recycled', '{"reason": "no_response", "recycle_on": "2026-09-01"}', null, '2026-06-06T10:00:00Z');
select results_eq($$ select recycle_reason, recycle_on from t.state(t.kept('lead')) $$, $$ values ('no_response', '2026-09-01'::date) $$, 'for another reason');
select is(array(select h.stage from leadline.stage_history h where h.lead_id = t.kept('lead') order by h.seq), '{connected,recycled,new,recycled}', 'all of it is history');

-- test: what happened before it was put aside does not bring it back, whenever it is told
select t.keep('lead', t.qualification_lead('connected'));
select t.report(t.kept('lead'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2026-03-10"}', null, '2026-03-01T10:00:00Z');
select is(t.verdict(t.kept('lead'), 'email_replied', '{}', null, '2026-02-20T10:00:00Z'), 'noted superseded', 'an old reply');
select is(t.stage(t.kept('lead')), 'recycled', 'stays aside');

-- test: the day is put off, or brought forward, by saying so
select t.keep('lead', t.qualification_lead('recycled'));
select results_eq(
    $$ select r.verdict, r.to_stage, r.changes from t.report(t.kept('lead'), 'lead_recycled', '{"reason": "no_budget", "recycle_on": "2999-01-01"}') r $$,
    $$ values ('applied', 'recycled', '{"recycle_on": ["2026-02-01", "2999-01-01"], "recycle_reason": ["bad_timing", "no_budget"]}'::jsonb) $$, 'two fields');
select is(t.verdict(t.kept('lead'), 'email_replied'), 'noted recycled_until', 'not before');

-- test: the relationship does not move when a lead is put aside, turned away or comes back
select t.keep('lead', t.qualification_lead('connected', '{"email": "kim@example.com"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.advance(t.kept('person'), 'opportunity');
select t.report(t.kept('lead'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}');
select is(t.point(t.kept('person')), 'opportunity', 'put aside');
select t.report(t.kept('lead'), 'inbound_enquiry', '{"message": "after all"}');
select t.report(t.kept('lead'), 'request_rejected', '{"reason": "no_fit"}');
select results_eq($$ select t.stage(t.kept('lead')), t.point(t.kept('person')) $$, $$ values ('disqualified', 'opportunity') $$, 'turned away');

-- test: an enquiry by match: an open lead before a recycled one, a recycled one comes back, who was qualified or turned away starts anew
select results_eq(
    $$ select s, case when q.met = l.id then 'the lead' else 'a new one' end, (t.state(q.met)).stage, (t.state(l.id)).stage, (t.state(q.met)).person_id = (t.state(l.id)).person_id
       from unnest('{new,accepted,attempting,connected,qualified,recycled,disqualified}'::text[]) with ordinality s(s, n),
            lateral (select t.qualification_lead(s, jsonb_build_object('email', s || '@example.com')) as id offset 0) l,
                lateral (select pg_temp.asks(upper(s) || '@example.com', '2026-03-05T09:00:00Z') as met where l.id is not null offset 0) q
       order by n $$,
    $$ values ('new', 'the lead', 'new', 'new', true), ('accepted', 'the lead', 'accepted', 'accepted', true), ('attempting', 'the lead', 'attempting', 'attempting', true),
              ('connected', 'the lead', 'connected', 'connected', true), ('qualified', 'a new one', 'new', 'qualified', true), ('recycled', 'the lead', 'new', 'new', true),
              ('disqualified', 'a new one', 'new', 'disqualified', true) $$,
    'always the same person');
select t.keep('aside', t.qualification_lead('recycled', '{"email": "both@example.com"}')), t.keep('open', t.sales_lead('new', '{"email": "both@example.com"}'));
select is(pg_temp.asks('both@example.com', '2026-03-05T09:00:00Z'), t.kept('open'), 'the open one');

-- test: of several that were put aside the last one comes back
select t.keep('lost', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('lost'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-02-01T10:00:00Z');
select t.keep('aside', t.qualification_lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('aside'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}', null, '2026-03-01T10:00:00Z');
select is(t.enquiry('{"email": "kim@example.com"}', '2026-04-05T09:00:00Z'), t.kept('aside'), 'recycled in March, lost in February');

-- test: an enquiry with a clock of its own: closed without a human, asked again, answered in ten minutes
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'lead_recycled', '{"reason": "no_response", "recycle_on": "2026-01-07"}', null, '2026-01-06T12:00:00Z');
select is(pg_temp.asks('kim@example.com', '2026-01-09T14:00:00Z'), t.kept('lead'), 'the same lead');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-09T14:10:00Z');
select results_eq(
    $$ select q.received_at, q.first_response_at - q.received_at, q.not_applicable_at from t.requests(t.kept('lead')) q $$,
    $$ values ('2026-01-05T09:00:00Z'::timestamptz, null::interval, '2026-01-06T12:00:00Z'::timestamptz), ('2026-01-09T14:00:00Z', interval '10 minutes', null) $$, 'ten minutes, not five days');
select results_eq($$ select d.decision from t.decisions(t.kept('lead')) d $$, $$ values (null::text), (null) $$, 'nobody decided either');
select is(t.verdict(t.kept('lead'), 'request_accepted'), 'applied', 'and the one that waits is the second');
select results_eq($$ select d.decision from t.decisions(t.kept('lead')) d $$, $$ values (null), ('accepted') $$, 'the first is past');

-- test: closing ends the clocks that run, whichever way it closes
select results_eq(
    $$ select x, q.first_response_at, q.not_applicable_at
       from (values (1, 'request_rejected', '{"reason": "unreachable"}'::jsonb), (2, 'lead_recycled', '{"reason": "no_response", "recycle_on": "2999-01-01"}'), (3, 'dnc', '{}')) y(n, x, p),
            lateral (select pg_temp.asks(x || '@example.com') as id offset 0) l, lateral t.report(l.id, x, p, null, '2026-01-05T11:00:00Z') r, lateral t.requests(r.lead_id) q order by n $$,
    $$ values ('request_rejected', null::timestamptz, '2026-01-05T11:00:00Z'::timestamptz), ('lead_recycled', null, '2026-01-05T11:00:00Z'), ('dnc', null, '2026-01-05T11:00:00Z') $$,
    'no clock runs for ever');
select t.keep('lead', pg_temp.asks('kim@example.com'));
select t.act_as('app');
select t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed(), null, '2026-01-05T11:00:00Z');
select results_eq($$ select q.first_response_at, q.not_applicable_at from t.requests(t.kept('lead')) q $$,
    $$ values (null::timestamptz, '2026-01-05T11:00:00Z'::timestamptz) $$, 'qualified without a word, too');

-- test: no time is negative: a lead that closed before a late enquiry came to be known
select t.keep('lead', t.qualification_lead('accepted', '{"email": "kim@example.com"}'));
select pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z');
select lives_ok($$ select t.report(t.kept('lead'), 'request_rejected', '{"reason": "no_fit"}', null, '2026-01-04T09:00:00Z') $$, 'rejected the day before');
select ok(q.not_applicable_at >= q.received_at, 'its clock ends no earlier than it began') from t.requests(t.kept('lead')) q;
select ok(d.disposition_at >= q.received_at, 'nor was it decided before') from t.decisions(t.kept('lead')) d, t.requests(t.kept('lead')) q;

-- test: what has not happened yet is not reported, and a day of recycling is no report
select throws_ok($$ select t.report(t.qualification_lead('accepted'), 'lead_qualified', t.confirmed(), null, clock_timestamp() + interval '2 days') $$, 'PT422', null, 'in two days');
select is(t.verdict(t.qualification_lead('new'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}'), 'applied', 'a plan is in the payload');

-- test: three decisions of one transaction stand in their order
select t.keep('lead', pg_temp.asks('kim@example.com'));
insert into leadline.lead_activity (lead_id, activity_type, payload, occurred_at)
select t.kept('lead'), x, p, '2026-01-06T10:00:00Z' from (values (1, 'request_accepted', '{}'::jsonb), (2, 'call_completed', '{}'), (3, 'lead_qualified', t.confirmed())) y(n, x, p) order by n;
select is(pg_temp.story(t.kept('lead')), '{request_accepted applied,call_completed applied,lead_qualified applied}', 'at the same instant');
select results_eq(
    $$ select h.stage from leadline.stage_history h where h.lead_id = t.kept('lead') order by h.seq $$, $$ values ('new'), ('accepted'), ('connected'), ('qualified') $$, 'stage by stage');

-- test: a batch goes the whole way, and what is wrong in it costs the rest nothing
select t.keep('lead', t.qualification_lead('new'));
select results_eq(
    $$ select b.result ->> 'verdict', b.result ->> 'rule', b.result ->> 'to_stage' from leadline.log_activities(jsonb_build_array(
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'lead_qualified'), jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'request_accepted'),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'lead_qualified', 'payload', t.confirmed()),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'lead_converted', 'payload', jsonb_build_object('opportunity_id', gen_random_uuid())),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'lead_converted'))) b order by b.item $$,
    $$ values ('refused', 'qualified_needs_accept', 'new'), ('applied', null, 'accepted'), ('applied', null, 'qualified'), ('invalid', 'no_such_opportunity', null), ('applied', null, 'qualified') $$,
    'in its order');

-- test: a customer's enquiry goes to the account's owner, whether the account, the relationship or a subscription says so
select t.account('prospect', 'acme.example', t.person('owner')), t.account('customer', 'client.example', t.person('owner'));
select t.keep('client', t.person_at('client', '{"email": "client@acme.example"}')), t.keep('active', t.person_at('active', '{"email": "active@acme.example"}')),
       t.keep('payer', t.someone('{"email": "payer@acme.example"}')), t.keep('past', t.someone('{"email": "past@acme.example"}'));
select t.subscription('trialing', jsonb_build_object('person_id', t.kept('payer'))), t.subscription('cancelled', jsonb_build_object('person_id', t.kept('past')));
select results_eq(
    $$ select x, q.route, q.owner_user_id, (select o.recipient_user_id from t.outbox(l.id) o where o.topic = 'notify')
       from unnest('{client@acme.example,active@acme.example,payer@acme.example,known@client.example,past@acme.example,nobody@acme.example}'::text[]) with ordinality x(x, n),
            lateral (select t.enquiry(jsonb_build_object('workflow', 'sales', 'email', x, 'request_class', 'demo')) as id offset 0) l, lateral t.requests(l.id) q order by n $$,
    $$ select x, case when n <= 4 then 'customer' else 'new_business' end, case when n <= 4 then t.person('owner') end, case when n <= 4 then t.person('owner') end
       from unnest('{client@acme.example,active@acme.example,payer@acme.example,known@client.example,past@acme.example,nobody@acme.example}'::text[]) with ordinality x(x, n) order by n $$,
    'and is told; who pays no more is new business');

-- test: a person who has an open deal: to the deal's owner
select results_eq(
    $$ select s, q.route, q.owner_user_id, (select o.recipient_user_id from t.outbox(e.id) o where o.topic = 'notify')
       from unnest('{evaluation,proposal,closedlost,withdrawn}'::text[]) with ordinality s(s, n), lateral (select t.someone(jsonb_build_object('email', s || '@example.com')) as id offset 0) p,
            lateral (select t.opportunity(s, jsonb_build_object('person_id', p.id, 'assigned_user_id', t.person('member'))) as id offset 0) d,
            lateral (select t.enquiry(jsonb_build_object('workflow', 'sales', 'email', s || '@example.com', 'request_class', 'demo')) as id where d.id is not null offset 0) e,
                lateral t.requests(e.id) q order by n $$,
    $$ select s, case when n <= 2 then 'opportunity' else 'new_business' end, case when n <= 2 then t.person('member') end, case when n <= 2 then t.person('member') end
       from unnest('{evaluation,proposal,closedlost,withdrawn}'::text[]) with ordinality s(s, n) order by n $$,
    'while it is open');

-- test: a customer with an open deal is a customer first, and a partner with one has a deal first
select t.account('partner', 'friends.example', t.person('owner')), t.account('customer', 'acme.example', t.person('owner'));
select results_eq(
    $$ select x, q.route, q.owner_user_id
       from unnest('{kim@acme.example,kim@friends.example}'::text[]) with ordinality x(x, n), lateral (select t.someone(jsonb_build_object('email', x)) as id offset 0) p,
            lateral (select t.opportunity('evaluation', jsonb_build_object('person_id', p.id, 'assigned_user_id', t.person('member'))) as id offset 0) d,
            lateral (select t.enquiry(jsonb_build_object('workflow', 'sales', 'email', x)) as id where d.id is not null offset 0) e, lateral t.requests(e.id) q order by n $$,
    $$ values ('kim@acme.example', 'customer', t.person('owner')), ('kim@friends.example', 'opportunity', t.person('member')) $$, 'in the order of the seed');

-- test: a customer who asks is not moved back, and gets a lead of their own
select t.keep('person', t.person_at('active', '{"email": "kim@example.com"}'));
select t.report(l.lead_id, 'refused') from leadline.lead_overview l where l.person_id = t.kept('person');
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-03-05T09:00:00Z', 'quote'));
select results_eq($$ select l.stage, l.person_id, t.point(l.person_id) from t.state(t.kept('lead')) l $$, $$ values ('new', t.kept('person'), 'active') $$, 'linked, and where they stood');

-- test: a reply of somebody who is known is no new lead
select t.keep('lead', t.qualification_lead('accepted', '{"email": "kim@example.com"}'));
select is(t.verdict(t.kept('lead'), 'email_replied', '{"text": "tell me more"}'), 'applied', 'an activity on the lead');
select is((select c.leads from leadline.person_overview c where c.person_id = (t.state(t.kept('lead'))).person_id), 1, 'which is one');

-- test: the ledger tells of decisions
select t.keep('lead', pg_temp.asks('kim@example.com', '2026-01-05T09:00:00Z'));
select pg_temp.asks('kim@example.com', '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-05T12:00:00Z');
select results_eq(
    $$ select q.decision, q.decision_reason, q.disposition_at, q.qualified_at from leadline.request_ledger q where q.lead_id = t.kept('lead') order by q.received_at $$,
    $$ values ('accepted', null::text, '2026-01-05T12:00:00Z'::timestamptz, null::timestamptz), (null, null, null, null) $$, 'unit: the request');

-- test: no list of reasons is longer than twelve, and each ends with one that takes a word
select is_empty($$ select r.reason_list, count(*) from leadline.rule_reasons r group by 1 having count(*) > 12 $$, 'seed 003');
select results_eq(
    $$ select r.reason_list, r.reason from leadline.rule_reasons r where r.needs_notes order by 1 $$,
    $$ values ('correction', 'other'), ('lost', 'Other'), ('recycle', 'other'), ('rejection', 'other') $$, 'other says nothing by itself');

-- test: merged into another lead, an open one is a duplicate, and its requests wait there
select t.keep('one', pg_temp.asks('kim@example.com')), t.keep('two', pg_temp.asks('kim@work.example'));
select is(t.verdict(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two'))), 'applied', 'merged');
select results_eq($$ select stage, rejection_reason, merged_into from t.state(t.kept('one')) $$, $$ values ('disqualified', 'duplicate', t.kept('two')) $$, 'set aside');
select results_eq($$ select d.decision from t.decisions(t.kept('two')) d $$, $$ values (null::text), (null) $$, 'both are to be decided');
select t.report(t.kept('two'), 'request_accepted'), t.report(t.kept('two'), 'request_accepted');
select results_eq($$ select d.decision from t.decisions(t.kept('two')) d $$, $$ values ('accepted'), ('accepted') $$, 'there');
select t.keep('three', t.accepted(pg_temp.asks('lee@example.com'))), t.keep('four', pg_temp.asks('lee@work.example'));
select t.report(t.kept('three'), 'leads_merged', jsonb_build_object('into', t.kept('four')));
select is(t.verdict(t.kept('three'), 'leads_unmerged'), 'applied', 'taken apart again');
select results_eq($$ select stage, rejection_reason, merged_into from t.state(t.kept('three')) $$, $$ values ('accepted', null::text, null::uuid) $$, 'where it stood');

-- test: who is erased keeps what was decided and loses what was said
select t.keep('lead', t.accepted(pg_temp.asks('kim@example.com')));
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed());
select leadline.erase_person((t.state(t.kept('lead'))).person_id, 'she asked');
select results_eq($$ select l.stage, c.problem, c.timing, c.buying_role, c.email from t.state(t.kept('lead')) l join leadline.lead_contacts c on c.lead_id = l.lead_id $$,
                  $$ values ('qualified', null::text, null::text, null::text, null::text) $$, 'no word of theirs');
select results_eq($$ select d.decision from t.decisions(t.kept('lead')) d $$, $$ values ('accepted') $$, 'accepted');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.keep('lead', pg_temp.asks('kim@example.com'));
select pg_temp.asks('kim@example.com', '2026-01-06T09:00:00Z');
select t.report(t.kept('lead'), 'request_rejected', '{"reason": "no_fit"}'), t.report(t.kept('lead'), 'request_accepted');
select t.report(t.kept('lead'), 'lead_recycled', '{"reason": "other", "notes": "x", "recycle_on": "2999-01-01"}');
select pg_temp.asks('kim@example.com');
select t.report(t.kept('lead'), 'request_accepted'), t.report(t.kept('lead'), 'lead_qualified', t.confirmed()), t.report(t.kept('lead'), 'lead_converted');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "attempting", "reason": "data_repair"}');
select t.report(t.kept('lead'), 'dnc');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

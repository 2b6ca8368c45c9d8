-- What a product tells of a person: a signal with an expiry, which may open a request and never moves a stage by itself (seed 003).
select t.here();
-- A signal seen on 1 March 2026, good for ever so long, and what it says beside.
create function pg_temp.signal(p_payload jsonb default '{}') returns jsonb language sql as $$
    select '{"signal": "invited_a_colleague", "observed_at": "2026-03-01T10:00:00Z", "reason": "two seats in use", "expires_at": "2999-01-01T00:00:00Z"}'::jsonb || p_payload
$$;

-- test: noted at every point, and nobody moves
select results_eq(
    $$ select s, r.verdict, r.rule, c.stage, c.furthest_stage
       from unnest('{closed,prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality s(s, n),
            lateral t.report_on_person(t.person_at(s), 'product_signal_seen', pg_temp.signal()) r, lateral t.contact(r.person_id) c order by n $$,
    $$ select s, 'noted', null::text, s, case when s = 'closed' then 'prospect' else s end from unnest('{closed,prospect,qualified,opportunity,client,onboarding,active}'::text[]) s $$,
    'a lifecycle is not set by a product');

-- test: kept with what was seen, when, why and how long it is good
select t.keep('person', t.someone());
select t.report_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal());
select results_eq(
    $$ select s.signal, s.observed_at, s.expires_at, s.reason, s.is_live from leadline.product_signals s where s.person_id = t.kept('person') $$,
    $$ values ('invited_a_colleague', '2026-03-01T10:00:00Z'::timestamptz, '2999-01-01T00:00:00Z'::timestamptz, 'two seats in use', true) $$, 'live now');
select results_eq(
    $$ select s.is_live from unnest('{2998-12-31T23:59:59Z,2999-01-01T00:00:00Z,2999-01-02T00:00:00Z}'::timestamptz[]) with ordinality x(at, n),
              lateral leadline.product_signals_at(x.at) s where s.person_id = t.kept('person') order by n $$, $$ values (true), (false), (false) $$, 'at any instant: until its end');
select is_empty($$ select a.seq from leadline.relationship_activity a where a.person_id = t.kept('person') and to_jsonb(a)::text ~ 'seats' $$, 'its reason is personal');

-- test: malformed is what lacks its end, its instant or its reason
select throws_ok(format('select t.report_on_person(t.someone(), ''product_signal_seen'', %L)', pg_temp.signal() - k), 'PT422', null, k)
from unnest('{signal,observed_at,reason,expires_at}'::text[]) k;
select throws_ok(format('select t.report_on_person(t.someone(), ''product_signal_seen'', %L)', pg_temp.signal(p)), 'PT422', null, p::text)
from unnest(array['{"observed_at": "yesterday"}', '{"expires_at": "2026-03-01"}', '{"opens_request": "yes"}', '{"reason": "  "}', '{"observed_at": "2998-01-01T00:00:00Z"}']::jsonb[]) p;

-- test: it brings back who was put aside, by evidence dated after the day, in the workspace's zone
create function pg_temp.back(p_recycle_on text, p_observed_at text) returns text language plpgsql as $$
declare
    v_lead_id uuid := t.qualification_lead('recycled', jsonb_build_object('recycle_on', p_recycle_on));
begin
    perform t.report_on_person((t.state(v_lead_id)).person_id, 'product_signal_seen', pg_temp.signal(jsonb_build_object('observed_at', p_observed_at)));
    return t.stage(v_lead_id) || (select concat_ws(' ', '', a.activity_type, a.verdict, a.rule, a.writer, a.actor_kind, a.caused_by is not null)
                                  from leadline.lead_activity a where a.lead_id = v_lead_id order by a.seq desc limit 1);
end $$;
select results_eq(
    $$ select at, pg_temp.back('2026-02-01', at) from unnest('{2026-01-31T10:00:00Z,2026-02-01T23:59:59Z,2026-02-02T00:00:00Z,2026-03-01T10:00:00Z}'::text[]) with ordinality x(at, n) order by n $$,
    $$ values ('2026-01-31T10:00:00Z', 'recycled product_signal_seen noted recycled_until workflow:product-signal system t'),
              ('2026-02-01T23:59:59Z', 'recycled product_signal_seen noted recycled_until workflow:product-signal system t'),
              ('2026-02-02T00:00:00Z', 'new product_signal_seen applied workflow:product-signal system t'),
              ('2026-03-01T10:00:00Z', 'new product_signal_seen applied workflow:product-signal system t') $$, 'strictly after');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "America/New_York"}');
select matches(pg_temp.back('2026-02-01', '2026-02-02T04:59:59Z'), '^recycled', 'still the 1st there');
select matches(pg_temp.back('2026-02-01', '2026-02-02T05:00:00Z'), '^new', 'the 2nd');

-- test: a lead that came back is as new as any
select t.keep('lead', t.qualification_lead('recycled'));
select t.report_on_person((t.state(t.kept('lead'))).person_id, 'product_signal_seen', pg_temp.signal());
select results_eq(
    $$ select stage, status, is_open, recycle_reason, recycle_on, accepted_at, waiting_since from t.state(t.kept('lead')) $$,
    $$ values ('new', 'open', true, null::text, null::date, null::timestamptz, null::timestamptz) $$, 'and nobody waits for an answer');

-- test: it moves no other lead of that person
select results_eq(
    $$ select s, l.stage, l.seq
       from unnest('{new,accepted,attempting,connected,qualified,disqualified}'::text[]) with ordinality s(s, n), lateral (select t.qualification_lead(s) as id offset 0) q,
            lateral t.report_on_person((t.state(q.id)).person_id, 'product_signal_seen', pg_temp.signal()) r, lateral t.state(q.id) l order by n $$,
    $$ select s, s, 1 from unnest('{new,accepted,attempting,connected,qualified,disqualified}'::text[]) s $$, 'not even a row');
select t.keep('lost', t.sales_lead('lost'));
select t.report_on_person((t.state(t.kept('lost'))).person_id, 'product_signal_seen', pg_temp.signal());
select is(t.stage(t.kept('lost')), 'lost', 'nor a lost one of sales');

-- test: where another lead of that address is open, the one put aside stays aside
select t.keep('aside', t.qualification_lead('recycled', '{"email": "kim@example.com"}')), t.keep('open', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report_on_person((t.state(t.kept('aside'))).person_id, 'product_signal_seen', pg_temp.signal());
select is(t.stage(t.kept('aside')), 'recycled', 'one open lead an address');

-- test: it may open a request: an enquiry of class score, on the person's address
select t.keep('person', (t.state(t.created('{"workflow": "appointment", "email": "kim@example.com"}'))).person_id);
select t.report(l.lead_id, 'refused') from leadline.lead_overview l where l.person_id = t.kept('person');
select t.report_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal('{"opens_request": true}'));
select results_eq(
    $$ select l.workflow, l.stage, l.person_id, q.request_class, q.source from leadline.lead_overview l, lateral t.requests(l.lead_id) q where l.person_id = t.kept('person') $$,
    $$ values ('qualification', 'new', t.kept('person'), 'score', 'product signal') $$, 'a lead and its request');
select is(t.point(t.kept('person')), 'prospect', 'and no step of the relationship');

-- test: on an open lead it is one more request
select t.keep('lead', t.qualification_lead('accepted', '{"email": "kim@example.com"}'));
select t.report_on_person((t.state(t.kept('lead'))).person_id, 'product_signal_seen', pg_temp.signal('{"opens_request": true}'));
select results_eq($$ select q.request_class from t.requests(t.kept('lead')) q $$, $$ values ('score') $$, 'there');
select is(t.stage(t.kept('lead')), 'accepted', 'which moves nothing');
select results_eq(
    $$ select a.activity_type, a.writer, a.actor_kind, c.activity_type from leadline.lead_activity a join leadline.relationship_activity c on c.activity_id = a.caused_by
       where a.lead_id = t.kept('lead') and a.seq = 2 $$, $$ values ('inbound_enquiry', 'workflow:product-signal', 'system', 'product_signal_seen') $$, 'by the signal');

-- test: a request brings back nobody before their day, but after it
select t.keep('early', t.qualification_lead('recycled', '{"recycle_on": "2999-01-01", "email": "kim@example.com"}')), t.keep('due', t.qualification_lead('recycled', '{"email": "lee@example.com"}'));
select t.report_on_person((t.state(t.kept(x))).person_id, 'product_signal_seen', pg_temp.signal('{"opens_request": true}')) from unnest('{early,due}'::text[]) x;
select results_eq(
    $$ select x, t.stage(t.kept(x)), (select count(*)::int from t.requests(t.kept(x))) from unnest('{early,due}'::text[]) x $$, $$ values ('early', 'recycled', 0), ('due', 'new', 1) $$,
    'put aside is put aside');

-- test: beside a lead that stays aside, the request goes to the open one
select t.keep('aside', t.qualification_lead('recycled', '{"email": "kim@example.com"}')), t.keep('open', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report_on_person((t.state(t.kept('aside'))).person_id, 'product_signal_seen', pg_temp.signal('{"opens_request": true}'));
select results_eq($$ select t.stage(t.kept('aside')), (select count(*)::int from t.requests(t.kept('open'))) $$, $$ values ('recycled', 1) $$, 'nothing is lost');

-- test: a signal of somebody who was merged counts for their leads as well
select t.keep('lead', t.qualification_lead('recycled', '{"email": "kim@example.com"}')), t.keep('into', t.someone('{"email": "kim@work.example"}'));
select leadline.merge_people((t.state(t.kept('lead'))).person_id, t.kept('into'));
select t.report_on_person(t.kept('into'), 'product_signal_seen', pg_temp.signal());
select is(t.stage(t.kept('lead')), 'new', 'they are one');

-- test: a person without an address is asked nothing
select t.keep('person', t.someone());
select is(t.verdict_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal('{"opens_request": true}')), 'noted', 'kept');
select is((select c.requests from leadline.person_overview c where c.person_id = t.kept('person')), 0, 'without a request');

-- test: told twice it counts once
select t.keep('person', (t.state(t.qualification_lead('accepted', '{"email": "kim@example.com"}'))).person_id);
select leadline.log_in_journal('relationship_activity', t.kept('person'), 'product_signal_seen', pg_temp.signal('{"opens_request": true}'), case when n > 0 then 's-1' end)
from generate_series(1, 2) n;
select is((select c.requests from leadline.person_overview c where c.person_id = t.kept('person')), 1, 'one request');
select is((select count(*) from leadline.product_signals s where s.person_id = t.kept('person')), 1::bigint, 'one signal');

-- test: an app tells signals, an importer and an assistant do not
select t.keep('person', t.someone());
select t.act_as('app');
select is(t.verdict_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal()), 'noted', 'an app');
select t.act_as('importer');
select is(t.verdict_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal()), 'refused writer_not_allowed', 'an importer');
select t.act_as('ai');
select is(t.verdict_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal()), 'refused ai_forbidden', 'an assistant');

-- test: on a lead nobody tells one but Leadline
select results_eq(
    $$ select s, t.verdict(t.qualification_lead(s), 'product_signal_seen', pg_temp.signal())
       from unnest('{new,accepted,attempting,connected,qualified,recycled,disqualified}'::text[]) with ordinality s(s, n) order by n $$,
    $$ select s, 'refused system_only' from unnest('{new,accepted,attempting,connected,qualified,recycled,disqualified}'::text[]) s $$, 'at any stage');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.report_on_person((t.state(t.qualification_lead('recycled', '{"email": "kim@example.com"}'))).person_id, 'product_signal_seen', pg_temp.signal('{"opens_request": true}'));
select t.report_on_person((t.state(t.sales_lead('won', '{"email": "lee@example.com"}'))).person_id, 'product_signal_seen', pg_temp.signal('{"opens_request": true}'));
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

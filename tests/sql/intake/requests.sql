-- One request a buyer's action, each with a clock of its own: from when it came until a person answers, or until it is nobody's business any
-- more (seed 003).
select t.here();

-- test: it keeps what was asked, where and when
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}'));
select results_eq(
    $$ select q.request_class, q.route, q.exclusion, q.source, q.external_id, q.received_at, q.first_response_at, q.not_applicable_at,
              q.activity_id = r.activity_id, q.person_id = l.person_id
       from t.report(null, 'inbound_enquiry', '{"email": "kim@example.com", "request_class": "pricing_question", "source": "typeform", "external_id": "T-17"}', null,
                     '2026-01-05T09:00:00Z') r, lateral t.requests(r.lead_id) q, lateral t.state(r.lead_id) l $$,
    $$ values ('pricing_question', 'new_business', null::text, 'typeform', 'T-17', '2026-01-05T09:00:00Z'::timestamptz, null::timestamptz, null::timestamptz, true, true) $$,
    'and its clock runs');
select t.report(t.kept('lead'), 'email_replied');
select is((select count(*) from t.requests(t.kept('lead'))), 1::bigint, 'a reply is no request');

-- test: a new lead's first enquiry is a request like others
select results_eq(
    $$ select q.request_class, q.source, q.received_at
       from t.requests(t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z')) q $$,
    $$ values ('contact', 'person', '2026-01-05T09:00:00Z'::timestamptz) $$, 'contact is what is asked when nothing is said');
select is_empty($$ select * from t.requests(t.created('{"workflow": "sales", "email": "lee@example.com"}')) $$, 'a lead that was entered asked for nothing');

-- test: what was offered for it is text or number
select lives_ok(format('select t.enquiry(%L)', jsonb_build_object('workflow', 'sales', 'email', n || '@example.com', 'budget', b)), b::text)
from unnest(array['5000', '"5k"', '"around 5.000 €"', '12.5']::jsonb[]) with ordinality x(b, n);
select throws_ok(format('select t.enquiry(%L)', jsonb_build_object('email', 'kim@example.com', 'budget', b)), 'PT422', null, b::text)
from unnest(array['[5000]', '{"max": 5000}', 'true']::jsonb[]) b;

-- test: a person's contact stops the clock
select results_eq(
    $$ select x.type, q.first_response_at - q.received_at, q.not_applicable_at
       from unnest('{call_completed,meeting_held,email_sent,lead_contacted}'::text[]) with ordinality x(type, n),
            lateral (select t.enquiry(jsonb_build_object('workflow', 'sales', 'email', x.n || '@example.com'), '2026-01-05T09:00:00Z') as id offset 0) l,
            lateral t.report(l.id, x.type, '{}', null, '2026-01-05T09:10:00Z') r, lateral t.requests(r.lead_id) q order by x.n $$,
    $$ select type, interval '10 minutes', null::timestamptz from unnest('{call_completed,meeting_held,email_sent,lead_contacted}'::text[]) type $$, 'after ten minutes');

-- test: what a machine sends is no answer
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.act_as('app', '{act_as}');
select t.report(t.kept('lead'), 'email_sent', '{"subject": "We have received your message"}', null, '2026-01-05T09:00:01Z');
select t.report(t.kept('lead'), 'message_sent', '{}', null, '2026-01-05T09:00:02Z');
select is((select q.first_response_at from t.requests(t.kept('lead')) q), null, 'the clock runs on');
select t.report(t.kept('lead'), 'email_sent', '{}', null, '2026-01-05T09:30:00Z', t.person('member'));
select is((select q.first_response_at - q.received_at from t.requests(t.kept('lead')) q), interval '30 minutes', 'until a person writes, by whatever program');

-- test: each request has its own clock: the second is not answered by the first's answer
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:20:00Z');
select t.enquiry('{"email": "kim@example.com"}', '2026-01-06T09:00:00Z');
select results_eq(
    $$ select q.first_response_at - q.received_at from t.requests(t.kept('lead')) q $$, $$ values (interval '20 minutes'), (null) $$, 'the second still waits');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-06T09:05:00Z');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-07T09:05:00Z');
select results_eq(
    $$ select q.first_response_at - q.received_at from t.requests(t.kept('lead')) q $$, $$ values (interval '20 minutes'), (interval '5 minutes') $$, 'and is answered once');

-- test: one call answers all that waits
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.enquiry('{"email": "kim@example.com"}', '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T10:30:00Z');
select results_eq(
    $$ select q.first_response_at - q.received_at from t.requests(t.kept('lead')) q $$, $$ values (interval '90 minutes'), (interval '30 minutes') $$, 'both');

-- test: closed without a human, asked again, answered in ten minutes
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "No Response"}', null, '2026-01-06T12:00:00Z');
select t.enquiry('{"email": "kim@example.com"}', '2026-01-09T14:00:00Z');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-09T14:10:00Z');
select results_eq(
    $$ select q.received_at, q.first_response_at - q.received_at, q.not_applicable_at from t.requests(t.kept('lead')) q $$,
    $$ values ('2026-01-05T09:00:00Z'::timestamptz, null::interval, '2026-01-06T12:00:00Z'::timestamptz), ('2026-01-09T14:00:00Z', interval '10 minutes', null) $$,
    'ten minutes, not five days');
select is((t.state(t.kept('lead'))).first_contacted_at, '2026-01-09T14:10:00Z'::timestamptz, 'the lead''s first contact');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-10T14:10:00Z');
select is((t.state(t.kept('lead'))).first_contacted_at, '2026-01-09T14:10:00Z'::timestamptz, 'which stays the first');

-- test: closing ends the clocks that run, as not applicable, in any workflow
select results_eq(
    $$ select x.workflow, x.type, q.first_response_at, q.not_applicable_at
       from (values (1, 'appointment', 'bad_number', '{}'::jsonb), (2, 'appointment', 'dnc', '{}'), (3, 'sales', 'deal_lost', '{"lost_reason": "Price"}'), (4, 'sales', 'dnc', '{}'))
                x(n, workflow, type, payload),
            lateral (select t.enquiry(jsonb_build_object('workflow', x.workflow, 'email', x.n || '@example.com'), '2026-01-05T09:00:00Z') as id offset 0) l,
            lateral t.report(l.id, x.type, x.payload, null, '2026-01-05T11:00:00Z') r, lateral t.requests(r.lead_id) q order by x.n $$,
    $$ values ('appointment', 'bad_number', null::timestamptz, '2026-01-05T11:00:00Z'::timestamptz), ('appointment', 'dnc', null, '2026-01-05T11:00:00Z'),
              ('sales', 'deal_lost', null, '2026-01-05T11:00:00Z'), ('sales', 'dnc', null, '2026-01-05T11:00:00Z') $$,
    'no clock runs for ever');
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.act_as('app');
select t.report(t.kept('lead'), 'proposal_sent', '{"deal_value": 5, "currency": "EUR"}', null, '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'deal_won', '{}', null, '2026-01-05T11:00:00Z');
select is((select q.not_applicable_at from t.requests(t.kept('lead')) q), '2026-01-05T11:00:00Z'::timestamptz, 'won without a word, too');

-- test: what was answered stays answered when the lead closes
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:10:00Z');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-05T11:00:00Z');
select results_eq(
    $$ select q.first_response_at - q.received_at, q.not_applicable_at from t.requests(t.kept('lead')) q $$, $$ values (interval '10 minutes', null::timestamptz) $$, 'it was');

-- test: no time is negative
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T08:00:00Z');
select is((select q.first_response_at from t.requests(t.kept('lead')) q), null, 'a call before the enquiry is no answer');
select is((t.state(t.kept('lead'))).response_time, null, 'nor for the lead');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:15:00Z');
select is((select q.first_response_at - q.received_at from t.requests(t.kept('lead')) q), interval '15 minutes', 'a call after it is');

-- test: nor when the lead closed before a late enquiry came to be known
select t.keep('lead', t.sales_lead('qualified', '{"email": "kim@example.com"}'));
select t.enquiry('{"email": "kim@example.com"}', '2026-01-05T09:00:00Z');
select lives_ok($$ select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-04T09:00:00Z') $$, 'a loss of the day before');
select ok(q.not_applicable_at >= q.received_at, 'its clock ends no earlier than it began') from t.requests(t.kept('lead')) q;
select t.keep('dnc', t.sales_lead('qualified', '{"email": "lee@example.com"}'));
select t.enquiry('{"email": "lee@example.com"}', '2026-01-05T09:00:00Z');
select lives_ok($$ select t.report(t.kept('dnc'), 'dnc', '{}', null, '2025-12-04T09:00:00Z') $$, 'asked to be left alone a month ago');

-- test: the ledger
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:10:00Z');
select t.enquiry('{"email": "kim@example.com"}', '2026-01-05T10:00:00Z');
select results_eq(
    $$ select q.clock, q.first_response_s from leadline.request_ledger q where q.lead_id = t.kept('lead') order by q.received_at $$,
    $$ values ('responded', 600::numeric), ('running', null) $$, 'unit: the request');

-- test: a member sees the requests of the leads they see, and another workspace none
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('mine', t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'kim@example.com', 'assigned_user_id', t.person('member')))),
       t.keep('theirs', t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'lee@example.com', 'assigned_user_id', t.person('admin'))));
select t.act_as('member');
select results_eq($$ select q.lead_id from leadline.request_ledger q $$, $$ select t.kept('mine') $$, 'one''s own');
select t.act_as('app', '{}', t.elsewhere());
select is_empty($$ select q.lead_id from leadline.request_ledger q $$, 'nobody''s');

-- test: nobody writes a request but Leadline
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}'));
select throws_ok($$ update leadline.requests set first_response_at = received_at $$, '42501', null, 'no clock is stopped by hand');
select throws_ok($$ delete from leadline.requests $$, '42501', null, 'none is lost');
select throws_ok($$ insert into leadline.requests (workspace_id, lead_id) values (t.workspace(), t.kept('lead')) $$, '42501', null, 'none is made up');

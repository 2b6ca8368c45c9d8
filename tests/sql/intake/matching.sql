-- Whose enquiry is it: an open lead's, a lost one's that comes back, or nobody's yet (seed 004 section 7).
select t.here();

-- How many leads the address has, under any spelling.
create function pg_temp.leads_of(p_email text) returns int language sql as $$
    select count(*)::int from leadline.lead_contacts c where leadline.email_key(c.email) = leadline.email_key(p_email)
$$;

-- test: an open lead's, whatever the spelling of its address
select t.keep('lead', t.sales_lead('qualified', '{"email": "lead@example.com"}'));
select results_eq(
    $$ select n, t.enquiry(jsonb_build_object('email', e, 'message', 'hello'))
       from unnest(array['lead@example.com', 'LEAD@EXAMPLE.COM', 'Lead@Example.com', E'\tlead@example.com\n', E'\u00a0lead@example.com\u200b', E' lead@example\u200b.com ']) with ordinality x(e, n) $$,
    $$ select n, t.kept('lead') from generate_series(1::bigint, 6) n $$, 'it is appended');
select is(pg_temp.leads_of('lead@example.com'), 1, 'and no lead is made');
select results_eq(
    $$ select stage, status, seq, version from t.state(t.kept('lead')) $$, $$ values ('qualified', 'active', 7, 1) $$, 'nor one moved');
select is((select count(*) from t.requests(t.kept('lead'))), 6::bigint, 'six requests');

-- test: an inner space is no spelling but a mistake
select throws_ok($$ select t.enquiry('{"email": "le ad@example.com"}') $$, 'PT422', null, 'malformed');

-- test: what was written stays to be read
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}'));
select is(t.enquiry('{"email": "Kim@example.com", "message": "about the roof", "utm": "spring"}'), t.kept('lead'), 'appended');
select results_eq(
    $$ select l.verdict, l.rule, l.payload from leadline.lead_timeline l where l.lead_id = t.kept('lead') and l.activity_type = 'inbound_enquiry' $$,
    $$ values ('noted', null, '{"email": "Kim@example.com", "message": "about the roof", "utm": "spring"}'::jsonb) $$, 'in the timeline');
select is_empty($$ select a.seq from leadline.lead_activity a where a.lead_id = t.kept('lead') and to_jsonb(a)::text ~* 'roof|kim@|spring' $$, 'and not in the journal');

-- test: the lead needs attention, and is scored again
select t.keep('lead', t.sales_lead('contacted', '{"email": "kim@example.com"}'));
select t.enquiry('{"email": "kim@example.com", "message": "hello"}', '2026-01-03T10:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, '2026-01-03T10:00:00Z'::timestamptz, 'somebody waits');
select is((select count(*) from t.outbox(t.kept('lead')) o where o.topic = 'score'), 1::bigint, 'scoring is queued');
select t.enquiry('{"email": "kim@example.com", "message": "hello?"}', '2026-01-03T11:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, '2026-01-03T10:00:00Z'::timestamptz, 'since the first word');
select is((select count(*) from t.outbox(t.kept('lead')) o where o.topic = 'score'), 1::bigint, 'once, with the whole conversation');

-- test: an open lead of any workflow
select t.keep('lead', t.lead('scheduled', '{"email": "kim@example.com"}'));
select is(t.enquiry('{"workflow": "sales", "email": "KIM@example.com"}'), t.kept('lead'), 'an appointment''s');
select is(t.stage(t.kept('lead')), 'scheduled', 'which stands');

-- test: a later enquiry fills what is empty and overwrites nothing
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com", "name": "Kim"}'));
select results_eq(
    $$ select r.lead_id, r.verdict, r.changes
       from t.report(null, 'inbound_enquiry', '{"email": "KIM@example.com", "name": "Kimberley", "company": "Kim AB", "phone": "+16502530000"}') r $$,
    $$ select t.kept('lead'), 'applied', '{"company": true, "phone": true}'::jsonb $$, 'a field changed');
select results_eq(
    $$ select name, company, email, phone from leadline.lead_contacts where lead_id = t.kept('lead') $$,
    $$ values ('Kim', 'Kim AB', 'kim@example.com', '+16502530000') $$, 'what was empty');
select is(t.verdict(null, 'inbound_enquiry', '{"email": "kim@example.com", "company": "Other AB", "phone": "+16502539999"}'), 'noted', 'nothing is empty any more');
select results_eq(
    $$ select company, phone from leadline.lead_contacts where lead_id = t.kept('lead') $$, $$ values ('Kim AB', '+16502530000') $$, 'nothing is overwritten');

-- test: by id as by match
select t.keep('lead', t.sales_lead('new', '{"name": "Kim"}'));
select is(t.verdict(t.kept('lead'), 'inbound_enquiry', '{"name": "Lee", "company": "Kim AB"}'), 'applied', 'a field changed');
select results_eq($$ select name, company from leadline.lead_contacts where lead_id = t.kept('lead') $$, $$ values ('Kim', 'Kim AB') $$, 'what was empty');

-- test: a lost lead's: it comes back at new
select t.keep('lead', t.sales_lead('lost', '{"email": "kim@example.com"}'));
select is(t.enquiry('{"email": "Kim@Example.com", "message": "hello again"}'), t.kept('lead'), 'the same lead');
select results_eq(
    $$ select stage, status, lost_reason, lost_at from t.state(t.kept('lead')) $$, $$ values ('new', 'active', null::text, null::timestamptz) $$, 'open again');
select is(pg_temp.leads_of('kim@example.com'), 1, 'and no lead is made');
select is((select count(*) from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.activity_type = 'lead_resurrected'), 1::bigint, 'told');

-- test: the lost lead that was lost last
select t.keep('first', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('first'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-03T10:00:00Z');
select t.keep('second', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('second'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-04T10:00:00Z');
select t.keep('third', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('third'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-02T10:00:00Z');
select is(t.enquiry('{"email": "kim@example.com"}'), t.kept('second'), 'the latest loss');
select is((t.state(t.kept('first'))).stage || (t.state(t.kept('third'))).stage, 'lostlost', 'the others stay lost');

-- test: the one that was put aside last, in whichever workflow
select t.keep('lost', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('lost'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-03T10:00:00Z');
select t.act_as('app', '{import}');
select t.keep('recycled', r.lead_id) from t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "recycled", "recycle_reason": "no_budget", "entered_at": "2026-01-04T10:00:00Z", "recycle_on": "2026-02-01", "email": "kim@example.com"}') r;
select is(t.enquiry('{"workflow": "sales", "email": "kim@example.com"}'), t.kept('recycled'), 'recycled after it was lost');

-- test: an open lead before any lost one
select t.keep('lost', t.sales_lead('lost', '{"email": "kim@example.com"}')), t.keep('open', t.lead('attempted', '{"email": "kim@example.com"}'));
select is(t.enquiry('{"email": "kim@example.com"}'), t.kept('open'), 'the one somebody works on');
select is(t.stage(t.kept('lost')), 'lost', 'the loss stands');

-- test: of two open leads the older, whichever moved last
select t.keep('older', r.lead_id) from t.report(null, 'lead_created', '{"email": "kim@example.com"}', null, '2026-01-03T10:00:00Z') r;
select t.keep('younger', r.lead_id) from t.report(null, 'lead_created', '{"email": "kim@example.com"}', null, '2026-01-04T10:00:00Z') r;
select is(t.enquiry('{"email": "kim@example.com"}'), t.kept('older'), 'both fresh');
select t.report(t.kept('younger'), 'contact_attempted');
select is(t.enquiry('{"email": "kim@example.com"}'), t.kept('older'), 'the younger moved');

-- test: what is done or put away is not met: a new lead of the same person
select results_eq(
    $$ select x.name, m.lead_id <> x.id, m.workflow, m.stage, m.person_id = (t.state(x.id)).person_id
       from (values (1, 'won', t.sales_lead('won', '{"email": "won@example.com"}')),
                    (2, 'archived', t.archived(t.sales_lead('new', '{"email": "archived@example.com"}'))),
                    (3, 'archived_lost', t.archived(t.sales_lead('lost', '{"email": "archived_lost@example.com"}'))),
                    (4, 'sale', t.lead('sale', '{"email": "sale@example.com"}')),
                    (5, 'refused', t.lead('refused', '{"email": "refused@example.com"}'))) x(n, name, id),
            lateral t.state(t.enquiry(jsonb_build_object('workflow', 'sales', 'email', x.name || '@example.com'))) m order by x.n $$,
    $$ values ('won', true, 'sales', 'new', true), ('archived', true, 'sales', 'new', true), ('archived_lost', true, 'sales', 'new', true),
              ('sale', true, 'sales', 'new', true), ('refused', true, 'sales', 'new', true) $$,
    'accepted, and nobody is resurrected');

-- test: a customer with an address we know is not refused
select t.account('customer', 'acme.example');
select t.keep('won', t.sales_lead('won', '{"email": "kim@acme.example"}'));
select t.keep('new', t.enquiry('{"workflow": "sales", "email": "kim@acme.example"}'));
select isnt(t.kept('new'), t.kept('won'), 'a new lead');
select is((t.state(t.kept('new'))).person_id, (t.state(t.kept('won'))).person_id, 'of the person we know');
select is((t.state(t.kept('won'))).stage, 'won', 'who stays a customer');

-- test: a lead that was merged away is not met
select t.keep('one', t.sales_lead('new', '{"email": "one@example.com"}')), t.keep('two', t.sales_lead('new', '{"email": "two@example.com"}'));
select t.report(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two')));
select isnt(t.enquiry('{"workflow": "sales", "email": "one@example.com"}'), t.kept('one'), 'its address is taken care of elsewhere');
select is((t.state(t.kept('one'))).is_open, false, 'it stays away');

-- test: nobody's yet: a lead is born of the enquiry itself
select results_eq(
    $$ select r.verdict, r.from_stage, r.to_stage, r.seq, l.workflow, l.stage, l.status, l.source, l.created_at, l.waiting_since, l.deal_value
       from t.report(null, 'inbound_enquiry', '{"workflow": "sales", "email": "kim@example.com", "source": "web", "deal_value": 500, "currency": "EUR", "message": "hello"}',
                     null, '2026-01-05T09:00:00Z') r, lateral t.state(r.lead_id) l $$,
    $$ values ('applied', 'new', 'new', 1, 'sales', 'new', 'active', 'web', '2026-01-05T09:00:00Z'::timestamptz, '2026-01-05T09:00:00Z'::timestamptz, 500::numeric) $$,
    'its first row');
select is((t.state(t.enquiry('{"phone": "+16502530000"}'))).workflow, 'appointment', 'in the workspace''s workflow, when none is named');
select is((t.state(t.enquiry('{"email": "lee@example.com"}'))).source, 'person', 'its source is the class of its writer');
select t.act_as('app');
select is((t.state(t.enquiry('{"email": "may@example.com"}'))).source, 'app', 'or the app''s');
select throws_ok($$ select t.enquiry('{"workflow": "cooking", "email": "joe@example.com"}') $$, 'PT422', null, 'in no workflow of its own');

-- test: a new lead is scored, and told of
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}'));
select results_eq($$ select topic from t.outbox(t.kept('lead')) order by 1 $$, $$ values ('notify'), ('score') $$, 'once each');

-- test: a repeated reference is the same enquiry, met or made
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}', null, 'web-1'));
select results_eq(
    $$ select l.replayed, l.lead_id, l.verdict from leadline.log_activity(null, 'inbound_enquiry', '{"workflow": "sales", "email": "kim@example.com"}', 'web-1') l $$,
    $$ select true, t.kept('lead'), 'applied' $$, 'the birth');
select is_empty($$ insert into leadline.lead_activity (activity_type, payload, reference) values ('inbound_enquiry', '{"email": "kim@example.com"}', 'web-1') returning lead_id $$,
                'in bare SQL no row comes back');
select t.enquiry('{"email": "kim@example.com"}', null, 'web-2');
select is_empty($$ select t.enquiry('{"email": "kim@example.com"}', null, 'web-2') where t.enquiry('{"email": "kim@example.com"}', null, 'web-2') is not null $$, 'the appended one');
select is((select count(*) from t.requests(t.kept('lead'))), 2::bigint, 'two enquiries, two requests');
select results_eq(
    $$ select (select count(*)::int from t.outbox(t.kept('lead')) o where o.topic = 'notify'), (t.state(t.kept('lead'))).seq $$, $$ values (2, 2) $$, 'and nobody is told twice');

-- test: many at once, of one address, are one lead
insert into leadline.lead_activity (activity_type, payload)
select 'inbound_enquiry', jsonb_build_object('workflow', 'sales', 'email', case when n % 2 = 0 then 'kim@example.com' else 'KIM@EXAMPLE.COM' end)
from generate_series(1, 20) n;
select is(pg_temp.leads_of('kim@example.com'), 1, 'one lead');
select is((select count(*) from leadline.lead_contacts c, t.requests(c.lead_id) where c.email ilike 'kim@example.com'), 20::bigint, 'twenty requests');

-- test: in a batch each is answered with its lead
select results_eq(
    $$ select count(*)::int, count(distinct b.result ->> 'lead_id')::int, array_agg(b.result ->> 'verdict' order by b.item)
       from leadline.log_activities('[{"activity_type": "inbound_enquiry", "payload": {"workflow": "sales", "email": "kim@example.com"}},
                                      {"activity_type": "inbound_enquiry", "payload": {"workflow": "sales", "email": "Kim@Example.com"}}]') b $$,
    $$ values (2, 1, '{applied,noted}'::text[]) $$, 'made, then met');

-- test: another workspace's lead is not met, and nothing is told of it
select t.keep('foreign', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}', t.elsewhere()));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com", "phone": "+16502530000"}'));
select isnt(t.kept('lead'), t.kept('foreign'), 'two leads');
select results_eq($$ select seq, is_possible_duplicate, possible_duplicate_of, is_suppressed from t.state(t.kept('lead')) $$,
                  $$ values (1, false, null::uuid, false) $$, 'as if the other were not there');
select throws_ok($$ select t.report(t.kept('foreign'), 'inbound_enquiry', '{"message": "x"}') $$, 'PT404', null, 'nor by its id');
select t.act_as('app', '{}', t.elsewhere());
select is((t.state(t.kept('foreign'))).seq, 1, 'nothing happened there');

-- test: a suppressed person who writes in is heard
select t.report(t.sales_lead('new', '{"email": "kim@example.com"}'), 'dnc');
select t.keep('lead', t.enquiry('{"email": "kim@example.com", "message": "I changed my mind"}'));
select results_eq(
    $$ select stage, is_suppressed, waiting_since is not null from t.state(t.kept('lead')) $$, $$ values ('new', true, true) $$, 'back, and still on the list');

-- test: whatever an enquiry did, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.account('competitor', 'rival.example'), t.account('customer', 'acme.example', t.person('member'));
select t.sales_lead('lost', '{"email": "lost@example.com", "phone": "+16502530000"}'), t.sales_lead('won', '{"email": "won@example.com"}'),
       t.archived(t.sales_lead('lost', '{"email": "archived@example.com"}')), t.lead('attempted', '{"email": "open@example.com"}'),
       t.lead('sale', '{"email": "sale@example.com"}');
select t.enquiry(jsonb_build_object('workflow', w, 'email', e, 'phone', '+16502530000', 'name', 'Kim', 'message', 'x', 'deal_value', 5, 'currency', 'EUR'))
from unnest('{lost@example.com,won@example.com,archived@example.com,open@example.com,sale@example.com,new@example.com,new+x@example.com,kim@rival.example,kim@acme.example}'::text[]) e,
     unnest('{sales,appointment}'::text[]) w;
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.act_as('member');
insert into leadline.lead_activity (activity_type, payload)
select 'inbound_enquiry', jsonb_build_object('workflow', 'sales', 'email', e, 'company', 'Kim AB', 'message', 'y')
from unnest('{lost@example.com,won@example.com,open@example.com,new@example.com,own@example.com,kim@rival.example}'::text[]) e;
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- test: an assistant makes no enquiry
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.act_as('ai');
select is(t.verdict(t.kept('lead'), 'inbound_enquiry', '{"message": "x"}'), 'refused ai_forbidden', 'by id');
select throws_ok($$ select t.enquiry('{"email": "new@example.com"}') $$, 'PT409', null, 'nor by birth');

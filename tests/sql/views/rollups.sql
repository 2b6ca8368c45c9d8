-- Roll-ups with their unit (seed 003): how far requests, people and accounts have come, counted by hand here and by the views there.
select t.here();
-- A company, and somebody of it: the lead that their enquiry made.
select t.keep('acme', t.account('prospect', 'acme.example'));
create function pg_temp.asks(p_email text, p_class text default 'demo', p_at timestamptz default '2026-01-05T09:00:00Z', p_more jsonb default '{}') returns uuid language sql as $$
    select t.enquiry(jsonb_build_object('workflow', 'qualification', 'email', p_email, 'request_class', p_class) || p_more, p_at)
$$;
-- Qualifies a lead and converts it, an hour a step, as far as is said.
create function pg_temp.brought(p_lead_id uuid, p_steps int, p_at timestamptz default '2026-01-06T09:00:00Z') returns uuid language plpgsql as $$
begin
    perform t.report(p_lead_id, x.type, x.payload, null, p_at + n * interval '1 hour')
    from (values (1, 'request_accepted', '{}'::jsonb), (2, 'lead_qualified', t.confirmed()), (3, 'lead_converted', '{"amount": 500, "currency": "EUR", "close_date": "2026-02-01"}')) x(n, type, payload)
    where n <= p_steps order by n;
    return p_lead_id;
end $$;
-- A row of the funnel, in its order: '2026-01 person: 0 excluded, 3 lead, 2 mql, …'.
create function pg_temp.funnel(p_unit text) returns setof text language sql as $$
    select to_char(f.cohort_month, 'YYYY-MM') || ': ' || string_agg(f.reached || ' ' || f.milestone, ', ' order by f.position)
    from leadline.lifecycle_funnel f where f.unit = p_unit group by f.cohort_month order by f.cohort_month
$$;
create function pg_temp.rolled(p_account_id uuid default t.kept('acme')) returns leadline.account_rollup language sql as $$
    select a.* from leadline.account_rollup a where a.account_id = p_account_id
$$;

-- test: the ledger in the shape of seed 003, decisions and both clocks included
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": true}');
select t.keep('lead', pg_temp.asks('kim@acme.example', 'quote', '2026-01-05T09:00:00Z', jsonb_build_object('assigned_user_id', t.person('member'))));
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:10:00Z');
select t.report(t.kept('lead'), 'request_accepted', '{}', null, '2026-01-05T11:00:00Z'), t.report(t.kept('lead'), 'lead_qualified', t.confirmed(), null, '2026-01-05T12:00:00Z');
select results_eq(
    $$ select q.record_id = q.person_id, q.record_id = (t.state(t.kept('lead'))).person_id, q.request_class, q.received_at, q.first_response_at, q.first_response_s, q.clock, q.disposition_at, q.disposition_s,
              q.not_applicable_at, q.decision, q.decision_reason, q.qualified_at, q.is_hand_raise, q.is_mql, q.route, q.exclusion, q.owner_user_id
       from leadline.request_ledger q $$,
    $$ values (true, true, 'quote', '2026-01-05T09:00:00Z'::timestamptz, '2026-01-05T09:10:00Z'::timestamptz, 600::numeric, 'responded', '2026-01-05T11:00:00Z'::timestamptz, 7200::numeric,
               null::timestamptz, 'accepted', null::text, '2026-01-05T12:00:00Z'::timestamptz, true, true, 'new_business', null::text, t.person('member')) $$, 'one row, one request');
select t.report(pg_temp.asks('lee@acme.example'), 'request_rejected', '{"reason": "no_fit"}', null, '2026-01-06T09:00:00Z');
select results_eq($$ select q.decision, q.decision_reason, q.disposition_s, q.qualified_at from leadline.request_ledger q where q.decision = 'rejected' $$,
                  $$ values ('rejected', 'no_fit', 86400::numeric, null::timestamptz) $$, 'a rejection says why');

-- test: what makes an MQL: a hand-raise or the score path, and no exclusion
select pg_temp.asks(c || '@example.com', c) from unnest('{demo,pricing_question,quote,trial_signup,sales_callback,score,requalification,contact}'::text[]) c;
select set_eq(
    $$ select q.request_class, q.is_hand_raise, q.is_mql from leadline.request_ledger q $$,
    $$ values ('demo', true, true), ('pricing_question', true, true), ('quote', true, true), ('trial_signup', true, true), ('sales_callback', true, true),
              ('score', false, true), ('requalification', false, true), ('contact', false, false) $$, 'by its class');
select pg_temp.asks('spam@example.com', 'demo', '2026-01-05T09:00:00Z', '{"exclusion": "spam"}');
select results_eq($$ select q.is_hand_raise, q.is_mql from leadline.request_ledger q where q.exclusion = 'spam' $$, $$ values (true, false) $$, 'spam never');

-- test: how far requests came, people and accounts alike: each step contains the next
select pg_temp.asks('a@acme.example', 'contact'), pg_temp.asks('b@acme.example'), pg_temp.brought(pg_temp.asks('c@acme.example'), 1), pg_temp.brought(pg_temp.asks('d@example.com'), 2),
       t.keep('deal', (t.state(pg_temp.brought(pg_temp.asks('e@example.com'), 3))).opportunity_id);
select is(f, '2026-01: 0 excluded, 5 lead, 4 mql, 3 sal, 2 sql, 1 opportunity, 0 customer', 'requests') from pg_temp.funnel('request') f;
select is(f, '2026-01: 0 excluded, 5 lead, 4 mql, 3 sal, 2 sql, 1 opportunity, 0 customer', 'people') from pg_temp.funnel('person') f;
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 0 sql, 0 opportunity, 0 customer', 'the account: as far as the furthest of its contacts') from pg_temp.funnel('account') f;
select results_eq($$ select f.milestone, f.rate_from_previous from leadline.lifecycle_funnel f where f.unit = 'person' order by f.position $$,
                  $$ values ('excluded', null::numeric), ('lead', null), ('mql', 0.8), ('sal', 0.75), ('sql', 0.6667), ('opportunity', 0.5), ('customer', 0) $$, 'like by like, step by step');
select is((select f.rate_from_previous from leadline.lifecycle_funnel f where f.unit = 'account' and f.milestone = 'customer'), null, 'nothing is divided by nobody');
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet((t.deal(t.kept('deal'))).person_id), null, '2026-01-07T09:00:00Z');
select t.report_on_deal(t.kept('deal'), 'opportunity_won', '{}', null, '2026-01-08T09:00:00Z');
select is(f, '2026-01: 0 excluded, 5 lead, 4 mql, 3 sal, 2 sql, 1 opportunity, 0 customer', 'won, and nobody has said yes to a client') from pg_temp.funnel('request') f;
select t.answer(t.open_question((t.deal(t.kept('deal'))).person_id), 'granted');
select is(f, '2026-01: 0 excluded, 5 lead, 4 mql, 3 sal, 2 sql, 1 opportunity, 1 customer', u) from unnest('{person,request}'::text[]) u, pg_temp.funnel(u) f;

-- test: a loss and a correction take nothing back, and whoever comes again counts once
select t.keep('lead', pg_temp.brought(pg_temp.asks('kim@acme.example'), 2));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "data_repair"}', null, '2026-01-07T09:00:00Z');
select t.report(t.kept('lead'), 'request_rejected', '{"reason": "no_need"}', null, '2026-01-08T09:00:00Z');
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 0 opportunity, 0 customer', u) from unnest('{person,account}'::text[]) u, pg_temp.funnel(u) f;
select pg_temp.brought(pg_temp.asks('kim@acme.example', 'demo', '2026-02-05T09:00:00Z'), 2, '2026-02-06T09:00:00Z');
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 0 opportunity, 0 customer', 'still one ' || u) from unnest('{person,account}'::text[]) u, pg_temp.funnel(u) f;
select results_eq($$ select f from pg_temp.funnel('request') f $$,
    $$ values ('2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 0 opportunity, 0 customer'), ('2026-02: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 0 opportunity, 0 customer') $$, 'and two requests, each its own work');

-- test: a deal is one with amount and close date that was not withdrawn; a lead that is its own deal, at proposal or sale
select t.opportunity('evaluation'), t.opportunity('evaluation', '{"amount": 5}'), t.opportunity('withdrawn', '{"amount": 5, "close_date": "2026-02-01"}'), t.opportunity('evaluation', '{"amount": 5, "close_date": "2026-02-01"}'),
       t.sales_lead('qualified'), t.sales_lead('proposal'), t.lead('sale'), t.lead('scheduled');
select is(f, '2026-01: 0 excluded, 9 lead, 5 mql, 5 sal, 5 sql, 3 opportunity, 0 customer', 'three deals, and two who were qualified') from pg_temp.funnel('person') f;

-- test: a request reaches what its lead reaches after it came, not what was reached before
select t.keep('own', t.sales_lead('proposal', '{"email": "kim@example.com"}'));
select t.report(t.kept('own'), 'deal_won', '{"approve": true}', null, '2026-01-02T09:00:00Z');
select t.keep('converted', pg_temp.brought(pg_temp.asks('lee@example.com', 'demo', '2026-01-05T09:00:00Z'), 3));
select t.keep('deal', (t.state(t.kept('converted'))).opportunity_id);
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet((t.deal(t.kept('deal'))).person_id), null, '2026-01-07T09:00:00Z'),
       t.report_on_deal(t.kept('deal'), 'opportunity_won', '{"approve": true}', null, '2026-01-08T09:00:00Z');
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 1 opportunity, 1 customer', 'the one of the deal') from pg_temp.funnel('request') f;
select t.report(t.kept(l), 'inbound_enquiry', '{"request_class": "quote"}', null, '2026-02-05T09:00:00Z') from unnest('{own,converted}'::text[]) l;
select is(f, '2026-02: 0 excluded, 2 lead, 2 mql, 0 sal, 0 sql, 0 opportunity, 0 customer', 'two more, of customers') from pg_temp.funnel('request') f where f like '2026-02%';

-- test: who was excluded stands beside the funnel
select pg_temp.asks(x || '@acme.example', 'demo', '2026-01-05T09:00:00Z', jsonb_build_object('exclusion', x)) from unnest('{test,spam}'::text[]) x;
select is(f, '2026-01: 2 excluded, 0 lead, 0 mql, 0 sal, 0 sql, 0 opportunity, 0 customer', u) from unnest('{person,request}'::text[]) u, pg_temp.funnel(u) f;
select is(f, '2026-01: 1 excluded, 0 lead, 0 mql, 0 sal, 0 sql, 0 opportunity, 0 customer', 'an account of which nothing else is known') from pg_temp.funnel('account') f;
select pg_temp.asks('test@acme.example', 'contact', '2026-02-05T09:00:00Z');
select results_eq($$ select f from pg_temp.funnel('person') f $$,
    $$ values ('2026-01: 1 excluded, 0 lead, 0 mql, 0 sal, 0 sql, 0 opportunity, 0 customer'), ('2026-02: 0 excluded, 1 lead, 0 mql, 0 sal, 0 sql, 0 opportunity, 0 customer') $$,
    'who then writes in for real, comes in that month');

-- test: an exclusion that is taken back
select t.keep('lead', pg_temp.asks('kim@acme.example', 'demo', '2026-01-05T09:00:00Z', '{"exclusion": "spam"}'));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "entered_by_mistake"}', null, '2026-01-06T09:00:00Z');
select is(f, '2026-01: 0 excluded, 1 lead, 0 mql, 0 sal, 0 sql, 0 opportunity, 0 customer', 'a lead, if not by its request') from pg_temp.funnel('person') f;
select is(f, '2026-01: 1 excluded, 0 lead, 0 mql, 0 sal, 0 sql, 0 opportunity, 0 customer', 'which stays excluded') from pg_temp.funnel('request') f;

-- test: a request that was accepted, and rejected later, was accepted
select t.keep('lead', pg_temp.brought(pg_temp.asks('kim@acme.example'), 1));
select t.keep('request', q.request_id) from leadline.request_ledger q;
select t.report(t.kept('lead'), 'request_rejected', jsonb_build_object('request_id', t.kept('request'), 'reason', 'no_fit'), null, '2026-01-07T09:00:00Z');
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 0 sql, 0 opportunity, 0 customer', u) from unnest('{person,request}'::text[]) u, pg_temp.funnel(u) f;

-- test: people who are one count as the one that goes on
select t.keep('kim', (t.state(pg_temp.brought(pg_temp.asks('kim@acme.example'), 2))).person_id), t.keep('lee', (t.state(pg_temp.asks('lee@example.com', 'contact', '2026-02-05T09:00:00Z'))).person_id);
select leadline.merge_people(t.kept('kim'), t.kept('lee'));
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 0 opportunity, 0 customer', 'since the earlier of the two') from pg_temp.funnel('person') f;
select results_eq($$ select a.people, a.requests, a.sql_on from pg_temp.rolled() a $$, $$ values (1, 2, '2026-01-06'::date) $$, 'Lee has no account of their own, and comes to Kim''s');
select leadline.unmerge_people(t.kept('kim'));
select results_eq($$ select a.people, a.requests, a.sql_on from pg_temp.rolled() a $$, $$ values (1, 1, '2026-01-06'::date) $$, 'two again');
select t.keep('bolt', t.account('prospect', 'bolt.example')), t.keep('max', (t.state(pg_temp.asks('max@bolt.example', 'contact', '2026-02-05T09:00:00Z'))).person_id);
select leadline.merge_people(t.kept('kim'), t.kept('max'));
select results_eq($$ select a.people, a.requests, a.sql_on from pg_temp.rolled() a $$, $$ values (0, 0, null::date) $$, 'Kim''s account has nobody left');
select results_eq($$ select a.people, a.requests, a.sql_on from pg_temp.rolled(t.kept('bolt')) a $$, $$ values (1, 2, '2026-01-06'::date) $$, 'Max''s has all of it');

-- test: an account counts as SQL on the first date any of its contacts enters SQL; later contacts do not count again
select pg_temp.brought(pg_temp.asks('kim@acme.example', 'demo', '2026-01-03T09:00:00Z'), 2, '2026-01-20T09:00:00Z'), pg_temp.brought(pg_temp.asks('lee@acme.example', 'contact', '2026-01-09T09:00:00Z'), 2, '2026-01-10T09:00:00Z'),
       pg_temp.asks('spam@acme.example', 'demo', '2026-01-02T09:00:00Z', '{"exclusion": "spam"}');
select results_eq(
    $$ select a.people, a.leads, a.requests, a.excluded_requests, a.mql_on, a.sal_on, a.sql_on, a.opportunity_on, a.customer_on from pg_temp.rolled() a $$,
    $$ values (3, 3, 2, 1, '2026-01-03'::date, '2026-01-10'::date, '2026-01-10'::date, null::date, null::date) $$, 'Kim''s hand-raise, Lee''s qualification');
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 1 sal, 1 sql, 0 opportunity, 0 customer', 'one account') from pg_temp.funnel('account') f;

-- test: a day and a month are the workspace's
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "Asia/Ho_Chi_Minh"}');
select pg_temp.asks('kim@acme.example', 'demo', '2026-01-31T17:30:00Z');
select results_eq($$ select left(f, 7) from unnest('{person,request,account}'::text[]) u, pg_temp.funnel(u) f $$, $$ select '2026-02' from generate_series(1, 3) $$, 'half past midnight of the first of February');
select is((pg_temp.rolled()).mql_on, '2026-02-01'::date, 'and the account''s date');

-- test: money by currency, each deal once
select t.keep('kim', (t.state(pg_temp.asks('kim@acme.example'))).person_id);
create function pg_temp.deal(p_stage text, p_amount numeric default 1000, p_currency text default 'EUR') returns uuid language plpgsql as $$
declare
    v_deal uuid := t.opportunity(p_stage, jsonb_build_object('person_id', t.kept('kim')));
begin
    if p_stage = 'closedwon' then perform t.report_on_deal(v_deal, 'amount_changed', jsonb_build_object('amount', p_amount, 'currency', p_currency)); end if;
    return v_deal;
end $$;
select pg_temp.deal('evaluation'), pg_temp.deal('proposal'), pg_temp.deal('closedlost'), pg_temp.deal('closedwon', 100.25, 'EUR'), pg_temp.deal('closedwon', 200, 'EUR'), pg_temp.deal('closedwon', 50, 'USD');
select t.sales_lead('won', '{"email": "won@acme.example", "deal_value": 70, "currency": "USD"}'), t.archived(t.sales_lead('won', '{"email": "old@acme.example", "deal_value": 30, "currency": "USD"}')),
       t.sales_lead('proposal', '{"email": "open@acme.example", "deal_value": 1, "currency": "USD"}'), t.lead('sale', '{"email": "sold@acme.example", "deal_value": 5, "currency": "CHF"}');
select results_eq(
    $$ select a.open_opportunities, a.won_opportunities, a.lost_opportunities, a.won_amount, a.won_lead_value from pg_temp.rolled() a $$,
    $$ values (2, 3, 1, '{"EUR": 300.25, "USD": 50}'::jsonb, '{"CHF": 5, "USD": 100}'::jsonb) $$, 'opportunities, and leads that are their own deal');
select results_eq($$ select a.won_amount, a.won_lead_value, a.live_subscriptions from pg_temp.rolled(t.account('prospect', 'quiet.example')) a $$, $$ values ('{}'::jsonb, '{}'::jsonb, 0) $$, 'an account without any is there');

-- test: customers of an account
select t.keep('kim', (t.state(pg_temp.asks('kim@acme.example'))).person_id);
select t.keep('live', t.subscription('active', jsonb_build_object('person_id', t.kept('kim')))), t.keep('late', t.subscription('past_due', jsonb_build_object('person_id', t.kept('kim')))), t.subscription('cancelled', jsonb_build_object('person_id', t.kept('kim')));
select t.act_as('billing');
select t.report_on_customer(t.kept(s), 'renewal_opened', jsonb_build_object('period_start', p, 'period_end', p + 30), null, '2026-01-05T09:00:00Z')
from (values ('live', '2026-01-01'::date), ('live', '2026-02-01'), ('late', '2026-01-01')) x(s, p);
select t.report_on_customer(t.kept('live'), 'renewal_renewed', '{"period_start": "2026-01-01"}', null, '2026-01-06T09:00:00Z');
select results_eq($$ select a.live_subscriptions, a.open_renewal_cycles from pg_temp.rolled() a $$, $$ values (2, 2) $$, 'two that pay or should, two decisions to be made');

-- test: everybody reads what they see: analysts all of it, members their leads', another workspace nothing
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select pg_temp.asks('mine@acme.example', 'demo', '2026-01-05T09:00:00Z', jsonb_build_object('assigned_user_id', t.person('member'))), pg_temp.asks('theirs@acme.example', 'demo', '2026-01-05T09:00:00Z', jsonb_build_object('assigned_user_id', t.person('admin')));
select t.act_as('analyst');
select is((pg_temp.rolled()).people, 2, 'an analyst');
select t.act_as('member');
select is((pg_temp.rolled()).people, 1, 'a member');
select is(f, '2026-01: 0 excluded, 1 lead, 1 mql, 0 sal, 0 sql, 0 opportunity, 0 customer', u) from unnest('{person,request,account}'::text[]) u, pg_temp.funnel(u) f;
select t.act_as('app', '{}', t.elsewhere());
select is_empty($$ select * from leadline.account_rollup $$, 'elsewhere');
select is_empty($$ select * from leadline.lifecycle_funnel $$, 'elsewhere');

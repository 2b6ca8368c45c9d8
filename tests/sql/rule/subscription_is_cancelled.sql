-- What is cancelled is over: money that comes or fails is kept and revives nothing (seed 003).
select t.here();
select t.act_as('billing');

-- test: noted are payments, and nothing moves
select results_eq(
    $$ select x, r.verdict || ' ' || r.rule, s.stage, s.status from unnest('{payment_succeeded,payment_failed}'::text[]) with ordinality x(x, n),
            lateral t.report_on_customer(t.subscription('cancelled'), x) r, lateral t.paying(r.subscription_id) s order by n $$,
    $$ select x, 'noted subscription_is_cancelled', 'cancelled', 'ended' from unnest('{payment_succeeded,payment_failed}'::text[]) x $$, 'a late payment');

-- test: refused are renewals
select results_eq(
    $$ select x, t.verdict_on_customer(t.subscription('cancelled'), x, p)
       from (values (1, 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'::jsonb), (2, 'renewal_renewed', '{}')) y(n, x, p) order by n $$,
    $$ values ('renewal_opened', 'refused subscription_is_cancelled'), ('renewal_renewed', 'refused subscription_is_cancelled') $$, 'there is nothing to renew');

-- test: allowed is to say that an open cycle ended: it churned
select t.keep('subscription', t.subscription());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}');
select t.report_on_customer(t.kept('subscription'), 'subscription_cancelled', '{"reason": "too dear"}');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "too dear"}'), 'applied', 'not renewed');

-- test: allowed is a new one, of the same person
select t.keep('subscription', t.subscription('cancelled'));
select results_eq(
    $$ select r.verdict, r.to_stage from t.report_on_customer(null, 'subscription_started', jsonb_build_object('person_id', (t.paying(t.kept('subscription'))).person_id)) r $$,
    $$ values ('applied', 'active') $$, 'won back');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint') from leadline.log_in_journal('customer_activity', t.subscription('cancelled'), 'payment_succeeded') j;

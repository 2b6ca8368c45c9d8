-- A period ends after it begins, and no two of a subscription overlap: one renewal decision a period (seed 003).
select t.here();
select t.act_as('billing');
select t.keep('subscription', t.subscription());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}');

-- test: refused, and no cycle is opened
select results_eq(
    $$ select b, e, t.verdict_on_customer(t.kept('subscription'), 'renewal_opened', jsonb_build_object('period_start', b, 'period_end', e))
       from (values ('2028-01-01', '2028-01-01'), ('2028-01-01', '2027-12-31'), ('2026-06-01', '2027-06-01'), ('2025-06-01', '2026-06-01'), ('2026-03-01', '2026-04-01'),
                    ('2025-01-01', '2028-01-01'), ('2026-01-01', '2026-12-31')) x(b, e) $$,
    $$ select b, e, 'refused period_malformed'
       from (values ('2028-01-01', '2028-01-01'), ('2028-01-01', '2027-12-31'), ('2026-06-01', '2027-06-01'), ('2025-06-01', '2026-06-01'), ('2026-03-01', '2026-04-01'),
                    ('2025-01-01', '2028-01-01'), ('2026-01-01', '2026-12-31')) x(b, e) $$,
    'empty, backwards, overlapping at either end, inside, around, the same from another end');
select results_eq(
    $$ select c.period_start, c.period_end from leadline.renewal_cycles c where c.subscription_id = t.kept('subscription') $$, $$ values ('2026-01-01'::date, '2027-01-01'::date) $$, 'one cycle');

-- test: what is no day is malformed
select throws_ok(format('select t.report_on_customer(t.kept(''subscription''), ''renewal_opened'', %L)', p), 'PT422', null, p::text)
from unnest(array['{"period_start": "2028-01-01"}', '{"period_end": "2028-01-01"}', '{"period_start": "next year", "period_end": "2029-01-01"}',
    '{"period_start": "2028-02-30", "period_end": "2029-01-01"}',
                  '{"period_start": null, "period_end": "2029-01-01"}']::jsonb[]) p;

-- test: allowed is what follows at once, what precedes, and a gap
select results_eq(
    $$ select b, e, t.verdict_on_customer(t.kept('subscription'), 'renewal_opened', jsonb_build_object('period_start', b, 'period_end', e))
       from (values ('2027-01-01', '2028-01-01'), ('2025-01-01', '2026-01-01'), ('2030-06-01', '2030-07-01')) x(b, e) $$,
    $$ select b, e, 'applied' from (values ('2027-01-01', '2028-01-01'), ('2025-01-01', '2026-01-01'), ('2030-06-01', '2030-07-01')) x(b, e) $$, 'end to end');

-- test: allowed is the same period for another subscription
select is(t.verdict_on_customer(t.subscription(), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'), 'applied', 'its own');

-- test: the same period again is there already
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'), 'noted already_there', 'one a period');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('customer_activity', t.kept('subscription'), 'renewal_opened', '{"period_start": "2028-01-01", "period_end": "2027-01-01"}') j;

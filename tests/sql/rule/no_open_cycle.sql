-- A renewal decision is about a cycle that was opened (seed 003).
select t.here();
select t.act_as('billing');

-- test: refused without one
select results_eq(
    $$ select x, t.verdict_on_customer(t.subscription(), x, p) from (values (1, 'renewal_renewed', '{}'::jsonb), (2, 'renewal_churned', '{"reason": "too dear"}')) y(n, x, p) order by n $$,
    $$ values ('renewal_renewed', 'refused no_open_cycle'), ('renewal_churned', 'refused no_open_cycle') $$, 'nothing to decide');

-- test: refused for a period nobody opened
select t.keep('subscription', t.subscription());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_renewed', '{"period_start": "2027-01-01"}'), 'refused no_open_cycle', 'another year');
select is((select c.stage from leadline.renewal_cycles c where c.subscription_id = t.kept('subscription')), 'open', 'this one waits');

-- test: refused once the only one is decided
select t.keep('subscription', t.subscription());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}');
select t.report_on_customer(t.kept('subscription'), 'renewal_renewed');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "too dear"}'), 'refused no_open_cycle', 'decided otherwise');

-- test: allowed for the open one, named or not
select t.keep('one', t.subscription()), t.keep('two', t.subscription());
select t.report_on_customer(id, 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}') from unnest(array[t.kept('one'), t.kept('two')]) id;
select is(t.verdict_on_customer(t.kept('one'), 'renewal_renewed'), 'applied', 'the open one');
select is(t.verdict_on_customer(t.kept('two'), 'renewal_churned', '{"period_start": "2026-01-01", "reason": "too dear"}'), 'applied', 'by its beginning');

-- test: decided alike already, there is nothing to do
select t.keep('subscription', t.subscription());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}');
select t.report_on_customer(t.kept('subscription'), 'renewal_renewed');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_renewed', '{"period_start": "2026-01-01"}'), 'noted already_there', 'renewed');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint') from leadline.log_in_journal('customer_activity', t.subscription(), 'renewal_renewed') j;

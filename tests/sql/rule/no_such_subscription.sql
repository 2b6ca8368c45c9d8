-- Not there and not yours are the same answer (seed 004 rule 1.3).
select t.here();
select t.keep('subscription', t.subscription());

-- test: raised for an id nobody has, for every activity
select t.act_as('billing');
select t.raises(format('select t.report_on_customer(gen_random_uuid(), %L, %L)', type, payload), 'PT404', 'no_such_subscription', type)
from (values ('payment_succeeded', '{}'::jsonb), ('payment_failed', '{}'), ('subscription_cancelled', '{}'), ('renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}'),
             ('renewal_renewed', '{}'), ('renewal_churned', '{"reason": "x"}')) x(type, payload);

-- test: raised in another workspace, word for word the same
select t.act_as('billing', '{}', t.elsewhere());
select results_eq(
    $$ select c.* from t.caught($q$ select t.report_on_customer(t.kept('subscription'), 'payment_failed') $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report_on_customer(gen_random_uuid(), 'payment_failed') $q$) c $$, 'as if there were none');
select is_empty($$ select from leadline.subscriptions $$, 'and it is not seen');

-- test: raised by the call that answers
select t.act_as('billing');
select t.raises($$ select leadline.log_in_journal('customer_activity', gen_random_uuid(), 'payment_failed') $$, 'PT404', 'no_such_subscription', 'log_in_journal');

-- test: allowed
select t.act_as('billing');
select is(t.verdict_on_customer(t.kept('subscription'), 'payment_failed'), 'applied', 'one of one''s own');

-- test: said
select t.act_as('billing');
select t.speaks(c.sentence, c.hint) from t.caught($$ select t.report_on_customer(gen_random_uuid(), 'payment_failed') $$) c;

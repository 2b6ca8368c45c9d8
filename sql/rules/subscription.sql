-- Whether a customer's subscription is active and paid, and what became of each renewal (seed 003). Billing alone writes here.
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule) values
    ('subscription', '{payment_succeeded}', '{trialing,past_due}', 'move', 'active', null),
    ('subscription', '{payment_succeeded}', '{active}', 'note', null, null),
    ('subscription', '{payment_failed}', '{trialing,active}', 'move', 'past_due', null),
    ('subscription', '{payment_failed}', '{past_due}', 'note', null, 'already_there'),
    ('subscription', '{payment_succeeded,payment_failed}', '{cancelled}', 'note', null, 'subscription_is_cancelled'),
    ('subscription', '{subscription_cancelled}', '{trialing,active,past_due}', 'move', 'cancelled', null),
    ('subscription', '{subscription_cancelled}', '{cancelled}', 'note', null, 'already_there'),
    ('subscription', '{renewal_opened,renewal_renewed}', '{trialing,active,past_due}', 'fields', null, 'already_there'),
    ('subscription', '{renewal_opened,renewal_renewed}', '{cancelled}', 'refuse', null, 'subscription_is_cancelled'),
    ('subscription', '{renewal_churned}', null, 'fields', null, 'already_there'),
    ('subscription', '{subscription_started}', null, 'refuse', null, 'not_first'),
    ('subscription', '{direct_change}', null, 'fields', null, 'no_change');

-- Whole lives of customers: a trial, payments that fail and succeed, an end; and one decision a renewal period (seed 003).
select t.here();
select t.keep('kim', t.someone('{"email": "kim@example.com"}'));
select t.act_as('billing');
-- A subscription of Kim's, started at nine o'clock on 5 January 2026.
create function pg_temp.started(p_payload jsonb default '{}', p_reference text default null) returns uuid language sql as $$
    select r.subscription_id from t.report_on_customer(null, 'subscription_started', jsonb_build_object('person_id',
        t.kept('kim'), 'plan', 'basic') || p_payload, p_reference, '2026-01-05T09:00:00Z') r
$$;
-- The cycles of a subscription, in order.
create function pg_temp.cycles(p_subscription_id uuid) returns table (period_start date, period_end date, stage text) language sql as $$
    select c.period_start, c.period_end, c.stage from leadline.renewal_cycles c where c.subscription_id = p_subscription_id order by 1
$$;

-- test: from a trial to the end
select t.keep('subscription', pg_temp.started('{"trial": true}'));
select results_eq(
    $$ select x, r.verdict, r.from_stage, r.to_stage, r.from_status, r.to_status, r.seq, r.version, r.actor_kind, r.writer
       from unnest('{payment_succeeded,payment_failed,payment_succeeded,subscription_cancelled}'::text[]) with ordinality x(x, n),
            lateral t.report_on_customer(t.kept('subscription'), x, '{}', null, '2026-02-01T10:00:00Z'::timestamptz + n * interval '24 hours') r order by n $$,
    $$ values ('payment_succeeded', 'applied', 'trialing', 'active', 'live', 'live', 2, 2, 'integration', 'billing'),
           ('payment_failed', 'applied', 'active', 'past_due', 'live', 'live', 3, 3, 'integration', 'billing'),
              ('payment_succeeded', 'applied', 'past_due', 'active', 'live', 'live', 4, 4, 'integration', 'billing'),
                  ('subscription_cancelled', 'applied', 'active', 'cancelled', 'live', 'ended', 5, 5, 'integration', 'billing') $$,
    'as billing says');
select results_eq(
    $$ select s.stage, s.status, s.plan, s.person_id, s.started_at, s.cancelled_at, s.stage_entered_at from t.paying(t.kept('subscription')) s $$,
    $$ values ('cancelled', 'ended', 'basic', t.kept('kim'), '2026-01-05T09:00:00Z'::timestamptz, '2026-02-05T10:00:00Z'::timestamptz, '2026-02-05T10:00:00Z'::timestamptz) $$,
    'and it remembers when');

-- test: without a trial it is active at once
select results_eq(
    $$ select p, s.stage, s.status from unnest(array['{}', '{"trial": false}', '{"trial": null}', '{"trial": true}']::jsonb[]) with ordinality p(p, n),
           lateral t.paying(pg_temp.started(p)) s order by n $$,
    $$ values ('{}'::jsonb, 'active', 'live'), ('{"trial": false}', 'active', 'live'), ('{"trial": null}', 'active', 'live'),
           ('{"trial": true}', 'trialing', 'live') $$, 'a trial is a state of its own');

-- test: malformed and unknown are raised, and nothing is started
select throws_ok(format('select t.report_on_customer(null, ''subscription_started'', %L)', p), 'PT422', null, p::text)
from unnest(array['{}', '{"person_id": null}', '{"person_id": "kim"}', '{"person_id": "00000000-0000-4000-8000-000000000000", "trial": "yes"}']::jsonb[]) p;
select t.raises($$ select pg_temp.started(jsonb_build_object('person_id', gen_random_uuid())) $$, 'PT404', 'no_such_person', 'a person nobody knows');
select throws_ok($$ select t.report_on_customer(null, 'payment_succeeded') $$, 'PT422', null, 'a payment for nothing');
select t.act_as('admin');
select t.raises($$ select pg_temp.started() $$, 'PT409', 'writer_not_allowed', 'an admin starts none');
select t.act_as('app');
select t.raises($$ select pg_temp.started() $$, 'PT409', 'writer_not_allowed', 'nor an app');
select t.act_as('ai');
select t.raises($$ select pg_temp.started() $$, 'PT409', 'ai_forbidden', 'nor an assistant');
select is_empty($$ select from leadline.subscriptions $$, 'none');

-- test: a report that comes twice is one: a start, a payment, a decision
select t.keep('subscription', pg_temp.started('{}', 's-1'));
select results_eq(
    $$ select (j ->> 'subscription_id')::uuid, j ->> 'verdict', (j ->> 'replayed')::bool
       from leadline.log_in_journal('customer_activity', null, 'subscription_started', jsonb_build_object('person_id', t.kept('kim')), 's-1') j $$,
    $$ values (t.kept('subscription'), 'applied', true) $$, 'the original');
select t.report_on_customer(t.kept('subscription'), 'payment_failed', '{}', 'p-1');
select t.report_on_customer(t.kept('subscription'), 'payment_succeeded', '{}', 'p-2');
select results_eq(
    $$ select j ->> 'verdict', j ->> 'to_stage', (j ->> 'replayed')::bool from leadline.log_in_journal('customer_activity', t.kept('subscription'), 'payment_failed', '{}', 'p-1') j $$,
    $$ values ('applied', 'past_due', true) $$, 'a redelivered failure');
select results_eq($$ select s.stage, s.seq from t.paying(t.kept('subscription')) s $$, $$ values ('active', 3) $$, 'does not undo the payment');

-- test: a customer may have several
select t.keep('one', pg_temp.started()), t.keep('two', pg_temp.started('{"plan": "extra"}'));
select t.report_on_customer(t.kept('one'), 'subscription_cancelled');
select results_eq($$ select (t.paying(t.kept(x))).stage from unnest('{one,two}'::text[]) x $$, $$ values ('cancelled'), ('active') $$, 'each its own');

-- test: no payment moves a relationship or a lead
select t.keep('subscription', pg_temp.started('{"trial": true}'));
select t.report_on_customer(t.kept('subscription'), 'payment_succeeded');
select results_eq($$ select c.stage, c.seq from t.contact(t.kept('kim')) c $$, $$ values ('prospect', 0) $$, 'that is a person''s to say');

-- test: renewal: one decision a period, in its order
select t.keep('subscription', pg_temp.started());
select results_eq(
    $$ select x, r.verdict, r.rule, r.to_stage, r.changes
       from (values (1, 'renewal_opened', '{"period_start": "2027-01-05", "period_end": "2028-01-05"}'::jsonb), (2, 'renewal_renewed', '{}'),
           (3, 'renewal_opened', '{"period_start": "2028-01-05", "period_end": "2029-01-05"}'),
                    (4, 'renewal_churned', '{"reason": "too dear"}')) y(n, x, p), lateral t.report_on_customer(t.kept('subscription'), x, p) r order by n $$,
    $$ values ('renewal_opened', 'applied', null, 'active', '{"renewal_cycle": [null, {"period_start": "2027-01-05", "period_end": "2028-01-05", "stage": "open"}]}'::jsonb),
              ('renewal_renewed', 'applied', null, 'active', '{"renewal_cycle": [{"period_start": "2027-01-05", "period_end": "2028-01-05", "stage": "open"}, {"period_start": "2027-01-05", "period_end": "2028-01-05", "stage": "renewed"}]}'),
              ('renewal_opened', 'applied', null, 'active', '{"renewal_cycle": [null, {"period_start": "2028-01-05", "period_end": "2029-01-05", "stage": "open"}]}'),
              ('renewal_churned', 'applied', null, 'active', '{"renewal_cycle": [{"period_start": "2028-01-05", "period_end": "2029-01-05", "stage": "open"}, {"period_start": "2028-01-05", "period_end": "2029-01-05", "stage": "churned"}]}') $$,
    'open, renewed, open, churned');
select results_eq($$ select * from pg_temp.cycles(t.kept('subscription')) $$, $$ values ('2027-01-05'::date, '2028-01-05'::date, 'renewed'),
    ('2028-01-05', '2029-01-05', 'churned') $$, 'one row a cycle');
select is((t.paying(t.kept('subscription'))).stage, 'active', 'a decision is no payment: the subscription stands where it stood');

-- test: with several open, the earliest is meant unless one is named
select t.keep('subscription', pg_temp.started());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', jsonb_build_object('period_start', y || '-01-01', 'period_end', y + 1 || '-01-01')) from unnest('{2028,2027,2029}'::int[]) y;
select t.report_on_customer(t.kept('subscription'), 'renewal_renewed');
select t.report_on_customer(t.kept('subscription'), 'renewal_churned', '{"period_start": "2029-01-01", "reason": "too dear"}');
select results_eq($$ select stage from pg_temp.cycles(t.kept('subscription')) $$, $$ values ('renewed'), ('open'), ('churned') $$, 'in whatever order they were opened');

-- test: decided alike again it is there; decided otherwise there is nothing open to decide
select t.keep('subscription', pg_temp.started());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}');
select t.report_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "too dear"}');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "moved away"}'), 'noted already_there', 'churned already');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_renewed'), 'refused no_open_cycle', 'not renewed after that');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}'), 'noted already_there', 'nor opened again');

-- test: why somebody left is personal: in no journal, and kept with the cycle
select t.keep('subscription', pg_temp.started());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}');
select t.report_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "her cousin does it"}');
select t.report_on_customer(t.kept('subscription'), 'subscription_cancelled', '{"reason": "her cousin does it"}');
select is_empty($$ select a.seq from leadline.customer_activity a where a.subscription_id = t.kept('subscription') and to_jsonb(a)::text ~ 'cousin' $$, 'not in the journal');
select t.act_as('admin');
select results_eq(
    $$ select l.activity_type, l.payload ->> 'reason' from leadline.customer_timeline l where l.subscription_id = t.kept('subscription') and l.payload ? 'reason' order by l.seq $$,
    $$ values ('renewal_churned', 'her cousin does it'), ('subscription_cancelled', 'her cousin does it') $$, 'in the timeline');
select t.act_as('analyst');
select is_empty($$ select from leadline.customer_timeline l where l.payload ? 'reason' $$, 'not for an analyst');
select is(has_column_privilege('leadline_reader', 'leadline.renewal_cycles', 'churn_reason', 'select'), false, 'nor in the table');

-- test: a customer of several subscriptions is read with the latest cycle of each
select t.keep('subscription', pg_temp.started());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}');
select t.act_as('admin');
select results_eq(
    $$ select s.stage, s.stage_label, s.status, s.plan, s.period_start, s.period_end, s.renewal_stage from leadline.subscription_overview s where s.subscription_id = t.kept('subscription') $$,
    $$ values ('active', 'Active', 'live', 'basic', '2027-01-01'::date, '2028-01-01'::date, 'open') $$, 'subscription_overview');

-- test: a member sees the subscriptions of people they see, another workspace none
select t.act_as('admin');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('lee', t.someone(jsonb_build_object('assigned_user_id', t.person('member'))));
select t.act_as('billing');
select t.keep('theirs', pg_temp.started()), t.keep('mine', pg_temp.started(jsonb_build_object('person_id', t.kept('lee'))));
select t.report_on_customer(t.kept(x), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}') from unnest('{mine,theirs}'::text[]) x;
select t.act_as('member');
select results_eq($$ select s.subscription_id from leadline.subscriptions s $$, $$ select t.kept('mine') $$, 'subscriptions');
select results_eq($$ select c.subscription_id from leadline.renewal_cycles c $$, $$ select t.kept('mine') $$, 'cycles');
select results_eq($$ select distinct l.subscription_id from leadline.customer_timeline l $$, $$ select t.kept('mine') $$, 'history');
select results_eq($$ select distinct a.subscription_id from leadline.customer_activity a $$, $$ select t.kept('mine') $$, 'the journal');
select t.act_as('app', '{}', t.elsewhere());
select is_empty($$ select from leadline.subscriptions $$, 'none');
select is_empty($$ select from leadline.renewal_cycles $$, 'no cycle');

-- test: a subscription of a person who was merged is the one's who goes on
select t.act_as('admin');
select t.keep('other', t.someone('{"email": "kim@work.example"}'));
select leadline.merge_people(t.kept('kim'), t.kept('other'));
select t.act_as('billing');
select is((t.paying(pg_temp.started())).person_id, t.kept('other'), 'who they are');

-- test: refusals are kept
select t.keep('subscription', t.subscription('cancelled'));
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}');
select results_eq(
    $$ select l.activity_type, l.rule from leadline.customer_timeline l where l.subscription_id = t.kept('subscription') and l.verdict = 'refused' $$,
    $$ values ('renewal_opened', 'subscription_is_cancelled') $$,
    'with their rules');

-- test: nobody changes a subscription or a cycle past the journal
select t.keep('subscription', pg_temp.started());
select throws_ok($$ update leadline.subscriptions set stage = 'past_due' $$, '42501', null, 'a subscription');
select throws_ok($$ update leadline.renewal_cycles set stage = 'renewed' $$, '42501', null, 'a cycle');
select throws_ok($$ insert into leadline.renewal_cycles (workspace_id, subscription_id, period_start, period_end) values (t.workspace(), t.kept('subscription'), '2027-01-01', '2028-01-01') $$,
    '42501', null,
                 'none is made up');
select throws_ok($$ delete from leadline.customer_activity $$, '42501', null, 'no history is lost');

-- test: nor the owner of the tables; a hand's change of a subscription is written down, one of a cycle found
-- privileged: only a superuser can try
select t.keep('subscription', pg_temp.started());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}');
select t.act_as('superuser');
select throws_ok($$ delete from leadline.customer_activity where subscription_id = t.kept('subscription') $$, 'PT405', null, 'removed');
select throws_ok($$ truncate leadline.customer_activity $$, 'PT405', null, 'emptied');
update leadline.subscriptions set plan = 'extra' where subscription_id = t.kept('subscription');
select results_eq(
    $$ select a.activity_type, a.changes from leadline.customer_activity a where a.subscription_id = t.kept('subscription') and a.seq = 3 $$,
    $$ values ('direct_change', '{"plan": ["basic", "extra"]}'::jsonb) $$, 'old and new');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
update leadline.renewal_cycles set stage = 'renewed', settled_at = '2026-03-01T10:00:00Z' where subscription_id = t.kept('subscription');
select is((select count(*) from leadline.verify_state() v where v.subject_id = t.kept('subscription')), 1::bigint, 'and finds a cycle that was decided by hand');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.keep('subscription', pg_temp.started('{"trial": true}'));
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2027-01-01", "period_end": "2028-01-01"}', null, '2026-03-01T10:00:00Z');
select t.report_on_customer(t.kept('subscription'), 'renewal_renewed', '{}', null, '2026-02-01T10:00:00Z');
select t.report_on_customer(t.kept('subscription'), 'payment_failed'), t.report_on_customer(t.kept('subscription'), 'subscription_cancelled', '{"reason": "x"}');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- The whole matrix of a subscription, and of its renewal cycles: every word of billing at every stage; nobody else's counts (seed 003).
-- What is expected is written here by hand.
--   →stage  moved          F  a cycle changed      N  noted        R  refused; after N or R the rule, spelled in t.words
-- Subscriptions have no cycle; `cycle` is one that is active and has an open one for 2026, and `cancelled_cycle` the same, cancelled.
create table t.words (word text, rule text);
insert into t.words values
    ('there', 'already_there'), ('over', 'subscription_is_cancelled'), ('period', 'period_malformed'), ('open', 'no_open_cycle'), ('why', 'reason_required'), ('first', 'not_first'),
    ('system', 'system_only'), ('writer', 'writer_not_allowed'), ('ai', 'ai_forbidden');
create table t.matrix (who text, activity_type text, payload jsonb, trialing text, active text, past_due text, cancelled text, cycle text, cancelled_cycle text);
insert into t.matrix values
--   who        activity                  payload                                                           trialing     active       past_due     cancelled   cycle        cancelled_cycle
    ('billing', 'payment_succeeded',      '{}',                                                             '→active',   'N',         '→active',   'N over',   'N',         'N over'),
    ('billing', 'payment_succeeded',      '{"amount": 20, "currency": "EUR"}',                              '→active',   'N',         '→active',   'N over',   'N',         'N over'),
    ('billing', 'payment_failed',         '{}',                                                             '→past_due', '→past_due', 'N there',   'N over',   '→past_due', 'N over'),
    ('billing', 'subscription_cancelled', '{}',                                                             '→cancelled', '→cancelled', '→cancelled', 'N there', '→cancelled', 'N there'),
    ('billing', 'subscription_cancelled', '{"reason": "too dear"}',                                         '→cancelled', '→cancelled', '→cancelled', 'N there', '→cancelled', 'N there'),
    ('billing', 'renewal_opened',         '{"period_start": "2026-01-01", "period_end": "2027-01-01"}',     'F',         'F',         'F',         'R over',   'N there',   'R over'),
    ('billing', 'renewal_opened',         '{"period_start": "2027-01-01", "period_end": "2028-01-01"}',     'F',         'F',         'F',         'R over',   'F',         'R over'),
    ('billing', 'renewal_opened',         '{"period_start": "2026-06-01", "period_end": "2027-06-01"}',     'F',         'F',         'F',         'R over',   'R period',  'R over'),
    ('billing', 'renewal_opened',         '{"period_start": "2027-01-01", "period_end": "2027-01-01"}',     'R period',  'R period',  'R period',  'R over',   'R period',  'R over'),
    ('billing', 'renewal_renewed',        '{}',                                                             'R open',    'R open',    'R open',    'R over',   'F',         'R over'),
    ('billing', 'renewal_renewed',        '{"period_start": "2026-01-01"}',                                 'R open',    'R open',    'R open',    'R over',   'F',         'R over'),
    ('billing', 'renewal_renewed',        '{"period_start": "2027-01-01"}',                                 'R open',    'R open',    'R open',    'R over',   'R open',    'R over'),
    ('billing', 'renewal_churned',        '{"reason": "too dear"}',                                         'R open',    'R open',    'R open',    'R open',   'F',         'F'),
    ('billing', 'renewal_churned',        '{"reason": "too dear", "period_start": "2026-01-01"}',           'R open',    'R open',    'R open',    'R open',   'F',         'F'),
    ('billing', 'renewal_churned',        '{}',                                                             'R why',     'R why',     'R why',     'R why',    'R why',     'R why'),
    ('billing', 'renewal_churned',        '{"reason": " "}',                                                'R why',     'R why',     'R why',     'R why',    'R why',     'R why'),
    ('billing', 'subscription_started',   '{"person_id": "00000000-0000-4000-8000-000000000000"}',          'R first',   'R first',   'R first',   'R first',  'R first',   'R first'),
    ('billing', 'direct_change',          '{}',                                                             'R system',  'R system',  'R system',  'R system', 'R system',  'R system');
-- One writer: the same words of anybody else change nothing, wherever the subscription stands.
insert into t.matrix
select w.who, m.activity_type, m.payload, w.cell, w.cell, w.cell, w.cell, w.cell, w.cell
from t.matrix m
cross join (values ('owner', 'R writer'), ('admin', 'R writer'), ('member', 'R writer'), ('app', 'R writer'), ('importer', 'R writer'), ('ai', 'R ai')) w(who, cell)
where m.activity_type <> 'direct_change';
create view t.cells as
    select m.who, m.activity_type, m.payload, s.place, s.stage, case when s.cell like '→%' then s.cell else concat_ws(' ', left(s.cell, 1), w.rule) end as cell
    from t.matrix m
    cross join lateral (
        values ('trialing', 'trialing', m.trialing), ('active', 'active', m.active), ('past_due', 'past_due', m.past_due), ('cancelled', 'cancelled', m.cancelled),
               ('cycle', 'active', m.cycle), ('cancelled_cycle', 'cancelled', m.cancelled_cycle)) s(place, stage, cell)
    left join t.words w on w.word = substr(s.cell, 3);
grant select on t.cells to public;
-- A subscription at a place.
create function t.place(p_place text) returns uuid language plpgsql as $$
declare
    v_who name := session_user;
    v_subscription uuid := t.subscription(case when p_place like '%cycle' then 'active' else p_place end);
begin
    if p_place like '%cycle' then
        perform t.act_as('billing');
        perform t.report_on_customer(v_subscription, 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}');
        if p_place = 'cancelled_cycle' then perform t.report_on_customer(v_subscription, 'subscription_cancelled'); end if;
        execute format('set local session authorization %I', v_who);
    end if;
    return v_subscription;
end $$;
create function t.said(p_place text, p_activity_type text, p_payload jsonb) returns text language sql as $$
    select t.as_cell(r.verdict, r.rule, r.from_stage, r.to_stage) from t.report_on_customer(t.place(p_place), p_activity_type, p_payload) r
$$;
select t.here();
-- Assertion: whoever acts is answered as the matrix says.
create function pg_temp.as_written(p_who text) returns text language sql as $f$
    select results_eq(
        format($$ select activity_type, payload, place, t.said(place, activity_type, payload) from t.cells where who = %L order by activity_type, payload, place $$, p_who),
        format($$ select activity_type, payload, place, cell from t.cells where who = %L order by activity_type, payload, place $$, p_who),
        'the database decides what the seed says, for ' || p_who)
$f$;

-- test: every word of billing at every stage
select t.act_as('billing');
select pg_temp.as_written('billing');

-- test: nobody else writes here, not the owner, no app, no person
select t.act_as('owner');
select pg_temp.as_written('owner');
select t.act_as('admin');
select pg_temp.as_written('admin');
select t.act_as('member');
select pg_temp.as_written('member');
select t.act_as('app');
select pg_temp.as_written('app');
select t.act_as('importer');
select pg_temp.as_written('importer');
select t.act_as('ai');
select pg_temp.as_written('ai');

-- test: a move sets the status the stage implies, and cancelled has its time
select t.act_as('billing');
select is_empty(
    $$ select c.activity_type, c.payload, c.place, r.to_stage, s.*
       from t.cells c, lateral t.report_on_customer(t.place(c.place), c.activity_type, c.payload) r, lateral t.paying(r.subscription_id) s
       where c.who = 'billing' and (
             r.from_stage <> c.stage or (s.stage, s.status) is distinct from (r.to_stage, r.to_status)
          or r.to_stage <> case when c.cell like '→%' then substr(c.cell, 2) else c.stage end
          or s.status <> case s.stage when 'cancelled' then 'ended' else 'live' end or (s.cancelled_at is not null) <> (s.stage = 'cancelled')
          or (r.verdict = 'applied') <> (c.cell like any ('{→%,F}'))) $$,
    'live, or ended');

-- test: after every word at every stage, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.act_as('billing');
select count(t.said(place, activity_type, payload)) from t.cells where who = 'billing';
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- test: no word of the vocabulary and no stage is missing here
select set_eq(
    $$ select a.activity_type from leadline.activity_types a where 'customer_activity' = any (a.journals) $$, $$ select distinct activity_type from t.cells $$, 'every word');
select set_eq(
    $$ select distinct r.from_stage from leadline.transition_rules r where r.workflow = 'subscription' $$, $$ select distinct stage from t.cells $$, 'four stages');

-- test: what happened before the present stage was entered moves nothing
select t.act_as('billing');
select results_eq(
    $$ select x, t.verdict_on_customer(t.subscription('past_due'), x, '{}', null, '2026-01-01T12:30:00Z') from unnest('{payment_succeeded,payment_failed,subscription_cancelled}'::text[]) x $$,
    $$ select x, 'noted superseded' from unnest('{payment_succeeded,payment_failed,subscription_cancelled}'::text[]) x $$, 'late news');

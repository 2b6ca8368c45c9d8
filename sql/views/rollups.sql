-- How far people, their requests and their companies have come (seed 003): each view names the unit that it counts, and where one
-- unit is told from another the rule stands beside it.

create or replace view leadline.request_ledger with (security_invoker = true) as
select q.workspace_id, q.request_id, q.lead_id, q.person_id, q.activity_id, q.request_class, q.source, q.received_at, q.route, q.exclusion,
    q.owner_user_id, q.first_response_at, q.not_applicable_at, extract(epoch from q.first_response_at - q.received_at)::numeric as first_response_s,
    case when q.first_response_at is not null then 'responded' when q.not_applicable_at is not null then 'not_applicable' else 'running' end as clock,
    q.person_id as record_id, q.decision, q.decision_reason, q.disposition_at, extract(epoch from q.disposition_at - q.received_at)::numeric as disposition_s,
    q.qualified_at, c.is_hand_raise, q.exclusion is null and (c.is_hand_raise or c.is_on_score_path) as is_mql, m.name as owner
from leadline.requests q
cross join lateral (values (q.request_class in ('demo', 'pricing_question', 'quote', 'trial_signup', 'sales_callback'),
                            q.request_class in ('score', 'requalification'))) c (is_hand_raise, is_on_score_path)
left join leadline.memberships m on m.workspace_id = q.workspace_id and m.user_id = q.owner_user_id;
comment on view leadline.request_ledger is 'Unit: request. One row a buyer''s action (seed 003): class, way, owner, the decision, and its own clock in seconds.';
comment on column leadline.request_ledger.record_id is 'The person who asked, as person_id: the ledger''s word of seed 003.';
comment on column leadline.request_ledger.clock is 'running until a person answers (responded) or the lead closes or it was excluded (not_applicable).';
comment on column leadline.request_ledger.first_response_s is 'Seconds from received_at to the first contact by a person.';
comment on column leadline.request_ledger.decision is 'accepted or rejected by sales, as it stands; null while nobody decided.';
comment on column leadline.request_ledger.disposition_at is 'When the decision was set for the first time.';
comment on column leadline.request_ledger.disposition_s is 'Seconds from received_at to the first decision.';
comment on column leadline.request_ledger.qualified_at is 'When the lead was qualified on the ground of this request.';
comment on column leadline.request_ledger.is_hand_raise is 'demo, pricing_question, quote, trial_signup or sales_callback: the buyer asked for sales.';
comment on column leadline.request_ledger.is_mql is 'It passed the exclusions, and is a hand-raise or came on the score path (class score or requalification). A person''s first is their MQL; later ones count here.';
comment on column leadline.request_ledger.owner is 'What this workspace calls owner_user_id.';

-- The milestones in their order. Position 0 is no milestone: who was excluded is shown there and is in no denominator.
create or replace view leadline.milestones with (security_invoker = true) as
select m.position, m.milestone, m.label, m.meaning
from (values
    (0, 'excluded', 'Excluded', 'Asked, and was turned away before anything else: competitor, test or spam. Counted in no step.'),
    (1, 'lead', 'Lead', 'A lead, or a request that was not excluded.'),
    (2, 'mql', 'MQL', 'A request that was not excluded and is a hand-raise or came on the score path.'),
    (3, 'sal', 'SAL', 'Sales accepted a request, or the lead where it has none.'),
    (4, 'sql', 'SQL', 'A lead was qualified.'),
    (5, 'opportunity', 'Opportunity', 'A deal: an opportunity that has had an amount and a close date and was not withdrawn, or a lead that is its own deal at proposal, won or sale.'),
    (6, 'customer', 'Customer', 'The person is or was client or beyond. Of a request: besides, the deal that came of it was won.')) m (position, milestone, label, meaning);
comment on view leadline.milestones is 'One row a milestone of lifecycle_funnel: its order and what it means.';

create or replace view leadline.merged_people with (security_invoker = true) as
with recursive circle as (
    select p.workspace_id, p.person_id, p.person_id as goes_on, p.account_id, p.created_at from leadline.people p
    where not exists (select from leadline.people s where s.workspace_id = p.workspace_id and s.person_id = p.merged_into)
    union all
    select p.workspace_id, p.person_id, c.goes_on, p.account_id, p.created_at
    from circle c join leadline.people p on p.workspace_id = c.workspace_id and p.merged_into = c.person_id
)
select c.workspace_id, c.person_id, c.goes_on,
    first_value(c.account_id) over (partition by c.workspace_id, c.goes_on order by c.account_id is null, c.person_id <> c.goes_on, c.created_at, c.person_id) as account_id
from circle c;
comment on view leadline.merged_people is 'Unit: person as first met. One row a person: the one who goes on for them, themselves when nobody merged them, and the account of both.';
comment on column leadline.merged_people.goes_on is 'The last in the chain of merged_into that the reader sees.';
comment on column leadline.merged_people.account_id is 'The account of the one who goes on; has that one none, of whoever was merged into them and was met first.';

create or replace view leadline.merged_leads with (security_invoker = true) as
with recursive followed as (
    select l.workspace_id, l.lead_id, l.lead_id as goes_on from leadline.leads l
    where not exists (select from leadline.leads s where s.workspace_id = l.workspace_id and s.lead_id = l.merged_into)
    union all
    select l.workspace_id, l.lead_id, f.goes_on
    from followed f join leadline.leads l on l.workspace_id = f.workspace_id and l.merged_into = f.lead_id
)
select f.workspace_id, f.lead_id, f.goes_on from followed f;
comment on view leadline.merged_leads is 'Unit: lead. One row a lead: the one that goes on for it, itself when nobody merged it.';

create or replace view leadline.lead_milestones with (security_invoker = true) as
select a.workspace_id, a.lead_id, a.activity_id, t.position, t.is_won, t.reached_at, case when t.position = 3 then (a.payload ->> 'request_id')::uuid end as request_id
from leadline.lead_activity a
join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.lead_id
left join leadline.requests q on a.seq = 1 and q.workspace_id = a.workspace_id and q.activity_id = a.activity_id
left join (values
    ('qualification', 'accepted', 3, false), ('qualification', 'qualified', 4, false),
    ('sales', 'qualified', 4, false), ('sales', 'proposal', 5, false), ('sales', 'won', 5, true),
    ('appointment', 'sale', 5, true)) s (workflow, stage, position, is_won) on s.workflow = l.workflow and s.stage = a.to_stage
left join leadline.rule_permitted p on p.workflow = l.workflow and p.stage = a.to_stage and p.status = a.to_status
cross join lateral (values (
    case when a.activity_type = 'request_accepted' then 3 when s.position is not null then s.position
         when a.seq = 1 and q.exclusion is null or a.seq > 1 and p.is_open then 1 end,
    coalesce(s.is_won, false),
    case when a.activity_type = 'lead_imported' and s.position is not null then (a.payload ->> 'entered_at')::timestamptz else a.occurred_at end)) t (position, is_won, reached_at)
where a.verdict = 'applied' and (a.seq = 1 or a.from_stage <> a.to_stage or a.activity_type = 'request_accepted') and t.position is not null;
comment on view leadline.lead_milestones is 'Unit: entry of a lead. One row a time that a lead, or a request on it, reached a milestone; by its journal, so that a loss or a correction afterwards takes nothing back.';
comment on column leadline.lead_milestones.position is 'Which, by leadline.milestones.';
comment on column leadline.lead_milestones.is_won is 'The lead, its own deal, was won.';
comment on column leadline.lead_milestones.request_id is 'The request that was accepted.';

create or replace view leadline.opportunity_milestones with (security_invoker = true) as
select distinct on (f.workspace_id, f.opportunity_id)
    f.workspace_id, f.opportunity_id, f.person_id, f.activity_id, f.occurred_at as reached_at,
    min(f.occurred_at) filter (where f.to_stage = 'closedwon') over (partition by f.workspace_id, f.opportunity_id) as won_at
from (
    select a.workspace_id, a.opportunity_id, o.person_id, a.activity_id, a.seq, a.occurred_at, a.to_stage,
        bool_or(a.changes #> '{amount,1}' <> 'null') over so_far and bool_or(a.changes #> '{close_date,1}' <> 'null') over so_far as is_deal
    from leadline.opportunity_activity a
    join leadline.opportunities o on o.workspace_id = a.workspace_id and o.opportunity_id = a.opportunity_id and o.status <> 'withdrawn'
    where a.verdict = 'applied'
    window so_far as (partition by a.workspace_id, a.opportunity_id order by a.seq)
) f
where f.is_deal
order by f.workspace_id, f.opportunity_id, f.seq;
comment on view leadline.opportunity_milestones is 'Unit: opportunity. One row an opportunity that has had an amount and a close date and was not withdrawn: since when, and when it was first won.';
comment on column leadline.opportunity_milestones.won_at is 'When it was won for the first time, also where that was corrected.';

create or replace view leadline.person_milestones with (security_invoker = true) as
with circle as materialized (  -- once, where the planner knows nothing of the tables yet and would ask for it row by row; so below
    select g.workspace_id, g.person_id, g.goes_on, g.account_id from leadline.merged_people g
), reached as materialized (
    select l.workspace_id, l.person_id, m.position, m.reached_at
    from leadline.lead_milestones m join leadline.leads l on l.workspace_id = m.workspace_id and l.lead_id = m.lead_id
    union all
    select q.workspace_id, q.person_id, case when q.exclusion is not null then 0 when q.is_mql then 2 else 1 end, q.received_at from leadline.request_ledger q
    union all
    select o.workspace_id, o.person_id, 5, o.reached_at from leadline.opportunity_milestones o
    union all
    select r.workspace_id, r.person_id, 6, r.occurred_at from leadline.relationship_activity r
    where r.from_stage <> r.to_stage and r.to_stage in ('client', 'onboarding', 'active')
)
select c.workspace_id, c.goes_on as person_id, c.account_id, max(r.position) as furthest,
    coalesce(min(r.reached_at) filter (where r.position >= 1), min(r.reached_at)) as first_at,
    min(r.reached_at) filter (where r.position >= 2) as mql_at, min(r.reached_at) filter (where r.position >= 3) as sal_at,
    min(r.reached_at) filter (where r.position >= 4) as sql_at, min(r.reached_at) filter (where r.position >= 5) as opportunity_at,
    min(r.reached_at) filter (where r.position >= 6) as customer_at
from circle c
join reached r on r.workspace_id = c.workspace_id and r.person_id = c.person_id
group by c.workspace_id, c.goes_on, c.account_id;
comment on view leadline.person_milestones is 'Unit: person; whoever was merged counts as the one that goes on. One row a person: when they reached each milestone, or one beyond it, for the first time.';
comment on column leadline.person_milestones.furthest is 'Position of the furthest milestone ever reached, by leadline.milestones; 0: all that came from them was excluded.';
comment on column leadline.person_milestones.first_at is 'When their first lead was made or their first request came.';

create or replace view leadline.request_milestones with (security_invoker = true) as
with told as materialized (
    select m.workspace_id, m.lead_id, m.activity_id, m.position, m.is_won, m.request_id from leadline.lead_milestones m where m.position > 1
), followed as materialized (
    select f.workspace_id, f.lead_id, f.goes_on from leadline.merged_leads f
), circle as materialized (
    select g.workspace_id, g.person_id, g.goes_on from leadline.merged_people g
), accepted as materialized (
    select distinct m.workspace_id, m.request_id from told m where m.request_id is not null
), own_deal as materialized (  -- the last time that a lead, its own deal, came so far; a request is compared with that one row
    select f.workspace_id, f.goes_on, max(m.activity_id) filter (where m.position >= 4) as qualified_by,
        max(m.activity_id) filter (where m.position >= 5) as deal_by, max(m.activity_id) filter (where m.is_won) as won_by
    from told m
    join leadline.leads l on l.workspace_id = m.workspace_id and l.lead_id = m.lead_id and l.workflow <> 'qualification'
    join followed f on f.workspace_id = m.workspace_id and f.lead_id = m.lead_id
    group by f.workspace_id, f.goes_on
), converted as materialized (
    select f.workspace_id, f.goes_on, bool_or(o.won_at is not null) as is_won
    from followed f
    join leadline.leads l on l.workspace_id = f.workspace_id and l.lead_id = f.lead_id
    join leadline.opportunity_milestones o on o.workspace_id = l.workspace_id and o.opportunity_id = l.opportunity_id
    group by f.workspace_id, f.goes_on
), customers as materialized (
    select distinct c.workspace_id, c.goes_on
    from leadline.relationship_activity r
    join circle c on c.workspace_id = r.workspace_id and c.person_id = r.person_id
    where r.from_stage <> r.to_stage and r.to_stage in ('client', 'onboarding', 'active')
)
select q.workspace_id, q.request_id, q.received_at,
    case when q.exclusion is not null then 0
         when u.goes_on is not null and (q.qualified_at is not null and v.is_won or d.won_by > q.activity_id) then 6
         when q.qualified_at is not null and v.goes_on is not null or d.deal_by > q.activity_id then 5
         when q.qualified_at is not null or d.qualified_by > q.activity_id then 4
         when a.request_id is not null then 3
         when q.is_mql then 2 else 1 end as furthest
from leadline.request_ledger q
left join accepted a on a.workspace_id = q.workspace_id and a.request_id = q.request_id
left join followed f on f.workspace_id = q.workspace_id and f.lead_id = q.lead_id
left join own_deal d on d.workspace_id = f.workspace_id and d.goes_on = f.goes_on
left join converted v on v.workspace_id = f.workspace_id and v.goes_on = f.goes_on
left join circle c on c.workspace_id = q.workspace_id and c.person_id = q.person_id
left join customers u on u.workspace_id = c.workspace_id and u.goes_on = c.goes_on;
comment on view leadline.request_milestones is 'Unit: request. One row a request: how far it came. It reaches what its lead reaches after it came in; in qualification, what was made of it by name: accepted, qualified, converted.';
comment on column leadline.request_milestones.furthest is 'Position of the furthest milestone, by leadline.milestones; 0: it was excluded.';

create or replace view leadline.lifecycle_funnel with (security_invoker = true) as
with people as (
    select p.workspace_id, p.account_id, p.first_at, p.furthest from leadline.person_milestones p
), units as (
    select p.workspace_id, 'person' as unit, p.first_at, p.furthest from people p
    union all
    select q.workspace_id, 'request' as unit, q.received_at, q.furthest from leadline.request_milestones q
    union all
    select p.workspace_id, 'account' as unit, coalesce(min(p.first_at) filter (where p.furthest > 0), min(p.first_at)), max(p.furthest)
    from people p where p.account_id is not null
    group by p.workspace_id, p.account_id
), cohorts as (
    select u.workspace_id, u.unit, date_trunc('month', u.first_at at time zone w.time_zone)::date as cohort_month, m.position, m.milestone,
        (count(*) filter (where case m.position when 0 then u.furthest = 0 else u.furthest >= m.position end))::int as reached
    from units u
    join leadline.workspaces w on w.workspace_id = u.workspace_id
    cross join leadline.milestones m
    group by u.workspace_id, u.unit, cohort_month, m.position, m.milestone
)
select c.workspace_id, c.unit, c.cohort_month, c.milestone, c.position, c.reached,
    case when c.position > 1 then round(c.reached::numeric / nullif(lag(c.reached) over (partition by c.workspace_id, c.unit, c.cohort_month order by c.position), 0), 4) end
        as rate_from_previous
from cohorts c;
comment on view leadline.lifecycle_funnel is
    'Unit: as the column unit says, person, request or account; like is divided by like, rows of two units never by each other. One row a cohort and milestone: how many of those who first came in that month have reached it, or one beyond it, so far. Lost ones are included, whoever comes again counts once. An account reaches a milestone when the first of its contacts does.';
comment on column leadline.lifecycle_funnel.cohort_month is 'First day of the month in which the unit first came (a request: was received; an account: its first contact came), in the workspace''s time zone.';
comment on column leadline.lifecycle_funnel.milestone is 'By leadline.milestones. excluded (position 0) is beside the funnel: units of which nothing but excluded requests is known.';
comment on column leadline.lifecycle_funnel.reached is 'Units of the cohort whose furthest milestone is this one or one beyond.';
comment on column leadline.lifecycle_funnel.rate_from_previous is 'reached divided by reached of the step before, of the same unit and cohort; null for the first step and after an empty one.';

create or replace view leadline.account_rollup with (security_invoker = true) as
with contacts as materialized (
    select g.workspace_id, g.person_id, g.goes_on, g.account_id from leadline.merged_people g
), followed as materialized (
    select f.workspace_id, f.lead_id, f.goes_on from leadline.merged_leads f
), reached as materialized (
    select m.workspace_id, m.person_id, m.mql_at, m.sal_at, m.sql_at, m.opportunity_at, m.customer_at from leadline.person_milestones m
), firsts as materialized (
    -- Filtered in the count, not in the join: the planner would take who goes on for a few and go through all for each.
    select g.workspace_id, g.account_id, (count(*) filter (where g.goes_on = g.person_id))::int as people, min(m.mql_at) as mql_at, min(m.sal_at) as sal_at, min(m.sql_at) as sql_at,
        min(m.opportunity_at) as opportunity_at, min(m.customer_at) as customer_at
    from contacts g
    left join reached m on m.workspace_id = g.workspace_id and m.person_id = g.person_id
    where g.account_id is not null
    group by g.workspace_id, g.account_id
), requested as materialized (
    select c.workspace_id, c.account_id, (count(*) filter (where q.exclusion is null))::int as requests,
        (count(*) filter (where q.exclusion is not null))::int as excluded_requests
    from leadline.requests q join contacts c on c.workspace_id = q.workspace_id and c.person_id = q.person_id
    where c.account_id is not null
    group by c.workspace_id, c.account_id
), led as materialized (
    select c.workspace_id, c.account_id, (count(*) filter (where f.goes_on = f.lead_id))::int as leads
    from leadline.leads l
    join contacts c on c.workspace_id = l.workspace_id and c.person_id = l.person_id
    join followed f on f.workspace_id = l.workspace_id and f.lead_id = l.lead_id
    where c.account_id is not null
    group by c.workspace_id, c.account_id
), earned as materialized (
    select t.workspace_id, t.account_id, jsonb_object_agg(t.currency, t.amount) as won_lead_value
    from (
        select l.workspace_id, c.account_id, coalesce(l.currency::text, 'XXX') as currency, sum(l.deal_value::numeric) as amount
        from leadline.leads l join contacts c on c.workspace_id = l.workspace_id and c.person_id = l.person_id
        where c.account_id is not null and l.stage in ('won', 'sale') and l.deal_value is not null
        group by l.workspace_id, c.account_id, coalesce(l.currency::text, 'XXX')
    ) t
    group by t.workspace_id, t.account_id
), deals as materialized (
    select o.workspace_id, coalesce(o.account_id, c.account_id) as account_id, o.status, coalesce(o.currency::text, 'XXX') as currency, count(*) as deals, sum(o.amount::numeric) as amount
    from leadline.opportunities o left join contacts c on c.workspace_id = o.workspace_id and c.person_id = o.person_id
    group by o.workspace_id, coalesce(o.account_id, c.account_id), o.status, coalesce(o.currency::text, 'XXX')
), dealt as materialized (
    select d.workspace_id, d.account_id, (sum(d.deals) filter (where d.status = 'open'))::int as open_opportunities,
        (sum(d.deals) filter (where d.status = 'won'))::int as won_opportunities, (sum(d.deals) filter (where d.status = 'lost'))::int as lost_opportunities,
        jsonb_object_agg(d.currency, d.amount) filter (where d.status = 'won') as won_amount
    from deals d
    where d.account_id is not null
    group by d.workspace_id, d.account_id
), subscribed as materialized (
    select s.workspace_id, coalesce(s.account_id, c.account_id) as account_id, (count(*) filter (where s.status = 'live'))::int as live_subscriptions,
        sum(r.open_cycles)::int as open_renewal_cycles
    from leadline.subscriptions s
    left join contacts c on c.workspace_id = s.workspace_id and c.person_id = s.person_id
    left join (select t.workspace_id, t.subscription_id, count(*) as open_cycles from leadline.renewal_cycles t where t.stage = 'open'
               group by t.workspace_id, t.subscription_id) r on r.workspace_id = s.workspace_id and r.subscription_id = s.subscription_id
    group by s.workspace_id, coalesce(s.account_id, c.account_id)
)
select a.workspace_id, a.account_id, a.name, a.domain, a.kind, a.owner_user_id,
    coalesce(f.people, 0) as people, coalesce(l.leads, 0) as leads, coalesce(q.requests, 0) as requests, coalesce(q.excluded_requests, 0) as excluded_requests,
    (f.mql_at at time zone w.time_zone)::date as mql_on, (f.sal_at at time zone w.time_zone)::date as sal_on, (f.sql_at at time zone w.time_zone)::date as sql_on,
    (f.opportunity_at at time zone w.time_zone)::date as opportunity_on, (f.customer_at at time zone w.time_zone)::date as customer_on,
    coalesce(d.open_opportunities, 0) as open_opportunities, coalesce(d.won_opportunities, 0) as won_opportunities,
    coalesce(d.lost_opportunities, 0) as lost_opportunities, coalesce(d.won_amount, '{}') as won_amount, coalesce(e.won_lead_value, '{}') as won_lead_value,
    coalesce(s.live_subscriptions, 0) as live_subscriptions, coalesce(s.open_renewal_cycles, 0) as open_renewal_cycles
from leadline.accounts a
join leadline.workspaces w on w.workspace_id = a.workspace_id
left join firsts f on f.workspace_id = a.workspace_id and f.account_id = a.account_id
left join requested q on q.workspace_id = a.workspace_id and q.account_id = a.account_id
left join led l on l.workspace_id = a.workspace_id and l.account_id = a.account_id
left join earned e on e.workspace_id = a.workspace_id and e.account_id = a.account_id
left join dealt d on d.workspace_id = a.workspace_id and d.account_id = a.account_id
left join subscribed s on s.workspace_id = a.workspace_id and s.account_id = a.account_id;
comment on view leadline.account_rollup is
    'Unit: account. One row an account. It counts as SQL on the first date any of its contacts enters SQL; later contacts do not count again; so with every milestone. A contact is a person who was not merged into another; what belonged to somebody who was, belongs to the one that goes on.';
comment on column leadline.account_rollup.people is 'Contacts: people of the account, whoever was merged counted as the one that goes on.';
comment on column leadline.account_rollup.leads is 'Leads of its contacts, merged ones counted as the one that goes on.';
comment on column leadline.account_rollup.requests is 'Requests of its contacts that were not excluded.';
comment on column leadline.account_rollup.excluded_requests is 'Requests that were excluded: test, spam, competitor.';
comment on column leadline.account_rollup.mql_on is 'The first date, in the workspace''s time zone, on which any contact reached MQL or a milestone beyond it (leadline.milestones); null: none did. The next four columns alike.';
comment on column leadline.account_rollup.open_opportunities is 'Opportunities that are open. A deal is the account''s that it names, else its person''s; withdrawn ones are in no column.';
comment on column leadline.account_rollup.won_amount is 'Amounts of won opportunities, by currency: {"EUR": 1200.00}; XXX is no currency.';
comment on column leadline.account_rollup.won_lead_value is 'Values of leads that are their own deal and stand at won (sales) or sale (appointment), by currency. Such a lead never has an opportunity: revenue is the sum of both columns, and counts each deal once.';
comment on column leadline.account_rollup.live_subscriptions is 'Subscriptions that are trialing, active or past due.';
comment on column leadline.account_rollup.open_renewal_cycles is 'Renewal cycles that nobody has decided.';

-- The state machines, their stages and the status each stage may carry.
with given (workflow, label, journal, initial_stage, seed) as (values
    ('appointment', 'Contact to appointment', 'lead_activity', 'new', '000'),
    ('sales', 'Sales pipeline', 'lead_activity', 'new', '004 2'),
    ('qualification', 'Qualification', 'lead_activity', 'new', '003'),
    ('relationship', 'Relationship', 'relationship_activity', 'prospect', '002'),
    ('new_business', 'New business', 'opportunity_activity', 'evaluation', '003'),
    ('expansion', 'Expansion', 'opportunity_activity', 'evaluation', '003'),
    ('subscription', 'Subscription', 'customer_activity', 'active', '003'),
    ('workspace', 'Workspace', 'workspace_activity', 'active', 'design')
)
insert into leadline.rule_workflows as w (workflow, label, journal, initial_stage, seed)
select * from given
on conflict (workflow) do update
    set label = excluded.label, journal = excluded.journal, initial_stage = excluded.initial_stage, seed = excluded.seed
    where (w.label, w.journal, w.initial_stage, w.seed) is distinct from (excluded.label, excluded.journal, excluded.initial_stage, excluded.seed);

-- flags: final (closed), after_contact. Every stage of sales may be archived as well (seed 004 section 2).
create temp table given_stages (workflow text, stage text, label text, position int, flags text[], statuses text[], entry_timestamp text) on commit drop;
insert into given_stages values
    ('appointment', 'new',          'New',          1, '{}', '{open}', null),
    ('appointment', 'attempted',    'Attempted',    2, '{}', '{open}', null),
    ('appointment', 'callback',     'Callback',     3, '{}', '{open}', null),
    ('appointment', 'scheduled',    'Scheduled',    4, '{}', '{open}', null),
    ('appointment', 'no_show',      'No show',      5, '{}', '{open}', null),
    ('appointment', 'sale',         'Sale',         6, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'no_sale',      'No sale',      7, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'refused',      'Refused',      8, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'wrong_number', 'Wrong number', 9, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'bad_number',   'Bad number',  10, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'unresponsive', 'Unresponsive', 11, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'duplicate',    'Duplicate',   12, '{final}', '{resolved}', 'resolved_at'),
    ('appointment', 'dnc',          'Do not contact', 13, '{final}', '{resolved}', 'resolved_at'),
    ('sales',       'new',          'New',          1, '{}', '{active,archived}', null),
    ('sales',       'contacted',    'Contacted',    2, '{after_contact}', '{active,archived}', null),
    ('sales',       'qualified',    'Qualified',    3, '{after_contact}', '{active,archived}', null),
    ('sales',       'proposal',     'Proposal',     4, '{after_contact}', '{active,archived}', null),
    ('sales',       'won',          'Won',          5, '{final,after_contact}', '{won,archived}', 'won_at'),
    ('sales',       'lost',         'Lost',         6, '{final}', '{lost,archived}', 'lost_at'),
    ('qualification', 'new',          'New',          1, '{}', '{open}', null),
    ('qualification', 'accepted',     'Accepted',     2, '{}', '{open}', 'accepted_at'),
    ('qualification', 'attempting',   'Attempting',   3, '{}', '{open}', null),
    ('qualification', 'connected',    'Connected',    4, '{}', '{open}', null),
    ('qualification', 'qualified',    'Qualified',    5, '{final}', '{closed}', null),
    ('qualification', 'recycled',     'Recycled',     6, '{final}', '{closed}', null),
    ('qualification', 'disqualified', 'Disqualified', 7, '{final}', '{closed}', null),
    ('relationship', 'closed',        'Not proceeding', 0, '{final}', '{closed}', null),
    ('relationship', 'prospect',      'Prospect',     1, '{}', '{open}', null),
    ('relationship', 'qualified',     'Qualified',    2, '{}', '{open}', null),
    ('relationship', 'opportunity',   'Opportunity',  3, '{}', '{open}', null),
    ('relationship', 'client',        'Client',       4, '{}', '{open}', null),
    ('relationship', 'onboarding',    'Onboarding',   5, '{}', '{open}', null),
    ('relationship', 'active',        'Active',       6, '{}', '{open}', null),
    ('subscription', 'trialing',      'Trialing',     1, '{}', '{live}', null),
    ('subscription', 'active',        'Active',       2, '{}', '{live}', null),
    ('subscription', 'past_due',      'Past due',     3, '{}', '{live}', null),
    ('subscription', 'cancelled',     'Cancelled',    4, '{final}', '{ended}', 'cancelled_at'),
    ('workspace',   'active',       'Active',       1, '{}', '{open}', null),
    ('workspace',   'closed',       'Closed',       2, '{final}', '{closed}', null);

-- Both pipelines are alike. withdrawn: the conversion that made it was taken back, so it never was a deal.
insert into given_stages
select p.pipeline, s.* from unnest('{new_business,expansion}'::text[]) p (pipeline)
cross join (values
    ('evaluation', 'Evaluation', 1, '{}'::text[], '{open}'::text[], null),
    ('proposal',   'Proposal',   2, '{}', '{open}', null),
    ('closedwon',  'Closed won', 3, '{final}', '{won}', 'won_at'),
    ('closedlost', 'Closed lost', 4, '{final}', '{lost}', 'lost_at'),
    ('withdrawn',  'Withdrawn',  5, '{final}', '{withdrawn}', null)) s;

insert into leadline.rule_stages as s (workflow, stage, label, position, is_final, after_contact)
select g.workflow, g.stage, g.label, g.position, 'final' = any (g.flags), 'after_contact' = any (g.flags) from given_stages g
on conflict (workflow, stage) do update
    set label = excluded.label, position = excluded.position, is_final = excluded.is_final, after_contact = excluded.after_contact
    where (s.label, s.position, s.is_final, s.after_contact) is distinct from (excluded.label, excluded.position, excluded.is_final, excluded.after_contact);

insert into leadline.rule_permitted as p (workflow, stage, status, is_open)
select g.workflow, g.stage, t.status, not ('final' = any (g.flags)) and t.status <> 'archived' from given_stages g cross join lateral unnest(g.statuses) t (status)
on conflict (workflow, stage, status) do update set is_open = excluded.is_open where p.is_open <> excluded.is_open;

-- What is no longer given goes; the foreign keys refuse it while a lead stands there.
delete from leadline.rule_transitions t
where not exists (select from given_stages g where g.workflow = t.workflow and g.stage = t.from_stage and t.from_status = any (g.statuses));
delete from leadline.rule_effects e
where not exists (select from given_stages g where g.workflow = e.workflow and g.stage = e.from_stage);
delete from leadline.rule_blocks b
where not exists (select from given_stages g where g.workflow = b.workflow and g.stage = b.to_stage);
delete from leadline.rule_permitted p
where not exists (select from given_stages g where g.workflow = p.workflow and g.stage = p.stage and p.status = any (g.statuses));
delete from leadline.rule_stages s
where not exists (select from given_stages g where g.workflow = s.workflow and g.stage = s.stage);

-- The workflows' own files write their matrices into this; transitions.sql makes rules of it.
-- from_stages null: all of them; from_status null: every status but archived, '*': every status.
create temp table given_cells (
    workflow text, activity_types text[], from_stages text[], from_status text, effect text, to_stage text, rule text, awaits_answer bool default false
) on commit drop;

-- Columns whose values say who somebody is.
create temp table given_personal_fields on commit drop as
select j.journal, f.field
from (values ('lead_activity', '{name,company,email,phone,lost_notes,problem,timing,buying_role}'::text[]),
             ('opportunity_activity', '{problem,decision_process,next_step,lost_notes}')) j (journal, fields)
cross join lateral unnest(j.fields) f (field);
insert into leadline.rule_personal_fields select * from given_personal_fields on conflict do nothing;
delete from leadline.rule_personal_fields p where not exists (select from given_personal_fields g where (g.journal, g.field) = (p.journal, p.field));

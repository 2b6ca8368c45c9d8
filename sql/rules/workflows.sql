-- The state machines, their stages and the status each stage may carry.
with given (workflow, label, journal, initial_stage, seed) as (values
    ('appointment', 'Contact to appointment', 'lead_activity', 'new', '000'),
    ('workspace', 'Workspace', 'workspace_activity', 'active', 'design')
)
insert into leadline.rule_workflows as w (workflow, label, journal, initial_stage, seed)
select * from given
on conflict (workflow) do update
    set label = excluded.label, journal = excluded.journal, initial_stage = excluded.initial_stage, seed = excluded.seed
    where (w.label, w.journal, w.initial_stage, w.seed) is distinct from (excluded.label, excluded.journal, excluded.initial_stage, excluded.seed);

create temp table given_stages (workflow text, stage text, label text, position int, is_final bool, statuses text[]) on commit drop;
insert into given_stages values
    ('appointment', 'new',          'New',          1, false, '{open}'),
    ('appointment', 'attempted',    'Attempted',    2, false, '{open}'),
    ('appointment', 'callback',     'Callback',     3, false, '{open}'),
    ('appointment', 'scheduled',    'Scheduled',    4, false, '{open}'),
    ('appointment', 'no_show',      'No show',      5, false, '{open}'),
    ('appointment', 'sale',         'Sale',         6, true, '{resolved}'),
    ('appointment', 'no_sale',      'No sale',      7, true, '{resolved}'),
    ('appointment', 'refused',      'Refused',      8, true, '{resolved}'),
    ('appointment', 'wrong_number', 'Wrong number', 9, true, '{resolved}'),
    ('appointment', 'bad_number',   'Bad number',  10, true, '{resolved}'),
    ('appointment', 'unresponsive', 'Unresponsive', 11, true, '{resolved}'),
    ('appointment', 'duplicate',    'Duplicate',   12, true, '{resolved}'),
    ('appointment', 'dnc',          'Do not contact', 13, true, '{resolved}'),
    ('workspace',   'active',       'Active',       1, false, '{open}'),
    ('workspace',   'closed',       'Closed',       2, true, '{closed}');

insert into leadline.rule_stages as s (workflow, stage, label, position, is_final)
select g.workflow, g.stage, g.label, g.position, g.is_final from given_stages g
on conflict (workflow, stage) do update
    set label = excluded.label, position = excluded.position, is_final = excluded.is_final
    where (s.label, s.position, s.is_final) is distinct from (excluded.label, excluded.position, excluded.is_final);

insert into leadline.rule_permitted (workflow, stage, status)
select g.workflow, g.stage, unnest(g.statuses) from given_stages g
on conflict do nothing;

-- What is no longer given goes; the foreign keys refuse it while a lead stands there.
delete from leadline.rule_permitted p
where not exists (select from given_stages g where g.workflow = p.workflow and g.stage = p.stage and p.status = any (g.statuses));
delete from leadline.rule_transitions t
where not exists (select from given_stages g where g.workflow = t.workflow and g.stage = t.from_stage);
delete from leadline.rule_effects e
where not exists (select from given_stages g where g.workflow = e.workflow and g.stage = e.from_stage);
delete from leadline.rule_stages s
where not exists (select from given_stages g where g.workflow = s.workflow and g.stage = s.stage);

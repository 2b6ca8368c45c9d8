-- The whole matrix of a deal, in either pipeline: every activity at every stage. What is expected is written here by hand from seed 003, not
-- read from the rules.
--   →stage  moved          F  a field changed      N  noted        R  refused; after N or R the rule, spelled in t.words
-- A cell left null is nobody's question. Deals come from t.opportunity: no money before it is won for 1000 EUR, evidence from proposal on,
-- lost out of evaluation for Price, withdrawn with the conversion it came of.
create table t.words (word text, rule text);
insert into t.words values
    ('won', 'opportunity_is_won'), ('lost', 'opportunity_is_lost'), ('withdrawn', 'opportunity_is_withdrawn'), ('there', 'already_there'), ('same', 'no_change'),
    ('stage', 'unknown_stage'), ('evidence', 'evidence_required'), ('proposal', 'won_needs_proposal'), ('reason', 'lost_reason_required'), ('code', 'unknown_lost_reason'),
    ('notes', 'notes_required'), ('value', 'deal_value_required'), ('wonvalue', 'won_value_needs_admin'), ('assignee', 'unknown_assignee'), ('forward', 'correction_goes_forward'),
    ('correct', 'correction_needs_admin'), ('why', 'reason_required'), ('whycode', 'unknown_correction_reason'), ('person', 'needs_a_person'), ('writer', 'writer_not_allowed'),
    ('ai', 'ai_forbidden'), ('system', 'system_only'), ('first', 'not_first');
create table t.matrix (who text, activity_type text, payload jsonb, evaluation text, proposal text, closedwon text, closedlost text, withdrawn text);
grant select, insert on t.matrix to public;
create view t.cells as
    select m.who, m.activity_type, m.payload, p.pipeline, s.stage,
           case when s.cell like '→%' then s.cell else concat_ws(' ', left(s.cell, 1), w.rule) end as cell
    from t.matrix m
    cross join unnest('{new_business,expansion}'::text[]) p(pipeline)
    cross join lateral (
        values ('evaluation', m.evaluation), ('proposal', m.proposal), ('closedwon', m.closedwon), ('closedlost', m.closedlost), ('withdrawn', m.withdrawn)) s(stage, cell)
    left join t.words w on w.word = substr(s.cell, 3)
    where s.cell is not null;
grant select on t.cells to public;
-- The cell that the database gives.
create function t.said(p_stage text, p_pipeline text, p_activity_type text, p_payload jsonb) returns text language sql as $$
    select t.as_cell(r.verdict, r.rule, r.from_stage, r.to_stage) from t.report_on_deal(t.opportunity(p_stage, '{}', p_pipeline), p_activity_type, p_payload) r
$$;
select t.here();
select t.keep('kim', t.someone());
insert into t.matrix values
--   who       activity                payload                                        evaluation      proposal        closedwon       closedlost      withdrawn
    -- forward, on what the buyer confirmed
    ('admin',  'opportunity_advanced', t.packet(t.kept('kim')),                       '→proposal',    'F',            'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', '{"to_stage": "proposal"}',                    'R evidence',   'N there',      'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', '{"to_stage": "proposal", "next_step": "a call"}',
                                                                                      'R evidence',   'F',            'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', '{"to_stage": "proposal", "amount": 5, "currency": "EUR"}',
                                                                                      'R evidence',   'F',            'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', t.packet(t.kept('kim')) - 'next_step_on',      'R evidence',   'F',            'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', t.packet(t.kept('kim')) || '{"to_stage": "closedwon"}',
                                                                                      'R stage',      'R stage',      'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', '{"to_stage": "evaluation"}',                  'R stage',      'R stage',      'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_advanced', '{"to_stage": "Proposal"}',                    'R stage',      'R stage',      'R won',        'R lost',       'R withdrawn'),
    ('admin',  'opportunity_won',      '{}',                                          'R proposal',   'R evidence',   'N there',      'R lost',       'R withdrawn'),
    ('admin',  'opportunity_won',      '{"amount": 5, "currency": "EUR"}',            'R proposal',   'R evidence',   'N there',      'R lost',       'R withdrawn'),
    ('admin',  'opportunity_won',      '{"amount": 0, "close_date": "2026-03-01"}',   'R proposal',   'R evidence',   'N there',      'R lost',       'R withdrawn'),
    ('admin',  'opportunity_won',      '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}',
                                                                                      'R proposal',   '→closedwon',   'N there',      'R lost',       'R withdrawn'),
    -- lost
    ('admin',  'opportunity_lost',     '{"lost_reason": "Price"}',                    '→closedlost',  '→closedlost',  'R won',        'N there',      'R withdrawn'),
    ('admin',  'opportunity_lost',     '{"lost_reason": "Timing"}',                   '→closedlost',  '→closedlost',  'R won',        'F',            'R withdrawn'),
    ('admin',  'opportunity_lost',     '{"lost_reason": "Price", "notes": "twice"}',  '→closedlost',  '→closedlost',  'R won',        'F',            'R withdrawn'),
    ('admin',  'opportunity_lost',     '{}',                                          'R reason',     'R reason',     'R won',        'R reason',     'R withdrawn'),
    ('admin',  'opportunity_lost',     '{"lost_reason": "price "}',                   'R code',       'R code',       'R won',        'R code',       'R withdrawn'),
    ('admin',  'opportunity_lost',     '{"lost_reason": "Other", "notes": " "}',      'R notes',      'R notes',      'R won',        'R notes',      'R withdrawn'),
    -- fields
    ('admin',  'amount_changed',       '{"amount": 5, "currency": "EUR"}',            'F',            'F',            'F',            'F',            null),
    ('admin',  'amount_changed',       '{"amount": 0, "currency": "EUR"}',            'F',            'F',            'R value',      'F',            null),
    ('admin',  'amount_changed',       '{"amount": null}',                            'N same',       'N same',       'R value',      'N same',       null),
    ('admin',  'amount_changed',       '{"amount": 1000.00, "currency": "EUR"}',      'F',            'F',            'N same',       'F',            null),
    ('admin',  'opportunity_assigned', '{"assigned_user_id": null}',                  'N same',       'N same',       'N same',       'N same',       'N same'),
    ('admin',  'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('member')),
                                                                                      'F',            'F',            'F',            'F',            'F'),
    ('admin',  'opportunity_assigned', '{"assigned_user_id": "00000000-0000-4000-8000-000000000000"}',
                                                                                      'R assignee',   'R assignee',   'R assignee',   'R assignee',   'R assignee'),
    ('admin',  'contact_role_set',     jsonb_build_object('person_id', t.kept('kim'), 'role', 'champion'),
                                                                                      'F',            'F',            'F',            'F',            null),
    ('admin',  'contact_role_set',     jsonb_build_object('person_id', t.kept('kim'), 'role', null),
                                                                                      'N same',       'N same',       'N same',       'N same',       'N same'),
    -- put right
    ('admin',  'stage_corrected',      '{"to_stage": "evaluation", "reason": "entered_by_mistake"}',
                                                                                      'R forward',    '→evaluation',  '→evaluation',  '→evaluation',  'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "proposal", "reason": "wrong_record"}',
                                                                                      'R forward',    'R forward',    '→proposal',    'R evidence',   'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "closedlost", "reason": "data_repair", "lost_reason": "Price"}',
                                                                                      'R forward',    'R forward',    '→closedlost',  'R forward',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "closedlost", "reason": "data_repair"}',
                                                                                      'R forward',    'R forward',    'R reason',     'R forward',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "closedlost", "reason": "data_repair", "lost_reason": "PRICE"}',
                                                                                      'R forward',    'R forward',    'R code',       'R forward',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "closedlost", "reason": "data_repair", "lost_reason": "Other"}',
                                                                                      'R forward',    'R forward',    'R notes',      'R forward',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "closedwon", "reason": "data_repair"}',
                                                                                      'R forward',    'R forward',    'R forward',    'R forward',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "withdrawn", "reason": "data_repair"}',
                                                                                      'R forward',    'R forward',    'R forward',    'R forward',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "won", "reason": "data_repair"}', 'R forward',   'R stage',      'R stage',      'R stage',      'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "evaluation"}',                  'R forward',    'R why',        'R why',        'R why',        'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "evaluation", "reason": "oops"}', 'R forward',   'R whycode',    'R whycode',    'R whycode',    'R withdrawn'),
    ('admin',  'stage_corrected',      '{"to_stage": "evaluation", "reason": "other"}', 'R forward',  'R notes',      'R notes',      'R notes',      'R withdrawn'),
    -- never
    ('admin',  'opportunity_opened',   jsonb_build_object('pipeline', 'new_business', 'person_id', t.kept('kim')),
                                                                                      'R first',      'R first',      'R first',      'R first',      'R first'),
    ('admin',  'conversion_undone',    '{}',                                          'R system',     'R system',     'R system',     'R system',     'R system'),
    ('admin',  'direct_change',        '{}',                                          'R system',     'R system',     'R system',     'R system',     'R system'),
    ('admin',  'person_erased',        '{}',                                          'R system',     'R system',     'R system',     'R system',     'R system'),
    -- a member: everything but corrections and the value of what is won
    ('member', 'opportunity_advanced', t.packet(t.kept('kim')),                       '→proposal',    'F',            'R won',        'R lost',       'R withdrawn'),
    ('member', 'opportunity_won',      '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}',
                                                                                      'R proposal',   '→closedwon',   'N there',      'R lost',       'R withdrawn'),
    ('member', 'opportunity_lost',     '{"lost_reason": "Price"}',                    '→closedlost',  '→closedlost',  'R won',        'N there',      'R withdrawn'),
    ('member', 'amount_changed',       '{"amount": 5, "currency": "EUR"}',            'F',            'F',            'R wonvalue',   'F',            null),
    ('member', 'amount_changed',       '{"amount": null}',                            'N same',       'N same',       'R wonvalue',   'N same',       null),
    ('member', 'stage_corrected',      '{"to_stage": "evaluation", "reason": "entered_by_mistake"}',
                                                                                      'R correct',    'R correct',    'R correct',    'R correct',    'R withdrawn'),
    ('member', 'contact_role_set',     jsonb_build_object('person_id', t.kept('kim'), 'role', 'champion'),
                                                                                      'F',            'F',            'F',            'F',            null),
    -- an app brings no evidence of its own: integrations propose
    ('app',    'opportunity_advanced', t.packet(t.kept('kim')),                       'R person',     'R person',     'R person',     'R person',     'R person'),
    ('app',    'opportunity_won',      '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}',
                                                                                      'R proposal',   '→closedwon',   'N there',      'R lost',       'R withdrawn'),
    ('app',    'opportunity_lost',     '{"lost_reason": "Price"}',                    '→closedlost',  '→closedlost',  'R won',        'N there',      'R withdrawn'),
    ('app',    'amount_changed',       '{"amount": 5, "currency": "EUR"}',            'F',            'F',            'R wonvalue',   'F',            null),
    ('app',    'stage_corrected',      '{"to_stage": "evaluation", "reason": "entered_by_mistake"}',
                                                                                      'R correct',    'R correct',    'R correct',    'R correct',    'R withdrawn'),
    ('app',    'conversion_undone',    '{}',                                          'R system',     'R system',     'R system',     'R system',     'R system'),
    -- nobody else writes here
    ('importer', 'opportunity_won',    '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}',
                                                                                      'R writer',     'R writer',     'R writer',     'R writer',     'R writer'),
    ('importer', 'amount_changed',     '{"amount": 5, "currency": "EUR"}',            'R writer',     'R writer',     'R writer',     'R writer',     'R writer'),
    ('billing', 'opportunity_won',     '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}',
                                                                                      'R writer',     'R writer',     'R writer',     'R writer',     'R writer'),
    ('ai',     'opportunity_won',      '{}',                                          'R ai',         'R ai',         'R ai',         'R ai',         'R ai'),
    ('ai',     'opportunity_lost',     '{}',                                          'R ai',         'R ai',         'R ai',         'R ai',         'R ai'),
    ('ai',     'conversion_undone',    '{}',                                          'R ai',         'R ai',         'R ai',         'R ai',         'R ai');
-- Assertion: whoever acts is answered as the matrix says.
create function pg_temp.as_written(p_who text) returns text language sql as $f$
    select results_eq(
        format($$ select activity_type, payload, pipeline, stage, t.said(stage, pipeline, activity_type, payload) from t.cells where who = %L
                  order by activity_type, payload, pipeline, stage $$, p_who),
        format($$ select activity_type, payload, pipeline, stage, cell from t.cells where who = %L order by activity_type, payload, pipeline, stage $$, p_who),
        'the database decides what the seed says')
$f$;

-- test: every activity at every stage, by an admin
select pg_temp.as_written('admin');

-- test: by a member
select t.act_as('member');
select pg_temp.as_written('member');

-- test: by an app
select t.act_as('app');
select pg_temp.as_written('app');

-- test: by whoever does not write here
select t.act_as('importer');
select pg_temp.as_written('importer');
select t.act_as('billing');
select pg_temp.as_written('billing');
select t.act_as('ai');
select pg_temp.as_written('ai');

-- test: a move sets the status the stage implies, and only what belongs to the stage stays on the deal
select is_empty(
    $$ select c.activity_type, c.payload, c.stage, r.to_stage, o.*
       from t.cells c, lateral t.report_on_deal(t.opportunity(c.stage, '{}', c.pipeline), c.activity_type, c.payload) r, lateral t.deal(r.opportunity_id) o
       where c.who = 'admin' and (
             r.from_stage <> c.stage or (o.stage, o.status, o.workflow) is distinct from (r.to_stage, r.to_status, c.pipeline)
          or r.to_stage <> case when c.cell like '→%' then substr(c.cell, 2) else c.stage end
          or o.status <> case o.stage when 'closedwon' then 'won' when 'closedlost' then 'lost' when 'withdrawn' then 'withdrawn' else 'open' end
          or (o.won_at is not null) <> (o.stage = 'closedwon') or (o.lost_at is not null) <> (o.stage = 'closedlost')
          or (o.lost_reason is not null) <> (o.stage = 'closedlost') or (r.verdict = 'applied') <> (c.cell like any ('{→%,F}'))
          or o.stage = 'closedwon' and (coalesce(o.amount, 0) <= 0 or o.close_date is null)) $$,
    'two open stages, three ends');

-- test: after every activity at every stage, what was recorded is what is
-- privileged: only the owner sees every workspace
select count(t.said(stage, pipeline, activity_type, payload)) from t.cells where who = 'admin';
select t.act_as('member');
select count(t.said(stage, pipeline, activity_type, payload)) from t.cells where who = 'member';
select t.act_as('app');
select count(t.said(stage, pipeline, activity_type, payload)) from t.cells where who = 'app';
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- test: no word of the vocabulary and no stage is missing here
select set_eq(
    $$ select a.activity_type from leadline.activity_types a where 'opportunity_activity' = any (a.journals) $$, $$ select distinct activity_type from t.cells $$, 'every word');
select set_eq(
    $$ select distinct r.workflow, r.from_stage from leadline.transition_rules r where r.workflow in ('new_business', 'expansion') $$, $$ select distinct pipeline, stage from t.cells $$,
    'five stages in two pipelines');

-- test: what happened before the present stage was entered moves nothing
select results_eq(
    $$ select x, t.verdict_on_deal(t.opportunity('proposal'), x, p, null, '2025-12-01T10:00:00Z')
       from (values (1, 'opportunity_advanced', t.packet(t.kept('kim'))), (2, 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}'),
           (3, 'opportunity_lost', '{"lost_reason": "Price"}'),
                    (4, 'stage_corrected', '{"to_stage": "evaluation", "reason": "wrong_record"}')) y(n, x, p) order by n $$,
    $$ values ('opportunity_advanced', 'noted superseded'), ('opportunity_won', 'refused superseded'), ('opportunity_lost', 'refused superseded'), ('stage_corrected', 'noted superseded') $$,
    'an outcome is not quietly dropped');
select is(t.verdict_on_deal(t.opportunity('proposal'), 'amount_changed', '{"amount": 5}', null, '2025-12-01T10:00:00Z'), 'applied', 'a field is never late');

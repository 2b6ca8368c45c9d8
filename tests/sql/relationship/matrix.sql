-- The whole matrix of a relationship: from each of the seven points to each of the six, by a person, and by an app, which may only go
-- forward and not become a client (seed 002). What is expected is written here by hand.
--   →stage moved     H held for a person     R refused      the rules are spelled in t.words
create table t.words (word text, rule text);
insert into t.words values ('back', 'backward_move'), ('client', 'client_needs_a_person'), ('why', 'reason_required'), ('word', 'unknown_stage'), ('there', 'already_there');
create table t.matrix (who text, payload jsonb, to_stage text, closed text, prospect text, qualified text, opportunity text, client text, onboarding text, active text);
insert into t.matrix values
--   who       payload                                    to             closed         prospect       qualified      opportunity    client         onboarding   active
    ('admin',  '{"reason": "x"}',                         'prospect',    '→prospect',   'R back',      'R back',      'R back',      'R back',      'R back',      'R back'),
    ('admin',  '{"reason": "x"}',                         'qualified',   '→qualified',  '→qualified',  'R back',      'R back',      'R back',      'R back',      'R back'),
    ('admin',  '{"reason": "x"}',                         'opportunity', '→opportunity', '→opportunity', '→opportunity', 'R back',   'R back',      'R back',      'R back'),
    ('admin',  '{"reason": "x"}',                         'client',      '→client',     '→client',     '→client',     '→client',     'R back',      'R back',      'R back'),
    ('admin',  '{"reason": "x"}',                         'onboarding',  '→onboarding', '→onboarding', '→onboarding', '→onboarding', '→onboarding', 'R back',      'R back'),
    ('admin',  '{"reason": "x"}',                         'active',      '→active',     '→active',     '→active',     '→active',     '→active',     '→active',     'R back'),
    ('admin',  '{"reason": "x", "backward": true}',       'prospect',    '→prospect',   'N there',     '→prospect',   '→prospect',   '→prospect',   '→prospect',   '→prospect'),
    ('admin',  '{"reason": "x", "backward": true}',       'qualified',   '→qualified',  '→qualified',  'N there',     '→qualified',  '→qualified',  '→qualified',  '→qualified'),
    ('admin',  '{"reason": "x", "backward": true}',       'opportunity', '→opportunity', '→opportunity', '→opportunity', 'N there',  '→opportunity', '→opportunity', '→opportunity'),
    ('admin',  '{"reason": "x", "backward": true}',       'client',      '→client',     '→client',     '→client',     '→client',     'N there',     '→client',     '→client'),
    ('admin',  '{"reason": "x", "backward": true}',       'onboarding',  '→onboarding', '→onboarding', '→onboarding', '→onboarding', '→onboarding', 'N there',     '→onboarding'),
    ('admin',  '{"reason": "x", "backward": true}',       'active',      '→active',     '→active',     '→active',     '→active',     '→active',     '→active',     'N there'),
    ('admin',  '{"reason": " "}',                         'client',      'R why',       'R why',       'R why',       'R why',       'R back',      'R back',      'R back'),
    ('admin',  '{"backward": true}',                      'opportunity', 'R why',       'R why',       'R why',       'R back',      'R back',      'R back',      'R back'),
    ('admin',  '{"reason": "x"}',                         'closed',      'R word',      'R word',      'R word',      'R word',      'R word',      'R word',      'R word'),
    ('admin',  '{"reason": "x"}',                         'lost',        'R word',      'R word',      'R word',      'R word',      'R word',      'R word',      'R word'),
    ('admin',  '{"reason": "x", "backward": true}',       'customer',    'R word',      'R word',      'R word',      'R word',      'R word',      'R word',      'R word'),
    ('admin',  '{}',                                      'Client',      'R word',      'R word',      'R word',      'R word',      'R word',      'R word',      'R word'),
    -- a member is a person like any
    ('member', '{"reason": "x"}',                         'client',      '→client',     '→client',     '→client',     '→client',     'R back',      'R back',      'R back'),
    ('member', '{"reason": "x"}',                         'active',      '→active',     '→active',     '→active',     '→active',     '→active',     '→active',     'R back'),
    ('member', '{"reason": "x", "backward": true}',       'qualified',   '→qualified',  '→qualified',  'N there',     '→qualified',  '→qualified',  '→qualified',  '→qualified'),
    -- an app goes forward; to client and beyond it asks
    ('app',    '{"reason": "x"}',                         'prospect',    '→prospect',   'R back',      'R back',      'R back',      'R back',      'R back',      'R back'),
    ('app',    '{"reason": "x"}',                         'qualified',   '→qualified',  '→qualified',  'R back',      'R back',      'R back',      'R back',      'R back'),
    ('app',    '{"reason": "x"}',                         'opportunity', '→opportunity', '→opportunity', '→opportunity', 'R back',   'R back',      'R back',      'R back'),
    ('app',    '{"reason": "x"}',                         'client',      'H client',    'H client',    'H client',    'H client',    'R back',      'R back',      'R back'),
    ('app',    '{"reason": "x"}',                         'onboarding',  'H client',    'H client',    'H client',    'H client',    '→onboarding', 'R back',      'R back'),
    ('app',    '{"reason": "x"}',                         'active',      'H client',    'H client',    'H client',    'H client',    '→active',     '→active',     'R back'),
    ('app',    '{"reason": "x", "backward": true}',       'qualified',   '→qualified',  '→qualified',  'R back',      'R back',      'R back',      'R back',      'R back'),
    ('app',    '{"reason": "x", "approve": true}',        'client',      'H client',    'H client',    'H client',    'H client',    'R back',      'R back',      'R back'),
    ('app',    '{}',                                      'client',      'R why',       'R why',       'R why',       'R why',       'R back',      'R back',      'R back'),
    ('app',    '{"reason": "x"}',                         'not_interested', 'R word',   'R word',      'R word',      'R word',      'R word',      'R word',      'R word');
create view t.cells as
    select m.who, m.payload || jsonb_build_object('to', m.to_stage) as payload, s.stage,
           case when s.cell like '→%' then s.cell else concat_ws(' ', left(s.cell, 1), w.rule) end as cell
    from t.matrix m
    cross join lateral (
        values ('closed', m.closed), ('prospect', m.prospect), ('qualified', m.qualified), ('opportunity', m.opportunity), ('client', m.client),
               ('onboarding', m.onboarding), ('active', m.active)) s(stage, cell)
    left join t.words w on w.word = substr(s.cell, 3);
grant select on t.cells to public;
-- The cell that the database gives.
create function t.said(p_stage text, p_payload jsonb) returns text language sql as $$
    select t.as_cell(r.verdict, r.rule, r.from_stage, r.to_stage) from t.report_on_person(t.person_at(p_stage), 'relationship_advanced', p_payload) r
$$;
select t.here();

-- test: every move by an admin
select results_eq(
    $$ select payload, stage, t.said(stage, payload) from t.cells where who = 'admin' order by payload, stage $$,
    $$ select payload, stage, cell from t.cells where who = 'admin' order by payload, stage $$, 'the database decides what the seed says');

-- test: by a member
select t.act_as('member');
select results_eq(
    $$ select payload, stage, t.said(stage, payload) from t.cells where who = 'member' order by payload, stage $$,
    $$ select payload, stage, cell from t.cells where who = 'member' order by payload, stage $$, 'the database decides what the seed says');

-- test: by an app
select t.act_as('app');
select results_eq(
    $$ select payload, stage, t.said(stage, payload) from t.cells where who = 'app' order by payload, stage $$,
    $$ select payload, stage, cell from t.cells where who = 'app' order by payload, stage $$, 'the database decides what the seed says');

-- test: by an app that speaks for a member, it is the member who moves
select t.act_as('app', '{act_as}');
select results_eq(
    $$ select c.payload, c.stage, t.as_cell(r.verdict, r.rule, r.from_stage, r.to_stage)
       from t.cells c, lateral t.report_on_person(t.person_at(c.stage), 'relationship_advanced', c.payload, null, null, t.person('member')) r
       where c.who = 'member' order by 1, 2 $$,
    $$ select payload, stage, cell from t.cells where who = 'member' order by payload, stage $$, 'the same');

-- test: whoever may not report here, reports nothing
select t.keep('person', t.person_at('prospect'));
select t.act_as('importer');
select is(t.advance(t.kept('person'), 'qualified'), 'refused writer_not_allowed', 'an importer');
select t.act_as('billing');
select is(t.advance(t.kept('person'), 'qualified'), 'refused writer_not_allowed', 'billing');
select t.act_as('ai');
select is(t.advance(t.kept('person'), 'qualified'), 'refused ai_forbidden', 'an assistant');
select is(t.advance(t.kept('person'), 'friend'), 'refused ai_forbidden', 'before its words are read');
select t.act_as('analyst');
select throws_ok($$ select t.advance(t.kept('person'), 'qualified') $$, 'PT403', null, 'an analyst');

-- test: not proceeding, by a person from anywhere
select results_eq(
    $$ select s, r.verdict, r.rule, r.to_stage, r.to_status, c.status
       from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality s(s, n),
            lateral t.report_on_person(t.person_at(s), 'relationship_closed', '{"reason": "they said no"}') r, lateral t.contact(r.person_id) c order by n $$,
    $$ select s, 'applied', null::text, 'closed', 'closed', 'closed' from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) s $$, 'closed');
select is(t.verdict_on_person(t.person_at('closed'), 'relationship_closed', '{"reason": "again"}'), 'noted already_there', 'once');
select is(t.verdict_on_person(t.person_at('closed'), 'relationship_closed'), 'noted already_there', 'whatever it says');
select is(t.verdict_on_person(t.person_at('client'), 'relationship_closed', '{"reason": ""}'), 'refused reason_required', 'for a reason');

-- test: not proceeding is no app's decision
select t.keep('person', t.person_at('qualified')), t.keep('closed', t.person_at('closed'));
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person(t.kept('person'), 'relationship_closed', '{"reason": "x"}'), 'refused needs_a_person', 'an app');
select is(t.verdict_on_person(t.kept('closed'), 'relationship_closed', '{"reason": "x"}'), 'refused needs_a_person', 'nor where it is so already');
select is(t.verdict_on_person(t.kept('person'), 'relationship_closed', '{"reason": "x"}', null, null, t.person('member')), 'applied', 'an app for a person');

-- test: a move sets the status, the furthest point and since when, and the person's row says what the journal said
select is_empty(
    $$ select c.payload, c.stage, r.to_stage, p.*
       from t.cells c, lateral t.report_on_person(t.person_at(c.stage), 'relationship_advanced', c.payload, null, '2026-02-01T10:00:00Z') r, lateral t.contact(r.person_id) p
       where c.who = 'admin' and (
             r.from_stage <> c.stage or (p.stage, p.status) is distinct from (r.to_stage, r.to_status)
          or r.to_stage <> case when c.cell like '→%' then substr(c.cell, 2) else c.stage end
          or p.status <> case when p.stage = 'closed' then 'closed' else 'open' end
          or (r.verdict = 'applied') <> (c.cell like '→%')
          or p.stage_entered_at is distinct from case when c.cell like '→%' then '2026-02-01T10:00:00Z'::timestamptz
                                                      when c.stage <> 'prospect' then '2026-01-01T12:00:00Z' end) $$,
    'no point drifts from its history');

-- test: the furthest point never goes back
create function pg_temp.far(p_stages text[]) returns text[] language plpgsql as $$
declare
    v_person_id uuid := t.person_at('prospect');
    v_stage text;
    v_furthest text[];
begin
    foreach v_stage in array p_stages loop
        if v_stage = 'closed' then
            perform t.report_on_person(v_person_id, 'relationship_closed', '{"reason": "x"}');
        else
            perform t.advance(v_person_id, v_stage, '{"backward": true}');
        end if;
        v_furthest := v_furthest || (t.contact(v_person_id)).furthest_stage;
    end loop;
    return v_furthest;
end $$;
select is(pg_temp.far('{qualified,client,opportunity,closed,prospect,active,qualified}'), '{qualified,client,client,client,client,active,active}', 'a customer who left was one');

-- test: after every move, what was recorded is what is
-- privileged: only the owner sees every workspace
select count(t.said(stage, payload)) from t.cells where who = 'admin';
select t.act_as('app');
select count(t.said(stage, payload)) from t.cells where who = 'app';
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- test: no word of the vocabulary and no point is missing here
select set_eq(
    $$ select a.activity_type from leadline.activity_types a where 'relationship_activity' = any (a.journals) $$,
    '{relationship_advanced,relationship_closed,approval_granted,approval_declined,approval_expired,relationship_joined,product_signal_seen,direct_change}'::text[],
    'what may be said of a relationship');
select set_eq(
    $$ select distinct r.from_stage from leadline.transition_rules r where r.workflow = 'relationship' $$, $$ select distinct stage from t.cells $$, 'seven points');

-- test: what Leadline alone says of people is nobody else's
select t.keep('person', t.person_at('qualified'));
select t.keep('approval', t.asked(t.kept('person')));
select results_eq(
    $$ select type, t.verdict_on_person(t.kept('person'), type, payload)
       from (values ('approval_expired', jsonb_build_object('approval_id', t.kept('approval'))), ('relationship_joined', jsonb_build_object('from', t.kept('person'))),
           ('direct_change', '{}')) x(type, payload) $$,
    $$ select type, 'refused system_only' from unnest('{approval_expired,relationship_joined,direct_change}'::text[]) type $$, 'an admin');

-- Whole lives of leads, from their birth through the door everybody uses.
select t.here();

-- test: the path of seed 000: new, attempted, callback, scheduled, no_show, scheduled, sale
select t.keep('lead', t.created('{"source": "web"}', '2026-01-05T09:00:00Z'));
select results_eq(
    $$ select a.type, r.verdict, r.from_stage, r.to_stage, r.from_status, r.to_status, r.seq, r.version
       from (values (1, 'contact_attempted'), (2, 'callback_requested'), (3, 'appointment_scheduled'), (4, 'appointment_no_show'),
                    (5, 'appointment_scheduled'), (6, 'appointment_cancel'), (7, 'appointment_scheduled'), (8, 'sale')) a(n, type),
            lateral t.report(t.kept('lead'), a.type, '{}', null, '2026-01-05T10:00:00Z'::timestamptz + a.n * interval '1 hour') r $$,
    $$ values ('contact_attempted', 'applied', 'new', 'attempted', 'open', 'open', 2, 2),
              ('callback_requested', 'applied', 'attempted', 'callback', 'open', 'open', 3, 3),
              ('appointment_scheduled', 'applied', 'callback', 'scheduled', 'open', 'open', 4, 4),
              ('appointment_no_show', 'applied', 'scheduled', 'no_show', 'open', 'open', 5, 5),
              ('appointment_scheduled', 'applied', 'no_show', 'scheduled', 'open', 'open', 6, 6),
              ('appointment_cancel', 'applied', 'scheduled', 'callback', 'open', 'open', 7, 7),
              ('appointment_scheduled', 'applied', 'callback', 'scheduled', 'open', 'open', 8, 8),
              ('sale', 'applied', 'scheduled', 'sale', 'open', 'resolved', 9, 9) $$,
    'each step as the diagram draws it');
select results_eq(
    $$ select stage, status, is_open, stage_entered_at, resolved_at, first_contacted_at, last_touch_at
       from t.state(t.kept('lead')) $$,
    $$ values ('sale', 'resolved', false, '2026-01-05T18:00:00Z'::timestamptz, '2026-01-05T18:00:00Z'::timestamptz,
               '2026-01-05T11:00:00Z'::timestamptz, '2026-01-05T11:00:00Z'::timestamptz) $$,
    'and the lead remembers when');
select results_eq(
    $$ select stage, entered_at, left_at from leadline.stage_history where lead_id = t.kept('lead') order by seq limit 2 $$,
    $$ values ('new', '2026-01-05T09:00:00Z'::timestamptz, '2026-01-05T11:00:00Z'::timestamptz),
              ('attempted', '2026-01-05T11:00:00Z', '2026-01-05T12:00:00Z') $$,
    'time in stage follows what happened');

-- test: every outcome, from every stage that allows it, has its time
select results_eq(
    $$ select o.outcome, s.stage, l.resolved_at
       from unnest('{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}'::text[]) with ordinality o(outcome, n),
            unnest('{new,attempted,callback,scheduled,no_show}'::text[]) with ordinality s(stage, m),
            lateral t.report(t.lead(s.stage), o.outcome, '{}', null, '2026-01-09T12:00:00Z') r,
            lateral t.state(r.lead_id) l
       where r.verdict = 'applied' order by o.n, s.m $$,
    $$ select o.outcome, s.stage, '2026-01-09T12:00:00Z'::timestamptz
       from unnest('{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}'::text[]) with ordinality o(outcome, n),
            unnest('{new,attempted,callback,scheduled,no_show}'::text[]) with ordinality s(stage, m)
       where case when o.outcome in ('sale', 'no_sale') then s.stage = 'scheduled'
                  when o.outcome = 'unresponsive' then s.stage <> 'new' else true end
       order by o.n, s.m $$,
    'resolved_at is when the outcome happened');
select results_eq(
    $$ select s, l.resolved_at from unnest('{new,attempted,callback,scheduled,no_show}'::text[]) s,
              lateral t.state(t.lead(s)) l $$,
    $$ select stage, null::timestamptz from unnest('{new,attempted,callback,scheduled,no_show}'::text[]) stage $$,
    'an open lead has none');

-- test: a contact attempt demotes nobody, and the first contact is locked
select t.keep('lead', t.lead('no_show'));
select is(t.verdict(t.kept('lead'), 'contact_attempted', '{}', null, '2026-01-03T10:00:00Z'), 'noted', 'at no_show');
select is(t.verdict(t.kept('lead'), 'call_completed', '{}', null, '2026-01-02T10:00:00Z'), 'noted', 'a call before it, reported after');
select results_eq(
    $$ select stage, first_contacted_at, last_touch_at from t.state(t.kept('lead')) $$,
    $$ values ('no_show', '2026-01-03T10:00:00Z'::timestamptz, '2026-01-03T10:00:00Z'::timestamptz) $$,
    'set once; the latest touch by when it happened');

-- test: labels do not matter
-- privileged: nobody relabels a stage at run time, so the test must
select t.act_as('superuser');
update leadline.rule_stages set label = 'Cita agendada' where workflow = 'appointment' and stage = 'scheduled';
select t.act_as('admin');
select t.keep('lead', t.created());
select t.report(t.kept('lead'), 'contact_attempted');
select t.report(t.kept('lead'), 'appointment_scheduled');
select is((t.state(t.kept('lead'))).stage_label, 'Cita agendada', 'the label is shown');
select is(t.verdict(t.kept('lead'), 'sale'), 'applied', 'the code decides');

-- test: a bare insert into leads is a birth
insert into leadline.leads (source, name, email, deal_value) values ('fair', 'Kim', 'Kim@Example.com', 900);
select t.keep('lead', (select l.lead_id from leadline.lead_overview l where l.source = 'fair'));
select results_eq(
    $$ select workflow, stage, status, deal_value, currency, seq, version from t.state(t.kept('lead')) $$,
    $$ values ('appointment', 'new', 'open', 900::numeric, 'USD', 1, 1) $$, 'at the first stage, in the workspace''s currency');
select results_eq(
    $$ select activity_type, verdict, from_stage, to_stage, writer, changes from leadline.lead_activity where lead_id = t.kept('lead') $$,
    $$ values ('lead_created', 'applied', 'new', 'new', 'person',
               '{"stage": [null, "new"], "status": [null, "open"], "workflow": [null, "appointment"], "source": [null, "fair"],
                 "name": true, "email": true, "deal_value": [null, 900], "currency": [null, "USD"]}'::jsonb) $$,
    'its first row holds what it was born with');

-- test: a lead that says nothing of itself
select t.act_as('app');
select t.keep('lead', t.created());
select results_eq(
    $$ select source, stage, deal_value, currency from t.state(t.kept('lead')) $$,
    $$ values ('app', 'new', null::numeric, null::text) $$, 'its source is the class of its writer');

-- test: a callback's time comes, changes, and goes with the stage
select t.keep('lead', t.lead('attempted'));
select results_eq(
    $$ select a.type, r.verdict, r.rule, r.changes->'callback_at'
       from (values (1, 'callback_requested', '{"callback_at": "2026-02-01T09:00:00Z"}'::jsonb),
                    (2, 'callback_requested', '{"callback_at": "2026-02-02T09:00:00Z"}'),
                    (3, 'callback_requested', '{}')) a(n, type, payload),
            lateral t.report(t.kept('lead'), a.type, a.payload) r $$,
    $$ values ('callback_requested', 'applied', null, '[null, "2026-02-01T09:00:00.000000Z"]'::jsonb),
              ('callback_requested', 'applied', null, '["2026-02-01T09:00:00.000000Z", "2026-02-02T09:00:00.000000Z"]'),
              ('callback_requested', 'noted', 'no_change', null) $$,
    'the newest word counts');
select t.report(t.kept('lead'), 'refused');
select results_eq(
    $$ select activity_type, verdict, changes from leadline.lead_activity where lead_id = t.kept('lead') order by seq desc limit 1 $$,
    $$ values ('callback_cancelled', 'applied', '{"callback_at": ["2026-02-02T09:00:00.000000Z", null]}'::jsonb) $$,
    'whoever refused is not called');

-- test: a callback without a time needs no cancelling
select t.keep('lead', t.lead('callback'));
select t.report(t.kept('lead'), 'appointment_scheduled');
select is((t.state(t.kept('lead'))).seq, 2, 'no consequence');

-- test: money without a currency is in the workspace's
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"currency": "EUR"}');
select t.keep('lead', t.created('{"deal_value": 5}'));
select is((t.state(t.kept('lead'))).currency, 'EUR', 'at birth');
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'sale', '{"deal_value": 5}');
select is((t.state(t.kept('lead'))).currency, 'EUR', 'at a sale');
select t.keep('lead', t.lead('scheduled', '{"deal_value": 4, "currency": "CHF"}'));
select t.report(t.kept('lead'), 'sale', '{"deal_value": 5}');
select is((t.state(t.kept('lead'))).currency, 'CHF', 'or in the one the lead is reckoned in');
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'sale');
select is((t.state(t.kept('lead'))).currency, null, 'no money, no currency');

-- test: a lead that a member creates is theirs, unless it names somebody
select t.act_as('member');
select t.keep('own', t.created()), t.keep('given', t.created(jsonb_build_object('assigned_user_id', t.person('admin'))));
select is((t.state(t.kept('own'))).assigned_user_id, t.person('member'), 'theirs');
select t.act_as('admin');
select is((t.state(t.kept('given'))).assigned_user_id, t.person('admin'), 'the one it names');
select is((t.state(t.created())).assigned_user_id, null, 'an admin''s is nobody''s yet');

-- sale and no_sale are outcomes of a presentation: only a scheduled lead has one (seed 000).
select t.here();

-- test: refused at every other open stage, and nothing moves
select results_eq(
    $$ select s.stage, a.type, r.verdict, r.rule, r.to_stage
       from unnest('{new,attempted,callback,no_show}'::text[]) with ordinality s(stage, n),
            unnest('{sale,no_sale}'::text[]) with ordinality a(type, m),
            lateral t.report(t.lead(s.stage), a.type) r
       order by n, m $$,
    $$ select s.stage, a.type, 'refused', 'outcome_needs_appointment', s.stage
       from unnest('{new,attempted,callback,no_show}'::text[]) with ordinality s(stage, n),
            unnest('{sale,no_sale}'::text[]) with ordinality a(type, m)
       order by n, m $$,
    'no presentation without an appointment');

-- test: refused when it names another appointment
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}');
select is(t.verdict(t.kept('lead'), 'sale', '{"appointment_ref": "EV1"}'), 'refused outcome_needs_appointment', 'a sale at EV1');
select is(t.verdict(t.kept('lead'), 'no_sale', '{"appointment_ref": "EV1"}'), 'refused outcome_needs_appointment', 'no sale at EV1');
select is(t.stage(t.kept('lead')), 'scheduled', 'EV2 stands');
select is(t.verdict(t.kept('lead'), 'sale', '{"appointment_ref": "EV2"}'), 'applied', 'a sale at EV2 counts');

-- test: the refusal is kept, for whoever asks why
select t.keep('lead', t.lead('new'));
select t.report(t.kept('lead'), 'sale');
select results_eq(
    $$ select activity_type, rule, from_stage, from_status from leadline.refused_activities where lead_id = t.kept('lead') $$,
    $$ values ('sale', 'outcome_needs_appointment', 'new', 'open') $$, 'a refusal is a decision');

-- test: refused as an error where the writer prefers errors, and then no row is kept
select t.keep('lead', t.lead('new'));
set local leadline.on_refusal = 'raise';
select t.raises($$ select t.report(t.kept('lead'), 'sale') $$, 'PT409', 'outcome_needs_appointment', 'raised with its rule');
select is((t.state(t.kept('lead'))).seq, 1, 'no row is kept');

-- test: allowed from scheduled
select results_eq(
    $$ select type, r.verdict, r.to_stage, r.to_status from unnest('{sale,no_sale}'::text[]) type, lateral t.report(t.lead('scheduled'), type) r $$,
    $$ values ('sale', 'applied', 'sale', 'resolved'), ('no_sale', 'applied', 'no_sale', 'resolved') $$,
    'the outcome of a presentation');

-- test: allowed with what it was worth
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'sale', '{"deal_value": 1200.50, "currency": "EUR"}');
select results_eq(
    $$ select deal_value, currency from t.state(t.kept('lead')) $$,
    $$ values (1200.50, 'EUR') $$, 'value and currency are the lead''s now');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'sale') l;

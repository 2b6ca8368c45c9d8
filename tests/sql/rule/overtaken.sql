-- A consequence whose cause is no longer the lead's present state is noted, not done.
select t.here();

-- test: noted when the lead has moved on within the statement
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-02-01T09:00:00Z"}');
insert into leadline.lead_activity (lead_id, activity_type)
values (t.kept('lead'), 'appointment_scheduled'), (t.kept('lead'), 'sale');
select results_eq(
    $$ select seq, activity_type, verdict, rule from leadline.lead_activity where lead_id = t.kept('lead') order by seq offset 2 $$,
    $$ values (3, 'appointment_scheduled', 'applied', null), (4, 'sale', 'applied', null), (5, 'callback_cancelled', 'noted', 'overtaken') $$,
    'the appointment''s consequence comes after the sale');
select is((t.state(t.kept('lead'))).callback_at, '2026-02-01T09:00:00Z'::timestamptz,
          'and leaves the time where it was');

-- test: allowed when nothing came between
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-02-01T09:00:00Z"}');
select t.report(t.kept('lead'), 'appointment_scheduled');
select results_eq(
    $$ select e.seq, e.verdict, e.rule, e.caused_by = c.activity_id, e.from_stage, e.to_stage
       from leadline.lead_activity e, leadline.lead_activity c
       where e.lead_id = t.kept('lead') and e.activity_type = 'callback_cancelled'
         and c.lead_id = t.kept('lead') and c.activity_type = 'appointment_scheduled' $$,
    $$ values (4, 'applied', null, true, 'scheduled', 'scheduled') $$, 'the call back falls away, and says why');
select is((t.state(t.kept('lead'))).callback_at, null, 'no call is promised any more');

-- test: said
select t.speaks(s.sentence, s.hint) from leadline.rule_sentences s where s.rule = 'overtaken';

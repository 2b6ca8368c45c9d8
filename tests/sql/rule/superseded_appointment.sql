-- A cancel or no-show acts only on the appointment it names: a reschedule's cancel of the old one is no cancel.
select t.here();

-- test: noted when it names another appointment
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}');
select is(t.verdict(t.kept('lead'), 'appointment_cancel', '{"appointment_ref": "EV1"}'), 'noted superseded_appointment', 'a cancel of EV1');
select is(t.verdict(t.kept('lead'), 'appointment_no_show', '{"appointment_ref": "EV1"}'), 'noted superseded_appointment', 'a no-show at EV1');
select is(t.stage(t.kept('lead')), 'scheduled', 'EV2 stands');

-- test: noted before the stage is asked
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}');
select t.report(t.kept('lead'), 'appointment_no_show', '{"appointment_ref": "EV2"}');
select is(t.verdict(t.kept('lead'), 'appointment_cancel', '{"appointment_ref": "EV1"}'), 'noted superseded_appointment',
          'not cancel_needs_appointment');

-- test: allowed when it names the current one, or one side names none
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}');
select is(t.verdict(t.kept('lead'), 'appointment_no_show', '{"appointment_ref": "EV2"}'), 'applied', 'the current one');
select is(t.verdict(t.lead('scheduled'), 'appointment_cancel', '{"appointment_ref": "EV7"}'), 'applied', 'the lead''s has no name');
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV3"}');
select is(t.verdict(t.kept('lead'), 'appointment_cancel'), 'applied', 'the cancel names none');

-- test: said
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'appointment_cancel', '{"appointment_ref": "EV1"}') l;

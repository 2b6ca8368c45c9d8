-- What has happened already is noted, not done again.
select t.here();

-- test: noted
select is(t.verdict(t.lead('no_show'), 'appointment_no_show'), 'noted already_there', 'missed already');
select is(t.verdict(t.lead('callback'), 'appointment_cancel'), 'noted already_there', 'cancelled already');

-- test: allowed once
select is(t.verdict(t.lead('scheduled'), 'appointment_no_show'), 'applied', 'the first no-show moves');
select is(t.verdict(t.lead('scheduled'), 'appointment_cancel'), 'applied', 'the first cancel moves');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('no_show'), 'appointment_no_show') l;

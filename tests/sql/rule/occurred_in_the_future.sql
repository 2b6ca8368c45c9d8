-- What has not happened yet is no fact; five minutes are granted to clocks that differ.
select t.here();

-- test: raised beyond five minutes
select t.keep('lead', t.lead('new'));
select t.raises($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, clock_timestamp() + interval '6 minutes') $$,
                'PT422', 'occurred_in_the_future', 'in six minutes');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, clock_timestamp() + interval '2 days') $$, 'PT422', null, 'in two days');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, 'infinity') $$, 'PT422', null, 'at the end of time');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, '-infinity') $$, 'PT422', null, 'or before it began');
select is((t.state(t.kept('lead'))).seq, 1, 'nothing is kept');

-- test: raised for a birth, and for a stage entered tomorrow
select throws_ok($$ select t.created('{}', clock_timestamp() + interval '6 minutes') $$, 'PT422', null, 'a lead of tomorrow');
select t.act_as('importer', '{import}');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "scheduled", "entered_at": "2999-01-01T00:00:00Z"}') $$, 'PT422', null,
                 'a stage not yet entered');

-- test: allowed within five minutes
select is(t.verdict(t.lead('new'), 'contact_attempted', '{}', null, clock_timestamp() + interval '4 minutes'), 'applied', 'a clock that is ahead');

-- test: allowed are times in the future that are agreed, not reported
select is(t.verdict(t.lead('new'), 'appointment_scheduled', '{"starts_at": "2999-01-01T10:00:00Z"}'), 'applied', 'an appointment');
select is(t.verdict(t.lead('new'), 'callback_requested', '{"callback_at": "2999-01-01T10:00:00Z"}'), 'applied', 'a call back');

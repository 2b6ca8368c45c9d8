-- applied means that something changed; the same value again is noted.
select t.here();

-- test: noted when every field holds that value already
select t.keep('lead', t.lead('new', '{"name": "Kim", "email": "kim@example.com", "deal_value": 100, "currency": "EUR"}'));
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 100.00, "currency": "EUR"}'), 'noted no_change', 'the same money');
select is(t.verdict(t.kept('lead'), 'contact_changed', '{"name": "Kim"}'), 'noted no_change', 'the same name');
select is(t.verdict(t.kept('lead'), 'contact_changed', '{}'), 'noted no_change', 'nothing at all');
select is(t.verdict(t.kept('lead'), 'lead_assigned', '{"assigned_user_id": null}'), 'noted no_change', 'unassigned already');
select is(t.verdict(t.kept('lead'), 'tag_removed', '{"tag": "vip"}'), 'noted no_change', 'a tag it does not carry');
select t.report(t.kept('lead'), 'tag_added', '{"tag": "vip"}');
select is(t.verdict(t.kept('lead'), 'tag_added', '{"tag": "vip"}'), 'noted no_change', 'a tag it carries');
select results_eq(
    $$ select version, changes is null from leadline.lead_activity where lead_id = t.kept('lead') and verdict = 'noted' order by seq desc limit 1 $$,
    $$ values (2, true) $$, 'version counts what was applied');

-- test: noted when the same appointment is reported again
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV1", "starts_at": "2026-02-01T10:00:00Z"}');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV1", "starts_at": "2026-02-01T11:00:00+01:00"}'),
          'noted no_change', 'the same instant in another zone');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV1"}'), 'noted no_change', 'its name alone');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled'), 'noted no_change', 'not even its name');

-- test: noted when the same call back is asked for again
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-02-01T10:00:00Z"}');
select is(t.verdict(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-02-01T10:00:00Z"}'), 'noted no_change', 'the same time');
select is(t.verdict(t.kept('lead'), 'callback_requested'), 'noted no_change', 'no time');

-- test: allowed when something differs
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV1", "starts_at": "2026-02-01T10:00:00Z"}');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled', '{"starts_at": "2026-02-02T10:00:00Z"}'), 'applied', 'another time');
select results_eq(
    $$ select changes from t.report(t.kept('lead'), 'appointment_scheduled', '{"appointment_ref": "EV2"}') $$,
    $$ values ('{"appointment_ref": ["EV1", "EV2"], "appointment_at": ["2026-02-02T10:00:00.000000Z", null]}'::jsonb) $$,
    'another appointment, whose time is not known');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 100, "currency": "EUR"}'), 'applied', 'another value');
select is(t.verdict(t.kept('lead'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('member'))), 'applied', 'an owner');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'contact_changed') l;

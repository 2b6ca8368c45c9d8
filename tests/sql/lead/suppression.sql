-- Do not contact: whoever asked to be left alone is left alone in the whole workspace, by phone and by e-mail.
select t.here();

-- test: a dnc suppresses every lead that shares the phone or the address
select t.keep('asked', t.lead('scheduled', '{"email": "kim@example.com", "phone": "+1 650 253 0000"}'));
select t.keep('phone', t.lead('new', '{"phone": "+16502530000"}')), t.keep('email', t.lead('new', '{"email": "KIM@example.com"}')),
       t.keep('neither', t.lead('new', '{"email": "lee@example.com"}'));
select is(t.verdict(t.kept('asked'), 'dnc'), 'applied', 'she asked');
select results_eq(
    $$ select stage, is_suppressed, seq from leadline.lead_overview where lead_id in (t.kept('phone'), t.kept('email')) $$,
    $$ values ('new', true, 1), ('new', true, 1) $$, 'sister leads are flagged and not touched');
select is((t.state(t.kept('neither'))).is_suppressed, false, 'others are not');

-- test: a lead that comes later is suppressed from its birth
select t.report(t.lead('new', '{"phone": "+16502530000"}'), 'dnc');
select is((t.state(t.created('{"phone": "+1 (650) 253-0000"}'))).is_suppressed, true, 'by any spelling');

-- test: a late dnc counts
select t.keep('lead', t.lead('scheduled', '{"email": "kim@example.com"}'));
select is(t.verdict(t.kept('lead'), 'dnc', '{}', null, '2025-01-01T00:00:00Z'), 'applied', 'never superseded');
select is((t.state(t.kept('lead'))).is_suppressed, true, 'suppressed');

-- test: a refused dnc suppresses nobody
select t.keep('lead', t.lead('new', '{"email": "kim@example.com"}'));
select t.act_as('billing');
select is(t.verdict(t.kept('lead'), 'dnc'), 'refused writer_not_allowed', 'billing heard it');
select is((t.state(t.kept('lead'))).is_suppressed, false, 'and cannot say it');

-- test: another workspace is not concerned
select t.report(t.lead('new', '{"email": "kim@example.com"}'), 'dnc');
select t.keep('foreign', t.lead('new', '{"email": "kim@example.com"}', t.elsewhere()));
select t.act_as('app', '{}', t.elsewhere());
select is((t.state(t.kept('foreign'))).is_suppressed, false, 'it keeps its own list');

-- test: lifted by an admin, asked again, suppressed again
select t.keep('lead', t.lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'dnc');
select t.report(t.kept('lead'), 'suppression_lifted', '{"reason": "she called us"}');
select is((t.state(t.kept('lead'))).is_suppressed, false, 'lifted');
select t.report(t.kept('lead'), 'dnc');
select is((t.state(t.kept('lead'))).is_suppressed, true, 'asked again');

-- test: what counts is where the lead could be reached when she asked, not what the statement made of it afterwards
select t.keep('lead', t.lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select t.keep('sister', t.lead('new', '{"phone": "+16502530000"}'));
insert into leadline.lead_activity (lead_id, activity_type, payload)
values (t.kept('lead'), 'dnc', '{}'), (t.kept('lead'), 'contact_changed', '{"phone": "+4512345678"}');
select is((t.state(t.kept('sister'))).is_suppressed, true, 'the phone she asked about');

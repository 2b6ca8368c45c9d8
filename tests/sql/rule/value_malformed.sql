-- A known key holds a value of its kind.
select t.here();

-- test: raised for every kind
select t.keep('lead', t.lead('scheduled'));
select throws_ok(format('select t.report(t.kept(''lead''), %L, %L)', a.type, a.payload), 'PT422', null, a.why)
from (values
    ('appointment_scheduled', '{"starts_at": "tomorrow"}', 'an instant is ISO 8601'),
    ('appointment_scheduled', '{"starts_at": "2026-02-01T10:00:00"}', 'with its offset'),
    ('appointment_scheduled', '{"starts_at": "2026-02-30T10:00:00Z"}', 'of a day that exists'),
    ('appointment_scheduled', '{"starts_at": "infinity"}', 'and not the end of time'),
    ('appointment_scheduled', '{"starts_at": 1769940000}', 'nor a number'),
    ('callback_requested', '{"callback_at": "2026-02-01"}', 'a day is no instant'),
    ('appointment_scheduled', '{"appointment_ref": 17}', 'a text is no number'),
    ('sale', '{"deal_value": "1200"}', 'money is no text'),
    ('sale', '{"deal_value": -1}', 'nor negative'),
    ('sale', '{"deal_value": 1, "currency": "euro"}', 'a currency is three capital letters'),
    ('duplicate', '{"duplicate_of": "L-1"}', 'an id is a uuid'),
    ('lead_assigned', '{"assigned_user_id": "kim"}', 'here too'),
    ('tag_added', '{"tag": 7}', 'a tag is a text'),
    ('tag_added', '{"tag": null}', 'and not null'),
    ('tag_added', '{"tag": " "}', 'nor blank'),
    ('suppression_lifted', '{"reason": ""}', 'a reason says something'),
    ('unsubscribed', '{"channel": "\t"}', 'a channel too'),
    ('call_completed', '{"duration_s": -3}', 'a duration is not negative'),
    ('call_completed', '{"duration_s": 1.5}', 'and whole'),
    ('contact_changed', '{"email": "nobody"}', 'an e-mail address has an @'),
    ('contact_changed', '{"name": {"first": "Kim"}}', 'a name is a text')) a(type, payload, why);
select results_eq(
    $$ select stage, seq from t.state(t.kept('lead')) $$, $$ values ('scheduled', 1) $$, 'nothing is kept');

-- test: raised with its name
select t.keep('lead', t.lead('scheduled'));
select t.raises($$ select t.report(t.kept('lead'), 'sale', '{"deal_value": "1200"}') $$, 'PT422', 'value_malformed', 'money is no text');

-- test: raised at a closed lead too
select throws_ok($$ select t.report(t.lead('sale'), 'sale', '{"deal_value": "1200"}') $$, 'PT422', null, 'the shape comes first');

-- test: allowed
select is(t.verdict(t.lead('new'), 'appointment_scheduled', '{"starts_at": "2026-02-01T10:00:00+01:00", "ends_at": "2026-02-01T10:00:00.5Z"}'),
          'applied', 'instants');
select is(t.verdict(t.lead('scheduled'), 'sale', '{"deal_value": 0}'), 'applied', 'nothing is a price');
select is(t.verdict(t.lead('new'), 'contact_attempted', '{"mood": {"she": ["laughed"]}}'), 'applied', 'keys we do not know hold what they like');

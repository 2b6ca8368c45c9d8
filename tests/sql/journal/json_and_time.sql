-- What JSON and clocks can do to a report.
select t.here();
select t.keep('lead', t.lead('attempted'));

-- test: text that no database holds is no report
select throws_ok($$ select t.report(t.kept('lead'), 'note_added', '{"text": "\u0000"}') $$, '22P05', null, 'a NUL');
select throws_ok($$ select t.report(t.kept('lead'), 'note_added', '{"text": "\ud800"}') $$, '22P02', null, 'half a character');
select throws_ok($$ select t.report(t.kept('lead'), 'note_added', '{"text": "x",}') $$, '22P02', null, 'a trailing comma');
select is((t.state(t.kept('lead'))).seq, 1, 'nothing is kept');

-- test: a backslash, a u and four zeros are six characters like others
select t.report(t.kept('lead'), 'note_added', '{"text": "\\u0000"}');
select is((select l.payload->>'text' from leadline.lead_timeline l where l.lead_id = t.kept('lead') and l.seq = 2), '\u0000', 'untouched');

-- test: numbers that are none
select throws_ok($$ select t.report(t.kept('lead'), 'sale', '{"deal_value": NaN}') $$, '22P02', null, 'NaN');
select throws_ok($$ select t.report(t.kept('lead'), 'sale', '{"deal_value": Infinity}') $$, '22P02', null, 'Infinity');
select throws_ok($$ select t.report(t.kept('lead'), 'sale', '{"deal_value": 1e131072}') $$, '22003', null, 'beyond numeric');
select throws_ok($$ select t.report(t.kept('lead'), 'deal_value_changed', '{"deal_value": "NaN", "currency": "EUR"}') $$, 'PT422', null, 'NaN as a text');

-- test: large numbers are exact
select t.report(t.kept('lead'), 'deal_value_changed', '{"deal_value": 999999999999999.99, "currency": "EUR"}');
select is((t.state(t.kept('lead'))).deal_value, 999999999999999.99, 'no float in between');
select t.report(t.kept('lead'), 'note_added', '{"text": "x", "huge": 1e400, "id": 12345678901234567890123}');
select results_eq(
    $$ select (l.payload->>'huge')::numeric, l.payload->>'id' from leadline.lead_timeline l where l.lead_id = t.kept('lead') and l.seq = 3 $$,
    $$ values (1e400, '12345678901234567890123') $$, 'no infinity, and every digit of an id');

-- test: of two equal keys the last one counts
select t.report(t.kept('lead'), 'tag_added', '{"tag": "first", "tag": "last"}');
select is((t.state(t.kept('lead'))).tags, '{last}'::text[], 'jsonb''s own rule');

-- test: deep nesting is kept or refused, and can be read if kept
select t.report(t.kept('lead'), 'note_added', jsonb_build_object('text', 'x', 'deep', (repeat('[', 60) || repeat(']', 60))::jsonb));
select is((select l.payload->>'deep' from leadline.lead_timeline l where l.lead_id = t.kept('lead') and l.seq = 2), repeat('[', 60) || repeat(']', 60), 'sixty levels');

-- test: times without end or offset are none
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '{}', null, 'infinity') $$, 'PT422', null, 'infinity');
select throws_ok($$ select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "infinity"}') $$, 'PT422', null, 'in a payload');
select throws_ok($$ select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-01-01T00:00:00"}') $$, 'PT422', null, 'without offset');
select throws_ok($$ select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "now"}') $$, 'PT422', null, 'a word of PostgreSQL''s');
select throws_ok($$ select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": ""}') $$, 'PT422', null, 'nothing');
select is((t.state(t.kept('lead'))).seq, 1, 'nothing is kept');

-- test: in a batch they are items that are invalid
select results_eq(
    $$ select r.item, r.result->>'verdict', r.result->>'sqlstate' from leadline.log_activities(jsonb_build_array(
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'email_replied', 'occurred_at', '2026-01-01T00:00:00'),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'email_replied', 'occurred_at', 'infinity'),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'email_replied', 'occurred_at', 7),
           jsonb_build_object('lead_id', 'L-1', 'activity_type', 'email_replied'),
           jsonb_build_object('activity_type', 'email_replied'),
           jsonb_build_object('lead_id', t.kept('lead')),
           '"email_replied"'::jsonb,
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'email_replied', 'occurred_at', '2026-01-01T00:00:00Z'))) r order by 1 $$,
    $$ values (1, 'invalid', 'PT422'), (2, 'invalid', 'PT422'), (3, 'invalid', 'PT422'), (4, 'invalid', 'PT404'), (5, 'invalid', 'PT422'),
              (6, 'invalid', 'PT422'), (7, 'invalid', 'PT422'), (8, 'noted', null) $$,
    'the sound one is kept');

-- test: an instant is the same in every zone
set local timezone = 'America/New_York';
select t.report(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-03-29T02:30:00+02:00"}', null, '2026-03-28T12:00:00Z');
select is(a.changes->'callback_at', '[null, "2026-03-29T00:30:00.000000Z"]'::jsonb, 'the journal writes UTC whatever the session''s zone')
from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.seq = 2;

-- test: a malformed id in bare SQL is PostgreSQL's own to refuse
select throws_ok($$ insert into leadline.lead_activity (lead_id, activity_type) values ('L-1', 'sale') $$, '22P02', null, 'no uuid');

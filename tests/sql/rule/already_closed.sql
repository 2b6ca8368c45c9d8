-- Whoever was turned away is not worked on: contacts are noted (seed 003).
select t.here();
select t.keep('lead', t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'));

-- test: noted, and nothing moves
select results_eq(
    $$ select type, t.verdict(t.kept('lead'), type) from unnest('{contact_attempted,email_sent}'::text[]) type $$,
    $$ select type, 'noted already_closed' from unnest('{contact_attempted,email_sent}'::text[]) type $$, 'it is closed');
select results_eq($$ select stage, status, version from t.state(t.kept('lead')) $$, $$ values ('disqualified', 'closed', 1) $$, 'closed it stays');

-- test: a conversation is noted without more ado
select results_eq(
    $$ select type, t.verdict(t.kept('lead'), type) from unnest('{call_completed,meeting_held}'::text[]) type $$,
    $$ values ('call_completed', 'noted'), ('meeting_held', 'noted') $$, 'it was held, and moves nothing');

-- test: allowed are notes, fields and replies, which wait for an answer
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "is that really spam?"}'), 'noted', 'a note');
select is(t.verdict(t.kept('lead'), 'tag_added', '{"tag": "odd"}'), 'applied', 'a tag');
select is(t.verdict(t.kept('lead'), 'email_replied', '{}', null, '2026-11-01T10:00:00Z'), 'noted', 'a reply');
select is((t.state(t.kept('lead'))).waiting_since, '2026-11-01T10:00:00Z'::timestamptz, 'somebody waits');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'contact_attempted') l;

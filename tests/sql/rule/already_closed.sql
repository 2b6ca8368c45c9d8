-- Whoever was turned away, put aside or handed over is not worked on: contacts are noted, decisions refused (seed 003).
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

-- test: noted are attempts at every closed stage
select results_eq(
    $$ select s, x, t.verdict(t.qualification_lead(s), x) from unnest('{qualified,recycled,disqualified}'::text[]) with ordinality s(s, n),
           unnest('{contact_attempted,email_sent}'::text[]) with ordinality x(x, m) order by n, m $$,
    $$ select s, x, 'noted already_closed' from unnest('{qualified,recycled,disqualified}'::text[]) with ordinality s(s, n),
           unnest('{contact_attempted,email_sent}'::text[]) with ordinality x(x, m) order by n, m $$, 'three');

-- test: refused are decisions, whatever they still lack
select results_eq(
    $$ select s, x, t.verdict(t.qualification_lead(s), x, p)
       from (values (1, 'qualified', 'request_accepted', '{}'::jsonb), (2, 'recycled', 'request_accepted', '{}'), (3, 'disqualified', 'request_accepted', '{}'),
           (4, 'qualified', 'request_rejected', '{}'),
                    (5, 'qualified', 'lead_recycled', '{}'), (6, 'disqualified', 'lead_recycled', '{}'), (7, 'recycled', 'lead_qualified', '{}'),
                        (8, 'disqualified', 'lead_qualified', '{}')) y(n, s, x, p) order by n $$,
    $$ select s, x, 'refused already_closed'
       from (values ('qualified', 'request_accepted'), ('recycled', 'request_accepted'), ('disqualified', 'request_accepted'), ('qualified', 'request_rejected'), ('qualified', 'lead_recycled'),
           ('disqualified', 'lead_recycled'),
                    ('recycled', 'lead_qualified'), ('disqualified', 'lead_qualified')) y(s, x) $$, 'before their reasons and evidence are asked');

-- test: allowed to turn away who was only put aside, and to put off the day
select is(t.verdict(t.qualification_lead('recycled'), 'request_rejected', '{"reason": "no_fit"}'), 'applied', 'turned away');
select is(t.verdict(t.qualification_lead('recycled'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}'), 'applied', 'put off');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'contact_attempted') l;

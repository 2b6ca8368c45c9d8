-- One open lead an address: while another is worked on, the one put aside stays aside, and what came in is kept (seed 004 rule 7.1).
select t.here();
select t.keep('aside', t.qualification_lead('recycled', '{"email": "kim@example.com"}')), t.keep('open', t.qualification_lead('new', '{"email": "Kim@example.com"}'));

-- test: noted, and both stand where they stood
select results_eq(
    $$ select x, t.verdict(t.kept('aside'), x, '{}', null, '2026-03-01T10:00:00Z') from unnest('{email_replied,message_received,call_received}'::text[]) x $$,
    $$ select x, 'noted open_lead_goes_on' from unnest('{email_replied,message_received,call_received}'::text[]) x $$, 'a reply on the old one');
select results_eq(
    $$ select l.stage, l.version from unnest(array[t.kept('aside'), t.kept('open')]) id, lateral t.state(id) l $$,
    $$ values ('recycled', 1), ('new', 1) $$, 'nothing moves');

-- test: noted whichever workflow the open one is of
select t.report(t.kept('open'), 'request_rejected', '{"reason": "no_fit"}');
select t.sales_lead('new', '{"email": "kim@example.com"}');
select is(t.verdict(t.kept('aside'), 'email_replied', '{}', null, '2026-03-01T10:00:00Z'), 'noted open_lead_goes_on', 'a sales lead');

-- test: too old is too old all the same
select is(t.verdict(t.kept('aside'), 'email_replied', '{}', null, '2026-01-20T10:00:00Z'), 'noted recycled_until', 'that is asked first');

-- test: allowed once the other is closed
select t.report(t.kept('open'), 'request_rejected', '{"reason": "no_fit"}');
select is(t.verdict(t.kept('aside'), 'email_replied', '{}', null, '2026-03-01T10:00:00Z'), 'applied', 'it comes back');

-- test: allowed for another address
select t.keep('other', t.qualification_lead('recycled', '{"email": "lee@example.com"}'));
select is(t.verdict(t.kept('other'), 'email_replied', '{}', null, '2026-03-01T10:00:00Z'), 'applied', 'somebody else');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('aside'), 'email_replied', p_occurred_at => '2026-03-01T10:00:00Z') l;

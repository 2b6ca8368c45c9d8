-- Only a person's act is a contact: what a machine sent moves nobody and winds no clock (seed 004 section 9).
select t.here();

-- test: noted when an app sends by itself
select t.keep('lead', t.lead('new'));
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'email_sent'), 'noted not_a_person', 'a mail by an app');
select is(t.verdict(t.kept('lead'), 'message_sent'), 'noted not_a_person', 'a message by an app');
select results_eq(
    $$ select stage, first_contacted_at, last_touch_at from t.state(t.kept('lead')) $$,
    $$ values ('new', null::timestamptz, null::timestamptz) $$, 'nobody was contacted');

-- test: a closed lead's clocks are not wound by a machine either
select t.keep('lead', t.lead('sale'));
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'email_sent'), 'noted already_resolved', 'closed is said first');
select is(t.verdict(t.kept('lead'), 'message_sent'), 'noted not_a_person', 'a message never moves, so it is judged by itself');
select results_eq(
    $$ select first_contacted_at, last_touch_at from t.state(t.kept('lead')) $$,
    $$ values (null::timestamptz, null::timestamptz) $$, 'nobody was contacted');

-- test: noted when the system itself calls, meets or writes
select t.keep('lead', t.lead('new'));
select t.act_as('superuser');
select leadline_internal.enter_as(t.workspace(), 'worker');
set local session authorization leadline_service;
select results_eq(
    $$ select type, l.verdict, l.rule from unnest('{call_completed,meeting_held,lead_contacted,email_sent,message_sent}'::text[]) type,
              leadline.log_activity(t.kept('lead'), type) l $$,
    $$ select type, 'noted', 'not_a_person' from unnest('{call_completed,meeting_held,lead_contacted,email_sent,message_sent}'::text[]) type $$,
    'no machine meets anybody');

-- test: allowed on behalf of a person
select t.keep('lead', t.lead('new'));
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'email_sent', '{}', null, '2026-01-02T10:00:00Z', t.person('member')), 'applied', 'the member wrote it');
select results_eq(
    $$ select stage, first_contacted_at, last_touch_at from t.state(t.kept('lead')) $$,
    $$ values ('attempted', '2026-01-02T10:00:00Z'::timestamptz, '2026-01-02T10:00:00Z'::timestamptz) $$, 'a contact');

-- test: allowed to a person, and an app that knows of a call or a meeting
select is(t.verdict(t.lead('new'), 'email_sent'), 'applied', 'a person''s mail');
select is(t.verdict(t.lead('new'), 'message_sent'), 'noted', 'a person''s message');
select t.keep('one', t.lead('new')), t.keep('two', t.lead('new'));
select t.act_as('app');
select is(t.verdict(t.kept('one'), 'call_completed'), 'applied', 'an app''s call counts');
select is(t.verdict(t.kept('two'), 'meeting_held'), 'applied', 'so does a meeting');

-- test: said
select t.keep('lead', t.lead('new'));
select t.act_as('app');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'email_sent') l;

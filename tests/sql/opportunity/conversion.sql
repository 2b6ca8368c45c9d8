-- From a qualified lead to a deal, and back (seed 003): one deal, one person, one contact role, however often it is reported.
select t.here();

-- test: a lead becomes a deal of its own
select t.keep('lead', t.qualification_lead('qualified', jsonb_build_object('email', 'kim@example.com', 'assigned_user_id', t.person('member'), 'deal_value', 700, 'currency', 'EUR')));
select results_eq(
    $$ select r.verdict, r.from_stage, r.to_stage from t.report(t.kept('lead'), 'lead_converted', '{"close_date": "2026-12-01"}', null, '2026-02-01T10:00:00Z') r $$,
    $$ values ('applied', 'qualified', 'qualified') $$, 'it stays qualified');
select results_eq(
    $$ select o.workflow, o.stage, o.status, o.person_id = l.person_id, o.lead_id, o.assigned_user_id, o.amount::numeric, o.currency::text, o.close_date, o.created_at
       from t.state(t.kept('lead')) l, lateral t.deal(l.opportunity_id) o $$,
    $$ values ('new_business', 'evaluation', 'open', true, t.kept('lead'), t.person('member'), 700::numeric, 'EUR', '2026-12-01'::date, '2026-02-01T10:00:00Z'::timestamptz) $$,
    'whose person, owner and money are the lead''s');
select results_eq(
    $$ select a.activity_type, a.verdict, a.seq, a.actor_kind, a.actor_id, a.writer, c.activity_type
       from leadline.opportunity_activity a join leadline.lead_activity c on c.activity_id = a.caused_by where a.opportunity_id = (t.state(t.kept('lead'))).opportunity_id $$,
    $$ values ('opportunity_opened', 'applied', 1, 'user', t.person('admin'), 'workflow:conversion', 'lead_converted') $$, 'opened by the conversion');
select is((select count(*)::int from jsonb_object_keys((t.deal((t.state(t.kept('lead'))).opportunity_id)).contacts)), 1, 'one contact role');

-- test: what the conversion says counts before what the lead says
select t.keep('lead', t.qualification_lead('qualified', '{"deal_value": 700, "currency": "EUR"}'));
select t.report(t.kept('lead'), 'lead_converted', '{"pipeline": "expansion", "amount": 900, "currency": "USD"}');
select results_eq($$ select o.workflow, o.amount::numeric, o.currency::text from t.deal((t.state(t.kept('lead'))).opportunity_id) o $$,
    $$ values ('expansion', 900::numeric, 'USD') $$, 'pipeline and money');
select throws_ok($$ select t.report(t.qualification_lead('qualified'), 'lead_converted', '{"pipeline": "renewals"}') $$, 'PT422', null, 'a pipeline nobody knows');
select throws_ok($$ select t.report(t.qualification_lead('qualified'), 'lead_converted', '{"pipeline": "sales"}') $$, 'PT422', null, 'the workflow of something else');

-- test: reported twice with one reference, both get the same answer
select t.keep('lead', t.qualification_lead('qualified', '{"email": "kim@example.com"}'));
select set_config('t.first', row_to_json(l)::text, true) from leadline.log_activity(t.kept('lead'), 'lead_converted', '{}', 'c-1') l;
select set_config('t.second', row_to_json(l)::text, true) from leadline.log_activity(t.kept('lead'), 'lead_converted', '{}', 'c-1') l;
select is(current_setting('t.second')::jsonb - 'replayed', current_setting('t.first')::jsonb - 'replayed', 'word for word');
select results_eq($$ select count(*)::int, count(distinct o.person_id)::int from leadline.opportunities o $$, $$ values (1, 1) $$, 'one deal');

-- test: reported twice with two references, the second is told of the first
select t.keep('lead', t.qualification_lead('qualified', '{"email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'lead_converted', '{}', 'c-1'), t.report(t.kept('lead'), 'lead_converted', '{}', 'c-2');
select results_eq(
    $$ select a.reference, a.verdict, a.rule from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.activity_type = 'lead_converted' order by a.seq $$,
    $$ values ('c-1', 'applied', null), ('c-2', 'noted', 'already_converted') $$, 'already_converted');
select results_eq($$ select o.opportunity_id from leadline.opportunities o $$, $$ select (t.state(t.kept('lead'))).opportunity_id $$, 'one deal');

-- test: the person is linked, not cloned, though the address is known from elsewhere
select t.keep('person', t.person_at('active', '{"email": "kim@example.com"}'));
select t.keep('lead', t.qualification_lead('qualified', '{"email": " KIM@example.com"}'));
select t.report(t.kept('lead'), 'lead_converted');
select is((t.deal((t.state(t.kept('lead'))).opportunity_id)).person_id, t.kept('person'), 'the same person');
select is((select count(*) from leadline.person_contacts k where k.key = 'kim@example.com'), 1::bigint, 'who is one');
select is(t.point(t.kept('person')), 'active', 'and stands where they stood');

-- test: a merged person's lead makes a deal of the one who goes on
select t.keep('lead', t.qualification_lead('qualified', '{"email": "kim@example.com"}'));
select t.keep('into', t.someone('{"email": "kim@work.example"}'));
select leadline.merge_people((t.state(t.kept('lead'))).person_id, t.kept('into'));
select t.report(t.kept('lead'), 'lead_converted');
select is((t.deal((t.state(t.kept('lead'))).opportunity_id)).person_id, t.kept('into'), 'not of the one set aside');

-- test: a lead joins an open deal as a contact, and the deal stays as it is
select t.keep('deal', t.opportunity('proposal', '{"amount": 5, "currency": "EUR"}')), t.keep('lead', t.qualification_lead('qualified', '{"deal_value": 700, "currency": "EUR"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select is(t.verdict(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal'), 'amount', 900)), 'applied', 'joined');
select results_eq(
    $$ select l.opportunity_id, o.stage, o.amount::numeric, o.lead_id, o.person_id <> t.kept('person'), o.contacts ? t.kept('person')::text from t.state(t.kept('lead')) l,
           lateral t.deal(l.opportunity_id) o $$,
    $$ values (t.kept('deal'), 'proposal', 5::numeric, null::uuid, true, true) $$, 'somebody more');
select results_eq(
    $$ select a.activity_type, a.writer, c.activity_type from leadline.opportunity_activity a join leadline.lead_activity c on c.activity_id = a.caused_by
           where a.opportunity_id = t.kept('deal') and a.seq = 3 $$,
    $$ values ('contact_role_set', 'workflow:conversion', 'lead_converted') $$, 'by the conversion');
select is((select count(*) from leadline.opportunities), 1::bigint, 'no second deal');

-- test: who has a role there already keeps it
select t.keep('deal', t.opportunity()), t.keep('lead', t.qualification_lead('qualified'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.report_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('person'), 'role', 'decision maker'));
select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal')));
select is((t.deal(t.kept('deal'))).contacts ->> t.kept('person')::text, 'decision maker', 'one role');

-- test: a member joins no deal they do not see
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('lead', t.qualification_lead('qualified', jsonb_build_object('assigned_user_id', t.person('member'))));
select t.keep('deal', t.opportunity('evaluation', jsonb_build_object('assigned_user_id', t.person('admin'))));
select t.act_as('member');
select t.raises($$ select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal'))) $$, 'PT404', 'no_such_opportunity', 'somebody else''s');
select is(t.verdict(t.kept('lead'), 'lead_converted'), 'applied', 'but one of their own');
select is((t.deal((t.state(t.kept('lead'))).opportunity_id)).assigned_user_id, t.person('member'), 'is theirs');

-- test: taken back: the lead is open again, and the deal never was one
select t.keep('lead', t.qualification_lead('qualified', '{"email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'lead_converted');
select t.keep('deal', (t.state(t.kept('lead'))).opportunity_id);
select results_eq(
    $$ select r.verdict, r.to_stage, r.to_status from t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "connected", "reason": "entered_by_mistake"}') r $$,
    $$ values ('applied', 'connected', 'open') $$, 'corrected');
select results_eq($$ select l.opportunity_id, l.is_open from t.state(t.kept('lead')) l $$, $$ values (null::uuid, true) $$, 'no deal');
select results_eq($$ select o.stage, o.status, o.won_at, o.lost_at from t.deal(t.kept('deal')) o $$,
    $$ values ('withdrawn', 'withdrawn', null::timestamptz, null::timestamptz) $$, 'neither won nor lost');
select results_eq(
    $$ select a.activity_type, a.verdict, a.writer, c.activity_type from leadline.opportunity_activity a join leadline.lead_activity c on c.activity_id = a.caused_by
           where a.opportunity_id = t.kept('deal') and a.seq = 2 $$,
    $$ values ('conversion_undone', 'applied', 'workflow:conversion', 'stage_corrected') $$, 'by the correction');

-- test: taken back and done again: another deal, and the first stays withdrawn
select t.keep('lead', t.qualification_lead('qualified', '{"email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'lead_converted');
select t.keep('first', (t.state(t.kept('lead'))).opportunity_id);
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "accepted", "reason": "entered_by_mistake"}');
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed());
select t.report(t.kept('lead'), 'lead_converted');
select results_eq(
    $$ select o.opportunity_id = t.kept('first'), o.status from leadline.opportunities o order by 1 $$, $$ values (false, 'open'), (true, 'withdrawn') $$, 'one open deal');

-- test: taken back from a deal the lead only joined, the deal goes on
select t.keep('deal', t.opportunity('proposal')), t.keep('lead', t.qualification_lead('qualified'));
select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal')));
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "connected", "reason": "wrong_record"}'), 'applied', 'corrected');
select results_eq($$ select (t.state(t.kept('lead'))).opportunity_id, (t.deal(t.kept('deal'))).stage $$, $$ values (null::uuid, 'proposal') $$, 'with its other contacts');

-- test: the evidence goes with the qualification that is taken back
select t.keep('lead', t.qualification_lead('accepted'));
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed());
select results_eq($$ select c.problem, c.timing, c.buying_role from leadline.lead_contacts c where c.lead_id = t.kept('lead') $$,
    $$ values ('too much paper', 'this spring', 'decides') $$, 'confirmed');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "accepted", "reason": "wrong_record"}');
select results_eq($$ select c.problem, c.timing, c.buying_role from leadline.lead_contacts c where c.lead_id = t.kept('lead') $$,
    $$ values (null::text, null::text, null::text) $$, 'it was somebody else''s');

-- test: a half of it is nothing: a conversion that fails leaves lead and deals as they were
-- privileged: only a superuser can make it fail
select t.keep('lead', t.qualification_lead('qualified'));
select t.act_as('superuser');
create function t.fails() returns trigger language plpgsql as $$ begin raise exception 'the disk is full' using errcode = '53100'; end $$;
create trigger t99_fails before insert on leadline.opportunities for each row execute function t.fails();
select t.act_as('admin');
select throws_ok($$ select t.report(t.kept('lead'), 'lead_converted', '{}', 'c-1') $$, '53100', null, 'as it is');
select results_eq($$ select l.opportunity_id, l.seq from t.state(t.kept('lead')) l $$, $$ values (null::uuid, 1) $$, 'no deal, no row');
select t.act_as('superuser');
drop trigger t99_fails on leadline.opportunities;
select t.act_as('admin');
select is(t.verdict(t.kept('lead'), 'lead_converted', '{}', 'c-1'), 'applied', 'and it may be sent again with the same reference');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.opportunity('withdrawn');
select t.keep('deal', t.opportunity('proposal')), t.keep('lead', t.qualification_lead('qualified'));
select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal')));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

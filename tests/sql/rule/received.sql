-- A member's enquiry about somebody whose lead they do not see is taken in, and tells them nothing.
select t.here();
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('theirs', t.sales_lead('qualified', jsonb_build_object('email', 'kim@example.com', 'name', 'Kim', 'assigned_user_id', t.person('admin')))),
       t.keep('lost', t.sales_lead('lost', jsonb_build_object('email', 'lee@example.com', 'assigned_user_id', t.person('admin')))),
       t.keep('mine', t.sales_lead('new', jsonb_build_object('email', 'mine@example.com', 'assigned_user_id', t.person('member'))));

-- test: noted, without an id
select t.act_as('member');
select results_eq(
    $$ select l.verdict, l.rule, l.replayed, l.lead_id, l.activity_id, l.from_stage, l.to_stage, l.changes, l.seq
       from leadline.log_activity(null, 'inbound_enquiry', '{"email": "KIM@example.com", "message": "hello", "company": "Kim AB"}') l $$,
    $$ values ('noted', 'received', false, null::uuid, null::bigint, null::text, null::text, null::jsonb, null::int) $$, 'received, and no more');
select is_empty($$ insert into leadline.lead_activity (activity_type, payload) values ('inbound_enquiry', '{"email": "kim@example.com"}') returning lead_id $$,
                'in bare SQL, no row comes back');
select is_empty($$ select from leadline.lead_overview l where l.lead_id <> t.kept('mine') $$, 'and nothing new is seen');
select t.act_as('admin');
select results_eq(
    $$ select l.activity_type, l.payload ->> 'message' from leadline.lead_timeline l where l.lead_id = t.kept('theirs') and l.seq > 1 order by l.seq $$,
    $$ values ('inbound_enquiry', 'hello'), ('inbound_enquiry', null) $$, 'it stands on the lead, for whoever sees it');
select is((select count(*) from t.requests(t.kept('theirs'))), 2::bigint, 'a request each');

-- test: the same about a lost lead, which comes back all the same
select t.act_as('member');
select results_eq(
    $$ select l.verdict, l.rule, l.lead_id from leadline.log_activity(null, 'inbound_enquiry', '{"email": "lee@example.com"}') l $$,
    $$ values ('noted', 'received', null::uuid) $$, 'the same answer');
select t.act_as('admin');
select is(t.stage(t.kept('lost')), 'new', 'back');

-- test: in a batch, and repeated, it tells as little
select t.act_as('member');
select results_eq(
    $$ select b.result ->> 'verdict', b.result ->> 'rule', b.result ->> 'lead_id'
       from leadline.log_activities('[{"activity_type": "inbound_enquiry", "payload": {"email": "kim@example.com"}, "reference": "web-1"}]') b $$,
    $$ values ('noted', 'received', null) $$, 'in a batch');
select results_eq(
    $$ select l.verdict, l.rule, l.lead_id from leadline.log_activity(null, 'inbound_enquiry', '{"email": "kim@example.com"}', 'web-1') l $$,
    $$ values ('noted', 'received', null::uuid) $$, 'repeated');
select t.act_as('admin');
select is((select count(*) from t.requests(t.kept('theirs'))), 1::bigint, 'and is one request');

-- test: an unseen lead that is named is as unknown as ever
select t.act_as('member');
select throws_ok($$ select t.report(t.kept('theirs'), 'inbound_enquiry', '{"message": "hello"}') $$, 'PT404', null, 'by its id');

-- test: nor does a phone tell of whom it reminds us
select t.act_as('admin');
select t.report(t.kept('theirs'), 'contact_changed', '{"phone": "+16502530000"}');
select t.act_as('member');
select isnt(t.enquiry('{"workflow": "sales", "email": "new@example.com", "phone": "+16502530000"}'), null, 'a lead of one''s own');

-- test: allowed is the whole answer about a lead one sees
select t.act_as('member');
select results_eq(
    $$ select l.verdict, l.rule, l.lead_id from leadline.log_activity(null, 'inbound_enquiry', '{"email": "mine@example.com"}') l $$,
    $$ select 'noted', null, t.kept('mine') $$, 'one''s own');
select results_eq(
    $$ select l.verdict, l.rule, o.assigned_user_id from leadline.log_activity(null, 'inbound_enquiry', '{"workflow": "sales", "email": "fresh@example.com"}') l,
              lateral t.state(l.lead_id) o $$,
    $$ select 'applied', null, t.person('member') $$, 'and a new one, which is one''s own');

-- test: said
select t.act_as('member');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(null, 'inbound_enquiry', '{"email": "kim@example.com"}') l;

-- Every enquiry has a way and somebody who is told: a customer's to the account's owner, a partner's to theirs, new business to the lead's
-- owner, and what is nobody's to the admins (seed 003).
select t.here();

-- test: a customer's goes to the owner of the account
select t.account('customer', 'acme.example', t.person('member'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@ACME.example", "request_class": "demo"}'));
select results_eq(
    $$ select route, exclusion, owner_user_id from t.requests(t.kept('lead')) $$, $$ select 'customer', null::text, t.person('member') $$, 'the way');
select results_eq(
    $$ select recipient_user_id from t.outbox(t.kept('lead')) where topic = 'notify' $$, $$ select t.person('member') $$, 'is told');

-- test: a partner's goes to the owner of the partner's account
select t.account('partner', 'friends.example', t.person('owner'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@friends.example"}'));
select results_eq($$ select route, owner_user_id from t.requests(t.kept('lead')) $$, $$ select 'partner', t.person('owner') $$, 'the way');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('lead')) where topic = 'notify' $$, $$ select t.person('owner') $$, 'is told');

-- test: an account that is nobody's: the admins are told
select t.account('customer', 'acme.example'), t.account('partner', 'friends.example');
select results_eq(
    $$ select d, q.route, q.owner_user_id, o.topic, o.recipient_user_id
       from unnest('{acme,friends}'::text[]) d, lateral (select t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'kim@' || d || '.example')) as id offset 0) l,
            lateral t.requests(l.id) q, lateral t.outbox(l.id) o where o.topic = 'notify' $$,
    $$ values ('acme', 'customer', null::uuid, 'notify', null::uuid), ('friends', 'partner', null, 'notify', null) $$, 'nobody in particular');

-- test: a prospect's account is new business
select t.account('prospect', 'acme.example', t.person('member'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@acme.example"}'));
select is((select q.route from t.requests(t.kept('lead')) q), 'new_business', 'not a customer yet');

-- test: new business goes to the lead's owner, and to the admins when it has none
select t.keep('owned', t.sales_lead('new', jsonb_build_object('email', 'kim@example.com', 'assigned_user_id', t.person('member'))));
select t.enquiry('{"email": "kim@example.com"}');
select results_eq($$ select route, owner_user_id from t.requests(t.kept('owned')) $$, $$ select 'new_business', t.person('member') $$, 'the lead''s owner');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('owned')) where topic = 'notify' $$, $$ select t.person('member') $$, 'is told');
select t.keep('nobodys', t.enquiry('{"workflow": "sales", "email": "lee@example.com"}'));
select results_eq($$ select route, owner_user_id from t.requests(t.kept('nobodys')) $$, $$ values ('new_business', null::uuid) $$, 'nobody''s lead');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('nobodys')) where topic = 'notify' $$, $$ values (null::uuid) $$, 'the admins');

-- test: a new lead is whoever's the enquiry names, or the member's who took it
select t.keep('given', t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'kim@example.com', 'assigned_user_id', t.person('owner'))));
select results_eq($$ select l.assigned_user_id, q.owner_user_id from t.state(t.kept('given')) l, t.requests(t.kept('given')) q $$,
                  $$ select t.person('owner'), t.person('owner') $$, 'named');
select t.act_as('member');
select t.keep('own', t.enquiry('{"workflow": "sales", "email": "lee@example.com"}'));
select results_eq($$ select l.assigned_user_id, q.owner_user_id from t.state(t.kept('own')) l, t.requests(t.kept('own')) q $$,
                  $$ select t.person('member'), t.person('member') $$, 'taken by a member');
select throws_ok($$ select t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'may@example.com', 'assigned_user_id', gen_random_uuid())) $$, 'PT409', null, 'a stranger');

-- test: an enquiry that names an owner does not take a lead from another
select t.keep('owned', t.sales_lead('new', jsonb_build_object('email', 'kim@example.com', 'assigned_user_id', t.person('member'))));
select t.enquiry(jsonb_build_object('email', 'kim@example.com', 'assigned_user_id', t.person('owner')));
select is((t.state(t.kept('owned'))).assigned_user_id, t.person('member'), 'it overwrites nothing');

-- test: a won lead that is written about by its id tells its owner
select t.keep('won', t.sales_lead('won', jsonb_build_object('assigned_user_id', t.person('member'))));
select is(t.verdict(t.kept('won'), 'inbound_enquiry', '{"message": "one more, please"}'), 'noted', 'it stays won');
select results_eq($$ select owner_user_id from t.requests(t.kept('won')) $$, $$ select t.person('member') $$, 'the owner''s request');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('won')) where topic = 'notify' $$, $$ select t.person('member') $$, 'who is told');

-- test: a lead that comes back goes to who had it
select t.keep('lost', t.sales_lead('lost', jsonb_build_object('email', 'kim@example.com', 'assigned_user_id', t.person('member'))));
select t.enquiry('{"email": "kim@example.com"}');
select results_eq($$ select owner_user_id from t.requests(t.kept('lost')) $$, $$ select t.person('member') $$, 'their request');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('lost')) where topic = 'notify' $$, $$ select t.person('member') $$, 'they are told');

-- test: who left is not told, the admins are
select t.keep('lead', t.sales_lead('new', jsonb_build_object('email', 'kim@example.com', 'assigned_user_id', t.person('member'))));
select leadline.deactivate_member(t.workspace(), t.person('member'));
select t.enquiry('{"email": "kim@example.com"}');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('lead')) where topic = 'notify' $$, $$ values (null::uuid) $$, 'nobody''s lead');

-- test: an account whose owner left is nobody's
select t.account('customer', 'acme.example', t.person('member'));
select leadline.deactivate_member(t.workspace(), t.person('member'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@acme.example"}'));
select results_eq($$ select route, owner_user_id from t.requests(t.kept('lead')) $$, $$ values ('customer', null::uuid) $$, 'still a customer''s');
select results_eq($$ select recipient_user_id from t.outbox(t.kept('lead')) where topic = 'notify' $$, $$ values (null::uuid) $$, 'the admins are told');

-- test: accounts are set by an owner or admin, and written down
select t.act_as('member');
select throws_ok($$ select leadline.set_account(t.workspace(), 'acme.example', 'Acme', 'customer') $$, 'PT403', null, 'not by a member');
select t.act_as('admin');
select t.keep('account', leadline.set_account(t.workspace(), 'Acme.Example', 'Acme', 'customer'));
select results_eq(
    $$ select a.name, a.domain, a.kind, a.owner_user_id from leadline.accounts a where a.account_id = t.kept('account') $$,
    $$ values ('Acme', 'acme.example', 'customer', null::uuid) $$, 'an admin''s word');
select is(leadline.set_account(t.workspace(), 'acme.example', 'Acme Inc', 'partner', t.person('owner')), t.kept('account'), 'a domain is one account');
select results_eq(
    $$ select w.activity_type, w.about_id from leadline.workspace_activity w where w.activity_type = 'account_changed' order by w.activity_id $$,
    $$ select 'account_changed', t.kept('account') union all select 'account_changed', t.kept('account') $$, 'both times');
select throws_ok($$ select leadline.set_account(t.workspace(), 'acme.example', 'Acme', 'enemy') $$, 'PT422', null, 'of a kind that exists');
select throws_ok($$ insert into leadline.accounts (workspace_id, name) values (t.workspace(), 'x') $$, '42501', null, 'by no other door');

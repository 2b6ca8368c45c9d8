-- A workspace has somebody who may do everything, as long as it is open.
select t.here();

-- test: raised when the only owner goes or steps down
select t.act_as('owner');
select t.raises($$ select leadline.deactivate_member(t.workspace(), t.person('owner')) $$, 'PT409', 'last_owner_stays', 'goes');
select throws_ok($$ select leadline.add_member(t.workspace(), 'owner@here.example.com', 'admin') $$, 'PT409', null, 'becomes admin');
select throws_ok($$ select leadline.add_member(t.workspace(), 'owner@here.example.com', 'member') $$, 'PT409', null, 'becomes member');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('owner'), t.person('admin')) $$, 'PT409', null, 'with an heir, too');
select results_eq($$ select role, deactivated_at from leadline.members where user_id = t.person('owner') $$,
                  $$ values ('owner', null::timestamptz) $$, 'owner as before');

-- test: raised to the administrator as well
-- privileged: the administrator is above row security
select t.act_as('superuser');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('owner')) $$, 'PT409', null, 'nobody would be left');

-- test: raised when the other owner has left already
select t.act_as('superuser');
select leadline.deactivate_member(t.workspace(), leadline.add_member(t.workspace(), 'second@here.example.com', 'owner'));
select t.act_as('owner');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('owner')) $$, 'PT409', null, 'who has left does not count');

-- test: raised though there is an owner of another workspace
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner'), leadline.add_member(t.elsewhere(), 'other@example.com', 'owner');
select t.act_as('owner');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('owner')) $$, 'PT409', null, 'that is another workspace');

-- test: allowed when another owner stays
select t.act_as('owner');
select leadline.add_member(t.workspace(), 'second@here.example.com', 'owner');
select is(leadline.deactivate_member(t.workspace(), t.person('owner')), 0, 'the first owner goes');
select t.act_as('admin');
select results_eq($$ select email from leadline.members where role = 'owner' and deactivated_at is null $$,
                  $$ values ('second@here.example.com') $$, 'the second stays');

-- Not in this team is as good as nowhere.
select t.here();

-- test: raised for an unknown person and for one of another workspace, alike
select t.act_as('superuser');
select t.keep('foreigner', leadline.add_member(t.elsewhere(), 'foreigner@example.com', 'member'));
select t.act_as('admin');
select t.raises($$ select leadline.deactivate_member(t.workspace(), gen_random_uuid()) $$, 'PT404', 'no_such_member', 'nobody we know');
select results_eq(
    $$ select c.* from t.caught($q$ select leadline.deactivate_member(t.workspace(), t.kept('foreigner')) $q$) c $$,
    $$ select c.* from t.caught($q$ select leadline.deactivate_member(t.workspace(), gen_random_uuid()) $q$) c $$,
    'word for word the same for a member elsewhere');

-- test: raised for one who has left already
select leadline.deactivate_member(t.workspace(), t.person('member'));
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('member')) $$, 'PT404', null, 'once is enough');

-- test: raised for heirs who are none, and then nobody leaves
select t.act_as('superuser');
select t.keep('foreigner', leadline.add_member(t.elsewhere(), 'foreigner@example.com', 'member'));
select t.keep('former', leadline.add_member(t.workspace(), 'former@here.example.com', 'member'));
select leadline.deactivate_member(t.workspace(), t.kept('former'));
select t.act_as('admin');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('member'), gen_random_uuid()) $$, 'PT404', null, 'unknown');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('member'), t.kept('foreigner')) $$, 'PT404', null, 'of another workspace');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('member'), t.kept('former')) $$, 'PT404', null, 'left');
select throws_ok($$ select leadline.deactivate_member(t.workspace(), t.person('member'), t.person('member')) $$, 'PT404', null, 'the one who leaves');
select results_eq($$ select deactivated_at from leadline.members where user_id = t.person('member') $$, $$ values (null::timestamptz) $$, 'still here');

-- test: raised for a token of somebody who is not there, or not in that role
select throws_ok($$ select leadline.create_token(t.workspace(), 'member', gen_random_uuid()) $$, 'PT404', null, 'unknown');
select throws_ok($$ select leadline.create_token(t.workspace(), 'admin', t.person('member')) $$, 'PT404', null, 'a member is no admin');
select leadline.deactivate_member(t.workspace(), t.person('member'));
select throws_ok($$ select leadline.create_token(t.workspace(), 'member', t.person('member')) $$, 'PT404', null, 'left');

-- test: allowed for an active member
select is(leadline.deactivate_member(t.workspace(), t.person('member'), t.person('admin')), 0, 'there were no leads to hand over');

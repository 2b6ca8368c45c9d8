-- Not there and not yours are the same answer (seed 004 rule 1.3).
select t.here();
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner');
select t.act_as('admin');
select t.keep('deal', t.opportunity());

-- test: raised for an id nobody has, for every activity
select t.raises(format('select t.report_on_deal(gen_random_uuid(), %L, %L)', type, payload), 'PT404', 'no_such_opportunity', type)
from (values ('opportunity_advanced', t.packet(gen_random_uuid())), ('opportunity_won', '{}'::jsonb), ('opportunity_lost', '{"lost_reason": "Price"}'), ('amount_changed', '{"amount": 5}'),
             ('opportunity_assigned', '{"assigned_user_id": null}'), ('stage_corrected', '{"to_stage": "evaluation", "reason": "wrong_record"}')) x(type, payload);

-- test: raised in another workspace, word for word the same
select t.act_as('owner', '{}', t.elsewhere());
select results_eq(
    $$ select c.* from t.caught($q$ select t.report_on_deal(t.kept('deal'), 'opportunity_won') $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report_on_deal(gen_random_uuid(), 'opportunity_won') $q$) c $$, 'as if there were none');
select is_empty($$ select from leadline.opportunities $$, 'and it is not seen');

-- test: raised for a deal a member does not see
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.act_as('member');
select t.raises($$ select t.report_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Price"}') $$, 'PT404', 'no_such_opportunity', 'somebody else''s');
select throws_ok($$ insert into leadline.opportunity_activity (opportunity_id, activity_type) values (t.kept('deal'), 'opportunity_won') $$, 'PT404', null, 'also without RETURNING');

-- test: raised where a conversion names it
select t.raises($$ select t.report(t.qualification_lead('qualified'), 'lead_converted', jsonb_build_object('opportunity_id', gen_random_uuid())) $$, 'PT404', 'no_such_opportunity', 'converted');

-- test: raised by the call that answers
select t.raises($$ select leadline.log_in_journal('opportunity_activity', gen_random_uuid(), 'opportunity_won') $$, 'PT404', 'no_such_opportunity', 'log_in_journal');

-- test: allowed
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Price"}'), 'applied', 'a deal of one''s own');

-- test: said
select t.speaks(c.sentence, c.hint) from t.caught($$ select t.report_on_deal(gen_random_uuid(), 'opportunity_won') $$) c;

-- A lead is assigned to an active member of its workspace, or to nobody.
select t.here();

-- test: refused to strangers
select t.keep('lead', t.lead('new'));
select is(t.verdict(t.kept('lead'), 'lead_assigned', jsonb_build_object('assigned_user_id', gen_random_uuid())), 'refused unknown_assignee',
          'nobody we know');
select t.act_as('superuser');
select t.keep('foreigner', leadline.add_member(t.elsewhere(), 'foreigner@example.com', 'member'));
select t.act_as('admin');
select is(t.verdict(t.kept('lead'), 'lead_assigned', jsonb_build_object('assigned_user_id', t.kept('foreigner'))), 'refused unknown_assignee',
          'a member of another workspace');
select is((t.state(t.kept('lead'))).assigned_user_id, null, 'nobody owns the lead');

-- test: refused on a closed lead too, whose fields still change
select is(t.verdict(t.lead('sale'), 'lead_assigned', jsonb_build_object('assigned_user_id', gen_random_uuid())), 'refused unknown_assignee',
          'nobody we know');

-- test: a lead born to a stranger is not born
select t.raises($$ select t.created(jsonb_build_object('assigned_user_id', gen_random_uuid())) $$, 'PT409', 'unknown_assignee',
                'there is no lead to carry the row');

-- test: allowed to a member, at any stage
select results_eq(
    $$ select stage, t.verdict(t.lead(stage), 'lead_assigned', jsonb_build_object('assigned_user_id', t.person('member'))) from unnest('{new,scheduled,sale}'::text[]) stage $$,
    $$ values ('new', 'applied'), ('scheduled', 'applied'), ('sale', 'applied') $$, 'a member takes it');

-- test: allowed back to nobody
select t.keep('lead', t.lead('new', jsonb_build_object('assigned_user_id', t.person('member'))));
select is(t.verdict(t.kept('lead'), 'lead_assigned', '{"assigned_user_id": null}'), 'applied', 'nobody owns it');

-- test: refused for a deal, and raised at its opening
select t.keep('deal', t.opportunity());
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', gen_random_uuid())), 'refused unknown_assignee', 'nobody we know');
select t.raises($$ select t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', t.someone(), 'assigned_user_id', gen_random_uuid())) $$,
                'PT409', 'unknown_assignee', 'there is no deal to carry the row');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('member'))), 'applied', 'a member takes it');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_assigned', '{"assigned_user_id": null}'), 'applied', 'and gives it back');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'lead_assigned', jsonb_build_object('assigned_user_id', gen_random_uuid())) l;

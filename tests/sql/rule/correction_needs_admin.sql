-- Who corrects answers for it: an owner or admin, with a reason (seed 003).
select t.here();

-- test: refused to a member, before the correction itself is looked at
select t.keep(s, t.sales_lead(s)) from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s;
select t.act_as('member');
select results_eq(
    $$ select s, t.verdict(t.kept(s), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), t.verdict(t.kept(s), 'stage_corrected', '{"to_stage": "warm"}')
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$,
    $$ select s, 'refused correction_needs_admin', 'refused correction_needs_admin' from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$,
    'a member');
select is((t.state(t.kept('won'))).stage, 'won', 'the win stands');

-- test: refused to an app, also on a member's behalf
select t.keep('lead', t.sales_lead('qualified'));
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'refused correction_needs_admin', 'an app');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}', null, null, t.person('member')),
          'refused correction_needs_admin', 'an app for a member');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}', null, null, t.person('admin')), 'applied',
          'an app for an admin, with the admin''s right');

-- test: allowed to an owner and an admin
select is(t.verdict(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'applied', 'an admin');
select t.keep('lead', t.sales_lead('won'));
select t.act_as('owner');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}'), 'applied', 'an owner');

-- test: refused to members and apps in qualification and of deals
select t.keep('lead', t.qualification_lead('qualified')), t.keep('new', t.qualification_lead('new')), t.keep('deal', t.opportunity('closedwon'));
select t.act_as('member');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'refused correction_needs_admin', 'a member');
select is(t.verdict(t.kept('new'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'refused correction_needs_admin', 'where there is nothing to correct, too');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}'), 'refused correction_needs_admin', 'a member, a deal');
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'refused correction_needs_admin', 'an app');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}'), 'refused correction_needs_admin', 'an app, a deal');
select t.act_as('owner');
select is(t.verdict(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'applied', 'an owner may');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}'), 'applied', 'of both');

-- test: said
select t.keep('lead', t.sales_lead('qualified'));
select t.act_as('member');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}') l;

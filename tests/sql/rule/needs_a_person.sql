-- Giving up giving up is a person's decision: no app re-opens a lead by itself.
select t.here();

-- test: refused to an app everywhere, before anything else is asked of the lead
select results_eq(
    $$ select s, t.keep(s, t.sales_lead(s)) is not null, t.keep(s || '_archived', t.archived(t.sales_lead(s))) is not null
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$,
    $$ select s, true, true from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$, 'twelve leads');
select t.act_as('app');
select results_eq(
    $$ select s, t.verdict(t.kept(s), 'lead_reopened', '{"to_stage": "new"}'), t.verdict(t.kept(s || '_archived'), 'lead_reopened', '{"to_stage": "won"}')
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$,
    $$ select s, 'refused needs_a_person', 'refused needs_a_person' from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$, 'everywhere');
select is((t.state(t.kept('lost'))).stage, 'lost', 'the loss stands');

-- test: a lead of another workflow is told of its workflow first
select t.keep('lead', t.lead('refused'));
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'lead_reopened', '{"to_stage": "new"}'), 'refused wrong_workflow', 'no person could either');

-- test: allowed to a person, whoever it is, and to an app that speaks for one
select is(t.verdict(t.sales_lead('lost'), 'lead_reopened', '{"to_stage": "new"}'), 'applied', 'an admin');
select t.keep('one', t.sales_lead('lost')), t.keep('two', t.sales_lead('lost')), t.keep('three', t.sales_lead('lost'));
select t.act_as('member');
select is(t.verdict(t.kept('one'), 'lead_reopened', '{"to_stage": "new"}'), 'applied', 'a member');
select t.act_as('owner');
select is(t.verdict(t.kept('two'), 'lead_reopened', '{"to_stage": "new"}'), 'applied', 'an owner');
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('three'), 'lead_reopened', '{"to_stage": "new"}', null, null, t.person('member')), 'applied', 'an app for a member');

-- test: refused to an app where a relationship would end, a question be answered or a proposal's evidence be told
select t.keep('person', t.person_at('client')), t.keep('approval', t.asked(t.person_at('opportunity'))), t.keep('deal', t.opportunity());
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person(t.kept('person'), 'relationship_closed', '{"reason": "x"}'), 'refused needs_a_person', 'not proceeding');
select is(t.answer(t.kept('approval'), 'granted'), 'refused needs_a_person', 'yes');
select is(t.answer(t.kept('approval'), 'declined'), 'refused needs_a_person', 'no');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.kept('person'))), 'refused needs_a_person', 'a proposal');
select is(t.verdict_on_deal(t.opportunity('closedwon'), 'opportunity_advanced', t.packet(t.kept('person'))), 'refused needs_a_person', 'before it is told that it is won');

-- test: allowed to an app that speaks for a person there, too
select t.keep('person', t.person_at('client')), t.keep('deal', t.opportunity());
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person(t.kept('person'), 'relationship_closed', '{"reason": "x"}', null, null, t.person('member')), 'applied', 'not proceeding');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.kept('person')), null, null, t.person('member')), 'applied', 'a proposal');

-- test: said
select t.keep('lead', t.sales_lead('lost'));
select t.act_as('app');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'lead_reopened', '{"to_stage": "new"}') l;

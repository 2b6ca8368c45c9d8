-- Some activities are only ever the database's own: a change by hand, a call back that fell away.
select t.here();

-- test: refused to everybody else
select t.keep('lead', t.lead('callback'));
select is(t.verdict(t.kept('lead'), 'direct_change'), 'refused system_only', 'an admin reports no direct change');
select is(t.verdict(t.kept('lead'), 'callback_cancelled'), 'refused system_only', 'nor a cancelled call back');
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'direct_change'), 'refused system_only', 'nor does an app');
select t.act_as('billing');
select is(t.verdict(t.kept('lead'), 'direct_change'), 'refused system_only', 'asked before the writer''s class');
select is(t.stage(t.kept('lead')), 'callback', 'the lead stands where it stood');

-- test: refused at a closed lead too
select is(t.verdict(t.lead('dnc'), 'direct_change'), 'refused system_only', 'not already_resolved');

-- test: allowed to the database itself
select t.keep('lead', t.lead('attempted'));
select is(t.verdict(t.kept('lead'), 'callback_requested', '{"callback_at": "2026-02-01T09:00:00Z"}'), 'applied', 'a call back is promised');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled'), 'applied', 'an appointment takes its place');
select results_eq(
    $$ select verdict, actor_kind, writer, changes from leadline.lead_activity
       where lead_id = t.kept('lead') and activity_type = 'callback_cancelled' $$,
    $$ values ('applied', 'system', 'workflow:callbacks', '{"callback_at": ["2026-02-01T09:00:00.000000Z", null]}'::jsonb) $$,
    'the database cancels the call by itself');

-- test: refused in every journal
select t.keep('person', t.person_at('opportunity')), t.keep('deal', t.opportunity()), t.keep('subscription', t.subscription());
select t.keep('approval', t.asked(t.kept('person')));
select is(t.verdict_on_person(t.kept('person'), 'approval_expired', jsonb_build_object('approval_id', t.kept('approval'))), 'refused system_only', 'no clock is played');
select is((t.approval(t.kept('approval'))).status, 'open', 'the question waits on');
select is(t.verdict_on_person(t.kept('person'), 'relationship_joined', jsonb_build_object('from', t.person_at('active'))), 'refused system_only', 'nobody is joined by hand');
select is(t.verdict_on_deal(t.kept('deal'), 'conversion_undone'), 'refused system_only', 'no deal withdrawn');
select is(t.verdict_on_customer(t.kept('subscription'), 'direct_change'), 'refused system_only', 'no change made up');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'direct_change') l;

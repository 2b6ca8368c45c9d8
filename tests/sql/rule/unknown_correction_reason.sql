-- A correction's reason is a word of the list.
select t.here();

-- test: refused
select results_eq(
    $$ select x, t.verdict(t.sales_lead('qualified'), 'stage_corrected', jsonb_build_object('to_stage', 'new', 'reason', x, 'notes', 'x'))
       from unnest(array['oops', 'Other', 'wrong_record ', 'Price', 'WRONG_RECORD']) x $$,
    $$ select x, 'refused unknown_correction_reason' from unnest(array['oops', 'Other', 'wrong_record ', 'Price', 'WRONG_RECORD']) x $$, 'letter for letter');

-- test: a reason that is no text is malformed
select throws_ok($$ select t.report(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new", "reason": []}') $$, 'PT422', null, 'a list');

-- test: allowed are four
select results_eq(
    $$ select x, t.verdict(t.sales_lead('qualified'), 'stage_corrected', jsonb_build_object('to_stage', 'new', 'reason', x, 'notes', 'x'))
       from unnest('{entered_by_mistake,wrong_record,data_repair,other}'::text[]) x $$,
    $$ select x, 'applied' from unnest('{entered_by_mistake,wrong_record,data_repair,other}'::text[]) x $$, 'of the list');

-- test: refused in qualification and of deals
select is(t.verdict(t.qualification_lead('connected'), 'stage_corrected', jsonb_build_object('to_stage', 'new', 'reason', x)), 'refused unknown_correction_reason', x)
    from unnest('{oops,no_fit,Price}'::text[]) x;
select is(t.verdict_on_deal(t.opportunity('closedwon'), 'stage_corrected', jsonb_build_object('to_stage', 'evaluation', 'reason', x)), 'refused unknown_correction_reason', x)
    from unnest('{oops,no_fit,Price}'::text[]) x;

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new", "reason": "oops"}') l;

-- A correction says why (seed 003).
select t.here();

-- test: refused without, and nothing moves
select results_eq(
    $$ select s, p, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"notes": "it was wrong"}']::jsonb[]) with ordinality p(p, m),
            lateral t.report(t.sales_lead(s), 'stage_corrected', '{"to_stage": "new"}'::jsonb || p) r order by n, m $$,
    $$ select s, p, 'refused reason_required', s
       from unnest('{contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"notes": "it was wrong"}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'notes are no reason');

-- test: allowed with one
select results_eq(
    $$ select x, t.verdict(t.sales_lead('qualified'), 'stage_corrected', jsonb_build_object('to_stage', 'new', 'reason', x, 'notes', 'x'))
       from unnest('{entered_by_mistake,wrong_record,data_repair,other}'::text[]) x $$,
    $$ select x, 'applied' from unnest('{entered_by_mistake,wrong_record,data_repair,other}'::text[]) x $$, 'the four');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new"}') l;

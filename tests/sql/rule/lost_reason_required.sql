-- Every lost deal has a reason (seed 004 section 3).
select t.here();

-- test: refused without, and nothing moves
select results_eq(
    $$ select s, p, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"lost_reason": null}', '{"notes": "too dear"}']::jsonb[]) with ordinality p(p, m),
            lateral t.report(t.sales_lead(s), 'deal_lost', p) r order by n, m $$,
    $$ select s, p, 'refused lost_reason_required', s
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"lost_reason": null}', '{"notes": "too dear"}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'notes are no reason');
select is(t.verdict(t.sales_lead('new'), 'deal_lost', '{"lost_reason": ""}'), 'refused lost_reason_required', 'nor is nothing');

-- test: refused, not raised: a reason is missing, the payload is well formed
select lives_ok($$ select t.report(t.sales_lead('new'), 'deal_lost') $$, 'a row, and no error');

-- test: refused when a win is corrected to lost
select is(t.verdict(t.sales_lead('won'), 'stage_corrected', '{"to_stage": "lost", "reason": "wrong_record"}'), 'refused lost_reason_required', 'a correction gives one too');

-- test: an import without one is not born
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "sales", "stage": "lost", "entered_at": "2026-01-01T12:00:00Z", "email": "kim@example.com"}') $$,
                'PT409', 'lost_reason_required', 'there is no lead to carry the row');

-- test: allowed are the seven, letter for letter
select results_eq(
    $$ select x, r.verdict, l.stage, l.status, l.lost_reason, l.lost_at is not null
       from unnest('{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed,Other}'::text[]) with ordinality x(x, n),
            lateral t.report(t.sales_lead('contacted'), 'deal_lost', jsonb_build_object('lost_reason', x, 'notes', 'a word')) r, lateral t.state(r.lead_id) l order by n $$,
    $$ select x, 'applied', 'lost', 'lost', x, true from unnest('{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed,Other}'::text[]) x $$,
    'with notes');
select results_eq(
    $$ select x, t.verdict(t.sales_lead('contacted'), 'deal_lost', jsonb_build_object('lost_reason', x))
       from unnest('{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed}'::text[]) x $$,
    $$ select x, 'applied' from unnest('{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed}'::text[]) x $$,
    'or without, all but Other');

-- test: refused of a deal
select is(t.verdict_on_deal(t.opportunity(s), 'opportunity_lost', p), 'refused lost_reason_required', s || p)
from unnest('{evaluation,proposal,closedlost}'::text[]) s, unnest(array['{}', '{"lost_reason": null}', '{"lost_reason": " "}', '{"notes": "x"}']::jsonb[]) p;
select is(t.verdict_on_deal(t.opportunity('closedwon'), 'stage_corrected', '{"to_stage": "closedlost", "reason": "wrong_record"}'), 'refused lost_reason_required', 'corrected so');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'deal_lost') l;

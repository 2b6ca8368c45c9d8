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

-- test: refused without in every workflow that is corrected
select results_eq(
    $$ select p, t.verdict(t.qualification_lead('qualified'), 'stage_corrected', '{"to_stage": "new"}'::jsonb || p),
           t.verdict_on_deal(t.opportunity('proposal'), 'stage_corrected', '{"to_stage": "evaluation"}'::jsonb || p)
       from unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"notes": "it was wrong"}']::jsonb[]) p $$,
    $$ select p, 'refused reason_required', 'refused reason_required' from unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"notes": "it was wrong"}']::jsonb[]) p $$,
    'a qualification lead, a deal');

-- test: refused for a relationship, forward too, and for its end
select results_eq(
    $$ select p, t.verdict_on_person(t.someone(), 'relationship_advanced', '{"to": "qualified"}'::jsonb || p), t.verdict_on_person(t.person_at('client'), 'relationship_closed', p)
       from unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": " \t"}', '{"reason": "\u00a0\u200b"}']::jsonb[]) p $$,
    $$ select p, 'refused reason_required', 'refused reason_required'
       from unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": " \t"}', '{"reason": "\u00a0\u200b"}']::jsonb[]) p $$, 'why is part of every move');
select t.keep('person', t.someone());
select t.act_as('app');
select is(t.verdict_on_person(t.kept('person'), 'relationship_advanced', '{"to": "qualified"}'), 'refused reason_required', 'of an app, too');

-- test: refused for a customer who does not renew
select t.act_as('billing');
select t.keep('subscription', t.subscription());
select t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2027-01-01"}');
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_churned', p), 'refused reason_required', p::text) from unnest(array['{}', '{"reason": " "}']::jsonb[]) p;
select is(t.verdict_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "too dear"}'), 'applied', 'with one');

-- test: allowed with any words of one's own, in a relationship
select is(t.advance(t.someone(), 'qualified', '{"reason": "wrote that she is interested"}'), 'applied', 'no list of reasons');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new"}') l;

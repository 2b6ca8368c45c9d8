-- What is lost is not advanced and not won; an owner or admin puts it right (seed 003).
select t.here();

-- test: refused, in either pipeline, and nothing moves
select results_eq(
    $$ select pipeline, type, r.verdict || ' ' || r.rule, o.stage, o.status, o.lost_reason::text
       from unnest('{new_business,expansion}'::text[]) with ordinality p(pipeline, n),
            (values (1, 'opportunity_advanced', '{"to_stage": "proposal"}'::jsonb), (2, 'opportunity_won', '{}'),
                    (3, 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}')) x(m, type, payload),
            lateral t.report_on_deal(t.opportunity('closedlost', '{}', pipeline), type, payload) r, lateral t.deal(r.opportunity_id) o order by n, m $$,
    $$ select pipeline, type, 'refused opportunity_is_lost', 'closedlost', 'lost', 'Price'
       from unnest('{new_business,expansion}'::text[]) with ordinality p(pipeline, n), unnest('{opportunity_advanced,opportunity_won,opportunity_won}'::text[]) with ordinality x(type, m)
       order by n, m $$,
    'before its evidence is asked');

-- test: allowed is another reason, and a correction
select t.keep('deal', t.opportunity('closedlost'));
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Timing"}'), 'applied', 'lost for another reason');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "entered_by_mistake"}'), 'applied', 'it was not lost');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet((t.deal(t.kept('deal'))).person_id)), 'applied', 'and goes on');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint') from leadline.log_in_journal('opportunity_activity', t.opportunity('closedlost'), 'opportunity_won') j;

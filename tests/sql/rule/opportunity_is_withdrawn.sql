-- A deal that came of a conversion which was taken back never was one: it goes nowhere (seed 003).
select t.here();

-- test: refused, whatever would move it, a correction too
select results_eq(
    $$ select pipeline, type, r.verdict || ' ' || r.rule, o.stage, o.status
       from unnest('{new_business,expansion}'::text[]) with ordinality p(pipeline, n),
            (values (1, 'opportunity_advanced', '{"to_stage": "proposal"}'::jsonb), (2, 'opportunity_won', '{}'), (3, 'opportunity_lost', '{"lost_reason": "Price"}'),
                    (4, 'stage_corrected', '{"to_stage": "evaluation", "reason": "wrong_record"}')) x(m, type, payload),
            lateral t.report_on_deal(t.opportunity('withdrawn', '{}', pipeline), type, payload) r, lateral t.deal(r.opportunity_id) o order by n, m $$,
    $$ select pipeline, type, 'refused opportunity_is_withdrawn', 'withdrawn', 'withdrawn'
       from unnest('{new_business,expansion}'::text[]) with ordinality p(pipeline, n),
            unnest('{opportunity_advanced,opportunity_won,opportunity_lost,stage_corrected}'::text[]) with ordinality x(type, m) order by n, m $$,
    'four ways');

-- test: it is neither won nor lost, and has no time of either
select results_eq(
    $$ select o.won_at, o.lost_at, o.lost_reason::text from t.deal(t.opportunity('withdrawn')) o $$, $$ values (null::timestamptz, null::timestamptz, null::text) $$, 'outside every rate');

-- test: allowed is a new one: the lead may be converted again
select t.keep('lead', t.qualification_lead('qualified'));
select t.report(t.kept('lead'), 'lead_converted');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "connected", "reason": "entered_by_mistake"}');
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed());
select is(t.verdict(t.kept('lead'), 'lead_converted'), 'applied', 'converted anew');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint') from leadline.log_in_journal('opportunity_activity', t.opportunity('withdrawn'), 'opportunity_won') j;

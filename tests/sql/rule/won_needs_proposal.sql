-- A deal is won from a proposal, which has its value (seed 004 section 2).
select t.here();

-- test: refused before there is a proposal, and nothing moves
select results_eq(
    $$ select s, r.verdict, r.rule, r.to_stage, r.to_status
       from unnest('{new,contacted,qualified}'::text[]) with ordinality s(s, n),
            lateral t.report(t.sales_lead(s, '{"deal_value": 5, "currency": "EUR"}'), 'deal_won', '{"deal_value": 7, "currency": "EUR"}') r order by n $$,
    $$ select s, 'refused', 'won_needs_proposal', s, 'active' from unnest('{new,contacted,qualified}'::text[]) s $$,
    'whatever it is worth');

-- test: the refusal is kept, for whoever asks why
select t.keep('lead', t.sales_lead('qualified'));
select t.report(t.kept('lead'), 'deal_won');
select results_eq(
    $$ select activity_type, rule, from_stage, from_status from leadline.refused_activities where lead_id = t.kept('lead') $$,
    $$ values ('deal_won', 'won_needs_proposal', 'qualified', 'active') $$, 'a refusal is a decision');

-- test: refused as an error where the writer prefers errors, and then no row is kept
select t.keep('lead', t.sales_lead('qualified'));
set local leadline.on_refusal = 'raise';
select t.raises($$ select t.report(t.kept('lead'), 'deal_won') $$, 'PT409', 'won_needs_proposal', 'raised with its rule');
select is((t.state(t.kept('lead'))).seq, 1, 'no row is kept');

-- test: allowed from proposal, with the proposal's value or the one it was won for
select results_eq(
    $$ select p, r.verdict, r.to_stage, r.to_status, l.deal_value
       from (values (1, '{}'::jsonb), (2, '{"deal_value": 900, "currency": "EUR"}')) x(n, p),
            lateral t.report(t.sales_lead('proposal'), 'deal_won', p) r, lateral t.state(r.lead_id) l order by n $$,
    $$ values ('{}'::jsonb, 'applied', 'won', 'won', 1000::numeric), ('{"deal_value": 900, "currency": "EUR"}', 'applied', 'won', 'won', 900) $$,
    'won');

-- test: refused of a deal that is being evaluated, whatever it is worth, and allowed from a proposal
select is(t.verdict_on_deal(t.opportunity('evaluation', '{"amount": 5, "currency": "EUR"}', p), 'opportunity_won', '{"close_date": "2026-03-01"}'), 'refused won_needs_proposal', p)
    from unnest('{new_business,expansion}'::text[]) p;
select is(t.verdict_on_deal(t.opportunity('proposal', '{"amount": 5, "currency": "EUR"}', p), 'opportunity_won', '{"close_date": "2026-03-01"}'), 'applied', p)
    from unnest('{new_business,expansion}'::text[]) p;

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'deal_won') l;

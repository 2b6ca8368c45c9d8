-- A lead is re-opened to work on it, so to a stage where work is done.
select t.here();

-- test: refused to won and lost, and the loss stands
select t.keep('lead', t.sales_lead('lost', '{"deal_value": 5, "currency": "EUR"}'));
select is(t.verdict(t.kept('lead'), 'lead_reopened', '{"to_stage": "won"}'), 'refused not_an_active_stage', 'won is won from a proposal');
select is(t.verdict(t.kept('lead'), 'lead_reopened', '{"to_stage": "lost"}'), 'refused not_an_active_stage', 'lost it is already');
select results_eq($$ select stage, lost_reason, version from t.state(t.kept('lead')) $$, $$ values ('lost', 'Price', 1) $$, 'nothing changed');

-- test: allowed to the four active ones
select results_eq(
    $$ select s, r.verdict, r.to_stage from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n),
              lateral t.report(t.sales_lead('lost', '{"deal_value": 5, "currency": "EUR"}'), 'lead_reopened', jsonb_build_object('to_stage', s)) r order by n $$,
    $$ select s, 'applied', s from unnest('{new,contacted,qualified,proposal}'::text[]) s $$, 'wherever work goes on');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('lost'), 'lead_reopened', '{"to_stage": "won"}') l;

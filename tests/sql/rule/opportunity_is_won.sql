-- What is won is not advanced and not lost; an owner or admin puts it right (seed 003).
select t.here();

-- test: refused, in either pipeline, and nothing moves
select results_eq(
    $$ select pipeline, type, r.verdict || ' ' || r.rule, o.stage, o.status
       from unnest('{new_business,expansion}'::text[]) with ordinality p(pipeline, n),
            (values (1, 'opportunity_advanced', '{"to_stage": "proposal"}'::jsonb), (2, 'opportunity_lost', '{"lost_reason": "Price"}'), (3, 'opportunity_lost', '{}')) x(m, type, payload),
            lateral t.report_on_deal(t.opportunity('closedwon', '{}', pipeline), type, payload) r, lateral t.deal(r.opportunity_id) o order by n, m $$,
    $$ select pipeline, type, 'refused opportunity_is_won', 'closedwon', 'won'
       from unnest('{new_business,expansion}'::text[]) with ordinality p(pipeline, n), unnest('{opportunity_advanced,opportunity_lost,opportunity_lost}'::text[]) with ordinality x(type, m)
       order by n, m $$,
    'before its evidence or reason is asked');

-- test: noted when a conversion is taken back: it is won
select t.keep('lead', t.qualification_lead('qualified'));
select t.keep('deal', t.opportunity('proposal'));
select t.report(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal')));
select t.report_on_deal(t.kept('deal'), 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "connected", "reason": "wrong_record"}');
select is((t.deal(t.kept('deal'))).stage, 'closedwon', 'a deal the lead only joined stays as it is');

-- test: allowed is what does not move it, and a correction
select t.keep('deal', t.opportunity('closedwon'));
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('member'))), 'applied', 'somebody else''s now');
select is(t.verdict_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 1200, "currency": "EUR"}'), 'applied', 'for another price');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}'), 'applied', 'it was not won');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Price"}'), 'applied', 'but lost');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('opportunity_activity', t.opportunity('closedwon'), 'opportunity_lost', '{"lost_reason": "Price"}') j;

-- A deal moves on what the buyer confirmed, never on the rep's optimism (seed 003, D-PROPOSAL and the closed-won packet).
select t.here();

-- A deal, advanced with the packet but for one key, which is missing or has that value instead.
create function pg_temp.without(p_key text, p_value jsonb) returns setof leadline.opportunity_activity language plpgsql as $$
declare
    v_person_id uuid := t.someone();
    v_deal uuid := t.opportunity('evaluation', jsonb_build_object('person_id', v_person_id));
    v_packet jsonb := t.packet(v_person_id) - p_key;
begin
    -- Whoever the deal was opened for is a contact; the role is taken away where the contact is in question.
    if p_key = 'contact' then perform t.report_on_deal(v_deal, 'contact_role_set', jsonb_build_object('person_id', v_person_id, 'role', null)); end if;
    if p_value is not null then v_packet := v_packet || jsonb_build_object(p_key, p_value); end if;
    return query select * from t.report_on_deal(v_deal, 'opportunity_advanced', v_packet);
end $$;

-- test: refused while one of the five is missing or blank, and nothing moves
select results_eq(
    $$ select k, v, r.verdict || ' ' || r.rule, o.stage
       from unnest('{problem,decision_process,next_step}'::text[]) with ordinality k(k, n), unnest(array[null, 'null', '""', '"  "', '"\u00a0\u200b"']::jsonb[]) with ordinality v(v, m),
            lateral pg_temp.without(k, v) r, lateral t.deal(r.opportunity_id) o order by n, m $$,
    $$ select k, v, 'refused evidence_required', 'evaluation'
       from unnest('{problem,decision_process,next_step}'::text[]) with ordinality k(k, n), unnest(array[null, 'null', '""', '"  "', '"\u00a0\u200b"']::jsonb[]) with ordinality v(v, m)
       order by n, m $$,
    'what was said');
select results_eq(
    $$ select k, v, r.verdict || ' ' || r.rule, o.stage
       from unnest('{next_step_on,contact}'::text[]) with ordinality k(k, n), unnest(array[null, 'null']::jsonb[]) with ordinality v(v, m),
            lateral pg_temp.without(k, v) r, lateral t.deal(r.opportunity_id) o order by n, m $$,
    $$ select k, v, 'refused evidence_required', 'evaluation'
       from unnest('{next_step_on,contact}'::text[]) with ordinality k(k, n), unnest(array[null, 'null']::jsonb[]) with ordinality v(v, m) order by n, m $$, 'a day, and somebody');
select is(t.verdict_on_deal(t.opportunity(), 'opportunity_advanced', '{"to_stage": "proposal"}'), 'refused evidence_required', 'nothing at all');

-- test: a contact is a person of this workspace
select throws_ok($$ select t.report_on_deal(t.opportunity(), 'opportunity_advanced', t.packet(gen_random_uuid())) $$, 'PT404', null, 'nobody we know');

-- test: refused to win without money and a day
select results_eq(
    $$ select p, r.verdict || ' ' || r.rule, o.stage
       from unnest(array['{}', '{"amount": 5, "currency": "EUR"}', '{"close_date": "2026-03-01"}', '{"amount": 0, "currency": "EUR", "close_date": "2026-03-01"}',
                         '{"amount": null, "close_date": "2026-03-01"}']::jsonb[]) with ordinality p(p, n),
            lateral t.report_on_deal(t.opportunity('proposal'), 'opportunity_won', p) r, lateral t.deal(r.opportunity_id) o order by n $$,
    $$ select p, 'refused evidence_required', 'proposal'
       from unnest(array['{}', '{"amount": 5, "currency": "EUR"}', '{"close_date": "2026-03-01"}', '{"amount": 0, "currency": "EUR", "close_date": "2026-03-01"}',
                         '{"amount": null, "close_date": "2026-03-01"}']::jsonb[]) p $$,
    'the packet is not complete');

-- test: refused to put a loss right into a proposal that never had its evidence
select t.keep('deal', t.opportunity('closedlost'));
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}'), 'refused evidence_required', 'lost from evaluation');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "wrong_record"}'), 'applied', 'where it came from');

-- test: no hand wins without
-- privileged: only a superuser can try
select t.keep('deal', t.opportunity('proposal'));
select t.act_as('superuser');
select throws_ok($$ update leadline.opportunities set stage = 'closedwon', status = 'won', won_at = now() where opportunity_id = t.kept('deal') $$, '23514', null, 'a constraint holds');

-- test: allowed with all five, and with what stands on the deal already
select t.keep('person', t.someone());
select is(t.verdict_on_deal(t.opportunity('evaluation', jsonb_build_object('person_id', t.kept('person'))), 'opportunity_advanced', t.packet(t.kept('person'))), 'applied', 'at once');
select t.keep('deal', t.opportunity('proposal'));
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "entered_by_mistake"}');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_advanced', '{"to_stage": "proposal"}'), 'applied', 'told before');

-- test: allowed to win with money and a day from the payload, or on the deal
select is(t.verdict_on_deal(t.opportunity('proposal'), 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}'), 'applied', 'given now');
select is(t.verdict_on_deal(t.opportunity('proposal', '{"amount": 5, "currency": "EUR", "close_date": "2026-03-01"}'), 'opportunity_won'), 'applied', 'given before');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint') from leadline.log_in_journal('opportunity_activity', t.opportunity(), 'opportunity_advanced', '{"to_stage": "proposal"}') j;

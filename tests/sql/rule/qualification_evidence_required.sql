-- Qualified is who confirmed the problem, the timing and their part in the decision (seed 003).
select t.here();

-- test: refused while one of the three is missing or blank, and nothing moves
select results_eq(
    $$ select k, v, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{problem,timing,buying_role}'::text[]) with ordinality k(k, n), unnest(array[null, 'null', '""', '"   "', '"\u00a0\u200b"']::jsonb[]) with ordinality v(v, m),
            lateral t.report(t.qualification_lead('accepted'), 'lead_qualified',
                             case when v is null then t.confirmed() - k else t.confirmed() || jsonb_build_object(k, v) end) r order by n, m $$,
    $$ select k, v, 'refused qualification_evidence_required', 'accepted'
       from unnest('{problem,timing,buying_role}'::text[]) with ordinality k(k, n), unnest(array[null, 'null', '""', '"   "', '"\u00a0\u200b"']::jsonb[]) with ordinality v(v, m)
       order by n, m $$,
    'two of three are not enough');
select is(t.verdict(t.qualification_lead('accepted'), 'lead_qualified'), 'refused qualification_evidence_required', 'nothing at all');

-- test: the refusal is kept, and none of what was told
select t.keep('lead', t.qualification_lead('accepted'));
select t.report(t.kept('lead'), 'lead_qualified', '{"problem": "too much paper", "timing": "spring"}');
select results_eq(
    $$ select activity_type, rule from leadline.refused_activities where lead_id = t.kept('lead') $$, $$ values ('lead_qualified', 'qualification_evidence_required') $$, 'a row');
select t.act_as('superuser');
-- privileged: the three columns are looked at where they lie
select results_eq($$ select problem, timing, buying_role from leadline.leads where lead_id = t.kept('lead') $$, $$ values (null::text, null::text, null::text) $$, 'no evidence');

-- test: allowed with all three, which are personal
select t.keep('lead', t.qualification_lead('accepted'));
select is(t.verdict(t.kept('lead'), 'lead_qualified', t.confirmed()), 'applied', 'confirmed');
select is_empty(
    $$ select a.seq from leadline.lead_activity a where a.lead_id = t.kept('lead') and to_jsonb(a)::text ~ 'paper|spring|decides' $$, 'and in no journal');

-- test: allowed in sales without
select is(t.verdict(t.sales_lead('new'), 'lead_qualified'), 'applied', 'another workflow');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('accepted'), 'lead_qualified') l;

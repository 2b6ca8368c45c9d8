-- A lead is put aside for a reason (seed 003).
select t.here();

-- test: refused without, and nothing moves
select results_eq(
    $$ select s, p, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": "  "}', '{"notes": "call in spring"}']::jsonb[]) with ordinality p(p, m),
            lateral t.report(t.qualification_lead(s), 'lead_recycled', '{"recycle_on": "2999-01-01"}'::jsonb || p) r order by n, m $$,
    $$ select s, p, 'refused recycle_reason_required', s
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": "  "}', '{"notes": "call in spring"}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'notes are no reason');

-- test: asked before the day
select is(t.verdict(t.qualification_lead('new'), 'lead_recycled'), 'refused recycle_reason_required', 'both are missing');

-- test: no hand takes it away
-- privileged: only a superuser can try
select t.keep('lead', t.qualification_lead('recycled'));
select t.act_as('superuser');
select throws_ok($$ update leadline.leads set recycle_reason = null where lead_id = t.kept('lead') $$, '23514', null, 'a constraint holds');

-- test: raised when a recycled lead would be imported without
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "recycled", "entered_at": "2026-01-01T12:00:00Z",
                                                            "email": "kim@example.com", "recycle_on": "2026-02-01"}') $$, 'PT409', 'recycle_reason_required', 'imported');

-- test: allowed with one, which the lead keeps while it is aside
select t.keep('lead', t.qualification_lead('connected'));
select is(t.verdict(t.kept('lead'), 'lead_recycled', '{"reason": "no_budget", "recycle_on": "2999-01-01"}'), 'applied', 'put aside');
select results_eq(
    $$ select stage, status, recycle_reason, recycle_on from t.state(t.kept('lead')) $$, $$ values ('recycled', 'closed', 'no_budget', '2999-01-01'::date) $$, 'why, and until when');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('new'), 'lead_recycled', '{"recycle_on": "2999-01-01"}') l;

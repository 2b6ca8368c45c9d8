-- A lead is put aside until a day, or nobody would ever come back to it (seed 003).
select t.here();

-- test: refused without, and nothing moves
select results_eq(
    $$ select s, p, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"recycle_on": null}']::jsonb[]) with ordinality p(p, m),
            lateral t.report(t.qualification_lead(s), 'lead_recycled', '{"reason": "bad_timing"}'::jsonb || p) r order by n, m $$,
    $$ select s, p, 'refused recycle_date_required', s
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"recycle_on": null}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'an end is needed');

-- test: what is no day is malformed
select throws_ok(format('select t.report(t.qualification_lead(), ''lead_recycled'', %L)', jsonb_build_object('reason', 'bad_timing', 'recycle_on', d)), 'PT422', null, d::text)
from unnest(array['"spring"', '"2999-02-30"', '"2999-01-01T10:00:00Z"', '"01.03.2999"', '2999', '""', '"infinity"']::jsonb[]) d;

-- test: raised when a recycled lead would be imported without
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "recycled", "entered_at": "2026-01-01T12:00:00Z",
                                                            "email": "kim@example.com", "recycle_reason": "bad_timing"}') $$, 'PT409', 'recycle_date_required', 'imported');

-- test: no hand takes it away
-- privileged: only a superuser can try
select t.keep('lead', t.qualification_lead('recycled'));
select t.act_as('superuser');
select throws_ok($$ update leadline.leads set recycle_on = null where lead_id = t.kept('lead') $$, '23514', null, 'a constraint holds');

-- test: allowed with one, and an import tells of a day that is past
select is(t.verdict(t.qualification_lead('new'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}'), 'applied', 'a day to come');
select is((t.state(t.qualification_lead('recycled'))).recycle_on, '2026-02-01'::date, 'a day gone by');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('new'), 'lead_recycled', '{"reason": "bad_timing"}') l;

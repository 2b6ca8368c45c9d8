-- A lead is put aside for one of four reasons, letter for letter (seed 003: at most twelve).
select t.here();

-- test: refused
select results_eq(
    $$ select x, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{Bad Timing,BAD_TIMING,"bad_timing ",no_fit,later}'::text[]) with ordinality x(x, n),
            lateral t.report(t.qualification_lead('accepted'), 'lead_recycled', jsonb_build_object('reason', x, 'recycle_on', '2999-01-01')) r order by n $$,
    $$ select x, 'refused unknown_recycle_reason', 'accepted' from unnest('{Bad Timing,BAD_TIMING,"bad_timing ",no_fit,later}'::text[]) x $$,
    'a reason to turn away is none to put aside');

-- test: raised when a recycled lead would be imported with it
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "recycled", "entered_at": "2026-01-01T12:00:00Z",
                                                            "email": "kim@example.com", "recycle_reason": "later", "recycle_on": "2026-02-01"}') $$,
                'PT409', 'unknown_recycle_reason', 'imported');

-- test: allowed are four, other with a word
select results_eq(
    $$ select x, r.verdict, l.recycle_reason
       from unnest('{bad_timing,no_budget,no_response,other}'::text[]) with ordinality x(x, n),
            lateral t.report(t.qualification_lead('new'), 'lead_recycled', jsonb_build_object('reason', x, 'recycle_on', '2999-01-01', 'notes', 'on leave')) r,
            lateral t.state(r.lead_id) l order by n $$,
    $$ select x, 'applied', x from unnest('{bad_timing,no_budget,no_response,other}'::text[]) x $$, 'the list');

-- test: said
select t.speaks(l.sentence, l.hint)
from leadline.log_activity(t.qualification_lead('new'), 'lead_recycled', '{"reason": "later", "recycle_on": "2999-01-01"}') l;

-- Whoever is turned away is turned away for one of twelve reasons, letter for letter (seed 003).
select t.here();

-- test: refused, and nothing is decided
select results_eq(
    $$ select s, x, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n), unnest('{No Fit,NO_FIT,"no_fit ",Price,gone}'::text[]) with ordinality x(x, m),
            lateral t.report(t.qualification_lead(s), 'request_rejected', jsonb_build_object('reason', x)) r order by n, m $$,
    $$ select s, x, 'refused unknown_rejection_reason', s
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n), unnest('{No Fit,NO_FIT,"no_fit ",Price,gone}'::text[]) with ordinality x(x, m)
       order by n, m $$,
    'no spelling is a code but its own');
select t.keep('lead', t.enquiry('{"workflow": "qualification", "email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'request_rejected', '{"reason": "gone"}');
select results_eq($$ select d.decision, d.disposition_at from t.decisions(t.kept('lead')) d $$, $$ values (null::text, null::timestamptz) $$, 'its request waits');

-- test: a word of another list is none of this
select results_eq(
    $$ select x, t.verdict(t.qualification_lead('new'), 'request_rejected', jsonb_build_object('reason', x)) from unnest('{no_response,Timing,wrong_record}'::text[]) x $$,
    $$ select x, 'refused unknown_rejection_reason' from unnest('{no_response,Timing,wrong_record}'::text[]) x $$, 'recycling, losing, correcting');

-- test: raised when a disqualified lead would be imported with it: there is no lead to carry the row
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "disqualified", "entered_at": "2026-01-01T12:00:00Z",
                                                            "email": "kim@example.com", "rejection_reason": "gone"}') $$, 'PT409', 'unknown_rejection_reason', 'imported');

-- test: allowed are the twelve
select results_eq(
    $$ select x, r.verdict, r.to_stage, l.rejection_reason
       from unnest('{no_fit,no_budget,no_authority,no_need,bad_timing,unreachable,duplicate,do_not_contact,competitor,test,spam,other}'::text[]) with ordinality x(x, n),
            lateral t.report(t.qualification_lead('new'), 'request_rejected', jsonb_build_object('reason', x, 'notes', 'see her letter')) r, lateral t.state(r.lead_id) l order by n $$,
    $$ select x, 'applied', 'disqualified', x
       from unnest('{no_fit,no_budget,no_authority,no_need,bad_timing,unreachable,duplicate,do_not_contact,competitor,test,spam,other}'::text[]) x $$,
    'the list');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('new'), 'request_rejected', '{"reason": "gone"}') l;

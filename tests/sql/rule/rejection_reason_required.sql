-- Nobody is turned away without a reason (seed 003).
select t.here();

-- test: raised when a disqualified lead would be imported without: there is no lead to carry the row
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "disqualified", "entered_at": "2026-01-01T12:00:00Z",
                                                            "email": "kim@example.com"}') $$, 'PT409', 'rejection_reason_required', 'imported');

-- test: refused when a request is rejected without, and nobody is turned away
select results_eq(
    $$ select s, p, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": "  "}', '{"notes": "rude"}']::jsonb[]) with ordinality p(p, m),
            lateral t.report(t.qualification_lead(s), 'request_rejected', p) r order by n, m $$,
    $$ select s, p, 'refused rejection_reason_required', s
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": "  "}', '{"notes": "rude"}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'notes are no reason');
select t.keep('lead', t.enquiry('{"workflow": "qualification", "email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'request_rejected');
select results_eq($$ select d.decision, d.disposition_at from t.decisions(t.kept('lead')) d $$, $$ values (null::text, null::timestamptz) $$, 'its request waits');

-- test: refused also for one of several requests, which alone is meant
select t.keep('lead', t.enquiry('{"workflow": "qualification", "email": "kim@example.com"}'));
select t.enquiry('{"email": "kim@example.com"}');
select is(t.verdict(t.kept('lead'), 'request_rejected'), 'refused rejection_reason_required', 'the first of two');

-- test: no hand takes the reason away
-- privileged: only a superuser can try
select t.keep('lead', t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'));
select t.act_as('superuser');
select throws_ok($$ update leadline.leads set rejection_reason = null where lead_id = t.kept('lead') $$, '23514', null, 'a constraint holds');

-- test: allowed with one
select is((t.state(r.lead_id)).rejection_reason, 'no_need', 'no need') from t.report(t.qualification_lead('connected'), 'request_rejected', '{"reason": "no_need"}') r;

-- test: allowed is an exclusion, which is its own reason
select is((t.state(t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'))).rejection_reason, 'spam', 'spam');

-- test: said
select t.act_as('importer', '{import}');
select t.speaks(c.sentence, c.hint) from t.caught($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "disqualified",
    "entered_at": "2026-01-01T12:00:00Z", "email": "kim@example.com"}') $$) c;
select t.act_as('admin');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('new'), 'request_rejected') l;

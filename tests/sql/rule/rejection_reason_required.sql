-- Nobody is turned away without a reason (seed 003).
select t.here();

-- test: raised when a disqualified lead would be imported without: there is no lead to carry the row
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "disqualified", "entered_at": "2026-01-01T12:00:00Z",
                                                            "email": "kim@example.com"}') $$, 'PT409', 'rejection_reason_required', 'imported');

-- test: raised when one would be created: so far an exclusion alone makes them
select t.raises($$ select t.created('{"workflow": "qualification", "email": "kim@example.com"}') $$, 'PT409', 'rejection_reason_required', 'created');

-- test: no hand takes the reason away
-- privileged: only a superuser can try
select t.keep('lead', t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'));
select t.act_as('superuser');
select throws_ok($$ update leadline.leads set rejection_reason = null where lead_id = t.kept('lead') $$, '23514', null, 'a constraint holds');

-- test: allowed is an exclusion, which is its own reason
select is((t.state(t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'))).rejection_reason, 'spam', 'spam');

-- test: said
select t.act_as('importer', '{import}');
select t.speaks(c.sentence, c.hint) from t.caught($$ select t.report(null, 'lead_imported', '{"workflow": "qualification", "stage": "disqualified",
    "entered_at": "2026-01-01T12:00:00Z", "email": "kim@example.com"}') $$) c;

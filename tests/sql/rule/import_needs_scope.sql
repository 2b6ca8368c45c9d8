-- Bringing in leads with a past needs scope import.
select t.here();

-- test: raised without the scope
select t.raises($$ select t.report(null, 'lead_imported', '{"stage": "sale", "entered_at": "2026-01-01T00:00:00Z"}') $$,
                'PT403', 'import_needs_scope', 'an admin''s login without it');
select t.act_as('importer');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "sale", "entered_at": "2026-01-01T00:00:00Z"}') $$, 'PT403', null, 'an importer''s without it');

-- test: never for an assistant
select t.act_as('ai', '{import}');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "sale", "entered_at": "2026-01-01T00:00:00Z"}') $$, 'PT409', null, 'ai_forbidden, whatever its scopes');

-- test: allowed with it: the lead has stood there since then
select t.act_as('importer', '{import}');
select t.keep('lead', (select r.lead_id from t.report(null, 'lead_imported',
    '{"stage": "scheduled", "entered_at": "2025-11-02T09:00:00Z", "source": "old CRM", "name": "Kim", "email": "kim@example.com"}') r));
select results_eq(
    $$ select stage, status, stage_entered_at, source, resolved_at, seq, version from t.state(t.kept('lead')) $$,
    $$ values ('scheduled', 'open', '2025-11-02T09:00:00Z'::timestamptz, 'old CRM', null::timestamptz, 1, 1) $$, 'as imported');
select results_eq(
    $$ select activity_type, verdict, from_stage, to_stage, writer from leadline.lead_activity where lead_id = t.kept('lead') $$,
    $$ values ('lead_imported', 'applied', 'scheduled', 'scheduled', 'importer') $$, 'its history begins with that');
select results_eq(
    $$ select stage, entered_at from leadline.stage_history where lead_id = t.kept('lead') $$,
    $$ values ('scheduled', '2025-11-02T09:00:00Z'::timestamptz) $$, 'time in stage counts from then');

-- test: an outcome brought in has its time, and dnc is heard
select t.act_as('importer', '{import}');
select t.keep('sold', t.lead('sale')), t.keep('gone', t.lead('dnc', '{"email": "kim@example.com"}'));
select is((t.state(t.kept('sold'))).resolved_at, '2026-01-01T12:00:00Z'::timestamptz, 'resolved then');
select is((t.state(t.kept('gone'))).is_suppressed, true, 'an import can set do-not-contact');
select is((t.state(t.lead('new', '{"email": "KIM@example.com"}'))).is_suppressed, true, 'and never clears it');

-- An assistant may assess and draft; it never reports what happened to a lead (seed 004 section 6).
select t.here();

-- test: refused, whatever it reports, and the refusal is kept
select t.keep('lead', t.lead('scheduled', '{"email": "kim@example.com"}'));
select t.act_as('ai');
select results_eq(
    $$ select a.type, t.verdict(t.kept('lead'), a.type, a.payload)
       from (values ('contact_attempted', '{}'::jsonb), ('sale', '{}'), ('refused', '{}'), ('dnc', '{}'),
                    ('note_added', '{"text": "call her"}'), ('tag_added', '{"tag": "warm"}'),
                    ('direct_change', '{}'), ('lead_archived', '{}')) a(type, payload) $$,
    $$ select type, 'refused ai_forbidden' from unnest(
         '{contact_attempted,sale,refused,dnc,note_added,tag_added,direct_change,lead_archived}'::text[]) type $$,
    'no kind of activity is an assistant''s to report');
select results_eq(
    $$ select stage, seq, version, last_touch_at, is_suppressed from t.state(t.kept('lead')) $$,
    $$ values ('scheduled', 9, 1, null::timestamptz, false) $$,
    'every refusal is a row, and not one of them changed the lead');

-- test: refused at a closed lead before anything else is asked
select t.keep('lead', t.lead('sale'));
select t.act_as('ai');
select is(t.verdict(t.kept('lead'), 'refused'), 'refused ai_forbidden', 'not already_resolved');

-- test: refused as a row even where refusals are raised
select t.keep('lead', t.lead('new'));
select t.act_as('ai');
set local leadline.on_refusal = 'raise';
select is(t.verdict(t.kept('lead'), 'sale'), 'refused ai_forbidden', 'an assistant cannot choose to leave no trace');

-- test: a birth is raised, since there is no lead to carry the row
select t.act_as('ai');
select t.raises($$ select t.report(null, 'lead_created') $$, 'PT409', 'ai_forbidden', 'an assistant creates no lead');

-- test: malformed input is malformed by whomever it comes
select t.keep('lead', t.lead('new'));
select t.act_as('ai');
select throws_ok($$ select t.report(t.kept('lead'), 'won_somehow') $$, 'PT422', null, 'the vocabulary comes first');

-- test: allowed to a person
select is(t.verdict(t.lead('new'), 'contact_attempted'), 'applied', 'a person reports what happened');

-- test: said
select t.keep('lead', t.lead('new'));
select t.act_as('ai');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'sale') l;

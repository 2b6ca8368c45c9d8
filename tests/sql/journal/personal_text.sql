-- Personal text never enters a journal: it can be erased, the journal cannot.
select t.here();
select t.keep('lead', t.created('{"name": "Kim Larsson", "company": "Larsson Tak", "email": "kim@example.com", "phone": "+16502530000", "source": "web"}'));
select t.report(t.kept('lead'), 'contact_changed', '{"name": "Kim Berg", "email": "berg@example.com"}');
select t.report(t.kept('lead'), 'note_added', '{"text": "allergic to kittens"}');
select t.report(t.kept('lead'), 'email_sent', '{"subject": "About your kittens", "text": "dear Kim Berg"}');
select t.report(t.kept('lead'), 'message_received', '{"text": "call my wife about kittens"}');
select t.report(t.kept('lead'), 'contact_attempted', '{"favourite_animal": "kittens", "channel": "phone"}');
select t.report(t.kept('lead'), 'refused', '{"notes": "her kittens do not want it"}');

-- test: searched by content, the journal knows nothing
select is_empty(
    $$ select a.seq, w.word
       from leadline.lead_activity a,
            unnest('{larsson,berg,kim,example.com,6502530000,kittens,wife,dear}'::text[]) w(word)
       where a.lead_id = t.kept('lead') and to_jsonb(a)::text ilike '%' || w.word || '%' $$,
    'no name, address, phone, message, note or unknown key');

-- test: changes of personal fields are told by name only
select results_eq(
    $$ select activity_type, (select jsonb_object_agg(key, value) from jsonb_each(changes) where key in ('name', 'company', 'email', 'phone'))
       from leadline.lead_activity where lead_id = t.kept('lead') and activity_type in ('lead_created', 'contact_changed') order by seq $$,
    $$ values ('lead_created', '{"name": true, "company": true, "email": true, "phone": true}'::jsonb),
              ('contact_changed', '{"name": true, "email": true}') $$,
    'that they changed, not to what');

-- test: what is not personal stays
select results_eq(
    $$ select payload from leadline.lead_activity where lead_id = t.kept('lead') and activity_type in ('lead_created', 'contact_attempted') order by seq $$,
    $$ values ('{"source": "web"}'::jsonb), ('{"channel": "phone"}') $$, 'known keys that are nobody''s business');
select is_empty(
    $$ select seq from leadline.lead_activity
       where lead_id = t.kept('lead') and (content_hash is null) <> (activity_type not in
           ('lead_created', 'contact_changed', 'note_added', 'email_sent', 'message_received', 'contact_attempted', 'refused')) $$,
    'each row that had such text keeps its salted hash');

-- test: views join it back for those who may see
select results_eq(
    $$ select payload->>'text' from leadline.lead_timeline where lead_id = t.kept('lead') and activity_type = 'note_added' $$,
    $$ values ('allergic to kittens') $$, 'the note as it was written');
select results_eq(
    $$ select payload from leadline.lead_timeline where lead_id = t.kept('lead') and activity_type = 'contact_attempted' $$,
    $$ values ('{"favourite_animal": "kittens", "channel": "phone"}'::jsonb) $$, 'known and unknown keys together');
select results_eq(
    $$ select changes->'name', changes->'email' from leadline.lead_timeline where lead_id = t.kept('lead') and activity_type = 'contact_changed' $$,
    $$ values ('["Kim Larsson", "Kim Berg"]'::jsonb, '["kim@example.com", "berg@example.com"]'::jsonb) $$, 'old and new');

-- test: a hand's change too
select t.act_as('superuser');
update leadline.leads set phone = '+4512345678' where lead_id = t.kept('lead');
select t.act_as('admin');
select is_empty(
    $$ select a.seq from leadline.lead_activity a where a.lead_id = t.kept('lead') and to_jsonb(a)::text ~ '4512345678' $$, 'the new phone');
select is(
    (select a.changes from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.activity_type = 'direct_change'),
    '{"phone": true}'::jsonb, 'by name only');

-- test: a reference is no hiding place the journal opens by itself
select t.report(t.kept('lead'), 'note_added', '{"text": "x", "reference": "kittens"}', 'r-1');
select is((select a.reference from leadline.lead_activity a where a.lead_id = t.kept('lead') order by a.seq desc limit 1), 'r-1',
          'the column is the column, the key is content');

-- A mapping that could not be followed is not saved.
select t.here();
create function pg_temp.saved(p_mapping jsonb) returns text language sql as
    $$ select c.rule from t.caught(format('select leadline.add_webhook_source(t.workspace(), %L, null, %L)', 'X', p_mapping)) c $$;

-- test: raised, and the fault is named
select t.raises($$ select leadline.add_webhook_source(t.workspace(), 'X', null, '{}') $$, 'PT422', 'mapping_malformed', 'nothing is to be logged');
select is(pg_temp.saved(m.mapping), 'mapping_malformed', m.mapping::text) from (values
    ('[]'::jsonb), ('"$"'), ('{"activities": []}'), ('{"activities": {}}'), ('{"activities": ["x"]}'),
    ('{"activities": [{"activity_type": "lead_hugged"}]}'), ('{"activities": [{}]}'), ('{"activities": [{"activity_type": "direct_change"}]}'),
    ('{"activities": [{"activity_type": "settings_changed"}]}'), ('{"activities": [{"activity_type": "ai_assessed"}]}'),
    ('{"activities": [{"activity_type": "note_added", "payload": []}]}'), ('{"activities": [{"activity_type": "note_added", "unknown": 1}]}'),
    ('{"activities": [{"activity_type": "note_added", "payload": {"text": "$.a["}}]}'), ('{"activities": [{"activity_type": "note_added", "payload": {"text": "$other.a"}}]}'),
    ('{"activities": [{"activity_type": "note_added", "payload": {"text": 7}}]}'), ('{"activities": [{"activity_type": "note_added", "payload": {"text": {"join": []}}}]}'),
    ('{"activities": [{"activity_type": "note_added", "payload": {"text": {"first": ["$", 7]}}}]}'), ('{"activities": [{"activity_type": "note_added", "payload": {"text": {"names": []}}}]}'),
    ('{"activities": [{"activity_type": "note_added", "payload": {"text": {"const": 1, "names": ["a"]}}}]}'), ('{"activities": [{"activity_type": "note_added", "payload": {"text": {"say": 1}}}]}'),
    ('{"activities": [{"activity_type": "note_added", "when": "not a path"}]}'), ('{"activities": [{"activity_type": "note_added", "when": {"const": true}}]}'),
    ('{"activities": [{"activity_type": "note_added", "needs": "text"}]}'), ('{"activities": [{"activity_type": "note_added", "only_if_unknown": 1}]}'),
    ('{"activities": [{"activity_type": "note_added"}], "items": "$.a ? ("}'), ('{"activities": [{"activity_type": "note_added"}], "items": 7}'),
    ('{"activities": [{"activity_type": "note_added"}], "event_id": []}'), ('{"activities": [{"activity_type": "note_added"}], "colour": "red"}'),
    ('{"activities": [{"activity_type": "note_added"}], "exclude": [{"when": "$.a", "reason": "ugly"}]}'), ('{"activities": [{"activity_type": "note_added"}], "exclude": [{"reason": "spam"}]}'),
    ('{"activities": [{"activity_type": "note_added"}], "details_needed": [{"when": "$.a"}]}'), ('{"activities": [{"activity_type": "note_added"}], "details_needed": 1}')) m (mapping);
select is(pg_temp.saved(jsonb_build_object('activities', jsonb_build_array(jsonb_build_object('activity_type', 'note_added', 'payload', jsonb_build_object('text', jsonb_build_object('const', repeat('x', 70000))))))),
          'mapping_malformed', 'more than 64 KiB');

-- test: raised when a mapping is replaced, and the one before stays
select t.keep('source', s.source_id) from leadline.add_webhook_source(t.workspace(), 'X', null, '{"activities": [{"activity_type": "note_added"}]}') s;
select throws_ok($$ select leadline.replace_webhook_mapping(t.workspace(), t.kept('source'), '{}') $$, 'PT422', null, 'a bad one');
select throws_ok($$ select leadline.replace_webhook_mapping(t.workspace(), t.kept('source'), null) $$, 'PT422', null, 'there is no preset to follow');
select results_eq('select mapping from leadline.webhooks', $$ values ('{"activities": [{"activity_type": "note_added"}]}'::jsonb) $$, 'it stays');

-- test: allowed with everything that a mapping may say
select is(pg_temp.saved($m$ {"items": ["$", "$body.list[*] ? (@.a == 1)"], "event_id": {"header": "X-Id"}, "item_id": "$.id",
    "exclude": [{"when": "$.t == true", "reason": "test"}], "details_needed": [{"when": "exists($.id)", "external_id": "$.id"}],
    "activities": [{"when": "$headers.\"x-kind\" == \"new\"", "activity_type": "inbound_enquiry", "needs": ["email"], "only_if_unknown": true, "lead_email": "$.mail",
        "occurred_at": "$.at", "payload": {"email": {"first": ["$.mail", {"names": ["e-mail"]}]}, "name": {"join": ["$.a", {"const": "b"}], "with": ", "}, "rest": {"others": ["id"]}, "more": {"const": null}}}]} $m$),
    null, 'saved');

-- A source follows a preset that there is, or has a mapping of its own.
select t.here();

-- test: raised for a preset that is not there, and when nothing says what bodies mean
select t.raises($$ select leadline.add_webhook_source(t.workspace(), 'X', 'pigeon') $$, 'PT422', 'unknown_preset', 'no such word');
select throws_ok($$ select leadline.add_webhook_source(t.workspace(), 'X') $$, 'PT422', null, 'neither preset nor mapping');
select throws_ok($$ select leadline.add_webhook_source(t.workspace(), 'X', 'pigeon', '{"activities": [{"activity_type": "note_added"}]}') $$, 'PT422', null, 'a mapping does not help');

-- test: allowed for every preset there is, and without one
select lives_ok($$ select leadline.add_webhook_source(t.workspace(), p.label, p.preset, p_secret => 'long enough') from leadline.rule_webhook_presets p $$, 'all presets');
select lives_ok($$ select leadline.add_webhook_source(t.workspace(), 'X', null, '{"activities": [{"activity_type": "note_added"}]}') $$, 'a mapping alone');
select set_eq('select coalesce(preset, name) from leadline.webhooks', $$ values ('calendly'), ('form'), ('hubspot'), ('meta_lead_ads'), ('typeform'), ('X') $$, 'there they are');

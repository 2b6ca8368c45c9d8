-- The vocabulary is closed: a word nobody knows is no fact.
select t.here();

-- test: raised, and nothing is kept
select t.keep('lead', t.lead('scheduled'));
select t.raises($$ select t.report(t.kept('lead'), 'sold') $$, 'PT422', 'unknown_activity_type', 'a word of one''s own');
select throws_ok($$ select t.report(t.kept('lead'), 'Sale') $$, 'PT422', null, 'codes are lower case');
select throws_ok($$ select t.report(t.kept('lead'), 'sale ') $$, 'PT422', null, 'and have no white space');
select throws_ok($$ select t.report(t.kept('lead'), '') $$, 'PT422', null, 'nothing is no word');
select throws_ok($$ select t.report(t.kept('lead'), 'settings_changed', '{"name": "x"}') $$, 'PT422', null, 'a word of another journal');
select is((t.state(t.kept('lead'))).seq, 1, 'the lead''s journal is as it was');

-- test: raised at a closed lead too, and before the lead is looked for
select throws_ok($$ select t.report(t.lead('sale'), 'sold') $$, 'PT422', null, 'not already_resolved');
select throws_ok($$ select t.report(gen_random_uuid(), 'sold') $$, 'PT422', null, 'not no_such_lead');

-- test: raised whatever the setting
select set_config('leadline.on_refusal', '', true);
select throws_ok($$ select t.report(t.lead('new'), 'sold') $$, 'PT422', null, 'a mistake is not a refusal');

-- test: allowed are the words of seed 000
select results_eq(
    $$ select r.verdict from t.report(t.lead('new'), 'contact_attempted') r $$, $$ values ('applied') $$, 'one of them');

-- Some activities say nothing without their key.
select t.here();

-- test: raised
select t.keep('lead', t.lead('new'));
select t.raises($$ select t.report(t.kept('lead'), 'tag_added') $$, 'PT422', 'key_missing', 'a tag has a name');
select throws_ok($$ select t.report(t.kept('lead'), 'lead_assigned') $$, 'PT422', null, 'an assignment has a person, or null');
select throws_ok($$ select t.report(t.kept('lead'), 'deal_value_changed', '{"currency": "EUR"}') $$, 'PT422', null, 'a value has a number');
select throws_ok($$ select t.report(t.kept('lead'), 'deal_value_changed', '{"deal_value": 1}') $$, 'PT422', null, 'and a currency');
select throws_ok($$ select t.report(t.kept('lead'), 'note_added') $$, 'PT422', null, 'a note has a text');
select throws_ok($$ select t.report(t.kept('lead'), 'unsubscribed') $$, 'PT422', null, 'an unsubscription has a channel');
select throws_ok($$ select t.report(t.kept('lead'), 'suppression_lifted') $$, 'PT422', null, 'a lift has a reason');
select is((t.state(t.kept('lead'))).seq, 1, 'nothing is kept');

-- test: raised for an import that does not say where and since when
select t.act_as('importer', '{import}');
select throws_ok($$ select t.report(null, 'lead_imported', '{"entered_at": "2026-01-01T00:00:00Z"}') $$, 'PT422', null, 'no stage');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "new"}') $$, 'PT422', null, 'no entered_at');

-- test: raised at a closed lead too
select throws_ok($$ select t.report(t.lead('sale'), 'tag_added') $$, 'PT422', null, 'the shape comes first');

-- test: allowed without the keys that need not be there
select is(t.verdict(t.lead('new'), 'appointment_scheduled'), 'applied', 'an appointment without a time');
select is(t.verdict(t.lead('new'), 'duplicate'), 'applied', 'a duplicate of an unnamed lead');

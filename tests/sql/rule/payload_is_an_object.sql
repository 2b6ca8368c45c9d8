-- A payload is a JSON object: keys with values.
select t.here();

-- test: raised for everything else
select t.keep('lead', t.lead('new'));
select t.raises($$ select t.report(t.kept('lead'), 'contact_attempted', '[]') $$, 'PT422', 'payload_is_an_object', 'a list');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '"text"') $$, 'PT422', null, 'a text');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', 'null') $$, 'PT422', null, 'a null');
select throws_ok($$ select t.report(t.kept('lead'), 'contact_attempted', '1') $$, 'PT422', null, 'a number');
select is(t.stage(t.kept('lead')), 'new', 'nothing happened');

-- test: allowed
select is(t.verdict(t.lead('new'), 'contact_attempted', '{}'), 'applied', 'an empty object');
select t.keep('lead', t.lead('new'));
insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('lead'), 'contact_attempted');
select is(t.stage(t.kept('lead')), 'attempted', 'no payload is an empty object');

-- Not there and not yours are the same answer.
select t.here();

-- test: raised for an id nobody has, and for one of another workspace, alike
select t.keep('foreign', t.lead('new', '{}', t.elsewhere()));
select t.raises($$ select t.report(gen_random_uuid(), 'contact_attempted') $$, 'PT404', 'no_such_lead', 'nobody has it');
select t.raises($$ select t.report(t.kept('foreign'), 'contact_attempted') $$, 'PT404', 'no_such_lead', 'another workspace has it');
select results_eq(
    $$ select c.* from t.caught($q$ select t.report(t.kept('foreign'), 'contact_attempted') $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report(gen_random_uuid(), 'contact_attempted') $q$) c $$,
    'word for word the same');

-- test: raised also without RETURNING, and nothing is left there
select t.keep('foreign', t.lead('new', '{}', t.elsewhere()));
select throws_ok($$ insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('foreign'), 'contact_attempted') $$, 'PT404', null, 'a bare insert');
select t.act_as('app', '{}', t.elsewhere());
select results_eq(
    $$ select stage, seq from t.state(t.kept('foreign')) $$, $$ values ('new', 1) $$, 'the lead is untouched');

-- test: raised for a duplicate''s original and a copy''s source
select t.keep('foreign', t.lead('new', '{}', t.elsewhere())), t.keep('lead', t.lead('new'));
select throws_ok($$ select t.report(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('foreign'))) $$, 'PT404', null, 'a foreign original');
select throws_ok($$ select t.report(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', gen_random_uuid())) $$, 'PT404', null, 'no original');
select throws_ok($$ select t.created(jsonb_build_object('copied_from', t.kept('foreign'))) $$, 'PT404', null, 'a foreign source');
select throws_ok($$ select t.created(jsonb_build_object('copied_from', gen_random_uuid())) $$, 'PT404', null, 'no source');
select is(t.stage(t.kept('lead')), 'new', 'nothing happened');

-- test: raised before a closed lead says that it is closed
select t.keep('foreign', t.lead('new', '{}', t.elsewhere())), t.keep('lead', t.lead('sale'));
select throws_ok($$ select t.report(t.kept('lead'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('foreign'))) $$, 'PT404', null, 'not already_resolved');

-- test: allowed
select is(t.verdict(t.lead('new'), 'contact_attempted'), 'applied', 'a lead of one''s own');

-- A person of another workspace is as unknown as one who never was (seed 004 rule 1.3).
select t.here();
select t.keep('foreigner', t.sales_lead('new', '{"email": "kim@example.com"}', t.elsewhere()));
select t.act_as('app', '{}', t.elsewhere());
select t.keep('foreigner', (t.state(t.kept('foreigner'))).person_id);
select t.act_as('admin');
select t.keep('person', (t.state(t.sales_lead('new', '{"email": "kim@example.com", "name": "Kim"}'))).person_id);

-- test: raised by every door
select t.raises($$ select leadline.erase_person(gen_random_uuid(), 'x') $$, 'PT404', 'no_such_person', 'erased');
select t.raises($$ select leadline.export_person(gen_random_uuid()) $$, 'PT404', 'no_such_person', 'exported');
select t.raises($$ select leadline.merge_people(gen_random_uuid(), t.kept('person')) $$, 'PT404', 'no_such_person', 'merged');
select t.raises($$ select leadline.merge_people(t.kept('person'), gen_random_uuid()) $$, 'PT404', 'no_such_person', 'merged into');
select t.raises($$ select leadline.unmerge_people(gen_random_uuid()) $$, 'PT404', 'no_such_person', 'taken apart');

-- test: a foreigner is not there, word for word
select results_eq(
    $$ select x, c.* from unnest(array['erase_person(%L, ''x'')', 'export_person(%L)', 'merge_people(%L, t.kept(''person''))', 'unmerge_people(%L)']) with ordinality x(x, n),
              lateral t.caught(format('select leadline.' || x, t.kept('foreigner'))) c order by n $$,
    $$ select x, c.* from unnest(array['erase_person(%L, ''x'')', 'export_person(%L)', 'merge_people(%L, t.kept(''person''))', 'unmerge_people(%L)']) with ordinality x(x, n),
              lateral t.caught(format('select leadline.' || x, gen_random_uuid())) c order by n $$,
    'as one who never was');
select throws_ok($$ select leadline.erase_person(t.kept('foreigner'), 'x') $$, 'PT404', null, 'erased from here');
select t.act_as('app', '{}', t.elsewhere());
select is((select count(*) from leadline.lead_contacts c where c.email = 'kim@example.com'), 1::bigint, 'and is untouched there');

-- test: allowed is a person of one's own
select lives_ok($$ select leadline.export_person(t.kept('person')) $$, 'exported');
select lives_ok($$ select leadline.erase_person(t.kept('person'), 'she asked') $$, 'and erased');

-- test: raised wherever a journal names a person
select t.raises($$ select t.advance(gen_random_uuid(), 'qualified') $$, 'PT404', 'no_such_person', 'moved');
select throws_ok($$ select t.advance(t.kept('foreigner'), 'qualified') $$, 'PT404', null, 'moved from here');
select throws_ok($$ insert into leadline.relationship_activity (person_id, activity_type, payload) values (t.kept('foreigner'), 'relationship_closed', '{"reason": "x"}') $$,
    'PT404', null, 'also without RETURNING');
select t.raises($$ select leadline.log_in_journal('relationship_activity', gen_random_uuid(), 'relationship_closed', '{"reason": "x"}') $$, 'PT404', 'no_such_person', 'by the call that answers');
select t.raises($$ select t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', t.kept('foreigner'))) $$,
    'PT404', 'no_such_person', 'a deal of theirs');
select t.raises($$ select t.report_on_deal(t.opportunity(), 'contact_role_set', jsonb_build_object('person_id', t.kept('foreigner'), 'role', 'other')) $$, 'PT404', 'no_such_person', 'a contact');
select t.act_as('billing');
select t.raises($$ select t.report_on_customer(null, 'subscription_started', jsonb_build_object('person_id', t.kept('foreigner'))) $$, 'PT404', 'no_such_person', 'a subscription of theirs');

-- test: said
select t.speaks(c.sentence, c.hint) from t.caught($$ select leadline.export_person(gen_random_uuid()) $$) c;

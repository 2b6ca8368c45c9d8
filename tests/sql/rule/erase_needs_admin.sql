-- What is erased is gone for good, so an owner or admin decides it.
select t.here();
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com", "name": "Kim"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);

-- test: raised for a member, an app, an importer and an analyst, and nothing is gone
select t.act_as('member');
select t.raises($$ select leadline.erase_person(t.kept('person'), 'she asked') $$, 'PT403', 'erase_needs_admin', 'a member');
select t.act_as('app');
select throws_ok($$ select leadline.erase_person(t.kept('person'), 'she asked') $$, 'PT403', null, 'an app');
select t.act_as('importer', '{import}');
select throws_ok($$ select leadline.erase_person(t.kept('person'), 'she asked') $$, 'PT403', null, 'an importer');
select t.act_as('ai');
select throws_ok($$ select leadline.erase_person(t.kept('person'), 'she asked') $$, 'PT403', null, 'an assistant');
select t.act_as('admin');
select is((select c.name from leadline.lead_contacts c where c.lead_id = t.kept('lead')), 'Kim', 'she is still known');

-- test: who is nobody is nobody here too
select t.act_as('nobody');
select matches((select c.sqlstate_ from t.caught($$ select leadline.erase_person(t.kept('person'), 'x') $$) c), '^(PT401|PT403|42501)$', 'not known, not allowed');

-- test: allowed to an admin and an owner
select lives_ok($$ select leadline.erase_person(t.kept('person'), 'she asked') $$, 'an admin');
select is((select c.name from leadline.lead_contacts c where c.lead_id = t.kept('lead')), null, 'erased');
select t.keep('other', (t.state(t.sales_lead('new', '{"email": "lee@example.com"}'))).person_id);
select t.act_as('owner');
select lives_ok($$ select leadline.erase_person(t.kept('other'), 'he asked') $$, 'an owner');

-- test: said
select t.act_as('member');
select t.speaks(c.sentence, c.hint) from t.caught($$ select leadline.erase_person(t.kept('person'), 'she asked') $$) c;

-- How relationships are read: other systems' words are understood, people are seen by whoever sees their leads, and every journal has its
-- place in a person's timeline (seed 002: reads are forgiving, writes are not).
select t.here();

-- test: our own words, in any writing
select results_eq(
    $$ select w, leadline.normalise_stage(w), leadline.normalise_stage(upper(w)), leadline.normalise_stage('  ' || initcap(w) || E'\t')
       from unnest('{prospect,qualified,opportunity,client,onboarding,active,closed}'::text[]) w $$,
    $$ select w, w, w, w from unnest('{prospect,qualified,opportunity,client,onboarding,active,closed}'::text[]) w $$, 'the six, and the seventh');

-- test: the terminal words of others are all the one outside the order
select results_eq(
    $$ select w, leadline.normalise_stage(w) from unnest('{lost,Lost,not_interested,"Not interested",not-interested,"not proceeding","Not Proceeding",not_proceeding}'::text[]) w $$,
    $$ select w, 'closed' from unnest('{lost,Lost,not_interested,"Not interested",not-interested,"not proceeding","Not Proceeding",not_proceeding}'::text[]) w $$, 'closed');

-- test: seed 003's words are ours
select results_eq(
    $$ select w, leadline.normalise_stage(w) from unnest('{subscriber,lead,marketingqualifiedlead,salesqualifiedlead,MQL,SQL,opportunity,customer,Customer}'::text[]) w $$,
    $$ values ('subscriber', 'prospect'), ('lead', 'prospect'), ('marketingqualifiedlead', 'qualified'), ('salesqualifiedlead', 'qualified'), ('MQL', 'qualified'), ('SQL', 'qualified'),
              ('opportunity', 'opportunity'), ('customer', 'client'), ('Customer', 'client') $$, 'one by one');

-- test: a word that nobody knows is no stage
select results_eq(
    $$ select leadline.normalise_stage(w) from unnest(array['ski lesson', '', '  ', '---', null, '7', 'prospects', 'client!client']) w $$,
    $$ select null::text from generate_series(1, 8) $$, 'nothing is guessed');

-- test: no write guesses: what reads as a stage is refused as a destination
select results_eq(
    $$ select w, leadline.normalise_stage(w) is not null, t.advance(t.someone(), w) from unnest('{customer,lead,MQL,Client,CLIENT," client",lost,not_interested}'::text[]) w $$,
    $$ select w, true, 'refused unknown_stage' from unnest('{customer,lead,MQL,Client,CLIENT," client",lost,not_interested}'::text[]) w $$, 'letter for letter');

-- test: everybody may read words, an analyst too
select t.act_as('analyst');
select is(leadline.normalise_stage('customer'), 'client', 'an analyst');

-- test: contacts: one row a person, and nothing personal in it
select t.account('customer', 'acme.example', t.person('member'));
select t.keep('person', t.person_at('client', '{"email": "kim@acme.example", "name": "Kim", "phone": "+16502530000"}'));
select results_eq(
    $$ select c.stage, c.stage_label, c.status, c.furthest_stage, c.stage_entered_at, c.account_name, c.account_kind from leadline.contacts c where c.person_id = t.kept('person') $$,
    $$ values ('client', 'Client', 'open', 'client', '2026-01-01T12:00:00Z'::timestamptz, 'acme.example', 'customer') $$, 'where they stand, and since when');
select is_empty($$ select from leadline.contacts c where to_jsonb(c)::text ~ 'Kim|kim@|6502530000' $$, 'no name, no address');
select t.act_as('analyst');
select is(t.point(t.kept('person')), 'client', 'an analyst reads it');

-- test: a member sees whose leads they see, by every door
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('mine', t.person_at('qualified', jsonb_build_object('assigned_user_id', t.person('member')))), t.keep('theirs', t.person_at('qualified', jsonb_build_object('assigned_user_id',
    t.person('admin')))),
       t.keep('nobodys', t.person_at('qualified'));
select t.asked(t.kept(x)) from unnest('{mine,theirs,nobodys}'::text[]) x;
select t.act_as('member');
select results_eq($$ select c.person_id from leadline.contacts c $$, $$ select t.kept('mine') $$, 'contacts');
select results_eq($$ select distinct l.person_id from leadline.relationship_timeline l $$, $$ select t.kept('mine') $$, 'relationship_timeline');
select results_eq($$ select e.person_id from leadline.relationship_stage_events e $$, $$ select t.kept('mine') $$, 'relationship_stage_events');
select results_eq($$ select distinct a.person_id from leadline.relationship_activity a $$, $$ select t.kept('mine') $$, 'the journal');
select results_eq($$ select q.person_id from leadline.approval_queue q $$, $$ select t.kept('mine') $$, 'approval_queue');
select results_eq($$ select distinct p.person_id from leadline.person_timeline p $$, $$ select t.kept('mine') $$, 'person_timeline');
select results_eq($$ select p.person_id from leadline.people p $$, $$ select t.kept('mine') $$, 'people');
select results_eq(
    $$ select c.* from t.caught($q$ select t.advance(t.kept('theirs'), 'opportunity') $q$) c $$, $$ select c.* from t.caught($q$ select t.advance(gen_random_uuid(), 'opportunity') $q$) c $$,
    'whom they do not see is not there');
select throws_ok($$ select leadline.log_in_journal('relationship_activity', t.kept('theirs'), 'relationship_advanced', '{"to": "opportunity", "reason": "x"}') $$,
    'PT404', null, 'by the call that answers, too');
select is(t.advance(t.kept('mine'), 'opportunity'), 'applied', 'and theirs they move');

-- test: a repeat tells nothing about whom a member does not see
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('theirs', t.person_at('qualified', jsonb_build_object('assigned_user_id', t.person('admin'))));
select t.report_on_person(t.kept('theirs'), 'relationship_advanced', '{"to": "opportunity", "reason": "x"}', 'secret-1');
select t.act_as('member');
select throws_ok($$ select leadline.log_in_journal('relationship_activity', t.kept('theirs'), 'relationship_advanced', '{"to": "opportunity", "reason": "x"}', 'secret-1') $$,
    'PT404', null, 'the same 404');

-- test: another workspace sees nobody
select t.keep('person', t.person_at('client'));
select t.act_as('app', '{}', t.elsewhere());
select is_empty($$ select from leadline.contacts $$, 'contacts');
select is_empty($$ select from leadline.relationship_activity $$, 'the journal');
select throws_ok($$ select t.advance(t.kept('person'), 'active') $$, 'PT404', null, 'nor moves anybody');

-- test: a person's timeline holds all four journals, in the order of decisions
select t.keep('lead', t.qualification_lead('qualified', '{"email": "kim@example.com"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.report(t.kept('lead'), 'lead_converted', '{"amount": 5, "currency": "EUR", "close_date": "2026-12-01"}');
select t.advance(t.kept('person'), 'client');
select t.keep('subscription', t.subscription('active', jsonb_build_object('person_id', t.kept('person'))));
select results_eq(
    $$ select p.journal, p.activity_type, p.verdict, p.subject_id = case p.journal when 'lead_activity' then t.kept('lead') when 'relationship_activity' then t.kept('person')
                                                                       when 'customer_activity' then t.kept('subscription') else (t.state(t.kept('lead'))).opportunity_id end
       from leadline.person_timeline p where p.person_id = t.kept('person') order by p.activity_id $$,
    $$ values ('lead_activity', 'lead_imported', 'applied', true), ('lead_activity', 'lead_converted', 'applied', true), ('opportunity_activity', 'opportunity_opened', 'applied', true),
              ('relationship_activity', 'relationship_advanced', 'applied', true), ('relationship_activity', 'relationship_advanced', 'applied', true),
              ('customer_activity', 'subscription_started', 'applied', true) $$, 'lead, deal, relationship, subscription');

-- test: who was erased keeps the moves and loses the words
select t.keep('person', t.person_at('client', '{"email": "kim@example.com", "name": "Kim"}'));
select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "Kim moved to Oslo"}');
select leadline.erase_person(t.kept('person'), 'she asked');
select results_eq(
    $$ select e.from_stage, e.to_stage, e.reason from leadline.relationship_stage_events e where e.person_id = t.kept('person') order by e.seq $$,
    $$ values ('prospect', 'client', null::text), ('client', 'closed', null) $$, 'when did they become a client: still answered');

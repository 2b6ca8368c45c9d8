-- Two leads, or two people, that are one: an admin says so, and can unsay it. Nothing is copied over and nothing is lost.
select t.here();

-- test: a lead goes on in another
select t.keep('one', t.sales_lead('qualified', '{"email": "kim@example.com", "name": "Kim"}')), t.keep('two', t.sales_lead('new', '{"email": "kim+work@example.com"}'));
select results_eq(
    $$ select r.verdict, r.changes -> 'merged_into' from t.report(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one'))) r $$,
    $$ select 'applied', jsonb_build_array(null, t.kept('one')) $$, 'by one word');
select results_eq($$ select merged_into, is_open from t.state(t.kept('two')) $$, $$ select t.kept('one'), false $$, 'nobody works on it any more');
select results_eq($$ select stage, status, merged_into, is_open from t.state(t.kept('one')) $$, $$ values ('qualified', 'active', null::uuid, true) $$, 'the other goes on');
select is((select c.name from leadline.lead_contacts c where c.lead_id = t.kept('one')), 'Kim', 'as it was');
select is((select count(*) from leadline.lead_timeline l where l.lead_id = t.kept('two')), 2::bigint, 'and the one keeps its history');

-- test: it is neither won nor lost
select t.keep('one', t.sales_lead('qualified')), t.keep('two', t.sales_lead('proposal'));
select t.report(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')));
select results_eq(
    $$ select won_at, lost_at, lost_reason, status in ('won', 'lost') from t.state(t.kept('two')) $$,
    $$ values (null::timestamptz, null::timestamptz, null::text, false) $$, 'in no report');

-- test: taken apart it is as it was
select t.keep('one', t.sales_lead('qualified')), t.keep('two', t.sales_lead('proposal'));
select t.report(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')));
select is(t.verdict(t.kept('two'), 'leads_unmerged'), 'applied', 'apart');
select results_eq(
    $$ select stage, status, is_open, merged_into, deal_value from t.state(t.kept('two')) $$, $$ values ('proposal', 'active', true, null::uuid, 1000::numeric) $$, 'as it was');

-- test: while it is merged nothing opens it but the word that takes it apart
select t.keep('one', t.sales_lead('qualified')), t.keep('two', t.sales_lead('new')), t.keep('lost', t.sales_lead('lost'));
select t.report(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')));
select t.report(t.kept('lost'), 'leads_merged', jsonb_build_object('into', t.kept('one')));
select matches(t.verdict(t.kept(x), type, payload), '^refused', x || ' ' || type)
from unnest('{two,lost}'::text[]) x,
     (values ('lead_unarchived', '{}'::jsonb), ('lead_reopened', '{"to_stage": "new"}'), ('stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}')) a(type, payload);
select results_eq(
    $$ select x, l.is_open, l.merged_into from unnest('{two,lost}'::text[]) x, lateral t.state(t.kept(x)) l $$,
    $$ select x, false, t.kept('one') from unnest('{two,lost}'::text[]) x $$, 'they stay away');

-- test: no merge ends in a circle
select t.keep('a', t.sales_lead('new')), t.keep('b', t.sales_lead('new')), t.keep('c', t.sales_lead('new'));
select t.report(t.kept('b'), 'leads_merged', jsonb_build_object('into', t.kept('a')));
select is(t.verdict(t.kept('a'), 'leads_merged', jsonb_build_object('into', t.kept('b'))), 'refused already_merged', 'a goes on for both');
select is(t.verdict(t.kept('c'), 'leads_merged', jsonb_build_object('into', t.kept('b'))), 'refused already_merged', 'b has no life of its own to go on with');
select is(t.verdict(t.kept('a'), 'leads_merged', jsonb_build_object('into', t.kept('c'))), 'applied', 'what a took in goes on with it');
select is(t.verdict(t.kept('c'), 'leads_merged', jsonb_build_object('into', t.kept('a'))), 'refused already_merged', 'one way');
select results_eq($$ select merged_into, is_open from t.state(t.kept('c')) $$, $$ values (null::uuid, true) $$, 'somebody goes on');

-- test: into what is not there
select t.keep('lead', t.sales_lead('new')), t.keep('foreign', t.sales_lead('new', '{}', t.elsewhere()));
select throws_ok($$ select t.report(t.kept('lead'), 'leads_merged', jsonb_build_object('into', gen_random_uuid())) $$, 'PT404', null, 'nobody''s');
select throws_ok($$ select t.report(t.kept('lead'), 'leads_merged', jsonb_build_object('into', t.kept('foreign'))) $$, 'PT404', null, 'another workspace''s');
select results_eq(
    $$ select c.* from t.caught($q$ select t.report(t.kept('lead'), 'leads_merged', jsonb_build_object('into', t.kept('foreign'))) $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report(t.kept('lead'), 'leads_merged', jsonb_build_object('into', gen_random_uuid())) $q$) c $$, 'word for word');
select throws_ok($$ select t.report(t.kept('lead'), 'leads_merged') $$, 'PT422', null, 'into nothing');

-- test: no open lead of that address is in the way any more
select t.keep('one', t.sales_lead('new', '{"email": "one@example.com"}')), t.keep('two', t.sales_lead('new', '{"email": "two@example.com"}'));
select t.report(t.kept('one'), 'leads_merged', jsonb_build_object('into', t.kept('two')));
select lives_ok($$ select t.created('{"workflow": "sales", "email": "one@example.com"}') $$, 'a new lead may have it');
select is(t.verdict(t.kept('one'), 'leads_unmerged'), 'refused active_lead_exists', 'and then the old one does not come back');

-- test: two people are one, and apart again
select t.keep('a', (t.state(t.sales_lead('new', '{"email": "kim@example.com"}'))).person_id), t.keep('b', (t.state(t.sales_lead('new', '{"email": "kim@work.example"}'))).person_id);
select isnt(t.kept('a'), t.kept('b'), 'two people');
select lives_ok($$ select leadline.merge_people(t.kept('b'), t.kept('a')) $$, 'merged');
select results_eq(
    $$ select p.person_id, p.merged_into from leadline.people p where p.person_id in (t.kept('a'), t.kept('b')) order by p.merged_into nulls first $$,
    $$ select t.kept('a'), null::uuid union all select t.kept('b'), t.kept('a') $$, 'one goes on');
select is((t.state(t.created('{"email": "kim@work.example"}'))).person_id, t.kept('a'), 'whoever comes with either address is that person');
select results_eq(
    $$ select w.activity_type, w.about_id, w.payload ->> 'into' from leadline.workspace_activity w where w.activity_type like 'people_%' $$,
    $$ select 'people_merged', t.kept('b'), t.kept('a')::text $$, 'written down');
select lives_ok($$ select leadline.unmerge_people(t.kept('b')) $$, 'apart');
select is((select p.merged_into from leadline.people p where p.person_id = t.kept('b')), null, 'by themselves again');
select is((t.state(t.created('{"email": "kim@work.example"}'))).person_id, t.kept('b'), 'each with their address');
select results_eq(
    $$ select w.activity_type from leadline.workspace_activity w where w.activity_type like 'people_%' order by w.activity_id $$,
    $$ values ('people_merged'), ('people_unmerged') $$, 'written down, too');

-- test: a person is not merged into themselves, nor round in a circle
select t.keep('a', (t.state(t.sales_lead('new'))).person_id), t.keep('b', (t.state(t.sales_lead('new'))).person_id), t.keep('c', (t.state(t.sales_lead('new'))).person_id);
select t.raises($$ select leadline.merge_people(t.kept('a'), t.kept('a')) $$, 'PT409', 'merged_into_itself', 'into themselves');
select leadline.merge_people(t.kept('a'), t.kept('b')), leadline.merge_people(t.kept('b'), t.kept('c'));
select throws_ok($$ select leadline.merge_people(t.kept('c'), t.kept('a')) $$, 'PT409', null, 'in a circle');
select is((select p.merged_into from leadline.people p where p.person_id = t.kept('c')), null, 'somebody goes on');

-- test: people are merged by an owner or admin
select t.keep('a', (t.state(t.sales_lead('new'))).person_id), t.keep('b', (t.state(t.sales_lead('new'))).person_id);
select t.act_as('member');
select throws_ok($$ select leadline.merge_people(t.kept('a'), t.kept('b')) $$, 'PT403', null, 'not by a member');
select throws_ok($$ select leadline.unmerge_people(t.kept('a')) $$, 'PT403', null, 'nor apart');
select t.act_as('app');
select throws_ok($$ select leadline.merge_people(t.kept('a'), t.kept('b')) $$, 'PT403', null, 'nor by an app');
select t.act_as('owner');
select lives_ok($$ select leadline.merge_people(t.kept('a'), t.kept('b')) $$, 'an owner');

-- test: what was merged and taken apart is proved like everything else
-- privileged: only the owner sees every workspace
select t.keep('one', t.sales_lead('qualified', '{"name": "Kim"}')), t.keep('two', t.sales_lead('proposal', '{"name": "Kim B"}'));
select t.report(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')));
select t.report(t.kept('two'), 'leads_unmerged');
select t.report(t.kept('two'), 'leads_merged', jsonb_build_object('into', t.kept('one')));
select leadline.merge_people((t.state(t.kept('two'))).person_id, (t.state(t.kept('one'))).person_id);
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- test: whoever wrote on the lead that ends waits on the one that goes on
select t.keep('a', t.sales_lead('new')), t.keep('b', t.sales_lead('new'));
select t.report(t.kept('a'), 'message_received', '{"text": "Hello?"}', null, '2026-01-02T10:00:00Z');
select t.report(t.kept('a'), 'leads_merged', jsonb_build_object('into', t.kept('b')));
select is((t.state(t.kept('b'))).waiting_since, '2026-01-02T10:00:00Z'::timestamptz, 'since they wrote');
select is((t.state(t.kept('a'))).waiting_since, null, 'and not in two places');
select t.report(t.kept('b'), 'call_completed');
select is((t.state(t.kept('b'))).waiting_since, null, 'until somebody answers');

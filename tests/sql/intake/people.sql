-- Whose lead it is: an address says who somebody is, a phone only reminds of somebody.
select t.here();
create function pg_temp.person(p_lead_id uuid) returns uuid language sql as $$ select (t.state(p_lead_id)).person_id $$;

-- test: every lead is somebody's, by whatever door it came
insert into leadline.leads (source, email) values ('fair', 'bare@example.com');
select ok(not exists (select from leadline.lead_overview l where l.lead_id = any (array[t.lead('new'), t.created(), t.sales_lead('won'),
              t.enquiry('{"email": "kim@example.com"}'), (select b.lead_id from leadline.lead_overview b where b.source = 'fair')]) and l.person_id is null), 'nobody''s lead');
select isnt(pg_temp.person(t.created()), pg_temp.person(t.created()), 'who says nothing of themselves is somebody of their own');

-- test: one address, one person, in every workflow and spelling, closed leads included
select t.keep('person', pg_temp.person(t.sales_lead('won', '{"email": "kim@example.com"}')));
select results_eq(
    $$ select n, pg_temp.person(id)
       from (values (1, t.lead('sale', '{"email": "KIM@example.com"}')), (2, t.created('{"email": " kim@example.com "}')), (3, t.sales_lead('lost', '{"email": "Kim@Example.com"}')),
                    (4, t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'))) x(n, id) order by n $$,
    $$ select n, t.kept('person') from generate_series(1, 4) n $$, 'the same');
select isnt(pg_temp.person(t.created('{"email": "kim+x@example.com"}')), t.kept('person'), 'another address is another person until somebody says so');

-- test: a phone may be shared: it makes nobody somebody else, and its row names its first bearer
select t.keep('person', pg_temp.person(t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}')));
select isnt(pg_temp.person(t.created('{"phone": "+1 650 253 0000"}')), t.kept('person'), 'a phone alone, which only reminds of somebody');
select isnt(pg_temp.person(t.created('{"email": "lee@example.com", "phone": "+16502530000"}')), t.kept('person'), 'a phone and another address');
select is((select k.person_id from leadline.person_contacts k where k.key = '+16502530000'), t.kept('person'), 'still its first bearer''s');
select is(pg_temp.person(t.created('{"email": "kim@example.com", "phone": "+16502539999"}')), t.kept('person'), 'an address and another phone');

-- test: a new address is the person's as well
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}'));
select t.keep('person', pg_temp.person(t.kept('lead')));
select t.report(t.kept('lead'), 'contact_changed', '{"email": "kim@new.example"}');
select is(pg_temp.person(t.kept('lead')), t.kept('person'), 'a lead is one person''s for life');
select is(t.enquiry('{"email": "KIM@new.example"}'), t.kept('lead'), 'whoever writes from there meets the lead');
select is(pg_temp.person(t.created('{"email": "kim@new.example"}')), t.kept('person'), 'and is that person');

-- test: an address that is somebody else's stays theirs
select t.keep('kim', t.sales_lead('won', '{"email": "kim@example.com"}')), t.keep('lee', t.sales_lead('new', '{"email": "lee@example.com"}'));
select is(t.verdict(t.kept('lee'), 'contact_changed', '{"email": "kim@example.com"}'), 'applied', 'a lead may be given it');
select is(pg_temp.person(t.created('{"email": "kim@example.com"}')), pg_temp.person(t.kept('kim')), 'but not the person');

-- test: an address that came to no lead is nobody's: what was refused, changed nothing or was said before
select t.keep('lead', t.enquiry('{"workflow": "sales", "phone": "+16502530000"}', null, 'web-1'));
select t.report(t.kept('lead'), 'contact_changed', '{"name": "Kim"}', 'again');
select is_empty($$ select from t.report(t.kept('lead'), 'contact_changed', '{"email": "repeated@example.com"}', 'again') r where r.lead_id is not null $$, 'a repetition');
select is_empty($$ select from t.report(t.kept('lead'), 'inbound_enquiry', '{"email": "repeated@example.com"}', 'web-1') r where r.lead_id is not null $$, 'of an enquiry as well');
select t.act_as('ai');
select is(t.verdict(t.kept('lead'), 'contact_changed', '{"email": "refused@example.com"}'), 'refused ai_forbidden', 'a refusal');
select t.act_as('owner');
select is_empty($$ select from leadline.person_contacts k where k.key in ('repeated@example.com', 'refused@example.com') $$, 'both forgotten');

-- test: in another workspace it is somebody else
select t.keep('here', pg_temp.person(t.sales_lead('new', '{"email": "kim@example.com"}')));
select t.keep('foreign', t.sales_lead('new', '{"email": "kim@example.com"}', t.elsewhere()));
select t.act_as('app', '{}', t.elsewhere());
select isnt(pg_temp.person(t.kept('foreign')), t.kept('here'), 'two people');
select is_empty($$ select from leadline.people p where p.person_id = t.kept('here') $$, 'who cannot see each other');
select is_empty($$ select from leadline.person_contacts k where k.person_id = t.kept('here') $$, 'nor each other''s address');

-- test: a person's row holds nothing personal, and the keys are for those who may read contacts
select columns_are('leadline', 'people', '{workspace_id,person_id,account_id,created_at,merged_into,erased_at,workflow,status,stage,furthest_stage,stage_entered_at,late_before,first_qualified_at,seq,version,hash}'::name[]);
select t.keep('person', pg_temp.person(t.sales_lead('new', '{"email": "Kim@example.com", "phone": "+1 650 253 0000"}')));
select results_eq(
    $$ select k.kind, k.key from leadline.person_contacts k where k.person_id = t.kept('person') order by 1 $$,
    $$ values ('email', 'kim@example.com'), ('phone', '+16502530000') $$, 'what they are recognised by');
select t.act_as('analyst');
select is((select count(*) from leadline.person_overview p where p.person_id = t.kept('person')), 1::bigint, 'an analyst counts them');
select is_empty($$ select from leadline.person_contacts $$, 'and does not know who they are');
select t.act_as('analyst', '{contacts}');
select is((select count(*) from leadline.person_contacts k where k.person_id = t.kept('person')), 2::bigint, 'unless that is granted');

-- test: nobody writes people but Leadline
select throws_ok($$ insert into leadline.people (workspace_id) values (t.workspace()) $$, '42501', null, 'none is made up');
select throws_ok($$ update leadline.people set merged_into = null $$, '42501', null, 'none is changed');
select throws_ok($$ delete from leadline.person_keys $$, '42501', null, 'none is forgotten by the way');

-- test: a company is known by its mail domain
select t.keep('account', t.account('prospect', 'acme.example'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@ACME.example"}'));
select is((t.state(t.kept('lead'))).account_id, t.kept('account'), 'the lead''s');
select is((select p.account_id from leadline.people p where p.person_id = pg_temp.person(t.kept('lead'))), t.kept('account'), 'and the person''s');
select is((t.state(t.enquiry('{"workflow": "sales", "email": "kim@example.com"}'))).account_id, null, 'others have none');

-- test: how many leads and requests a person has
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}'));
select t.enquiry('{"email": "kim@example.com"}');
select results_eq(
    $$ select p.leads, p.requests from leadline.person_overview p where p.person_id = pg_temp.person(t.kept('lead')) $$, $$ values (1, 2) $$, 'one and two');

-- test: a member counts what they see
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('theirs', t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'kim@example.com', 'assigned_user_id', t.person('admin'))));
select t.act_as('member');
select is_empty($$ select from leadline.person_contacts $$, 'no address of somebody whose leads they do not see');

-- test: do not contact is the phone's and the address's, on every lead of the workspace and on those to come
select t.keep('one', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}')), t.keep('two', t.lead('attempted', '{"phone": "+16502530000"}'));
select t.report(t.kept('one'), 'dnc');
select results_eq($$ select is_suppressed, stage from t.state(t.kept('two')) $$, $$ values (true, 'attempted') $$, 'flagged, not touched');
select is((t.state(t.enquiry('{"workflow": "sales", "email": "new@example.com", "phone": "+1 (650) 253-0000"}'))).is_suppressed, true, 'who comes later');
select t.keep('foreign', t.lead('new', '{"phone": "+16502530000"}', t.elsewhere()));
select t.act_as('app', '{}', t.elsewhere());
select is((t.state(t.kept('foreign'))).is_suppressed, false, 'elsewhere nobody asked');

-- test: no import lifts it
select t.report(t.sales_lead('new', '{"email": "kim@example.com"}'), 'dnc');
select t.keep('again', t.sales_lead('new', '{"email": "kim@example.com"}'));
select is((t.state(t.kept('again'))).is_suppressed, true, 'imported again, still left alone');

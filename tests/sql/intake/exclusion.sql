-- Who is not a buyer is turned away visibly: competitors, tests and spam match nothing, wake nobody and count nowhere (seed 003).
select t.here();

-- test: a competitor is known by the domain of the mail
select t.account('competitor', 'rival.example');
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "Kim@RIVAL.example", "name": "Kim", "message": "what do you charge?"}', '2026-01-05T10:00:00Z'));
select results_eq(
    $$ select workflow, stage, status, is_open, rejection_reason, waiting_since from t.state(t.kept('lead')) $$,
    $$ values ('qualification', 'disqualified', 'closed', false, 'competitor', null::timestamptz) $$, 'turned away at the door');
select results_eq(
    $$ select route, exclusion, received_at, first_response_at, not_applicable_at is not null from t.requests(t.kept('lead')) $$,
    $$ values ('excluded', 'competitor', '2026-01-05T10:00:00Z'::timestamptz, null::timestamptz, true) $$, 'a request without a clock');
select is_empty($$ select * from t.outbox(t.kept('lead')) $$, 'nobody is told, nothing is scored');
select is((select l.payload ->> 'message' from leadline.lead_timeline l where l.lead_id = t.kept('lead') and l.seq = 1), 'what do you charge?', 'but it is kept');

-- test: a domain is a whole domain
select t.account('competitor', 'rival.example');
select results_eq(
    $$ select e, (t.state(t.enquiry(jsonb_build_object('workflow', 'sales', 'email', e)))).workflow
       from unnest('{kim@notrival.example,kim@rival.example.com,rival.example@example.com}'::text[]) e $$,
    $$ select e, 'sales' from unnest('{kim@notrival.example,kim@rival.example.com,rival.example@example.com}'::text[]) e $$, 'others are welcome');

-- test: a person says test or spam
select results_eq(
    $$ select x, l.workflow, l.stage, l.status, l.rejection_reason, q.route, q.exclusion, q.not_applicable_at is not null
       from unnest('{test,spam}'::text[]) x, lateral t.state(t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'kim@example.com', 'exclusion', x))) l,
            lateral t.requests(l.lead_id) q $$,
    $$ values ('test', 'qualification', 'disqualified', 'closed', 'test', 'excluded', 'test', true),
              ('spam', 'qualification', 'disqualified', 'closed', 'spam', 'excluded', 'spam', true) $$, 'and that is its reason');

-- test: an excluded enquiry meets no open lead
select t.account('competitor', 'rival.example');
select t.keep('open', t.sales_lead('qualified', '{"email": "kim@rival.example"}'));
select isnt(t.enquiry('{"email": "kim@rival.example", "company": "Rival"}'), t.kept('open'), 'a competitor''s');
select t.keep('other', t.sales_lead('qualified', '{"email": "kim@example.com"}'));
select isnt(t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'), t.kept('other'), 'nor spam under a good name');
select results_eq(
    $$ select seq, waiting_since, is_possible_duplicate from t.state(t.kept('other')) $$, $$ values (1, null::timestamptz, false) $$, 'the lead knows nothing of it');
select is_empty($$ select * from t.outbox(t.kept('other')) $$, 'nor does anybody');

-- test: it wakes no lost lead
select t.keep('lost', t.sales_lead('lost', '{"email": "kim@example.com"}'));
select t.enquiry('{"email": "kim@example.com", "exclusion": "test"}');
select results_eq($$ select stage, seq from t.state(t.kept('lost')) $$, $$ values ('lost', 1) $$, 'lost it stays');

-- test: it is no candidate and flags none
select t.keep('open', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select t.keep('spam', t.enquiry('{"email": "lee@example.com", "phone": "+16502530000", "exclusion": "spam"}'));
select is((t.state(t.kept('spam'))).is_possible_duplicate, false, 'spam is nobody''s duplicate');
select t.keep('new', t.enquiry('{"workflow": "sales", "email": "lee@example.com"}'));
select is((t.state(t.kept('new'))).is_possible_duplicate, false, 'nor is anybody spam''s');

-- test: again and again, it is turned away each time
select t.keep('one', t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}')), t.keep('two', t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'));
select isnt(t.kept('one'), t.kept('two'), 'two leads, both closed');

-- test: a good enquiry of the same address afterwards is a new lead of the same person
select t.keep('spam', t.enquiry('{"email": "kim@example.com", "exclusion": "spam"}'));
select t.keep('good', t.enquiry('{"workflow": "sales", "email": "kim@example.com"}'));
select results_eq($$ select workflow, stage from t.state(t.kept('good')) $$, $$ values ('sales', 'new') $$, 'welcome');
select is((t.state(t.kept('good'))).person_id, (t.state(t.kept('spam'))).person_id, 'the same person');

-- test: who is a prospect, a customer or a partner is not turned away
select t.account('prospect', 'prospect.example'), t.account('customer', 'customer.example'), t.account('partner', 'partner.example');
select results_eq(
    $$ select d, (t.state(t.enquiry(jsonb_build_object('workflow', 'sales', 'email', 'kim@' || d || '.example')))).workflow from unnest('{prospect,customer,partner}'::text[]) d $$,
    $$ values ('prospect', 'sales'), ('customer', 'sales'), ('partner', 'sales') $$, 'leads like others');

-- test: another workspace's competitor is not ours
select t.account('competitor', 'rival.example');
select t.act_as('app', '{}', t.elsewhere());
select is((t.state(t.enquiry('{"workflow": "sales", "email": "kim@rival.example"}'))).workflow, 'sales', 'there they are welcome');

-- test: whoever asked to be left alone and is turned away is still left alone
select t.report(t.sales_lead('new', '{"email": "kim@example.com"}'), 'dnc');
select is((t.state(t.enquiry('{"email": "kim@example.com", "exclusion": "test"}'))).is_suppressed, true, 'no enquiry lifts it');

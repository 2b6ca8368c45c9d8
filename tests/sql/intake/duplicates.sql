-- Two leads that may be one: flagged with the candidate, never merged by themselves (seed 004 rule 7.2).
select t.here();

-- test: the same phone under another address
select t.keep('first', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select t.keep('second', t.enquiry('{"workflow": "sales", "email": "lee@example.com", "phone": "+1 (650) 253-0000"}'));
select results_eq(
    $$ select lead_id <> t.kept('first'), is_possible_duplicate, possible_duplicate_of, stage, merged_into from t.state(t.kept('second')) $$,
    $$ select true, true, t.kept('first'), 'new', null::uuid $$, 'a lead of its own, with a warning');
select results_eq(
    $$ select is_possible_duplicate, seq, merged_into from t.state(t.kept('first')) $$, $$ values (false, 1, null::uuid) $$, 'the candidate is left alone');
select isnt((t.state(t.kept('first'))).person_id, (t.state(t.kept('second'))).person_id, 'two people until somebody says otherwise');

-- test: the same phone without an address
select t.keep('first', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select results_eq(
    $$ select is_possible_duplicate, possible_duplicate_of from t.state(t.enquiry('{"workflow": "sales", "phone": "+16502530000"}')) $$,
    $$ select true, t.kept('first') $$, 'flagged');

-- test: by every door
select t.keep('first', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select is((t.state(t.created('{"workflow": "sales", "email": "lee@example.com", "phone": "+16502530000"}'))).possible_duplicate_of, t.kept('first'), 'created');
insert into leadline.leads (workflow, source, email, phone) values ('sales', 'fair', 'may@example.com', '+16502530000');
select is((select l.possible_duplicate_of from leadline.lead_overview l where l.source = 'fair'), t.kept('first'), 'inserted bare');

-- test: of several candidates the oldest that is open
select t.keep('closed', t.sales_lead('lost', '{"phone": "+16502530000"}'));
select t.keep('older', t.sales_lead('new', '{"phone": "+16502530000"}')), t.keep('newer', t.created('{"workflow": "sales", "email": "new@example.com", "phone": "+16502530000"}'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "lee@example.com", "phone": "+16502530000"}'));
select is((t.state(t.kept('lead'))).possible_duplicate_of, t.kept('older'), 'always the same one');

-- test: a plus-tag, and the dots of Gmail, make a possible duplicate and no match
select t.keep('plain', t.sales_lead('qualified', '{"email": "lead@example.com"}')), t.keep('gmail', t.sales_lead('qualified', '{"email": "lead@gmail.com"}'));
select results_eq(
    $$ select e, l.stage, l.is_possible_duplicate, l.possible_duplicate_of
       from unnest('{lead+fb@example.com,l.ead@gmail.com,l.e.a.d+x@gmail.com}'::text[]) with ordinality x(e, n),
            lateral t.state(t.enquiry(jsonb_build_object('workflow', 'sales', 'email', e))) l order by n $$,
    $$ select 'lead+fb@example.com', 'new', true, t.kept('plain') union all select 'l.ead@gmail.com', 'new', true, t.kept('gmail')
       union all select 'l.e.a.d+x@gmail.com', 'new', true, t.kept('gmail') $$,
    'the seed matches lower case and trim alone');
select is((t.state(t.kept('plain'))).seq, 1, 'nothing is appended');

-- test: nor the other way round
select t.keep('tagged', t.sales_lead('new', '{"email": "lead+fb@example.com"}'));
select is((t.state(t.enquiry('{"workflow": "sales", "email": "lead@example.com"}'))).possible_duplicate_of, t.kept('tagged'), 'the plain one later');

-- test: elsewhere a dot is a letter like others
select t.sales_lead('new', '{"email": "lead@example.com"}');
select results_eq(
    $$ select e, (t.state(t.enquiry(jsonb_build_object('workflow', 'sales', 'email', e)))).is_possible_duplicate
       from unnest('{l.ead@example.com,leads@example.com,lead@example.org,lead@gmail.com}'::text[]) e $$,
    $$ select e, false from unnest('{l.ead@example.com,leads@example.com,lead@example.org,lead@gmail.com}'::text[]) e $$, 'another mailbox');

-- test: in appointment a second lead of one address is flagged
select t.keep('first', t.lead('attempted', '{"email": "kim@example.com"}'));
select results_eq(
    $$ select is_possible_duplicate, possible_duplicate_of from t.state(t.created('{"email": "KIM@example.com"}')) $$,
    $$ select true, t.kept('first') $$, 'not refused');

-- test: in another workspace nobody is a duplicate
select t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}', t.elsewhere());
select results_eq(
    $$ select is_possible_duplicate, possible_duplicate_of from t.state(t.enquiry('{"workflow": "sales", "email": "lee@example.com", "phone": "+16502530000"}')) $$,
    $$ values (false, null::uuid) $$, 'nothing is told');

-- test: no phone is nobody's phone
select t.sales_lead('new', '{"email": "kim@example.com"}'), t.sales_lead('new', '{"email": "lee@example.com", "phone": "none"}');
select results_eq(
    $$ select p, (t.state(t.enquiry(jsonb_strip_nulls(jsonb_build_object('workflow', 'sales', 'email', n || '@example.com', 'phone', p))))).is_possible_duplicate
       from unnest(array[null, 'none', '4.41E+11']) with ordinality x(p, n) $$,
    $$ values (null, false), ('none', false), ('4.41E+11', false) $$, 'nothing is not the same as nothing');

-- test: somebody who looked says no
select t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}');
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "lee@example.com", "phone": "+16502530000"}'));
select t.act_as('member');
select is(t.verdict(t.kept('lead'), 'possible_duplicate_dismissed'), 'applied', 'a member may');
select is((t.state(t.kept('lead'))).is_possible_duplicate, false, 'the warning is gone');
select is(t.verdict(t.kept('lead'), 'possible_duplicate_dismissed'), 'noted no_change', 'once');
select t.enquiry('{"email": "lee@example.com", "phone": "+16502530000"}');
select is((t.state(t.kept('lead'))).is_possible_duplicate, false, 'and it does not come back with the next word of the same person');

-- test: the flag is history like everything else
select t.keep('first', t.sales_lead('new', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "lee@example.com", "phone": "+16502530000"}'));
select results_eq(
    $$ select a.changes -> 'is_possible_duplicate' -> 1, a.changes -> 'possible_duplicate_of' -> 1 from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.seq = 1 $$,
    $$ select 'true'::jsonb, to_jsonb(t.kept('first')) $$, 'born with it');
select t.report(t.kept('lead'), 'possible_duplicate_dismissed');
select results_eq(
    $$ select field, old_value, new_value from leadline.activities where lead_id = t.kept('lead') and event_type = 'possible_duplicate_dismissed' and field = 'is_possible_duplicate' $$,
    $$ values ('is_possible_duplicate', 'true'::jsonb, 'false'::jsonb) $$, 'and who said no');

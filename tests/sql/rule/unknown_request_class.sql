-- What a buyer asked for is one of eight words.
select t.here();

-- test: refused on a lead, and no request is opened
select t.keep('lead', t.sales_lead('new'));
select is(t.verdict(t.kept('lead'), 'inbound_enquiry', '{"request_class": "chat", "message": "hello"}'), 'refused unknown_request_class', 'chat');
select is(t.verdict(t.kept('lead'), 'inbound_enquiry', '{"request_class": "Demo"}'), 'refused unknown_request_class', 'letter for letter');
select is((select count(*) from t.requests(t.kept('lead'))), 0::bigint, 'no request');
select is((t.state(t.kept('lead'))).waiting_since, null, 'and nobody waits');

-- test: raised at a birth: there is no lead to carry the row
select t.raises($$ select t.report(null, 'inbound_enquiry', '{"email": "kim@example.com", "request_class": "chat"}') $$, 'PT409', 'unknown_request_class', 'nothing is born');
select is_empty($$ select from leadline.lead_contacts where email = 'kim@example.com' $$, 'no lead');

-- test: a class that is no text is malformed
select throws_ok($$ select t.report(t.sales_lead('new'), 'inbound_enquiry', '{"request_class": 7}') $$, 'PT422', null, 'a number');

-- test: allowed are eight, contact when none is said
select results_eq(
    $$ select x, r.verdict, q.request_class
       from unnest('{demo,pricing_question,quote,trial_signup,sales_callback,contact,score,requalification}'::text[]) with ordinality x(x, n),
            lateral t.report(t.sales_lead('new'), 'inbound_enquiry', jsonb_build_object('request_class', x)) r, lateral t.requests(r.lead_id) q order by n $$,
    $$ select x, 'noted', x from unnest('{demo,pricing_question,quote,trial_signup,sales_callback,contact,score,requalification}'::text[]) x $$, 'the list');
select is((select q.request_class from t.report(t.sales_lead('new'), 'inbound_enquiry') r, t.requests(r.lead_id) q), 'contact', 'the default');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'inbound_enquiry', '{"request_class": "chat"}') l;

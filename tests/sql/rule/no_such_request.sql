-- A decision names a request of this lead (seed 004 rule 1.3).
select t.here();
select t.keep('lead', t.enquiry('{"workflow": "qualification", "email": "kim@example.com"}')), t.keep('other', t.enquiry('{"workflow": "qualification", "email": "lee@example.com"}'));

-- test: raised for a request nobody has, and for one of another lead, alike
select t.raises(format('select t.report(t.kept(''lead''), %L, %L)', x, jsonb_build_object('request_id', gen_random_uuid(), 'reason', 'no_fit')), 'PT404', 'no_such_request', x)
from unnest('{request_accepted,request_rejected}'::text[]) x;
select results_eq(
    $$ select c.* from t.caught($q$ select t.report(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', (select d.request_id from t.decisions(t.kept('other')) d))) $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', gen_random_uuid())) $q$) c $$,
    'word for word the same');
select is((t.state(t.kept('lead'))).seq, 1, 'and no row is left');

-- test: raised for one of another workspace
select t.keep('foreign', t.qualification_lead('new', '{"email": "kim@example.com"}', t.elsewhere()));
select t.act_as('app', '{}', t.elsewhere());
select t.report(t.kept('foreign'), 'inbound_enquiry', '{"message": "hello"}');
select t.keep('request', (select d.request_id from t.decisions(t.kept('foreign')) d));
select t.act_as('admin');
select throws_ok($$ select t.report(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', t.kept('request'))) $$, 'PT404', null, 'not here');

-- test: allowed is the lead's own, and none when it has none
select is(t.verdict(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', (select d.request_id from t.decisions(t.kept('lead')) d))), 'applied', 'its own');
select is(t.verdict(t.qualification_lead('new'), 'request_accepted'), 'applied', 'a lead that was entered by hand has none');

-- test: said
select t.speaks(c.sentence, c.hint) from t.caught($$ select t.report(t.kept('lead'), 'request_accepted', jsonb_build_object('request_id', gen_random_uuid())) $$) c;

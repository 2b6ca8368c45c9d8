-- An enquiry that is excluded changes nothing on the lead it names: it is kept, and counted nowhere (seed 003).
select t.here();

-- test: noted on a lead, open or lost
select results_eq(
    $$ select s, x, r.verdict || ' ' || r.rule, l.stage, l.seq, l.waiting_since, q.route, q.exclusion, q.not_applicable_at is not null
       from unnest('{new,qualified,lost}'::text[]) with ordinality s(s, n), unnest('{test,spam}'::text[]) with ordinality x(x, m),
            lateral t.report(t.sales_lead(s), 'inbound_enquiry', jsonb_build_object('exclusion', x, 'name', 'Kim', 'message', 'buy pills')) r,
            lateral t.state(r.lead_id) l, lateral t.requests(r.lead_id) q order by n, m $$,
    $$ select s, x, 'noted excluded', s, 2, null::timestamptz, 'excluded', x, true
       from unnest('{new,qualified,lost}'::text[]) with ordinality s(s, n), unnest('{test,spam}'::text[]) with ordinality x(x, m) order by n, m $$,
    'nobody waits, and no lost lead is woken');
select t.keep('lead', t.sales_lead('new'));
select t.report(t.kept('lead'), 'inbound_enquiry', '{"exclusion": "spam", "name": "Kim"}');
select is((select c.name from leadline.lead_contacts c where c.lead_id = t.kept('lead')), null, 'and no field is filled');
select is_empty($$ select * from t.outbox(t.kept('lead')) $$, 'nobody is told');

-- test: noted where an enquiry changes nothing anyway
select results_eq(
    $$ select x.s, r.verdict, l.waiting_since, q.route
       from (values (1, 'won', t.sales_lead('won')), (2, 'archived', t.archived(t.sales_lead('new'))), (3, 'sale', t.lead('sale'))) x(n, s, id),
            lateral t.report(x.id, 'inbound_enquiry', '{"exclusion": "spam"}') r, lateral t.state(r.lead_id) l, lateral t.requests(r.lead_id) q order by x.n $$,
    $$ values ('won', 'noted', null::timestamptz, 'excluded'), ('archived', 'noted', null, 'excluded'), ('sale', 'noted', null, 'excluded') $$, 'and counted nowhere either');

-- test: noted when it is a competitor's
select t.account('competitor', 'rival.example');
select is(t.verdict(t.sales_lead('new'), 'inbound_enquiry', '{"email": "kim@rival.example"}'), 'noted excluded', 'known by the domain');

-- test: allowed is an enquiry without such a reason
select is(t.verdict(t.sales_lead('new'), 'inbound_enquiry', '{"name": "Kim"}'), 'applied', 'a field is filled');
select is(t.verdict(t.sales_lead('new'), 'inbound_enquiry', '{"message": "hello"}'), 'noted', 'a word is kept');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'inbound_enquiry', '{"exclusion": "spam"}') l;

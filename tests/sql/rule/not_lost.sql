-- Only what was lost is re-opened.
select t.here();

-- test: refused at every active stage, whatever it would be re-opened to
select results_eq(
    $$ select s, x, t.verdict(t.sales_lead(s), 'lead_reopened', jsonb_build_object('to_stage', x))
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n), unnest('{new,proposal,won,warm}'::text[]) with ordinality x(x, m) order by n, m $$,
    $$ select s, x, 'refused not_lost'
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n), unnest('{new,proposal,won,warm}'::text[]) with ordinality x(x, m) order by n, m $$,
    'it is open');

-- test: allowed when lost
select results_eq(
    $$ select r.verdict, r.to_stage, r.to_status from t.report(t.sales_lead('lost'), 'lead_reopened', '{"to_stage": "contacted"}') r $$,
    $$ values ('applied', 'contacted', 'active') $$, 'it is open again');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'lead_reopened', '{"to_stage": "new"}') l;

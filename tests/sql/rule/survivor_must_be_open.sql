-- A lead that is worked on goes on in a lead that is worked on: nothing is closed by merging.
select t.here();
select t.keep('open', t.sales_lead('qualified'));

-- test: refused into what is closed or archived, and the open lead goes on
select results_eq(
    $$ select s, t.verdict(t.kept('open'), 'leads_merged', jsonb_build_object('into', id))
       from (values (1, 'won', t.sales_lead('won')), (2, 'lost', t.sales_lead('lost')), (3, 'archived', t.archived(t.sales_lead('new'))), (4, 'sale', t.lead('sale'))) x(n, s, id) order by n $$,
    $$ select s, 'refused survivor_must_be_open' from unnest('{won,lost,archived,sale}'::text[]) s $$, 'four ends');
select results_eq($$ select stage, status, merged_into, version from t.state(t.kept('open')) $$, $$ values ('qualified', 'active', null::uuid, 1) $$, 'as it was');

-- test: refused in appointment, too
select is(t.verdict(t.lead('scheduled'), 'leads_merged', jsonb_build_object('into', t.lead('refused'))), 'refused survivor_must_be_open', 'an open one into a resolved one');

-- test: allowed is the closed one into the open one, and like into like
select results_eq(
    $$ select s, t.verdict(id, 'leads_merged', jsonb_build_object('into', t.kept('open')))
       from (values (1, 'won', t.sales_lead('won')), (2, 'lost', t.sales_lead('lost')), (3, 'archived', t.archived(t.sales_lead('new'))), (4, 'new', t.sales_lead('new'))) x(n, s, id) order by n $$,
    $$ select s, 'applied' from unnest('{won,lost,archived,new}'::text[]) s $$, 'the work goes on');
select is(t.verdict(t.sales_lead('lost'), 'leads_merged', jsonb_build_object('into', t.sales_lead('lost'))), 'applied', 'one loss into another');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('open'), 'leads_merged', jsonb_build_object('into', t.sales_lead('won'))) l;

-- A deal is opened of a lead that was qualified, and of no other (seed 003).
select t.here();

-- test: refused everywhere else, and no deal is opened
select results_eq(
    $$ select s, r.verdict || ' ' || r.rule, r.to_stage, l.opportunity_id
       from unnest('{new,accepted,attempting,connected,recycled,disqualified}'::text[]) with ordinality s(s, n),
            lateral t.report(t.qualification_lead(s), 'lead_converted') r, lateral t.state(r.lead_id) l order by n $$,
    $$ select s, 'refused conversion_needs_qualified', s, null::uuid from unnest('{new,accepted,attempting,connected,recycled,disqualified}'::text[]) s $$,
    'six stages');
select is_empty($$ select from leadline.opportunity_activity $$, 'no deal');

-- test: a lead of another workflow is told of its workflow
select is(t.verdict(t.sales_lead('qualified'), 'lead_converted'), 'refused wrong_workflow', 'a sales lead is its own deal');
select is(t.verdict(t.lead('scheduled'), 'lead_converted'), 'refused wrong_workflow', 'an appointment');

-- test: allowed from qualified
select t.keep('lead', t.qualification_lead('qualified'));
select is(t.verdict(t.kept('lead'), 'lead_converted'), 'applied', 'converted');
select is((t.deal((t.state(t.kept('lead'))).opportunity_id)).stage, 'evaluation', 'into a deal');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('connected'), 'lead_converted') l;

-- Sales accepts a lead before it qualifies it (seed 003).
select t.here();

-- test: refused while nobody accepted it, and nothing moves
select results_eq(
    $$ select s, p, r.verdict || ' ' || r.rule, r.to_stage, r.to_status
       from unnest('{new,attempting,connected}'::text[]) with ordinality s(s, n), unnest(array[t.confirmed(), '{}']) with ordinality p(p, m),
            lateral t.report(t.qualification_lead(s), 'lead_qualified', p) r order by n, m $$,
    $$ select s, p, 'refused qualified_needs_accept', s, 'open'
       from unnest('{new,attempting,connected}'::text[]) with ordinality s(s, n), unnest(array[t.confirmed(), '{}']) with ordinality p(p, m) order by n, m $$,
    'however far it came, and before its evidence is asked');
select t.keep('lead', t.qualification_lead('new'));
select t.report(t.kept('lead'), 'call_completed');
select is(t.verdict(t.kept('lead'), 'lead_qualified', t.confirmed()), 'refused qualified_needs_accept', 'a conversation is no acceptance');

-- test: refused again after it came back as new
select t.keep('lead', t.accepted(t.qualification_lead('new')));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "entered_by_mistake"}');
select is(t.verdict(t.kept('lead'), 'lead_qualified', t.confirmed()), 'refused qualified_needs_accept', 'corrected');
select t.keep('back', t.accepted(t.qualification_lead('new')));
select t.report(t.kept('back'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}');
select t.report(t.kept('back'), 'inbound_enquiry', '{"message": "after all"}');
select is(t.verdict(t.kept('back'), 'lead_qualified', t.confirmed()), 'refused qualified_needs_accept', 'recycled');

-- test: allowed once it is accepted, wherever it stands by then
select results_eq(
    $$ select s, r.verdict, r.to_stage, r.to_status
       from unnest('{new,attempting,connected}'::text[]) with ordinality s(s, n), lateral t.report(t.accepted(t.qualification_lead(s)), 'lead_qualified', t.confirmed()) r order by n $$,
    $$ select s, 'applied', 'qualified', 'closed' from unnest('{new,attempting,connected}'::text[]) s $$, 'from accepted, attempting, connected');

-- test: allowed in sales, which knows no acceptance
select is(t.verdict(t.sales_lead('new'), 'lead_qualified'), 'applied', 'another workflow');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('new'), 'lead_qualified', t.confirmed()) l;

-- A lead must have been contacted at least once before being marked unresponsive (seed 000).
select t.here();

-- test: refused from new
select is(t.verdict(t.lead('new'), 'unresponsive'), 'refused unresponsive_needs_contact', 'nobody has tried');
select is(t.verdict(t.created(), 'unresponsive'), 'refused unresponsive_needs_contact', 'nor with a lead created here');

-- test: allowed from every other open stage
select results_eq(
    $$ select stage, r.verdict, r.to_stage from unnest('{attempted,callback,scheduled,no_show}'::text[]) stage, lateral t.report(t.lead(stage), 'unresponsive') r $$,
    $$ select stage, 'applied', 'unresponsive' from unnest('{attempted,callback,scheduled,no_show}'::text[]) stage $$,
    'somebody tried');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'unresponsive') l;

-- A lead becomes one deal, however often its conversion is reported (seed 003).
select t.here();
select t.keep('lead', t.qualification_lead('qualified'));
select t.report(t.kept('lead'), 'lead_converted', '{"amount": 500, "currency": "EUR"}', 'c-1');
select t.keep('deal', (t.state(t.kept('lead'))).opportunity_id);

-- test: noted the second time, whatever it says
select results_eq(
    $$ select p, t.verdict(t.kept('lead'), 'lead_converted', p)
       from unnest(array['{}', '{"amount": 900, "currency": "EUR"}', '{"pipeline": "expansion"}', jsonb_build_object('opportunity_id', t.kept('deal'))]::jsonb[]) p $$,
    $$ select p, 'noted already_converted'
       from unnest(array['{}', '{"amount": 900, "currency": "EUR"}', '{"pipeline": "expansion"}', jsonb_build_object('opportunity_id', t.kept('deal'))]::jsonb[]) p $$,
    'it is');
select is((t.state(t.kept('lead'))).opportunity_id, t.kept('deal'), 'the same deal');
select results_eq(
    $$ select opportunity_id, amount::numeric, workflow from leadline.opportunities $$, $$ select t.kept('deal'), 500::numeric, 'new_business' $$, 'one deal, as it was');

-- test: noted also when it names another deal
select t.keep('other', t.opportunity());
select is(t.verdict(t.kept('lead'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('other'))), 'noted already_converted', 'it has one');
select is((t.state(t.kept('lead'))).opportunity_id, t.kept('deal'), 'which it keeps');

-- test: a repeat of the same report is the report itself
select results_eq(
    $$ select l.verdict, l.rule, l.replayed from leadline.log_activity(t.kept('lead'), 'lead_converted', '{"amount": 500, "currency": "EUR"}', 'c-1') l $$,
    $$ values ('applied', null::text, true) $$, 'applied, once');

-- test: allowed once more after it was undone
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "connected", "reason": "entered_by_mistake"}');
select t.report(t.kept('lead'), 'lead_qualified', t.confirmed());
select is(t.verdict(t.kept('lead'), 'lead_converted'), 'applied', 'anew');
select isnt((t.state(t.kept('lead'))).opportunity_id, t.kept('deal'), 'into another deal');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'lead_converted') l;

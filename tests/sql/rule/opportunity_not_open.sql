-- A lead joins a deal that is open: one that is decided or withdrawn takes nobody in (seed 003).
select t.here();

-- test: refused, and the lead belongs to no deal
select results_eq(
    $$ select s, r.verdict || ' ' || r.rule, l.opportunity_id
       from unnest('{closedwon,closedlost,withdrawn}'::text[]) with ordinality s(s, n), lateral (select t.opportunity(s) as id offset 0) o,
            lateral t.report(t.qualification_lead('qualified'), 'lead_converted', jsonb_build_object('opportunity_id', o.id)) r, lateral t.state(r.lead_id) l order by n $$,
    $$ select s, 'refused opportunity_not_open', null::uuid from unnest('{closedwon,closedlost,withdrawn}'::text[]) s $$, 'won, lost, withdrawn');

-- test: a deal that is not here is not there
select t.raises($$ select t.report(t.qualification_lead('qualified'), 'lead_converted', jsonb_build_object('opportunity_id', gen_random_uuid())) $$,
                'PT404', 'no_such_opportunity', 'unknown');

-- test: allowed into an open one
select results_eq(
    $$ select s, r.verdict, l.opportunity_id = o.id
       from unnest('{evaluation,proposal}'::text[]) with ordinality s(s, n), lateral (select t.opportunity(s) as id offset 0) o,
            lateral t.report(t.qualification_lead('qualified'), 'lead_converted', jsonb_build_object('opportunity_id', o.id)) r, lateral t.state(r.lead_id) l order by n $$,
    $$ select s, 'applied', true from unnest('{evaluation,proposal}'::text[]) s $$, 'both open stages');

-- test: said
select t.keep('deal', t.opportunity('closedlost'));
select t.speaks(l.sentence, l.hint)
from leadline.log_activity(t.qualification_lead('qualified'), 'lead_converted', jsonb_build_object('opportunity_id', t.kept('deal'))) l;

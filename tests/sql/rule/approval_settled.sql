-- A question is answered once: the second answer is kept and changes nothing (seed 002).
select t.here();

-- test: noted, whatever the first answer and the second
select results_eq(
    $$ select first, second, t.answer(a.id, first), t.answer(a.id, second), t.point((t.approval(a.id)).person_id), (t.approval(a.id)).status
       from unnest('{granted,declined}'::text[]) with ordinality f(first, n), unnest('{granted,declined}'::text[]) with ordinality s(second, m),
            lateral (select t.asked(t.person_at('opportunity')) as id where n * m > 0 offset 0) a order by n, m $$,
    $$ values ('granted', 'granted', 'applied', 'noted approval_settled', 'client', 'granted'), ('granted', 'declined', 'applied', 'noted approval_settled', 'client', 'granted'),
              ('declined', 'granted', 'noted', 'noted approval_settled', 'opportunity', 'declined'), ('declined', 'declined', 'noted', 'noted approval_settled', 'opportunity', 'declined') $$,
    'the first stands');

-- test: noted after the clock answered
select t.keep('approval', t.asked(t.person_at('opportunity')));
set local session authorization leadline_worker;
select leadline.run_job('approval_expiry', t.workspace(), '2999-01-01T00:30:00Z');
select t.act_as('admin');
select is(t.answer(t.kept('approval'), 'granted'), 'noted approval_settled', 'too late');
select is(t.point((t.approval(t.kept('approval'))).person_id), 'opportunity', 'nothing moves');

-- test: allowed is the first answer
select is(t.answer(t.asked(t.person_at('opportunity')), 'granted'), 'applied', 'yes');

-- test: said
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.answer(t.kept('approval'), 'declined');
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', (t.approval(t.kept('approval'))).person_id, 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'))) j;

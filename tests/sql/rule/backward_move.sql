-- Progress is not undone by a stray signal: at or behind where a person stands nothing moves unless a person asks for just that, and
-- says why (seed 002).
select t.here();

-- test: refused to a person who does not ask for it, and nothing moves
select results_eq(
    $$ select f, x, r.verdict || ' ' || r.rule, t.point(r.person_id)
       from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality f(f, n),
            unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality x(x, m),
            lateral t.report_on_person(t.person_at(f), 'relationship_advanced', jsonb_build_object('to', x, 'reason', 'they said so')) r
       where m <= n order by n, m $$,
    $$ select f, x, 'refused backward_move', f
       from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality f(f, n),
            unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality x(x, m)
       where m <= n order by n, m $$,
    'behind, and on the spot');
select is(t.advance(t.person_at('client'), 'qualified', '{"backward": false}'), 'refused backward_move', 'said no');
select is(t.advance(t.person_at('client'), 'qualified', '{"backward": null}'), 'refused backward_move', 'said nothing');

-- test: refused without a reason
select results_eq(
    $$ select p, t.verdict_on_person(t.person_at('client'), 'relationship_advanced', '{"to": "qualified", "backward": true}'::jsonb || p)
       from unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": " \t"}']::jsonb[]) p $$,
    $$ select p, 'refused backward_move' from unnest(array['{}', '{"reason": null}', '{"reason": ""}', '{"reason": " \t"}']::jsonb[]) p $$, 'a blank is none');

-- test: refused to an app, whatever it says
select t.keep('person', t.person_at('client'));
select t.act_as('app', '{act_as}');
select is(t.advance(t.kept('person'), 'qualified', '{"backward": true}'), 'refused backward_move', 'an app only moves forward');
select is(t.advance(t.kept('person'), 'client', '{"backward": true}'), 'refused backward_move', 'nor on the spot');

-- test: allowed to a person who asks for it and says why, and to an app that speaks for one
select results_eq(
    $$ select f, x, r.verdict, r.from_stage, r.to_stage, t.point(r.person_id)
       from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality f(f, n),
            unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality x(x, m),
            lateral t.report_on_person(t.person_at(f), 'relationship_advanced', jsonb_build_object('to', x, 'reason', 'entered by mistake', 'backward', true)) r
       where m < n order by n, m $$,
    $$ select f, x, 'applied', f, x, x
       from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality f(f, n),
            unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) with ordinality x(x, m)
       where m < n order by n, m $$,
    'any way back');
select t.keep('person', t.person_at('client'));
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person(t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "they left", "backward": true}', null, null, t.person('member')),
          'applied', 'for a member');

-- test: asked for on the spot, there is nothing to do
select is(t.advance(t.person_at('client'), 'client', '{"backward": true}'), 'noted already_there', 'it is there');

-- test: allowed is backward: true on a move forward, where it says nothing
select is(t.advance(t.person_at('qualified'), 'opportunity', '{"backward": true}'), 'applied', 'forward all the same');

-- test: allowed is anywhere out of not proceeding, which stands before everything
select results_eq(
    $$ select x, t.advance(t.person_at('closed'), x) from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) x $$,
    $$ select x, 'applied' from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) x $$, 'starting over is no step back');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', t.person_at('client'), 'relationship_advanced', '{"to": "qualified", "reason": "x"}') j;

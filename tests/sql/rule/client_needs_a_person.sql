-- Becoming a client is a commercial commitment: whoever is no person may propose it, and it waits for a person's yes (seed 002).
select t.here();

-- test: held from before client to client and beyond, and the person stays where they are
select results_eq(
    $$ select f, x, t.keep(f || '_' || x, t.person_at(f)) is not null
       from unnest('{closed,prospect,qualified,opportunity}'::text[]) f, unnest('{client,onboarding,active}'::text[]) x $$,
    $$ select f, x, true from unnest('{closed,prospect,qualified,opportunity}'::text[]) f, unnest('{client,onboarding,active}'::text[]) x $$, 'twelve people');
select t.act_as('app');
select results_eq(
    $$ select f, x, r.verdict || ' ' || r.rule, r.from_stage, r.to_stage, r.changes, t.point(r.person_id)
       from unnest('{closed,prospect,qualified,opportunity}'::text[]) f, unnest('{client,onboarding,active}'::text[]) x,
            lateral t.report_on_person(t.kept(f || '_' || x), 'relationship_advanced', jsonb_build_object('to', x, 'reason', 'they signed')) r $$,
    $$ select f, x, 'held client_needs_a_person', f, f, null::jsonb, f
       from unnest('{closed,prospect,qualified,opportunity}'::text[]) f, unnest('{client,onboarding,active}'::text[]) x $$,
    'no way round by going further');

-- test: held is a question somebody can answer
select t.keep('person', t.person_at('opportunity'));
select t.act_as('app');
select set_config('t.answer', leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "they signed"}')::text, true);
select is(current_setting('t.answer')::json ->> 'verdict', 'held', 'it waits');
select t.keep('approval', (current_setting('t.answer')::json ->> 'approval_id')::uuid);
select t.act_as('admin');
select results_eq(
    $$ select q.person_id, q.stage, q.to_stage, q.status, q.actor_kind from leadline.approval_queue q where q.approval_id = t.kept('approval') $$,
    $$ select t.kept('person'), 'opportunity', 'client', 'open', 'integration' $$, 'in the queue');

-- test: held is no refusal: a writer that prefers errors is told of none
select t.keep('person', t.person_at('opportunity'));
select t.act_as('app');
set local leadline.on_refusal = 'raise';
select is(t.advance(t.kept('person'), 'client'), 'held client_needs_a_person', 'a row');

-- test: held needs its reason first
select t.keep('person', t.person_at('opportunity'));
select t.act_as('app');
select is(t.advance(t.kept('person'), 'client', '{"reason": " "}'), 'refused reason_required', 'nobody approves for no reason');

-- test: allowed to a person, a member too, and to an app that speaks for one
select is(t.advance(t.person_at('opportunity'), 'client'), 'applied', 'an admin');
select t.keep('one', t.person_at('opportunity')), t.keep('two', t.person_at('prospect'));
select t.act_as('member');
select is(t.advance(t.kept('one'), 'client'), 'applied', 'a member');
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person(t.kept('two'), 'relationship_advanced', '{"to": "active", "reason": "signed"}', null, null, t.person('member')), 'applied', 'an app for a member');

-- test: allowed to an app once they are a client
select t.keep('one', t.person_at('client')), t.keep('two', t.person_at('onboarding'));
select t.act_as('app');
select is(t.advance(t.kept('one'), 'onboarding'), 'applied', 'onboarding');
select is(t.advance(t.kept('one'), 'active'), 'applied', 'active');
select is(t.advance(t.kept('two'), 'active'), 'applied', 'active');

-- test: allowed to an app below
select results_eq(
    $$ select f, t.keep(f, t.person_at(f)) is not null from unnest('{closed,prospect,qualified}'::text[]) f $$, $$ select f, true from unnest('{closed,prospect,qualified}'::text[]) f $$,
    'three people');
select t.act_as('app');
select results_eq(
    $$ select f, t.advance(t.kept(f), 'opportunity') from unnest('{closed,prospect,qualified}'::text[]) f $$, $$ select f, 'applied' from unnest('{closed,prospect,qualified}'::text[]) f $$,
    'forward by itself');

-- test: said
select t.keep('person', t.person_at('opportunity'));
select t.act_as('app');
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "they signed"}') j;

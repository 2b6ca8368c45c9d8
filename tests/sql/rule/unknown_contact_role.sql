-- What somebody has to do with a deal is one of twelve words, since it stays when the person is erased.
select t.here();
select t.keep('deal', t.opportunity()), t.keep('kim', t.someone('{"email": "kim@example.com"}'));
create function pg_temp.role(p_role text) returns text language sql as $$
    select t.verdict_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('kim'), 'role', p_role))
$$;

-- test: refused, and nobody joins
select is(pg_temp.role('Kim Jones, the boss'), 'refused unknown_contact_role', 'a description');
select is(pg_temp.role('Champion'), 'refused unknown_contact_role', 'letter for letter');
select ok(not (t.deal(t.kept('deal'))).contacts ? t.kept('kim')::text, 'nobody');
select is_empty($$ select from leadline.opportunity_activity a where a.payload::text like '%boss%' $$, 'what was said instead can be erased');

-- test: a role that is no text is malformed
select throws_ok($$ select t.report_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('kim'), 'role', 7)) $$, 'PT422', null, 'a number');

-- test: allowed are twelve, and none takes them off
select results_eq(
    $$ select x, pg_temp.role(x), (t.deal(t.kept('deal'))).contacts ->> t.kept('kim')::text
       from unnest('{buying contact,converted lead,champion,decision maker,economic buyer,executive sponsor,influencer,evaluator,end user,legal,blocker,other}'::text[])
            with ordinality x (x, n) order by n $$,
    $$ select x, 'applied', x
       from unnest('{buying contact,converted lead,champion,decision maker,economic buyer,executive sponsor,influencer,evaluator,end user,legal,blocker,other}'::text[]) x $$,
    'the list');
select is(pg_temp.role(null), 'applied', 'off');
select ok(not (t.deal(t.kept('deal'))).contacts ? t.kept('kim')::text, 'the deal');

-- test: said
select t.speaks(l ->> 'sentence', l ->> 'hint')
from leadline.log_in_journal('opportunity_activity', t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('kim'), 'role', 'boss')) l;

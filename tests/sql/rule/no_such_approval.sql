-- An answer names a question about this person (seed 004 rule 1.3).
select t.here();
select t.keep('person', t.person_at('opportunity')), t.keep('other', t.person_at('opportunity'));
select t.keep('approval', t.asked(t.kept('person')));

-- test: raised for one nobody asked, and for one about somebody else, alike
select t.raises(format('select t.report_on_person(t.kept(''person''), %L, %L)', 'approval_' || x, jsonb_build_object('approval_id', gen_random_uuid())), 'PT404', 'no_such_approval', x)
from unnest('{granted,declined}'::text[]) x;
select results_eq(
    $$ select c.* from t.caught($q$ select t.report_on_person(t.kept('other'), 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'))) $q$) c $$,
    $$ select c.* from t.caught($q$ select t.report_on_person(t.kept('other'), 'approval_granted', jsonb_build_object('approval_id', gen_random_uuid())) $q$) c $$,
    'word for word the same');
select is((t.approval(t.kept('approval'))).status, 'open', 'it waits on');

-- test: raised in another workspace, for the person as for the question
select t.act_as('superuser');
select leadline.add_member(t.elsewhere(), 'owner@here.example.com', 'owner');
select t.act_as('owner', '{}', t.elsewhere());
select throws_ok($$ select t.report_on_person(t.kept('person'), 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'))) $$, 'PT404', null, 'not there');
select is_empty($$ select from leadline.approval_queue $$, 'nor in the queue');

-- test: allowed is the person's own
select is(t.answer(t.kept('approval'), 'granted'), 'applied', 'yes');

-- test: said
select t.speaks(c.sentence, c.hint)
from t.caught($$ select t.report_on_person(t.kept('person'), 'approval_granted', jsonb_build_object('approval_id', gen_random_uuid())) $$) c;

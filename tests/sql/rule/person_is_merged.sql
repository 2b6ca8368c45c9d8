-- Who turned out to be somebody else is spoken of as that person.
select t.here();
select t.keep('person', t.person_at('qualified', '{"email": "kim@example.com"}')), t.keep('into', t.person_at('prospect', '{"email": "kim@work.example"}'));
select leadline.merge_people(t.kept('person'), t.kept('into'));

-- test: refused, whatever would move them, and before the word is read
select results_eq(
    $$ select type, payload, t.verdict_on_person(t.kept('person'), type, payload)
       from (values (1, 'relationship_advanced', '{"to": "opportunity", "reason": "x"}'::jsonb), (2, 'relationship_advanced', '{"to": "friend", "reason": "x"}'),
                    (3, 'relationship_advanced', '{"to": "opportunity"}'), (4, 'relationship_closed', '{"reason": "x"}')) x(n, type, payload) order by n $$,
    $$ select type, payload, 'refused person_is_merged'
       from (values (1, 'relationship_advanced', '{"to": "opportunity", "reason": "x"}'::jsonb), (2, 'relationship_advanced', '{"to": "friend", "reason": "x"}'),
                    (3, 'relationship_advanced', '{"to": "opportunity"}'), (4, 'relationship_closed', '{"reason": "x"}')) x(n, type, payload) order by n $$,
    'they are one with another');
select is(t.point(t.kept('person')), 'qualified', 'nothing moves');

-- test: allowed is the person they are, and they themselves once they are two again
select is(t.advance(t.kept('into'), 'opportunity'), 'applied', 'the one who goes on');
select leadline.unmerge_people(t.kept('person'));
select is(t.advance(t.kept('person'), 'opportunity'), 'applied', 'two again');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "opportunity", "reason": "x"}') j;

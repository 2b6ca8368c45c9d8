-- One question at a time: while the same move waits for an answer, it is not asked again (seed 002).
select t.here();
select t.keep('person', t.person_at('opportunity'));
select t.keep('approval', t.asked(t.kept('person')));

-- test: noted, and the queue holds one
select t.act_as('app');
select is(t.advance(t.kept('person'), 'client'), 'noted approval_pending', 'asked already');
select is(t.advance(t.kept('person'), 'client', '{"reason": "they signed again"}'), 'noted approval_pending', 'for another reason');
select results_eq($$ select q.approval_id, q.status from leadline.approval_queue q where q.person_id = t.kept('person') $$, $$ select t.kept('approval'), 'open' $$, 'one question');

-- test: noted when an outcome proposes it as well
select t.act_as('app');
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won', '{}', 'won');
select t.keep('winner', (t.state(t.kept('lead'))).person_id);
select is(t.advance(t.kept('winner'), 'client'), 'noted approval_pending', 'the win asked');

-- test: allowed for another destination, and for another person
select t.act_as('app');
select is(t.advance(t.kept('person'), 'active'), 'held client_needs_a_person', 'further on');
select t.act_as('admin');
select t.keep('other', t.person_at('opportunity'));
select t.act_as('app');
select is(t.advance(t.kept('other'), 'client'), 'held client_needs_a_person', 'somebody else');

-- test: allowed anew once it was answered
select is(t.answer(t.kept('approval'), 'declined'), 'noted', 'no');
select t.act_as('app');
select is(t.advance(t.kept('person'), 'client'), 'held client_needs_a_person', 'asked a second time');

-- test: allowed is the move itself by a person meanwhile
select is(t.advance(t.kept('person'), 'client'), 'applied', 'a person needs no approval');

-- test: said
select t.act_as('app');
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', t.kept('person'), 'relationship_advanced', '{"to": "client", "reason": "they signed"}') j;

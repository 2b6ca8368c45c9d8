-- A question that nobody answered in time is no longer answered with yes (seed 002).
select t.here();

-- test: refused though the clock has not come by yet, and the question is closed
select t.keep('person', t.person_at('opportunity'));
select t.keep('approval', t.outlasted(t.asked(t.kept('person'))));
select is(t.answer(t.kept('approval'), 'granted'), 'refused approval_has_expired', 'too late');
select results_eq($$ select (t.approval(t.kept('approval'))).status, t.point(t.kept('person')) $$, $$ values ('expired', 'opportunity') $$, 'closed, and nobody moved');
select is(t.answer(t.kept('approval'), 'granted'), 'noted approval_settled', 'and that was the answer');

-- test: who may not approve is told that first
select t.keep('approval', t.outlasted(t.asked(t.person_at('opportunity'))));
select t.act_as('member');
select is(t.answer(t.kept('approval'), 'granted'), 'refused approver_needed', 'a member');
select is((t.approval(t.kept('approval'))).status, 'open', 'and closes nothing');

-- test: allowed to decline, which moves nobody
select is(t.answer(t.outlasted(t.asked(t.person_at('opportunity'))), 'declined'), 'noted', 'no is no');

-- test: allowed in time
select is(t.answer(t.asked(t.person_at('opportunity')), 'granted'), 'applied', 'within the fortnight');

-- test: allowed anew: whoever asks again is heard, answered or not
select t.keep('one', t.person_at('opportunity')), t.keep('two', t.person_at('opportunity'));
select t.answer(t.outlasted(t.asked(t.kept('one'))), 'granted');
select is(t.answer(t.asked(t.kept('one')), 'granted'), 'applied', 'after the refusal');
select t.keep('old', t.outlasted(t.asked(t.kept('two'))));
select is(t.answer(t.asked(t.kept('two')), 'granted'), 'applied', 'in the place of the old question');
select is((t.approval(t.kept('old'))).status, 'expired', 'which had run out');

-- test: said
select t.keep('approval', t.outlasted(t.asked(t.person_at('opportunity'))));
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', (t.approval(t.kept('approval'))).person_id, 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'))) j;

-- A yes to what is no longer so moves nobody: the person stands further by now, or what asked was corrected (seed 002).
select t.here();

-- test: refused when the move is no longer forward, and the question is closed
create function pg_temp.stale(p_asked text, p_reached text) returns uuid language plpgsql as $$
declare
    v_person_id uuid := t.person_at('opportunity');
    v_approval_id uuid := t.asked(v_person_id, p_asked);
begin
    perform t.advance(v_person_id, p_reached);
    return v_approval_id;
end $$;
select results_eq(
    $$ select asked, reached, t.answer(a.id, 'granted'), t.point((t.approval(a.id)).person_id), (t.approval(a.id)).status
       from (values (1, 'client', 'client'), (2, 'client', 'active'), (3, 'onboarding', 'onboarding'), (4, 'onboarding', 'active')) x(n, asked, reached),
            lateral (select pg_temp.stale(asked, reached) as id offset 0) a order by n $$,
    $$ values ('client', 'client', 'refused approval_stale', 'client', 'stale'), ('client', 'active', 'refused approval_stale', 'active', 'stale'),
              ('onboarding', 'onboarding', 'refused approval_stale', 'onboarding', 'stale'), ('onboarding', 'active', 'refused approval_stale', 'active', 'stale') $$,
    'there already, or past it');

-- test: refused when the win that asked was corrected
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won');
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.keep('approval', t.open_question(t.kept('person')));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}');
select is(t.answer(t.kept('approval'), 'granted'), 'refused approval_stale', 'there is no sale');
select results_eq($$ select (t.approval(t.kept('approval'))).status, t.point(t.kept('person')) $$, $$ values ('stale', 'prospect') $$, 'closed, and nobody moved');

-- test: refused when the deal that asked was corrected
select t.keep('deal', t.opportunity('closedwon'));
select t.keep('approval', t.open_question((t.deal(t.kept('deal'))).person_id));
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}');
select is(t.answer(t.kept('approval'), 'granted'), 'refused approval_stale', 'it is not won');

-- test: refused when the win became a loss, or the sale was undone by hand
-- privileged: only a superuser can undo one by hand
select t.keep('lost', t.sales_lead('proposal')), t.keep('undone', t.lead('scheduled'));
select t.report(t.kept('lost'), 'deal_won'), t.report(t.kept('undone'), 'sale');
select t.report(t.kept('lost'), 'stage_corrected', '{"to_stage": "lost", "reason": "wrong_record", "lost_reason": "Price"}');
select t.act_as('superuser');
update leadline.leads set stage = 'scheduled', status = 'open', resolved_at = null where lead_id = t.kept('undone');
select t.act_as('admin');
select is(t.answer(t.open_question((t.state(t.kept(x))).person_id), 'granted'), 'refused approval_stale', x) from unnest('{lost,undone}'::text[]) x;

-- test: the refusal is kept as the answer, and a second answer is one too many
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.advance((t.approval(t.kept('approval'))).person_id, 'client');
select t.answer(t.kept('approval'), 'granted');
select is(t.answer(t.kept('approval'), 'granted'), 'noted approval_settled', 'answered');

-- test: allowed to decline all the same
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.advance((t.approval(t.kept('approval'))).person_id, 'client');
select is(t.answer(t.kept('approval'), 'declined'), 'noted', 'no is no');

-- test: allowed while the move is still forward, though the person moved on below it
select t.keep('approval', t.asked(t.person_at('prospect')));
select t.advance((t.approval(t.kept('approval'))).person_id, 'opportunity');
select is(t.answer(t.kept('approval'), 'granted'), 'applied', 'from where they are now');
select is(t.point((t.approval(t.kept('approval'))).person_id), 'client', 'a client');

-- test: allowed though the lead was put away since: it is won all the same
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won');
select t.archived(t.kept('lead'));
select is(t.answer(t.open_question((t.state(t.kept('lead'))).person_id), 'granted'), 'applied', 'archived');

-- test: allowed is the next question, to which one that could not be granted any more gives way
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won');
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.keep('old', t.open_question(t.kept('person')));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}');
select is(t.answer(t.asked(t.kept('person')), 'granted'), 'applied', 'asked anew');
select is((t.approval(t.kept('old'))).status, 'stale', 'the old one is closed');

-- test: allowed anew by a new cause
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}');
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select t.answer(t.open_question(t.kept('person')), 'granted');
select t.report(t.kept('lead'), 'deal_won');
select is(t.answer(t.open_question(t.kept('person')), 'granted'), 'applied', 'this time it is won');

-- test: said
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.advance((t.approval(t.kept('approval'))).person_id, 'client');
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', (t.approval(t.kept('approval'))).person_id, 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'))) j;

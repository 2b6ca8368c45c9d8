-- Whole lives of deals: opened, moved on by what the buyer confirmed, won, lost, put right; and who sees them (seed 003).
select t.here();
select t.keep('kim', t.someone('{"email": "kim@example.com"}'));
-- A deal opened here for Kim, at nine o'clock on 5 January 2026, by whoever acts.
create function pg_temp.opened(p_payload jsonb default '{}', p_reference text default null) returns uuid language sql as $$
    select r.opportunity_id from t.report_on_deal(null, 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', t.kept('kim')) || p_payload,
                                                  p_reference, '2026-01-05T09:00:00Z') r
$$;

-- test: evaluation, proposal, won, in either pipeline
select t.keep(p, pg_temp.opened(jsonb_build_object('pipeline', p))) from unnest('{new_business,expansion}'::text[]) p;
select results_eq(
    $$ select p, a.type, r.verdict, r.from_stage, r.to_stage, r.from_status, r.to_status, r.seq, r.version
       from unnest('{new_business,expansion}'::text[]) with ordinality p(p, m),
            (values (1, 'opportunity_advanced', t.packet(t.kept('kim'))), (2, 'opportunity_won', '{"amount": 1200.50, "currency": "EUR", "close_date": "2026-01-31"}'::jsonb)) a(n, type, payload),
            lateral t.report_on_deal(t.kept(p.p), a.type, a.payload, null, '2026-01-05T10:00:00Z'::timestamptz + a.n * interval '1 hour') r order by m, n $$,
    $$ select p, x.* from unnest('{new_business,expansion}'::text[]) with ordinality p(p, m),
              (values ('opportunity_advanced', 'applied', 'evaluation', 'proposal', 'open', 'open', 2, 2),
                  ('opportunity_won', 'applied', 'proposal', 'closedwon', 'open', 'won', 3, 3)) x order by m $$,
    'each step');
select results_eq(
    $$ select o.workflow, o.stage, o.status, o.stage_entered_at, o.won_at, o.lost_at, o.amount::numeric, o.currency::text, o.close_date, o.problem, o.decision_process, o.next_step, o.next_step_on,
              o.person_id, o.created_at
       from unnest('{new_business,expansion}'::text[]) p, lateral t.deal(t.kept(p)) o $$,
    $$ select p, 'closedwon', 'won', '2026-01-05T12:00:00Z'::timestamptz, '2026-01-05T12:00:00Z'::timestamptz, null::timestamptz, 1200.50, 'EUR', '2026-01-31'::date, 'too much paper',
    'the board decides',
              'a second meeting', '2026-03-01'::date, t.kept('kim'), '2026-01-05T09:00:00Z'::timestamptz from unnest('{new_business,expansion}'::text[]) p $$,
    'and the deal remembers what, when and for how much');

-- test: whoever it was opened for is a contact; others join with a role, change it, and leave
select t.keep('deal', pg_temp.opened());
select t.keep('lee', t.someone());
select is((t.deal(t.kept('deal'))).contacts ? t.kept('kim')::text, true, 'Kim');
select is(t.verdict_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('lee'), 'role', 'decision maker')), 'applied', 'Lee signs');
select is(t.verdict_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('lee'), 'role', 'decision maker')), 'noted no_change', 'once');
select is(t.verdict_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('lee'), 'role', 'champion')), 'applied', 'something else');
select is((t.deal(t.kept('deal'))).contacts ->> t.kept('lee')::text, 'champion', 'one role a person');
select is(t.verdict_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('lee'), 'role', null)), 'applied', 'leaves');
select is((t.deal(t.kept('deal'))).contacts ? t.kept('lee')::text, false, 'and is none');
select t.raises($$ select t.report_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', gen_random_uuid(), 'role', 'decision maker')) $$, 'PT404', 'no_such_person', 'nobody we know');

-- test: a proposal names its contact, who is one from then on
select t.keep('deal', pg_temp.opened());
select t.keep('lee', t.someone());
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.kept('lee')));
select is((t.deal(t.kept('deal'))).contacts ?& array[t.kept('kim')::text, t.kept('lee')::text], true, 'both');

-- test: nobody else opens one: unknown pipeline, unknown person, unknown owner
select t.raises($$ select pg_temp.opened('{"pipeline": "renewals"}') $$, 'PT422', 'unknown_workflow', 'a pipeline nobody knows');
select throws_ok(format('select pg_temp.opened(%L)', jsonb_build_object('pipeline', p)), 'PT422', null, p) from unnest('{sales,qualification,relationship,subscription}'::text[]) p;
select t.raises($$ select pg_temp.opened(jsonb_build_object('person_id', gen_random_uuid())) $$, 'PT404', 'no_such_person', 'a person nobody knows');
select t.raises($$ select pg_temp.opened(jsonb_build_object('assigned_user_id', gen_random_uuid())) $$, 'PT409', 'unknown_assignee', 'an owner nobody knows');
select throws_ok($$ select t.report_on_deal(null, 'opportunity_opened', '{"pipeline": "new_business"}') $$, 'PT422', null, 'for nobody');
select throws_ok($$ select t.report_on_deal(null, 'opportunity_won') $$, 'PT422', null, 'not by any other word');
select t.act_as('importer', '{import}');
select t.raises($$ select pg_temp.opened() $$, 'PT409', 'writer_not_allowed', 'an importer');
select t.act_as('ai');
select t.raises($$ select pg_temp.opened() $$, 'PT409', 'ai_forbidden', 'an assistant');
select t.act_as('admin');
select is_empty($$ select from leadline.opportunities $$, 'none was opened');

-- test: an opening sent twice is one deal, also without the call that answers
select t.keep('deal', pg_temp.opened('{"amount": 5, "currency": "EUR"}', 'o-1'));
select is_empty($$ insert into leadline.opportunity_activity (activity_type, payload, reference)
                   values ('opportunity_opened', jsonb_build_object('pipeline', 'expansion', 'person_id', t.kept('kim')), 'o-1') returning verdict $$, 'no row');
select results_eq(
    $$ select (j ->> 'opportunity_id')::uuid, j ->> 'verdict', (j ->> 'replayed')::bool
       from leadline.log_in_journal('opportunity_activity', null, 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', t.kept('kim')), 'o-1') j $$,
    $$ values (t.kept('deal'), 'applied', true) $$, 'the original');
select is((select count(*) from leadline.opportunities), 1::bigint, 'one deal');

-- test: a deal of a person who was merged is the one's who goes on
select t.keep('other', t.someone('{"email": "kim@work.example"}'));
select leadline.merge_people(t.kept('kim'), t.kept('other'));
select is((t.deal(pg_temp.opened())).person_id, t.kept('other'), 'who they are');

-- test: money is exact, and in the workspace's currency when none is said
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"currency": "SEK"}');
select results_eq(
    $$ select o.amount::text, o.currency::text from unnest(array['{"amount": 0.1}', '{"amount": 123456789012345.67, "currency": "USD"}', '{}']::jsonb[]) with ordinality p(p, n),
           lateral t.deal(pg_temp.opened(p)) o
       order by n $$,
    $$ values ('0.1', 'SEK'), ('123456789012345.67', 'USD'), (null, null) $$, 'to the last cent');
select throws_ok(format('select pg_temp.opened(%L)', jsonb_build_object('amount', v, 'currency', 'EUR')), 'PT422', null, v::text)
from unnest(array['"NaN"', '"Infinity"', '-1', '"12"', 'true', '[]', '1e400']::jsonb[]) v;
select throws_ok($$ select pg_temp.opened('{"amount": 5, "currency": "euro"}') $$, 'PT422', null, 'no currency');

-- test: an amount may be changed, emptied, and of what is won by an owner or admin alone
select t.keep('deal', pg_temp.opened('{"amount": 5, "currency": "EUR", "close_date": "2026-12-01"}'));
select results_eq(
    $$ select r.verdict, r.changes from unnest(array['{"amount": 7}', '{"amount": 7, "currency": "USD"}', '{"amount": null}']::jsonb[]) with ordinality p(p, n),
              lateral t.report_on_deal(t.kept('deal'), 'amount_changed', p) r order by n $$,
    $$ values ('applied', '{"amount": [5, 7]}'::jsonb), ('applied', '{"currency": ["EUR", "USD"]}'), ('applied', '{"amount": [7, null]}') $$, 'old and new');
select t.keep('won', t.opportunity('closedwon'));
select t.act_as('owner');
select is(t.verdict_on_deal(t.kept('won'), 'amount_changed', '{"amount": 900, "currency": "EUR"}'), 'applied', 'an owner');
select is((t.deal(t.kept('won'))).amount::numeric, 900::numeric, 'counted so');

-- test: every way of losing has its time and its reason, letter for letter
select results_eq(
    $$ select s, x, o.status, o.lost_at, o.lost_reason::text
       from unnest('{evaluation,proposal}'::text[]) with ordinality s(s, n),
            unnest('{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed,Other}'::text[]) with ordinality x(x, m),
            lateral t.report_on_deal(t.opportunity(s), 'opportunity_lost', jsonb_build_object('lost_reason', x, 'notes', 'her cousin does it'), null, '2026-01-09T12:00:00Z') r,
                lateral t.deal(r.opportunity_id) o
       order by n, m $$,
    $$ select s, x, 'lost', '2026-01-09T12:00:00Z'::timestamptz, x
       from unnest('{evaluation,proposal}'::text[]) with ordinality s(s, n), unnest('{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed,Other}'::text[]) with ordinality x(x,
           m) order by n, m $$,
    'seven');

-- test: what was wrong is put right, and leaves nothing of what it was
select t.keep('deal', t.opportunity('closedwon'));
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}', null, '2026-02-01T10:00:00Z');
select results_eq(
    $$ select o.stage, o.status, o.won_at, o.amount::numeric, o.stage_entered_at from t.deal(t.kept('deal')) o $$,
    $$ values ('proposal', 'open', null::timestamptz, 1000::numeric, '2026-02-01T10:00:00Z'::timestamptz) $$, 'not won');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_won', '{"amount": 1100}'), 'applied', 'and won after all');
select is((select sum(o.amount::numeric) from leadline.opportunities o where o.status = 'won'), 1100::numeric, 'counted once');
select t.keep('deal', t.opportunity('closedwon'));
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "closedlost", "reason": "wrong_record", "lost_reason": "Other", "notes": "signed elsewhere"}', null, '2026-02-01T10:00:00Z');
select results_eq(
    $$ select o.stage, o.status, o.won_at, o.lost_at, o.lost_reason::text from t.deal(t.kept('deal')) o $$,
    $$ values ('closedlost', 'lost', null::timestamptz, '2026-02-01T10:00:00Z'::timestamptz, 'Other') $$, 'a win that was a loss');
select t.keep('deal', t.opportunity('proposal'));
select t.report_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Price", "notes": "too dear"}');
select is(t.verdict_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}'), 'applied', 'a loss that was none');
select results_eq($$ select o.status, o.lost_at, o.lost_reason::text, o.lost_notes from t.deal(t.kept('deal')) o $$,
    $$ values ('open', null::timestamptz, null::text, null::text) $$, 'without a trace on the deal');

-- test: the history has both: what was said first, and what was said then
select t.keep('deal', t.opportunity('proposal'));
select t.report_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Price"}');
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "data_repair"}');
select results_eq(
    $$ select l.seq, l.activity_type, l.verdict, l.from_stage, l.to_stage from leadline.opportunity_timeline l where l.opportunity_id = t.kept('deal') order by l.seq $$,
    $$ values (1, 'opportunity_opened', 'applied', 'evaluation', 'evaluation'), (2, 'opportunity_advanced', 'applied', 'evaluation', 'proposal'),
           (3, 'opportunity_lost', 'applied', 'proposal', 'closedlost'),
              (4, 'stage_corrected', 'applied', 'closedlost', 'evaluation') $$, 'in the order of decisions');

-- test: refusals are kept
select t.keep('deal', pg_temp.opened());
select t.report_on_deal(t.kept('deal'), 'opportunity_won');
select t.report_on_deal(t.kept('deal'), 'opportunity_lost');
select results_eq(
    $$ select l.activity_type, l.rule, l.from_stage from leadline.opportunity_timeline l where l.opportunity_id = t.kept('deal') and l.verdict = 'refused' order by l.seq $$,
    $$ values ('opportunity_won', 'won_needs_proposal', 'evaluation'), ('opportunity_lost', 'lost_reason_required', 'evaluation') $$, 'with their rules');
set local leadline.on_refusal = 'raise';
select t.raises($$ select t.report_on_deal(t.kept('deal'), 'opportunity_won') $$, 'PT409', 'won_needs_proposal', 'or raised, where that is preferred');
select is((t.deal(t.kept('deal'))).seq, 3, 'without a row');

-- test: an app may speak for a person, and then it brings evidence
select t.keep('deal', pg_temp.opened());
select t.act_as('app', '{act_as}');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.kept('kim')), null, null, t.person('member')), 'applied', 'the member''s word');
select is((select a.actor_id from leadline.opportunity_activity a where a.opportunity_id = t.kept('deal') and a.seq = 2), t.person('member'), 'signed so');

-- test: a member sees the deals assigned to them, and nobody's as the settings have it
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('theirs', pg_temp.opened(jsonb_build_object('assigned_user_id', t.person('admin')))), t.keep('mine', pg_temp.opened(jsonb_build_object('assigned_user_id', t.person('member')))),
       t.keep('nobodys', pg_temp.opened());
create function pg_temp.seen() returns text[] language sql as $$
    select array_agg(x order by x) from unnest('{mine,theirs,nobodys}'::text[]) x where t.kept(x) in (select o.opportunity_id from leadline.opportunities o)
$$;
select t.act_as('member');
select is(pg_temp.seen(), '{mine}', 'their own');
select results_eq($$ select o.opportunity_id from leadline.opportunity_overview o $$, $$ select t.kept('mine') $$, 'opportunity_overview');
select results_eq($$ select o.opportunity_id from leadline.opportunity_contacts o $$, $$ select t.kept('mine') $$, 'opportunity_contacts');
select results_eq($$ select distinct l.opportunity_id from leadline.opportunity_timeline l $$, $$ select t.kept('mine') $$, 'opportunity_timeline');
select throws_ok($$ select t.report_on_deal(t.kept('theirs'), 'opportunity_lost', '{"lost_reason": "Price"}') $$, 'PT404', null, 'nor does anything with another''s');
select throws_ok($$ select t.report_on_deal(t.kept('nobodys'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('member'))) $$, 'PT404', null, 'nor takes nobody''s');
select is(t.verdict_on_deal(t.kept('mine'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.person('admin'))), 'applied', 'theirs they may give away');
select is(pg_temp.seen(), null, 'and it is out of sight');
select t.act_as('admin');
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_unassigned": true}');
select t.act_as('member');
select is(pg_temp.seen(), '{nobodys}', 'nobody''s, when the settings say so');
select t.act_as('app');
select is(pg_temp.seen(), '{mine,nobodys,theirs}', 'an app sees all');
select t.act_as('app', '{}', t.elsewhere());
select is(pg_temp.seen(), null, 'another workspace none');

-- test: a member opens deals of people they see, and they are theirs
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('mine', t.someone(jsonb_build_object('assigned_user_id', t.person('member'))));
select t.act_as('member');
select t.keep('deal', pg_temp.opened(jsonb_build_object('person_id', t.kept('mine'))));
select is((t.deal(t.kept('deal'))).assigned_user_id, t.person('member'), 'whoever opens it');
select t.raises($$ select pg_temp.opened() $$, 'PT404', 'no_such_person', 'not of whom they do not see');

-- test: one who leaves the team leaves their deals to the heir, or to nobody
select t.keep('deal', pg_temp.opened(jsonb_build_object('assigned_user_id', t.person('member'))));
select leadline.deactivate_member(t.workspace(), t.person('member'), t.person('owner'));
select is((t.deal(t.kept('deal'))).assigned_user_id, t.person('owner'), 'the heir''s');
select t.keep('deal', pg_temp.opened(jsonb_build_object('assigned_user_id', t.person('owner'))));
select t.act_as('superuser');
select t.keep('new', leadline.add_member(t.workspace(), 'new@here.example.com', 'member'));
select t.act_as('admin');
select t.report_on_deal(t.kept('deal'), 'opportunity_assigned', jsonb_build_object('assigned_user_id', t.kept('new')));
select leadline.deactivate_member(t.workspace(), t.kept('new'));
select is((t.deal(t.kept('deal'))).assigned_user_id, null, 'nobody''s');

-- test: what the buyer said is personal: in no journal, and not for an analyst without contacts
select t.keep('deal', pg_temp.opened());
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.kept('kim')) || '{"rumour": "her boss leaves"}');
select t.report_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Other", "notes": "her cousin does it"}');
select is_empty($$ select a.seq from leadline.opportunity_activity a where a.opportunity_id = t.kept('deal') and to_jsonb(a)::text ~ 'paper|board|second meeting|cousin|boss' $$, 'not in the journal');
select is((select l.payload ->> 'problem' from leadline.opportunity_timeline l where l.opportunity_id = t.kept('deal') and l.seq = 2), 'too much paper', 'in the timeline');
select results_eq($$ select c.problem, c.decision_process, c.next_step, c.lost_notes from leadline.opportunity_contacts c where c.opportunity_id = t.kept('deal') $$,
                  $$ values ('too much paper', 'the board decides', 'a second meeting', 'her cousin does it') $$, 'in opportunity_contacts');
select t.act_as('analyst');
select is((select o.stage from leadline.opportunity_overview o where o.opportunity_id = t.kept('deal')), 'closedlost', 'an analyst sees the deal');
select is_empty($$ select from leadline.opportunity_contacts $$, 'and no word of it');
select is(has_column_privilege('leadline_reader', 'leadline.opportunities', x, 'select'), false, 'nor in the table: ' || x) from unnest('{problem,decision_process,next_step,lost_notes}'::text[]) x;
select is_empty($$ select l.seq from leadline.opportunity_timeline l where l.payload ?| '{problem,decision_process,next_step,notes,rumour}' or jsonb_typeof(l.changes -> 'problem') = 'array' $$,
    'nor in the timeline');

-- test: whoever is erased leaves the deal and takes the words
select t.keep('deal', pg_temp.opened('{"amount": 5, "currency": "EUR", "close_date": "2026-12-01"}'));
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.kept('kim')));
select leadline.erase_person(t.kept('kim'), 'she asked');
select results_eq(
    $$ select o.stage, o.amount::numeric, o.problem, o.decision_process, o.next_step from t.deal(t.kept('deal')) o $$,
    $$ values ('proposal', 5::numeric, null::text, null::text, null::text) $$, 'money counts on');

-- test: nobody changes a deal or its history past the journal
select t.keep('deal', pg_temp.opened());
select throws_ok($$ update leadline.opportunities set stage = 'closedwon' $$, '42501', null, 'a deal');
select throws_ok($$ insert into leadline.opportunities (workspace_id, workflow) values (t.workspace(), 'new_business') $$, '42501', null, 'none is made up');
select throws_ok($$ delete from leadline.opportunity_activity $$, '42501', null, 'no history is lost');

-- test: nor the owner of the tables; a hand's change of a deal is written down
-- privileged: only a superuser can try
select t.keep('deal', pg_temp.opened('{"amount": 5, "currency": "EUR"}'));
select t.act_as('superuser');
select throws_ok($$ update leadline.opportunity_activity set verdict = 'refused' where opportunity_id = t.kept('deal') $$, 'PT405', null, 'changed');
select throws_ok($$ truncate leadline.opportunity_activity $$, 'PT405', null, 'emptied');
select throws_ok($$ update leadline.opportunities set stage = 'closedlost' where opportunity_id = t.kept('deal') $$, '23503', null, 'no stage without its status');
update leadline.opportunities set amount = 7, problem = 'rats' where opportunity_id = t.kept('deal');
select t.act_as('admin');
select results_eq(
    $$ select a.activity_type, a.writer, a.changes from leadline.opportunity_activity a where a.opportunity_id = t.kept('deal') and a.seq = 2 $$,
    $$ values ('direct_change', 'workflow:direct-change', '{"amount": [5, 7], "problem": true}'::jsonb) $$, 'old and new, personal text by its name');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');

-- test: three steps of one transaction stand in their order
select t.keep('deal', pg_temp.opened());
insert into leadline.opportunity_activity (opportunity_id, activity_type, payload, occurred_at)
select t.kept('deal'), x, p, '2026-01-06T10:00:00Z'
from (values (1, 'opportunity_advanced', t.packet(t.kept('kim'))), (2, 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-01-06"}'::jsonb),
    (3, 'amount_changed', '{"amount": 6}')) y(n, x, p) order by n;
select results_eq(
    $$ select l.seq, l.activity_type, l.version from leadline.opportunity_timeline l where l.opportunity_id = t.kept('deal') order by l.seq $$,
    $$ values (1, 'opportunity_opened', 1), (2, 'opportunity_advanced', 2), (3, 'opportunity_won', 3), (4, 'amount_changed', 4) $$, 'at the same instant');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.keep('deal', pg_temp.opened('{"amount": 0.30, "currency": "EUR"}'));
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(t.someone()));
select t.report_on_deal(t.kept('deal'), 'opportunity_won', '{"amount": 5.10, "close_date": "2026-01-06", "approve": true}');
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "closedlost", "reason": "other", "notes": "x", "lost_reason": "Price"}');
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "other", "notes": "y"}');
select t.report_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', t.kept('kim'), 'role', null));
select t.opportunity('withdrawn'), t.opportunity('closedwon', '{}', 'expansion');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

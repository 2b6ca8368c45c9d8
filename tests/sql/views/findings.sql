-- What a reviewer should look at (seed 003): each kind planted and found, with its measure kept to the letter; and nothing found where all is well.
select t.here();
-- What is found in this workspace: the model's own findings are its tests' matter.
create function pg_temp.found(p_finding text default null)
returns table (finding text, subject_kind text, subject_id text, severity text, first_at timestamptz, last_at timestamptz, occurrences int, detail text) language sql as $$
    select f.finding, f.subject_kind, f.subject_id, f.severity, f.first_at, f.last_at, f.occurrences, f.detail from leadline.findings f
    where f.workspace_id = t.workspace() and f.finding = coalesce(p_finding, f.finding) order by f.finding, f.subject_kind, f.subject_id, f.detail
$$;

-- test: a clean workspace: whole lives of a lead, a deal, a person and a customer, and nothing to look at
select t.keep('lead', t.enquiry('{"workflow": "qualification", "email": "kim@example.com", "request_class": "demo"}', '2026-01-05T09:00:00Z'));
select t.report(t.kept('lead'), x.type, x.payload, null, '2026-01-05T09:00:00Z'::timestamptz + n * interval '1 hour')
from (values (1, 'request_accepted', '{}'::jsonb), (2, 'call_completed', '{}'), (3, 'lead_qualified', t.confirmed()), (4, 'lead_converted', '{"amount": 500, "close_date": "2026-02-01"}')) x(n, type, payload);
select t.opportunity('closedwon'), t.opportunity('closedlost'), t.sales_lead('won'), t.sales_lead('lost'), t.person_at('client'), t.person_at('closed'), t.subscription('cancelled');
select t.report(t.lead('scheduled'), 'duplicate', jsonb_build_object('duplicate_of', t.lead('attempted')));
select t.report(t.sales_lead('proposal'), 'deal_lost', format('{"lost_reason": "%s"}', r)::jsonb) from unnest('{Price,Timing}'::text[]) r;
select t.report(t.sales_lead('contacted'), 'dnc');
select is_empty($$ select * from pg_temp.found() $$, 'nothing');

-- test: T03: a person's correction of a lead and of a deal, a relationship moved back
select t.keep('lead', t.sales_lead('proposal')), t.keep('deal', t.opportunity('closedwon')), t.keep('person', t.person_at('client'));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "qualified", "reason": "wrong_record"}', null, '2026-01-02T10:00:00Z');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "new", "reason": "data_repair"}', null, '2026-01-03T10:00:00Z');
select t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "entered_by_mistake"}', null, '2026-01-04T10:00:00Z');
select t.advance(t.kept('person'), 'qualified', '{"backward": true}', '2026-01-05T10:00:00Z');
select results_eq(
    $$ select f.subject_kind, f.subject_id, f.severity, f.first_at, f.last_at, f.occurrences, f.detail from pg_temp.found('T03_manual_reversal') f $$,
    $$ values ('lead', t.kept('lead')::text, 'warn', '2026-01-02T10:00:00Z'::timestamptz, '2026-01-03T10:00:00Z'::timestamptz, 2, 'Moved back by a person, last from qualified to new (data_repair)'),
              ('opportunity', t.kept('deal')::text, 'warn', '2026-01-04T10:00:00Z', '2026-01-04T10:00:00Z', 1, 'Moved back by a person, last from closedwon to evaluation (entered_by_mistake)'),
              ('person', t.kept('person')::text, 'warn', '2026-01-05T10:00:00Z', '2026-01-05T10:00:00Z', 1, 'Moved back by a person, last from client to qualified') $$,
    'once a subject, in words that a reviewer can follow, and without what was said in private');

-- test: T03 is none where nothing was moved back: refused, closed, come back, reopened, undone by itself
select t.report(t.sales_lead('proposal'), 'stage_corrected', '{"to_stage": "won", "reason": "wrong_record"}');
select t.report(t.qualification_lead('new'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}');
select t.keep('person', t.person_at('qualified'));
select t.report_on_person(t.kept('person'), 'relationship_closed', '{"reason": "no need"}'), t.advance(t.kept('person'), 'prospect');
select t.report(t.sales_lead('lost'), 'lead_reopened', '{"to_stage": "new"}');
select is_empty($$ select * from pg_temp.found('T03_manual_reversal') $$, 'forward, out, in again');
select t.opportunity('withdrawn');
select results_eq($$ select f.subject_kind, f.occurrences from pg_temp.found('T03_manual_reversal') f $$, $$ values ('lead', 1) $$, 'the lead was moved back; its opportunity followed by itself');

-- test: T10: more than two entries into a stage within any 90 days of 24 hours, to the second
create function pg_temp.comes_and_goes(p_last timestamptz) returns uuid language plpgsql as $$
declare
    v_lead_id uuid := t.created(jsonb_build_object('workflow', 'sales', 'email', gen_random_uuid() || '@example.com'), '2026-01-01T12:00:00Z');
begin
    perform t.report(v_lead_id, 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-02T12:00:00Z');
    perform t.report(v_lead_id, 'lead_reopened', '{"to_stage": "new"}', null, '2026-01-03T12:00:00Z');
    perform t.report(v_lead_id, 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-04T12:00:00Z');
    perform t.report(v_lead_id, 'lead_reopened', '{"to_stage": "new"}', null, p_last);
    return v_lead_id;
end $$;
select t.keep('within', pg_temp.comes_and_goes('2026-04-01T12:00:00Z')), t.keep('beyond', pg_temp.comes_and_goes('2026-04-01T12:00:01Z'));
select results_eq(
    $$ select f.subject_kind, f.subject_id, f.severity, f.first_at, f.last_at, f.occurrences, f.detail from pg_temp.found('T10_loop') f $$,
    $$ values ('lead', t.kept('within')::text, 'warn', '2026-01-01T12:00:00Z'::timestamptz, '2026-04-01T12:00:00Z'::timestamptz, 3, 'Entered new more than twice within 90 days') $$,
    'its making is the first entry; lost was entered twice');
select t.report(t.kept('beyond'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-04-02T12:00:00Z');
select results_eq($$ select f.occurrences, f.detail from pg_temp.found('T10_loop') f where f.subject_id = t.kept('beyond')::text $$,
                  $$ values (3, 'Entered lost more than twice within 90 days') $$, 'a row a stage');
select t.report(t.kept('beyond'), 'lead_reopened', '{"to_stage": "new"}', null, '2026-04-03T12:00:00Z');
select results_eq($$ select f.occurrences, f.first_at from pg_temp.found('T10_loop') f where f.subject_id = t.kept('beyond')::text and f.detail like '% new %' $$,
                  $$ values (3, '2026-01-03T12:00:00Z'::timestamptz) $$, 'any 90 days: the first entry belongs to no loop');

-- test: T10 of deals and of people, each in its own journal
select t.keep('deal', t.opportunity('proposal')), t.keep('person', t.person_at('qualified'));
select t.report_on_deal(t.kept('deal'), x.type, x.payload, null, '2026-01-02T12:00:00Z'::timestamptz + n * interval '24 hours')
from (values (1, 'stage_corrected', '{"to_stage": "evaluation", "reason": "data_repair"}'::jsonb), (2, 'opportunity_advanced', '{"to_stage": "proposal"}'),
             (3, 'stage_corrected', '{"to_stage": "evaluation", "reason": "data_repair"}')) x(n, type, payload);
select t.advance(t.kept('person'), x.s, '{"backward": true}', '2026-01-02T12:00:00Z'::timestamptz + n * interval '24 hours') from unnest('{prospect,qualified,prospect,qualified}'::text[]) with ordinality x(s, n);
select results_eq(
    $$ select f.subject_kind, f.subject_id, f.occurrences, f.detail from pg_temp.found('T10_loop') f $$,
    $$ values ('opportunity', t.kept('deal')::text, 3, 'Entered evaluation more than twice within 90 days'), ('person', t.kept('person')::text, 3, 'Entered qualified more than twice within 90 days') $$,
    'a prospect who never moved had not entered yet');

-- test: other over a tenth: of rejections, of losses (leads and deals together), of recycles, in a month
create function pg_temp.choose(p_list text, p_times int, p_others int, p_at timestamptz) returns void language plpgsql as $$
declare
    v_payload jsonb;
begin
    for n in 1..p_times loop
        v_payload := case when n > p_others then '{"reason": "no_budget", "lost_reason": "Price"}' else '{"reason": "other", "lost_reason": "Other", "notes": "so they said"}' end;
        case p_list
            when 'rejection' then perform t.report(t.qualification_lead(), 'request_rejected', v_payload, null, p_at);
            when 'recycle' then perform t.report(t.qualification_lead(), 'lead_recycled', v_payload || '{"recycle_on": "2027-01-01"}', null, p_at);
            when 'lost' then perform t.report(t.sales_lead('proposal'), 'deal_lost', v_payload, null, p_at);
            when 'deals' then perform t.report_on_deal(t.opportunity(), 'opportunity_lost', v_payload, null, p_at);
        end case;
    end loop;
end $$;
select pg_temp.choose(l, 10, 1, '2026-01-10T12:00:00Z') from unnest('{rejection,recycle}'::text[]) l;
select pg_temp.choose('lost', 6, 1, '2026-01-10T12:00:00Z'), pg_temp.choose('deals', 4, 0, '2026-01-11T12:00:00Z');
select is_empty($$ select * from pg_temp.found() $$, 'a tenth is not over it');
select pg_temp.choose(l, 9, 1, '2026-02-10T12:00:00Z') from unnest('{rejection,recycle}'::text[]) l;
select pg_temp.choose('lost', 6, 0, '2026-02-10T12:00:00Z'), pg_temp.choose('deals', 3, 1, '2026-02-11T12:00:00Z');
select results_eq(
    $$ select f.finding, f.subject_kind, f.subject_id, f.severity, f.first_at, f.last_at, f.occurrences, f.detail from pg_temp.found() f $$,
    $$ select 'other_over_a_tenth', 'reason_list', l || ' 2026-02', 'warn', at, at, 1, format('"other" is 1 of 9 in the list %s in 2026-02: rewrite the list', l)
       from (values ('lost', '2026-02-11T12:00:00Z'::timestamptz), ('recycle', '2026-02-10T12:00:00Z'), ('rejection', '2026-02-10T12:00:00Z')) x(l, at) $$,
    'one in nine is; losses of leads and of deals are from one list');

-- test: the month is the workspace's
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "Asia/Ho_Chi_Minh"}');
select t.report(t.sales_lead('proposal'), 'deal_lost', '{"lost_reason": "Other", "notes": "moved away"}', null, '2026-01-31T18:00:00Z');
select results_eq($$ select f.subject_id from pg_temp.found() f $$, $$ values ('lost 2026-02') $$, 'one in the night of the first of February');

-- test: who asked to be left alone chose no reason; a reason that is put right later was still chosen
select t.report(t.sales_lead('contacted'), 'dnc');
select is_empty($$ select * from pg_temp.found() $$, 'Leadline wrote Other, nobody chose it');
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Other", "notes": "moved away"}', null, '2026-01-10T12:00:00Z');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Timing"}', null, '2026-01-11T12:00:00Z');
select t.keep('recycled', t.qualification_lead());
select t.report(t.kept('recycled'), 'lead_recycled', format('{"reason": "%s", "recycle_on": "2027-01-01"}', r)::jsonb, null, '2026-01-10T12:00:00Z') from unnest('{bad_timing,no_response}'::text[]) r;
select t.report(t.kept('recycled'), 'lead_recycled', '{"reason": "other", "notes": "on leave", "recycle_on": "2027-01-01"}', null, '2026-01-11T12:00:00Z');
select results_eq($$ select f.occurrences, f.detail from pg_temp.found() f $$, $$ values (1, '"other" is 1 of 1 in the list lost in 2026-01: rewrite the list') $$, 'one loss, one choice; one recycling, and no other');

-- test: a duplicate that names no other lead
select t.keep('lead', t.lead('scheduled')), t.keep('imported', t.lead('duplicate'));
select t.report(t.kept('lead'), 'duplicate', '{}', null, '2026-01-02T10:00:00Z');
select results_eq(
    $$ select f.finding, f.subject_kind, f.severity, f.first_at, f.last_at, f.occurrences from pg_temp.found() f order by f.first_at $$,
    $$ values ('duplicate_without_duplicate_of', 'lead', 'info', '2026-01-01T12:00:00Z'::timestamptz, '2026-01-01T12:00:00Z'::timestamptz, 1),
              ('duplicate_without_duplicate_of', 'lead', 'info', '2026-01-02T10:00:00Z', '2026-01-02T10:00:00Z', 1) $$, 'by import and by report');

-- test: a change by hand, in any table that a journal owns
select t.keep('lead', t.lead()), t.keep('person', t.someone()), t.keep('deal', t.opportunity()), t.keep('subscription', t.subscription());
select t.act_as('superuser');
update leadline.leads set deal_value = 7, currency = 'EUR' where lead_id = t.kept('lead');
update leadline.leads set deal_value = 8 where lead_id = t.kept('lead');
update leadline.people set stage = 'qualified' where person_id = t.kept('person');
update leadline.opportunities set close_date = '2026-03-01' where opportunity_id = t.kept('deal');
update leadline.subscriptions set plan = 'gold' where subscription_id = t.kept('subscription');
update leadline.workspaces set country = 'DE' where workspace_id = t.workspace();
select t.act_as('admin');
select results_eq(
    $$ select f.finding, f.subject_kind, f.subject_id, f.severity, f.occurrences, f.detail ~ ('^Changed past the journal by \w+: ' || x.fields || '$'), f.first_at <= f.last_at
       from pg_temp.found() f join (values ('lead', 'currency, deal_value'), ('opportunity', 'close_date'), ('person', 'stage'), ('subscription', 'plan'), ('workspace', 'country')) x(kind, fields)
         on x.kind = f.subject_kind $$,
    $$ values ('direct_change', 'lead', t.kept('lead')::text, 'high', 2, true, true), ('direct_change', 'opportunity', t.kept('deal')::text, 'high', 1, true, true),
              ('direct_change', 'person', t.kept('person')::text, 'high', 1, true, true), ('direct_change', 'subscription', t.kept('subscription')::text, 'high', 1, true, true),
              ('direct_change', 'workspace', t.workspace()::text, 'high', 1, true, true) $$, 'who did it and which columns, not what they hold');

-- test: everybody reads the findings of what they see: analysts all, members their leads, another workspace none
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"members_see_all": false, "members_see_unassigned": false}');
select t.keep('mine', t.lead('duplicate', jsonb_build_object('assigned_user_id', t.person('member')))), t.keep('theirs', t.lead('duplicate', jsonb_build_object('assigned_user_id', t.person('admin'))));
select t.act_as('analyst');
select set_eq($$ select f.subject_id from pg_temp.found() f $$, $$ values (t.kept('mine')::text), (t.kept('theirs')::text) $$, 'an analyst');
select t.act_as('member');
select set_eq($$ select f.subject_id from pg_temp.found() f $$, $$ values (t.kept('mine')::text) $$, 'a member');
select t.act_as('app', '{}', t.elsewhere());
select is_empty($$ select * from leadline.findings f where f.workspace_id is not null $$, 'elsewhere');

-- test: what lint_model() finds in the model is everybody's, and stands beside the workspaces'
select results_eq(
    $$ select f.finding, f.subject_kind, f.subject_id, f.severity, f.first_at, f.occurrences, f.detail from leadline.findings f where f.workspace_id is null order by 1, 3, 7 $$,
    $$ select l.finding, 'model', l.subject, l.severity, null::timestamptz, 1, l.detail from leadline.lint_model(leadline.stage_model_document()) l order by 1, 3, 7 $$, 'as it says');

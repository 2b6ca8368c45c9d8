-- Whole lives of sales leads, from enquiry to won or lost and back again.
select t.here();

-- A sales lead created here at nine o'clock on 5 January 2026 by whoever acts.
create function pg_temp.born(p_payload jsonb default '{}') returns uuid language sql as $$
    select t.created('{"workflow": "sales", "email": "kim@example.com"}'::jsonb || p_payload, '2026-01-05T09:00:00Z')
$$;
-- What a lead has done since it was created: type, verdict and rule of every row after the first.
create function pg_temp.story(p_lead_id uuid) returns text[] language sql as $$
    select array_agg(concat_ws(' ', a.activity_type, a.verdict, a.rule) order by a.seq)
    from leadline.lead_activity a where a.lead_id = p_lead_id and a.seq > 1
$$;

-- test: the path of seed 004: new, contacted, qualified, proposal, won
select t.keep('lead', pg_temp.born());
select results_eq(
    $$ select a.type, r.verdict, r.from_stage, r.to_stage, r.from_status, r.to_status, r.seq, r.version
       from (values (1, 'call_completed', '{}'::jsonb), (2, 'lead_qualified', '{}'), (3, 'proposal_sent', '{"deal_value": 1200.50, "currency": "EUR"}'),
                    (4, 'deal_won', '{}')) a(n, type, payload),
            lateral t.report(t.kept('lead'), a.type, a.payload, null, '2026-01-05T10:00:00Z'::timestamptz + a.n * interval '1 hour') r $$,
    $$ values ('call_completed', 'applied', 'new', 'contacted', 'active', 'active', 2, 2),
              ('lead_qualified', 'applied', 'contacted', 'qualified', 'active', 'active', 3, 3),
              ('proposal_sent', 'applied', 'qualified', 'proposal', 'active', 'active', 4, 4),
              ('deal_won', 'applied', 'proposal', 'won', 'active', 'won', 5, 5) $$,
    'each step as the diagram draws it');
select results_eq(
    $$ select workflow, stage, status, is_open, stage_entered_at, won_at, lost_at, lost_reason, deal_value, currency, first_contacted_at, response_time
       from t.state(t.kept('lead')) $$,
    $$ values ('sales', 'won', 'won', false, '2026-01-05T14:00:00Z'::timestamptz, '2026-01-05T14:00:00Z'::timestamptz, null::timestamptz, null::text,
               1200.50, 'EUR', '2026-01-05T11:00:00Z'::timestamptz, interval '2 hours') $$,
    'and the lead remembers when');
select results_eq(
    $$ select stage, entered_at, left_at from leadline.stage_history where lead_id = t.kept('lead') order by seq limit 2 $$,
    $$ values ('new', '2026-01-05T09:00:00Z'::timestamptz, '2026-01-05T11:00:00Z'::timestamptz),
              ('contacted', '2026-01-05T11:00:00Z', '2026-01-05T12:00:00Z') $$,
    'time in stage follows what happened');

-- test: the pipeline, as seed 004 names it
select t.keep('open', t.sales_lead('proposal')), t.keep('won', t.sales_lead('won')), t.keep('other', t.lead('scheduled'));
select results_eq(
    $$ select p.pipeline_stage, p.status, p.deal_value, p.currency::text from leadline.sales_pipeline p
       where p.lead_id in (t.kept('open'), t.kept('won'), t.kept('other')) order by 1 $$,
    $$ values ('proposal', 'active', 1000::numeric, 'EUR'), ('won', 'won', 1000, 'EUR') $$, 'sales leads alone');

-- test: a workspace may sell by default
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"default_workflow": "sales"}');
select results_eq($$ select workflow, stage, status from t.state(t.created('{"email": "kim@example.com"}')) $$, $$ values ('sales', 'new', 'active') $$, 'new and active');
insert into leadline.leads (source, email, deal_value) values ('fair', 'lee@example.com', 900);
select results_eq(
    $$ select workflow, stage, status, deal_value from leadline.lead_overview where source = 'fair' $$,
    $$ values ('sales', 'new', 'active', 900::numeric) $$, 'inserted bare, too');

-- test: the first contact is locked, whatever comes after
select t.keep('lead', pg_temp.born());
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:30:00Z');
select t.report(t.kept('lead'), 'meeting_held', '{}', null, '2026-01-06T09:00:00Z');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Timing"}', null, '2026-01-07T09:00:00Z');
select t.report(t.kept('lead'), 'lead_reopened', '{"to_stage": "new"}', null, '2026-01-08T09:00:00Z');
select is(t.verdict(t.kept('lead'), 'call_completed', '{}', null, '2026-01-09T09:00:00Z'), 'applied', 'contacted a second time');
select results_eq(
    $$ select stage, first_contacted_at, response_time from t.state(t.kept('lead')) $$,
    $$ values ('contacted', '2026-01-05T09:30:00Z'::timestamptz, interval '30 minutes') $$, 'answered once, after half an hour');

-- test: a person who skips contacted has been in contact
select results_eq(
    $$ select x.type, l.stage, l.first_contacted_at, l.response_time
       from (values (1, 'lead_qualified', '{}'::jsonb), (2, 'proposal_sent', '{"deal_value": 5, "currency": "EUR"}')) x(n, type, payload),
            lateral t.report(pg_temp.born(jsonb_build_object('email', x.n || '@example.com')), x.type, x.payload, null, '2026-01-05T09:20:00Z') r,
            lateral t.state(r.lead_id) l $$,
    $$ values ('lead_qualified', 'qualified', '2026-01-05T09:20:00Z'::timestamptz, interval '20 minutes'),
              ('proposal_sent', 'proposal', '2026-01-05T09:20:00Z', interval '20 minutes') $$,
    'and is clocked');

-- test: an app that skips contacted has told nobody's first contact
select t.keep('lead', pg_temp.born());
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'lead_qualified', '{}', null, '2026-01-05T09:20:00Z'), 'applied', 'it may');
select results_eq(
    $$ select stage, first_contacted_at, response_time from t.state(t.kept('lead')) $$,
    $$ values ('qualified', null::timestamptz, null::interval) $$, 'but nobody spoke');
select t.act_as('admin');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T09:50:00Z');
select is((t.state(t.kept('lead'))).response_time, interval '50 minutes', 'until somebody did');

-- test: no first contact comes out of a loss
select t.keep('lead', pg_temp.born());
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "No Response"}', null, '2026-01-05T10:00:00Z');
select is((t.state(t.kept('lead'))).first_contacted_at, null, 'lost is not past contacted');

-- test: a response time is never negative
select t.keep('lead', pg_temp.born());
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-05T08:00:00Z');
select is((t.state(t.kept('lead'))).response_time, null, 'a call before the enquiry is no answer to it');

-- test: stage, status and closing time move together
select t.keep('won', t.sales_lead('proposal')), t.keep('lost', t.sales_lead('proposal'));
select t.report(t.kept('won'), 'deal_won', '{"deal_value": 1500, "currency": "EUR"}', null, '2026-01-05T10:00:00Z');
select results_eq(
    $$ select stage, status, won_at, lost_at, deal_value from t.state(t.kept('won')) $$,
    $$ values ('won', 'won', '2026-01-05T10:00:00Z'::timestamptz, null::timestamptz, 1500::numeric) $$, 'won, for what it was won');
select t.report(t.kept('lost'), 'deal_lost', '{"lost_reason": "Competitor", "notes": "cheaper"}', null, '2026-01-05T10:00:00Z');
select results_eq(
    $$ select stage, status, won_at, lost_at, lost_reason from t.state(t.kept('lost')) $$,
    $$ values ('lost', 'lost', null::timestamptz, '2026-01-05T10:00:00Z'::timestamptz, 'Competitor') $$, 'lost, for what reason');
select results_eq(
    $$ select a.changes - 'lost_notes' from leadline.lead_activity a where a.lead_id = t.kept('lost') and a.activity_type = 'deal_lost' $$,
    $$ values ('{"stage": ["proposal", "lost"], "status": ["active", "lost"], "lost_at": [null, "2026-01-05T10:00:00.000000Z"], "lost_reason": [null, "Competitor"]}'::jsonb) $$,
    'in one row');
select is((select a.changes -> 'lost_notes' from leadline.lead_activity a where a.lead_id = t.kept('lost') and a.activity_type = 'deal_lost'), 'true',
          'the notes by name only');

-- test: every way of losing, from every stage, has its time and its reason
select results_eq(
    $$ select x.type, s.stage, l.stage, l.lost_at, l.lost_reason
       from (values (1, 'deal_lost', '{"lost_reason": "Price"}'::jsonb), (2, 'dnc', '{}')) x(n, type, payload),
            unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(stage, m),
            lateral t.report(t.sales_lead(s.stage), x.type, x.payload, null, '2026-01-09T12:00:00Z') r, lateral t.state(r.lead_id) l
       order by x.n, s.m $$,
    $$ select x.type, s.stage, 'lost', '2026-01-09T12:00:00Z'::timestamptz, x.reason
       from (values (1, 'deal_lost', 'Price'), (2, 'dnc', 'Other')) x(n, type, reason), unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(stage, m)
       order by x.n, s.m $$,
    'lost_at is when it happened');

-- test: a loss without a reason is refused and kept; in a batch it costs the others nothing
select t.keep('one', t.sales_lead('new')), t.keep('two', t.sales_lead('new')), t.keep('three', t.sales_lead('new'));
select is(t.verdict(t.kept('one'), 'deal_lost'), 'refused lost_reason_required', 'alone');
select results_eq(
    $$ select stage, status, version, seq from t.state(t.kept('one')) $$, $$ values ('new', 'active', 1, 2) $$, 'untouched, and the refusal recorded');
select results_eq(
    $$ select b.result ->> 'verdict', b.result ->> 'rule' from leadline.log_activities(jsonb_build_array(
           jsonb_build_object('lead_id', t.kept('one'), 'activity_type', 'deal_lost', 'payload', '{"lost_reason": "Price"}'::jsonb),
           jsonb_build_object('lead_id', t.kept('two'), 'activity_type', 'deal_lost', 'payload', '{}'::jsonb),
           jsonb_build_object('lead_id', t.kept('three'), 'activity_type', 'deal_lost', 'payload', '{"lost_reason": "Timing"}'::jsonb))) b order by b.item $$,
    $$ values ('applied', null), ('refused', 'lost_reason_required'), ('applied', null) $$, 'two applied, one refused');
select t.act_as('ai');
select is(t.verdict(t.kept('two'), 'deal_lost'), 'refused ai_forbidden', 'an assistant is refused before its reason is asked');
select t.act_as('admin');
select results_eq(
    $$ select p, t.verdict(t.kept('two'), 'deal_lost', p)
       from (values (1, '{"lost_reason": "Other"}'::jsonb), (2, '{"lost_reason": "Other", "notes": null}'), (3, '{"lost_reason": "Other", "notes": ""}'),
                    (4, '{"lost_reason": "Other", "notes": "   "}'), (5, '{"lost_reason": "price "}'), (6, '{"lost_reason": "PRICE"}'),
                    (7, '{"lost_reason": "Too expensive"}')) x(n, p) order by n $$,
    $$ values ('{"lost_reason": "Other"}'::jsonb, 'refused notes_required'), ('{"lost_reason": "Other", "notes": null}', 'refused notes_required'),
              ('{"lost_reason": "Other", "notes": ""}', 'refused notes_required'), ('{"lost_reason": "Other", "notes": "   "}', 'refused notes_required'),
              ('{"lost_reason": "price "}', 'refused unknown_lost_reason'), ('{"lost_reason": "PRICE"}', 'refused unknown_lost_reason'),
              ('{"lost_reason": "Too expensive"}', 'refused unknown_lost_reason') $$,
    'no notes are no notes, and no spelling is a code but its own');
select is(t.stage(t.kept('two')), 'new', 'and the lead stands where it stood');

-- test: a lost lead comes back by four doors and is the same lead behind each
create function pg_temp.back(p_door text) returns uuid language plpgsql as $$
declare
    v_email text := p_door || '@example.com';
    v_lead_id uuid := t.sales_lead('qualified', jsonb_build_object('email', v_email, 'deal_value', 700, 'currency', 'EUR'));
begin
    perform t.report(v_lead_id, 'deal_lost', '{"lost_reason": "Price", "notes": "too dear"}', null, '2026-01-03T10:00:00Z');
    case p_door
        when 'reopened' then perform t.report(v_lead_id, 'lead_reopened', '{"to_stage": "new"}', null, '2026-01-05T10:00:00Z');
        when 'by_id' then perform t.report(v_lead_id, 'inbound_enquiry', '{"message": "again"}', null, '2026-01-05T10:00:00Z');
        when 'by_match' then perform t.enquiry(jsonb_build_object('email', upper(v_email), 'message', 'again'), '2026-01-05T10:00:00Z');
        when 'bare' then insert into leadline.lead_activity (activity_type, payload, occurred_at)
            values ('inbound_enquiry', jsonb_build_object('email', v_email), '2026-01-05T10:00:00Z');
        when 'logged' then perform leadline.log_activity(null, 'inbound_enquiry', jsonb_build_object('email', v_email), p_occurred_at => '2026-01-05T10:00:00Z');
        when 'corrected' then perform t.report(v_lead_id, 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}', null, '2026-01-05T10:00:00Z');
    end case;
    return v_lead_id;
end $$;
select results_eq(
    $$ select door, l.stage, l.status, l.is_open, l.stage_entered_at, l.lost_reason, l.lost_at, l.won_at, l.deal_value, l.currency, l.seq, l.version
       from unnest('{reopened,by_id,by_match,bare,logged,corrected}'::text[]) door, lateral t.state(pg_temp.back(door)) l $$,
    $$ select door, 'new', 'active', true, '2026-01-05T10:00:00Z'::timestamptz, null::text, null::timestamptz, null::timestamptz, 700::numeric, 'EUR', 4, 3
       from unnest('{reopened,by_id,by_match,bare,logged,corrected}'::text[]) door $$,
    'identical rows');
select is_empty(
    $$ select c.lost_notes from leadline.lead_contacts c where c.email like '%@example.com' and c.lost_notes is not null $$, 'and no notes of a loss left');

-- test: each way back is told, once, after what caused it, and the loss stays in history
create function pg_temp.back(p_door text) returns uuid language plpgsql as $$
declare
    v_lead_id uuid := t.sales_lead('lost', jsonb_build_object('email', p_door || '@example.com'));
begin
    case p_door
        when 'reopened' then perform t.report(v_lead_id, 'lead_reopened', '{"to_stage": "qualified"}');
        when 'enquiry' then perform t.report(v_lead_id, 'inbound_enquiry', '{"message": "again"}');
        when 'corrected' then perform t.report(v_lead_id, 'stage_corrected', '{"to_stage": "contacted", "reason": "wrong_record"}');
    end case;
    return v_lead_id;
end $$;
select t.keep(door, pg_temp.back(door)) from unnest('{reopened,enquiry,corrected}'::text[]) door;
select results_eq(
    $$ select door, a.seq, a.actor_kind, a.to_stage, a.caused_by = c.activity_id,
              c.changes -> 'lost_reason', c.changes -> 'lost_at' -> 1, c.changes -> 'status'
       from unnest('{reopened,enquiry,corrected}'::text[]) with ordinality d(door, n)
       join leadline.lead_activity a on a.lead_id = t.kept(d.door) and a.activity_type = 'lead_resurrected'
       join leadline.lead_activity c on c.lead_id = t.kept(d.door) and c.seq = 2 order by d.n $$,
    $$ values ('reopened', 3, 'system', 'qualified', true, '["Price", null]'::jsonb, 'null'::jsonb, '["lost", "active"]'::jsonb),
              ('enquiry', 3, 'system', 'new', true, '["Price", null]', 'null', '["lost", "active"]'),
              ('corrected', 3, 'system', 'contacted', true, '["Price", null]', 'null', '["lost", "active"]') $$,
    'lead_resurrected');
select results_eq(
    $$ select door, h.stage, h.status from unnest('{reopened,enquiry,corrected}'::text[]) with ordinality d(door, n)
       join leadline.stage_history h on h.lead_id = t.kept(d.door) and h.seq = 1 order by d.n $$,
    $$ select door, 'lost', 'lost' from unnest('{reopened,enquiry,corrected}'::text[]) door $$, 'it was lost once');

-- test: a lost lead comes back to any active stage, with what that stage needs
select results_eq(
    $$ select s, x.type, r.verdict, r.rule, r.to_stage, r.to_status
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n), unnest('{lead_reopened,stage_corrected}'::text[]) with ordinality x(type, m),
            lateral t.report(t.sales_lead('lost', '{"deal_value": 5, "currency": "EUR"}'), x.type, jsonb_build_object('to_stage', s, 'reason', 'data_repair')) r
       order by m, n $$,
    $$ select s, x.type, 'applied', null, s, 'active'
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n), unnest('{lead_reopened,stage_corrected}'::text[]) with ordinality x(type, m)
       order by m, n $$,
    'four stages');
select t.keep('lead', t.sales_lead('lost'));
select t.report(t.kept('lead'), 'lead_reopened', '{"to_stage": "contacted"}', null, '2026-01-05T10:00:00Z');
select results_eq(
    $$ select stage, first_contacted_at from t.state(t.kept('lead')) $$,
    $$ values ('contacted', '2026-01-05T10:00:00Z'::timestamptz) $$, 'contacted by the person who said so');

-- test: lost, back, lost again: the second loss stands, the first is history
select t.keep('lead', t.sales_lead('lost'));
select t.report(t.kept('lead'), 'lead_reopened', '{"to_stage": "qualified"}', null, '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Timing"}', null, '2026-01-06T10:00:00Z');
select results_eq(
    $$ select stage, lost_reason, lost_at from t.state(t.kept('lead')) $$,
    $$ values ('lost', 'Timing', '2026-01-06T10:00:00Z'::timestamptz) $$, 'the second');
select is(array(select h.stage from leadline.stage_history h where h.lead_id = t.kept('lead') order by h.seq), '{lost,qualified,lost}', 'all three');

-- test: a corrected win is no second win, and a corrected loss no second loss
select t.keep('lead', t.sales_lead('proposal'));
select t.report(t.kept('lead'), 'deal_won', '{}', null, '2026-01-05T10:00:00Z');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "proposal", "reason": "entered_by_mistake"}', null, '2026-01-06T10:00:00Z');
select results_eq(
    $$ select stage, status, is_open, won_at, deal_value from t.state(t.kept('lead')) $$,
    $$ values ('proposal', 'active', true, null::timestamptz, 1000::numeric) $$, 'as if it had not been won');
select is((select coalesce(sum(p.deal_value), 0) from leadline.sales_pipeline p where p.lead_id = t.kept('lead') and p.status = 'won'), 0::numeric, 'no revenue');
select t.report(t.kept('lead'), 'deal_won', '{"deal_value": 1100, "currency": "EUR"}', null, '2026-01-07T10:00:00Z');
select is(pg_temp.story(t.kept('lead')), '{deal_won applied,stage_corrected applied,deal_won applied}', 'won, re-opened, won, and nothing beside');
select results_eq(
    $$ select stage, won_at from t.state(t.kept('lead')) $$, $$ values ('won', '2026-01-07T10:00:00Z'::timestamptz) $$, 'won when it was won');
select is((select sum(p.deal_value) from leadline.sales_pipeline p where p.lead_id = t.kept('lead') and p.status = 'won'), 1100::numeric, 'counted once');

-- test: a win that was a loss
select t.keep('lead', t.sales_lead('won'));
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "lost", "reason": "wrong_record", "lost_reason": "Other", "notes": "signed elsewhere"}', null, '2026-01-06T10:00:00Z');
select results_eq(
    $$ select stage, status, won_at, lost_at, lost_reason from t.state(t.kept('lead')) $$,
    $$ values ('lost', 'lost', null::timestamptz, '2026-01-06T10:00:00Z'::timestamptz, 'Other') $$, 'lost, and not won');
select is((select c.lost_notes from leadline.lead_contacts c where c.lead_id = t.kept('lead')), 'signed elsewhere', 'with its notes');
select is(pg_temp.story(t.kept('lead')), '{stage_corrected applied}', 'nobody rose from the dead');

-- test: archived and back, everything is where it was
select results_eq(
    $$ select s, l.stage, l.status, l.is_open, l.stage_entered_at, l.first_contacted_at, l.deal_value, l.won_at, l.lost_at, l.lost_reason
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n), lateral t.report(t.archived(t.sales_lead(s)), 'lead_unarchived') r,
            lateral t.state(r.lead_id) l order by n $$,
    $$ select s, l.stage, l.status, l.is_open, l.stage_entered_at, l.first_contacted_at, l.deal_value, l.won_at, l.lost_at, l.lost_reason
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n), lateral t.state(t.sales_lead(s)) l order by n $$,
    'as if nothing had happened');

-- test: no edit is without its trace, one row a field, old and new
select t.keep('one', t.sales_lead('proposal')), t.keep('two', t.sales_lead('proposal')), t.keep('three', t.sales_lead('proposal'));
select t.report(t.kept('one'), 'deal_lost', '{"lost_reason": "Price"}', null, '2026-01-05T10:00:00Z');
select leadline.log_activities(jsonb_build_array(
    jsonb_build_object('lead_id', t.kept('two'), 'activity_type', 'lead_assigned', 'payload', jsonb_build_object('assigned_user_id', t.person('member'))),
    jsonb_build_object('lead_id', t.kept('two'), 'activity_type', 'deal_value_changed', 'payload', '{"deal_value": 1500, "currency": "EUR"}'::jsonb)));
select results_eq(
    $$ select field, old_value, new_value from leadline.activities where lead_id = t.kept('one') and event_type = 'deal_lost' order by field $$,
    $$ values ('lost_at', null::jsonb, '"2026-01-05T10:00:00.000000Z"'::jsonb), ('lost_reason', null, '"Price"'), ('stage', '"proposal"', '"lost"'), ('status', '"active"', '"lost"') $$,
    'one by one');
select results_eq(
    $$ select field, old_value, new_value from leadline.activities where lead_id = t.kept('two') and event_type in ('lead_assigned', 'deal_value_changed') order by field $$,
    $$ select 'assigned_user_id', null::jsonb, to_jsonb(t.person('member')) union all select 'deal_value', '1000', '1500' $$, 'in a batch');
select t.act_as('superuser');
update leadline.leads set stage = 'lost', status = 'lost', lost_at = '2026-01-06T10:00:00Z', lost_reason = 'Timing', deal_value = null, currency = null,
    assigned_user_id = t.person('admin') where lead_id = t.kept('three');
update leadline.leads set lost_reason = 'Timing' where lead_id = t.kept('three');
select t.act_as('admin');
select results_eq(
    $$ select field, old_value, new_value from leadline.activities
       where lead_id = t.kept('three') and event_type = 'direct_change' and field in ('stage', 'status', 'assigned_user_id', 'deal_value', 'lost_reason') order by field $$,
    $$ select 'assigned_user_id', null::jsonb, to_jsonb(t.person('admin')) union all select 'deal_value', '1000', null
       union all select 'lost_reason', null, '"Timing"' union all select 'stage', '"proposal"', '"lost"' union all select 'status', '"active"', '"lost"' $$,
    'by hand, to nothing too');
select is((t.state(t.kept('three'))).seq, 2, 'and a change of nothing leaves nothing');
select results_eq(
    $$ select field, new_value from leadline.activities where lead_id = t.kept('one') and event_type = 'lead_imported' and field in ('stage', 'status', 'deal_value') order by field $$,
    $$ values ('deal_value', '1000'::jsonb), ('stage', '"proposal"'), ('status', '"active"') $$, 'an import begins its history');

-- test: money is exact
select t.keep('lead', pg_temp.born('{"deal_value": 0.1, "currency": "EUR"}'));
select is((t.state(t.kept('lead'))).deal_value, 0.1::numeric, 'at birth');
select t.report(t.kept('lead'), 'proposal_sent', '{"deal_value": 123456789012345.67, "currency": "EUR"}');
select is((t.state(t.kept('lead'))).deal_value, 123456789012345.67::numeric, 'to the last cent');
select t.report(t.kept('lead'), 'deal_won', '{"deal_value": 0.30, "currency": "EUR"}');
select is((select sum(p.deal_value)::text from leadline.sales_pipeline p where p.lead_id = t.kept('lead')), '0.30', 'as it was written');

-- test: what is no money is malformed, wherever it stands
select t.keep('lead', t.sales_lead('proposal'));
select results_eq(
    $$ select v::text, a, (select c.sqlstate_ || ' ' || c.rule from t.caught(format('select t.report(%L, %L, %L)', case when a like '%!' then t.kept('lead') end, rtrim(a, '!'),
           jsonb_build_object('workflow', 'sales', 'email', 'lee@example.com', 'currency', 'EUR', 'deal_value', v))) c)
       from unnest(array['"NaN"', '"Infinity"', '"-Infinity"', '-1', '-0.01', '"12"', 'true', '[]', '1e400']::jsonb[]) with ordinality x(v, n),
            unnest('{deal_value_changed!,proposal_sent!,deal_won!,lead_created,inbound_enquiry}'::text[]) with ordinality y(a, m) order by n, m $$,
    $$ select v::text, a, 'PT422 value_malformed'
       from unnest(array['"NaN"', '"Infinity"', '"-Infinity"', '-1', '-0.01', '"12"', 'true', '[]', '1e400']::jsonb[]) with ordinality x(v, n),
            unnest('{deal_value_changed!,proposal_sent!,deal_won!,lead_created,inbound_enquiry}'::text[]) with ordinality y(a, m) order by n, m $$,
    'not a number, endless, less than nothing');
select is((t.state(t.kept('lead'))).seq, 1, 'and leaves no row');

-- test: no hand writes such money either
-- privileged: only a superuser can try
select t.keep('lead', t.sales_lead('proposal'));
select t.act_as('superuser');
select throws_ok(format('update leadline.leads set deal_value = %L where lead_id = %L', v, t.kept('lead')), '23514', null, v)
from unnest('{NaN,Infinity,-1}'::text[]) v;

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.keep('lead', pg_temp.born('{"name": "Kim"}'));
select t.report(t.kept('lead'), 'call_completed');
select t.report(t.kept('lead'), 'proposal_sent', '{"deal_value": 5, "currency": "EUR"}');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Other", "notes": "moved away"}');
select t.report(t.kept('lead'), 'inbound_enquiry', '{"message": "moved back", "company": "Kim AB"}');
select t.report(t.kept('lead'), 'proposal_sent', '{"deal_value": 6, "currency": "EUR"}');
select t.report(t.kept('lead'), 'deal_won');
select t.report(t.archived(t.kept('lead')), 'lead_unarchived');
select t.report(t.kept('lead'), 'stage_corrected', '{"to_stage": "lost", "reason": "other", "notes": "x", "lost_reason": "Price"}');
select t.report(t.kept('lead'), 'lead_reopened', '{"to_stage": "proposal"}');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- The arrows are what happens: each of them is tried, and so is every other destination that an activity could name.
select t.here();

create function pg_temp.subject(p_workflow text, p_stage text) returns uuid language plpgsql as $$
declare
    v_id uuid;
begin
    case p_workflow
        when 'appointment' then return t.lead(p_stage);
        when 'sales' then return t.sales_lead(p_stage, '{"deal_value": 1000, "currency": "EUR"}');
        when 'qualification' then
            v_id := t.qualification_lead(p_stage);
            return case when p_stage in ('attempting', 'connected') then t.accepted(v_id) else v_id end;
        when 'relationship' then return t.person_at(p_stage);
        when 'subscription' then return t.subscription(p_stage);
        else
            if p_stage <> 'closedlost' then return t.opportunity(p_stage, '{}', p_workflow); end if;
            v_id := t.opportunity('proposal', '{}', p_workflow);
            perform t.report_on_deal(v_id, 'opportunity_lost', '{"lost_reason": "Price"}', null, '2026-01-01T14:00:00Z');
            return v_id;
    end case;
end $$;

-- From where to where an activity that names a destination takes a subject; no row when it stays. A merge is undone where it left to.
create function pg_temp.reached(p_workflow text, p_type text, p_from text, p_to text) returns table (from_stage text, to_stage text) language plpgsql as $$
declare
    v_id uuid := pg_temp.subject(p_workflow, case p_type when 'leads_unmerged' then p_to else p_from end);
    v_payload jsonb := jsonb_build_object('to_stage', p_to, 'to', p_to, 'backward', true, 'notes', 'as agreed', 'lost_reason', 'Price', 'deal_value', 1000, 'currency', 'EUR',
        'amount', 1000, 'close_date', '2026-05-01', 'recycle_on', '2099-01-01', 'reason', case p_type when 'stage_corrected' then 'data_repair'
            when 'request_rejected' then 'no_fit' when 'lead_recycled' then 'bad_timing' else 'they said so' end) || t.confirmed();
    r record;
begin
    if p_type in ('leads_merged', 'leads_unmerged') then v_payload := jsonb_build_object('into', pg_temp.subject(p_workflow, 'new')); end if;
    case
        when p_workflow = 'relationship' then
            if p_type = 'approval_granted' then
                v_payload := jsonb_build_object('approval_id', t.asked(v_id, p_to));
                if v_payload -> 'approval_id' = 'null' then return; end if;
            end if;
            select x.from_stage, x.to_stage into r from t.report_on_person(v_id, p_type, v_payload) x;
        when p_workflow in ('new_business', 'expansion') then
            if p_type = 'opportunity_advanced' then v_payload := v_payload || t.packet(t.someone()) || jsonb_build_object('to_stage', p_to); end if;
            select x.from_stage, x.to_stage into r from t.report_on_deal(v_id, p_type, v_payload) x;
        when p_workflow = 'subscription' then
            perform t.act_as('billing');
            select x.from_stage, x.to_stage into r from t.report_on_customer(v_id, p_type, '{}') x;
            perform t.act_as('admin');
        else
            if p_type = 'leads_unmerged' then perform t.report(v_id, 'leads_merged', v_payload); v_payload := '{}'; end if;
            select x.from_stage, x.to_stage into r from t.report(v_id, p_type, v_payload) x;
    end case;
    from_stage := r.from_stage; to_stage := r.to_stage;
    if r.from_stage <> r.to_stage then return next; end if;
end $$;

-- What only Leadline itself reports is tried where its causes are; a product's signal on a lead is such.
create function pg_temp.is_reported(p_workflow text, p_type text) returns bool language sql as $$
    select not t.is_system_only and (p_workflow, p_type) not in (('qualification', 'product_signal_seen')) from leadline.rule_activity_types t where t.activity_type = p_type
$$;

-- What is tried: a cell that moves once, one that says move_to with every stage that its activity could name. A rejection and a merge
-- name none; the pipelines are twins.
create function pg_temp.tries() returns table (workflow text, activity_type text, from_stage text, to_stage text) language sql as $$
    select distinct c.workflow, c.activity_type,
        case c.activity_type when 'leads_unmerged' then s.stage else c.from_stage end, case when c.activity_type in ('request_rejected', 'leads_merged') then c.from_stage else s.stage end
    from leadline.rule_transitions c
    join leadline.rule_stages s on s.workflow = c.workflow and case c.effect when 'move' then s.stage = c.to_stage else s.stage <> c.from_stage end
    where c.effect in ('move', 'move_to') and c.from_status <> 'archived' and c.workflow <> 'expansion' and pg_temp.is_reported(c.workflow, c.activity_type)
$$;

-- test: what moves, from where, to where, is an arrow; and every arrow moves
select set_eq(
    $$ select y.workflow, y.activity_type, r.from_stage, r.to_stage from pg_temp.tries() y
       cross join lateral pg_temp.reached(y.workflow, y.activity_type, y.from_stage, y.to_stage) r $$,
    $$ select a.workflow, a.activity_type, a.from_stage, a.to_stage from leadline.stage_arrows a
       where a.kind <> 'birth' and a.workflow <> 'expansion' and pg_temp.is_reported(a.workflow, a.activity_type) $$, 'the same');
select set_eq(
    $$ select a.activity_type, a.from_stage, a.to_stage, a.kind from leadline.stage_arrows a where a.workflow = 'expansion' $$,
    $$ select a.activity_type, a.from_stage, a.to_stage, a.kind from leadline.stage_arrows a where a.workflow = 'new_business' $$, 'in either pipeline');

-- test: what only Leadline reports
select set_eq(
    $$ select a.workflow, a.activity_type, a.from_stage, a.to_stage from leadline.stage_arrows a
       where a.kind <> 'birth' and not pg_temp.is_reported(a.workflow, a.activity_type) and a.activity_type <> 'relationship_joined' $$,
    $$ values ('qualification', 'product_signal_seen', 'recycled', 'new'), ('workspace', 'workspace_closed', 'active', 'closed'),
              ('new_business', 'conversion_undone', 'evaluation', 'withdrawn'), ('new_business', 'conversion_undone', 'proposal', 'withdrawn'),
              ('expansion', 'conversion_undone', 'evaluation', 'withdrawn'), ('expansion', 'conversion_undone', 'proposal', 'withdrawn') $$, 'and a merge takes a person forward');
select is_empty($$ select from leadline.stage_arrows a
    join leadline.rule_stages f on f.workflow = a.workflow and f.stage = a.from_stage join leadline.rule_stages s on s.workflow = a.workflow and s.stage = a.to_stage
    where a.activity_type = 'relationship_joined' and (s.position <= f.position or s.stage = 'closed') $$, 'forward only');

-- test: births
select set_eq(
    $$ select a.workflow, a.activity_type, a.to_stage from leadline.stage_arrows a where a.kind = 'birth' and a.activity_type is distinct from 'lead_imported' $$,
    $$ values ('appointment', 'lead_created', 'new'), ('appointment', 'inbound_enquiry', 'new'), ('sales', 'lead_created', 'new'), ('sales', 'inbound_enquiry', 'new'),
              ('qualification', 'lead_created', 'new'), ('qualification', 'inbound_enquiry', 'new'), ('qualification', 'inbound_enquiry', 'disqualified'),
              ('new_business', 'opportunity_opened', 'evaluation'), ('expansion', 'opportunity_opened', 'evaluation'),
              ('subscription', 'subscription_started', 'active'), ('subscription', 'subscription_started', 'trialing'),
              ('workspace', 'workspace_created', 'active'), ('relationship', null, 'prospect') $$, 'each at its first stage, but for what is turned away or tried');
select is(t.stage(t.enquiry('{"email": "kim@example.com", "exclusion": "test"}')), 'disqualified', 'a test is turned away');
select is_empty(
    $$ select s.workflow, s.stage from leadline.rule_stages s join leadline.rule_workflows w on w.workflow = s.workflow and w.journal = 'lead_activity'
       left join leadline.stage_arrows a on a.workflow = s.workflow and a.to_stage = s.stage and a.kind = 'birth' and a.activity_type = 'lead_imported'
       where a.workflow is null or t.stage(pg_temp.subject(s.workflow, s.stage)) <> s.stage $$, 'an import anywhere');

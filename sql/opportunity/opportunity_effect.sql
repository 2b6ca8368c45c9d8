-- What an activity would do to an opportunity beside moving it (seed 003): the evidence, the money, the roles.

create or replace function leadline_internal.opportunity_fields(o leadline.opportunities) returns jsonb
language plpgsql immutable parallel safe
as $$
-- The columns of an opportunity that its journal owns.
begin
    return jsonb_build_object('workflow', o.workflow, 'stage', o.stage, 'status', o.status, 'person_id', o.person_id, 'account_id', o.account_id,
        'lead_id', o.lead_id, 'assigned_user_id', o.assigned_user_id, 'amount', o.amount, 'currency', o.currency, 'close_date', o.close_date,
        'problem', o.problem, 'decision_process', o.decision_process, 'next_step', o.next_step, 'next_step_on', o.next_step_on,
        'contacts', nullif(o.contacts, '{}'), 'won_at', leadline_internal.instant(o.won_at), 'lost_at', leadline_internal.instant(o.lost_at),
        'lost_reason', o.lost_reason, 'lost_notes', o.lost_notes);
end $$;

create or replace function leadline_internal.fault_of_deal(p_stage text, o leadline.opportunities) returns text
language plpgsql stable
as $$
-- The rule that an opportunity at this stage would break; null when it has the evidence that the stage needs.
begin
    return case
        when p_stage = 'proposal' and (leadline_internal.visible_text(o.problem) is null or leadline_internal.visible_text(o.decision_process) is null
            or leadline_internal.visible_text(o.next_step) is null or o.next_step_on is null or coalesce(o.contacts, '{}') = '{}') then 'evidence_required'
        when p_stage = 'closedwon' and (coalesce(o.amount, 0) <= 0 or o.close_date is null) then 'evidence_required' end;
end $$;

create or replace function leadline_internal.opportunity_effect(e leadline_internal.entry, o leadline.opportunities, c leadline_internal.credential)
returns leadline_internal.effect
language plpgsql volatile
as $$
-- o: the opportunity, locked. Raises PT404 no_such_person for a contact who is not here.
declare
    x leadline_internal.effect;
    p jsonb := e.payload;
    v_was jsonb := leadline_internal.opportunity_fields(o);
    v_at text := leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at));
    v_is_manager bool := coalesce(c.role in ('owner', 'admin'), false);
    v_to text := p ->> 'to_stage';
    v_contact uuid := coalesce(p ->> 'contact', p ->> 'person_id');
begin
    x.becomes := '{}';
    case e.activity_type
        when 'direct_change' then
            return leadline_internal.by_hand(e);
        when 'opportunity_advanced', 'opportunity_won', 'amount_changed' then
            -- What is told of the deal, and what was known before.
            select coalesce(jsonb_object_agg(k.key, case when jsonb_typeof(k.value) = 'string' then to_jsonb(leadline_internal.shown_text(k.value #>> '{}')) else k.value end), '{}')
            into x.becomes from jsonb_each(p) k
            where k.key in ('problem', 'decision_process', 'next_step', 'next_step_on', 'amount', 'close_date') and (k.value <> 'null' or e.activity_type = 'amount_changed');
            if jsonb_typeof(p -> 'amount') = 'number' then
                x.becomes := x.becomes || jsonb_build_object('currency', coalesce(p ->> 'currency', o.currency, leadline_internal.workspace_currency(o.workspace_id)));
            end if;
            if e.activity_type = 'opportunity_advanced' and v_contact is not null then
                perform leadline_internal.require_contact(c, o.workspace_id, v_contact);
                if not o.contacts ? v_contact::text then
                    x.becomes := x.becomes || jsonb_build_object('contacts', o.contacts || jsonb_build_object(v_contact::text, 'buying contact'));
                end if;
            end if;
            o := jsonb_populate_record(o, x.becomes);
            if e.activity_type = 'opportunity_won' then
                if o.status = 'open' then x.need := leadline_internal.fault_of_deal('closedwon', o); end if;
                x.becomes := x.becomes || jsonb_build_object('won_at', v_at);
            elsif e.activity_type = 'amount_changed' then
                if o.status = 'won' and not v_is_manager then
                    x.need := 'won_value_needs_admin';
                elsif o.status = 'won' and coalesce(o.amount, 0) <= 0 then
                    x.need := 'deal_value_required';
                elsif o.status = 'won' and o.close_date is null then
                    x.need := 'evidence_required';
                end if;
            elsif o.status = 'open' then
                if v_to <> 'proposal' then x.need := 'unknown_stage'; else x.need := leadline_internal.fault_of_deal('proposal', o); end if;
                if o.stage = 'evaluation' then x.becomes := x.becomes || '{"stage": "proposal", "status": "open"}'; end if;
            end if;
        when 'opportunity_lost' then
            if o.status in ('open', 'lost') then x.need := leadline_internal.fault_of_reason('lost', p ->> 'lost_reason', p ->> 'notes'); end if;
            x.becomes := jsonb_build_object('lost_reason', p ->> 'lost_reason', 'lost_notes', leadline_internal.shown_text(p ->> 'notes'));
            if o.status <> 'lost' then x.becomes := x.becomes || jsonb_build_object('lost_at', v_at); end if;
        when 'opportunity_assigned' then
            if not leadline_internal.is_active_member(o.workspace_id, (p ->> 'assigned_user_id')::uuid) then x.need := 'unknown_assignee'; end if;
            x.becomes := jsonb_build_object('assigned_user_id', (p ->> 'assigned_user_id')::uuid);
        when 'contact_role_set' then
            perform leadline_internal.require_contact(c, o.workspace_id, v_contact);
            if not leadline_internal.shown_text(p ->> 'role') = any (leadline_internal.contact_roles()) then x.need := 'unknown_contact_role'; end if;
            x.becomes := jsonb_build_object('contacts', nullif(case when leadline_internal.shown_text(p ->> 'role') is null then o.contacts - v_contact::text
                when e.writer like 'workflow:%' and o.contacts ? v_contact::text then o.contacts  -- a conversion overwrites no role
                else o.contacts || jsonb_build_object(v_contact::text, leadline_internal.shown_text(p ->> 'role')) end, '{}'));
        when 'stage_corrected' then
            if not v_is_manager then x.objection := 'correction_needs_admin'; end if;
            if not exists (select from leadline.rule_stages s where s.workflow = o.workflow and s.stage = v_to) then
                x.need := 'unknown_stage';
            elsif not (v_to = 'evaluation' and o.stage <> 'evaluation' or v_to = 'proposal' and o.status in ('won', 'lost') or v_to = 'closedlost' and o.status = 'won') then
                x.need := 'correction_goes_forward';
            end if;
            x.need := coalesce(x.need, leadline_internal.fault_of_reason('correction', p ->> 'reason', p ->> 'notes'), leadline_internal.fault_of_deal(v_to, o),
                case when v_to = 'closedlost' then leadline_internal.fault_of_reason('lost', p ->> 'lost_reason', p ->> 'notes') end);
            x.becomes := jsonb_build_object('stage', v_to, 'status', leadline_internal.status_of(o.workflow, v_to),
                'won_at', null, 'lost_at', null, 'lost_reason', null, 'lost_notes', null);
            if v_to = 'closedlost' then
                x.becomes := x.becomes || jsonb_build_object('lost_at', v_at, 'lost_reason', p ->> 'lost_reason', 'lost_notes', leadline_internal.shown_text(p ->> 'notes'));
            end if;
        when 'person_erased' then
            select jsonb_object_agg(f.field, true), jsonb_object_agg(f.field, null) into x.changes, x.becomes
            from leadline.rule_personal_fields f where f.journal = 'opportunity_activity' and v_was -> f.field <> 'null';
            return x;
        else null;
    end case;
    return leadline_internal.with_changes(x, v_was);
end $$;

create or replace function leadline_internal.contact_roles() returns text[]
language sql immutable parallel safe
return '{buying contact,converted lead,champion,decision maker,economic buyer,executive sponsor,influencer,evaluator,end user,legal,blocker,other}'::text[];

create or replace function leadline_internal.require_contact(c leadline_internal.credential, p_workspace_id uuid, p_person_id uuid) returns void
language plpgsql stable
as $$
-- PT404 no_such_person for somebody who is not here, or out of the author's sight.
begin
    if not exists (select from leadline.people p where p.workspace_id = p_workspace_id and p.person_id = p_person_id)
        or not leadline_internal.person_is_visible_to(c, p_workspace_id, p_person_id) then
        perform leadline_internal.forbid('PT404', 'no_such_person');
    end if;
end $$;

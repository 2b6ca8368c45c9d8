-- What an activity would do to a relationship (seed 002): the six points forward, closed outside the order, and who may say yes.

create or replace function leadline_internal.relationship_fields(p leadline.people) returns jsonb
language plpgsql immutable parallel safe
as $$
-- The columns of a person that their journal owns.
begin
    return jsonb_build_object('stage', p.stage, 'status', p.status, 'furthest_stage', p.furthest_stage);
end $$;

create or replace function leadline_internal.point(p_stage text) returns int
language plpgsql stable
as $$
-- Where a stage stands in the order: closed is before everything; null for a word that is none of ours.
begin
    return (select s.position from leadline.rule_stages s where s.workflow = 'relationship' and s.stage = p_stage);
end $$;

create or replace function leadline_internal.further(p_stage text, p_other text) returns text
language plpgsql stable
as $$
-- The further of two stages.
begin
    return case when leadline_internal.point(p_stage) > leadline_internal.point(p_other) then p_stage else p_other end;
end $$;

create or replace function leadline_internal.relationship_effect(e leadline_internal.entry, p leadline.people, c leadline_internal.credential, a leadline.approvals)
returns leadline_internal.effect
language plpgsql volatile
as $$
-- p: the person, locked. a: the approval that is answered, if the activity is an answer.
declare
    x leadline_internal.effect;
    v_was jsonb := leadline_internal.relationship_fields(p);
    o leadline.people;
    v_to text := e.payload ->> 'to';
    v_is_person bool := e.actor_kind = 'user';
    v_has_reason bool := leadline_internal.visible_text(e.payload ->> 'reason') is not null;
    v_goes_back bool := coalesce((e.payload ->> 'backward')::bool, false) and v_is_person and v_has_reason;
begin
    if e.activity_type = 'direct_change' then return leadline_internal.by_hand(e); end if;
    if p.merged_into is not null and e.activity_type not in ('approval_expired', 'approval_declined') then x.objection := 'person_is_merged'; return x; end if;
    case e.activity_type
        when 'relationship_advanced' then
            if coalesce(leadline_internal.point(v_to), 0) = 0 then
                x.objection := 'unknown_stage';
            elsif leadline_internal.point(v_to) <= leadline_internal.point(p.stage) and not v_goes_back then
                x.objection := 'backward_move';
            elsif v_to = p.stage then
                x.objection := 'already_there';
            elsif not v_has_reason then
                x.objection := 'reason_required';
            elsif not v_is_person and leadline_internal.point(p.stage) < leadline_internal.point('client') and leadline_internal.point(v_to) >= leadline_internal.point('client') then
                x.objection := case when leadline_internal.waits_for_an_answer(p, v_to) then 'approval_pending' else 'client_needs_a_person' end;
            end if;
        when 'relationship_closed' then
            if p.stage <> 'closed' and not v_has_reason then x.objection := 'reason_required'; end if;
            return x;
        when 'approval_granted', 'approval_declined' then
            if not leadline_internal.may_approve(p.workspace_id, c.role) then
                x.objection := 'approver_needed';
            elsif a.status <> 'open' then
                x.objection := 'approval_settled';
            elsif e.activity_type = 'approval_declined' then
                return x;
            elsif a.expires_at <= e.recorded_at then
                x.objection := 'approval_has_expired';
            elsif leadline_internal.is_stale(a, p) then
                x.objection := 'approval_stale';
            end if;
            v_to := a.to_stage;
        when 'relationship_joined' then
            select * into o from leadline.people t where t.workspace_id = p.workspace_id and t.person_id = (e.payload ->> 'from')::uuid;
            v_to := leadline_internal.further(o.stage, p.stage);
            p.furthest_stage := leadline_internal.further(o.furthest_stage, p.furthest_stage);
        when 'product_signal_seen' then
            if (e.payload ->> 'observed_at')::timestamptz > e.recorded_at + interval '5 minutes' then
                perform leadline_internal.forbid('PT422', 'occurred_in_the_future', 'product_signal_seen: observed_at');
            end if;
            if (e.payload ->> 'expires_at')::timestamptz <= e.recorded_at then x.objection := 'signal_expired'; end if;
            return x;
        else return x;
    end case;
    if x.objection is not null then return x; end if;
    x.becomes := jsonb_build_object('stage', v_to, 'status', leadline_internal.status_of('relationship', v_to), 'furthest_stage', leadline_internal.further(v_to, p.furthest_stage));
    return leadline_internal.with_changes(x, v_was);
end $$;

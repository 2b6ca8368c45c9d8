-- A move that waits for a person: who may answer it, what makes it stale, and what becomes of it.

create or replace function leadline_internal.may_approve(p_workspace_id uuid, p_role text) returns bool
language plpgsql stable
as $$
-- Whether a role is at least the one that the workspace lets approve: an admin when it says nothing.
begin
    return coalesce(array_position('{member,admin,owner}', p_role) >= (
        select array_position('{member,admin,owner}', coalesce(w.approvers, 'admin')) from leadline.workspaces w where w.workspace_id = p_workspace_id), false);
end $$;

create or replace function leadline_internal.waits_for_an_answer(p leadline.people, p_to_stage text) returns bool
language plpgsql volatile
as $$
-- Whether the same move has been asked for and can still be granted.
declare
    a leadline.approvals;
begin
    select * into a from leadline.approvals t
    where t.workspace_id = p.workspace_id and t.person_id = p.person_id and t.to_stage = p_to_stage and t.status = 'open';
    return found and a.expires_at > clock_timestamp() and not leadline_internal.is_stale(a, p);
end $$;

create or replace function leadline_internal.is_stale(a leadline.approvals, p leadline.people) returns bool
language plpgsql volatile
as $$
-- The re-check at the moment of yes: the move is no longer forward, or the outcome that asked for it was corrected and no longer
-- stands. A yes has locked the cause before the person, so a correction comes before it or after it, never beside it.
declare
    v_cause bigint := (select h.caused_by from leadline.relationship_activity h where h.workspace_id = a.workspace_id and h.activity_id = a.activity_id);
begin
    if leadline_internal.point(a.to_stage) <= leadline_internal.point(p.stage) then return true; end if;
    return v_cause is not null and (
        exists (
            select from leadline.lead_activity t
            join leadline.leads l on l.workspace_id = t.workspace_id and l.lead_id = t.lead_id and l.stage <> t.to_stage
            join leadline.lead_activity f on f.workspace_id = l.workspace_id and f.lead_id = l.lead_id and f.seq > t.seq
                and f.activity_type in ('stage_corrected', 'direct_change') and f.from_stage <> f.to_stage
            where t.workspace_id = a.workspace_id and t.activity_id = v_cause and t.from_stage <> t.to_stage)
        or exists (
            select from leadline.opportunity_activity t
            join leadline.opportunities o on o.workspace_id = t.workspace_id and o.opportunity_id = t.opportunity_id and o.stage <> t.to_stage
            join leadline.opportunity_activity f on f.workspace_id = o.workspace_id and f.opportunity_id = o.opportunity_id and f.seq > t.seq
                and f.activity_type in ('stage_corrected', 'direct_change') and f.from_stage <> f.to_stage
            where t.workspace_id = a.workspace_id and t.activity_id = v_cause and t.from_stage <> t.to_stage));
end $$;

create or replace function leadline_internal.keep_approvals(e leadline_internal.entry) returns void
language plpgsql volatile
as $$
-- What a decided activity makes of the approvals: a held one opens one, an answer settles it. One that could not be granted any
-- more gives way to the next that is asked for.
declare
    v_hours int := (select coalesce(w.approval_hours, 336) from leadline.workspaces w where w.workspace_id = e.workspace_id);
    v_becomes text;
begin
    if e.verdict = 'held' then
        update leadline.approvals a set status = case when a.expires_at <= e.recorded_at then 'expired' else 'stale' end,
            settled_at = e.recorded_at, settled_by = e.activity_id
        where a.workspace_id = e.workspace_id and a.person_id = e.subject_id and a.to_stage = e.payload ->> 'to' and a.status = 'open';
        insert into leadline.approvals (workspace_id, person_id, to_stage, activity_id, requested_at, expires_at)
        values (e.workspace_id, e.subject_id, e.payload ->> 'to', e.activity_id, e.recorded_at, e.recorded_at + v_hours * interval '1 hour');
        return;
    end if;
    v_becomes := case when e.activity_type = 'approval_granted' and e.verdict = 'applied' then 'granted'
                      when e.rule = 'approval_has_expired' then 'expired'
                      when e.rule = 'approval_stale' then 'stale'
                      when e.activity_type = 'approval_declined' and e.verdict = 'noted' and e.rule is null then 'declined'
                      when e.activity_type = 'approval_expired' and e.rule is null then 'expired' end;
    update leadline.approvals a set status = v_becomes, settled_at = e.recorded_at, settled_by = e.activity_id,
        settled_by_user = case when v_becomes in ('granted', 'declined') then e.actor_id end
    where v_becomes is not null and a.workspace_id = e.workspace_id and a.approval_id = (e.payload ->> 'approval_id')::uuid and a.status = 'open';
end $$;

create or replace function leadline_internal.expire_approvals(p_workspace_id uuid, p_now timestamptz) returns jsonb
language plpgsql volatile
as $$
-- Ends what nobody answered in time, each as an activity of its own; in order of people, so that two at once cannot wait crosswise.
declare
    v_expired int;
begin
    insert into leadline.relationship_activity (workspace_id, person_id, activity_type, payload, actor_kind, writer)
    select a.workspace_id, a.person_id, 'approval_expired', jsonb_build_object('approval_id', a.approval_id), 'system', 'workflow:approvals'
    from leadline.approvals a
    where a.workspace_id = p_workspace_id and a.status = 'open' and a.expires_at <= p_now
    order by a.person_id, a.approval_id;
    get diagnostics v_expired = row_count;
    return jsonb_build_object('expired', v_expired);
end $$;

-- An outcome of a lead or an opportunity proposes that its person moves on (rule_proposals): forward only, by workflow:lead-outcome.

create or replace function leadline_internal.propose(
    p_cause leadline_internal.entry, p_person_id uuid, p_to_stage text
) returns void
language plpgsql volatile
as $$
-- Locks the person, and proposes nothing that would not be forward. A person with the right may say yes at once (approve: true):
-- then it is that person who moves.
declare
    v_person_id uuid;
    p leadline.people;
    v_approves bool := false;
begin
    v_person_id := leadline_internal.person_of(p_cause.workspace_id, p_person_id);
    select * into p from leadline.people t where t.workspace_id = p_cause.workspace_id and t.person_id = v_person_id for no key update;
    if leadline_internal.point(p_to_stage) <= leadline_internal.point(p.stage) then return; end if;
    if p_cause.actor_kind = 'user' and coalesce((p_cause.payload ->> 'approve')::bool, false) then
        v_approves := leadline_internal.may_approve(p.workspace_id, (
            select m.role from leadline.memberships m
            where m.workspace_id = p.workspace_id and m.user_id = p_cause.actor_id and m.deactivated_at is null));
    end if;
    insert into leadline.relationship_activity (workspace_id, person_id, activity_type, payload, occurred_at, actor_kind, actor_id, writer, caused_by)
    values (p.workspace_id, p.person_id, 'relationship_advanced', jsonb_build_object('to', p_to_stage, 'reason', p_cause.activity_type)
            || case when v_approves then '{"approve": true}'::jsonb else '{}' end,
        -- News is late only for somebody who was let go since.
        case p.stage when 'closed' then p_cause.occurred_at else greatest(p_cause.occurred_at, p.late_before) end,
        case when v_approves then 'user' else 'system' end, case when v_approves then p_cause.actor_id end, 'workflow:lead-outcome', p_cause.activity_id);
end $$;

-- Fires: after an activity that rule_proposals names. Argument: the journal. Writes: the proposal.
create or replace function leadline_internal.propose_from_outcome() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    e leadline_internal.entry := row(new.*);
    v_to_stage text;
    v_person_id uuid;
begin
    select q.to_stage into v_to_stage from leadline.rule_proposals q
    where q.journal = tg_argv[0] and q.activity_type = e.activity_type and e.verdict = any (q.verdicts)
      and q.request_class in ('', e.payload ->> 'request_class');
    if not found or e.rule in ('not_a_person', 'excluded') or e.activity_type = 'inbound_enquiry' and e.seq = 1 and e.to_stage = 'disqualified' then
        return null;
    end if;
    if tg_argv[0] = 'lead_activity' then
        select l.person_id into v_person_id from leadline.leads l
        where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
    else  -- a deal counts as one when it has amount and close date (seed 003)
        select o.person_id into v_person_id from leadline.opportunities o
        where o.workspace_id = e.workspace_id and o.opportunity_id = e.subject_id and o.amount is not null and o.close_date is not null
          and (o.status = 'open' or e.activity_type = 'opportunity_won');
    end if;
    if v_person_id is not null then perform leadline_internal.propose(e, v_person_id, v_to_stage); end if;
    return null;
end $$;
-- Only for the words that propose something: no other activity pays for asking.
do $$
declare
    v_journal text;
    v_words text[];
begin
    for v_journal, v_words in
        select q.journal, array_agg(distinct q.activity_type order by q.activity_type) from leadline.rule_proposals q group by q.journal
    loop
        execute format('create or replace trigger t70_propose_from_outcome after insert on leadline.%I
            for each row when (new.activity_type = any (%L) and new.verdict in (''applied'', ''noted'')) execute function leadline_internal.propose_from_outcome(%L)',
            v_journal, v_words, v_journal);
    end loop;
end $$;

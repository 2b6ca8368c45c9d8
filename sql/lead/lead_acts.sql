-- What each row of a lead's journal does to its clocks, for whoever has to tell them from the journal.
create or replace view leadline_internal.lead_acts with (security_invoker = true) as
select a.workspace_id, a.lead_id, a.seq, a.activity_id, a.activity_type, a.occurred_at, a.from_stage, a.to_stage, a.payload, t.touch, t.is_contact,
    a.verdict <> 'refused' and leadline_internal.is_persons_act(t.contact_by, a.actor_kind) as counts,
    a.actor_kind = 'user' and a.seq > 1 and a.from_stage <> a.to_stage and s.after_contact as arrives_after_contact,
    a.seq > 1 and (a.from_status <> a.to_status and not p.is_open
        or a.activity_type = 'leads_merged' and a.verdict = 'applied' and a.writer not like 'workflow:%') as closes,
    -- since when somebody waits because of this row: they wrote in, or did so on a lead that was merged into this one, or on this
    -- one while nobody worked on it
    case when a.activity_type = 'leads_merged' and a.writer like 'workflow:%' then (a.payload ->> 'waiting_since')::timestamptz
         when a.activity_type in ('leads_unmerged', 'stage_corrected', 'lead_unarchived', 'lead_reopened') and a.verdict = 'applied' and p.is_open then (a.payload ->> 'waiting_since')::timestamptz
         when t.touch = 'inbound' and a.verdict <> 'refused' and q.exclusion is null
            and case when a.seq = 1 then p.is_open else g.awaits_answer end then a.occurred_at end as waits_since
from leadline.lead_activity a
join leadline.leads l on l.workspace_id = a.workspace_id and l.lead_id = a.lead_id
join leadline.rule_activity_types t on t.activity_type = a.activity_type
left join leadline.rule_permitted p on p.workflow = l.workflow and p.stage = a.to_stage and p.status = a.to_status
left join leadline.rule_stages s on s.workflow = l.workflow and s.stage = a.to_stage
left join leadline_internal.rulings g on g.workflow = l.workflow and g.activity_type = a.activity_type and g.stage = a.from_stage and g.status = a.from_status
left join leadline.requests q on q.workspace_id = a.workspace_id and q.activity_id = a.activity_id;
comment on view leadline_internal.lead_acts is 'One row an activity of a lead: whether it counts as a touch, closes the lead, or lets somebody wait.';

create or replace view leadline_internal.lead_waits with (security_invoker = true) as
select w.workspace_id, w.lead_id, w.seq, w.waits_since
from (
    select a.workspace_id, a.lead_id, a.seq, a.waits_since,
        max(a.occurred_at) filter (where a.touch = 'outbound' and a.counts) over later as touched_later,
        bool_or(a.closes) over later as closed_later
    from leadline_internal.lead_acts a
    window later as (partition by a.workspace_id, a.lead_id order by a.seq desc rows between unbounded preceding and 1 preceding)
) w
where w.waits_since is not null and not coalesce(w.closed_later, false) and coalesce(w.touched_later, '-infinity') < w.waits_since;
comment on view leadline_internal.lead_waits is 'One row an inbound activity that nobody has answered: no touch recorded after it happened at its time or later, and the lead did not close.';

create or replace function leadline_internal.still_waiting_after(e leadline_internal.entry) returns timestamptz
language plpgsql volatile
as $$
-- Since when somebody waits after a touch that happened before the latest news: what came in after it is unanswered.
begin
    return (select min(w.waits_since) from leadline_internal.lead_waits w
            where w.workspace_id = e.workspace_id and w.lead_id = e.subject_id and w.waits_since > e.occurred_at);
end $$;

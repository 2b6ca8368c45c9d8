-- Which lead an enquiry belongs to, when it does not say (seed 004 rule 7.1).
-- e: an inbound_enquiry without lead_id, well formed. Returns the lead, locked; null when a new one is to be made.
-- First an open lead of any workflow with that e-mail address, the workflow asked for before others, the older before the
-- younger; then the open lead that goes on for one with that address; else the sales lead that was lost last, or the
-- qualification lead that was recycled, whichever was put aside later. Who writes in
-- at the same moment with the same address waits here.
create or replace function leadline_internal.match_enquiry(e leadline_internal.entry) returns uuid
language plpgsql volatile
as $$
declare
    v_email_key text := leadline.email_key(e.payload ->> 'email');
    v_lead_id uuid;
    v_status text;
begin
    if v_email_key is null then return null; end if;
    perform leadline_internal.identify(e.workspace_id, v_email_key, null);
    loop
        select l.lead_id, l.status into v_lead_id, v_status from (
            select t.lead_id, case when t.stage = 'recycled' then 'lost' else t.status end as status, t.workflow,
                case when t.status = 'lost' or t.stage = 'recycled' then coalesce(t.lost_at, t.stage_entered_at) end as put_aside_at, t.created_at
            from leadline.leads t
            where t.workspace_id = e.workspace_id and t.email_key = v_email_key
              and (t.status in ('open', 'active') or (t.status = 'lost' or t.stage = 'recycled') and t.merged_into is null)
            union all
            select t.lead_id, 'merged', t.workflow, null, t.created_at
            from leadline.leads m
            cross join lateral leadline_internal.lead_that_goes_on(m.workspace_id, m.lead_id) g (lead_id)
            join leadline.leads t on t.workspace_id = m.workspace_id and t.lead_id = g.lead_id
            where m.workspace_id = e.workspace_id and m.email_key = v_email_key and m.merged_into is not null and t.status in ('open', 'active')) l
        order by l.status = 'lost', l.status = 'merged', l.put_aside_at desc, l.workflow = coalesce(e.payload ->> 'workflow', l.workflow) desc, l.created_at, l.lead_id
        limit 1;
        if not found then return null; end if;
        -- While it waited for the lock the lead may have closed, or come to another address.
        perform from leadline.leads l
        where l.workspace_id = e.workspace_id and l.lead_id = v_lead_id and (l.status in ('open', 'active', 'lost') or l.stage = 'recycled')
          and (l.email_key = v_email_key or v_status = 'merged')
        for no key update;
        if found then return v_lead_id; end if;
    end loop;
end $$;

create or replace function leadline_internal.lead_that_goes_on(p_workspace_id uuid, p_lead_id uuid) returns uuid
language plpgsql volatile
as $$
-- The lead at the end of merged_into.
declare
    v_lead_id uuid := p_lead_id;
    v_into uuid;
begin
    loop
        select l.merged_into into v_into from leadline.leads l where l.workspace_id = p_workspace_id and l.lead_id = v_lead_id;
        if v_into is null then return v_lead_id; end if;
        v_lead_id := v_into;
    end loop;
end $$;

create or replace function leadline_internal.exclusion_of(p_workspace_id uuid, p_payload jsonb) returns text
language plpgsql stable
as $$
-- Why an enquiry is turned away before it is matched: test or spam by whoever reports it, competitor by its mail domain.
begin
    return coalesce(leadline_internal.shown_text(p_payload ->> 'exclusion'), (
        select a.kind from leadline.accounts a
        where a.workspace_id = p_workspace_id and a.kind = 'competitor'
          and a.domain = split_part(leadline.email_key(p_payload ->> 'email'), '@', 2)));
end $$;

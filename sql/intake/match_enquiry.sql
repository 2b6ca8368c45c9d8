-- Which lead an enquiry belongs to, when it does not say (seed 004 rule 7.1).
-- e: an inbound_enquiry without lead_id, well formed. Returns the lead, locked; null when a new one is to be made.
-- First an open lead of any workflow with that e-mail address, the workflow asked for before others, the older before the
-- younger; then the open lead that goes on for one with that address; else the sales lead that was lost last, or the
-- qualification lead that was recycled, whichever was put aside later. Who writes in at the same moment with the same address
-- waits here. No lead comes to the address or opens again while its key is held, so all that could be meant are locked in order
-- before one is chosen.
create or replace function leadline_internal.match_enquiry(e leadline_internal.entry) returns uuid
language plpgsql volatile
as $$
declare
    v_email_key text := leadline.email_key(e.payload ->> 'email');
    v_leads uuid[];
    v_lead_id uuid;
begin
    if v_email_key is null then return null; end if;
    perform leadline_internal.identify(e.workspace_id, v_email_key, null);
    v_leads := array(select m.lead_id from leadline_internal.leads_meant(e.workspace_id, v_email_key) m);
    if v_leads = '{}' then return null; end if;
    perform from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = any (v_leads) order by l.lead_id for no key update;
    select m.lead_id into v_lead_id from leadline_internal.leads_meant(e.workspace_id, v_email_key) m
    order by m.put_aside_at desc, m.is_heir, m.workflow = coalesce(e.payload ->> 'workflow', m.workflow) desc, m.created_at, m.lead_id limit 1;
    return v_lead_id;
end $$;

create or replace function leadline_internal.leads_meant(p_workspace_id uuid, p_email_key text)
returns table (lead_id uuid, workflow text, put_aside_at timestamptz, is_heir bool, created_at timestamptz)
language plpgsql volatile
as $$
-- The leads that an enquiry from this address may belong to. put_aside_at: null for an open one. is_heir: goes on for one with the address.
begin
    return query
        select t.lead_id, t.workflow, case when t.status = 'lost' or t.stage = 'recycled' then coalesce(t.lost_at, t.stage_entered_at) end, false, t.created_at
        from leadline.leads t
        where t.workspace_id = p_workspace_id and t.email_key = p_email_key
          and (t.status in ('open', 'active') or (t.status = 'lost' or t.stage = 'recycled') and t.merged_into is null)
        union all
        select t.lead_id, t.workflow, null, true, t.created_at
        from leadline.leads m
        cross join lateral leadline_internal.lead_that_goes_on(m.workspace_id, m.lead_id) g (lead_id)
        join leadline.leads t on t.workspace_id = m.workspace_id and t.lead_id = g.lead_id
        where m.workspace_id = p_workspace_id and m.email_key = p_email_key and m.merged_into is not null and t.status in ('open', 'active');
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

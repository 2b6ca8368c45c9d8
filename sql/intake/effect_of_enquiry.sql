-- What an enquiry changes on the lead it meets: it fills what is empty and overwrites nothing; a lost or recycled
-- lead comes back without its loss (seed 004 rules 2.3 and 7.1, seed 003).
create or replace function leadline_internal.effect_of_enquiry(e leadline_internal.entry, l leadline.leads, c leadline_internal.credential) returns leadline_internal.effect
language plpgsql volatile
as $$
declare
    x leadline_internal.effect;
    p jsonb := e.payload;
    v_email text := leadline_internal.shown_text(p ->> 'email');
    v_is_seen bool := leadline_internal.is_visible_to(c, l.assigned_user_id);  -- else an address would be a key to the lead
begin
    x.becomes := '{}';
    x.need := leadline_internal.enquiry_fault(p);
    if x.need is null and v_is_seen and l.assigned_user_id is null and not leadline_internal.is_active_member(l.workspace_id, (p ->> 'assigned_user_id')::uuid) then
        x.need := 'unknown_assignee';
    end if;
    if leadline_internal.exclusion_of(l.workspace_id, p) is not null then
        if x.need is null then x.objection := 'excluded'; end if;
        return x;
    end if;
    if l.name is null and leadline_internal.shown_text(p ->> 'name') is not null then
        x.becomes := x.becomes || jsonb_build_object('name', leadline_internal.shown_text(p ->> 'name'));
    end if;
    if l.company is null and leadline_internal.shown_text(p ->> 'company') is not null then
        x.becomes := x.becomes || jsonb_build_object('company', leadline_internal.shown_text(p ->> 'company'));
    end if;
    if l.phone is null and leadline_internal.shown_text(p ->> 'phone') is not null then
        x.becomes := x.becomes || jsonb_build_object('phone', leadline_internal.shown_text(p ->> 'phone'));
    end if;
    if l.email is null and v_email is not null
        and (l.workflow = 'appointment' or not leadline_internal.has_open_lead(l.workspace_id, leadline.email_key(v_email), l.lead_id)) then
        x.becomes := x.becomes || jsonb_build_object('email', v_email);
    end if;
    if v_is_seen and l.assigned_user_id is null and p ->> 'assigned_user_id' is not null then
        x.becomes := x.becomes || jsonb_build_object('assigned_user_id', (p ->> 'assigned_user_id')::uuid);
    end if;
    if l.deal_value is null and jsonb_typeof(p -> 'deal_value') = 'number' then
        x.becomes := x.becomes || jsonb_build_object('deal_value', p -> 'deal_value',
            'currency', coalesce(p ->> 'currency', l.currency, leadline_internal.workspace_currency(l.workspace_id)));
    end if;
    if l.status = 'lost' or l.stage = 'recycled' then
        x.becomes := x.becomes || case l.status when 'lost' then '{"lost_at": null, "lost_reason": null, "lost_notes": null}'::jsonb
            else '{"recycle_reason": null, "recycle_on": null, "accepted_at": null}' end;
        if x.need is null and leadline_internal.has_open_lead(l.workspace_id, coalesce(l.email_key, leadline.email_key(v_email)), l.lead_id) then
            x.need := 'active_lead_exists';
        end if;
    end if;
    return x;
end $$;

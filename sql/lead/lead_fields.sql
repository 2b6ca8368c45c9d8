-- The columns of a lead that its journal owns, as the journal writes them. Clocks and heads are bookkeeping and not among them.
create or replace function leadline_internal.lead_fields(l leadline.leads) returns jsonb
language plpgsql immutable parallel safe
as $$
begin
    return jsonb_build_object(
        'workflow', l.workflow, 'stage', l.stage, 'status', l.status, 'source', l.source,
        'name', l.name, 'company', l.company, 'email', l.email, 'phone', l.phone,
        'assigned_user_id', l.assigned_user_id, 'deal_value', l.deal_value, 'currency', l.currency, 'tags', nullif(l.tags, '{}'),
        'resolved_at', leadline_internal.instant(l.resolved_at),
        'appointment_ref', l.appointment_ref, 'appointment_at', leadline_internal.instant(l.appointment_at),
        'callback_at', leadline_internal.instant(l.callback_at), 'duplicate_of', l.duplicate_of, 'copied_from', l.copied_from);
end $$;

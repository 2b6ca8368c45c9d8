-- The columns of a lead that its journal owns, as the journal writes them. Clocks, heads and the link to the person are
-- bookkeeping and not among them.
create or replace function leadline_internal.lead_fields(l leadline.leads) returns jsonb
language plpgsql immutable parallel safe
as $$
begin
    return jsonb_build_object(
        'workflow', l.workflow, 'stage', l.stage, 'status', l.status, 'source', l.source,
        'name', l.name, 'company', l.company, 'email', l.email, 'phone', l.phone,
        'assigned_user_id', l.assigned_user_id, 'deal_value', l.deal_value, 'currency', l.currency, 'tags', nullif(l.tags, '{}'),
        'resolved_at', leadline_internal.instant(l.resolved_at), 'won_at', leadline_internal.instant(l.won_at),
        'lost_at', leadline_internal.instant(l.lost_at), 'lost_reason', l.lost_reason, 'lost_notes', l.lost_notes,
        'rejection_reason', l.rejection_reason, 'accepted_at', leadline_internal.instant(l.accepted_at),
        'recycle_reason', l.recycle_reason, 'recycle_on', l.recycle_on, 'problem', l.problem, 'timing', l.timing, 'buying_role', l.buying_role,
        'opportunity_id', l.opportunity_id,
        'appointment_ref', l.appointment_ref, 'appointment_at', leadline_internal.instant(l.appointment_at),
        'callback_at', leadline_internal.instant(l.callback_at), 'duplicate_of', l.duplicate_of, 'copied_from', l.copied_from,
        'is_possible_duplicate', l.is_possible_duplicate, 'possible_duplicate_of', l.possible_duplicate_of,
        'merged_into', l.merged_into);
end $$;

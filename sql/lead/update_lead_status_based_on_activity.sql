-- Every activity of a lead passes here, and nothing else moves a lead (seed 000).
-- Fires: before insert on lead_activity, each row. Reads: the lead under its lock, then the rules. Writes: the lead, the verdict.
-- Refuses: by rule, in the row itself. Raises PT401, PT403, PT404, PT409, PT422 as the specification's section A orders them.
create or replace function leadline.update_lead_status_based_on_activity() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
    e leadline_internal.entry := row(new.*);
    s leadline_internal.subject;
    r leadline_internal.rulings;
    x leadline_internal.effect;
    v_entered_at timestamptz;
    v_touched_at timestamptz;
    v_contacted_at timestamptz;
    v_resolved_at timestamptz;
    f leadline.leads;
begin
    if e.actor_kind is null then  -- a column that only Leadline itself may fill
        c := leadline_internal.caller();
        if c.workspace_id is null or c.role = 'analyst' or e.on_behalf_of is not null or e.surface is not null then
            c := leadline_internal.acting(c, e.on_behalf_of, e.surface);
        end if;
        e.workspace_id := c.workspace_id; e.actor_kind := c.actor_kind; e.actor_id := c.actor_id; e.writer := c.writer;
        if e.activity_type = 'lead_imported' and not 'import' = any (c.scopes) then
            perform leadline_internal.forbid('PT403', 'import_needs_scope');
        end if;
    end if;

    -- The lock and the rules are two statements: joined, a wait would return the rule of the stage before the wait.
    select l.workflow, l.stage, l.status, l.late_before, l.version, l.seq, l.hash, l.stage_entered_at, l.last_touch_at, l.first_contacted_at, l.resolved_at
    into s.workflow, s.stage, s.status, s.late_before, s.version, s.seq, s.hash, v_entered_at, v_touched_at, v_contacted_at, v_resolved_at
    from leadline.leads l
    where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id and (l.seq = 0 or leadline_internal.is_visible_to(c, l.assigned_user_id))
    for no key update;
    if s.seq is distinct from 0 and found then
        select * into r from leadline_internal.rulings t
        where t.workflow = s.workflow and t.activity_type = e.activity_type and t.stage = s.stage;
        if not found then r := leadline_internal.vocabulary(e, 'lead_activity'); end if;
        if e.payload is distinct from '{}' or r.needed_keys <> '{}' then perform leadline_internal.check_payload(e, r); end if;
        if e.payload <> '{}' or r.effect = 'fields' or e.activity_type = 'appointment_scheduled' then
            x := leadline_internal.lead_effect(e, c);
        end if;
        if e.from_stage is not null then s.stage := e.from_stage; s.status := e.from_status; end if;  -- before a hand changed it
        e := leadline_internal.decide(e, s, r, x);
        if e.activity_id is null then return null; end if;
        if e.activity_type in ('dnc', 'unsubscribed', 'suppression_lifted') and e.verdict <> 'refused' then
            perform leadline_internal.keep_do_not_contact_list(e, l.email_key, l.phone_key)
            from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        end if;

        if r.touch is not null and e.verdict <> 'refused' and leadline_internal.is_persons_act(r.contact_by, e.actor_kind) then
            v_touched_at := greatest(v_touched_at, e.occurred_at);
            if r.is_contact and v_contacted_at is null then v_contacted_at := e.occurred_at; end if;
        end if;
        if e.to_stage <> e.from_stage then
            v_entered_at := greatest(v_entered_at, e.occurred_at);
            s.late_before := v_entered_at;
        end if;
        if r.entry_timestamp = 'resolved_at' and e.verdict = 'applied' then v_resolved_at := e.occurred_at; end if;
        if x.changes is null or e.verdict <> 'applied' then
            update leadline.leads l set
                stage = e.to_stage, status = e.to_status, stage_entered_at = v_entered_at, late_before = s.late_before, resolved_at = v_resolved_at,
                first_contacted_at = v_contacted_at, last_touch_at = v_touched_at, seq = e.seq, version = e.version, hash = e.hash
            where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        else  -- the same, and the columns that this activity changed; in one update, since the head moves with all of it
            select * into f from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
            f := jsonb_populate_record(f, x.becomes);
            update leadline.leads l set
                stage = e.to_stage, status = e.to_status, stage_entered_at = v_entered_at, late_before = s.late_before,
                resolved_at = case when e.activity_type = 'direct_change' then f.resolved_at else v_resolved_at end,
                first_contacted_at = v_contacted_at, last_touch_at = v_touched_at, seq = e.seq, version = e.version, hash = e.hash,
                name = f.name, company = f.company, email = f.email, phone = f.phone, assigned_user_id = f.assigned_user_id,
                deal_value = f.deal_value, currency = f.currency, tags = coalesce(f.tags, '{}'),
                appointment_ref = f.appointment_ref, appointment_at = f.appointment_at, callback_at = f.callback_at, duplicate_of = f.duplicate_of
            where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        end if;
        return e;
    end if;

    if s.seq is null and (e.subject_id is not null or e.activity_type not in ('lead_created', 'lead_imported')) then
        perform leadline_internal.vocabulary(e, 'lead_activity');
        perform case when e.subject_id is null then leadline_internal.forbid('PT422', 'subject_required')
                     else leadline_internal.forbid('PT404', 'no_such_lead') end;
    end if;
    e := leadline_internal.bear_lead(e, c);
    if e.activity_id is null then return null; end if;
    return e;
end $$;

create or replace trigger t50_update_lead_status_based_on_activity before insert on leadline.lead_activity
    for each row execute function leadline.update_lead_status_based_on_activity();

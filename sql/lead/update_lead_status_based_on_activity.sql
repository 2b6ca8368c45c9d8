-- Every activity of a lead passes here, and nothing else moves a lead (seeds 000 and 004).
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
    v_told jsonb := new.payload;
    v_is_matched bool := false;
    v_is_new_address bool := false;
    v_exclusion text;
    v_is_persons_act bool;
    v_closes bool;
    v_assigned_user_id uuid;
    v_entered_at timestamptz;
    v_touched_at timestamptz;
    v_contacted_at timestamptz;
    v_waiting_since timestamptz;
    v_resolved_at timestamptz;
    f leadline.leads;
begin
    if e.hash is not null then return new; end if;  -- decided before, for somebody who may not see it
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
    if e.subject_id is null and e.activity_type = 'inbound_enquiry' then
        perform leadline_internal.vocabulary(e, 'lead_activity');
        if e.reference is not null and not leadline_internal.claim(e, 'lead_activity') then return null; end if;
        v_exclusion := leadline_internal.exclusion_of(e.workspace_id, e.payload);
        if v_exclusion is null then e.subject_id := leadline_internal.match_enquiry(e); end if;
        v_is_matched := e.subject_id is not null;
    elsif e.activity_type in ('contact_changed', 'inbound_enquiry', 'lead_reopened', 'lead_unarchived', 'stage_corrected',
        'email_replied', 'message_received', 'call_received', 'product_signal_seen') then
        v_is_new_address := leadline_internal.lock_address(e);
    end if;
    if e.activity_type in ('leads_merged', 'leads_unmerged') and e.writer not like 'workflow:%' then perform leadline_internal.lock_both(e, c); end if;

    -- The lock and the rules are two statements: joined, a wait would return the rule of the stage before the wait.
    select l.workflow, l.stage, l.status, l.late_before, l.version, l.seq, l.hash, l.assigned_user_id,
        l.stage_entered_at, l.last_touch_at, l.first_contacted_at, l.waiting_since, l.resolved_at
    into s.workflow, s.stage, s.status, s.late_before, s.version, s.seq, s.hash, v_assigned_user_id,
        v_entered_at, v_touched_at, v_contacted_at, v_waiting_since, v_resolved_at
    from leadline.leads l
    where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id
      and (l.seq = 0 or v_is_matched or leadline_internal.is_visible_to(c, l.assigned_user_id))
    for no key update;
    if s.seq is null or s.seq = 0 then
        if e.subject_id is not null and s.seq is null or e.activity_type not in ('lead_created', 'lead_imported', 'inbound_enquiry') then
            perform leadline_internal.vocabulary(e, 'lead_activity');
            perform case when e.subject_id is null then leadline_internal.forbid('PT422', 'subject_required')
                         else leadline_internal.forbid('PT404', 'no_such_lead') end;
        end if;
        loop
            e := leadline_internal.bear_lead(e, c);
            exit when e.activity_id is not null;
            if e.activity_type is null then return null; end if;
            e.subject_id := leadline_internal.match_enquiry(e);
            if e.subject_id is not null then  -- it meets the lead that came in between after all
                insert into leadline.lead_activity (workspace_id, lead_id, activity_type, payload, reference, occurred_at, actor_kind, actor_id, on_behalf_of, writer, surface)
                values (e.workspace_id, e.subject_id, e.activity_type, e.payload, e.reference, e.occurred_at, e.actor_kind, e.actor_id, e.on_behalf_of, e.writer, e.surface);
                return null;
            end if;
        end loop;
        return e;
    end if;

    select * into r from leadline_internal.rulings t
    where t.workflow = s.workflow and t.activity_type = e.activity_type and t.stage = s.stage and t.status = s.status;
    if not found then r := leadline_internal.vocabulary(e, 'lead_activity'); end if;
    if e.payload is distinct from '{}' or r.needed_keys <> '{}' then perform leadline_internal.check_payload(e, r); end if;
    if e.activity_type = 'inbound_enquiry' and not v_is_matched then v_exclusion := leadline_internal.exclusion_of(e.workspace_id, e.payload); end if;
    if e.activity_type in ('request_accepted', 'request_rejected') and s.workflow = 'qualification' then e := leadline_internal.with_request(e); end if;
    if e.payload <> '{}' or r.effect in ('fields', 'move_to') or s.workflow = 'qualification'
        or e.activity_type in ('appointment_scheduled', 'proposal_sent', 'deal_won', 'deal_lost', 'dnc', 'inbound_enquiry', 'lead_archived', 'lead_unarchived', 'leads_unmerged') then
        e.recorded_at := clock_timestamp();
        x := leadline_internal.lead_effect(e, c);
    end if;
    if v_is_matched and x.need is not null and not leadline_internal.is_visible_to(c, v_assigned_user_id) then
        -- Refused like an enquiry that met nobody: a warning or a row would tell where the lead stands.
        perform leadline_internal.forbid('PT409', x.need, format('%s by %s', e.activity_type, e.writer), 'lead_activity');
    end if;
    if e.activity_type = 'leads_merged' and e.writer not like 'workflow:%' then  -- whoever waits, waits on the lead that goes on
        e.payload := (e.payload - 'waiting_since') || jsonb_strip_nulls(jsonb_build_object('waiting_since', leadline_internal.instant(v_waiting_since)));
    end if;
    if e.activity_type in ('leads_unmerged', 'stage_corrected', 'lead_unarchived', 'lead_reopened') and e.writer not like 'workflow:%' then  -- and comes back with what is still unanswered
        e.payload := (e.payload - 'waiting_since') || jsonb_strip_nulls(jsonb_build_object('waiting_since', leadline_internal.instant(leadline_internal.returning_since(e))));
    end if;
    if e.from_stage is not null then s.stage := e.from_stage; s.status := e.from_status; end if;  -- before a hand changed it
    e := leadline_internal.decide(e, s, r, x);
    if v_is_new_address and (e.activity_id is null or e.verdict <> 'applied') then
        delete from leadline.person_keys k  -- a repetition comes back empty
        where k.workspace_id = coalesce(e.workspace_id, c.workspace_id) and k.kind = 'email' and k.key = leadline.email_key(v_told ->> 'email');
    end if;
    if e.activity_id is null then return null; end if;
    if e.activity_type in ('dnc', 'unsubscribed', 'suppression_lifted') and e.verdict <> 'refused' then
        perform leadline_internal.keep_do_not_contact_list(e, l.email_key, l.phone_key)
        from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
    end if;

    if e.verdict = 'applied' and e.activity_type in ('request_accepted', 'request_rejected', 'lead_qualified', 'lead_converted', 'stage_corrected') then
        select * into f from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        perform leadline_internal.carry_out_qualification(e, v_told, f);
    end if;
    v_is_persons_act := e.verdict <> 'refused' and leadline_internal.is_persons_act(r.contact_by, e.actor_kind);
    if r.touch is not null and v_is_persons_act then
        if r.is_contact then perform leadline_internal.answer_requests(e); end if;
        if r.touch = 'outbound' and v_waiting_since is not null then
            v_waiting_since := case when e.occurred_at < greatest(e.recorded_at, v_touched_at, v_waiting_since) then leadline_internal.still_waiting_after(e) end;
        end if;
        v_touched_at := greatest(v_touched_at, e.occurred_at);
        if r.is_contact and v_contacted_at is null then v_contacted_at := e.occurred_at; end if;
    end if;
    if r.awaits_answer and v_is_persons_act and v_exclusion is null then
        v_waiting_since := least(v_waiting_since, e.occurred_at);
    end if;
    if e.activity_type = 'leads_merged' and e.writer like 'workflow:%' then
        v_waiting_since := least(v_waiting_since, (e.payload ->> 'waiting_since')::timestamptz);
    elsif e.activity_type = 'leads_merged' and e.verdict = 'applied' then
        v_waiting_since := null;
    elsif e.activity_type in ('leads_unmerged', 'stage_corrected', 'lead_unarchived', 'lead_reopened') and e.verdict = 'applied' and exists (
        select from leadline.rule_permitted p where p.workflow = s.workflow and p.stage = e.to_stage and p.status = e.to_status and p.is_open) then
        v_waiting_since := least(v_waiting_since, (e.payload ->> 'waiting_since')::timestamptz);
    end if;
    if e.to_stage <> e.from_stage then
        v_entered_at := greatest(v_entered_at, e.occurred_at);
        s.late_before := v_entered_at;
        if e.actor_kind = 'user' and v_contacted_at is null and exists (
            select from leadline.rule_stages t where t.workflow = s.workflow and t.stage = e.to_stage and t.after_contact) then
            v_contacted_at := e.occurred_at;
        end if;
    end if;
    if e.to_status <> e.from_status then
        select not p.is_open into v_closes from leadline.rule_permitted p
        where p.workflow = s.workflow and p.stage = e.to_stage and p.status = e.to_status;
        if v_closes then
            v_waiting_since := null;
            if e.activity_type <> 'leads_merged' then perform leadline_internal.stop_clocks(e); end if;
        end if;
    end if;
    if r.entry_timestamp = 'resolved_at' and e.verdict = 'applied' then v_resolved_at := e.occurred_at; end if;
    if x.changes is null or e.verdict <> 'applied' then
        update leadline.leads l set
            stage = e.to_stage, status = e.to_status, stage_entered_at = v_entered_at, late_before = s.late_before, resolved_at = v_resolved_at,
            first_contacted_at = v_contacted_at, last_touch_at = v_touched_at, waiting_since = v_waiting_since, seq = e.seq, version = e.version, hash = e.hash
        where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
    else  -- the same, and the columns that this activity changed; in one update, since the head moves with all of it
        select * into f from leadline.leads l where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        f.resolved_at := v_resolved_at;
        f := jsonb_populate_record(f, x.becomes);
        update leadline.leads l set
            stage = e.to_stage, status = e.to_status, stage_entered_at = v_entered_at, late_before = s.late_before, resolved_at = f.resolved_at,
            first_contacted_at = v_contacted_at, last_touch_at = v_touched_at,
            waiting_since = v_waiting_since, seq = e.seq, version = e.version, hash = e.hash,
            name = f.name, company = f.company, email = f.email, phone = f.phone, assigned_user_id = f.assigned_user_id,
            deal_value = f.deal_value, currency = f.currency, tags = coalesce(f.tags, '{}'),
            appointment_ref = f.appointment_ref, appointment_at = f.appointment_at, callback_at = f.callback_at, duplicate_of = f.duplicate_of,
            won_at = f.won_at, lost_at = f.lost_at, lost_reason = f.lost_reason, lost_notes = f.lost_notes, rejection_reason = f.rejection_reason,
            accepted_at = f.accepted_at, recycle_reason = f.recycle_reason, recycle_on = f.recycle_on,
            problem = f.problem, timing = f.timing, buying_role = f.buying_role, opportunity_id = f.opportunity_id,
            is_possible_duplicate = coalesce(f.is_possible_duplicate, false), possible_duplicate_of = f.possible_duplicate_of, merged_into = f.merged_into
        where l.workspace_id = e.workspace_id and l.lead_id = e.subject_id;
        if e.changes ? 'email' or e.changes ? 'phone' then perform leadline_internal.keep_person_keys(e); end if;
    end if;
    if e.activity_type = 'inbound_enquiry' and e.verdict <> 'refused' then
        perform leadline_internal.open_request(e, v_told, v_exclusion);
    end if;
    if v_is_matched and not leadline_internal.is_visible_to(c, v_assigned_user_id) then
        insert into leadline.lead_activity select (e).*;
        return null;
    end if;
    return e;
end $$;

create or replace trigger t50_update_lead_status_based_on_activity before insert on leadline.lead_activity
    for each row execute function leadline.update_lead_status_based_on_activity();

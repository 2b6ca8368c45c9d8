-- The first activity of a lead: lead_created, or lead_imported at the stage it had elsewhere.
-- e: the activity; with a lead_id its lead was inserted bare, else it is still to be made. c: its author.
-- Returns the decided activity, or null when its reference is a repeat. A birth that is refused has no lead to keep the
-- refusal, so it is raised: PT409 with the rule. Raises PT422 unknown_workflow, unknown_stage; PT404 for copied_from.
create or replace function leadline_internal.bear_lead(e leadline_internal.entry, c leadline_internal.credential)
returns leadline_internal.entry
language plpgsql volatile
as $$
declare
    r leadline_internal.rulings;
    x leadline_internal.effect;
    l leadline.leads;
    v_is_made bool := e.subject_id is not null;
    v_entered_at timestamptz;
begin
    r := leadline_internal.vocabulary(e, 'lead_activity');
    if e.activity_type = 'lead_imported' then v_entered_at := (e.payload ->> 'entered_at')::timestamptz; end if;
    if v_is_made then
        select * into l from leadline.leads t where t.workspace_id = e.workspace_id and t.lead_id = e.subject_id;
    else
        l.workspace_id := e.workspace_id;
        l.workflow := coalesce(e.payload ->> 'workflow', (select w.default_workflow from leadline.workspaces w where w.workspace_id = e.workspace_id));
        select w.initial_stage into l.stage from leadline.rule_workflows w where w.workflow = l.workflow and w.journal = 'lead_activity';
        if not found then perform leadline_internal.forbid('PT422', 'unknown_workflow', format('workflow is %s', l.workflow)); end if;
        if e.activity_type = 'lead_imported' then l.stage := e.payload ->> 'stage'; end if;
        l.source := coalesce(leadline_internal.shown_text(e.payload ->> 'source'), split_part(e.writer, ':', 1));
        l.name := leadline_internal.shown_text(e.payload ->> 'name');
        l.company := leadline_internal.shown_text(e.payload ->> 'company');
        l.email := leadline_internal.shown_text(e.payload ->> 'email');
        l.phone := leadline_internal.shown_text(e.payload ->> 'phone');
        l.assigned_user_id := (e.payload ->> 'assigned_user_id')::uuid;
        if l.assigned_user_id is null and c.role = 'member' then l.assigned_user_id := c.user_id; end if;
        l.deal_value := (e.payload ->> 'deal_value')::numeric;
        l.currency := e.payload ->> 'currency';
        l.copied_from := (e.payload ->> 'copied_from')::uuid;
        l.tags := '{}';
    end if;
    if l.deal_value is not null and l.currency is null then l.currency := leadline_internal.workspace_currency(l.workspace_id); end if;
    select p.status into l.status from leadline.rule_permitted p where p.workflow = l.workflow and p.stage = l.stage order by p.status limit 1;
    if not found then perform leadline_internal.forbid('PT422', 'unknown_stage', format('stage is %s', l.stage)); end if;
    if l.copied_from is not null and not leadline_internal.lead_exists(c, l.workspace_id, l.copied_from) then
        perform leadline_internal.forbid('PT404', 'no_such_lead', 'copied_from');
    end if;
    if not leadline_internal.is_active_member(l.workspace_id, l.assigned_user_id) then x.need := 'unknown_assignee'; end if;
    e.occurred_at := coalesce(e.occurred_at, v_entered_at);
    if l.status = 'resolved' then l.resolved_at := v_entered_at; end if;

    r.effect := 'fields';
    x.changes := leadline_internal.initial_values(leadline_internal.lead_fields(l));
    e := leadline_internal.decide(e, row(l.workflow, l.stage, l.status, null, 0, 0, null), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict <> 'applied' then
        perform leadline_internal.forbid('PT409', e.rule, format('%s by %s', e.activity_type, e.writer), 'lead_activity');
    end if;

    l.lead_id := e.subject_id;
    l.stage_entered_at := coalesce(v_entered_at, e.occurred_at);
    l.late_before := v_entered_at;
    if v_is_made then
        update leadline.leads t set
            status = l.status, currency = l.currency, stage_entered_at = l.stage_entered_at, created_at = e.occurred_at,
            seq = e.seq, version = e.version, hash = e.hash
        where t.workspace_id = l.workspace_id and t.lead_id = l.lead_id;
    else
        insert into leadline.leads (
            workspace_id, lead_id, workflow, status, stage, stage_entered_at, late_before, source, name, company, email, phone,
            assigned_user_id, deal_value, currency, resolved_at, copied_from, created_at, seq, version, hash)
        values (
            l.workspace_id, l.lead_id, l.workflow, l.status, l.stage, l.stage_entered_at, l.late_before, l.source, l.name, l.company, l.email, l.phone,
            l.assigned_user_id, l.deal_value, l.currency, l.resolved_at, l.copied_from, e.occurred_at, e.seq, e.version, e.hash);
    end if;
    if l.stage = 'dnc' then
        perform leadline_internal.keep_do_not_contact_list(e, leadline.email_key(l.email), leadline.phone_key(l.phone));
    end if;
    return e;
end $$;

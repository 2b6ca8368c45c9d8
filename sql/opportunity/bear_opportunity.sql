-- The first activity of an opportunity: opportunity_opened, by somebody, or by the conversion of a lead.
-- e: the activity; a conversion has chosen the id. c: its author. Returns the decided activity; null when its reference is a repeat. A birth
-- that is refused has no opportunity to keep the refusal, so it is raised: PT409 with the rule. Raises PT422 unknown_workflow, PT404 no_such_person.
create or replace function leadline_internal.bear_opportunity(e leadline_internal.entry, c leadline_internal.credential) returns leadline_internal.entry
language plpgsql volatile
as $$
declare
    r leadline_internal.rulings := leadline_internal.vocabulary(e, 'opportunity_activity');
    x leadline_internal.effect;
    o leadline.opportunities;
begin
    o.workspace_id := e.workspace_id;
    o.workflow := e.payload ->> 'pipeline';
    select w.initial_stage into o.stage from leadline.rule_workflows w where w.workflow = o.workflow and w.journal = 'opportunity_activity';
    if not found then perform leadline_internal.forbid('PT422', 'unknown_workflow', format('pipeline is %s', o.workflow)); end if;
    o.status := leadline_internal.status_of(o.workflow, o.stage);
    o.person_id := leadline_internal.person_of(e.workspace_id, (e.payload ->> 'person_id')::uuid);
    perform leadline_internal.require_contact(c, o.workspace_id, (e.payload ->> 'person_id')::uuid);
    if e.reference is not null and not leadline_internal.claim(e, 'opportunity_activity') then return null; end if;
    select p.account_id into o.account_id from leadline.people p where p.workspace_id = o.workspace_id and p.person_id = o.person_id;
    if e.writer like 'workflow:%' then o.lead_id := (e.payload ->> 'lead_id')::uuid; end if;
    o.assigned_user_id := (e.payload ->> 'assigned_user_id')::uuid;
    if o.assigned_user_id is null and c.role = 'member' then o.assigned_user_id := c.user_id; end if;
    o.amount := (e.payload ->> 'amount')::numeric;
    if o.amount is not null then o.currency := coalesce(e.payload ->> 'currency', leadline_internal.workspace_currency(o.workspace_id)); end if;
    o.close_date := (e.payload ->> 'close_date')::date;
    o.contacts := jsonb_build_object(o.person_id::text, case when o.lead_id is null then 'buying contact' else 'converted lead' end);
    if not leadline_internal.is_active_member(o.workspace_id, o.assigned_user_id) then x.need := 'unknown_assignee'; end if;
    r.effect := 'fields'; r.rule := null; r.is_open := true;
    x.changes := leadline_internal.initial_values(leadline_internal.opportunity_fields(o));
    e := leadline_internal.decide(e, row(o.workflow, o.stage, o.status, null, 0, 0, null), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict <> 'applied' then perform leadline_internal.forbid('PT409', e.rule, format('%s by %s', e.activity_type, e.writer), 'opportunity_activity'); end if;
    insert into leadline.opportunities (workspace_id, opportunity_id, workflow, status, stage, stage_entered_at, person_id, account_id, lead_id, assigned_user_id,
        amount, currency, close_date, contacts, created_at, seq, version, hash)
    values (o.workspace_id, e.subject_id, o.workflow, o.status, o.stage, e.occurred_at, o.person_id, o.account_id, o.lead_id, o.assigned_user_id,
        o.amount, o.currency, o.close_date, o.contacts, e.occurred_at, e.seq, e.version, e.hash);
    return e;
end $$;

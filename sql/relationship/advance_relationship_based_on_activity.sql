-- Every activity of a relationship passes here, and nothing else moves a person (seed 002).
-- Fires: before insert on relationship_activity, each row. Reads: the person under their lock, then the rules. Writes: the person, the
-- verdict, the approvals. Refuses and holds: by rule, in the row itself. Raises PT401, PT403, PT404 no_such_person, no_such_approval, PT409, PT422.
create or replace function leadline.advance_relationship_based_on_activity() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
    e leadline_internal.entry := row(new.*);
    p leadline.people;
    a leadline.approvals;
    r leadline_internal.rulings;
    x leadline_internal.effect;
begin
    c := leadline_internal.author(e);
    e := leadline_internal.signed(e, c);
    if not leadline_internal.person_is_visible_to(c, e.workspace_id, e.subject_id) then perform leadline_internal.no_subject(e, 'relationship_activity'); end if;
    if e.activity_type in ('product_signal_seen', 'approval_granted') then perform leadline_internal.lock_before_person(e); end if;
    select * into p from leadline.people t where t.workspace_id = e.workspace_id and t.person_id = e.subject_id for no key update;
    if not found then perform leadline_internal.no_subject(e, 'relationship_activity'); end if;
    r := leadline_internal.law(e, 'relationship_activity', p.workflow, p.stage, p.status);
    e.recorded_at := clock_timestamp();
    if e.activity_type in ('approval_granted', 'approval_declined', 'approval_expired') then
        select * into a from leadline.approvals t
        where t.workspace_id = p.workspace_id and t.person_id = p.person_id and t.approval_id = (e.payload ->> 'approval_id')::uuid;
        if not found then perform leadline_internal.forbid('PT404', 'no_such_approval'); end if;
        e.caused_by := a.activity_id;
    end if;
    x := leadline_internal.relationship_effect(e, p, c, a);
    e := leadline_internal.decide(e, row(p.workflow, coalesce(e.from_stage, p.stage), coalesce(e.from_status, p.status), p.late_before, p.version, p.seq, p.hash), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict = 'held' or e.activity_type like 'approval_%' then perform leadline_internal.keep_approvals(e); end if;
    if e.to_stage <> e.from_stage then
        p.stage_entered_at := greatest(p.stage_entered_at, e.occurred_at);
        p.late_before := p.stage_entered_at;
    end if;
    update leadline.people t set
        stage = e.to_stage, status = e.to_status, furthest_stage = case when e.verdict = 'applied' then coalesce(x.becomes ->> 'furthest_stage', t.furthest_stage) else t.furthest_stage end,
        stage_entered_at = p.stage_entered_at, late_before = p.late_before, seq = e.seq, version = e.version, hash = e.hash
    where t.workspace_id = e.workspace_id and t.person_id = e.subject_id;
    return e;
end $$;

create or replace trigger t50_advance_relationship_based_on_activity before insert on leadline.relationship_activity
    for each row execute function leadline.advance_relationship_based_on_activity();

create or replace function leadline_internal.lock_before_person(e leadline_internal.entry) returns void
language plpgsql volatile
as $$
-- Addresses, leads and opportunities are locked before people, always, so that an outcome on its way to its person never waits
-- crosswise: here what a signal may bring back, and the outcome that a yes has to be sure of.
declare
    v_approval_id uuid := leadline_internal.read_id(e.payload ->> 'approval_id');
begin
    if e.activity_type = 'product_signal_seen' then
        if exists (select from leadline.people p where p.workspace_id = e.workspace_id and p.person_id = e.subject_id) then
            perform leadline_internal.lock_circle(e.workspace_id, e.subject_id);
        end if;
    else
        perform from leadline.leads l
        where l.workspace_id = e.workspace_id and l.lead_id = (
            select t.lead_id from leadline.approvals a
            join leadline.relationship_activity h on h.workspace_id = a.workspace_id and h.activity_id = a.activity_id
            join leadline.lead_activity t on t.workspace_id = h.workspace_id and t.activity_id = h.caused_by
            where a.workspace_id = e.workspace_id and a.approval_id = v_approval_id) for no key update;
        perform from leadline.opportunities o
        where o.workspace_id = e.workspace_id and o.opportunity_id = (
            select t.opportunity_id from leadline.approvals a
            join leadline.relationship_activity h on h.workspace_id = a.workspace_id and h.activity_id = a.activity_id
            join leadline.opportunity_activity t on t.workspace_id = h.workspace_id and t.activity_id = h.caused_by
            where a.workspace_id = e.workspace_id and a.approval_id = v_approval_id) for no key update;
    end if;
end $$;

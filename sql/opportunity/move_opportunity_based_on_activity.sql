-- Every activity of an opportunity passes here, and nothing else moves a deal (seed 003).
-- Fires: before insert on opportunity_activity, each row. Reads: the opportunity under its lock, then the rules. Writes: the opportunity, the verdict.
-- Refuses: by rule, in the row itself. Raises PT401, PT403, PT404 no_such_opportunity, no_such_person, PT409, PT422.
create or replace function leadline_internal.move_opportunity_based_on_activity() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    c leadline_internal.credential;
    e leadline_internal.entry := row(new.*);
    o leadline.opportunities;
    r leadline_internal.rulings;
    x leadline_internal.effect;
begin
    c := leadline_internal.author(e);
    e := leadline_internal.signed(e, c);
    select * into o from leadline.opportunities t
    where t.workspace_id = e.workspace_id and t.opportunity_id = e.subject_id and leadline_internal.is_visible_to(c, t.assigned_user_id) for no key update;
    if not found then
        if e.activity_type = 'opportunity_opened' and (e.subject_id is null or e.writer = 'workflow:conversion') then
            e := leadline_internal.bear_opportunity(e, c);
            return case when e.activity_id is not null then e end;
        end if;
        perform leadline_internal.no_subject(e, 'opportunity_activity');
    end if;
    r := leadline_internal.law(e, 'opportunity_activity', o.workflow, o.stage, o.status);
    e.recorded_at := clock_timestamp();
    x := leadline_internal.opportunity_effect(e, o, c);
    e := leadline_internal.decide(e, row(o.workflow, coalesce(e.from_stage, o.stage), coalesce(e.from_status, o.status), o.late_before, o.version, o.seq, o.hash), r, x);
    if e.activity_id is null then return null; end if;
    if e.verdict = 'applied' then o := jsonb_populate_record(o, x.becomes); end if;
    if e.to_stage <> e.from_stage then
        o.stage_entered_at := greatest(o.stage_entered_at, e.occurred_at);
        o.late_before := o.stage_entered_at;
    end if;
    update leadline.opportunities t set
        stage = e.to_stage, status = e.to_status, stage_entered_at = o.stage_entered_at, late_before = o.late_before,
        assigned_user_id = o.assigned_user_id, amount = o.amount, currency = o.currency, close_date = o.close_date,
        problem = o.problem, decision_process = o.decision_process, next_step = o.next_step, next_step_on = o.next_step_on,
        contacts = coalesce(o.contacts, '{}'), won_at = o.won_at, lost_at = o.lost_at, lost_reason = o.lost_reason, lost_notes = o.lost_notes,
        seq = e.seq, version = e.version, hash = e.hash
    where t.workspace_id = e.workspace_id and t.opportunity_id = e.subject_id;
    return e;
end $$;

create or replace trigger t50_move_opportunity_based_on_activity before insert on leadline.opportunity_activity
    for each row execute function leadline_internal.move_opportunity_based_on_activity();

-- What follows from an activity of a lead, once its statement is done.

-- Fires: after an activity that moved a lead. Reads: rule_effects of the stage it left. Writes: a further activity with caused_by;
-- it is noted overtaken when the lead has moved on in the same statement.
create or replace function leadline_internal.carry_out_consequences_for_lead() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_effect record;
begin
    for v_effect in
        select f.consequence, f.writer, l.version, l.callback_at
        from leadline.leads l
        join leadline.rule_effects f on f.workflow = l.workflow and f.from_stage = new.from_stage
        where l.workspace_id = new.workspace_id and l.lead_id = new.lead_id
        order by f.consequence
    loop
        continue when v_effect.consequence = 'callback_cancelled' and v_effect.callback_at is null;
        insert into leadline.lead_activity (workspace_id, lead_id, activity_type, occurred_at, actor_kind, writer, caused_by, rule)
        values (new.workspace_id, new.lead_id, v_effect.consequence, new.occurred_at, 'system', v_effect.writer, new.activity_id,
            case when v_effect.version <> new.version then 'overtaken' end);
    end loop;
    return null;
end $$;
-- Only for the stages that rule_effects names: an activity that has no consequence does not pay for asking.
do $$ begin
    execute format('create or replace trigger t70_carry_out_consequences after insert on leadline.lead_activity
        for each row when (new.from_stage <> new.to_stage and new.from_stage = any (%L)) execute function leadline_internal.carry_out_consequences_for_lead()',
        (select array_agg(distinct f.from_stage order by f.from_stage) from leadline.rule_effects f));
end $$;

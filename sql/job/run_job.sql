-- What runs without being asked. The clock only says what time it is; the row in job_runs is the guarantee of once.

create or replace function leadline.job_names() returns table (job text, every_seconds int)
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
    return query values ('approval_expiry', 3600), ('checkpoint', 3600), ('idempotency_sweep', 3600), ('raw_body_retention', 86400);
end $$;
comment on function leadline.job_names() is 'The jobs, and the length of their slots in seconds.';

create or replace function leadline.run_job(p_job text, p_workspace_id uuid, p_now timestamptz) returns bool
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
-- The slot is the last full period before p_now. Another worker at the same slot is not waited for.
declare
    v_seconds int := (select j.every_seconds from leadline.job_names() j where j.job = p_job);
    v_slot timestamptz := to_timestamp(floor(extract(epoch from p_now) / v_seconds) * v_seconds);
    v_result jsonb;
begin
    if v_seconds is null then
        raise exception using errcode = 'PT422', message = format('There is no job %s.', p_job), hint = 'See job_names().', constraint = 'known_job';
    end if;
    if not exists (select from leadline.workspaces w where w.workspace_id = p_workspace_id and w.status = 'open') then return false; end if;
    -- Two statements: read together with the lock, the slot would be seen as it was before the lock was free.
    if not pg_try_advisory_xact_lock(hashtextextended(p_job || p_workspace_id, 0)) then return false; end if;
    if exists (select from leadline.job_runs r where r.workspace_id = p_workspace_id and r.job = p_job and r.slot = v_slot) then return false; end if;
    case p_job
        when 'approval_expiry' then v_result := leadline_internal.expire_approvals(p_workspace_id, p_now);
        when 'checkpoint' then v_result := leadline_internal.take_checkpoint(p_workspace_id, p_now);
        when 'idempotency_sweep' then v_result := leadline_internal.sweep_idempotency_keys(p_workspace_id, p_now);
        when 'raw_body_retention' then v_result := leadline_internal.purge_webhook_bodies(p_workspace_id, p_now);
    end case;
    insert into leadline.job_runs (workspace_id, job, slot, finished_at, result) values (p_workspace_id, p_job, v_slot, clock_timestamp(), v_result);
    return true;
end $$;
comment on function leadline.run_job(text, uuid, timestamptz) is 'Runs a job for a workspace and the slot of p_now, once: true when this call did it, false when it is done or being done. PT422 for an unknown job.';

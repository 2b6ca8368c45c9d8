-- A request that is sent again with its Idempotency-Key is answered again, not done again.

create or replace function leadline_internal.kept_answer(
    p_workspace_id uuid, p_credential_id uuid, p_route text, p_key text, p_fingerprint bytea, out status int, out content_type text, out body text
)
language plpgsql stable
as $$
-- The answer of the last 24 hours, nulls when there is none. Raises PT422 idempotency_key_reused when another request had it.
declare
    v_fingerprint bytea;
begin
    select i.fingerprint, i.status, i.content_type, i.body into v_fingerprint, status, content_type, body
    from leadline.idempotency_keys i
    where i.workspace_id = p_workspace_id and i.credential_id = p_credential_id and i.route = p_route and i.key = p_key
      and i.answered_at >= now() - interval '24 hours';
    if v_fingerprint <> p_fingerprint then perform leadline_internal.forbid('PT422', 'idempotency_key_reused'); end if;
end $$;

create or replace function leadline_internal.hold_idempotency_key(p_route text, p_key text) returns leadline_internal.credential
language plpgsql volatile
as $$
-- The caller, holding the key until the end of this transaction. Nobody waits for it: whoever comes second is told to come again.
-- Raises PT401 credential_required, PT409 request_in_progress.
declare
    c leadline_internal.credential := leadline_internal.caller();
begin
    if c.credential_id is null then perform leadline_internal.forbid('PT401', 'credential_required'); end if;
    if not pg_try_advisory_xact_lock(hashtextextended(concat_ws('|', 'idempotency key', c.workspace_id, c.credential_id, p_route, p_key), 0)) then
        perform leadline_internal.forbid('PT409', 'request_in_progress');
    end if;
    return c;
end $$;

create or replace function leadline.claim_idempotency_key(
    p_route text, p_key text, p_fingerprint bytea, out status int, out content_type text, out body text
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
-- Looked up, held, looked up again: an answer is given though others are asking for it, and the second look sees what the
-- holder before us has just committed. Each look is a statement of its own, with its own snapshot.
declare
    c leadline_internal.credential := leadline_internal.caller();
    v_kept record;
begin
    for v_look in 1..2 loop
        select * into v_kept from leadline_internal.kept_answer(c.workspace_id, c.credential_id, p_route, p_key, p_fingerprint);
        exit when v_kept.status is not null or v_look = 2;
        c := leadline_internal.hold_idempotency_key(p_route, p_key);
    end loop;
    status := v_kept.status; content_type := v_kept.content_type; body := v_kept.body;
end $$;
comment on function leadline.claim_idempotency_key(text, text, bytea) is
    'The answer this credential''s request with this key got in the last 24 hours. Nulls: there is none, and the key is the caller''s until the end of the transaction; keep_answer() before it ends. Raises PT401 credential_required, PT409 request_in_progress, PT422 idempotency_key_reused.';

create or replace function leadline.keep_answer(
    p_route text, p_key text, p_fingerprint bytea, p_status int, p_content_type text, p_body text
) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
-- Under the key's lock, so that it can replace an answer only after its day.
declare
    c leadline_internal.credential := leadline_internal.hold_idempotency_key(p_route, p_key);
begin
    insert into leadline.idempotency_keys as i (workspace_id, credential_id, route, key, fingerprint, status, content_type, body, answered_at)
    values (c.workspace_id, c.credential_id, p_route, p_key, p_fingerprint, p_status, p_content_type, p_body, now())
    on conflict on constraint idempotency_keys_pkey do update
        set fingerprint = excluded.fingerprint, status = excluded.status, content_type = excluded.content_type, body = excluded.body,
            answered_at = excluded.answered_at
        where i.answered_at < now() - interval '24 hours';
end $$;
comment on function leadline.keep_answer(text, text, bytea, int, text, text) is
    'Keeps the answer to a request for 24 hours, in the transaction of what the request did. Raises PT401 credential_required, PT409 request_in_progress.';

create or replace function leadline_internal.sweep_idempotency_keys(p_workspace_id uuid, p_now timestamptz) returns jsonb
language plpgsql volatile
as $$
-- Deletes what no longer counts; returns how many rows that were.
declare
    v_deleted bigint;
begin
    delete from leadline.idempotency_keys i where i.workspace_id = p_workspace_id and i.answered_at < p_now - interval '24 hours';
    get diagnostics v_deleted = row_count;
    return jsonb_build_object('deleted', v_deleted);
end $$;

create or replace function leadline_internal.forget_in_idempotency_keys(p_workspace_id uuid, p_lead_ids uuid[]) returns bigint
language plpgsql volatile
as $$
-- Deletes the answers that name one of these leads, since an answer shows who a lead is; returns how many. Called with the leads
-- locked: a request that still shows one of them has then ended, or waits and will show what is left.
declare
    v_deleted bigint;
begin
    delete from leadline.idempotency_keys i
    where i.workspace_id = p_workspace_id and exists (select from unnest(p_lead_ids) l (lead_id) where strpos(i.body, l.lead_id::text) > 0);
    get diagnostics v_deleted = row_count;
    return v_deleted;
end $$;

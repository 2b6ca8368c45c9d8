-- The bytes of a journal row that its hash covers: all columns but transaction_id and hash, in order, nulls included,
-- times as epoch seconds. Depends on no session setting and survives a dump into another version of PostgreSQL.
-- One expression, so that its callers take it in; stable, because json_build_array is.
create or replace function leadline_internal.canonical(e leadline_internal.entry) returns bytea
language sql stable parallel safe
return convert_to(json_build_array(
    e.workspace_id, e.activity_id, e.subject_id, e.activity_type, e.payload, e.reference,
    extract(epoch from e.occurred_at), extract(epoch from e.recorded_at), e.actor_kind, e.actor_id, e.on_behalf_of, e.writer, e.surface,
    e.caused_by, e.verdict, e.rule, e.from_stage, e.to_stage, e.from_status, e.to_status,
    e.changes, extract(epoch from e.attention_since), e.version, e.seq, encode(e.content_hash, 'hex'), e.rules_version)::text, 'UTF8');

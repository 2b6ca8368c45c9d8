-- Answers kept for a day under the key their request came with: a request sent twice is done once and answered twice.
-- depends: 0008_intake
set lock_timeout = '3s';

create table leadline.idempotency_keys (
    workspace_id  uuid not null,
    credential_id uuid not null,
    route         text not null,
    key           text not null,
    fingerprint   bytea not null,
    status        int not null,
    content_type  text not null,
    body          text not null,
    answered_at   timestamptz not null,
    constraint idempotency_keys_pkey primary key (workspace_id, credential_id, route, key),
    constraint idempotency_keys_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint idempotency_keys_key_is_1_to_255_characters check (length(key) between 1 and 255),
    constraint idempotency_keys_keep_success_and_refusals_only check (status between 200 and 299 or status = 409)
);
create index idempotency_keys_by_age on leadline.idempotency_keys (workspace_id, answered_at);
comment on table leadline.idempotency_keys is 'Answers to requests that carried an Idempotency-Key, written in the transaction of what they did. Good for 24 hours; read and written by definer functions alone.';
comment on column leadline.idempotency_keys.credential_id is 'The token that sent the request: nobody else''s key is the same key.';
comment on column leadline.idempotency_keys.route is 'Method and path, ids in one spelling.';
comment on column leadline.idempotency_keys.fingerprint is 'SHA-256 of what was asked: the body with its keys in order, and on whose behalf.';
comment on column leadline.idempotency_keys.body is 'The answer as it was sent. It may show a person: forget_in_idempotency_keys() removes it when they are erased.';

-- What other systems post: addresses, who may post there, and every delivery as it came.
-- depends: 0009_idempotency
set lock_timeout = '3s';

create table leadline.rule_webhook_presets (
    preset        text not null,
    label         text not null,
    scheme        text not null,
    signature     jsonb not null default '{}',
    has_handshake bool not null default false,
    mapping       jsonb not null,
    seed          text not null,
    constraint rule_webhook_presets_pkey primary key (preset)
);
comment on table leadline.rule_webhook_presets is 'How known senders sign and what their bodies mean; a source follows its preset until it is given a mapping of its own.';
comment on column leadline.rule_webhook_presets.has_handshake is 'The sender asks with GET before it posts (hub.challenge).';

create table leadline.webhook_sources (
    workspace_id      uuid not null,
    source_id         uuid not null default gen_random_uuid(),
    key               text not null,
    name              text not null,
    preset            text,
    mapping           jsonb,
    scheme            text not null,
    signature         jsonb not null default '{}',
    secret            text,
    verify_token_hash bytea,
    created_at        timestamptz not null default clock_timestamp(),
    removed_at        timestamptz,
    constraint webhook_sources_pkey primary key (workspace_id, source_id),
    constraint webhook_sources_key_is_known_once unique (key),
    constraint webhook_sources_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint webhook_sources_preset_exists foreign key (preset) references leadline.rule_webhook_presets,
    constraint webhook_sources_say_what_bodies_mean check (preset is not null or mapping is not null),
    constraint webhook_sources_name_says_something check (name ~ '\S'),
    constraint webhook_sources_scheme_is_known check (scheme in ('none', 'standard_webhooks', 'hmac', 'timestamped_hmac', 'hubspot_v3')),
    constraint webhook_sources_that_sign_have_a_secret check ((scheme = 'none') = (secret is null))
);
comment on table leadline.webhook_sources is 'Addresses that other systems post to. Never deleted, only removed; read through the view webhooks.';
comment on column leadline.webhook_sources.key is 'The unguessable part of the address /v1/hooks/<key>; it leads to the workspace.';
comment on column leadline.webhook_sources.mapping is 'What the bodies mean (docs/sql.md); null: as the preset says.';
comment on column leadline.webhook_sources.scheme is 'How deliveries are signed: none, standard_webhooks, hmac, timestamped_hmac, hubspot_v3.';
comment on column leadline.webhook_sources.signature is 'Details of the scheme: header, encoding, prefix, tolerance_s, origin.';
comment on column leadline.webhook_sources.secret is 'Signs deliveries. Granted to nobody: signatures are checked inside the database.';
comment on column leadline.webhook_sources.verify_token_hash is 'sha256 of the token that the handshake must bring.';

create table leadline.webhook_logs (
    workspace_id uuid not null,
    log_id       bigint generated always as identity,
    source_id    uuid not null,
    received_at  timestamptz not null,
    headers      jsonb,
    content_type text,
    body         bytea,
    event_id     text,
    status       text not null,
    error        text,
    attempts     int not null default 1,
    processed_at timestamptz,
    results      jsonb,
    purged_at    timestamptz,
    ticket       uuid,
    constraint webhook_logs_pkey primary key (workspace_id, log_id),
    constraint webhook_logs_source_exists foreign key (workspace_id, source_id) references leadline.webhook_sources,
    constraint webhook_logs_status_is_known check (status in ('received', 'processed', 'unmapped', 'unparsed', 'mapping_failed', 'bad_signature')),
    constraint webhook_logs_purged_ones_keep_no_body check (purged_at is null or body is null and headers is null)
);
create index webhook_logs_by_source on leadline.webhook_logs (workspace_id, source_id, log_id);
create index webhook_logs_with_body on leadline.webhook_logs (workspace_id, received_at) where purged_at is null;
comment on table leadline.webhook_logs is 'Every delivery to a known address as it came, stored before anything is made of it (seed 004 rule 8.2).';
comment on column leadline.webhook_logs.headers is 'Names in lower case, without authorization and cookie; :method and :uri are the request line.';
comment on column leadline.webhook_logs.body is 'The bytes as they came; null once purged.';
comment on column leadline.webhook_logs.event_id is 'The sender''s name for the event: a redelivery has the same.';
comment on column leadline.webhook_logs.status is 'received (nothing made of it yet), processed, unmapped (nothing in it is known), unparsed, mapping_failed (something in it could not be logged), bad_signature.';
comment on column leadline.webhook_logs.attempts is 'Times that something was to be made of it: 1, and one more for every replay.';
comment on column leadline.webhook_logs.results is 'One object an activity: what was logged (verdict, rule, lead_id, activity_id), what failed and why; no personal text.';
comment on column leadline.webhook_logs.ticket is 'Who holds it may make something of this delivery, once.';

-- A booking system names the appointment, not the lead.
create index leads_by_appointment on leadline.leads (workspace_id, appointment_ref) where appointment_ref is not null;

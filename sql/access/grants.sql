-- The door opens last, when the rules stand. Every grant names its columns where a row has columns of both kinds;
-- nobody may give workspace_id, a verdict or an author.
grant usage on schema leadline to leadline_writer, leadline_reader, leadline_contacts, leadline_service, leadline_worker;
grant usage on schema leadline_internal to leadline_writer, leadline_reader, leadline_contacts, leadline_service;

-- the law: everybody reads it
grant select on leadline.rule_workflows, leadline.rule_stages, leadline.rule_permitted, leadline.rule_sentences, leadline.rule_activity_types,
    leadline.rule_payload_keys, leadline.rule_transitions, leadline.rule_effects, leadline.rule_webhook_presets, leadline.rule_reasons, leadline.rule_personal_fields,
    leadline.rule_aliases, leadline.rule_proposals, leadline.rule_blocks, leadline.activity_types, leadline.transition_rules
    to leadline_writer, leadline_reader, leadline_service, leadline_worker;

grant select on leadline.stage_arrows, leadline.stage_model to leadline_writer, leadline_reader, leadline_service, leadline_worker;
grant execute on function leadline.stage_model_document(), leadline.lint_model(jsonb),
    leadline_internal.lint_block(jsonb, jsonb), leadline_internal.texts(jsonb), leadline_internal.is_no_fact(text)
    to leadline_writer, leadline_reader, leadline_service;

-- reading
grant select (workspace_id, lead_id, workflow, status, stage, stage_entered_at, late_before, source, assigned_user_id, deal_value, currency, tags,
    first_contacted_at, last_touch_at, resolved_at, appointment_ref, appointment_at, callback_at, duplicate_of, copied_from, created_at, seq, version, hash,
    person_id, waiting_since, won_at, lost_at, lost_reason, rejection_reason, is_possible_duplicate, possible_duplicate_of, merged_into,
    accepted_at, recycle_reason, recycle_on, opportunity_id)
    on leadline.leads to leadline_writer, leadline_reader, leadline_service;
grant select (name, company, email, email_key, email_stem, phone, phone_key, lost_notes, problem, timing, buying_role) on leadline.leads to leadline_writer, leadline_contacts, leadline_service;
grant select on leadline.workspaces, leadline.memberships, leadline.lead_activity, leadline.workspace_activity, leadline.activity_content,
    leadline.checkpoints, leadline.lead_overview, leadline.lead_timeline, leadline.stage_history, leadline.activities, leadline.refused_activities,
    leadline.change_feed, leadline.lead_changes, leadline.workspace_changes, leadline.relationship_changes, leadline.opportunity_changes, leadline.customer_changes,
    leadline.relationship_activity, leadline.opportunity_activity, leadline.customer_activity, leadline.approvals, leadline.subscriptions,
    leadline.contacts, leadline.relationship_timeline, leadline.relationship_stage_events, leadline.approval_queue, leadline.person_timeline, leadline.product_signals,
    leadline.opportunity_overview, leadline.opportunity_timeline, leadline.subscription_overview, leadline.customer_timeline, leadline_internal.person_acts,
    leadline.account_rollup, leadline.lifecycle_funnel, leadline.milestones, leadline.merged_people, leadline.merged_leads, leadline.lead_milestones, leadline.opportunity_milestones,
    leadline.person_milestones, leadline.request_milestones, leadline.findings,
    leadline.accounts, leadline.people, leadline.person_overview, leadline.request_ledger, leadline.sales_pipeline, leadline.outbox
    to leadline_writer, leadline_reader, leadline_service;
grant select on leadline.lead_contacts to leadline_writer, leadline_contacts, leadline_service;
grant select (workspace_id, request_id, lead_id, person_id, activity_id, request_class, source, received_at, route, exclusion, owner_user_id,
    first_response_at, not_applicable_at, decision, decision_reason, disposition_at, qualified_at) on leadline.requests to leadline_writer, leadline_reader, leadline_service;
grant select (external_id) on leadline.requests to leadline_writer, leadline_contacts, leadline_service;
grant select on leadline.person_keys, leadline.person_contacts to leadline_writer, leadline_contacts, leadline_service;
grant select (workspace_id, opportunity_id, workflow, status, stage, stage_entered_at, late_before, person_id, account_id, lead_id, assigned_user_id,
    amount, currency, close_date, next_step_on, contacts, won_at, lost_at, lost_reason, created_at, seq, version, hash)
    on leadline.opportunities to leadline_writer, leadline_reader, leadline_service;
grant select (problem, decision_process, next_step, lost_notes) on leadline.opportunities to leadline_writer, leadline_contacts, leadline_service;
grant select on leadline.opportunity_contacts to leadline_writer, leadline_contacts, leadline_service;
grant select (workspace_id, subscription_id, period_start, period_end, stage, opened_at, settled_at) on leadline.renewal_cycles
    to leadline_writer, leadline_reader, leadline_service;
grant select (churn_reason) on leadline.renewal_cycles to leadline_writer, leadline_contacts, leadline_service;
grant select on leadline.suppressions to leadline_writer, leadline_contacts, leadline_service;

-- reporting
grant insert (lead_id, activity_type, payload, reference, occurred_at, on_behalf_of, surface) on leadline.lead_activity to leadline_writer, leadline_service;
grant insert (person_id, activity_type, payload, reference, occurred_at, on_behalf_of, surface) on leadline.relationship_activity to leadline_writer, leadline_service;
grant insert (opportunity_id, activity_type, payload, reference, occurred_at, on_behalf_of, surface) on leadline.opportunity_activity to leadline_writer, leadline_service;
grant insert (subscription_id, activity_type, payload, reference, occurred_at, on_behalf_of, surface) on leadline.customer_activity to leadline_writer, leadline_service;
grant insert (workflow, source, name, company, email, phone, assigned_user_id, deal_value, currency) on leadline.leads to leadline_writer, leadline_service;
grant insert (about_id, activity_type, payload, reference, occurred_at, on_behalf_of, surface) on leadline.workspace_activity to leadline_writer, leadline_service;

-- functions
grant select on leadline.members to leadline_writer, leadline_reader, leadline_service;
grant select (workspace_id, token_id, prefix, role, user_id, scopes, name, created_at, expires_at, revoked_at, last_used_at) on leadline.api_tokens
    to leadline_writer, leadline_service;
grant select (workspace_id, login_id, login, role, user_id, scopes, created_at, revoked_at) on leadline.workspace_logins to leadline_writer, leadline_service;
grant select on leadline.tokens, leadline.logins to leadline_writer, leadline_service;
grant execute on function leadline.create_workspace(text), leadline.close_workspace(uuid), leadline.add_member(uuid, text, text, text),
    leadline.deactivate_member(uuid, uuid, uuid), leadline.add_login(uuid, name, text, uuid, text[]), leadline.revoke_login(uuid, name),
    leadline.create_token(uuid, text, uuid, text[], text, timestamptz), leadline.revoke_token(uuid, uuid), leadline.rotate_signing_key()
    to leadline_writer, leadline_service;
grant execute on function leadline.note_tokens_used(text[]) to leadline_service;

-- webhooks: the secret is nobody's
grant select (workspace_id, source_id, key, name, preset, mapping, scheme, signature, created_at, removed_at) on leadline.webhook_sources
    to leadline_writer, leadline_service;
grant select (workspace_id, log_id, source_id, received_at, headers, content_type, body, event_id, status, error, attempts, processed_at, results, purged_at)
    on leadline.webhook_logs to leadline_writer, leadline_service;
grant select on leadline.webhooks, leadline.webhook_deliveries, leadline.webhook_bodies to leadline_writer, leadline_service;
grant execute on function leadline.add_webhook_source(uuid, text, text, jsonb, text, jsonb, text), leadline.replace_webhook_mapping(uuid, uuid, jsonb),
    leadline.replace_webhook_secret(uuid, uuid, text), leadline.remove_webhook_source(uuid, uuid), leadline.reopen_webhook(uuid, bigint)
    to leadline_writer, leadline_service;
grant execute on function leadline.receive_webhook(text, jsonb, text, bytea, timestamptz), leadline.answer_webhook_handshake(text, text),
    leadline.map_webhook(uuid, bigint, uuid, jsonb), leadline.process_webhook(uuid, bigint, uuid, jsonb) to leadline_service;
grant execute on function leadline.sees_all_leads(), leadline.sees_unassigned_leads(), leadline.current_user_id(), leadline.manages_team(),
    leadline.sees_lead(uuid, uuid), leadline.sees_entry(uuid, uuid, uuid, xid8, text, int, jsonb), leadline.sees_key(uuid, uuid, text, text), leadline.sees_activity(uuid, bigint), leadline.sees_person(uuid, uuid),
    leadline.sees_opportunity(uuid, uuid, uuid, xid8), leadline.sees_subscription(uuid, uuid), leadline_internal.email_of(uuid, uuid)
    to leadline_writer, leadline_reader, leadline_contacts, leadline_service;
grant execute on function leadline.current_workspace(), leadline.sees_contacts(), leadline.is_suppressed(uuid, uuid), leadline.changes_after(text, int),
    leadline_internal.place_has_what_it_needs(text, text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text, timestamptz, text, date),
    leadline.normalise_stage(text), leadline.product_signals_at(timestamptz), leadline_internal.automated_writers(text[]), leadline_internal.journals(),
    leadline.email_key(text), leadline.email_stem(text), leadline.phone_key(text), leadline_internal.visible_text(text), leadline_internal.rules_version(),
    leadline_internal.restored_up_to(), leadline_internal.cluster_identifier(), leadline_internal.forbid(text, text, text, text)
    to leadline_writer, leadline_reader, leadline_service;
grant execute on function leadline.verify_state(bool), leadline.verify_chain(), leadline_internal.require_whole_view()
    to leadline_writer, leadline_reader, leadline_service;
grant execute on function leadline.log_activity(uuid, text, jsonb, text, timestamptz, uuid, text, text), leadline.log_activities(jsonb, text),
    leadline_internal.logged_before(text, uuid),
    leadline.log_in_journal(text, uuid, text, jsonb, text, timestamptz, uuid, text, text), leadline_internal.logged_before_in(text, text, uuid), leadline_internal.read_instant(jsonb), leadline_internal.read_id(text), leadline_internal.is_kind(jsonb, text), leadline_internal.can_be_read(text, text)
    to leadline_writer, leadline_service;
grant execute on function leadline.import_leads(jsonb) to leadline_writer, leadline_service;
grant execute on function leadline.merge_people(uuid, uuid), leadline.unmerge_people(uuid), leadline.erase_person(uuid, text), leadline.export_person(uuid),
    leadline.set_account(uuid, text, text, text, uuid) to leadline_writer, leadline_service;
grant execute on function leadline.enter(text), leadline.claim_idempotency_key(text, text, bytea), leadline.keep_answer(text, text, bytea, int, text, text)
    to leadline_service;
grant execute on function leadline.list_workspaces(), leadline.job_names(), leadline.run_job(text, uuid, timestamptz), leadline_internal.rules_version()
    to leadline_worker;

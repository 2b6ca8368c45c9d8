set lock_timeout = '3s';
delete from leadline.rule_transitions;
delete from leadline_internal.rulings;
-- What only the later rules know has no place in the earlier ones. A lead of another workflow stops the way down here.
delete from leadline.rule_permitted p where p.workflow in ('sales', 'qualification');
delete from leadline.rule_effects e where e.workflow in ('sales', 'qualification');
delete from leadline.rule_stages s where s.workflow in ('sales', 'qualification');
delete from leadline.rule_workflows w where w.workflow in ('sales', 'qualification');
delete from leadline.rule_payload_keys k where k.type = 'scalar';
drop index leadline.leads_by_survivor;
drop index leadline.leads_by_candidate;
alter table leadline.leads
    drop constraint leads_place_has_what_it_needs,
    drop constraint leads_merged_into_exists,
    drop constraint leads_possible_duplicate_of_exists,
    drop column rejection_reason,
    drop column merged_into,
    drop column possible_duplicate_of,
    drop column is_possible_duplicate,
    drop column lost_notes,
    drop column lost_reason,
    drop column lost_at,
    drop column won_at,
    drop column waiting_since,
    drop column email_stem,
    add constraint leads_resolved_have_their_time check ((status = 'resolved') = (resolved_at is not null));
drop function leadline_internal.place_has_what_it_needs(text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text);
drop domain leadline.lost_reason;
drop function leadline.email_stem(text);
alter table leadline_internal.rulings
    drop constraint rulings_pkey,
    drop column personal_fields,
    drop column needs_person,
    drop column awaits_answer,
    drop column is_open,
    drop column status,
    add column is_final bool not null,
    add column personal_keys text[] not null,
    add constraint rulings_pkey primary key (workflow, activity_type, stage);
alter table leadline.rule_transitions
    drop constraint rule_transitions_effect_is_known,
    drop constraint rule_transitions_from_place_exists,
    drop constraint rule_transitions_pkey,
    drop column awaits_answer,
    drop column from_status,
    add constraint rule_transitions_pkey primary key (workflow, activity_type, from_stage),
    add constraint rule_transitions_from_stage_exists foreign key (workflow, from_stage) references leadline.rule_stages,
    add constraint rule_transitions_effect_is_known check (effect in ('move', 'fields', 'note', 'refuse'));
comment on column leadline.rule_transitions.effect is 'move (stage and fields change), fields (applied when a field changes, else noted under the rule), note, refuse.';
alter table leadline.rule_payload_keys
    drop constraint rule_payload_keys_type_is_known,
    add constraint rule_payload_keys_type_is_known check
        (type in ('text', 'instant', 'date', 'uuid', 'money', 'currency', 'country', 'whole', 'email', 'bool'));
alter table leadline.rule_activity_types drop column needs_person;
drop table leadline.rule_personal_fields;
drop table leadline.rule_reasons;
alter table leadline.rule_stages drop column after_contact;
comment on column leadline.rule_stages.is_final is 'A closed stage: what would move an open subject is noted here, not done.';
alter table leadline.rule_permitted drop column is_open;

set lock_timeout = '3s';
alter table leadline.workspaces
    drop constraint workspaces_stage_implies_status,
    drop constraint workspaces_default_workflow_exists;
drop table leadline_internal.rulings;
drop table leadline.rule_effects;
drop table leadline.rule_transitions;
drop table leadline.rule_payload_keys;
drop table leadline.rule_activity_types;
drop table leadline.rule_sentences;
drop table leadline.rule_permitted;
drop table leadline.rule_stages;
drop table leadline.rule_workflows;

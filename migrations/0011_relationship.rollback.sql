set lock_timeout = '3s';
drop table leadline.rule_blocks;
alter table leadline.rule_activity_types drop constraint rule_activity_types_name_who_gives_way, drop column precedence;
drop function leadline_internal.automated_writers(text[]);
delete from leadline.rule_transitions t where t.rule in (select s.rule from leadline.rule_sentences s where s.verdict = 'held');
delete from leadline.rule_sentences s where s.verdict = 'held';
alter table leadline.rule_sentences
    drop constraint rule_sentences_verdict_is_known,
    add constraint rule_sentences_verdict_is_known check (verdict in ('noted', 'refused'));
drop table leadline.rule_proposals;
drop table leadline.rule_aliases;
alter table leadline.workspaces
    drop constraint workspaces_approvals_last_a_while,
    drop constraint workspaces_approvers_are_known,
    drop column approval_hours,
    drop column approvers;
drop table leadline.approvals;
delete from leadline.activity_content t using leadline.relationship_activity a where t.workspace_id = a.workspace_id and t.activity_id = a.activity_id;
delete from leadline_internal.activity_references r where r.journal in ('relationship_activity');
drop table leadline.relationship_activity;
drop index leadline.people_newest_first;
alter table leadline.people
    drop constraint people_furthest_stage_exists,
    drop constraint people_stage_implies_status,
    drop column hash,
    drop column version,
    drop column seq,
    drop column first_qualified_at,
    drop column late_before,
    drop column stage_entered_at,
    drop column furthest_stage,
    drop column stage,
    drop column status,
    drop column workflow;
comment on table leadline.people is 'One row a person as far as is known. Who it is stands in person_keys and in the leads; so there is nothing personal here.';
delete from leadline.rule_transitions t where t.workflow = 'relationship';
delete from leadline_internal.rulings r where r.workflow = 'relationship';
delete from leadline.rule_permitted p where p.workflow = 'relationship';
delete from leadline.rule_stages s where s.workflow = 'relationship';
delete from leadline.rule_workflows w where w.workflow = 'relationship';

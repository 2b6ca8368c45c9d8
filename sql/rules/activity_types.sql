-- The vocabulary: every activity type, who may report it, and the keys of its payload.
create temp table given_types (
    activity_type text, label text, journals text[], touch text, is_contact bool, contact_by text,
    flags text[], writers text[], seed text
) on commit drop;
insert into given_types values
    -- touches
    ('contact_attempted',     'Contact attempted',     '{lead_activity}', 'outbound', true,  'anyone',     '{}', '{person,app,workflow}', '000'),
    ('call_completed',        'Call completed',        '{lead_activity}', 'outbound', true,  'not_system', '{}', '{person,app,workflow}', '004 4.2'),
    ('meeting_held',          'Meeting held',          '{lead_activity}', 'outbound', true,  'not_system', '{}', '{person,app,workflow}', '004 4.2'),
    ('email_sent',            'E-mail sent',           '{lead_activity}', 'outbound', true,  'person',     '{}', '{person,app,workflow}', '004 9'),
    ('message_sent',          'Message sent',          '{lead_activity}', 'outbound', true,  'person',     '{}', '{person,app,workflow}', '004 9'),
    ('lead_contacted',        'Lead contacted',        '{lead_activity}', 'outbound', true,  'not_system', '{}', '{person,app,workflow}', '004 2'),
    ('email_replied',         'E-mail replied',        '{lead_activity}', 'inbound',  false, 'anyone',     '{}', '{person,app,workflow}', '004 4.2'),
    ('message_received',      'Message received',      '{lead_activity}', 'inbound',  false, 'anyone',     '{}', '{person,app,workflow}', '004 4.2'),
    ('call_received',         'Call received',         '{lead_activity}', 'inbound',  false, 'anyone',     '{}', '{person,app,workflow}', '004 4.2'),
    -- appointment
    ('appointment_scheduled', 'Appointment scheduled', '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '000'),
    ('appointment_cancel',    'Appointment cancelled', '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '000'),
    ('appointment_no_show',   'Appointment missed',    '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '000'),
    ('callback_requested',    'Callback requested',    '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '000'),
    -- outcomes
    ('sale',                  'Sale',                  '{lead_activity}', null, false, 'anyone', '{outcome}', '{person,app}', '000'),
    ('no_sale',               'No sale',               '{lead_activity}', null, false, 'anyone', '{outcome}', '{person,app}', '000'),
    ('refused',               'Refused',               '{lead_activity}', null, false, 'anyone', '{outcome}', '{person,app}', '000'),
    ('wrong_number',          'Wrong number',          '{lead_activity}', null, false, 'anyone', '{outcome,never_late}', '{person,app}', '000'),
    ('bad_number',            'Bad number',            '{lead_activity}', null, false, 'anyone', '{outcome,never_late}', '{person,app}', '000'),
    ('unresponsive',          'Unresponsive',          '{lead_activity}', null, false, 'anyone', '{outcome}', '{person,app}', '000'),
    ('duplicate',             'Duplicate',             '{lead_activity}', null, false, 'anyone', '{outcome,never_late}', '{person,app}', '000'),
    ('dnc',                   'Do not contact',        '{lead_activity}', null, false, 'anyone', '{outcome,never_late}', '{person,app,importer}', '000'),
    -- any workflow
    ('lead_assigned',         'Lead assigned',         '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', '004 10.1'),
    ('deal_value_changed',    'Deal value changed',    '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', '004 10.1'),
    ('contact_changed',       'Contact changed',       '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', '004 10.1'),
    ('tag_added',             'Tag added',             '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', '004 1.1'),
    ('tag_removed',           'Tag removed',           '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', '004 1.1'),
    ('note_added',            'Note added',            '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', '004 10'),
    ('unsubscribed',          'Unsubscribed',          '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer,workflow}', 'workflows F'),
    ('suppression_lifted',    'Suppression lifted',    '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', 'workflows F'),
    ('possible_duplicate_dismissed', 'Not a duplicate', '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '004 7.2'),
    ('leads_merged',          'Leads merged',          '{lead_activity}', null, false, 'anyone', '{}', '{person,app,workflow}', 'workflows F'),
    ('leads_unmerged',        'Leads unmerged',        '{lead_activity}', null, false, 'anyone', '{}', '{person,app,workflow}', 'workflows F'),
    -- intake
    ('inbound_enquiry',       'Enquiry',               '{lead_activity}', 'inbound', false, 'anyone', '{}', '{person,app,importer,workflow}', '004 7.1'),
    -- births
    ('lead_created',          'Lead created',          '{lead_activity}', null, false, 'anyone', '{birth}', '{person,app,importer,workflow}', '000'),
    ('lead_imported',         'Lead imported',         '{lead_activity}', null, false, 'anyone', '{birth}', '{person,app,importer}', 'design 3'),
    -- logged by Leadline alone
    ('direct_change',         'Changed by hand',       '{lead_activity,workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'design 3'),
    ('callback_cancelled',    'Callback cancelled',    '{lead_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'workflows I'),
    ('lead_resurrected',      'Lead resurrected',      '{lead_activity}', null, false, 'anyone', '{system_only}', '{workflow}', '004 2.3'),
    ('person_erased',         'Person erased',         '{lead_activity,workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'design 3'),
    -- sales and qualification; on a lead of another workflow each is refused wrong_workflow
    ('lead_qualified',        'Lead qualified',        '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '004 2'),
    ('proposal_sent',         'Proposal sent',         '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '004 2'),
    ('deal_won',              'Deal won',              '{lead_activity}', null, false, 'anyone', '{outcome}', '{person,app}', '004 2'),
    ('deal_lost',             'Deal lost',             '{lead_activity}', null, false, 'anyone', '{outcome}', '{person,app}', '004 2'),
    ('lead_reopened',         'Lead reopened',         '{lead_activity}', null, false, 'anyone', '{person}', '{person,app}', '004 2.3'),
    ('lead_archived',         'Lead archived',         '{lead_activity}', null, false, 'anyone', '{}', '{person,app,importer}', '004 2'),
    ('lead_unarchived',       'Lead unarchived',       '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '004 2'),
    ('stage_corrected',       'Stage corrected',       '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '003'),
    ('request_accepted',      'Request accepted',      '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '003'),
    ('request_rejected',      'Request rejected',      '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '003'),
    ('lead_recycled',         'Lead recycled',         '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '003'),
    ('lead_converted',        'Lead converted',        '{lead_activity}', null, false, 'anyone', '{}', '{person,app}', '003'),
    -- workspace
    ('settings_changed',      'Settings changed',      '{workspace_activity}', null, false, 'anyone', '{}', '{person,workflow}', '004 1.4'),
    ('workspace_created',     'Workspace created',     '{workspace_activity}', null, false, 'anyone', '{birth,system_only}', '{workflow}', '004 1.4'),
    ('member_added',          'Member added',          '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', '004 1.4'),
    ('member_role_changed',   'Member''s role changed', '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', '004 1.4'),
    ('member_deactivated',    'Member deactivated',    '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', '004 1.4'),
    ('token_created',         'Token created',         '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'design 4'),
    ('token_revoked',         'Token revoked',         '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'design 4'),
    ('login_added',           'Login added',           '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'design 4'),
    ('login_revoked',         'Login revoked',         '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'design 4'),
    ('account_changed',       'Account changed',       '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'workflows F'),
    ('webhook_source_changed', 'Webhook source changed', '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', '004 8.2'),
    ('people_merged',         'People merged',         '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'workflows F'),
    ('people_unmerged',       'People unmerged',       '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', 'workflows F'),
    ('workspace_closed',      'Workspace closed',      '{workspace_activity}', null, false, 'anyone', '{system_only}', '{workflow}', '004 1.4');

insert into leadline.rule_activity_types as t
    (activity_type, journals, label, touch, is_contact, contact_by, is_outcome, is_never_late, is_birth, is_system_only, needs_person, writers, seed)
select g.activity_type, g.journals, g.label, g.touch, g.is_contact, g.contact_by,
    'outcome' = any (g.flags), 'never_late' = any (g.flags), 'birth' = any (g.flags), 'system_only' = any (g.flags), 'person' = any (g.flags), g.writers, g.seed
from given_types g
on conflict (activity_type) do update
    set journals = excluded.journals, label = excluded.label, touch = excluded.touch, is_contact = excluded.is_contact,
        contact_by = excluded.contact_by, is_outcome = excluded.is_outcome, is_never_late = excluded.is_never_late,
        is_birth = excluded.is_birth, is_system_only = excluded.is_system_only, needs_person = excluded.needs_person, writers = excluded.writers, seed = excluded.seed
    where to_jsonb(t) is distinct from to_jsonb(excluded);

-- key, type, then: needed, nullable (null means empty it), personal (kept in activity_content)
create temp table given_keys (activity_types text[], key text, type text, flags text[]) on commit drop;
insert into given_keys values
    ('{contact_attempted,call_completed,meeting_held,email_sent,message_sent,lead_contacted}', 'channel', 'text', '{}'),
    ('{contact_attempted,call_completed,meeting_held,lead_contacted}', 'outcome', 'text', '{}'),
    ('{contact_attempted,call_completed,meeting_held,lead_contacted}', 'duration_s', 'whole', '{}'),
    ('{email_sent,message_sent}', 'subject', 'text', '{personal}'),
    ('{email_sent,message_sent,email_replied,message_received,call_received}', 'text', 'text', '{personal}'),
    ('{appointment_scheduled}', 'starts_at', 'instant', '{}'),
    ('{appointment_scheduled}', 'ends_at', 'instant', '{}'),
    ('{appointment_scheduled,appointment_cancel,appointment_no_show,sale,no_sale}', 'appointment_ref', 'text', '{}'),
    ('{appointment_cancel,appointment_no_show}', 'reason', 'text', '{personal}'),
    ('{callback_requested}', 'callback_at', 'instant', '{}'),
    ('{sale}', 'deal_value', 'money', '{}'),
    ('{sale}', 'currency', 'currency', '{}'),
    ('{duplicate}', 'duplicate_of', 'uuid', '{}'),
    ('{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'notes', 'text', '{personal}'),
    ('{lead_assigned}', 'assigned_user_id', 'uuid', '{needed,nullable}'),
    ('{deal_value_changed}', 'deal_value', 'money', '{needed,nullable}'),
    ('{deal_value_changed}', 'currency', 'currency', '{needed,nullable}'),
    ('{contact_changed}', 'name', 'text', '{nullable,personal}'),
    ('{contact_changed}', 'company', 'text', '{nullable,personal}'),
    ('{contact_changed}', 'email', 'email', '{nullable,personal}'),
    ('{contact_changed}', 'phone', 'text', '{nullable,personal}'),
    ('{tag_added,tag_removed}', 'tag', 'text', '{needed}'),
    ('{note_added}', 'text', 'text', '{needed,personal}'),
    ('{unsubscribed}', 'channel', 'text', '{needed}'),
    ('{suppression_lifted}', 'reason', 'text', '{needed,personal}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'workflow', 'text', '{}'),
    ('{lead_created,lead_imported}', 'copied_from', 'uuid', '{}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'source', 'text', '{}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'name', 'text', '{personal}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'company', 'text', '{personal}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'email', 'email', '{personal}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'phone', 'text', '{personal}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'assigned_user_id', 'uuid', '{}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'deal_value', 'money', '{}'),
    ('{lead_created,lead_imported,inbound_enquiry}', 'currency', 'currency', '{}'),
    ('{lead_imported}', 'stage', 'text', '{needed}'),
    ('{lead_imported}', 'entered_at', 'instant', '{needed}'),
    ('{lead_imported}', 'first_contacted_at', 'instant', '{}'),
    ('{lead_imported,deal_lost,stage_corrected}', 'lost_reason', 'text', '{}'),
    ('{lead_imported,deal_lost,stage_corrected}', 'notes', 'text', '{personal}'),
    ('{inbound_enquiry}', 'message', 'text', '{personal}'),
    ('{inbound_enquiry}', 'request_class', 'text', '{}'),
    ('{inbound_enquiry}', 'budget', 'scalar', '{personal}'),
    ('{inbound_enquiry}', 'external_id', 'text', '{personal}'),
    ('{inbound_enquiry}', 'exclusion', 'text', '{}'),
    ('{proposal_sent,deal_won}', 'deal_value', 'money', '{}'),
    ('{proposal_sent,deal_won}', 'currency', 'currency', '{}'),
    ('{lead_reopened,stage_corrected}', 'to_stage', 'text', '{needed}'),
    ('{stage_corrected}', 'reason', 'text', '{}'),
    ('{leads_merged}', 'into', 'uuid', '{needed}'),
    ('{leads_merged,leads_unmerged}', 'from', 'uuid', '{}'),
    ('{leads_merged}', 'waiting_since', 'instant', '{}'),
    ('{leads_merged}', 'kept', 'text', '{}'),
    ('{direct_change}', 'login', 'text', '{}'),
    ('{settings_changed}', 'name', 'text', '{}'),
    ('{settings_changed}', 'default_workflow', 'text', '{}'),
    ('{settings_changed}', 'time_zone', 'text', '{}'),
    ('{settings_changed}', 'country', 'country', '{nullable}'),
    ('{settings_changed}', 'currency', 'currency', '{}'),
    ('{settings_changed}', 'members_see_all', 'bool', '{}'),
    ('{settings_changed}', 'members_see_unassigned', 'bool', '{}'),
    ('{settings_changed}', 'raw_body_days', 'whole', '{nullable}'),
    ('{person_erased}', 'reason', 'text', '{}'),
    ('{people_merged}', 'into', 'uuid', '{}'),
    ('{account_changed}', 'name', 'text', '{}'),
    ('{account_changed}', 'domain', 'text', '{}'),
    ('{account_changed}', 'kind', 'text', '{}'),
    ('{account_changed}', 'owner_user_id', 'uuid', '{nullable}'),
    ('{member_deactivated}', 'reassign_to', 'uuid', '{}'),
    ('{webhook_source_changed}', 'change', 'text', '{}'),
    ('{webhook_source_changed}', 'preset', 'text', '{}'),
    ('{webhook_source_changed}', 'scheme', 'text', '{}'),
    ('{member_added,member_role_changed,token_created,login_added}', 'role', 'text', '{}'),
    ('{token_created,login_added}', 'user_id', 'uuid', '{}');

insert into leadline.rule_payload_keys as k (activity_type, key, type, is_needed, is_nullable, is_personal)
select unnest(g.activity_types), g.key, g.type, 'needed' = any (g.flags), 'nullable' = any (g.flags), 'personal' = any (g.flags)
from given_keys g
on conflict (activity_type, key) do update
    set type = excluded.type, is_needed = excluded.is_needed, is_nullable = excluded.is_nullable, is_personal = excluded.is_personal
    where to_jsonb(k) is distinct from to_jsonb(excluded);

delete from leadline.rule_payload_keys k
where not exists (select from given_keys g where k.key = g.key and k.activity_type = any (g.activity_types));
delete from leadline.rule_transitions t where not exists (select from given_types g where g.activity_type = t.activity_type);
delete from leadline.rule_activity_types t where not exists (select from given_types g where g.activity_type = t.activity_type);

-- The sales workflow (seed 004 section 2): from new over contacted, qualified and proposal to won, or lost from anywhere.
-- An archived lead keeps its stage: what would move it is noted or refused until it is unarchived.
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule) values
    -- a contact takes a new lead to contacted; later ones change nothing
    ('sales', '{call_completed,meeting_held,email_sent,lead_contacted}', '{new}', 'move', 'contacted', null),
    ('sales', '{call_completed,meeting_held,email_sent,lead_contacted}', '{contacted,qualified,proposal}', 'note', null, null),
    ('sales', '{call_completed,meeting_held,email_sent,lead_contacted}', '{won}', 'note', null, 'lead_is_won'),
    ('sales', '{call_completed,meeting_held,email_sent,lead_contacted}', '{lost}', 'note', null, 'lead_is_lost'),
    ('sales', '{contact_attempted,message_sent}', null, 'note', null, null),
    -- the pipeline
    ('sales', '{lead_qualified}', '{new,contacted}', 'move', 'qualified', null),
    ('sales', '{lead_qualified}', '{qualified}', 'note', null, 'already_there'),
    ('sales', '{lead_qualified}', '{proposal}', 'note', null, 'already_past'),
    ('sales', '{proposal_sent}', '{new,contacted,qualified}', 'move', 'proposal', null),
    ('sales', '{proposal_sent}', '{proposal}', 'fields', null, 'already_there'),
    ('sales', '{deal_won}', '{new,contacted,qualified}', 'refuse', null, 'won_needs_proposal'),
    ('sales', '{deal_won}', '{proposal}', 'move', 'won', null),
    ('sales', '{deal_won}', '{won}', 'note', null, 'already_there'),
    ('sales', '{deal_lost,dnc}', '{new,contacted,qualified,proposal}', 'move', 'lost', null),
    ('sales', '{deal_lost}', '{lost}', 'fields', null, 'already_there'),
    ('sales', '{dnc}', '{won,lost}', 'note', null, null),
    ('sales', '{lead_qualified,proposal_sent,deal_lost}', '{won}', 'refuse', null, 'lead_is_won'),
    ('sales', '{lead_qualified,proposal_sent,deal_won}', '{lost}', 'refuse', null, 'lead_is_lost'),
    -- back again
    ('sales', '{lead_reopened}', '{new,contacted,qualified,proposal}', 'refuse', null, 'not_lost'),
    ('sales', '{lead_reopened}', '{won}', 'refuse', null, 'lead_is_won'),
    ('sales', '{lead_reopened}', '{lost}', 'move_to', null, null),
    ('sales', '{stage_corrected}', '{new}', 'refuse', null, 'correction_goes_forward'),
    ('sales', '{stage_corrected}', '{contacted,qualified,proposal,won,lost}', 'move_to', null, null),
    ('sales', '{lead_resurrected}', null, 'note', null, null),
    -- aside
    ('sales', '{lead_archived}', null, 'fields', null, null),
    ('sales', '{lead_unarchived}', null, 'note', null, 'not_archived'),
    ('sales', '{leads_merged,leads_unmerged}', null, 'move_to', null, null);

insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule, awaits_answer) values
    ('sales', '{email_replied,message_received,call_received}', '{new,contacted,qualified,proposal}', 'note', null, null, true),
    ('sales', '{email_replied,message_received,call_received}', '{won}', 'note', null, 'lead_is_won', false),
    ('sales', '{email_replied,message_received,call_received}', '{lost}', 'note', null, 'lead_is_lost', true),
    ('sales', '{inbound_enquiry}', '{new,contacted,qualified,proposal}', 'fields', null, null, true),
    ('sales', '{inbound_enquiry}', '{won}', 'note', null, null, false),
    ('sales', '{inbound_enquiry}', '{lost}', 'move', 'new', null, true);

insert into given_cells (workflow, activity_types, from_status, effect, rule) values
    ('sales', '{call_completed,meeting_held,email_sent,lead_contacted,email_replied,message_received,call_received}', 'archived', 'note', 'lead_is_archived'),
    ('sales', '{contact_attempted,message_sent,inbound_enquiry,dnc,lead_resurrected}', 'archived', 'note', null),
    ('sales', '{lead_qualified,proposal_sent,deal_won,deal_lost,lead_reopened,stage_corrected}', 'archived', 'refuse', 'lead_is_archived'),
    ('sales', '{lead_archived}', 'archived', 'note', 'already_there'),
    ('sales', '{lead_unarchived}', 'archived', 'fields', null),
    ('sales', '{leads_merged,leads_unmerged}', 'archived', 'move_to', null);

insert into leadline.rule_effects (workflow, from_stage, consequence, writer, seed)
values ('sales', 'lost', 'lead_resurrected', 'workflow:resurrection', '004 2.3')
on conflict do nothing;

-- The qualification workflow (seed 003), as far as it stands: where an enquiry goes that is excluded as test, spam or competitor.
insert into given_cells (workflow, activity_types, from_stages, effect, rule, awaits_answer) values
    ('qualification', '{contact_attempted,email_sent}', '{disqualified}', 'note', 'already_closed', false),
    ('qualification', '{call_completed,meeting_held,message_sent,lead_contacted}', '{disqualified}', 'note', null, false),
    ('qualification', '{email_replied,message_received,call_received}', '{disqualified}', 'note', null, true),
    ('qualification', '{inbound_enquiry,dnc}', '{disqualified}', 'note', null, false),
    ('qualification', '{leads_merged,leads_unmerged}', '{disqualified}', 'move_to', null, false);

-- The appointment workflow (seed 000): from a first attempt to an appointment and its outcome. Resolved is final.
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule) values
    -- a first attempt; later ones never demote
    ('appointment', '{contact_attempted,call_completed,meeting_held,email_sent}', '{new}', 'move', 'attempted', null),
    ('appointment', '{contact_attempted,call_completed,meeting_held,email_sent}', '{attempted,callback,scheduled,no_show}', 'note', null, null),
    -- the lead wants to be called back
    ('appointment', '{callback_requested}', '{new,attempted,no_show}', 'move', 'callback', null),
    ('appointment', '{callback_requested}', '{callback}', 'fields', null, 'no_change'),
    ('appointment', '{callback_requested}', '{scheduled}', 'note', null, 'appointment_stands'),
    -- the appointment
    ('appointment', '{appointment_scheduled}', '{new,attempted,callback,no_show}', 'move', 'scheduled', null),
    ('appointment', '{appointment_scheduled}', '{scheduled}', 'fields', null, 'no_change'),
    ('appointment', '{appointment_no_show}', '{scheduled}', 'move', 'no_show', null),
    ('appointment', '{appointment_no_show}', '{no_show}', 'note', null, 'already_there'),
    ('appointment', '{appointment_no_show}', '{new,attempted,callback}', 'refuse', null, 'no_show_needs_appointment'),
    ('appointment', '{appointment_cancel}', '{scheduled}', 'move', 'callback', null),
    ('appointment', '{appointment_cancel}', '{callback}', 'note', null, 'already_there'),
    ('appointment', '{appointment_cancel}', '{new,attempted,no_show}', 'refuse', null, 'cancel_needs_appointment'),
    -- outcomes
    ('appointment', '{sale}', '{scheduled}', 'move', 'sale', null),
    ('appointment', '{no_sale}', '{scheduled}', 'move', 'no_sale', null),
    ('appointment', '{sale,no_sale}', '{new,attempted,callback,no_show}', 'refuse', null, 'outcome_needs_appointment'),
    ('appointment', '{refused}', '{new,attempted,callback,scheduled,no_show}', 'move', 'refused', null),
    ('appointment', '{wrong_number}', '{new,attempted,callback,scheduled,no_show}', 'move', 'wrong_number', null),
    ('appointment', '{bad_number}', '{new,attempted,callback,scheduled,no_show}', 'move', 'bad_number', null),
    ('appointment', '{duplicate}', '{new,attempted,callback,scheduled,no_show}', 'move', 'duplicate', null),
    ('appointment', '{dnc}', '{new,attempted,callback,scheduled,no_show}', 'move', 'dnc', null),
    ('appointment', '{unresponsive}', '{attempted,callback,scheduled,no_show}', 'move', 'unresponsive', null),
    ('appointment', '{unresponsive}', '{new}', 'refuse', null, 'unresponsive_needs_contact'),
    -- what would move an open lead is noted on a resolved one
    ('appointment', '{contact_attempted,call_completed,meeting_held,email_sent,callback_requested,appointment_scheduled,appointment_no_show,appointment_cancel,sale,no_sale,refused,wrong_number,bad_number,duplicate,dnc,unresponsive}',
     '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'note', null, 'already_resolved'),
    -- everywhere
    ('appointment', '{callback_cancelled}', null, 'fields', null, 'no_change'),
    ('appointment', '{message_sent,lead_contacted}', null, 'note', null, null),
    ('appointment', '{leads_merged,leads_unmerged}', null, 'move_to', null, null);
insert into given_cells (workflow, activity_types, from_stages, effect, awaits_answer) values
    -- somebody writes or calls: while the lead is open they wait for an answer
    ('appointment', '{email_replied,message_received,call_received}', '{new,attempted,callback,scheduled,no_show}', 'note', true),
    ('appointment', '{email_replied,message_received,call_received}', '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'note', false),
    ('appointment', '{inbound_enquiry}', '{new,attempted,callback,scheduled,no_show}', 'fields', true),
    ('appointment', '{inbound_enquiry}', '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'note', false);

-- A callback that is no longer waited for is taken off the lead, in the journal's sight.
insert into leadline.rule_effects (workflow, from_stage, consequence, writer, seed)
values ('appointment', 'callback', 'callback_cancelled', 'workflow:callbacks', 'workflows I')
on conflict do nothing;

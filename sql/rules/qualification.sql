-- The qualification workflow (seed 003): is somebody working this request, and what came of it.
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule) values
    -- trying, and reaching
    ('qualification', '{contact_attempted,email_sent}', '{new,accepted}', 'move', 'attempting', null),
    ('qualification', '{contact_attempted,email_sent}', '{attempting,connected}', 'note', null, null),
    ('qualification', '{contact_attempted,email_sent}', '{qualified,recycled,disqualified}', 'note', null, 'already_closed'),
    ('qualification', '{call_completed,meeting_held}', '{new,accepted,attempting}', 'move', 'connected', null),
    ('qualification', '{call_completed,meeting_held}', '{connected,qualified,recycled,disqualified}', 'note', null, null),
    ('qualification', '{message_sent,lead_contacted}', null, 'note', null, null),
    -- deciding
    ('qualification', '{request_accepted}', '{new}', 'move', 'accepted', null),
    ('qualification', '{request_accepted}', '{accepted,attempting,connected}', 'fields', null, 'already_there'),
    ('qualification', '{request_accepted}', '{qualified,recycled,disqualified}', 'refuse', null, 'already_closed'),
    ('qualification', '{request_rejected}', '{new,accepted,attempting,connected,recycled}', 'move_to', null, null),
    ('qualification', '{request_rejected}', '{qualified}', 'refuse', null, 'already_closed'),
    ('qualification', '{request_rejected}', '{disqualified}', 'note', null, 'already_there'),
    ('qualification', '{lead_recycled}', '{new,accepted,attempting,connected}', 'move', 'recycled', null),
    ('qualification', '{lead_recycled}', '{recycled}', 'fields', null, 'no_change'),
    ('qualification', '{lead_recycled}', '{qualified,disqualified}', 'refuse', null, 'already_closed'),
    ('qualification', '{lead_qualified}', '{new}', 'refuse', null, 'qualified_needs_accept'),
    ('qualification', '{lead_qualified}', '{accepted,attempting,connected}', 'move', 'qualified', null),
    ('qualification', '{lead_qualified}', '{qualified}', 'note', null, 'already_there'),
    ('qualification', '{lead_qualified}', '{recycled,disqualified}', 'refuse', null, 'already_closed'),
    -- the hand-over
    ('qualification', '{lead_converted}', '{qualified}', 'fields', null, 'already_converted'),
    ('qualification', '{lead_converted}', '{new,accepted,attempting,connected,recycled,disqualified}', 'refuse', null, 'conversion_needs_qualified'),
    -- what a product tells brings back only who was put aside
    ('qualification', '{product_signal_seen}', '{recycled}', 'move', 'new', null),
    ('qualification', '{product_signal_seen}', '{new,accepted,attempting,connected,qualified,disqualified}', 'note', null, null),
    -- back again, and aside
    ('qualification', '{stage_corrected}', '{new}', 'note', null, null),
    ('qualification', '{stage_corrected}', '{accepted,attempting,connected,qualified,recycled,disqualified}', 'move_to', null, null),
    ('qualification', '{dnc}', '{new,accepted,attempting,connected,recycled}', 'move', 'disqualified', null),
    ('qualification', '{dnc}', '{qualified,disqualified}', 'note', null, null),
    ('qualification', '{leads_merged,leads_unmerged}', null, 'move_to', null, null);
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, awaits_answer) values
    -- whoever writes or calls has been reached, and waits for an answer
    ('qualification', '{email_replied,message_received,call_received}', '{new,accepted,attempting}', 'move', 'connected', true),
    ('qualification', '{email_replied,message_received,call_received}', '{connected,disqualified}', 'note', null, true),
    ('qualification', '{email_replied,message_received,call_received}', '{qualified}', 'note', null, false),
    ('qualification', '{email_replied,message_received,call_received}', '{recycled}', 'move', 'new', true),
    ('qualification', '{inbound_enquiry}', '{new,accepted,attempting,connected}', 'fields', null, true),
    ('qualification', '{inbound_enquiry}', '{qualified,disqualified}', 'note', null, false),
    ('qualification', '{inbound_enquiry}', '{recycled}', 'move', 'new', true);

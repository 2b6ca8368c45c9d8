-- The appointment workflow (seed 000): from a first attempt to an appointment and its outcome. Resolved is final.
create temp table given_cells (activity_types text[], from_stages text[], effect text, to_stage text, rule text) on commit drop;
insert into given_cells values
    -- a first attempt; later ones never demote
    ('{contact_attempted,call_completed,meeting_held,email_sent}', '{new}', 'move', 'attempted', null),
    ('{contact_attempted,call_completed,meeting_held,email_sent}', '{attempted,callback,scheduled,no_show}', 'note', null, null),
    -- the lead wants to be called back
    ('{callback_requested}', '{new,attempted,no_show}', 'move', 'callback', null),
    ('{callback_requested}', '{callback}', 'fields', null, 'no_change'),
    ('{callback_requested}', '{scheduled}', 'note', null, 'appointment_stands'),
    -- the appointment
    ('{appointment_scheduled}', '{new,attempted,callback,no_show}', 'move', 'scheduled', null),
    ('{appointment_scheduled}', '{scheduled}', 'fields', null, 'no_change'),
    ('{appointment_no_show}', '{scheduled}', 'move', 'no_show', null),
    ('{appointment_no_show}', '{no_show}', 'note', null, 'already_there'),
    ('{appointment_no_show}', '{new,attempted,callback}', 'refuse', null, 'no_show_needs_appointment'),
    ('{appointment_cancel}', '{scheduled}', 'move', 'callback', null),
    ('{appointment_cancel}', '{callback}', 'note', null, 'already_there'),
    ('{appointment_cancel}', '{new,attempted,no_show}', 'refuse', null, 'cancel_needs_appointment'),
    -- outcomes
    ('{sale}', '{scheduled}', 'move', 'sale', null),
    ('{no_sale}', '{scheduled}', 'move', 'no_sale', null),
    ('{sale,no_sale}', '{new,attempted,callback,no_show}', 'refuse', null, 'outcome_needs_appointment'),
    ('{refused}', '{new,attempted,callback,scheduled,no_show}', 'move', 'refused', null),
    ('{wrong_number}', '{new,attempted,callback,scheduled,no_show}', 'move', 'wrong_number', null),
    ('{bad_number}', '{new,attempted,callback,scheduled,no_show}', 'move', 'bad_number', null),
    ('{duplicate}', '{new,attempted,callback,scheduled,no_show}', 'move', 'duplicate', null),
    ('{dnc}', '{new,attempted,callback,scheduled,no_show}', 'move', 'dnc', null),
    ('{unresponsive}', '{attempted,callback,scheduled,no_show}', 'move', 'unresponsive', null),
    ('{unresponsive}', '{new}', 'refuse', null, 'unresponsive_needs_contact'),
    -- what would move an open lead is noted on a resolved one
    ('{contact_attempted,call_completed,meeting_held,email_sent,callback_requested,appointment_scheduled,appointment_no_show,appointment_cancel,sale,no_sale,refused,wrong_number,bad_number,duplicate,dnc,unresponsive}',
     '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'note', null, 'already_resolved'),
    -- everywhere
    ('{lead_assigned,deal_value_changed,contact_changed,tag_added,tag_removed,callback_cancelled,direct_change}', null, 'fields', null, 'no_change'),
    ('{message_sent,lead_contacted,email_replied,message_received,call_received,note_added,unsubscribed,suppression_lifted}', null, 'note', null, null),
    ('{lead_created,lead_imported}', null, 'refuse', null, 'not_first');

create temp table cells on commit drop as
select 'appointment'::text as workflow, t.activity_type, s.stage as from_stage, g.effect, g.to_stage, p.status as to_status,
    case when p.status = 'resolved' then 'resolved_at' end as entry_timestamp, g.rule, '000'::text as seed
from given_cells g
cross join lateral unnest(g.activity_types) t (activity_type)
join leadline.rule_stages s on s.workflow = 'appointment' and (g.from_stages is null or s.stage = any (g.from_stages))
left join leadline.rule_permitted p on p.workflow = 'appointment' and p.stage = g.to_stage;

insert into leadline.rule_transitions as t (workflow, activity_type, from_stage, effect, to_stage, to_status, entry_timestamp, rule, seed)
select * from cells
on conflict (workflow, activity_type, from_stage) do update
    set effect = excluded.effect, to_stage = excluded.to_stage, to_status = excluded.to_status,
        entry_timestamp = excluded.entry_timestamp, rule = excluded.rule, seed = excluded.seed
    where to_jsonb(t) is distinct from to_jsonb(excluded);
delete from leadline.rule_transitions t
where t.workflow = 'appointment'
  and not exists (select from cells c where (c.activity_type, c.from_stage) = (t.activity_type, t.from_stage));

-- A callback that is no longer waited for is taken off the lead, in the journal's sight.
insert into leadline.rule_effects (workflow, from_stage, consequence, writer, seed)
values ('appointment', 'callback', 'callback_cancelled', 'workflow:callbacks', 'workflows I')
on conflict do nothing;

drop table given_cells;
drop table cells;

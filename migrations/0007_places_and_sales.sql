-- The law asks for a place (stage and status), not for a stage alone; and what the sales workflow keeps of a lead.
-- depends: 0006_members
set lock_timeout = '3s';

alter table leadline.rule_permitted add column is_open bool not null default true;
comment on column leadline.rule_permitted.is_open is 'Somebody is to work on a subject at this place; what would move an open subject is noted or refused at the others before lateness is asked.';
comment on column leadline.rule_stages.is_final is 'A stage in which nobody works on the subject any more: its places are not open.';
alter table leadline.rule_stages add column after_contact bool not null default false;
comment on column leadline.rule_stages.after_contact is 'Whoever brings a lead here as a person has been in contact with it: first_contacted_at is set when it is not yet.';

create table leadline.rule_reasons (
    reason_list text not null,
    reason      text not null,
    position    int not null,
    needs_notes bool not null,
    seed        text not null,
    constraint rule_reasons_pkey primary key (reason_list, reason),
    constraint rule_reasons_lists_are_short check (position <= 12)
);
comment on table leadline.rule_reasons is 'Controlled lists of reasons, letter for letter, at most twelve each (seed 003, seed 004 section 3).';
comment on column leadline.rule_reasons.needs_notes is 'The reason alone says nothing: notes are mandatory.';

create table leadline.rule_personal_fields (
    journal text not null,
    field   text not null,
    constraint rule_personal_fields_pkey primary key (journal, field)
);
comment on table leadline.rule_personal_fields is 'Columns of state rows that say who somebody is: their values stand in activity_content, never in a journal.';

alter table leadline.rule_activity_types add column needs_person bool not null default false;
comment on column leadline.rule_activity_types.needs_person is 'Only a person may decide this, by an own credential or named in on_behalf_of; an app alone is refused needs_a_person.';

alter table leadline.rule_payload_keys
    drop constraint rule_payload_keys_type_is_known,
    add constraint rule_payload_keys_type_is_known check
        (type in ('text', 'instant', 'date', 'uuid', 'money', 'currency', 'country', 'whole', 'email', 'bool', 'scalar'));

-- The deploy writes these anew right after.
delete from leadline.rule_transitions;
delete from leadline_internal.rulings;
alter table leadline.rule_transitions
    add column from_status text not null,
    add column awaits_answer bool not null default false,
    drop constraint rule_transitions_pkey,
    drop constraint rule_transitions_from_stage_exists,
    drop constraint rule_transitions_effect_is_known,
    add constraint rule_transitions_pkey primary key (workflow, activity_type, from_stage, from_status),
    add constraint rule_transitions_from_place_exists foreign key (workflow, from_stage, from_status) references leadline.rule_permitted,
    add constraint rule_transitions_effect_is_known check (effect in ('move', 'move_to', 'fields', 'note', 'refuse'));
comment on column leadline.rule_transitions.effect is 'move (stage and fields change), move_to (to the stage that the payload names, or back to where it was), fields (applied when a field changes, else noted under the rule), note, refuse.';
comment on column leadline.rule_transitions.awaits_answer is 'Somebody waits for an answer from now on: waiting_since is set until a person''s touch.';
alter table leadline_internal.rulings
    drop column is_final,
    drop column personal_keys,
    add column status text not null,
    add column is_open bool not null,
    add column awaits_answer bool not null,
    add column needs_person bool not null,
    add column personal_fields text[] not null,
    drop constraint rulings_pkey,
    add constraint rulings_pkey primary key (workflow, activity_type, stage, status);

-- A function, since a check's own expressions are parsed at every update: a tenth of a single insert's time.
create function leadline_internal.place_has_what_it_needs(
    p_status text, p_stage text, p_resolved_at timestamptz, p_won_at timestamptz, p_lost_at timestamptz, p_lost_reason text,
    p_deal_value numeric, p_first_contacted_at timestamptz, p_rejection_reason text
) returns bool
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return (p_status = 'resolved') = (p_resolved_at is not null)
        and (p_stage = 'won') = (p_won_at is not null)
        and (p_stage = 'lost') = (p_lost_at is not null) and (p_stage = 'lost') = (p_lost_reason is not null)
        and (p_stage not in ('proposal', 'won') or coalesce(p_deal_value, 0) > 0)
        and (p_stage <> 'contacted' or p_first_contacted_at is not null)
        and (p_stage <> 'disqualified' or p_rejection_reason is not null);
end $$;
comment on function leadline_internal.place_has_what_it_needs(text, text, timestamptz, timestamptz, timestamptz, text, numeric, timestamptz, text) is
    'Whether a lead has what its place needs, and nothing that belongs to another: the required accompanying attributes of seed 004 section 2.';

create domain leadline.lost_reason as text
    constraint lost_reason_is_one_of_the_seven check (value in ('Price', 'Competitor', 'No Response', 'Not Qualified', 'Timing', 'Requirement Changed', 'Other'));
comment on domain leadline.lost_reason is 'The seven lost reasons (seed 004 section 3), letter for letter. A domain is checked when the value is given, a table''s check at every update of anything.';

alter table leadline.leads
    add column email_stem text,
    add column waiting_since timestamptz,
    add column won_at timestamptz,
    add column lost_at timestamptz,
    add column lost_reason leadline.lost_reason,
    add column lost_notes text,
    add column is_possible_duplicate bool not null default false,
    add column possible_duplicate_of uuid,
    add column merged_into uuid,
    add column rejection_reason text,
    drop constraint leads_resolved_have_their_time,
    add constraint leads_possible_duplicate_of_exists foreign key (workspace_id, possible_duplicate_of) references leadline.leads,
    add constraint leads_merged_into_exists foreign key (workspace_id, merged_into) references leadline.leads,
    add constraint leads_place_has_what_it_needs check (leadline_internal.place_has_what_it_needs(
        status, stage, resolved_at, won_at, lost_at, lost_reason, deal_value, first_contacted_at, rejection_reason));
create index leads_by_candidate on leadline.leads (workspace_id, possible_duplicate_of) where possible_duplicate_of is not null;
create index leads_by_survivor on leadline.leads (workspace_id, merged_into) where merged_into is not null;
create function leadline.email_stem(p_email_key text) returns text
language sql immutable parallel safe
return case when p_email_key ~ '@(gmail|googlemail)\.com$' then replace(split_part(split_part(p_email_key, '@', 1), '+', 1), '.', '') || '@gmail.com'
            else split_part(split_part(p_email_key, '@', 1), '+', 1) || '@' || split_part(p_email_key, '@', 2) end;
comment on function leadline.email_stem(text) is 'The mailbox that an e-mail key probably leads to: without +tag, and at Gmail without dots. It raises a possible duplicate, never a match.';

comment on column leadline.leads.email_stem is 'leadline.email_stem(email_key) where it differs from the key.';
comment on column leadline.leads.waiting_since is 'Since when somebody waits for an answer; null after a person''s touch and when the lead closes.';
comment on column leadline.leads.won_at is 'When the deal was won; null again when that is corrected.';
comment on column leadline.leads.lost_at is 'When the deal was lost; null again when the lead comes back.';
comment on column leadline.leads.lost_reason is 'One of the seven reasons (seed 004 section 3).';
comment on column leadline.leads.lost_notes is 'The words that came with the reason. Personal: erased with the person.';
comment on column leadline.leads.is_possible_duplicate is 'Another open lead looks like the same person; a person decides (seed 004 rule 7.2).';
comment on column leadline.leads.merged_into is 'The lead that goes on in this one''s place.';
comment on column leadline.leads.rejection_reason is 'Why a qualification lead was turned away.';

-- Leads, the keys they are recognised by, and the do-not-contact list.
-- depends: 0002_rules
set lock_timeout = '3s';

create function leadline_internal.visible_text(p_text text) returns text
language sql immutable parallel safe
return nullif(btrim(
    translate(normalize(p_text, nfc), U&'\00AD\180E\200B\200C\200D\200E\200F\2060\FEFF', ''),
    U&' \0009\000A\000B\000C\000D\0085\00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'), '');
comment on function leadline_internal.visible_text(text) is 'NFC, without invisible characters and without white space at either end; null when nothing is left.';

create function leadline.email_key(p_email text) returns text
language sql immutable parallel safe
return lower(leadline_internal.visible_text(p_email));
comment on function leadline.email_key(text) is 'The spelling under which an e-mail address is matched (seed 004 rule 7.1): NFC, invisible and outer white space removed, lower case. Plus-tags and dots stay.';

create function leadline.phone_key(p_phone text) returns text
language sql immutable parallel safe
return case
    when p_phone ~* '^\s*[0-9.,]+e[+-]?[0-9]+\s*$' then null
    else (
        select case
            when length(d.digits) not between 5 and 15 then null
            when d.kept ~ '^\+' then '+' || d.digits
            when d.kept ~ '^00' then '+' || substr(d.digits, 3)
            else d.digits end
        from (select k.kept, regexp_replace(k.kept, '\D', '', 'g') as digits
              from (select regexp_replace(regexp_replace(leadline_internal.visible_text(p_phone), '(ext|x|;|#).*$', '', 'i'), '[^0-9+]', '', 'g') as kept) k) d)
    end;
comment on function leadline.phone_key(text) is 'The spelling under which a phone number is matched: digits, with + where the number is international (00 counts as +). National numbers stay national: SQL knows no numbering plans. Extensions fall away; 4.4E+11 is no number.';

create domain leadline.money_amount as numeric
    constraint money_amount_is_finite_and_not_negative check (value >= 0 and value < 'infinity');
comment on domain leadline.money_amount is 'Money, exact, zero or more; its currency stands beside it. A domain is checked when the value is given, a table''s check at every update of anything.';
create domain leadline.currency_code as text
    constraint currency_code_is_three_letters check (value ~ '^[A-Z]{3}$');
comment on domain leadline.currency_code is 'ISO 4217.';

create table leadline.leads (
    workspace_id       uuid not null,
    lead_id            uuid not null default gen_random_uuid(),
    workflow           text not null,
    status             text not null,
    stage              text not null,
    stage_entered_at   timestamptz not null,
    late_before        timestamptz,
    source             text not null,
    name               text,
    company            text,
    email              text,
    email_key          text,
    phone              text,
    phone_key          text,
    assigned_user_id   uuid,
    deal_value         leadline.money_amount,
    currency           leadline.currency_code,
    tags               text[] not null default '{}',
    first_contacted_at timestamptz,
    last_touch_at      timestamptz,
    resolved_at        timestamptz,
    appointment_ref    text,
    appointment_at     timestamptz,
    callback_at        timestamptz,
    duplicate_of       uuid,
    copied_from        uuid,
    created_at         timestamptz not null,
    seq                int not null,
    version            int not null,
    hash               bytea,
    constraint leads_pkey primary key (workspace_id, lead_id),
    constraint leads_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint leads_stage_implies_status foreign key (workflow, stage, status) references leadline.rule_permitted,
    constraint leads_assignee_is_a_member foreign key (workspace_id, assigned_user_id) references leadline.memberships,
    constraint leads_duplicate_of_exists foreign key (workspace_id, duplicate_of) references leadline.leads,
    constraint leads_copied_from_exists foreign key (workspace_id, copied_from) references leadline.leads,
    constraint leads_resolved_have_their_time check ((status = 'resolved') = (resolved_at is not null))
) with (fillfactor = 80);
create index leads_newest_first on leadline.leads (workspace_id, created_at desc, lead_id desc);
create index leads_by_email on leadline.leads (workspace_id, email_key) where email_key is not null;
create index leads_by_phone on leadline.leads (workspace_id, phone_key) where phone_key is not null;
create index leads_by_assignee on leadline.leads (workspace_id, assigned_user_id, created_at desc, lead_id desc);
create index leads_by_original on leadline.leads (workspace_id, duplicate_of) where duplicate_of is not null;
create index leads_by_template on leadline.leads (workspace_id, copied_from) where copied_from is not null;

comment on table leadline.leads is 'The leads as their journal made them: nobody updates this table but the trigger of lead_activity.';
comment on column leadline.leads.status is 'The high-level bucket: open or resolved (seed 000).';
comment on column leadline.leads.stage is 'Where the lead is within its workflow; with status and workflow a row of rule_permitted.';
comment on column leadline.leads.stage_entered_at is 'When the facts of the present stage happened; never runs backwards.';
comment on column leadline.leads.late_before is 'A moving activity that happened more than a minute before this is superseded; null in the first stage of a lead created here.';
comment on column leadline.leads.source is 'Where the lead came from: the payload''s word, else the class of the writer.';
comment on column leadline.leads.email_key is 'leadline.email_key(email); what matching compares.';
comment on column leadline.leads.phone_key is 'leadline.phone_key(phone); what matching compares.';
comment on column leadline.leads.deal_value is 'Money, exact, in currency.';
comment on column leadline.leads.first_contacted_at is 'The first contact by a person; set once, then locked (seed 004).';
comment on column leadline.leads.last_touch_at is 'The latest touch, in or out, by when it happened.';
comment on column leadline.leads.resolved_at is 'When the outcome happened; set once.';
comment on column leadline.leads.appointment_ref is 'The booking system''s name of the current appointment.';
comment on column leadline.leads.callback_at is 'When the lead asked to be called back.';
comment on column leadline.leads.seq is 'Rows in the lead''s journal.';
comment on column leadline.leads.version is 'Applied rows in the lead''s journal.';
comment on column leadline.leads.hash is 'Head of the lead''s chain in lead_activity.';

create table leadline.suppressions (
    workspace_id  uuid not null,
    kind          text not null,
    key           text not null,
    channel       text not null,
    suppressed_by bigint not null,
    suppressed_at timestamptz not null,
    lifted_by     bigint,
    constraint suppressions_pkey primary key (workspace_id, kind, key, channel),
    constraint suppressions_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint suppressions_kind_is_known check (kind in ('email', 'phone'))
);
comment on table leadline.suppressions is 'Do not contact: keys of e-mail addresses and phones that asked to be left alone, per workspace. Never deleted; lifted by an owner or admin.';
comment on column leadline.suppressions.key is 'email_key or phone_key of the lead that asked.';
comment on column leadline.suppressions.channel is 'any, or the one channel that was unsubscribed.';
comment on column leadline.suppressions.suppressed_by is 'The activity that asked (activity_id).';

set lock_timeout = '3s';
alter table leadline.workspaces drop column raw_body_days;
drop table leadline_internal.suppression_key;
delete from leadline.suppressions where kind in ('email_hash', 'phone_hash');
alter table leadline.suppressions
    drop constraint suppressions_kind_is_known,
    add constraint suppressions_kind_is_known check (kind in ('email', 'phone'));
comment on column leadline.suppressions.key is 'email_key or phone_key of the lead that asked.';
drop table leadline.outbox;
drop table leadline.requests;
drop index leadline.leads_one_open_lead_per_email;
drop index leadline.leads_by_stem;
alter table leadline.leads drop column person_id;
drop type leadline_internal.contact_key;
drop table leadline.person_keys;
drop table leadline.people;
drop table leadline.accounts;

set lock_timeout = '3s';
alter table leadline.workspaces drop column raw_body_days;
alter table leadline.checkpoints drop column up_to_activity_id;
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
create or replace function leadline.phone_key(p_phone text) returns text
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

-- Keeps the keys by which a lead's e-mail and phone are matched. Not generated columns: those are read again at every update.
-- Fires: before an insert into leads and an update of the columns concerned, whoever writes. Writes: email_key, email_stem, phone_key.
create or replace function leadline_internal.derive_contact_keys() returns trigger
language plpgsql
as $$
begin
    new.email_key := leadline.email_key(new.email);
    new.email_stem := nullif(leadline.email_stem(new.email_key), new.email_key);
    new.phone_key := leadline.phone_key(new.phone);
    return new;
end $$;
create or replace trigger t40_derive_contact_keys before insert on leadline.leads
    for each row when (new.email is not null or new.phone is not null) execute function leadline_internal.derive_contact_keys();
-- Both the list and the condition: a condition alone would be read at every update, a list alone be met by every change of fields.
create or replace trigger t40_derive_changed_contact_keys before update of email, phone, email_key, email_stem, phone_key on leadline.leads
    for each row when (new.email is distinct from old.email or new.phone is distinct from old.phone
        or new.email_key is distinct from old.email_key or new.email_stem is distinct from old.email_stem or new.phone_key is distinct from old.phone_key)
    execute function leadline_internal.derive_contact_keys();

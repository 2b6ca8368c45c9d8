-- Takes personal text out of a journal row before it is written: personal and unknown payload keys, and the values of
-- personal columns, go to activity_content under a salt of their own; the row keeps the names and the hash.
create or replace function leadline_internal.without_content(e leadline_internal.entry, p_open_keys text[], p_personal_changes jsonb)
returns leadline_internal.entry
language plpgsql volatile
as $$
declare
    v_hidden jsonb := e.payload - p_open_keys;
    v_content jsonb := '{}';
    v_salt bytea;
begin
    if v_hidden <> '{}' then
        e.payload := e.payload - array(select jsonb_object_keys(v_hidden));
        v_content := jsonb_build_object('payload', v_hidden);
    end if;
    if p_personal_changes <> '{}' then v_content := v_content || jsonb_build_object('changes', p_personal_changes); end if;
    if v_content <> '{}' then
        v_salt := uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
        insert into leadline.activity_content (workspace_id, activity_id, salt, content)
        values (e.workspace_id, e.activity_id, v_salt, v_content);
        e.content_hash := sha256(v_salt || convert_to(v_content::text, 'UTF8'));
    end if;
    return e;
end $$;

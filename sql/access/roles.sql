-- Who exists in the cluster: the owner of everything, the groups that grants name, the logins of service and worker.
-- Run before the first migration by whoever deploys, not by leadline_owner, and again at every deploy. Needs CREATEROLE while a
-- role is missing and CREATE on the database while a schema is missing; afterwards membership in leadline_owner is enough. No
-- superuser. Roles belong to the cluster: databases deployed at the same time, or before, share them.

do $$
declare
    v_role record;
begin
    for v_role in
        select r.name, r.may_log_in
        from (values ('leadline_owner', false), ('leadline_writer', false), ('leadline_reader', false),
                     ('leadline_contacts', false), ('leadline_service', true), ('leadline_worker', true)) r (name, may_log_in)
    loop
        if not exists (select from pg_catalog.pg_roles p where p.rolname = v_role.name) then
            begin
                execute format('create role %I %s', v_role.name, case when v_role.may_log_in then 'login' else 'nologin' end);
            exception when duplicate_object or unique_violation then
                null;  -- the deploy of another database of this cluster was faster
            end;
        end if;
    end loop;
end $$;

-- Whoever deploys acts as leadline_owner. From 16 on, the creator of a role may administer it but not become it.
do $$
declare
    v_has_set_option bool := current_setting('server_version_num')::int >= 160000;
begin
    if not pg_has_role(current_user, 'leadline_owner', case when v_has_set_option then 'SET' else 'MEMBER' end) then
        begin
            execute 'grant leadline_owner to current_user' || case when v_has_set_option then ' with set true' else '' end;
        exception
            when unique_violation then
                null;  -- the same person deploys two databases at once
            when insufficient_privilege then
                raise exception '% may not act as leadline_owner.', current_user
                    using errcode = 'insufficient_privilege',
                          hint = format('Whoever deployed first, or a superuser: grant leadline_owner to %I.', current_user);
        end;
    end if;
end $$;

do $$
declare
    v_schema text;
    v_owner name;
begin
    foreach v_schema in array array['leadline', 'leadline_internal'] loop
        select pg_get_userbyid(n.nspowner) into v_owner from pg_catalog.pg_namespace n where n.nspname = v_schema;
        if not found then
            execute format('create schema %I authorization leadline_owner', v_schema);
        elsif v_owner <> 'leadline_owner' then
            raise exception 'Schema % belongs to %, not to leadline_owner.', v_schema, v_owner
                using errcode = 'invalid_schema_definition',
                      hint = format('Rename it, or: alter schema %I owner to leadline_owner.', v_schema);
        end if;
    end loop;
end $$;

-- A function is callable only by those whom a grant names.
set role leadline_owner;
alter default privileges revoke execute on functions from public;
reset role;

-- Temporary objects are of no use to those who report and read, and a tool for those who attack. A database that others live in keeps
-- the privilege: their programs may need it. A deployer who does not own the database is only warned.
do $$
begin
    if not exists (
        select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'leadline', 'leadline_internal')) then
        execute format('revoke temporary on database %I from public', current_database());
        execute format('grant temporary on database %I to leadline_owner', current_database());
    end if;
exception when insufficient_privilege then
    raise warning 'The privilege TEMPORARY stays with everybody: only the owner of the database can take it away.';
end $$;

-- What a product tells of a person (seed 003): a signal may bring back who was put aside, and may open a request; it never moves
-- a lifecycle stage.
-- Fires: after a product_signal_seen that counts. Writes: the same on each recycled qualification lead of the person; where it opens a request, an
-- enquiry of class score, by the person's e-mail address; unless they are put aside until later and no other lead is open.
create or replace function leadline_internal.carry_out_product_signal() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_people uuid[] := leadline_internal.people_in(new.workspace_id, new.person_id);
    v_lead_id uuid;
    v_email text;
    v_at timestamptz := (new.payload ->> 'observed_at')::timestamptz;
    v_payload jsonb := jsonb_build_object('signal', new.payload -> 'signal', 'observed_at', new.payload -> 'observed_at',
        'expires_at', new.payload -> 'expires_at', 'reason', 'product signal');
begin
    for v_lead_id in
        select l.lead_id from leadline.leads l
        where l.workspace_id = new.workspace_id and l.person_id = any (v_people) and l.workflow = 'qualification' and l.stage = 'recycled' and l.merged_into is null
        order by l.lead_id
    loop
        insert into leadline.lead_activity (workspace_id, lead_id, activity_type, payload, occurred_at, actor_kind, writer, caused_by)
        values (new.workspace_id, v_lead_id, 'product_signal_seen', v_payload, v_at, 'system', 'workflow:product-signal', new.activity_id);
    end loop;
    if not coalesce((new.payload ->> 'opens_request')::bool, false) or exists (
        select from leadline.leads l where l.workspace_id = new.workspace_id and l.person_id = any (v_people) and l.stage = 'recycled' and l.merged_into is null)
        and not exists (
        select from leadline.leads l where l.workspace_id = new.workspace_id and l.person_id = any (v_people) and l.status in ('open', 'active')) then
        return null;
    end if;
    -- An address that whoever the enquiry goes to knows already, before any other.
    select k.key into v_email from leadline.person_keys k
    where k.workspace_id = new.workspace_id and k.person_id = any (v_people) and k.kind = 'email' 
    order by exists (select from leadline.leads l where l.workspace_id = k.workspace_id and l.email_key = k.key
                       and l.assigned_user_id = (leadline_internal.way_of(new.workspace_id, new.person_id)).owner_user_id) desc,
        k.person_id <> new.person_id, k.key limit 1;
    if v_email is not null then
        insert into leadline.lead_activity (workspace_id, activity_type, payload, actor_kind, writer, caused_by)
        values (new.workspace_id, 'inbound_enquiry', jsonb_build_object('email', v_email, 'workflow', 'qualification', 'request_class', 'score', 'source', 'product signal'),
            'system', 'workflow:product-signal', new.activity_id);
    end if;
    return null;
end $$;
create or replace trigger t70_carry_out_product_signal after insert on leadline.relationship_activity
    for each row when (new.activity_type = 'product_signal_seen' and new.verdict = 'noted' and new.rule is null)
    execute function leadline_internal.carry_out_product_signal();

-- Webhook sources and deliveries, as the people of a workspace and the service see them.
select t.here();
create temp table made as select * from leadline.add_webhook_source(t.workspace(), 'Website', 'form');
grant select on made to public;

create function pg_temp.told() returns setof leadline.workspace_activity language sql as $$
    select * from leadline.workspace_activity where activity_type = 'webhook_source_changed' order by seq
$$;

-- Takes in, maps and processes a document, as the service does.
create function pg_temp.delivered(p_document jsonb, p_headers jsonb default '{}') returns setof jsonb language plpgsql as $$
declare
    v_who name := session_user;
    r record;
    v_mapped jsonb;
    v_results jsonb;
begin
    set local session authorization leadline_service;
    select x.* into r from made m, leadline.receive_webhook(m.key, p_headers, 'application/json', convert_to(p_document::text, 'UTF8'), now()) x;
    select m.mapped into v_mapped from leadline.map_webhook(r.workspace_id, r.log_id, r.ticket, p_document) m;
    select p.results into v_results from leadline.process_webhook(r.workspace_id, r.log_id, r.ticket, v_mapped) p;
    set local session authorization default;
    execute format('set local session authorization %I', v_who);
    return query select e.value from jsonb_array_elements(v_results) e;
end $$;

-- test: what an owner or admin does to a source is written down, without the secret
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, '{"activities": [{"activity_type": "note_added"}]}') from made m;
select t.act_as('owner');
select leadline.replace_webhook_secret(t.workspace(), m.source_id) from made m;
select leadline.remove_webhook_source(t.workspace(), m.source_id) from made m;
select results_eq(
    $$ select a.about_id, a.actor_id, a.writer, a.payload from pg_temp.told() a $$,
    $$ select m.source_id, t.person(x.who), 'workflow:team', x.payload::jsonb from made m, (values
        (1, 'admin', '{"change": "added", "preset": "form", "scheme": "none"}'), (2, 'admin', '{"change": "mapping_replaced"}'),
        (3, 'owner', '{"change": "secret_replaced"}'), (4, 'owner', '{"change": "removed"}')) x (n, who, payload) order by x.n $$,
    'four changes');

-- test: a secret is shown once and never stands in a journal or a view
select t.keep('source', s.source_id), set_config('t.secret', s.secret, true) from leadline.add_webhook_source(t.workspace(), 'Shop', 'form', null, 'standard_webhooks') s;
select matches(current_setting('t.secret'), '^whsec_.{44}$', 'shown');
select is_empty($$ select from leadline.workspace_activity a where a::text like '%' || current_setting('t.secret') || '%' $$, 'not in the journal');
select is_empty($$ select from leadline.activity_content c where c::text like '%' || current_setting('t.secret') || '%' $$, 'nor beside it');
select is_empty($$ select from leadline.webhooks s where s::text like '%' || current_setting('t.secret') || '%' $$, 'nor in the view');
select throws_ok('select secret from leadline.webhook_sources', '42501', null, 'the column is nobody''s');
select throws_ok('select ticket from leadline.webhook_logs', '42501', null, 'nor are the tickets');

-- test: members, machines and strangers neither make sources nor see what comes
select pg_temp.delivered('{"email": "ana@example.net"}');
select isnt_empty('select from leadline.webhook_deliveries', 'an admin sees it');
select t.act_as('member');
select throws_ok($$ select leadline.add_webhook_source(t.workspace(), 'X', 'form') $$, 'PT403', null, 'a member makes none');
select throws_ok($$ select leadline.remove_webhook_source(t.workspace(), m.source_id) from made m $$, 'PT403', null, 'ends none');
select throws_ok($$ select leadline.reopen_webhook(t.workspace(), 1) $$, 'PT403', null, 'opens none');
select is_empty('select from leadline.webhooks', 'sees none');
select is_empty('select from leadline.webhook_deliveries', 'and nothing that came');
select is_empty('select from leadline.webhook_bodies', 'nor how');
select t.act_as('app');
select is_empty('select from leadline.webhook_bodies', 'an app neither');
select throws_ok($$ select leadline.receive_webhook(m.key, '{}', null, '', now()) from made m $$, '42501', null, 'and delivers by the address alone');
select throws_ok($$ select leadline.process_webhook(t.workspace(), 1, null, '{}') $$, '42501', null, 'makes nothing of it');
select t.act_as('billing', p_workspace => t.elsewhere());
select is_empty('select from leadline.webhooks', 'nor does anybody of another workspace');
select throws_ok($$ select leadline.add_webhook_source(t.workspace(), 'X', 'form') $$, 'PT404', null, 'or make one here');
select t.act_as('nobody');
select throws_ok($$ select leadline.add_webhook_source(t.workspace(), 'X', 'form') $$, 'PT401', null, 'nobody at all');

-- test: a source needs a name
select throws_ok($$ select leadline.add_webhook_source(t.workspace(), ' ', 'form') $$, 'PT422', null, 'blank');

-- test: a source follows its preset until it has a mapping of its own, and again afterwards
select is((select r ->> 'outcome' from pg_temp.delivered('{"mail": "ana@example.net", "says": "x"}') r), 'logged', 'by the preset');
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, '{"activities": [{"when": "exists($.says)", "activity_type": "note_added", "payload": {"text": "$.says"}, "lead_email": "$.mail"}]}') from made m;
select is((select r ->> 'activity_type' from pg_temp.delivered('{"mail": "ana@example.net", "says": "x"}') r), 'note_added', 'by its own');
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, null) from made m;
select is((select r ->> 'activity_type' from pg_temp.delivered('{"mail": "ana@example.net", "says": "x"}') r), 'inbound_enquiry', 'by the preset again');

-- test: an activity that is no enquiry finds an open lead by its address
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, '{"activities": [{"activity_type": "callback_requested", "lead_email": "$.mail"}]}') from made m;
select t.keep('closed', t.lead('sale', '{"email": "ana@example.net"}')), t.keep('open', t.lead('attempted', '{"email": "Ana@Example.net"}'));
select is((select r ->> 'lead_id' from pg_temp.delivered('{"mail": "ana@example.net "}') r), t.kept('open')::text, 'the open one');
select is((select r ->> 'rule' from pg_temp.delivered('{"mail": "bo@example.net"}') r), 'no_such_lead', 'nobody');

-- test: or by its appointment, when only one lead has it
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, '{"activities": [{"activity_type": "appointment_cancel", "payload": {"appointment_ref": "$.ref"}, "lead_email": "$.mail"}]}') from made m;
select t.keep('one', t.created('{"email": "ana@example.net"}')), t.keep('two', t.created('{"email": "bo@example.net"}'));
select t.verdict(t.kept('one'), 'appointment_scheduled', '{"appointment_ref": "E1"}');
select is((select r ->> 'lead_id' from pg_temp.delivered('{"ref": "E1"}') r), t.kept('one')::text, 'by the appointment alone');
select t.verdict(t.kept('one'), 'appointment_scheduled', '{"appointment_ref": "E2"}'), t.verdict(t.kept('two'), 'appointment_scheduled', '{"appointment_ref": "E2"}');
select is((select r ->> 'rule' from pg_temp.delivered('{"ref": "E2"}') r), 'no_such_lead', 'not when several have it');
select is((select r ->> 'lead_id' from pg_temp.delivered('{"ref": "E2", "mail": "BO@example.net"}') r), t.kept('two')::text, 'then by the address');

-- test: a refusal is a result, also for a session that wants errors
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, '{"activities": [{"activity_type": "sale", "lead_email": "$.mail"}]}') from made m;
select t.keep('lead', t.created('{"email": "ana@example.net"}'));
set local leadline.on_refusal = 'raise';
select is((select concat_ws(' ', r ->> 'verdict', r ->> 'rule') from pg_temp.delivered('{"mail": "ana@example.net"}') r), 'refused outcome_needs_appointment', 'kept');
select is(current_setting('leadline.on_refusal'), 'raise', 'and the setting is as it was');

-- test: the sender''s headers can say what a body means
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, $m$ {"event_id": {"header": "X-Id"}, "activities": [
    {"when": "$headers.\"x-kind\" == \"new\"", "activity_type": "inbound_enquiry", "payload": {"email": "$.mail", "source": {"header": "X-From"}}}]} $m$) from made m;
select is((select r ->> 'outcome' from pg_temp.delivered('{"mail": "ana@example.net"}', '{"x-kind": "old"}') r), 'unmapped', 'another kind');
select is((select r ->> 'outcome' from pg_temp.delivered('{"mail": "ana@example.net"}', '{"x-kind": "new", "x-id": "7", "x-from": "shop"}') r), 'logged', 'this one');
select results_eq($$ select d.event_id, a.reference, l.source from leadline.webhook_deliveries d, leadline.lead_activity a, leadline.leads l where d.event_id is not null $$,
                  $$ select '7', 'hook:' || m.source_id || ':7:inbound_enquiry', 'shop' from made m $$, 'named by its header');

-- test: the same activity twice in one item is named twice, and a long name by its digest
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, $m$ {"item_id": "$.id", "activities": [
    {"activity_type": "inbound_enquiry", "payload": {"email": "$.mail"}}, {"activity_type": "tag_added", "payload": {"tag": "$.a"}}, {"activity_type": "tag_added", "payload": {"tag": "$.b"}}]} $m$) from made m;
select is((select count(*) from pg_temp.delivered(jsonb_build_object('id', repeat('x', 300), 'mail', 'ana@example.net', 'a', 'p', 'b', 'q')) r where r ->> 'verdict' = 'applied'), 3::bigint, 'all three');
select is((select count(*) from pg_temp.delivered(jsonb_build_object('id', repeat('x', 300), 'mail', 'ana@example.net', 'a', 'p', 'b', 'q')) r where (r ->> 'replayed')::bool), 3::bigint, 'once');
select results_eq('select tags from leadline.leads', $$ values ('{p,q}'::text[]) $$, 'both tags');

-- test: a mapping that fails while it is followed is a failure of the delivery
select leadline.replace_webhook_mapping(t.workspace(), m.source_id, '{"activities": [{"activity_type": "inbound_enquiry", "payload": {"email": "$.mail"}, "when": "$.b.c ? (@ == $missing)"}]}') from made m;
select is_empty($$ select from pg_temp.delivered('{"mail": "ana@example.net", "b": {"c": 1}}') r $$, 'nothing is logged');
select results_eq('select status, error from leadline.webhook_deliveries', $$ values ('mapping_failed', 'mapping_malformed') $$, 'and it says so');

-- test: a body is not a way around the limit of a batch
select is_empty($$ select from pg_temp.delivered((select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 1001) n)) $$, 'more than a thousand items');
select is((select count(*) from pg_temp.delivered((select jsonb_agg(jsonb_build_object('n', n)) from generate_series(1, 1000) n))), 1000::bigint, 'up to a thousand');
select results_eq('select status, error from leadline.webhook_deliveries order by log_id', $$ values ('mapping_failed', 'too_many_items'), ('unmapped', null) $$, 'the first is kept and says why');

-- test: what a delivery holds is in its workspace alone
-- privileged: compares two workspaces
select t.act_as('superuser');
create temp table theirs as select * from leadline.add_webhook_source(t.elsewhere(), 'Website', 'form');
grant select on theirs to public;
set local session authorization leadline_service;
select leadline.receive_webhook(x.key, '{}', null, convert_to('ana@example.net', 'UTF8'), '2026-01-01T00:00:00Z') from (select key from made union all select key from theirs) x;
select t.act_as('superuser');
select is(leadline_internal.forget_in_webhooks(t.workspace(), null, '{ANA@example.net}'), 1, 'forgotten here');
select results_eq($$ select l.workspace_id = t.workspace(), l.body is null from leadline.webhook_logs l where l.workspace_id in (t.workspace(), t.elsewhere()) order by 1 $$,
                  $$ values (false, false), (true, true) $$, 'and not there');
select is(leadline_internal.purge_webhook_bodies(t.workspace(), '2026-06-01T00:00:00Z'), '{"purged": 0}'::jsonb, 'nothing is left to purge here');

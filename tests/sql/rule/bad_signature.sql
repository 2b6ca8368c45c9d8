-- What is not signed with the source's secret is kept, and nothing is made of it.
select t.here();
create temp table made as select * from leadline.add_webhook_source(t.workspace(), 'Shop', 'form', null, 'hmac', '{"header": "X-Sign"}', 'Jefe-Jefe');
grant select on made to public;
-- HMAC-SHA256 of {} under Jefe-Jefe, computed elsewhere.
create function pg_temp.signed() returns jsonb language sql as $$ select '{"x-sign": "f567de44b48e513bb507e8d75efa45393746ef3b2d8b49b9ee7217949c1c2667"}'::jsonb $$;

-- test: refused in words a person can act on, and kept
set local session authorization leadline_service;
select t.speaks(r.sentence, r.hint) from made m, leadline.receive_webhook(m.key, '{"x-sign": "00"}', null, '{}', now()) r;
select is((select r.ticket from made m, leadline.receive_webhook(m.key, '{}', null, '{}', now()) r), null, 'no header, no ticket');
select t.act_as('admin');
select results_eq('select status, error, attempts from leadline.webhook_deliveries', $$ values ('bad_signature', 'bad_signature', 1), ('bad_signature', 'bad_signature', 1) $$, 'both are kept');

-- test: raised when such a delivery is opened again under the same secret
set local session authorization leadline_service;
select leadline.receive_webhook(m.key, pg_temp.signed() || '{"x-sign": "00"}', null, '{}', now()) from made m;
select t.act_as('admin');
select t.raises($$ select leadline.reopen_webhook(t.workspace(), log_id) from leadline.webhook_deliveries $$, 'PT401', 'bad_signature', 'it is none still');

-- test: allowed once the secret was put right
select leadline.replace_webhook_secret(t.workspace(), m.source_id, 'another-secret') from made m;
set local session authorization leadline_service;
select is((select r.ticket from made m, leadline.receive_webhook(m.key, pg_temp.signed(), null, '{}', now()) r), null, 'signed with the other one');
select t.act_as('admin');
select leadline.replace_webhook_secret(t.workspace(), m.source_id, 'Jefe-Jefe') from made m;
select isnt((select r.ticket from leadline.webhook_deliveries d, leadline.reopen_webhook(d.workspace_id, d.log_id) r), null, 'opened');

-- test: allowed with the right signature
set local session authorization leadline_service;
select isnt((select r.ticket from made m, leadline.receive_webhook(m.key, pg_temp.signed(), null, '{}', now()) r), null, 'taken in');

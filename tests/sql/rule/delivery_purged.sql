-- A body that is gone cannot be replayed.
select t.here();
create temp table made as select s.key from leadline.add_webhook_source(t.workspace(), 'Form', 'form') s;
grant select on made to public;

-- test: raised when it is opened again
set local session authorization leadline_service;
select leadline.receive_webhook(m.key, '{}', null, 'x', '2026-01-01T00:00:00Z') from made m;
select t.act_as('superuser');
select leadline_internal.purge_webhook_bodies(t.workspace(), '2026-06-01T00:00:00Z');
select t.act_as('admin');
select t.raises($$ select leadline.reopen_webhook(t.workspace(), d.log_id) from leadline.webhook_deliveries d $$, 'PT409', 'delivery_purged', 'it is gone');
select is_empty('select from leadline.webhook_bodies', 'and shown nowhere');

-- test: allowed while it is kept
set local session authorization leadline_service;
select leadline.receive_webhook(m.key, '{}', null, 'x', '2026-01-01T00:00:00Z') from made m;
select t.act_as('admin');
select results_eq($$ select r.body from leadline.webhook_deliveries d, leadline.reopen_webhook(d.workspace_id, d.log_id) r $$, $$ values ('x'::bytea) $$, 'as it came');

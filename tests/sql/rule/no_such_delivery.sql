-- Something is made of a delivery once, by whoever was given its ticket.
select t.here();
create temp table made as select s.key from leadline.add_webhook_source(t.workspace(), 'Form', 'form') s;
grant select on made to public;
create temp table held (workspace_id uuid, log_id bigint, ticket uuid);
grant all on held to public;

-- test: raised without the ticket, and when it was used
set local session authorization leadline_service;
insert into held select r.workspace_id, r.log_id, r.ticket from made m, leadline.receive_webhook(m.key, '{}', null, '', now()) r;
select t.raises($$ select leadline.process_webhook(h.workspace_id, h.log_id, gen_random_uuid(), '{"status": "unmapped"}') from held h $$, 'PT404', 'no_such_delivery', 'a made-up ticket');
select throws_ok($$ select leadline.process_webhook(h.workspace_id, h.log_id, null, '{"status": "unmapped"}') from held h $$, 'PT404', null, 'none');
select throws_ok($$ select leadline.process_webhook(t.elsewhere(), h.log_id, h.ticket, '{"status": "unmapped"}') from held h $$, 'PT404', null, 'of another workspace');
select throws_ok($$ select leadline.map_webhook(h.workspace_id, h.log_id, gen_random_uuid(), '{}') from held h $$, 'PT404', null, 'nor is it mapped');
select lives_ok($$ select leadline.process_webhook(h.workspace_id, h.log_id, h.ticket, '{"status": "unmapped"}') from held h $$, 'with it');
select throws_ok($$ select leadline.process_webhook(h.workspace_id, h.log_id, h.ticket, '{"status": "unmapped"}') from held h $$, 'PT404', null, 'a second time');

-- test: raised when a delivery is opened that is not here
select throws_ok($$ select leadline.reopen_webhook(t.workspace(), 0) $$, 'PT404', null, 'unknown');
select t.act_as('admin', p_workspace => t.workspace());
select throws_ok($$ select leadline.reopen_webhook(t.elsewhere(), 1) $$, 'PT404', null, 'nor elsewhere');

-- test: allowed to open it again, and then the ticket before is void
set local session authorization leadline_service;
insert into held select r.workspace_id, r.log_id, r.ticket from made m, leadline.receive_webhook(m.key, '{}', 'text/plain', '\x00ff', now()) r;
select t.act_as('admin');
update held h set ticket = r.ticket from held o, leadline.reopen_webhook(o.workspace_id, o.log_id) r;
select results_eq('select d.attempts, d.bytes, d.status from leadline.webhook_deliveries d', $$ values (2, 2, 'received') $$, 'once more');
set local session authorization leadline_service;
select lives_ok($$ select leadline.process_webhook(h.workspace_id, h.log_id, h.ticket, '{"status": "unmapped"}') from held h $$, 'with the new one');

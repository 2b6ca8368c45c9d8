-- Nothing is taken in at an address that is none, and nothing is said of one that was.
select t.here();
create temp table made as select * from leadline.add_webhook_source(t.workspace(), 'Form', 'form');
grant select on made to public;

-- test: raised for a key that nobody has, and for one that was removed, alike
select leadline.remove_webhook_source(t.workspace(), m.source_id) from made m;
set local session authorization leadline_service;
select t.raises($$ select leadline.receive_webhook('wh_0', '{}', null, '', now()) $$, 'PT404', 'no_such_webhook', 'never made');
select results_eq(
    $$ select c.* from t.caught($q$ select leadline.receive_webhook(m.key, '{}', null, '', now()) from made m $q$) c $$,
    $$ select c.* from t.caught($q$ select leadline.receive_webhook('wh_0', '{}', null, '', now()) $q$) c $$,
    'word for word the same for one that was removed');
select throws_ok($$ select leadline.answer_webhook_handshake(m.key, 'x') from made m $$, 'PT404', null, 'nor is a handshake answered');

-- test: raised for a source without a handshake
set local session authorization leadline_service;
select throws_ok($$ select leadline.answer_webhook_handshake(m.key, 'x') from made m $$, 'PT404', null, 'a form asks for none');

-- test: raised when a source is changed that is not of this workspace, or no more
select throws_ok($$ select leadline.replace_webhook_mapping(t.workspace(), gen_random_uuid(), null) $$, 'PT404', null, 'unknown');
select leadline.remove_webhook_source(t.workspace(), m.source_id) from made m;
select throws_ok($$ select leadline.replace_webhook_mapping(t.workspace(), m.source_id, null) from made m $$, 'PT404', null, 'its mapping');
select throws_ok($$ select leadline.replace_webhook_secret(t.workspace(), m.source_id) from made m $$, 'PT404', null, 'its secret');
select throws_ok($$ select leadline.remove_webhook_source(t.workspace(), m.source_id) from made m $$, 'PT404', null, 'removed twice');

-- test: raised when the workspace is closed
select t.act_as('owner');
select leadline.close_workspace(t.workspace());
set local session authorization leadline_service;
select throws_ok($$ select leadline.receive_webhook(m.key, '{}', null, '', now()) from made m $$, 'PT404', null, 'nobody is there');

-- test: allowed at an address that is
set local session authorization leadline_service;
select isnt((select r.ticket from made m, leadline.receive_webhook(m.key, '{}', null, '', now()) r), null, 'taken in');

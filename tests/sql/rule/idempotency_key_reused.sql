-- A key stands for one request: with another body it is somebody's mistake.
select t.here();
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true);
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select leadline.keep_answer('POST /v1/leads', 'k', 'first', 201, 'application/json', '{}');

-- test: raised
select t.raises($$ select leadline.claim_idempotency_key('POST /v1/leads', 'k', 'second') $$, 'PT422', 'idempotency_key_reused', 'another request');

-- test: allowed for the same request, and under a key of its own
select results_eq($$ select status, body from leadline.claim_idempotency_key('POST /v1/leads', 'k', 'first') $$, $$ values (201, '{}') $$, 'the same');
select results_eq($$ select status from leadline.claim_idempotency_key('POST /v1/leads', 'l', 'second') $$, 'values (null::int)', 'another key');

-- test: allowed a day later
-- privileged: only the owner may turn the clock
select t.act_as('superuser');
update leadline.idempotency_keys set answered_at = answered_at - interval '25 hours' where workspace_id = t.workspace();
set local session authorization leadline_service;
select results_eq($$ select status from leadline.claim_idempotency_key('POST /v1/leads', 'k', 'second') $$, 'values (null::int)', 'it is free again');

-- A request that is still being answered is not done a second time, and nobody waits for it. (Two sessions: tests/py/test_idempotency.py.)
select t.here();
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true);
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));

-- test: said: it is worth sending again
select t.raises($$ select leadline_internal.forbid('PT409', 'request_in_progress') $$, 'PT409', 'request_in_progress', 'to the second session');
select matches(c.hint, 'again', 'the hint says so') from t.caught($$ select leadline_internal.forbid('PT409', 'request_in_progress') $$) c;

-- test: allowed to whoever holds the key
select results_eq($$ select status from leadline.claim_idempotency_key('POST /v1/leads', 'k', 'x') $$, 'values (null::int)', 'claimed');
select results_eq($$ select status from leadline.claim_idempotency_key('POST /v1/leads', 'k', 'x') $$, 'values (null::int)', 'by this transaction');
select lives_ok($$ select leadline.keep_answer('POST /v1/leads', 'k', 'x', 201, 'application/json', '{}') $$, 'and answered');

-- Answers under their keys: one credential's, for a day, behind two doors.
select t.here();
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true),
       set_config('t.other', leadline.create_token(t.workspace(), 'app'), true);
select t.act_as('superuser');
select set_config('t.foreign', leadline.create_token(t.elsewhere(), 'app'), true);
create function pg_temp.claim(p_token text, p_route text default 'POST /v1/leads', p_key text default 'k', p_fingerprint bytea default 'x')
returns text language plpgsql as $$
begin
    perform leadline.enter(current_setting('t.' || p_token));
    return (select concat_ws(' ', c.status, c.content_type, c.body) from leadline.claim_idempotency_key(p_route, p_key, p_fingerprint) c);
end $$;
create function pg_temp.keep(p_token text, p_body text default '{}', p_route text default 'POST /v1/leads', p_key text default 'k', p_fingerprint bytea default 'x')
returns void language plpgsql as $$
begin
    perform leadline.enter(current_setting('t.' || p_token));
    perform leadline.keep_answer(p_route, p_key, p_fingerprint, 201, 'application/json', p_body);
end $$;
grant execute on all functions in schema pg_temp to public;
create function pg_temp.age(p_age interval) returns void language sql as $$
    update leadline.idempotency_keys set answered_at = now() - p_age where workspace_id in (t.workspace(), t.elsewhere())
$$;
set local session authorization leadline_service;

-- test: a key that nobody used is claimed, and given the answer that was kept
select is(pg_temp.claim('token'), '', 'free');
select pg_temp.keep('token', '{"verdict": "applied", "a": 1.0}');
select is(pg_temp.claim('token'), '201 application/json {"verdict": "applied", "a": 1.0}', 'as it was');

-- test: another credential, workspace, route or key is another key
select pg_temp.keep('token', '{"mine": true}');
select is(pg_temp.claim('other'), '', 'another credential of the workspace');
select is(pg_temp.claim('foreign'), '', 'another workspace');
select is(pg_temp.claim('token', 'POST /v1/activities'), '', 'another route');
select is(pg_temp.claim('token', p_key => 'K'), '', 'another key');
select pg_temp.keep('foreign', '{"theirs": true}');
select matches(pg_temp.claim('token'), 'mine', 'each has its own');
select matches(pg_temp.claim('foreign'), 'theirs', 'each has its own');

-- test: an answer stands for its day, whatever else is kept meanwhile
-- privileged: only the owner may turn the clock
select t.act_as('superuser');
select pg_temp.keep('token', '{"first": true}');
select pg_temp.keep('token', '{"second": true}', p_fingerprint => 'y');
select matches(pg_temp.claim('token'), 'first', 'the first stands');
select pg_temp.age('24 hours');
select matches(pg_temp.claim('token'), 'first', 'to the last instant');
select pg_temp.age('24 hours 1 microsecond');
select is(pg_temp.claim('token'), '', 'then no more');
select pg_temp.keep('token', '{"second": true}', p_fingerprint => 'y');
select matches(pg_temp.claim('token', p_fingerprint => 'y'), 'second', 'and makes room');

-- test: only successes and refusals can be kept, under keys of a length
select leadline.enter(current_setting('t.token'));
select throws_ok(format('select leadline.keep_answer(%L, %L, %L, %s, %L, %L)', 'POST /v1/leads', 'k', 'x', s.status, 'application/json', '{}'),
                 '23514', null, s.status::text) from unnest('{400, 404, 422, 500, 503}'::int[]) s (status);
select lives_ok(format('select leadline.keep_answer(%L, %L, %L, %s, %L, %L)', 'POST /v1/leads', s.status, 'x', s.status, 'application/json', '{}'),
                s.status::text) from unnest('{200, 201, 202, 409}'::int[]) s (status);
select throws_ok($$ select leadline.keep_answer('r', '', 'x', 201, 't', '{}') $$, '23514', null, 'no key');
select throws_ok($$ select leadline.keep_answer('r', repeat('k', 256), 'x', 201, 't', '{}') $$, '23514', null, 'too long a key');

-- test: without a credential there is no key
select throws_ok($$ select leadline.claim_idempotency_key('r', 'k', 'x') $$, 'PT401', null, 'to claim');
select throws_ok($$ select leadline.keep_answer('r', 'k', 'x', 201, 't', '{}') $$, 'PT401', null, 'to keep under');
select set_config('leadline.context', concat_ws('|', t.workspace(), 'owner', '', '', 'person', '', repeat('0', 64)), true);
select throws_ok($$ select leadline.claim_idempotency_key('r', 'k', 'x') $$, 'PT401', null, 'nor with a forged one');

-- test: nobody reads or writes the table but through the doors
select pg_temp.keep('token');
select throws_ok($$ select body from leadline.idempotency_keys $$, '42501', null, 'the service reads none');
select throws_ok($$ insert into leadline.idempotency_keys (key) values ('k') $$, '42501', null, 'writes none');
select throws_ok($$ delete from leadline.idempotency_keys $$, '42501', null, 'removes none');
select throws_ok($$ select leadline_internal.kept_answer(t.workspace(), t.workspace(), 'r', 'k', 'x') $$, '42501', null, 'nor through the inner ones');
select throws_ok($$ select leadline_internal.sweep_idempotency_keys(t.workspace(), now()) $$, '42501', null, 'sweeps none');
select t.act_as('owner');
select throws_ok($$ select body from leadline.idempotency_keys $$, '42501', null, 'nor an owner''s login');
select throws_ok($$ select leadline.claim_idempotency_key('r', 'k', 'x') $$, '42501', null, 'whose answers are not by HTTP');

-- test: the sweep removes what no longer counts, of its workspace, by the time it is told
-- privileged: the sweep is a job's
select t.act_as('superuser');
select pg_temp.keep('token'), pg_temp.keep('foreign');
select is(leadline_internal.sweep_idempotency_keys(t.workspace(), now() + interval '24 hours'), '{"deleted": 0}', 'not before its day is over');
select is(leadline_internal.sweep_idempotency_keys(t.workspace(), now() + interval '24 hours 1 microsecond'), '{"deleted": 1}', 'then');
select is(pg_temp.claim('token'), '', 'it is gone');
select matches(pg_temp.claim('foreign'), '201', 'the neighbour''s is not');

-- test: when a person is erased, so are the answers that name their leads
-- privileged: the erasure's own helper
select t.act_as('superuser');
select t.keep('lead', gen_random_uuid()), t.keep('sister', gen_random_uuid()), t.keep('stranger', gen_random_uuid());
select pg_temp.keep('token', format('{"lead_id": "%s", "lead": {"name": "Ann"}}', t.kept('lead')), p_key => 'one'),
       pg_temp.keep('other', format('{"results": [{"lead_id": "%s"}, {"lead_id": "%s"}]}', t.kept('stranger'), t.kept('sister')), p_key => 'many'),
       pg_temp.keep('token', format('{"lead_id": "%s"}', t.kept('stranger')), p_key => 'another'),
       pg_temp.keep('foreign', format('{"lead_id": "%s"}', t.kept('lead')), p_key => 'foreign');
select is(leadline_internal.forget_in_idempotency_keys(t.workspace(), array[t.kept('lead'), t.kept('sister')]), 2::bigint, 'two answers');
select is(pg_temp.claim('token', p_key => 'one'), '', 'the one');
select is(pg_temp.claim('other', p_key => 'many'), '', 'the batch');
select isnt(pg_temp.claim('token', p_key => 'another'), '', 'not another''s');
select isnt(pg_temp.claim('foreign', p_key => 'foreign'), '', 'not in another workspace');
select is(leadline_internal.forget_in_idempotency_keys(t.workspace(), '{}'), 0::bigint, 'of nobody nothing');

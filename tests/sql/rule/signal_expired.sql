-- A product's signal counts for a while; told after its end it is kept and counts for nothing (seed 003).
select t.here();
-- A signal of 1 March 2026, good until then.
create function pg_temp.signal(p_expires_at text) returns jsonb language sql as $$
    select jsonb_build_object('signal', 'invited_a_colleague', 'observed_at', '2026-03-01T10:00:00Z', 'reason', 'two seats in use', 'expires_at', p_expires_at)
$$;

-- test: noted, and it brings nobody back
select t.keep('lead', t.qualification_lead('recycled'));
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select is(t.verdict_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal('2026-03-08T10:00:00Z')), 'noted signal_expired', 'long over');
select is(t.stage(t.kept('lead')), 'recycled', 'the lead stays aside');
select is_empty($$ select from t.requests(t.kept('lead')) $$, 'and nobody asked for anything');

-- test: noted however it would open a request
select t.keep('person', t.someone('{"email": "kim@example.com"}'));
select is(t.verdict_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal('2026-03-08T10:00:00Z') || '{"opens_request": true}'), 'noted signal_expired', 'long over');
select is((select c.requests from leadline.person_overview c where c.person_id = t.kept('person')), 0, 'none');

-- test: it is kept for whoever asks
select t.keep('person', t.person_at('client'));
select t.report_on_person(t.kept('person'), 'product_signal_seen', pg_temp.signal('2026-03-08T10:00:00Z'));
select results_eq($$ select s.signal, s.is_live from leadline.product_signals s where s.person_id = t.kept('person') $$, $$ values ('invited_a_colleague', false) $$, 'not live');

-- test: allowed in time
select t.keep('lead', t.qualification_lead('recycled'));
select is(t.verdict_on_person((t.state(t.kept('lead'))).person_id, 'product_signal_seen', pg_temp.signal('2999-01-01T00:00:00Z')), 'noted', 'live');
select is(t.stage(t.kept('lead')), 'new', 'the lead comes back');

-- test: said
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', t.someone(), 'product_signal_seen', pg_temp.signal('2026-03-08T10:00:00Z')) j;

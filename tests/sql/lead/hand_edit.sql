-- Nothing silent: what a DBA changes by hand is journalled as direct_change, from the old value to the new.
select t.here();
select t.keep('lead', t.lead('attempted', '{"name": "Kim", "email": "kim@example.com", "deal_value": 100, "currency": "EUR"}'));
select t.act_as('superuser');

-- test: a stage, with its status and time
update leadline.leads set stage = 'refused', status = 'resolved', resolved_at = '2026-01-03T10:00:00Z' where lead_id = t.kept('lead');
select t.act_as('admin');
select results_eq(
    $$ select activity_type, verdict, rule, actor_kind, from_stage, to_stage, from_status, to_status, seq, version, changes
       from leadline.lead_activity where lead_id = t.kept('lead') order by seq desc limit 1 $$,
    $$ values ('direct_change', 'applied', null, 'system', 'attempted', 'refused', 'open', 'resolved', 2, 2,
               '{"stage": ["attempted", "refused"], "status": ["open", "resolved"], "resolved_at": [null, "2026-01-03T10:00:00.000000Z"]}'::jsonb) $$,
    'old and new');
select results_eq(
    $$ select stage, seq, version from t.state(t.kept('lead')) $$, $$ values ('refused', 2, 2) $$, 'the head moved with it');

-- test: a value, also to nothing
update leadline.leads set deal_value = null where lead_id = t.kept('lead');
select t.act_as('admin');
select results_eq(
    $$ select activity_type, changes from leadline.lead_activity where lead_id = t.kept('lead') order by seq desc limit 1 $$,
    $$ values ('direct_change', '{"deal_value": [100, null]}'::jsonb) $$, 'null is a value');
select results_eq(
    $$ select field, old_value::text, new_value::text from leadline.activities
       where lead_id = t.kept('lead') and event_type = 'direct_change' $$,
    $$ values ('deal_value', '100', null) $$, 'one row a changed field in the audit log');

-- test: personal fields by name only
update leadline.leads set name = 'Lee', email = 'lee@example.com' where lead_id = t.kept('lead');
select t.act_as('admin');
select results_eq(
    $$ select changes from leadline.lead_activity where lead_id = t.kept('lead') order by seq desc limit 1 $$,
    $$ values ('{"name": true, "email": true}'::jsonb) $$, 'what they were does not stand in the journal');

-- test: an update that changes nothing leaves nothing
update leadline.leads set stage = 'attempted', deal_value = 100.00, name = 'Kim' where lead_id = t.kept('lead');
select t.act_as('admin');
select results_eq(
    $$ select seq, version from t.state(t.kept('lead')) $$, $$ values (1, 1) $$, 'no row');

-- test: many leads at once, each in its own journal
select t.act_as('admin');
select t.keep('second', t.lead('new')), t.keep('third', t.lead('sale'));
select t.act_as('superuser');
update leadline.leads set source = 'merger' where workspace_id = t.workspace();
select t.act_as('admin');
select results_eq(
    $$ select a.seq, a.activity_type, a.changes->'source'->>1 from leadline.lead_activity a
       where a.lead_id in (t.kept('lead'), t.kept('second'), t.kept('third')) and a.seq > 1 $$,
    $$ values (2, 'direct_change', 'merger'), (2, 'direct_change', 'merger'), (2, 'direct_change', 'merger') $$, 'one each');

-- test: a pair of stage and status that does not exist is refused to everybody
-- privileged: only a superuser can try
select throws_ok($$ update leadline.leads set stage = 'sale' where lead_id = t.kept('lead') $$, '23503', null, 'sale is not open');
select throws_ok($$ update leadline.leads set status = 'resolved', resolved_at = now() where lead_id = t.kept('lead') $$, '23503', null, 'attempted is not resolved');

-- test: the trigger goes on from what the hand left
update leadline.leads set stage = 'scheduled' where lead_id = t.kept('lead');
select t.act_as('admin');
select is(t.verdict(t.kept('lead'), 'sale'), 'applied', 'a sale from scheduled');

-- test: what was changed by hand is proved like everything else
-- privileged: only the owner sees every workspace
update leadline.leads set stage = 'scheduled', name = 'Lee', deal_value = 7 where lead_id = t.kept('lead');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold knows of it');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

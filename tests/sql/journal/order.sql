-- Order is the order of decisions: seq and activity_id, never a timestamp.
select t.here();

-- test: three activities in one statement are decided one after another
select t.keep('lead', t.created());
select results_eq(
    $$ insert into leadline.lead_activity (lead_id, activity_type)
       values (t.kept('lead'), 'contact_attempted'), (t.kept('lead'), 'appointment_scheduled'), (t.kept('lead'), 'sale')
       returning activity_type, verdict, from_stage, to_stage, seq, version $$,
    $$ values ('contact_attempted', 'applied', 'new', 'attempted', 2, 2), ('appointment_scheduled', 'applied', 'attempted', 'scheduled', 3, 3),
              ('sale', 'applied', 'scheduled', 'sale', 4, 4) $$,
    'each starts where the one before it ended');
select results_eq($$ select stage, status from t.state(t.kept('lead')) $$, $$ values ('sale', 'resolved') $$, 'sold');

-- test: in the other order they mean something else
select t.keep('lead', t.created());
select results_eq(
    $$ insert into leadline.lead_activity (lead_id, activity_type)
       values (t.kept('lead'), 'sale'), (t.kept('lead'), 'appointment_scheduled'), (t.kept('lead'), 'contact_attempted')
       returning activity_type, verdict, rule, to_stage, seq, version $$,
    $$ values ('sale', 'refused', 'outcome_needs_appointment', 'new', 2, 1), ('appointment_scheduled', 'applied', null, 'scheduled', 3, 2),
              ('contact_attempted', 'noted', null, 'scheduled', 4, 2) $$,
    'a sale before its appointment is refused');

-- test: three statements in one transaction keep every state between
select t.keep('lead', t.created());
select t.report(t.kept('lead'), 'contact_attempted');
select t.report(t.kept('lead'), 'appointment_scheduled');
select t.report(t.kept('lead'), 'sale');
select results_eq(
    $$ select a.seq, a.version, a.from_stage, a.to_stage from leadline.lead_activity a where a.lead_id = t.kept('lead') order by a.activity_id $$,
    $$ values (1, 1, 'new', 'new'), (2, 2, 'new', 'attempted'), (3, 3, 'attempted', 'scheduled'), (4, 4, 'scheduled', 'sale') $$,
    'activity_id and seq agree, from is the to before it');
select results_eq(
    $$ select a.activity_type from leadline.lead_timeline a where a.lead_id = t.kept('lead') order by a.seq $$,
    $$ values ('lead_created'), ('contact_attempted'), ('appointment_scheduled'), ('sale') $$, 'the timeline too');
select is((select count(distinct a.recorded_at)::int from leadline.lead_activity a where a.lead_id = t.kept('lead')), 4,
          'each recorded at its own moment, not at the transaction''s');

-- test: when it happened is not when it counted
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-02-02T10:00:00Z');
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-02-01T10:00:00Z');
select results_eq(
    $$ select seq, occurred_at from leadline.lead_activity where lead_id = t.kept('lead') and seq > 1 order by activity_id $$,
    $$ values (2, '2026-02-02T10:00:00Z'::timestamptz), (3, '2026-02-01T10:00:00Z') $$, 'seq is the order of arrival');
select is((t.state(t.kept('lead'))).last_touch_at, '2026-02-02T10:00:00Z'::timestamptz, 'the latest touch is the latest that happened');

-- test: without a word it happened now
select t.keep('lead', t.lead('attempted'));
select is(r.occurred_at, r.recorded_at, 'the moment it was recorded') from t.report(t.kept('lead'), 'email_replied') r;

-- test: leads of one statement have their own numbers
select t.keep('one', t.lead('new')), t.keep('two', t.lead('new'));
select results_eq(
    $$ insert into leadline.lead_activity (lead_id, activity_type)
       values (t.kept('one'), 'contact_attempted'), (t.kept('two'), 'contact_attempted'), (t.kept('one'), 'appointment_scheduled')
       returning lead_id = t.kept('one'), seq, to_stage $$,
    $$ values (true, 2, 'attempted'), (false, 2, 'attempted'), (true, 3, 'scheduled') $$, 'seq counts a lead''s rows');

-- test: one row that cannot be understood takes the statement with it
select t.keep('lead', t.lead('new'));
select throws_ok(
    $$ insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('lead'), 'contact_attempted'), (t.kept('lead'), 'sold') $$,
    'PT422', null, 'malformed');
select results_eq($$ select stage, seq from t.state(t.kept('lead')) $$, $$ values ('new', 1) $$, 'nothing of it happened');

-- test: one row that is refused takes nothing with it
select t.keep('lead', t.lead('new'));
insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('lead'), 'sale'), (t.kept('lead'), 'contact_attempted');
select results_eq($$ select stage, seq from t.state(t.kept('lead')) $$, $$ values ('attempted', 3) $$, 'the rest happened');

-- log_activities takes a list of objects.
select t.here();

-- test: raised
select t.raises($$ select * from leadline.log_activities('{"lead_id": "x"}') $$, 'PT422', 'batch_malformed', 'an object is no list');
select throws_ok($$ select * from leadline.log_activities('"sale"') $$, 'PT422', null, 'nor is a text');
select throws_ok($$ select * from leadline.log_activities('null') $$, 'PT422', null, 'nor null');

-- test: allowed, and what is malformed inside is answered item by item
select t.keep('lead', t.lead('attempted'));
select results_eq(
    $$ select item, result->>'verdict', result->>'sqlstate', result->>'rule'
       from leadline.log_activities(jsonb_build_array(
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'appointment_scheduled'),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'sold'),
           jsonb_build_object('lead_id', gen_random_uuid(), 'activity_type', 'sale'),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'appointment_cancel'),
           jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'sale'))) order by item $$,
    $$ values (1, 'applied', null, null), (2, 'invalid', 'PT422', 'unknown_activity_type'), (3, 'invalid', 'PT404', 'no_such_lead'),
              (4, 'applied', null, null), (5, 'refused', null, 'outcome_needs_appointment') $$,
    'in the order they came');
select is(t.stage(t.kept('lead')), 'callback', 'the rest is done');

-- test: said, in every invalid item too
select t.speaks(r.result->>'sentence', r.result->>'hint')
from leadline.log_activities(jsonb_build_array(jsonb_build_object('lead_id', gen_random_uuid(), 'activity_type', 'sale'))) r;

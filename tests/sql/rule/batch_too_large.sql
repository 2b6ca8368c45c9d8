-- A batch is a thousand activities at most: the rest is another batch.
select t.here();

-- test: raised
select t.keep('lead', t.lead('new'));
select t.raises(
    $$ select * from leadline.log_activities((
           select jsonb_agg(jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'contact_attempted')) from generate_series(1, 1001))) $$,
    'PT422', 'batch_too_large', 'a thousand and one');
select is((t.state(t.kept('lead'))).seq, 1, 'nothing of it is kept');

-- test: allowed
select t.keep('lead', t.lead('new'));
select is(
    (select count(*)::int from leadline.log_activities((
        select jsonb_agg(jsonb_build_object('lead_id', t.kept('lead'), 'activity_type', 'contact_attempted')) from generate_series(1, 1000)))
     where result->>'verdict' in ('applied', 'noted')),
    1000, 'a thousand');

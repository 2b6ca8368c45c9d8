-- A payload is a report, not a document.
select t.here();

-- test: raised beyond the limit
select t.keep('lead', t.lead('new'));
select t.raises($$ select t.report(t.kept('lead'), 'note_added', jsonb_build_object('text', repeat('x', 2000000))) $$,
                'PT422', 'payload_too_large', 'two megabytes');
select is((t.state(t.kept('lead'))).seq, 1, 'nothing is kept');

-- test: allowed is what a person writes
select is(t.verdict(t.lead('new'), 'note_added', jsonb_build_object('text', repeat('x', 4000))), 'noted', 'a long note');

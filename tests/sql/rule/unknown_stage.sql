-- An imported lead stands at a stage of its workflow.
select t.here();

-- test: raised
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"stage": "warm", "entered_at": "2026-01-01T00:00:00Z"}') $$,
                'PT422', 'unknown_stage', 'a stage nobody knows');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "active", "entered_at": "2026-01-01T00:00:00Z"}') $$, 'PT422', null,
                 'a stage of another workflow');

-- test: allowed are all thirteen of seed 000
select results_eq(
    $$ select s, l.stage, l.status from unnest('{new,attempted,callback,scheduled,no_show,sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}'::text[]) s, lateral t.state(t.lead(s)) l $$,
    $$ values ('new', 'new', 'open'), ('attempted', 'attempted', 'open'), ('callback', 'callback', 'open'), ('scheduled', 'scheduled', 'open'),
              ('no_show', 'no_show', 'open'), ('sale', 'sale', 'resolved'), ('no_sale', 'no_sale', 'resolved'), ('refused', 'refused', 'resolved'),
              ('wrong_number', 'wrong_number', 'resolved'), ('bad_number', 'bad_number', 'resolved'), ('unresponsive', 'unresponsive', 'resolved'),
              ('duplicate', 'duplicate', 'resolved'), ('dnc', 'dnc', 'resolved') $$,
    'each with the status it implies');

-- Hours are read in an IANA zone, whose rules are known.
select t.here();

-- test: refused
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "Europe/Atlantis"}');
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "UTC+3"}') returning verdict, rule $$,
    $$ values ('refused', 'unknown_time_zone') $$, 'an offset is no zone');
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "Europe/Atlantis", "name": "New"}') returning verdict, rule $$,
    $$ values ('refused', 'unknown_time_zone') $$, 'a place that is not');
select results_eq(
    $$ select name, time_zone from leadline.workspaces where workspace_id = t.workspace() $$, $$ values ('Here', 'UTC') $$, 'nothing of it was set');

-- test: allowed
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "America/New_York"}') returning verdict, changes $$,
    $$ values ('applied', '{"time_zone": ["UTC", "America/New_York"]}'::jsonb) $$, 'a zone with its summer time');

-- test: said
select t.speaks(s.sentence, s.hint) from leadline.rule_sentences s where s.rule = 'unknown_time_zone';

-- A cursor is given back exactly as it was given out.
select t.here();

-- test: raised
select t.raises($$ select * from leadline.changes_after('yesterday') $$, 'PT422', 'malformed_cursor', 'a word');
select throws_ok($$ select * from leadline.changes_after('') $$, 'PT422', null, 'nothing');
select throws_ok($$ select * from leadline.changes_after('activity:-1') $$, 'PT422', null, 'a number that is no activity_id');

-- test: allowed
select t.act_as('superuser');
select set_config('t.cursor', (select s.system_identifier from pg_control_system() s) || ':7:12', true);
select t.act_as('admin');
select lives_ok($$ select * from leadline.changes_after(current_setting('t.cursor')) $$, 'a cursor of this database');
select lives_ok($$ select * from leadline.changes_after(null) $$, 'none, to begin at the beginning');

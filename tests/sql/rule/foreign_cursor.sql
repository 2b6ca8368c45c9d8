-- A cursor is a place in this database's feed, not in another's.
select t.here();

-- test: raised
select t.raises($$ select * from leadline.changes_after('1:7:12') $$, 'PT409', 'foreign_cursor', 'a cursor of another cluster');

-- test: said: it begins again from its last activity_id
select matches(c.hint, 'activity:', 'the hint shows how') from t.caught($$ select * from leadline.changes_after('1:7:12') $$) c;

-- test: allowed
select lives_ok($$ select * from leadline.changes_after('activity:0') $$, 'an activity_id');
select lives_ok($$ select * from leadline.changes_after(null) $$, 'the beginning');

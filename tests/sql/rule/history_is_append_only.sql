-- Nothing is ever updated or deleted in a journal, by anybody.
select t.here();

-- test: refused to the owner of the tables
-- privileged: the runtime role has no privilege to try, the owner has
select t.keep('lead', t.lead('attempted'));
select t.act_as('superuser');
set local role leadline_owner;
select t.raises($$ update leadline.lead_activity set verdict = 'applied' where lead_id = t.kept('lead') $$, 'PT405', 'history_is_append_only', 'update');
select t.raises($$ delete from leadline.lead_activity where lead_id = t.kept('lead') $$, 'PT405', 'history_is_append_only', 'delete');
select t.raises($$ truncate leadline.lead_activity $$, 'PT405', 'history_is_append_only', 'truncate');

-- test: allowed is a further fact
select t.keep('lead', t.lead('attempted'));
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "the call was with her brother"}'), 'noted', 'a note puts it right');

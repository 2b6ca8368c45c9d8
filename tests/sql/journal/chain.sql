-- Each row is tied to the one before it; whoever changes one breaks every one after it.
-- privileged: verification sees every workspace, and only a superuser can tamper
select t.here();
select t.keep('lead', t.created('{"name": "Kim"}'));
select t.report(t.kept('lead'), 'contact_attempted', '{"note": "unknown"}');
select t.report(t.kept('lead'), 'appointment_scheduled');
select t.report(t.kept('lead'), 'sale');
select t.keep('other', t.lead('scheduled'));
select t.act_as('superuser');

-- test: sound
select is_empty($$ select * from leadline.verify_chain() $$, 'chains');
select is_empty($$ select * from leadline.verify_state() $$, 'states');
select is_empty($$ select * from leadline.verify_state(true) $$, 'and today''s rules would say the same');

-- test: the same whatever the session's settings
set local timezone = 'Asia/Kathmandu';
set local datestyle = 'German';
set local intervalstyle = 'sql_standard';
set local bytea_output = 'escape';
set local extra_float_digits = 0;
select is_empty($$ select * from leadline.verify_chain() $$, 'the canonical row depends on none');

-- test: a word changed in the middle
alter table leadline.lead_activity disable trigger user;
update leadline.lead_activity set rule = 'no_change' where lead_id = t.kept('lead') and seq = 3;
alter table leadline.lead_activity enable trigger user;
select results_eq($$ select v.workspace_id, v.subject_id, v.seq from leadline.verify_chain() v $$,
                  $$ select t.workspace(), t.kept('lead'), 3 $$, 'the first broken row is named');

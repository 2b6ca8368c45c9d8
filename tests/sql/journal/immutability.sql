-- Nothing is ever updated or deleted in a journal, by no role, on no path, under no setting.
select t.here();
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'appointment_scheduled', '{}', 'r-1');

-- test: the runtime role has not even the privilege
select throws_ok($$ update leadline.lead_activity set activity_type = 'sale' $$, '42501', null, 'update');
select throws_ok($$ delete from leadline.lead_activity $$, '42501', null, 'delete');
select throws_ok($$ truncate leadline.lead_activity $$, '42501', null, 'truncate');
select throws_ok($$ merge into leadline.lead_activity a using (values (1)) v(n) on a.lead_id = t.kept('lead') when matched then delete $$,
                 '42501', null, 'merge');
select throws_ok(
    $$ insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('lead'), 'contact_attempted')
       on conflict (workspace_id, activity_id) do update set activity_type = 'sale' $$, '42501', null, 'upsert');
select throws_ok($$ insert into leadline.lead_activity (lead_id, activity_type, verdict) values (t.kept('lead'), 'sale', 'applied') $$,
                 '42501', null, 'a verdict of one''s own');
select throws_ok($$ insert into leadline.lead_activity (workspace_id, lead_id, activity_type) values (t.workspace(), t.kept('lead'), 'sale') $$,
                 '42501', null, 'a workspace by name');
select throws_ok($$ update leadline.workspace_activity set verdict = 'refused' $$, '42501', null, 'the workspace''s journal alike');

-- test: the runtime role does not write the state either
select throws_ok($$ update leadline.leads set stage = 'sale' $$, '42501', null, 'update');
select throws_ok($$ update leadline.leads set status = 'resolved' $$, '42501', null, 'the status alone');
select throws_ok($$ delete from leadline.leads $$, '42501', null, 'delete');
select throws_ok($$ merge into leadline.leads l using (values (1)) v(n) on l.lead_id = t.kept('lead') when matched then update set stage = 'new' $$,
                 '42501', null, 'merge');
select throws_ok($$ insert into leadline.leads (stage, source) values ('sale', 'web') $$, '42501', null, 'a lead born sold');
select throws_ok($$ insert into leadline.activity_content (workspace_id, activity_id, salt, content) values (t.workspace(), 1, '', '{}') $$,
                 '42501', null, 'content');
select throws_ok($$ update leadline.rule_transitions set to_stage = 'sale' $$, '42501', null, 'nor the rules');

-- test: the runtime role cannot take the guards away
select throws_ok($$ alter table leadline.lead_activity disable trigger all $$, '42501', null, 'disable');
select throws_ok($$ set session_replication_role = replica $$, '42501', null, 'replica');
select throws_ok($$ create trigger mine before insert on leadline.lead_activity execute function suppress_redundant_updates_trigger() $$,
                 '42501', null, 'a trigger of one''s own');
select throws_ok($$ set row_security = off; select * from leadline.lead_activity $$, '42501', null, 'row security off');

-- test: the owner is refused
-- privileged: only the owner has the privilege to be refused
select t.act_as('superuser');
set local role leadline_owner;
select throws_ok($$ update leadline.lead_activity set verdict = 'noted' where lead_id = t.kept('lead') $$, 'PT405', null, 'update');
select throws_ok($$ update leadline.lead_activity set verdict = 'noted' where false $$, 'PT405', null, 'even of no row');
select throws_ok($$ delete from leadline.lead_activity where lead_id = t.kept('lead') $$, 'PT405', null, 'delete');
select throws_ok($$ truncate leadline.lead_activity $$, 'PT405', null, 'truncate');
select throws_ok($$ truncate leadline.leads cascade $$, 'PT405', null, 'truncate by cascade');
select throws_ok($$ truncate leadline.workspaces cascade $$, 'PT405', null, 'from further up');
select throws_ok($$ delete from leadline.leads where lead_id = t.kept('lead') $$, 'PT405', null, 'a lead is not deleted either');
select throws_ok($$ merge into leadline.lead_activity a using (values (1)) v(n) on a.lead_id = t.kept('lead') when matched then delete $$,
                 'PT405', null, 'merge');
select throws_ok(
    $$ insert into leadline.lead_activity (lead_id, activity_type) values (t.kept('lead'), 'contact_attempted')
       on conflict (workspace_id, activity_id) do update set activity_type = 'sale' $$, 'PT405', null, 'upsert');
select throws_ok($$ update leadline.workspace_activity set verdict = 'refused' $$, 'PT405', null, 'the workspace''s journal: update');
select throws_ok($$ delete from leadline.workspace_activity $$, 'PT405', null, 'delete');
select throws_ok($$ truncate leadline.workspace_activity $$, 'PT405', null, 'truncate');
select throws_ok($$ delete from leadline.workspaces $$, 'PT405', null, 'a workspace stays');

-- test: a superuser that silences triggers is refused all the same
-- privileged: only a superuser can set it
select t.act_as('superuser');
set local session_replication_role = replica;
select throws_ok($$ update leadline.lead_activity set verdict = 'noted' where lead_id = t.kept('lead') $$, 'PT405', null, 'update');
select throws_ok($$ delete from leadline.lead_activity where lead_id = t.kept('lead') $$, 'PT405', null, 'delete');
select throws_ok($$ truncate leadline.lead_activity $$, 'PT405', null, 'truncate');
select throws_ok($$ truncate leadline.leads cascade $$, 'PT405', null, 'truncate by cascade');
select throws_ok($$ delete from leadline.workspace_activity $$, 'PT405', null, 'the workspace''s journal');

-- test: what refuses raises, and does not skip in silence
-- privileged: only the owner has the privilege to be refused
select t.act_as('superuser');
select throws_ok($$ delete from leadline.lead_activity where lead_id = t.kept('lead') $$, 'PT405', null, 'raised');
select is((select count(*)::int from leadline.lead_activity a where a.lead_id = t.kept('lead')), 2, 'every row is still there');

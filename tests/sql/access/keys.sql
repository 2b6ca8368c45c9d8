-- A new key changes nothing for those who are in, and everything for those who forge.
select t.here();
select set_config('t.token', leadline.create_token(t.workspace(), 'app'), true), t.keep('lead', t.lead('new'));

-- The administrator changes the key; the session is the service's before and after.
create function pg_temp.rotate() returns void language plpgsql as $$
begin
    set local session authorization default;
    perform leadline.rotate_signing_key();
    set local session authorization leadline_service;
end $$;

-- test: a context of the same transaction stays good
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select pg_temp.rotate();
select is(leadline.current_workspace(), t.workspace(), 'still in');
select results_eq($$ select l.verdict from leadline.log_activity(t.kept('lead'), 'contact_attempted') l $$, $$ values ('applied') $$, 'and still reporting');

-- test: whoever enters after is in as well
set local session authorization leadline_service;
select pg_temp.rotate();
select leadline.enter(current_setting('t.token'));
select is(leadline.current_workspace(), t.workspace(), 'by the new key');
select pg_temp.rotate();
select is(leadline.current_workspace(), t.workspace(), 'and after the next');

-- test: a context that was signed two keys ago is over
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select pg_temp.rotate(), pg_temp.rotate();
select is(leadline.current_workspace(), null, 'nobody is known any more');
select throws_ok($$ select leadline.log_activity(t.kept('lead'), 'contact_attempted') $$, 'PT401', null, 'and nothing is reported');

-- test: a forged context is nobody's, before a rotation and after
set local session authorization leadline_service;
select set_config('leadline.context', concat_ws('|', t.workspace(), 'owner', '', '', 'person', '', repeat('0', 64)), true);
select is(leadline.current_workspace(), null, 'invented');
select pg_temp.rotate();
select is(leadline.current_workspace(), null, 'invented, with a former key in store');
select throws_ok($$ select leadline.log_activity(t.kept('lead'), 'contact_attempted') $$, 'PT401', null, 'nobody reports');
select is_empty($$ select from leadline.leads $$, 'nobody reads');

-- test: no signature at all is none, also where no key came before
-- privileged: only the owner may look after the former key
set local session authorization leadline_service;
select set_config('leadline.context', concat_ws('|', t.workspace(), 'owner', '', '', 'person', ''), true);
select is(leadline.current_workspace(), null, 'unsigned');
select set_config('leadline.context', concat_ws('|', t.workspace(), 'owner', '', '', 'person', '', ''), true);
select is(leadline.current_workspace(), null, 'signed with nothing');
select set_config('leadline.context', '|', true);
select is(leadline.current_workspace(), null, 'of nothing');
select t.act_as('superuser');
update leadline_internal.context_key set former_inner = null, former_outer = null;
set local session authorization leadline_service;
select set_config('leadline.context', concat_ws('|', t.workspace(), 'owner', '', '', 'person', '', repeat('0', 64)), true);
select is(leadline.current_workspace(), null, 'a wrong signature');
select leadline.enter(current_setting('t.token'));
select is(leadline.current_workspace(), t.workspace(), 'a right one');

-- test: a context that was changed is void, under the former key as under the present
set local session authorization leadline_service;
select leadline.enter(current_setting('t.token'));
select set_config('t.context', current_setting('leadline.context'), true);
select set_config('leadline.context', replace(current_setting('t.context'), '|app|', '|owner|'), true);
select is(leadline.current_workspace(), null, 'another role');
select set_config('leadline.context', replace(current_setting('t.context'), t.workspace()::text, t.elsewhere()::text), true);
select is(leadline.current_workspace(), null, 'another workspace');
select pg_temp.rotate();
select is(leadline.current_workspace(), null, 'not after a rotation either');
select set_config('leadline.context', replace(current_setting('t.context'), '|app|', '|owner|'), true);
select is(leadline.current_workspace(), null, 'another role');
select set_config('leadline.context', current_setting('t.context'), true);
select is(leadline.current_workspace(), t.workspace(), 'as it was given it is good');

-- test: neither key is anybody's to read, nor the signature to ask for
select t.act_as('owner');
select throws_ok($$ select * from leadline_internal.context_key $$, '42501', null, 'an owner');
set local session authorization leadline_service;
select throws_ok($$ select former_inner from leadline_internal.context_key $$, '42501', null, 'the service');
select throws_ok($$ select leadline_internal.signature('x') $$, '42501', null, 'the signature');
select throws_ok($$ select leadline_internal.enter_as(t.workspace(), 'owner') $$, '42501', null, 'the pen');

-- test: a bound login needs no key
select pg_temp.rotate(), pg_temp.rotate();
select t.act_as('app');
select is(leadline.current_workspace(), t.workspace(), 'it is known by its name');

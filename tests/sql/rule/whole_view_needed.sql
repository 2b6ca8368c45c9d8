-- A verification that sees half the rows proves nothing.
select t.here();

-- test: raised for whoever is held to a workspace
select t.raises($$ select * from leadline.verify_state() $$, 'PT403', 'whole_view_needed', 'state');
select t.raises($$ select * from leadline.verify_chain() $$, 'PT403', 'whole_view_needed', 'chain');

-- test: allowed to the owner of the tables
-- privileged: only the owner sees every workspace
select t.keep('lead', t.lead('scheduled'));
select t.report(t.kept('lead'), 'sale');
select t.act_as('superuser');
set local role leadline_owner;
select is_empty($$ select * from leadline.verify_state() $$, 'every state is what its journal says');
select is_empty($$ select * from leadline.verify_chain() $$, 'every chain holds');

-- An analyst reads.
select t.here();

-- test: raised for an analyst, whatever it reports
select t.keep('lead', t.lead('scheduled'));
select t.act_as('analyst');
select t.raises($$ select t.report(t.kept('lead'), 'contact_attempted') $$, 'PT403', 'may_not_report', 'a touch');
select throws_ok($$ select t.report(t.kept('lead'), 'sold') $$, 'PT403', null, 'before the word is read');
select throws_ok($$ select t.report(null, 'lead_created') $$, 'PT403', null, 'a birth');
select throws_ok($$ insert into leadline.leads (source) values ('web') $$, 'PT403', null, 'a bare birth');
select is(t.stage(t.kept('lead')), 'scheduled', 'it sees the lead as it was');

-- test: raised for an analyst's token
select t.keep('lead', t.lead('scheduled'));
select t.act_as('superuser');
select set_config('t.token', leadline.create_token(t.workspace(), 'analyst'), true);
set local session authorization leadline_service;
select throws_ok($$ select leadline.log_activity(t.kept('lead'), 'sale', p_token => current_setting('t.token')) $$, 'PT403', null, 'the same');

-- test: allowed to an app
select t.keep('lead', t.lead('scheduled'));
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'sale'), 'applied', 'which is there to report');

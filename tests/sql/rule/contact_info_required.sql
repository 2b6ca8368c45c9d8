-- A sales lead can be reached: it has an e-mail or a phone (seed 004 section 2).
select t.here();

-- test: raised when a sales lead would be born without, by every door
select t.raises($$ select t.created('{"workflow": "sales", "name": "Kim"}') $$, 'PT422', 'contact_info_required', 'created');
select t.raises($$ select t.report(null, 'inbound_enquiry', '{"workflow": "sales", "message": "hello"}') $$, 'PT422', 'contact_info_required', 'an enquiry');
select t.raises($$ insert into leadline.leads (workflow, source) values ('sales', 'fair') $$, 'PT422', 'contact_info_required', 'inserted bare');
select t.raises($$ select t.created('{"workflow": "sales", "email": null, "phone": " "}') $$, 'PT422', 'contact_info_required', 'with blanks for both');
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "sales", "stage": "new", "entered_at": "2026-01-01T12:00:00Z", "name": "Kim"}') $$,
                'PT422', 'contact_info_required', 'imported');

-- test: refused when the last way to reach a lead would be cleared
select t.keep('one', t.sales_lead('new', '{"phone": "+16502530000"}')), t.keep('two', t.sales_lead('won'));
select is(t.verdict(t.kept('one'), 'contact_changed', '{"email": null, "phone": null}'), 'refused contact_info_required', 'both at once');
select is(t.verdict(t.kept('one'), 'contact_changed', '{"email": null}'), 'applied', 'one of them may go');
select is(t.verdict(t.kept('one'), 'contact_changed', '{"phone": null}'), 'refused contact_info_required', 'the other not any more');
select is(t.verdict(t.kept('one'), 'contact_changed', '{"phone": "  "}'), 'refused contact_info_required', 'a blank is nothing');
select is(t.verdict(t.kept('two'), 'contact_changed', '{"email": null}'), 'refused contact_info_required', 'nor when it is won');

-- test: allowed with either
select is((t.state(t.created('{"workflow": "sales", "email": "kim@example.com"}'))).stage, 'new', 'an e-mail');
select is((t.state(t.created('{"workflow": "sales", "phone": "+16502530000"}'))).stage, 'new', 'a phone');
select t.keep('lead', t.sales_lead('new'));
select is(t.verdict(t.kept('lead'), 'contact_changed', '{"email": null, "phone": "+16502530001"}'), 'applied', 'one for the other');

-- test: allowed in the appointment workflow, where a lead may come with neither
select is((t.state(t.created('{"name": "Kim"}'))).stage, 'new', 'an appointment lead');
select is(t.verdict(t.lead('new', '{"email": "kim@example.com"}'), 'contact_changed', '{"email": null}'), 'applied', 'and it may be cleared');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'contact_changed', '{"email": null}') l;

-- Each activity names the classes of writer that may report it.
select t.here();

-- test: refused to an importer outside fields and notes
select t.keep('lead', t.lead('scheduled'));
select t.act_as('importer');
select results_eq(
    $$ select type, t.verdict(t.kept('lead'), type) from unnest('{contact_attempted,email_replied,appointment_cancel,sale,refused,no_sale}'::text[]) type $$,
    $$ select type, 'refused writer_not_allowed' from unnest('{contact_attempted,email_replied,appointment_cancel,sale,refused,no_sale}'::text[]) type $$,
    'an importer reports no touch, no appointment, no outcome');
select is(t.stage(t.kept('lead')), 'scheduled', 'the lead stands where it stood');

-- test: refused to billing altogether
select t.keep('lead', t.lead('scheduled'));
select t.act_as('billing');
select is(t.verdict(t.kept('lead'), 'sale'), 'refused writer_not_allowed', 'a payment is no sale');
select is(t.verdict(t.kept('lead'), 'contact_attempted'), 'refused writer_not_allowed', 'nor a touch');
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "paid"}'), 'refused writer_not_allowed', 'nor a note');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 10, "currency": "EUR"}'), 'refused writer_not_allowed',
          'nor a field');

-- test: refused at a closed lead too
select t.keep('lead', t.lead('sale'));
select t.act_as('billing');
select is(t.verdict(t.kept('lead'), 'sale'), 'refused writer_not_allowed', 'not already_resolved');

-- test: allowed to the classes that are named
select t.keep('lead', t.lead('new'));
select t.act_as('importer');
select is(t.verdict(t.kept('lead'), 'tag_added', '{"tag": "fair"}'), 'applied', 'an importer writes fields');
select is(t.verdict(t.kept('lead'), 'note_added', '{"text": "met at the fair"}'), 'noted', 'and notes');
select t.act_as('app');
select is(t.verdict(t.kept('lead'), 'contact_attempted'), 'applied', 'an app reports touches');
select is(t.verdict(t.kept('lead'), 'appointment_scheduled'), 'applied', 'appointments');
select is(t.verdict(t.kept('lead'), 'sale'), 'applied', 'and outcomes');

-- test: refused to everybody but billing where a customer's payments are concerned
select t.keep('subscription', t.subscription());
select t.act_as('owner');
select is(t.verdict_on_customer(t.kept('subscription'), 'payment_failed'), 'refused writer_not_allowed', 'the owner');
select t.act_as('app');
select is(t.verdict_on_customer(t.kept('subscription'), 'payment_failed'), 'refused writer_not_allowed', 'an app');
select is((t.paying(t.kept('subscription'))).stage, 'active', 'paid as it was');

-- test: refused to billing and importers where relationships and deals are concerned
select t.keep('person', t.someone()), t.keep('deal', t.opportunity());
select t.act_as('billing');
select is(t.advance(t.kept('person'), 'active'), 'refused writer_not_allowed', 'a payment makes nobody a client');
select is(t.verdict_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Price"}'), 'refused writer_not_allowed', 'nor loses a deal');
select t.act_as('importer');
select is(t.advance(t.kept('person'), 'qualified'), 'refused writer_not_allowed', 'a list moves nobody');
select is(t.verdict_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 5}'), 'refused writer_not_allowed', 'and no deal');

-- test: said
select t.keep('lead', t.lead('new'));
select t.act_as('billing');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'sale') l;

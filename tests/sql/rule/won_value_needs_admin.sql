-- What a deal was won for is revenue: only an owner or admin puts it right.
select t.here();

-- test: refused to a member and an app, and the value stands
select t.keep('lead', t.sales_lead('won'));
select t.act_as('member');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 9000, "currency": "EUR"}'), 'refused won_value_needs_admin', 'a member');
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 9000, "currency": "EUR"}'), 'refused won_value_needs_admin', 'an app');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 9000, "currency": "EUR"}', null, null, t.person('member')),
          'refused won_value_needs_admin', 'an app for a member');
select is((t.state(t.kept('lead'))).deal_value, 1000::numeric, 'still what it was won for');

-- test: allowed to an owner and an admin
select t.keep('lead', t.sales_lead('won'));
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 1100, "currency": "EUR"}'), 'applied', 'an admin');
select t.act_as('owner');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 1200, "currency": "EUR"}'), 'applied', 'an owner');
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'deal_value_changed', '{"deal_value": 1300, "currency": "EUR"}', null, null, t.person('admin')), 'applied', 'an app for an admin');

-- test: allowed to a member elsewhere
select t.keep(s, t.sales_lead(s)) from unnest('{new,contacted,qualified,proposal,lost}'::text[]) s;
select t.act_as('member');
select results_eq(
    $$ select s, t.verdict(t.kept(s), 'deal_value_changed', '{"deal_value": 5, "currency": "EUR"}') from unnest('{new,contacted,qualified,proposal,lost}'::text[]) s $$,
    $$ select s, 'applied' from unnest('{new,contacted,qualified,proposal,lost}'::text[]) s $$, 'an estimate is anybody''s');

-- test: refused to members and apps for a deal that is won
select t.keep('deal', t.opportunity('closedwon'));
select t.act_as('member');
select is(t.verdict_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 5, "currency": "EUR"}'), 'refused won_value_needs_admin', 'a member');
select t.act_as('app', '{act_as}');
select is(t.verdict_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 5, "currency": "EUR"}'), 'refused won_value_needs_admin', 'an app');
select is(t.verdict_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 5, "currency": "EUR"}', null, null, t.person('admin')), 'applied', 'an app for an admin');

-- test: said
select t.keep('lead', t.sales_lead('won'));
select t.act_as('member');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'deal_value_changed', '{"deal_value": 5, "currency": "EUR"}') l;

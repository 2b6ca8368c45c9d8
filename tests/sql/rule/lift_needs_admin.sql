-- Whoever asked to be left alone is left alone until an owner or admin says otherwise.
select t.here();

-- test: refused to a member, and the suppression stays
select t.keep('lead', t.lead('new', '{"email": "kim@example.com"}'));
select t.report(t.kept('lead'), 'dnc');
select t.act_as('member');
select is(t.verdict(t.kept('lead'), 'suppression_lifted', '{"reason": "she called"}'), 'refused lift_needs_admin', 'a member');
select is((t.state(t.kept('lead'))).is_suppressed, true, 'still suppressed');

-- test: refused to an app, also on a member's behalf
select t.keep('lead', t.lead('dnc', '{"email": "kim@example.com"}'));
select t.act_as('app', '{act_as}');
select is(t.verdict(t.kept('lead'), 'suppression_lifted', '{"reason": "she called"}'), 'refused lift_needs_admin', 'an app');
select is(t.verdict(t.kept('lead'), 'suppression_lifted', '{"reason": "x"}', null, null, t.person('member')), 'refused lift_needs_admin',
          'an app for a member');
select is(t.verdict(t.kept('lead'), 'suppression_lifted', '{"reason": "she called"}', null, null, t.person('admin')), 'noted',
          'an app for an admin, with the admin''s right');

-- test: allowed to an owner and an admin
select t.keep('lead', t.lead('dnc', '{"email": "kim@example.com", "phone": "+16502530000"}'));
select is((t.state(t.kept('lead'))).is_suppressed, true, 'imported suppressed');
select is(t.verdict(t.kept('lead'), 'suppression_lifted', '{"reason": "she called"}'), 'noted', 'an admin');
select is((t.state(t.kept('lead'))).is_suppressed, false, 'lifted');
select is(t.stage(t.kept('lead')), 'dnc', 'the outcome stands');
select t.act_as('owner');
select is(t.verdict(t.kept('lead'), 'suppression_lifted', '{"reason": "she called"}'), 'noted', 'an owner');

-- test: said
select t.keep('lead', t.lead('dnc'));
select t.act_as('member');
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('lead'), 'suppression_lifted', '{"reason": "she called"}') l;

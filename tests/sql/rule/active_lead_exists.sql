-- One open lead an e-mail address in sales: a second would have two people call the same buyer (seed 004 rule 7.1).
select t.here();
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}'));

-- test: raised when another would be born, by every door, in any spelling
select t.raises($$ select t.created('{"workflow": "sales", "email": "kim@example.com"}') $$, 'PT409', 'active_lead_exists', 'created');
select throws_ok(format('select t.created(%L)', jsonb_build_object('workflow', 'sales', 'email', e)), 'PT409', null, e)
from unnest(array['KIM@EXAMPLE.COM', E'\tkim@example.com\n', E'\u00a0kim@example.com\u200b']) e;
select t.raises($$ insert into leadline.leads (workflow, source, email) values ('sales', 'fair', 'Kim@example.com') $$, 'PT409', 'active_lead_exists', 'inserted bare');
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"workflow": "sales", "stage": "qualified", "entered_at": "2026-01-01T12:00:00Z", "email": "kim@example.com"}') $$,
                'PT409', 'active_lead_exists', 'imported');

-- test: in a batch it is one item's answer
select results_eq(
    $$ select b.result ->> 'verdict', b.result ->> 'sqlstate', b.result ->> 'rule' from leadline.log_activities(
           '[{"activity_type": "lead_created", "payload": {"workflow": "sales", "email": "kim@example.com"}},
             {"activity_type": "lead_created", "payload": {"workflow": "sales", "email": "lee@example.com"}}]') b order by b.item $$,
    $$ values ('invalid', 'PT409', 'active_lead_exists'), ('applied', null, null) $$, 'the other goes in');

-- test: refused when an open lead would become a second one
select is(t.verdict(t.sales_lead('qualified'), 'contact_changed', '{"email": "Kim@Example.com"}'), 'refused active_lead_exists', 'by a new address');
select is(t.verdict(t.sales_lead('lost', '{"email": "kim@example.com"}'), 'lead_reopened', '{"to_stage": "new"}'), 'refused active_lead_exists', 're-opened');
select is(t.verdict(t.sales_lead('won', '{"email": "kim@example.com"}'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}'),
          'refused active_lead_exists', 'corrected');
select is(t.verdict(t.sales_lead('lost', '{"email": "kim@example.com"}'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'),
          'refused active_lead_exists', 'corrected from lost');
select t.keep('away', t.sales_lead('lost', '{"email": "kim@example.com"}'));
select is(t.verdict(t.kept('away'), 'inbound_enquiry', '{"message": "hello"}'), 'refused active_lead_exists', 'not even by an enquiry that names it');
select t.keep('put', t.sales_lead('new', '{"email": "lee@example.com"}'));
select t.archived(t.kept('put'));
select t.sales_lead('new', '{"email": "lee@example.com"}');
select is(t.verdict(t.kept('put'), 'lead_unarchived'), 'refused active_lead_exists', 'taken out again');

-- test: an error that names no index and no row of others
select t.act_as('member');
select is((select c.rule from t.caught($$ select t.created('{"workflow": "sales", "email": "kim@example.com"}') $$) c), 'active_lead_exists', 'its rule');
select doesnt_match((select c.sentence || c.hint from t.caught($$ select t.created('{"workflow": "sales", "email": "kim@example.com"}') $$) c),
                    'kim@|leads_one|duplicate key', 'and nothing else');

-- test: allowed when the first is closed or archived
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Timing"}');
select lives_ok($$ select t.created('{"workflow": "sales", "email": "kim@example.com"}') $$, 'lost');
select t.keep('won', t.sales_lead('won', '{"email": "won@example.com"}'));
select lives_ok($$ select t.created('{"workflow": "sales", "email": "won@example.com"}') $$, 'won');
select t.archived(t.sales_lead('new', '{"email": "old@example.com"}'));
select lives_ok($$ select t.created('{"workflow": "sales", "email": "old@example.com"}') $$, 'archived');

-- test: allowed is the same lead with its own address again
select is(t.verdict(t.kept('lead'), 'contact_changed', '{"email": "Kim@example.com"}'), 'applied', 'in another spelling');

-- test: allowed in another workspace, and in appointment, where a second is flagged
select lives_ok($$ select t.sales_lead('new', '{"email": "kim@example.com"}', t.elsewhere()) $$, 'another workspace');
select lives_ok($$ select t.created('{"workflow": "appointment", "email": "kim@example.com"}') $$, 'another workflow');
select lives_ok($$ select t.created('{"workflow": "appointment", "email": "kim@example.com"}') $$, 'twice');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'contact_changed', '{"email": "kim@example.com"}') l;

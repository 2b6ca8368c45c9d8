-- A stage is one of the lead's workflow: an import names none else, a re-opening or correction is refused.
select t.here();

-- test: raised
select t.act_as('importer', '{import}');
select t.raises($$ select t.report(null, 'lead_imported', '{"stage": "warm", "entered_at": "2026-01-01T00:00:00Z"}') $$,
                'PT422', 'unknown_stage', 'a stage nobody knows');
select throws_ok($$ select t.report(null, 'lead_imported', '{"stage": "active", "entered_at": "2026-01-01T00:00:00Z"}') $$, 'PT422', null,
                 'a stage of another workflow');

-- test: raised for a stage of another workflow
select t.act_as('importer', '{import}');
select throws_ok(format('select t.report(null, ''lead_imported'', %L)', jsonb_build_object('workflow', 'sales', 'stage', s, 'entered_at', '2026-01-01T00:00:00Z',
                 'email', 'kim@example.com')), 'PT422', null, s) from unnest('{attempted,scheduled,sale,active,archived}'::text[]) s;

-- test: refused where a lead would be sent to it
select results_eq(
    $$ select x, t.verdict(t.sales_lead('lost'), 'lead_reopened', jsonb_build_object('to_stage', x)),
              t.verdict(t.sales_lead('qualified'), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'wrong_record'))
       from unnest('{warm,New,attempted,scheduled,archived,active,disqualified}'::text[]) x $$,
    $$ select x, 'refused unknown_stage', 'refused unknown_stage' from unnest('{warm,New,attempted,scheduled,archived,active,disqualified}'::text[]) x $$,
    'no such stage, or another workflow''s');
select t.keep('lead', t.sales_lead('lost'));
select is(t.verdict(t.kept('lead'), 'lead_reopened', '{"to_stage": "warm"}'), 'refused unknown_stage', 'a row');
select results_eq($$ select stage, seq, version from t.state(t.kept('lead')) $$, $$ values ('lost', 2, 1) $$, 'and nothing moves');

-- test: a re-opening that names no stage is malformed
select throws_ok($$ select t.report(t.sales_lead('lost'), 'lead_reopened') $$, 'PT422', null, 'to_stage is needed');
select throws_ok($$ select t.report(t.sales_lead('qualified'), 'stage_corrected', '{"reason": "wrong_record"}') $$, 'PT422', null, 'for a correction, too');

-- test: allowed are all six of seed 004
select results_eq(
    $$ select s, l.stage, l.status from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n), lateral t.state(t.sales_lead(s)) l order by n $$,
    $$ values ('new', 'new', 'active'), ('contacted', 'contacted', 'active'), ('qualified', 'qualified', 'active'), ('proposal', 'proposal', 'active'),
              ('won', 'won', 'won'), ('lost', 'lost', 'lost') $$,
    'each with the status it implies');

-- test: refused as a destination of a relationship: the six, and no word beside them
select results_eq(
    $$ select x, t.advance(t.person_at('qualified'), x), t.advance(t.person_at('qualified'), x, '{"backward": true}')
       from unnest('{closed,lost,not_interested,customer,lead,Client," client",new,sale,onboarded}'::text[]) x $$,
    $$ select x, 'refused unknown_stage', 'refused unknown_stage' from unnest('{closed,lost,not_interested,customer,lead,Client," client",new,sale,onboarded}'::text[]) x $$,
    'no import grows a seventh');
select is(t.advance(t.person_at('qualified'), 'friend', '{"reason": ""}'), 'refused unknown_stage', 'before its reason is asked');

-- test: refused as a destination of a deal: only a proposal is advanced to
select results_eq(
    $$ select x, t.verdict_on_deal(t.opportunity(), 'opportunity_advanced', t.packet(t.someone()) || jsonb_build_object('to_stage', x))
           from unnest('{Proposal,evaluation,closedwon,closedlost,won,negotiation}'::text[]) x $$,
    $$ select x, 'refused unknown_stage' from unnest('{Proposal,evaluation,closedwon,closedlost,won,negotiation}'::text[]) x $$, 'winning and losing have words of their own');
select is(t.verdict_on_deal(t.opportunity('proposal'), 'stage_corrected', '{"to_stage": "contacted", "reason": "wrong_record"}'), 'refused unknown_stage', 'nor corrected');

-- test: refused as a correction of a qualification lead
select is(t.verdict(t.qualification_lead('connected'), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'wrong_record')), 'refused unknown_stage', x)
from unnest('{contacted,proposal,won,scheduled,open}'::text[]) x;

-- test: allowed are the six
select results_eq(
    $$ select x, t.advance(t.person_at('closed'), x) from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) x $$,
    $$ select x, 'applied' from unnest('{prospect,qualified,opportunity,client,onboarding,active}'::text[]) x $$, 'letter for letter');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('lost'), 'lead_reopened', '{"to_stage": "warm"}') l;

-- test: allowed are all thirteen of seed 000
select results_eq(
    $$ select s, l.stage, l.status from unnest('{new,attempted,callback,scheduled,no_show,sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}'::text[]) s,
           lateral t.state(t.lead(s)) l $$,
    $$ values ('new', 'new', 'open'), ('attempted', 'attempted', 'open'), ('callback', 'callback', 'open'), ('scheduled', 'scheduled', 'open'),
              ('no_show', 'no_show', 'open'), ('sale', 'sale', 'resolved'), ('no_sale', 'no_sale', 'resolved'), ('refused', 'refused', 'resolved'),
              ('wrong_number', 'wrong_number', 'resolved'), ('bad_number', 'bad_number', 'resolved'), ('unresponsive', 'unresponsive', 'resolved'),
              ('duplicate', 'duplicate', 'resolved'), ('dnc', 'dnc', 'resolved') $$,
    'each with the status it implies');

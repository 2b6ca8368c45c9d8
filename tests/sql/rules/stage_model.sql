-- The stage model that is deployed: the matrix of the specification in seed 003's words.
select t.here();

-- test: from where, by what and by whom a qualification stage is entered
select results_eq(
    $$ select m.id, m."from", m."to", m.activity_types, m.writer from leadline.stage_model m where m.workflow = 'qualification' order by m.id collate "C" $$,
    $$ values
        ('T-ACCEPTED', '{new}'::text[], 'accepted', '{lead_imported,request_accepted}'::text[], '{person,app,importer}'::text[]),
        ('T-ATTEMPTING', '{new,accepted}', 'attempting', '{contact_attempted,email_sent,lead_imported}', '{person,app,importer,workflow}'),
        ('T-CONNECTED', '{new,accepted,attempting}', 'connected', '{call_completed,call_received,email_replied,lead_imported,meeting_held,message_received}', '{person,app,importer,workflow}'),
        ('T-DISQUALIFIED', '{new,accepted,attempting,connected,recycled}', 'disqualified', '{dnc,inbound_enquiry,lead_imported,leads_merged,request_rejected}', '{person,app,importer,workflow}'),
        ('T-NEW', '{recycled}', 'new', '{call_received,email_replied,inbound_enquiry,lead_created,lead_imported,message_received,product_signal_seen}', '{person,app,importer,workflow}'),
        ('T-QUALIFIED', '{accepted,attempting,connected}', 'qualified', '{lead_imported,lead_qualified}', '{person,app,importer}'),
        ('T-RECYCLED', '{new,accepted,attempting,connected}', 'recycled', '{lead_imported,lead_recycled}', '{person,app,importer}') $$, 'the matrix');

-- test: and a point of the relationship
select results_eq(
    $$ select m.id, m."from", m.unit, m.writer, m.field from leadline.stage_model m where m.workflow = 'relationship' order by m.id collate "C" $$,
    $$ values
        ('R-ACTIVE', '{closed,prospect,qualified,opportunity,client,onboarding}'::text[], 'person', '{person,app,workflow}'::text[], 'people.stage'),
        ('R-CLIENT', '{closed,prospect,qualified,opportunity}', 'person', '{person,app,workflow}', 'people.stage'),
        ('R-CLOSED', '{prospect,qualified,opportunity,client,onboarding,active}', 'person', '{person,app}', 'people.stage'),
        ('R-ONBOARDING', '{closed,prospect,qualified,opportunity,client}', 'person', '{person,app,workflow}', 'people.stage'),
        ('R-OPPORTUNITY', '{closed,prospect,qualified}', 'person', '{person,app,workflow}', 'people.stage'),
        ('R-PROSPECT', '{closed}', 'person', '{person,app,workflow}', 'people.stage'),
        ('R-QUALIFIED', '{closed,prospect}', 'person', '{person,app,workflow}', 'people.stage') $$, 'forward');

-- test: billing alone writes subscriptions
select results_eq($$ select m."to", m."from", m.writer from leadline.stage_model m where m.workflow = 'subscription' order by 1 $$,
    $$ values ('active', '{trialing,past_due}'::text[], '{billing}'::text[]), ('cancelled', '{trialing,active,past_due}', '{billing}'),
              ('past_due', '{trialing,active}', '{billing}'), ('trialing', '{}', '{billing}') $$, 'billing');

-- test: seed 003's own example of a deal
select results_eq($$ select m."from", m."to", m.unit, m.field, m.value, m.entry_timestamp, array(select jsonb_object_keys(m.exits) order by 1)
        from leadline.stage_model m where m.id = 'D-PROPOSAL' $$,
    $$ values ('{evaluation}'::text[], 'proposal', 'opportunity', 'opportunities.stage', 'proposal', 'opportunities.stage_entered_at', '{advance,correction,lost,recycle}'::text[]) $$,
    'a pipeline says lost');

-- test: what never enters names its path and its owner
select set_eq($$ select e ->> 'exclude' from leadline.stage_model m, jsonb_array_elements(m.exclusions) e where m.id = 'T-NEW' $$,
    $$ values ('competitor'), ('test'), ('spam'), ('existing customer'), ('open opportunity'), ('partner'), ('an enquiry by the address of an open lead') $$, 'the six of seed 003, and the open lead');

-- test: every entry is kept in a column that is there
-- privileged: reads the catalog of every table
select t.act_as('superuser');
select is_empty($$ select m.id, k.name from leadline.stage_model m cross join lateral (values (m.field), (m.entry_timestamp)) k (name)
    where not exists (select from pg_attribute a where a.attrelid = to_regclass('leadline.' || split_part(k.name, '.', 1)) and a.attname = split_part(k.name, '.', 2)) $$, 'columns');
select is_empty($$ select m.id from leadline.stage_model m join leadline.rule_transitions c on c.workflow = m.workflow and c.to_stage = m."to"
    where c.entry_timestamp is not null and split_part(m.entry_timestamp, '.', 2) <> c.entry_timestamp $$, 'the one of the matrix');

-- test: one block for every stage, in a document that always reads the same
select is_empty($$ select s.workflow, s.stage from leadline.rule_stages s
    full join leadline.stage_model m on m.workflow = s.workflow and m."to" = s.stage where s.stage is null or m.id is null $$, 'each stage once');
select is((select array_agg(b ->> 'id' order by n) from jsonb_array_elements(leadline.stage_model_document() -> 'blocks') with ordinality x (b, n) where b ->> 'workflow' = 'sales'),
    '{S-NEW,S-CONTACTED,S-QUALIFIED,S-PROPOSAL,S-WON,S-LOST}', 'in the order of the stages');
select is(leadline.stage_model_document() #> '{reasons,lost}', '["Price", "Competitor", "No Response", "Not Qualified", "Timing", "Requirement Changed", "Other"]', 'reasons, letter for letter');
select is(leadline.stage_model_document() #> '{stages,qualification}', '["new", "accepted", "attempting", "connected", "qualified", "recycled", "disqualified"]', 'stages');

-- test: an analyst reads it
select t.act_as('analyst');
select is((select count(*) from leadline.stage_model m where m.workflow = 'sales'), 6::bigint, 'the view');
select isnt_empty($$ select from leadline.stage_arrows a where a.workflow = 'sales' $$, 'the arrows');

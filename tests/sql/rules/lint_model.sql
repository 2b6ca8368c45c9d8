-- A model is held to the rules of seed 003: every kind of fault is found where it was planted, and nothing else.
select t.here();

-- A sound model of two stages, as small as one can be; and what is said of it once `p_change` was merged into its first block.
create function pg_temp.sound() returns jsonb language sql as $$
    select '{"stages": {"qualification": ["new", "accepted"]},
        "reasons": {"recycle": ["bad_timing", "other"]},
        "blocks": [
            {"id": "T-NEW", "workflow": "qualification", "from": [], "to": "new", "unit": "lead", "evidence": "A request was received.",
             "exclusions": [{"exclude": "test", "path": "It is disqualified as test.", "owner": "admins"}], "field": "leads.stage", "value": "new",
             "writer": ["person", "app", "workflow"], "entry_timestamp": "leads.stage_entered_at",
             "exits": {"advance": "Accepted.", "recycle": "Recycled.", "disqualify": "Rejected.", "correction": "Does not apply: it is the first."}},
            {"id": "T-ACCEPTED", "workflow": "qualification", "from": ["new"], "to": "accepted", "unit": "request", "evidence": "Sales accepted it.",
             "writer": "person", "entry_timestamp": "leads.accepted_at",
             "exits": {"advance": "Qualified.", "recycle": "Recycled.", "lost": "Lost.", "correction": "An admin takes it back."}}]}'::jsonb
$$;
create function pg_temp.lint(p_model jsonb) returns text language sql as $$
    select coalesce(string_agg(concat_ws(' ', l.severity, l.finding, l.subject), ', ' order by l.finding, l.subject, l.detail), 'sound') from leadline.lint_model(p_model) l
$$;
create function pg_temp.changed(p_change jsonb) returns text language sql as $$
    select pg_temp.lint(jsonb_set(pg_temp.sound(), '{blocks,0}', (pg_temp.sound() #> '{blocks,0}') || p_change))
$$;
create function pg_temp.without(p_key text) returns text language sql as $$
    select pg_temp.lint(pg_temp.sound() #- array['blocks', '0', p_key])
$$;

-- test: the model of the database is sound, and so is the small one
select is_empty($$ select * from leadline.lint_model(leadline.stage_model_document()) $$, 'ours');
select is(pg_temp.lint(pg_temp.sound()), 'sound', 'the small one');
select is(pg_temp.lint(pg_temp.sound() -> 'blocks'), 'sound', 'its blocks alone');

-- test: whoever may read may ask
select t.act_as('analyst');
select is_empty($$ select * from leadline.lint_model(leadline.stage_model_document()) $$, 'an analyst');

-- test: what a block must say
select is(pg_temp.without('unit'), 'high missing_unit T-NEW', 'the unit');
select is(pg_temp.without('evidence'), 'high missing_evidence T-NEW', 'the evidence');
select is(pg_temp.changed('{"evidence": " \t "}'), 'high missing_evidence T-NEW', 'blank is none');
select is(pg_temp.changed('{"evidence": null}'), 'high missing_evidence T-NEW', 'nor is null');
select is(pg_temp.without('writer'), 'high missing_writer T-NEW', 'the writer');
select is(pg_temp.changed('{"writer": []}'), 'high missing_writer T-NEW', 'nobody is none');
select is(pg_temp.without('entry_timestamp'), 'high missing_entry_timestamp T-NEW', 'the time of entry');
select is(pg_temp.without('exits'),
    'high missing_exit T-NEW, high missing_exit T-NEW, high missing_exit T-NEW, high missing_exit T-NEW', 'all four exits');
select results_eq(format($$ select l.finding, l.subject, l.detail from leadline.lint_model(%L) l $$, pg_temp.sound() #- '{blocks,0,exits,recycle}'),
    $$ values ('missing_exit', 'T-NEW', 'The exit recycle is missing: how, or why it does not apply.') $$, 'and which');
select is(pg_temp.lint(pg_temp.sound() #- '{blocks,1,exits,lost}'), 'high missing_exit T-ACCEPTED', 'lost stands for disqualify');

-- test: units are those of the list, with or without an explanation
select is(pg_temp.changed('{"unit": "visit"}'), 'warn unknown_unit T-NEW', 'another');
select is(pg_temp.changed('{"unit": "personality"}'), 'warn unknown_unit T-NEW', 'a longer word is another');
select is(pg_temp.changed('{"unit": "person (first qualification); repeats counted on lead records"}'), 'sound', 'as seed 003 writes it');
select is(pg_temp.changed('{"unit": "renewal cycle"}'), 'sound', 'two words');

-- test: a second automated writer needs a written precedence; person and app are none
select is(pg_temp.changed('{"writer": ["person", "app", "workflow", "importer"]}'), 'high two_automated_writers_without_precedence T-NEW', 'two');
select is(pg_temp.changed('{"writer": ["WORKFLOW:a", "workflow:b"]}'), 'high two_automated_writers_without_precedence T-NEW', 'two workflows are two');
select is(pg_temp.changed('{"writer": ["WORKFLOW:a", "workflow:a"]}'), 'sound', 'one twice is one');
select is(pg_temp.changed('{"writer": ["workflow", "billing"], "precedence": "billing, then workflow"}'), 'sound', 'written');
select is(pg_temp.changed('{"writer": ["workflow", "billing"], "precedence": " "}'), 'high two_automated_writers_without_precedence T-NEW', 'blank is not written');
select is(pg_temp.changed('{"writer": ["person", "app (on behalf of one)"]}'), 'sound', 'people');

-- test: an exclusion says where to, and whose it is there
select is(pg_temp.changed('{"exclusions": [{"exclude": "spam", "owner": "admins"}]}'), 'high exclusion_without_path T-NEW', 'no path');
select is(pg_temp.changed('{"exclusions": [{"exclude": "spam", "path": "It is disqualified."}]}'), 'high exclusion_without_path T-NEW', 'no owner');
select is(pg_temp.changed('{"exclusions": [{"exclude": "spam", "path": "", "owner": " "}, {"exclude": "test"}]}'),
    'high exclusion_without_path T-NEW, high exclusion_without_path T-NEW', 'each');
select is(pg_temp.changed('{"exclusions": "competitor, test, spam"}'), 'high exclusion_without_path T-NEW', 'as seed 003 lists them, without');
select is(pg_temp.changed('{"exclusions": []}'), 'sound', 'there may be none');

-- test: evidence is a fact
select is(pg_temp.changed(jsonb_build_object('evidence', e.text)), 'high evidence_is_no_fact T-NEW', e.text)
from (values ('An e-mail was opened'), ('email open'), ('Email opened at least twice within 7 days.'), ('A page view'), ('pageviews'), ('The lead visited our pricing page'),
             ('A meeting is booked.'), ('Meeting booked or page viewed'), ('demo scheduled')) e (text);
select is(pg_temp.changed(jsonb_build_object('evidence', e.text)), 'sound', e.text)
from (values ('A meeting was held.'), ('The buyer confirmed the problem in the meeting that was booked'), ('An e-mail was answered'), ('A deal exists with amount and close date'),
             ('A meeting was booked and a quote requested'), ('The appointment stands with its reference'), ('They opened an account'), ('call')) e (text);

-- test: a list of reasons has at most twelve
select is(pg_temp.lint(pg_temp.sound() || jsonb_build_object('reasons', jsonb_build_object('lost', (select jsonb_agg('reason ' || n) from generate_series(1, 13) n), 'recycle', '[]'::jsonb))),
    'high too_many_reasons lost', 'thirteen');
select is(pg_temp.lint(pg_temp.sound() || jsonb_build_object('reasons', jsonb_build_object('lost', (select jsonb_agg('reason ' || n) from generate_series(1, 12) n)))), 'sound', 'twelve');

-- test: one block a stage, one stage a block
select is(pg_temp.lint(jsonb_set(pg_temp.sound(), '{stages,qualification,2}', '"qualified"')), 'high stage_without_block qualification.qualified', 'a stage that nobody describes');
select is(pg_temp.lint(pg_temp.sound() #- '{blocks,1}'), 'high stage_without_block qualification.accepted', 'a block that is gone');
select is(pg_temp.changed('{"to": "old"}'), 'high block_without_stage T-NEW, high stage_without_block qualification.new', 'a stage that is none');
select is(pg_temp.changed('{"from": ["accepted", "nowhere"]}'), 'high block_without_stage T-NEW', 'nor one to come from');
select is(pg_temp.changed('{"workflow": "nothing"}'), 'high block_without_stage T-NEW, high stage_without_block qualification.new', 'nor a workflow');
select is(pg_temp.changed('{"id": "T-ACCEPTED"}'), 'high duplicate_block T-ACCEPTED', 'an id twice');
select is(pg_temp.changed('{"to": "accepted"}'), 'high duplicate_block T-ACCEPTED, high stage_without_block qualification.new', 'a stage twice');

-- test: what is no model is said, not raised
select is(pg_temp.lint(m.model::jsonb), 'high malformed the model', coalesce(m.model, 'NULL'))
from (values (null), ('null'), ('17'), ('"blocks"'), ('{}'), ('{"blocks": null}'), ('{"blocks": {}}')) m (model);
select is(pg_temp.lint('[]'), 'sound', 'no blocks are no faults');
select is(pg_temp.lint(pg_temp.sound() || '{"extra": 1}'), 'high malformed the model', 'an unknown key');
select is(pg_temp.lint(pg_temp.sound() || jsonb_build_object('reasons', r.value::jsonb)), 'high malformed the model', 'reasons: ' || r.value)
from (values ('[]'), ('17'), ('{"lost": "Price"}'), ('{"lost": [1]}'), ('{"lost": {"a": "b"}}')) r (value);
select is(pg_temp.lint(pg_temp.sound() || '{"stages": ["new"]}'), 'high malformed the model', 'stages');
select is(pg_temp.changed(c.change::jsonb), 'high malformed T-NEW', c.change)
from (values ('{"evidnce": "x"}'), ('{"evidence": 17}'), ('{"unit": {}}'), ('{"writer": {"a": 1}}'), ('{"writer": [["person"]]}'), ('{"from": 3}'), ('{"exits": "none"}'),
             ('{"exits": {"advance": "a", "recycle": "b", "disqualify": "c", "correction": "d", "sideways": "e"}}'), ('{"exits": {"advance": 1}}'),
             ('{"exclusions": 3}'), ('{"exclusions": [3]}'), ('{"exclusions": [{"exclude": "x", "path": 1, "owner": []}]}'), ('{"entry_timestamp": false}')) c (change);
select is(pg_temp.lint('{"blocks": ["text", null, 3]}'), 'high malformed block 1, high malformed block 2, high malformed block 3', 'blocks are objects');
select is(pg_temp.without('id'), 'high malformed qualification.new', 'a block has a name');
select is(pg_temp.without('to'), 'high malformed T-NEW, high stage_without_block qualification.new', 'and leads somewhere');
select is(pg_temp.without('workflow'), 'high malformed T-NEW, high stage_without_block qualification.new', 'of a workflow');

-- test: the examples of seed 003, as they stand there
select is(pg_temp.lint('[{"id": "T-MQL", "from": "lead", "to": "marketingqualifiedlead", "unit": "person (first qualification); repeats counted on lead records",
    "evidence": "fit gate passed (country, employee range and use case known and in range) AND (engagement score >= 40 within 30 days OR a hand-raise request)",
    "exclusions": "existing customer, open opportunity, partner, competitor, test, spam", "field": "lifecyclestage", "value": "marketingqualifiedlead",
    "writer": "WORKFLOW:mql-scoring (only)", "entry_timestamp": "Date entered Marketing Qualified Lead", "exits": {
        "advance": "SDR accepts within 1 business day, then SQL on qualification", "recycle": "lead status BAD_TIMING with recycle_reason and recycle_date",
        "disqualify": "lead status UNQUALIFIED with disqualification_reason", "correction": "WORKFLOW:lifecycle-correction with correction_reason"}}]'),
    'high exclusion_without_path T-MQL', 'its exclusions stand elsewhere');
select is(pg_temp.lint('[{"id": "D-PROPOSAL", "from": "evaluation", "to": "proposal", "unit": "opportunity",
    "evidence": "buyer-confirmed problem, decision process and a dated next step recorded on the deal", "field": "dealstage", "value": "proposal",
    "writer": "CRM_UI (the AE); integrations propose through product summary properties", "entry_timestamp": "Date entered proposal", "exits": {
        "advance": "closedwon with the closed-won packet gate fields filled", "lost": "closedlost with closed_lost_reason", "correction": "sales manager moves the deal back with a reason"}}]'),
    'high missing_exit D-PROPOSAL', 'it does not say why it has no recycle');

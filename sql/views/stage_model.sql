-- The stage model as seed 003 writes it: one block a stage that can be entered, as a view, as a document, and held to the seed's rules.

create or replace view leadline.stage_model with (security_invoker = true) as
select b.block_id as id, b.workflow,
    array(select s.stage from leadline.rule_stages s
        where s.workflow = b.workflow and s.stage in (select a.from_stage from leadline.stage_arrows a
            where a.workflow = b.workflow and a.to_stage = b.to_stage and a.kind = 'move')
        order by s.position) as "from",
    b.to_stage as "to", b.unit, b.evidence, b.exclusions,
    case w.journal
        when 'lead_activity' then 'leads.stage'
        when 'relationship_activity' then 'people.stage'
        when 'opportunity_activity' then 'opportunities.stage'
        when 'customer_activity' then 'subscriptions.stage'
        when 'workspace_activity' then 'workspaces.stage' end as field,
    b.to_stage as value,
    t.activity_types,
    array(select c.writer from unnest('{person,app,importer,billing,ai,workflow}'::text[]) with ordinality c (writer, position)
        where exists (select from leadline.rule_activity_types y where y.activity_type = any (t.activity_types) and c.writer = any (y.writers))
        order by c.position) as writer,
    (select string_agg(p.types || ': ' || p.precedence, ' ' order by p.types collate "C") from (
        select string_agg(y.activity_type, ', ' order by y.activity_type collate "C") as types, y.precedence
        from leadline.rule_activity_types y where y.activity_type = any (t.activity_types) and y.precedence is not null
        group by y.precedence) p) as precedence,
    b.entry_timestamp,
    jsonb_build_object('advance', b.advance, 'recycle', b.recycle,
        case when exists (select from leadline.rule_permitted p where p.workflow = b.workflow and p.status = 'lost') then 'lost' else 'disqualify' end, b.disqualify,
        'correction', b.correction) as exits,
    b.seed
from leadline.rule_blocks b
join leadline.rule_workflows w on w.workflow = b.workflow
cross join lateral (
    select coalesce(array_agg(d.activity_type order by d.activity_type collate "C"), '{}') as activity_types
    from (select distinct a.activity_type from leadline.stage_arrows a
        where a.workflow = b.workflow and a.to_stage = b.to_stage and a.kind <> 'correction' and a.activity_type is not null) d) t;
comment on view leadline.stage_model is 'The stage model (seed 003), one row a stage that can be entered: the words of sql/rules/blocks.sql joined with the matrix. Corrections lead back and stand under exits.';
comment on column leadline.stage_model.id is 'The block''s name, for good.';
comment on column leadline.stage_model."from" is 'The stages it is entered from, in their order; births come from none.';
comment on column leadline.stage_model.unit is 'What one entry counts.';
comment on column leadline.stage_model.evidence is 'The committed fact that proves it.';
comment on column leadline.stage_model.exclusions is 'Who never enters: [{"exclude", "path", "owner"}].';
comment on column leadline.stage_model.field is 'The column that keeps the stage; value is what it then holds.';
comment on column leadline.stage_model.activity_types is 'The activities that lead here, births among them.';
comment on column leadline.stage_model.writer is 'The classes of writer that may report one of them.';
comment on column leadline.stage_model.precedence is 'Who gives way where several automated writers may.';
comment on column leadline.stage_model.entry_timestamp is 'The column that keeps when it was entered last; the journal keeps every entry.';
comment on column leadline.stage_model.exits is 'How one leaves: advance, recycle, disqualify (lost, in a pipeline), correction; each a sentence, or why it does not apply.';

create or replace function leadline.stage_model_document() returns jsonb
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select jsonb_build_object(
        'blocks', (select jsonb_agg(jsonb_strip_nulls(to_jsonb(m)) order by m.workflow collate "C", s.position)
            from leadline.stage_model m join leadline.rule_stages s on s.workflow = m.workflow and s.stage = m."to"),
        'reasons', (select jsonb_object_agg(r.reason_list, r.reasons) from (
            select q.reason_list, jsonb_agg(q.reason order by q.position) as reasons from leadline.rule_reasons q group by q.reason_list) r),
        'stages', (select jsonb_object_agg(s.workflow, s.stages) from (
            select q.workflow, jsonb_agg(q.stage order by q.position) as stages from leadline.rule_stages q group by q.workflow) s))
$$;
comment on function leadline.stage_model_document() is 'The whole stage model as one document: {"blocks": [the rows of stage_model], "reasons": {list: [codes]}, "stages": {workflow: [stages]}}, always in the same order.';

create or replace function leadline_internal.texts(p_value jsonb) returns text[]
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- A text, or a list of texts, as the texts that say something; null when it is neither.
begin
    if jsonb_typeof(p_value) = 'string' then p_value := jsonb_build_array(p_value); end if;
    if p_value is null then return '{}'; end if;
    if jsonb_typeof(p_value) <> 'array' or p_value @? 'strict $[*] ? (@.type() != "string")' then return null; end if;
    return array(select btrim(t.value, E' \t\r\n') from jsonb_array_elements_text(p_value) with ordinality t where t.value ~ '[^[:space:]]' order by t.ordinality);
end $$;

create or replace function leadline_internal.is_no_fact(p_evidence text) returns bool
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- Whether a text names an e-mail opened, a page viewed or a meeting booked, and nothing else: every word of it is one of those or a
-- small one. Any other word is given the benefit of the doubt.
declare
    w text[] := array(select t from regexp_split_to_table(replace(lower(p_evidence), 'e-mail', 'email'), '[^[:alnum:]]+') t where t <> '');
    c_email constant text[] := '{email,emails,mail,mails,newsletter}';
    c_open constant text[] := '{open,opens,opened,opening,openings}';
    c_page constant text[] := '{page,pages,website,site}';
    c_view constant text[] := '{view,views,viewed,viewing,visit,visits,visited,visiting}';
    c_meeting constant text[] := '{meeting,meetings,appointment,appointments,demo,demos,call,calls}';
    c_book constant text[] := '{booked,books,booking,bookings,scheduled}';
    c_small constant text[] := '{pageview,pageviews,web,pricing,a,an,the,one,two,three,of,or,and,on,in,by,to,with,our,their,its,at,least,more,than,once,twice,time,times,
        first,last,day,days,within,is,are,was,were,has,have,had,been,gets,got,lead,leads,person,people,prospect,contact,buyer,they,who,somebody,someone,alone,only,just,any,
        1,2,3,4,5,7,10,14,30,60,90}';
begin
    return (w && c_email and w && c_open or w && c_page and w && c_view or w && '{pageview,pageviews}' or w && c_meeting and w && c_book)
        and w <@ (c_email || c_open || c_page || c_view || c_meeting || c_book || c_small);
end $$;

create or replace function leadline_internal.lint_block(p_block jsonb, p_stages jsonb) returns table (finding text, severity text, detail text)
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
-- What is wrong with one block. p_stages: {workflow: [stages]}, or null when nobody says which there are.
declare
    b jsonb := jsonb_strip_nulls(p_block);
    v_key text;
    v_value jsonb;
    v_told text[] := '{}';  -- keys of the wrong kind: what they lack beside is not asked
    v_texts text[];
    v_of record;
    c_kinds constant jsonb := '{"id": "text", "workflow": "text", "from": "texts", "to": "text", "unit": "text", "evidence": "text", "exclusions": "exclusions",
        "field": "text", "value": "text", "activity_types": "texts", "writer": "texts", "precedence": "text", "entry_timestamp": "text", "exits": "exits", "seed": "text"}';
begin
    severity := 'high'; finding := 'malformed';
    for v_key, v_value in select k.key, k.value from jsonb_each(b) k order by k.key collate "C" loop
        detail := case c_kinds ->> v_key
            when 'text' then case when jsonb_typeof(v_value) <> 'string' then format('%s is no text.', v_key) end
            when 'texts' then case when leadline_internal.texts(v_value) is null then format('%s is neither a text nor a list of texts.', v_key) end
            when 'exits' then case when jsonb_typeof(v_value) <> 'object' or v_value @? 'strict $.* ? (@.type() != "string")'
                    or exists (select from jsonb_path_query(v_value, '$.keyvalue().key') k where k #>> '{}' not in ('advance', 'recycle', 'disqualify', 'lost', 'correction'))
                then 'exits is no object of the texts advance, recycle, disqualify or lost, correction.' end
            when 'exclusions' then case when jsonb_typeof(v_value) not in ('string', 'array')
                    or v_value @? 'strict $[*] ? (@.type() != "string" && @.type() != "object")' or v_value @? 'strict $[*] ? (@.type() == "object").* ? (@.type() != "string")'
                then 'exclusions is no list of texts or objects of texts.' end
            else format('Unknown key %s.', v_key) end;
        if detail is not null then
            return next;
            b := b - v_key; v_told := v_told || v_key;
        end if;
    end loop;
    foreach v_key in array case when p_stages is null then '{id,to}' else '{id,workflow,to}' end::text[] loop
        if leadline_internal.texts(b -> v_key) = '{}' and not v_key = any (v_told) then detail := format('%s is missing.', v_key); return next; end if;
    end loop;

    if not 'unit' = any (v_told) then
        if leadline_internal.texts(b -> 'unit') = '{}' then
            finding := 'missing_unit'; detail := 'It does not say what one entry counts.'; return next;
        elsif b ->> 'unit' !~* '^\s*(person|request|account|opportunity|renewal cycle|lead|subscription|workspace)\M' then
            finding := 'unknown_unit'; severity := 'warn';
            detail := format('%s is none of person, request, account, opportunity, renewal cycle, lead, subscription, workspace.', b ->> 'unit'); return next;
            severity := 'high';
        end if;
    end if;

    if not 'evidence' = any (v_told) then
        if leadline_internal.texts(b -> 'evidence') = '{}' then
            finding := 'missing_evidence'; detail := 'It does not say what proves the entry.'; return next;
        elsif leadline_internal.is_no_fact(b ->> 'evidence') then
            finding := 'evidence_is_no_fact'; detail := 'An e-mail opened, a page viewed or a meeting booked is no evidence alone.'; return next;
        end if;
    end if;

    if not 'writer' = any (v_told) then
        v_texts := leadline_internal.texts(b -> 'writer');
        if v_texts = '{}' then finding := 'missing_writer'; detail := 'It does not say who may write it.'; return next; end if;
        -- An app reports what people did: it is no second one.
        v_texts := array(select distinct lower(t) from unnest(v_texts) t where t !~* '^(person|app)\M' order by 1);
        if cardinality(v_texts) > 1 and leadline_internal.texts(b -> 'precedence') = '{}' and not 'precedence' = any (v_told) then
            finding := 'two_automated_writers_without_precedence'; detail := format('It does not say who gives way: %s.', array_to_string(v_texts, ', ')); return next;
        end if;
    end if;

    if leadline_internal.texts(b -> 'entry_timestamp') = '{}' and not 'entry_timestamp' = any (v_told) then
        finding := 'missing_entry_timestamp'; detail := 'It does not say what keeps the time of entry.'; return next;
    end if;

    if not 'exits' = any (v_told) then
        finding := 'missing_exit';
        foreach v_key in array '{advance,recycle,disqualify,correction}'::text[] loop
            if leadline_internal.texts(b -> 'exits' -> v_key) = '{}' and (v_key <> 'disqualify' or leadline_internal.texts(b -> 'exits' -> 'lost') = '{}') then
                detail := format('The exit %s is missing: how, or why it does not apply.', v_key); return next;
            end if;
        end loop;
    end if;

    finding := 'exclusion_without_path';
    v_value := b -> 'exclusions';
    for v_of in
        select e.value, coalesce(case jsonb_typeof(e.value) when 'object' then e.value ->> 'exclude' else e.value #>> '{}' end, 'exclusion ' || e.ordinality) as name
        from jsonb_array_elements(case jsonb_typeof(v_value) when 'array' then v_value when 'string' then jsonb_build_array(v_value) else '[]' end) with ordinality e
        order by e.ordinality
    loop
        v_texts := array(select k from unnest('{path,owner}'::text[]) k where jsonb_typeof(v_of.value) <> 'object' or leadline_internal.texts(v_of.value -> k) = '{}');
        if v_texts <> '{}' then detail := format('%s has no %s.', v_of.name, array_to_string(v_texts, ' and no ')); return next; end if;
    end loop;

    finding := 'block_without_stage';
    if p_stages is null or not b ? 'workflow' then
        return;
    elsif not p_stages ? (b ->> 'workflow') then
        detail := format('There is no workflow %s.', b ->> 'workflow'); return next;
    else
        for v_key in select distinct t from unnest(leadline_internal.texts(b -> 'to') || leadline_internal.texts(b -> 'from')) t
            where not p_stages -> (b ->> 'workflow') ? t order by t loop
            detail := format('There is no stage %s in %s.', v_key, b ->> 'workflow'); return next;
        end loop;
    end if;
end $$;

-- A model, ours or somebody's, held to the rules of seed 003. p_model is a document as stage_model_document() gives it, or a list of
-- blocks; what needs "stages" or "reasons" is not asked without them. Reads nothing else and raises nothing: what is no model is malformed.
create or replace function leadline.lint_model(p_model jsonb) returns table (finding text, subject text, severity text, detail text)
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    v_model jsonb := case jsonb_typeof(p_model) when 'array' then jsonb_build_object('blocks', p_model) else p_model end;
    v_key text;
    v_of record;
    v_place text;
    v_ids text[] := '{}';
    v_places text[] := '{}';
begin
    finding := 'malformed'; subject := 'the model'; severity := 'high';
    if jsonb_typeof(v_model) is distinct from 'object' or jsonb_typeof(v_model -> 'blocks') is distinct from 'array' then
        detail := 'A model is a list of blocks, or an object with blocks.'; return next;
        return;
    end if;
    for v_key in select k from jsonb_object_keys(v_model) k where k not in ('blocks', 'reasons', 'stages') order by k loop
        detail := format('Unknown key %s.', v_key); return next;
    end loop;
    foreach v_key in array '{reasons,stages}'::text[] loop
        if (case coalesce(jsonb_typeof(v_model -> v_key), 'null')
            when 'null' then false
            when 'object' then exists (select from jsonb_each(v_model -> v_key) l where jsonb_typeof(l.value) <> 'array' or leadline_internal.texts(l.value) is null)
            else true end)
        then
            detail := format('%s is no object of lists of texts.', v_key); return next;
            v_model := v_model - v_key;
        end if;
    end loop;
    v_model := jsonb_strip_nulls(v_model);

    for v_of in
        select e.value, coalesce(nullif(btrim(e.value ->> 'id'), ''), (e.value ->> 'workflow') || '.' || (e.value ->> 'to'), 'block ' || e.ordinality) as name
        from jsonb_array_elements(v_model -> 'blocks') with ordinality e order by e.ordinality
    loop
        subject := v_of.name; severity := 'high';
        if jsonb_typeof(v_of.value) <> 'object' then
            finding := 'malformed'; detail := 'A block is an object.'; return next;
            continue;
        end if;
        finding := 'duplicate_block';
        v_place := (v_of.value ->> 'workflow') || '.' || (v_of.value ->> 'to');
        if v_of.value ->> 'id' = any (v_ids) then detail := 'Another block has this id.'; return next; end if;
        if v_place = any (v_places) then detail := format('Another block leads to %s.', v_place); return next; end if;
        v_ids := v_ids || (v_of.value ->> 'id'); v_places := v_places || v_place;
        return query select l.finding, v_of.name, l.severity, l.detail from leadline_internal.lint_block(v_of.value, v_model -> 'stages') l;
    end loop;

    finding := 'stage_without_block'; severity := 'high';
    for subject in
        select w.key || '.' || s.value from jsonb_each(v_model -> 'stages') w cross join lateral jsonb_array_elements_text(w.value) with ordinality s
        where array_position(v_places, w.key || '.' || s.value) is null order by w.key collate "C", s.ordinality
    loop
        detail := 'No block says how it is entered.'; return next;
    end loop;
    finding := 'too_many_reasons';
    for subject, detail in
        select r.key, format('%s reasons; a list has at most 12.', jsonb_array_length(r.value)) from jsonb_each(v_model -> 'reasons') r
        where jsonb_array_length(r.value) > 12 order by r.key collate "C"
    loop
        return next;
    end loop;
end $$;
comment on function leadline.lint_model(jsonb) is 'What is wrong with a stage model by the rules of seed 003, one row a finding; nothing for a sound one. Takes a document as stage_model_document() gives it, or a list of blocks.';

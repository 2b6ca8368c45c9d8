-- A person who asks to be forgotten is forgotten: every word of theirs is gone, the history of what was done stays and is still provable, and they are
-- still left alone if they asked for that.
select t.here();

-- Every table of ours in which one of the words is left; over everybody's shoulder.
create function pg_temp.traces(p_words text) returns text[] language plpgsql as $$
declare
    v_who name := session_user;
    v_table record;
    v_found bool;
    v_traces text[] := '{}';
begin
    perform t.act_as('superuser');
    for v_table in select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
                   where n.nspname in ('leadline', 'leadline_internal') and c.relkind in ('r', 'p') order by 1 loop
        execute format('select exists (select from %s x where to_jsonb(x)::text ~* %L)', v_table.name, p_words) into v_found;
        if v_found then v_traces := v_traces || v_table.name::text; end if;
    end loop;
    execute format('set local session authorization %I', v_who);
    return v_traces;
end $$;
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "ursula@larsson.example", "name": "Ursula Larsson", "company": "Larsson Tak", "phone": "+46701740605",
    "message": "my kittens need a roof", "external_id": "ursula-17", "budget": "ninety crowns", "favourite": "pelargonium"}', '2026-01-05T09:00:00Z', 'web-1'));
select t.report(t.kept('lead'), 'note_added', '{"text": "Ursula sounds nice"}');
select t.report(t.kept('lead'), 'contact_changed', '{"name": "Ursula Berg"}');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Other", "notes": "Ursula went to her cousin"}');
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select set_config('t.traces', 'ursula|larsson|berg|kittens|701740605|cousin|ninety|pelargonium', true);

-- test: nothing of theirs is left anywhere
select cmp_ok(cardinality(pg_temp.traces(current_setting('t.traces'))), '>', 2, 'there was much to forget');
select lives_ok($$ select leadline.erase_person(t.kept('person'), 'asked us to') $$, 'erased');
select is(pg_temp.traces(current_setting('t.traces')), '{}', 'not in one table');

-- test: what was done stays
select leadline.erase_person(t.kept('person'), 'asked us to');
select results_eq(
    $$ select a.seq, a.activity_type, a.verdict from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.seq <= 4 order by a.seq $$,
    $$ values (1, 'inbound_enquiry', 'applied'), (2, 'note_added', 'noted'), (3, 'contact_changed', 'applied'), (4, 'deal_lost', 'applied') $$, 'that, but not what');
select results_eq(
    $$ select stage, status, lost_reason from t.state(t.kept('lead')) $$, $$ values ('lost', 'lost', 'Other') $$, 'the lead was lost');
select results_eq(
    $$ select name, company, email, phone, lost_notes from leadline.lead_contacts where lead_id = t.kept('lead') $$,
    $$ values (null::text, null::text, null::text, null::text, null::text) $$, 'by nobody in particular');
select is_empty($$ select p.payload from leadline.lead_timeline p where p.lead_id = t.kept('lead') and p.payload ?| '{text,message,email,name,notes}' $$, 'no text in the timeline');
select is((select count(*) from t.requests(t.kept('lead'))), 1::bigint, 'the request is counted');
select is((select count(*) from leadline.person_contacts k where k.person_id = t.kept('person')), 0::bigint, 'nothing to be recognised by');

-- test: that it was done, and why, is written down
select leadline.erase_person(t.kept('person'), 'asked us to');
select isnt((select p.erased_at from leadline.people p where p.person_id = t.kept('person')), null, 'when');
select results_eq(
    $$ select w.about_id, w.payload ->> 'reason', w.actor_id from leadline.workspace_activity w where w.activity_type = 'person_erased' $$,
    $$ select t.kept('person'), 'asked us to', t.person('admin') $$, 'by whom and why');
select is((select count(*) from leadline.lead_activity a where a.lead_id = t.kept('lead') and a.activity_type = 'person_erased'), 1::bigint, 'and on each lead');

-- test: the chain and the fold stay clean
-- privileged: only the owner sees every workspace
select leadline.erase_person(t.kept('person'), 'asked us to');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_chain() $$, 'no link is broken');
select is_empty($$ select * from leadline.verify_state() $$, 'the state is what was recorded');

-- test: all their leads, in every workflow and at every place
select t.keep('won', t.sales_lead('won', '{"email": "ursula@larsson.example", "name": "Ursula"}')),
       t.keep('open', t.sales_lead('proposal', '{"email": "ursula@larsson.example", "name": "Ursula"}')),
       t.keep('appointment', t.lead('scheduled', '{"email": "ursula@larsson.example", "name": "Ursula"}')),
       t.keep('away', t.archived(t.sales_lead('lost', '{"email": "ursula@larsson.example", "name": "Ursula"}')));
select t.enquiry('{"email": "ursula@larsson.example", "exclusion": "spam", "message": "Ursula buys nothing"}');
select leadline.erase_person(t.kept('person'), 'asked us to');
select is(pg_temp.traces(current_setting('t.traces')), '{}', 'not in one table');
select results_eq(
    $$ select l.stage, l.status from unnest('{won,appointment,away}'::text[]) with ordinality n(name, n), lateral t.state(t.kept(n.name)) l order by n $$,
    $$ values ('won', 'won'), ('scheduled', 'open'), ('lost', 'archived') $$, 'and each stands where it stood');

-- test: others are not forgotten with them
select t.keep('sister', t.sales_lead('new', '{"email": "kim@example.com", "name": "Kim", "phone": "+46701740605"}'));
select leadline.erase_person(t.kept('person'), 'asked us to');
select results_eq(
    $$ select name, email, phone from leadline.lead_contacts where lead_id = t.kept('sister') $$, $$ values ('Kim', 'kim@example.com', '+46701740605') $$, 'who shares a phone');

-- test: left alone they stay, by address and phone, though nobody knows either any more
select t.report(t.kept('lead'), 'dnc');
select leadline.erase_person(t.kept('person'), 'asked us to');
select is(pg_temp.traces(current_setting('t.traces')), '{}', 'the list does not name them');
select is((t.state(t.created('{"email": "URSULA@larsson.example"}'))).is_suppressed, true, 'by address');
select is((t.state(t.created('{"phone": "+46 70 174 06 05"}'))).is_suppressed, true, 'by phone');
select is((t.state(t.created('{"email": "kim@example.com"}'))).is_suppressed, false, 'nobody else');

-- test: they come back as somebody new
select leadline.erase_person(t.kept('person'), 'asked us to');
select t.keep('back', t.enquiry('{"workflow": "sales", "email": "ursula@larsson.example"}'));
select isnt(t.kept('back'), t.kept('lead'), 'a new lead');
select isnt((t.state(t.kept('back'))).person_id, t.kept('person'), 'of a new person');
select is(t.stage(t.kept('lead')), 'lost', 'the old one is not woken');

-- test: a repeat of what they sent is still a repeat
select leadline.erase_person(t.kept('person'), 'asked us to');
select results_eq(
    $$ select l.replayed, l.lead_id from leadline.log_activity(null, 'inbound_enquiry', '{"email": "ursula@larsson.example"}', 'web-1') l $$,
    $$ select true, t.kept('lead') $$, 'and brings nothing back');
select is(pg_temp.traces(current_setting('t.traces')), '{}', 'not in one table');

-- test: an erasure says why
select matches((select c.sqlstate_ from t.caught($$ select leadline.erase_person(t.kept('person'), null) $$) c), '^PT4', 'not for nothing');
select matches((select c.sqlstate_ from t.caught($$ select leadline.erase_person(t.kept('person'), '  ') $$) c), '^PT4', 'nor for a blank');

-- test: before that, they can have everything that is held
select results_eq(
    $$ select w, leadline.export_person(t.kept('person'))::text ~ w from unnest('{ursula@larsson.example,Ursula Berg,Larsson Tak,46701740605,my kittens need a roof,sounds nice,her cousin,ninety crowns,pelargonium,ursula-17}'::text[]) w $$,
    $$ select w, true from unnest('{ursula@larsson.example,Ursula Berg,Larsson Tak,46701740605,my kittens need a roof,sounds nice,her cousin,ninety crowns,pelargonium,ursula-17}'::text[]) w $$,
    'every word');
select t.keep('other', t.sales_lead('new', '{"email": "kim@example.com", "name": "Kim Other"}'));
select doesnt_match(leadline.export_person(t.kept('person'))::text, 'kim@example|Kim Other', 'and nobody else''s');
select t.act_as('member');
select throws_ok($$ select leadline.export_person(t.kept('person')) $$, 'PT403', null, 'not through a member');
select t.act_as('admin');
select leadline.erase_person(t.kept('person'), 'asked us to');
select doesnt_match(leadline.export_person(t.kept('person'))::text, '(?i)' || current_setting('t.traces'), 'and after that there is nothing');

-- test: who was merged is forgotten whole
select t.keep('second', t.sales_lead('new', '{"email": "ursula@work.example", "name": "Ursula Larsson"}'));
select leadline.merge_people((t.state(t.kept('second'))).person_id, t.kept('person'));
select leadline.erase_person(t.kept('person'), 'asked us to');
select is(pg_temp.traces(current_setting('t.traces')), '{}', 'under every address');

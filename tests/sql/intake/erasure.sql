-- A person who asks to be forgotten is forgotten: every word of theirs is gone, the history of what was done stays and is still provable, and they are
-- still left alone if they asked for that.
select t.here();

-- Which of the words are left, and in which of our tables and views; over everybody's shoulder.
create function pg_temp.traces_of(p_words text) returns table (word text, place text) language plpgsql as $$
declare
    v_who name := session_user;
begin
    perform t.act_as('superuser');
    for place in select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname in ('leadline', 'leadline_internal') and c.relkind in ('r', 'p', 'v') order by 1 loop
        for word in execute format('select distinct lower(m[1]) from %s x, regexp_matches(to_jsonb(x)::text, %L, ''gi'') m', place, '(' || p_words || ')') loop
            return next;
        end loop;
    end loop;
    execute format('set local session authorization %I', v_who);
end $$;
create function pg_temp.traces(p_words text) returns text[] language sql as $$
    select coalesce(array_agg(distinct t.place), '{}') from pg_temp.traces_of(p_words) t
$$;
select t.keep('lead', t.enquiry('{"workflow": "sales", "email": "ursula@larsson.example", "name": "Ursula Larsson", "company": "Larsson Tak", "phone": "+46701740605",
    "message": "my kittens need a roof", "external_id": "ursula-17", "budget": "ninety crowns", "favourite": "pelargonium"}', '2026-01-05T09:00:00Z', 'web-1'));
select t.report(t.kept('lead'), 'note_added', '{"text": "Ursula sounds nice"}');
select t.report(t.kept('lead'), 'contact_changed', '{"name": "Ursula Berg"}');
select t.report(t.kept('lead'), 'deal_lost', '{"lost_reason": "Other", "notes": "Ursula went to her cousin"}');
select t.keep('person', (t.state(t.kept('lead'))).person_id);
select set_config('t.traces', 'ursula|larsson|berg|kittens|701740605|cousin|ninety|pelargonium', true);

-- What is said of them in every journal, with a word of its own in every text; of them, and of a second person who turns out to be them.
create function pg_temp.words() returns text[] language sql as $$
    select '{ursula,wisteria,azalea,magnolia,camellia,dandelion,goodbye,telescope,gutter,grandmother,crumpet,hailstorm,waterwheel,lighthouse,submarine,marmalade,porcupine,barnacle,equinox,archduke,pelargonium,caterpillar,nightingale}'::text[]
$$;
create function pg_temp.much_is_said() returns void language plpgsql as $$
declare
    v_person uuid := t.kept('person');
begin
    perform t.report_on_person(v_person, 'relationship_advanced', '{"to": "qualified", "reason": "wisteria", "favourite": "pelargonium"}');
    perform t.act_as('app');
    perform t.report_on_person(v_person, 'relationship_advanced', '{"to": "client", "reason": "azalea"}');
    perform t.report_on_person(v_person, 'relationship_advanced', '{"to": "active", "reason": "nightingale"}');
    perform t.report_on_person(v_person, 'product_signal_seen', '{"signal": "seats", "observed_at": "2026-01-01T00:00:00Z", "expires_at": "2031-01-01T00:00:00Z", "reason": "telescope"}');
    perform t.act_as('admin');
    perform t.answer(t.open_question(v_person), 'granted', '{"reason": "magnolia"}');
    perform t.answer(t.open_question(v_person, 'active'), 'declined', '{"reason": "camellia"}');
    perform t.report_on_person(v_person, 'relationship_closed', '{"reason": "goodbye"}');
    perform t.keep('deal', t.opportunity('evaluation', jsonb_build_object('person_id', v_person)));
    perform t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet(v_person)
            || '{"problem": "gutter", "decision_process": "grandmother", "next_step": "crumpet", "favourite": "pelargonium"}');
    perform t.report_on_deal(t.kept('deal'), 'contact_role_set', jsonb_build_object('person_id', v_person, 'role', 'champion'));
    perform t.report_on_deal(t.kept('deal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "other", "notes": "caterpillar"}');
    perform t.report_on_deal(t.kept('deal'), 'opportunity_lost', '{"lost_reason": "Other", "notes": "hailstorm"}');
    perform t.keep('subscription', t.subscription('active', jsonb_build_object('person_id', v_person)));
    perform t.act_as('billing');
    perform t.report_on_customer(t.kept('subscription'), 'renewal_opened', '{"period_start": "2026-01-01", "period_end": "2026-12-31"}');
    perform t.report_on_customer(t.kept('subscription'), 'renewal_churned', '{"reason": "submarine"}');
    perform t.report_on_customer(t.kept('subscription'), 'subscription_cancelled', '{"reason": "lighthouse"}');
    perform t.act_as('admin');
    perform t.keep('rejected', t.qualification_lead('new', '{"email": "ursula@larsson.example"}'));
    perform t.report(t.kept('rejected'), 'request_rejected', '{"reason": "other", "notes": "marmalade"}');
    perform t.keep('recycled', t.qualification_lead('new', '{"email": "ursula@larsson.example"}'));
    perform t.report(t.kept('recycled'), 'lead_recycled', '{"reason": "other", "recycle_on": "2031-01-01", "notes": "porcupine"}');
    perform t.keep('qualified', t.enquiry('{"workflow": "qualification", "email": "ursula@work.example", "name": "Ursula Larsson"}'));
    perform t.report(t.kept('qualified'), 'request_accepted');
    perform t.report(t.kept('qualified'), 'lead_qualified', '{"problem": "barnacle", "timing": "equinox", "buying_role": "archduke"}');
    perform t.keep('second_person', (t.state(t.kept('qualified'))).person_id);
    perform t.report_on_person(t.kept('second_person'), 'relationship_closed', '{"reason": "dandelion"}');
    perform t.report_on_deal(t.opportunity('evaluation', jsonb_build_object('person_id', t.kept('second_person'))), 'opportunity_lost', '{"lost_reason": "Other", "notes": "waterwheel"}');
    perform leadline.merge_people(t.kept('second_person'), v_person);
end $$;

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

-- test: who was merged is forgotten under every address
select t.keep('second', t.sales_lead('new', '{"email": "ursula@work.example", "name": "Ursula Larsson"}'));
select leadline.merge_people((t.state(t.kept('second'))).person_id, t.kept('person'));
select leadline.erase_person(t.kept('person'), 'asked us to');
select is(pg_temp.traces(current_setting('t.traces')), '{}', 'under every address');

-- test: who was merged is forgotten whole, and so is what was said of their relationship, their deals and their subscriptions
-- privileged: only the owner sees every workspace
select pg_temp.much_is_said();
select set_config('t.words', array_to_string(pg_temp.words(), '|'), true);
select bag_eq(
    $$ select distinct r.word from pg_temp.traces_of(current_setting('t.words')) r $$, $$ select unnest(pg_temp.words()) $$, 'every word is kept somewhere');
select set_eq(
    $$ select lower(m[1]) from regexp_matches(leadline.export_person(t.kept('person'))::text, '(' || current_setting('t.words') || ')', 'gi') m $$,
    $$ select unnest(pg_temp.words()) $$, 'and handed over when they ask');
select t.keep('other', t.person_at('qualified', '{"email": "kim@example.com", "name": "Kim Other"}'));
select leadline.erase_person(t.kept('person'), 'asked us to');
select is_empty($$ select * from pg_temp.traces_of(array_to_string(pg_temp.words(), '|')) $$, 'not in one table or view');
select doesnt_match(leadline.export_person(t.kept('person'))::text, '(?i)' || current_setting('t.words'), 'nor handed over any more');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_chain() $$, 'no link is broken');
select is_empty($$ select * from leadline.verify_state() $$, 'the state is what was recorded');

-- test: where they stood is history and stays, what was said there does not
select pg_temp.much_is_said();
select leadline.erase_person(t.kept('person'), 'asked us to');
select is(t.point(t.kept('person')), 'closed', 'the relationship');
select results_eq(
    $$ select e.from_stage, e.to_stage, e.reason from leadline.relationship_stage_events e where e.person_id = t.kept('person') order by e.seq $$,
    $$ values ('prospect', 'qualified', null::text), ('qualified', 'client', null), ('client', 'closed', null) $$, 'and how it came about');
select results_eq(
    $$ select a.to_stage, a.status from leadline.approval_queue a where a.person_id = t.kept('person') order by a.requested_at $$,
    $$ values ('client', 'granted'), ('active', 'declined') $$, 'what was asked and answered');
select results_eq(
    $$ select d.stage, d.lost_reason::text, d.problem, d.decision_process, d.next_step, d.lost_notes from t.deal(t.kept('deal')) d $$,
    $$ values ('closedlost', 'Other', null::text, null::text, null::text, null::text) $$, 'the deal was lost');
select results_eq(
    $$ select k.stage, k.churn_reason from leadline.renewal_cycles k where k.subscription_id = t.kept('subscription') $$, $$ values ('churned', null::text) $$, 'the period was not renewed');
select results_eq(
    $$ select l.stage, l.rejection_reason, l.recycle_reason from unnest('{qualified,rejected,recycled}'::text[]) with ordinality n(name, n), lateral t.state(t.kept(n.name)) l order by n $$,
    $$ values ('qualified', null, null), ('disqualified', 'other', null), ('recycled', null, 'other') $$, 'what was decided of their requests');

-- test: what is said afterwards of somebody who was erased is not kept
select pg_temp.much_is_said();
select leadline.erase_person(t.kept('person'), 'asked us to');
select t.report_on_person(t.kept('person'), 'relationship_advanced', '{"to": "qualified", "reason": "Ursula called"}');
select leadline.erase_person(t.kept('person'), 'asked us again');
select is_empty($$ select * from pg_temp.traces_of(array_to_string(pg_temp.words(), '|')) $$, 'once it is asked for again');

-- test: a deal of somebody else keeps its words, and says no more who was in it
select pg_temp.much_is_said();
select t.keep('kim', t.someone('{"email": "kim@example.com", "name": "Kim Other"}'));
select t.keep('theirs', t.opportunity('proposal', jsonb_build_object('person_id', t.kept('kim'))));
select t.report_on_deal(t.kept('theirs'), 'contact_role_set', jsonb_build_object('person_id', t.kept('person'), 'role', 'champion'));
select leadline.erase_person(t.kept('person'), 'asked us to');
select is((t.deal(t.kept('theirs'))).problem, 'too much paper', 'what others confirmed');
select is_empty($$ select * from pg_temp.traces_of(array_to_string(pg_temp.words(), '|')) $$, 'not what the erased were called in it');

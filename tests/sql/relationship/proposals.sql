-- What an outcome of a lead or a deal proposes about its person: forward only, by workflow:lead-outcome (seed 002, seed 003).
select t.here();
-- Where the person of a lead stands, and the last word that was said of them.
create function pg_temp.after(p_lead_id uuid) returns text language sql as $$
    select concat_ws(' ', c.stage, (select concat_ws(' ', r.verdict, r.rule) from leadline.relationship_timeline r where r.person_id = c.person_id order by r.seq desc limit 1))
    from leadline.contacts c where c.person_id = (t.state(p_lead_id)).person_id
$$;

-- test: a reply or a conversation: qualified, in every workflow
select results_eq(
    $$ select w, x, pg_temp.after(r.lead_id)
       from unnest('{appointment,sales,qualification}'::text[]) with ordinality w(w, n),
            unnest('{email_replied,message_received,call_received,call_completed,meeting_held}'::text[]) with ordinality x(x, m),
            lateral t.report(t.created(jsonb_build_object('workflow', w, 'email', w || m || '@example.com')), x) r order by n, m $$,
    $$ select w, x, 'qualified applied'
       from unnest('{appointment,sales,qualification}'::text[]) with ordinality w(w, n),
            unnest('{email_replied,message_received,call_received,call_completed,meeting_held}'::text[]) with ordinality x(x, m) order by n, m $$,
    'somebody who replied');

-- test: an app's call is a conversation as well, and so is one on a lead that is closed
select t.keep('lead', t.sales_lead('new')), t.keep('lost', t.sales_lead('lost')), t.keep('sold', t.lead('sale'));
select t.act_as('app');
select t.report(t.kept('lead'), 'call_completed'), t.report(t.kept('lost'), 'email_replied'), t.report(t.kept('sold'), 'call_received');
select t.act_as('admin');
select results_eq($$ select pg_temp.after(t.kept(x)) from unnest('{lead,lost,sold}'::text[]) x $$, $$ select 'qualified applied' from generate_series(1, 3) $$, 'they spoke');

-- test: what is said to somebody, or done about them, proposes nothing
select results_eq(
    $$ select x, (t.contact((t.state(r.lead_id)).person_id)).seq, pg_temp.after(r.lead_id)
       from (values (1, 'contact_attempted', '{}'::jsonb), (2, 'email_sent', '{}'), (3, 'message_sent', '{}'), (4, 'lead_contacted', '{}'), (5, 'note_added', '{"text": "x"}'),
                    (6, 'tag_added', '{"tag": "x"}'), (7, 'lead_qualified', '{}'), (8, 'deal_lost', '{"lost_reason": "Price"}'), (9, 'dnc', '{}'),
                        (10, 'contact_changed', '{"name": "Kim"}')) y(n, x, p),
            lateral t.report(t.sales_lead('new'), x, p) r order by n $$,
    $$ select x, 0, 'prospect'
       from unnest('{contact_attempted,email_sent,message_sent,lead_contacted,note_added,tag_added,lead_qualified,deal_lost,dnc,contact_changed}'::text[]) x $$,
    'ten words');
select results_eq(
    $$ select x, pg_temp.after(r.lead_id) from unnest('{appointment_scheduled,callback_requested,refused,wrong_number}'::text[]) with ordinality x(x, n),
              lateral t.report(t.lead('new'), x) r order by n $$,
    $$ select x, 'prospect' from unnest('{appointment_scheduled,callback_requested,refused,wrong_number}'::text[]) x $$, 'a booked meeting alone is no evidence');

-- test: an enquiry for a quote or a price: opportunity; of any other class, and contact above all, nothing
select results_eq(
    $$ select x, w, pg_temp.after(t.enquiry(jsonb_build_object('workflow', w, 'email', w || n || '@example.com') || case when x = '' then '{}' else jsonb_build_object('request_class', x) end))
       from unnest('{quote,pricing_question,contact,"",demo,trial_signup,sales_callback,score,requalification}'::text[]) with ordinality x(x, n),
            unnest('{appointment,sales,qualification}'::text[]) with ordinality w(w, m) order by n, m $$,
    $$ select x, w, case when x in ('quote', 'pricing_question') then 'opportunity applied' else 'prospect' end
       from unnest('{quote,pricing_question,contact,"",demo,trial_signup,sales_callback,score,requalification}'::text[]) with ordinality x(x, n),
            unnest('{appointment,sales,qualification}'::text[]) with ordinality w(w, m) order by n, m $$,
    'at its birth');
select results_eq(
    $$ select x, pg_temp.after(r.lead_id) from unnest('{quote,pricing_question,contact}'::text[]) with ordinality x(x, n),
              lateral t.report(t.sales_lead('contacted'), 'inbound_enquiry', jsonb_build_object('request_class', x)) r order by n $$,
    $$ values ('quote', 'opportunity applied'), ('pricing_question', 'opportunity applied'), ('contact', 'prospect') $$, 'on a lead that is there');

-- test: an enquiry by match proposes about the person it met
select t.keep('lead', t.sales_lead('lost', '{"email": "kim@example.com"}'));
select t.enquiry('{"email": "KIM@example.com", "request_class": "quote"}');
select is(pg_temp.after(t.kept('lead')), 'opportunity applied', 'the same person');

-- test: what is excluded proposes nothing
select t.account('competitor', 'rival.example');
select results_eq(
    $$ select x, pg_temp.after(t.enquiry(p))
       from (values ('spam', '{"email": "a@example.com", "exclusion": "spam", "request_class": "quote"}'::jsonb), ('test', '{"email": "b@example.com", "exclusion": "test", "request_class": "quote"}'),
                    ('competitor', '{"email": "c@rival.example", "request_class": "quote"}')) y(x, p) $$,
    $$ values ('spam', 'prospect'), ('test', 'prospect'), ('competitor', 'prospect') $$, 'born excluded');
select t.keep('lead', t.sales_lead('contacted'));
select is(t.verdict(t.kept('lead'), 'inbound_enquiry', '{"request_class": "quote", "exclusion": "spam"}'), 'noted excluded', 'by id');
select is(pg_temp.after(t.kept('lead')), 'prospect', 'nothing, too');

-- test: a proposal that was sent: opportunity; refused or repeated it proposes nothing
select is(pg_temp.after(r.lead_id), 'opportunity applied', 'sent') from t.report(t.sales_lead('qualified'), 'proposal_sent', '{"deal_value": 5, "currency": "EUR"}') r;
select is(pg_temp.after(r.lead_id), 'prospect', 'refused') from t.report(t.sales_lead('qualified'), 'proposal_sent') r;
select is(pg_temp.after(r.lead_id), 'prospect', 'there already') from t.report(t.sales_lead('proposal'), 'proposal_sent') r;

-- test: a sale: client, which is held
select is(pg_temp.after(r.lead_id), 'prospect held client_needs_a_person', 'after an appointment') from t.report(t.lead('scheduled'), 'sale') r;
select is(pg_temp.after(r.lead_id), 'prospect held client_needs_a_person', 'a deal') from t.report(t.sales_lead('proposal'), 'deal_won') r;
select is(pg_temp.after(r.lead_id), 'prospect', 'refused') from t.report(t.sales_lead('qualified'), 'deal_won') r;
select is(pg_temp.after(r.lead_id), 'prospect', 'won already') from t.report(t.sales_lead('won'), 'deal_won') r;
select is(pg_temp.after(r.lead_id), 'prospect', 'no sale') from t.report(t.lead('scheduled'), 'no_sale') r;

-- test: a deal with money and a day is one: opportunity; without either it is not yet
select results_eq(
    $$ select p, t.point((t.deal(d.id)).person_id)
       from unnest(array['{}', '{"amount": 5, "currency": "EUR"}', '{"close_date": "2026-12-01"}', '{"amount": 5, "currency": "EUR", "close_date": "2026-12-01"}']::jsonb[]) with ordinality p(p, n),
            lateral (select t.opportunity('evaluation', p) as id offset 0) d order by n $$,
    $$ select p, case when p ?& '{amount,close_date}' then 'opportunity' else 'prospect' end
       from unnest(array['{}', '{"amount": 5, "currency": "EUR"}', '{"close_date": "2026-12-01"}', '{"amount": 5, "currency": "EUR", "close_date": "2026-12-01"}']::jsonb[]) p $$,
    'at its opening');
select t.keep('deal', t.opportunity('evaluation', '{"amount": 5, "currency": "EUR"}'));
select t.report_on_deal(t.kept('deal'), 'amount_changed', '{"amount": 6, "close_date": "2026-12-01"}');
select is(t.point((t.deal(t.kept('deal'))).person_id), 'opportunity', 'by what became known');
select t.keep('deal', t.opportunity('evaluation', '{"close_date": "2026-12-01"}'));
select t.report_on_deal(t.kept('deal'), 'opportunity_advanced', t.packet((t.deal(t.kept('deal'))).person_id) || '{"amount": 5, "currency": "EUR"}');
select is(t.point((t.deal(t.kept('deal'))).person_id), 'opportunity', 'by a proposal');

-- test: a deal that is won: client, which is held; or a yes with it
select t.keep('deal', t.opportunity('closedwon'));
select results_eq(
    $$ select t.point((t.deal(t.kept('deal'))).person_id), t.open_question((t.deal(t.kept('deal'))).person_id) is not null $$, $$ values ('prospect', true) $$, 'it waits');
select t.keep('deal', t.opportunity('proposal'));
select t.report_on_deal(t.kept('deal'), 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-12-01", "approve": true}');
select is(t.point((t.deal(t.kept('deal'))).person_id), 'client', 'approved');
select is(t.point((t.deal(t.opportunity('closedlost'))).person_id), 'prospect', 'lost proposes nothing');

-- test: money put right on a deal that is lost or withdrawn is no signal of anybody
create function pg_temp.put_right(p_stage text) returns text language plpgsql as $$
declare
    v_deal uuid := t.opportunity(p_stage, '{"close_date": "2026-12-01"}');
    v_person_id uuid := (t.deal(v_deal)).person_id;
begin
    perform t.report_on_person(v_person_id, 'relationship_closed', '{"reason": "they said no"}', null, '2026-01-02T10:00:00Z');
    perform t.report_on_deal(v_deal, 'amount_changed', '{"amount": 5, "currency": "EUR"}');
    return t.point(v_person_id);
end $$;
select results_eq($$ select s, pg_temp.put_right(s) from unnest('{closedlost,withdrawn}'::text[]) s $$, $$ values ('closedlost', 'closed'), ('withdrawn', 'closed') $$, 'they stay');

-- test: only forward: whoever is further is not even asked about
select results_eq(
    $$ select s, x, (t.contact((t.state(l.id)).person_id)).stage, (t.contact((t.state(l.id)).person_id)).seq
       from unnest('{qualified,opportunity,client,active}'::text[]) with ordinality s(s, n),
            (values (1, 'email_replied', '{}'::jsonb), (2, 'inbound_enquiry', '{"request_class": "quote"}'), (3, 'deal_won', '{}')) y(m, x, p),
            lateral (select t.sales_lead('proposal') as id where n * m > 0 offset 0) l, lateral (select t.advance((t.state(l.id)).person_id, s) offset 0) a,
            lateral t.report(l.id, x, p) r order by n, m $$,
    $$ values ('qualified', 'email_replied', 'qualified', 1), ('qualified', 'inbound_enquiry', 'opportunity', 2), ('qualified', 'deal_won', 'qualified', 2),
              ('opportunity', 'email_replied', 'opportunity', 1), ('opportunity', 'inbound_enquiry', 'opportunity', 1), ('opportunity', 'deal_won', 'opportunity', 2),
              ('client', 'email_replied', 'client', 1), ('client', 'inbound_enquiry', 'client', 1), ('client', 'deal_won', 'client', 1),
              ('active', 'email_replied', 'active', 1), ('active', 'inbound_enquiry', 'active', 1), ('active', 'deal_won', 'active', 1) $$,
    'no refusal for every mail of a client');

-- test: a proposal says who made it, and what it follows
select t.keep('lead', t.sales_lead('new'));
select t.report(t.kept('lead'), 'email_replied', '{}', 'mail-1', '2026-02-01T10:00:00Z');
select results_eq(
    $$ select r.activity_type, r.actor_kind, r.actor_id, r.writer, r.from_stage, r.to_stage, r.occurred_at, r.caused_by = a.activity_id, r.payload ->> 'reason' is not null
       from leadline.relationship_timeline r join leadline.lead_activity a on a.lead_id = t.kept('lead') and a.activity_type = 'email_replied'
       where r.person_id = (t.state(t.kept('lead'))).person_id $$,
    $$ values ('relationship_advanced', 'system', null::uuid, 'workflow:lead-outcome', 'prospect', 'qualified', '2026-02-01T10:00:00Z'::timestamptz, true, true) $$, 'the reply');
insert into leadline.lead_activity (lead_id, activity_type, reference) values (t.kept('lead'), 'email_replied', 'mail-1');
select is((t.contact((t.state(t.kept('lead'))).person_id)).seq, 1, 'and a redelivered mail proposes nothing');

-- test: three outcomes in one statement propose in their order
select t.keep('lead', t.sales_lead('new', '{"deal_value": 5, "currency": "EUR"}'));
insert into leadline.lead_activity (lead_id, activity_type)
select t.kept('lead'), x from unnest('{call_completed,proposal_sent,deal_won}'::text[]) with ordinality x(x, n) order by n;
select results_eq(
    $$ select r.verdict, r.payload ->> 'to' from leadline.relationship_timeline r where r.person_id = (t.state(t.kept('lead'))).person_id order by r.seq $$,
    $$ values ('applied', 'qualified'), ('applied', 'opportunity'), ('held', 'client') $$, 'one by one');

-- test: an import of the past proposes nothing
select results_eq(
    $$ select s, pg_temp.after(l) from (values ('sale', t.lead('sale')), ('won', t.sales_lead('won')), ('qualified', t.qualification_lead('qualified'))) x(s, l) $$,
    $$ values ('sale', 'prospect'), ('won', 'prospect'), ('qualified', 'prospect') $$, 'it fires no consequence');

-- test: the person is the one who goes on
select t.keep('lead', t.sales_lead('new', '{"email": "kim@example.com"}')), t.keep('other', t.sales_lead('new', '{"email": "kim@work.example"}'));
select t.keep('person', (t.state(t.kept('lead'))).person_id), t.keep('into', (t.state(t.kept('other'))).person_id);
select leadline.merge_people(t.kept('person'), t.kept('into'));
select t.report(t.kept('lead'), 'email_replied');
select results_eq($$ select t.point(t.kept('person')), t.point(t.kept('into')) $$, $$ values ('prospect', 'qualified') $$, 'of whom it is news');

-- test: a deal's person as well
select t.keep('person', t.someone('{"email": "kim@example.com"}')), t.keep('into', t.someone('{"email": "kim@work.example"}'));
select t.keep('deal', t.opportunity('proposal', jsonb_build_object('person_id', t.kept('person'))));
select leadline.merge_people(t.kept('person'), t.kept('into'));
select t.report_on_deal(t.kept('deal'), 'opportunity_won', '{"amount": 5, "currency": "EUR", "close_date": "2026-12-01", "approve": true}');
select is(t.point(t.kept('into')), 'client', 'the one who goes on');

-- test: two people who are one stand where the further stood
create function pg_temp.joined(p_from text, p_into text) returns text[] language plpgsql as $$
declare
    v_from uuid := t.person_at(p_from, jsonb_build_object('email', p_from || p_into || '@one.example'));
    v_into uuid := t.person_at(p_into, jsonb_build_object('email', p_from || p_into || '@two.example'));
begin
    perform leadline.merge_people(v_from, v_into);
    return array[t.point(v_from), t.point(v_into), (t.contact(v_into)).furthest_stage, coalesce((
        select concat_ws(' ', r.activity_type, r.verdict, r.actor_kind, r.writer) from leadline.relationship_timeline r where r.person_id = v_into order by r.seq desc limit 1), '')];
end $$;
select results_eq(
    $$ select f, x, pg_temp.joined(f, x)
       from (values (1, 'client', 'prospect'), (2, 'prospect', 'client'), (3, 'qualified', 'closed'), (4, 'closed', 'qualified'), (5, 'active', 'opportunity'),
           (6, 'closed', 'prospect')) y(n, f, x) order by n $$,
    $$ values ('client', 'prospect', '{client,client,client,relationship_joined applied user workflow:merge}'::text[]),
           ('prospect', 'client', '{prospect,client,client,relationship_advanced applied user person}'),
              ('qualified', 'closed', '{qualified,qualified,qualified,relationship_joined applied user workflow:merge}'),
                  ('closed', 'qualified', '{closed,qualified,qualified,relationship_advanced applied user person}'),
              ('active', 'opportunity', '{active,active,active,relationship_joined applied user workflow:merge}'), ('closed', 'prospect', '{closed,prospect,prospect,""}') $$,
    'and the one set aside is left as it was');
select t.keep('one', t.person_at('client', '{"email": "kim@example.com"}')), t.keep('two', t.person_at('qualified', '{"email": "lee@example.com"}'));
select leadline.merge_people(t.kept('one'), t.kept('two'));
select results_eq(
    $$ select e.from_stage, e.to_stage, e.is_backward, e.actor_id from leadline.relationship_stage_events e where e.person_id = t.kept('two') order by e.seq desc limit 1 $$,
    $$ values ('qualified', 'client', false, t.person('admin')) $$, 'an event of its own');

-- test: after all of this, what was recorded is what is
-- privileged: only the owner sees every workspace
select t.report(t.sales_lead('proposal'), 'deal_won', '{"approve": true}');
select t.report(t.sales_lead('proposal'), 'deal_won');
select t.report(t.sales_lead('new'), 'email_replied');
select leadline.merge_people(t.person_at('client', '{"email": "kim@example.com"}'), t.person_at('qualified', '{"email": "lee@example.com"}'));
select t.opportunity('closedwon');
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

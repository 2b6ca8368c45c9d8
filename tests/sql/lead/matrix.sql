-- The whole matrix: every activity at every stage. What is expected is written here by hand from seed 000, not read from
-- the rules; `new` to `no_show` are the open stages, `resolved` stands for each of the eight outcomes.
--   →stage  moved          F  a field changed      N  noted        R  refused; after N or R the rule, spelled in t.words
create table t.words (word text, rule text);
insert into t.words values
    ('closed', 'already_resolved'), ('stands', 'appointment_stands'), ('there', 'already_there'), ('same', 'no_change'),
    ('noshow', 'no_show_needs_appointment'), ('cancel', 'cancel_needs_appointment'), ('outcome', 'outcome_needs_appointment'),
    ('contact', 'unresponsive_needs_contact'), ('first', 'not_first'), ('system', 'system_only'), ('other', 'wrong_workflow'),
    ('notmerged', 'not_merged');
create table t.matrix (activity_type text, payload jsonb, new text, attempted text, callback text, scheduled text, no_show text, resolved text);
insert into t.matrix values
--   activity                 payload                                         new              attempted        callback         scheduled        no_show          resolved
    ('contact_attempted',     '{}',                                           '→attempted',    'N',             'N',             'N',             'N',             'N closed'),
    ('call_completed',        '{}',                                           '→attempted',    'N',             'N',             'N',             'N',             'N closed'),
    ('meeting_held',          '{}',                                           '→attempted',    'N',             'N',             'N',             'N',             'N closed'),
    ('email_sent',            '{}',                                           '→attempted',    'N',             'N',             'N',             'N',             'N closed'),
    ('message_sent',          '{}',                                           'N',             'N',             'N',             'N',             'N',             'N'),
    ('lead_contacted',        '{}',                                           'N',             'N',             'N',             'N',             'N',             'N'),
    ('email_replied',         '{}',                                           'N',             'N',             'N',             'N',             'N',             'N'),
    ('message_received',      '{}',                                           'N',             'N',             'N',             'N',             'N',             'N'),
    ('call_received',         '{}',                                           'N',             'N',             'N',             'N',             'N',             'N'),
    ('callback_requested',    '{}',                                           '→callback',     '→callback',     'N same',        'N stands',      '→callback',     'N closed'),
    ('callback_requested',    '{"callback_at": "2026-02-01T09:00:00Z"}',      '→callback',     '→callback',     'F',             'N stands',      '→callback',     'N closed'),
    ('appointment_scheduled', '{}',                                           '→scheduled',    '→scheduled',    '→scheduled',    'N same',        '→scheduled',    'N closed'),
    ('appointment_scheduled', '{"starts_at": "2026-02-01T09:00:00Z"}',        '→scheduled',    '→scheduled',    '→scheduled',    'F',             '→scheduled',    'N closed'),
    ('appointment_scheduled', '{"appointment_ref": "EV1"}',                   '→scheduled',    '→scheduled',    '→scheduled',    'F',             '→scheduled',    'N closed'),
    ('appointment_no_show',   '{}',                                           'R noshow',      'R noshow',      'R noshow',      '→no_show',      'N there',       'N closed'),
    ('appointment_cancel',    '{}',                                           'R cancel',      'R cancel',      'N there',       '→callback',     'R cancel',      'N closed'),
    ('sale',                  '{}',                                           'R outcome',     'R outcome',     'R outcome',     '→sale',         'R outcome',     'N closed'),
    ('no_sale',               '{}',                                           'R outcome',     'R outcome',     'R outcome',     '→no_sale',      'R outcome',     'N closed'),
    ('refused',               '{}',                                           '→refused',      '→refused',      '→refused',      '→refused',      '→refused',      'N closed'),
    ('wrong_number',          '{}',                                           '→wrong_number', '→wrong_number', '→wrong_number', '→wrong_number', '→wrong_number', 'N closed'),
    ('bad_number',            '{}',                                           '→bad_number',   '→bad_number',   '→bad_number',   '→bad_number',   '→bad_number',   'N closed'),
    ('unresponsive',          '{}',                                           'R contact',     '→unresponsive', '→unresponsive', '→unresponsive', '→unresponsive', 'N closed'),
    ('duplicate',             '{}',                                           '→duplicate',    '→duplicate',    '→duplicate',    '→duplicate',    '→duplicate',    'N closed'),
    ('dnc',                   '{}',                                           '→dnc',          '→dnc',          '→dnc',          '→dnc',          '→dnc',          'N closed'),
    ('lead_assigned',         '{"assigned_user_id": null}',                   'N same',        'N same',        'N same',        'N same',        'N same',        'N same'),
    ('deal_value_changed',    '{"deal_value": 5, "currency": "EUR"}',         'F',             'F',             'F',             'F',             'F',             'F'),
    ('contact_changed',       '{"name": "Kim"}',                              'F',             'F',             'F',             'F',             'F',             'F'),
    ('tag_added',             '{"tag": "vip"}',                               'F',             'F',             'F',             'F',             'F',             'F'),
    ('tag_removed',           '{"tag": "vip"}',                               'N same',        'N same',        'N same',        'N same',        'N same',        'N same'),
    ('note_added',            '{"text": "x"}',                                'N',             'N',             'N',             'N',             'N',             'N'),
    ('unsubscribed',          '{"channel": "email"}',                         'N',             'N',             'N',             'N',             'N',             'N'),
    ('suppression_lifted',    '{"reason": "x"}',                              'N',             'N',             'N',             'N',             'N',             'N'),
    ('lead_created',          '{}',                                           'R first',       'R first',       'R first',       'R first',       'R first',       'R first'),
    ('lead_imported',         '{"stage": "new", "entered_at": "2026-01-01T00:00:00Z"}',
                                                                              'R first',       'R first',       'R first',       'R first',       'R first',       'R first'),
    ('inbound_enquiry',       '{"message": "x"}',                             'N',             'N',             'N',             'N',             'N',             'N'),
    ('possible_duplicate_dismissed', '{}',                                    'N same',        'N same',        'N same',        'N same',        'N same',        'N same'),
    ('leads_unmerged',        '{}',                                           'N notmerged',   'N notmerged',   'N notmerged',   'N notmerged',   'N notmerged',   'N notmerged'),
    ('lead_resurrected',      '{}',                                           'R system',      'R system',      'R system',      'R system',      'R system',      'R system'),
    ('person_erased',         '{}',                                           'R system',      'R system',      'R system',      'R system',      'R system',      'R system'),
    ('direct_change',         '{}',                                           'R system',      'R system',      'R system',      'R system',      'R system',      'R system'),
    ('callback_cancelled',    '{}',                                           'R system',      'R system',      'R system',      'R system',      'R system',      'R system'),
    ('lead_qualified',        '{"problem": "x", "timing": "x", "buying_role": "x"}',
                                                                              'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('proposal_sent',         '{}',                                           'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('deal_won',              '{}',                                           'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('deal_lost',             '{"lost_reason": "Price"}',                     'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('lead_reopened',         '{"to_stage": "new"}',                          'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('lead_archived',         '{}',                                           'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('lead_unarchived',       '{}',                                           'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('stage_corrected',       '{"to_stage": "new", "reason": "other", "notes": "x"}',
                                                                              'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('request_accepted',      '{}',                                           'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('request_rejected',      '{"reason": "no_fit"}',                         'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('lead_recycled',         '{"reason": "other", "recycle_on": "2999-01-01", "notes": "x"}',
                                                                              'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('lead_converted',        '{}',                                           'R other',       'R other',       'R other',       'R other',       'R other',       'R other'),
    ('product_signal_seen',   '{"signal": "x", "observed_at": "2026-01-01T00:00:00Z", "reason": "x", "expires_at": "2999-01-01T00:00:00Z"}',
                                                                              'R other',       'R other',       'R other',       'R other',       'R other',       'R other');
create view t.cells as
    select m.activity_type, m.payload, s.stage, case when s.cell like '→%' then s.cell else concat_ws(' ', left(s.cell, 1), w.rule) end as cell
    from t.matrix m
    cross join lateral (
        values ('new', m.new), ('attempted', m.attempted), ('callback', m.callback), ('scheduled', m.scheduled), ('no_show', m.no_show),
               ('sale', m.resolved), ('no_sale', m.resolved), ('refused', m.resolved), ('wrong_number', m.resolved),
               ('bad_number', m.resolved), ('unresponsive', m.resolved), ('duplicate', m.resolved), ('dnc', m.resolved)) s(stage, cell)
    left join t.words w on w.word = substr(s.cell, 3);
grant select on t.cells to public;
select t.here();
select t.keep('into', t.lead('new'));
select t.act_as('superuser');
insert into t.matrix values
    ('leads_merged',          jsonb_build_object('into', t.kept('into')),     '→duplicate',    '→duplicate',    '→duplicate',    '→duplicate',    '→duplicate',    'F');
select t.act_as('admin');

-- test: every activity at every stage
select t.act_as('admin', '{import}');
select results_eq(
    $$ select activity_type, payload, stage, t.cell(t.lead(stage), activity_type, payload) from t.cells order by activity_type, payload, stage $$,
    $$ select activity_type, payload, stage, cell from t.cells order by activity_type, payload, stage $$,
    'the database decides what the seed says');
select is((select count(*)::int from t.cells), 55 * 13, 'fifty-five reports at thirteen stages');

-- test: a move sets the status the stage implies, anything else leaves stage and status alone
select t.act_as('admin', '{import}');
select is_empty(
    $$ select c.activity_type, c.stage, r.to_stage, r.to_status
       from t.cells c, lateral t.report(t.lead(c.stage), c.activity_type, c.payload) r
       where r.to_stage <> case when c.cell like '→%' then substr(c.cell, 2) else c.stage end
          or r.from_stage <> c.stage
          or (r.to_status = 'open') <> (r.to_stage in ('new', 'attempted', 'callback', 'scheduled', 'no_show')) $$,
    'open stages are open, outcomes resolved');

-- test: what the lead's row says is what the journal said
select t.act_as('admin', '{import}');
select is_empty(
    $$ with reported as (select r.* from t.cells c, lateral t.report(t.lead(c.stage), c.activity_type, c.payload) r)
       select r.activity_type, r.from_stage
       from (select * from reported) r, lateral (select t.stage(r.lead_id) as stage) l
       where l.stage <> r.to_stage $$,
    'no stage drifts from its history');

-- test: no word of the vocabulary is missing here
select is_empty(
    $$ select a.activity_type from leadline.activity_types a
       where 'lead_activity' = any (a.journals) and not exists (select from t.cells c where c.activity_type = a.activity_type) $$,
    'every activity type of leads has its row');
select is_empty(
    $$ select c.activity_type from t.cells c where not exists (
         select from leadline.activity_types a where 'lead_activity' = any (a.journals) and a.activity_type = c.activity_type) $$,
    'and every row is a word of the vocabulary');

-- test: no stage of the workflow is missing here
select results_eq(
    $$ select distinct t.from_stage from leadline.transition_rules t where t.workflow = 'appointment' order by 1 $$,
    $$ select distinct stage from t.cells order by 1 $$,
    'thirteen stages');

-- test: an enquiry on a lead is a request of its own, at whatever stage
select t.act_as('admin');
select results_eq(
    $$ select s.stage, q.route, q.request_class from unnest('{new,scheduled,sale,dnc}'::text[]) with ordinality s(stage, n),
              lateral t.report(t.lead(s.stage), 'inbound_enquiry', '{"request_class": "quote"}') r, lateral t.requests(r.lead_id) q
       where q.activity_id = r.activity_id order by s.n $$,
    $$ values ('new', 'new_business', 'quote'), ('scheduled', 'new_business', 'quote'), ('sale', 'new_business', 'quote'), ('dnc', 'new_business', 'quote') $$,
    'it moves nothing and is not lost');

-- test: an open lead waits from its first unanswered word until a person reaches out
select t.keep('lead', t.lead('attempted'));
select results_eq(
    $$ select a.type, l.waiting_since
       from (values (1, 'email_replied', '2026-01-02T10:00:00Z'::timestamptz), (2, 'message_received', '2026-01-02T11:00:00Z'),
                    (3, 'call_completed', '2026-01-02T12:00:00Z'), (4, 'call_received', '2026-01-02T13:00:00Z'),
                    (5, 'email_sent', '2026-01-02T14:00:00Z'), (6, 'inbound_enquiry', '2026-01-02T15:00:00Z')) a(n, type, at),
            lateral t.report(t.kept('lead'), a.type, '{}', null, a.at) r, lateral t.state(r.lead_id) l $$,
    $$ values ('email_replied', '2026-01-02T10:00:00Z'::timestamptz), ('message_received', '2026-01-02T10:00:00Z'),
              ('call_completed', null), ('call_received', '2026-01-02T13:00:00Z'), ('email_sent', null),
              ('inbound_enquiry', '2026-01-02T15:00:00Z') $$,
    'the earliest word that nobody answered');

-- test: a machine's mail answers nobody
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-01-02T10:00:00Z');
select t.act_as('app');
select t.report(t.kept('lead'), 'email_sent', '{}', null, '2026-01-02T11:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, '2026-01-02T10:00:00Z'::timestamptz, 'the lead still waits');

-- test: a call that was made before the lead wrote is no answer
select t.keep('lead', t.lead('attempted'));
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-01-02T10:00:00Z');
select t.report(t.kept('lead'), 'call_completed', '{}', null, '2026-01-02T09:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, '2026-01-02T10:00:00Z'::timestamptz, 'the lead still waits');

-- test: a resolved lead waits for nothing
select is((t.state(r.lead_id)).waiting_since, null, 'after ' || s)
from unnest('{sale,refused,dnc}'::text[]) s, lateral t.report(t.lead(s), 'email_replied') r;

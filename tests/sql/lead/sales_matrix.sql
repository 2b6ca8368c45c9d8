-- The whole sales matrix: every activity at every place, a place being a stage with its own status or archived. What is expected
-- is written here by hand from seed 004, not read from the rules; `archived` stands for each of the six stages, archived.
--   →stage  moved          F  a field changed      N  noted        R  refused; after N or R the rule, spelled in t.words
-- A cell left null is nobody's question. Leads come from t.sales_lead: proposal and won are worth 1000 EUR, lost is lost for Price.
create table t.words (word text, rule text);
insert into t.words values
    ('won', 'lead_is_won'), ('lost', 'lead_is_lost'), ('archived', 'lead_is_archived'), ('there', 'already_there'), ('past', 'already_past'),
    ('same', 'no_change'), ('proposal', 'won_needs_proposal'), ('value', 'deal_value_required'), ('reason', 'lost_reason_required'),
    ('code', 'unknown_lost_reason'), ('notes', 'notes_required'), ('notlost', 'not_lost'), ('person', 'needs_a_person'),
    ('closed', 'not_an_active_stage'), ('stage', 'unknown_stage'), ('forward', 'correction_goes_forward'), ('correct', 'correction_needs_admin'),
    ('why', 'reason_required'), ('whycode', 'unknown_correction_reason'), ('archive', 'archive_needs_admin'), ('active', 'not_archived'),
    ('wonvalue', 'won_value_needs_admin'), ('contact', 'contact_info_required'), ('assignee', 'unknown_assignee'), ('merge', 'merge_needs_admin'),
    ('merged', 'not_merged'), ('lift', 'lift_needs_admin'), ('first', 'not_first'), ('system', 'system_only'), ('other', 'wrong_workflow'),
    ('machine', 'not_a_person');
create table t.matrix (who text, activity_type text, payload jsonb, new text, contacted text, qualified text, proposal text, won text, lost text, archived text);
insert into t.matrix values
--   who       activity               payload                     new           contacted     qualified     proposal      won           lost          archived
    -- touches
    ('admin',  'call_completed',      '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'meeting_held',        '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'email_sent',          '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'lead_contacted',      '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'contact_attempted',   '{}',                       'N',          'N',          'N',          'N',          'N',          'N',          'N'),
    ('admin',  'message_sent',        '{}',                       'N',          'N',          'N',          'N',          'N',          'N',          'N'),
    ('admin',  'note_added',          '{"text": "x"}',            'N',          'N',          'N',          'N',          'N',          'N',          'N'),
    ('admin',  'email_replied',       '{}',                       'N',          'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'message_received',    '{}',                       'N',          'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'call_received',       '{}',                       'N',          'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('admin',  'inbound_enquiry',     '{"message": "x"}',         'N',          'N',          'N',          'N',          'N',          '→new',       'N'),
    -- forward
    ('admin',  'lead_qualified',      '{}',                       '→qualified', '→qualified', 'N there',    'N past',     'R won',      'R lost',     'R archived'),
    ('admin',  'proposal_sent',       '{"deal_value": 1000, "currency": "EUR"}',
                                                                  '→proposal',  '→proposal',  '→proposal',  'N there',    'R won',      'R lost',     'R archived'),
    ('admin',  'proposal_sent',       '{"deal_value": 2000, "currency": "EUR"}',
                                                                  '→proposal',  '→proposal',  '→proposal',  'F',          'R won',      'R lost',     'R archived'),
    ('admin',  'proposal_sent',       '{}',                       'R value',    'R value',    'R value',    'N there',    'R won',      'R lost',     'R archived'),
    ('admin',  'proposal_sent',       '{"deal_value": 0}',        'R value',    'R value',    'R value',    'R value',    'R won',      'R lost',     'R archived'),
    ('admin',  'deal_won',            '{}',                       'R proposal', 'R proposal', 'R proposal', '→won',       'N there',    'R lost',     'R archived'),
    ('admin',  'deal_won',            '{"deal_value": 2000, "currency": "EUR"}',
                                                                  'R proposal', 'R proposal', 'R proposal', '→won',       'N there',    'R lost',     'R archived'),
    ('admin',  'deal_won',            '{"deal_value": 0}',        'R proposal', 'R proposal', 'R proposal', 'R value',    'N there',    'R lost',     'R archived'),
    -- lost and found
    ('admin',  'deal_lost',           '{"lost_reason": "Price"}', '→lost',      '→lost',      '→lost',      '→lost',      'R won',      'N there',    'R archived'),
    ('admin',  'deal_lost',           '{"lost_reason": "Timing"}', '→lost',     '→lost',      '→lost',      '→lost',      'R won',      'F',          'R archived'),
    ('admin',  'deal_lost',           '{"lost_reason": "Price", "notes": "twice"}',
                                                                  '→lost',      '→lost',      '→lost',      '→lost',      'R won',      'F',          'R archived'),
    ('admin',  'deal_lost',           '{"lost_reason": "Other", "notes": "moved away"}',
                                                                  '→lost',      '→lost',      '→lost',      '→lost',      'R won',      'F',          'R archived'),
    ('admin',  'deal_lost',           '{}',                       'R reason',   'R reason',   'R reason',   'R reason',   'R won',      'R reason',   'R archived'),
    ('admin',  'deal_lost',           '{"lost_reason": "price "}', 'R code',    'R code',     'R code',     'R code',     'R won',      'R code',     'R archived'),
    ('admin',  'deal_lost',           '{"lost_reason": "Other"}', 'R notes',    'R notes',    'R notes',    'R notes',    'R won',      'R notes',    'R archived'),
    ('admin',  'dnc',                 '{}',                       '→lost',      '→lost',      '→lost',      '→lost',      'N',          'N',          'N'),
    ('admin',  'lead_reopened',       '{"to_stage": "new"}',      'R notlost',  'R notlost',  'R notlost',  'R notlost',  'R won',      '→new',       'R archived'),
    ('admin',  'lead_reopened',       '{"to_stage": "contacted"}', 'R notlost', 'R notlost',  'R notlost',  'R notlost',  'R won',      '→contacted', 'R archived'),
    ('admin',  'lead_reopened',       '{"to_stage": "qualified"}', 'R notlost', 'R notlost',  'R notlost',  'R notlost',  'R won',      '→qualified', 'R archived'),
    ('admin',  'lead_reopened',       '{"to_stage": "proposal"}', 'R notlost',  'R notlost',  'R notlost',  'R notlost',  'R won',      'R value',    'R archived'),
    ('admin',  'lead_reopened',       '{"to_stage": "won"}',      'R notlost',  'R notlost',  'R notlost',  'R notlost',  'R won',      'R closed',   'R archived'),
    ('admin',  'lead_reopened',       '{"to_stage": "lost"}',     'R notlost',  'R notlost',  'R notlost',  'R notlost',  'R won',      'R closed',   'R archived'),
    ('admin',  'lead_reopened',       '{"to_stage": "warm"}',     'R notlost',  'R notlost',  'R notlost',  'R notlost',  'R won',      'R stage',    'R archived'),
    -- put away
    ('admin',  'lead_archived',       '{}',                       'F',          'F',          'F',          'F',          'F',          'F',          'N there'),
    ('admin',  'lead_unarchived',     '{}',                       'N active',   'N active',   'N active',   'N active',   'N active',   'N active',   'F'),
    -- put right
    ('admin',  'stage_corrected',     '{"to_stage": "new", "reason": "entered_by_mistake"}',
                                                                  'R forward',  '→new',       '→new',       '→new',       '→new',       '→new',       'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "contacted", "reason": "wrong_record"}',
                                                                  'R forward',  'R forward',  '→contacted', '→contacted', '→contacted', '→contacted', 'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "qualified", "reason": "data_repair"}',
                                                                  'R forward',  'R forward',  'R forward',  '→qualified', '→qualified', '→qualified', 'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "proposal", "reason": "other", "notes": "x"}',
                                                                  'R forward',  'R forward',  'R forward',  'R forward',  '→proposal',  'R value',    'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "won", "reason": "entered_by_mistake"}',
                                                                  'R forward',  'R forward',  'R forward',  'R forward',  'R forward',  'R forward',  'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "lost", "reason": "entered_by_mistake", "lost_reason": "Price"}',
                                                                  'R forward',  'R forward',  'R forward',  'R forward',  '→lost',      'R forward',  'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "lost", "reason": "entered_by_mistake"}',
                                                                  'R forward',  'R forward',  'R forward',  'R forward',  'R reason',   'R forward',  'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "lost", "reason": "entered_by_mistake", "lost_reason": "PRICE"}',
                                                                  'R forward',  'R forward',  'R forward',  'R forward',  'R code',     'R forward',  'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "lost", "reason": "entered_by_mistake", "lost_reason": "Other", "notes": " "}',
                                                                  'R forward',  'R forward',  'R forward',  'R forward',  'R notes',    'R forward',  'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "warm", "reason": "entered_by_mistake"}',
                                                                  'R forward',  'R stage',    'R stage',    'R stage',    'R stage',    'R stage',    'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "new"}',      'R forward',  'R why',      'R why',      'R why',      'R why',      'R why',      'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "new", "reason": "oops"}',
                                                                  'R forward',  'R whycode',  'R whycode',  'R whycode',  'R whycode',  'R whycode',  'R archived'),
    ('admin',  'stage_corrected',     '{"to_stage": "new", "reason": "other"}',
                                                                  'R forward',  'R notes',    'R notes',    'R notes',    'R notes',    'R notes',    'R archived'),
    -- fields
    ('admin',  'deal_value_changed',  '{"deal_value": 5, "currency": "EUR"}',
                                                                  'F',          'F',          'F',          'F',          'F',          'F',          'F'),
    ('admin',  'deal_value_changed',  '{"deal_value": 0, "currency": "EUR"}',
                                                                  'F',          'F',          'F',          'R value',    'R value',    'F',          null),
    ('admin',  'deal_value_changed',  '{"deal_value": null, "currency": null}',
                                                                  'N same',     'N same',     'N same',     'R value',    'R value',    'N same',     null),
    ('admin',  'contact_changed',     '{"name": "Kim"}',          'F',          'F',          'F',          'F',          'F',          'F',          'F'),
    ('admin',  'contact_changed',     '{"name": null}',           'N same',     'N same',     'N same',     'N same',     'N same',     'N same',     'N same'),
    ('admin',  'contact_changed',     '{"email": null}',          'R contact',  'R contact',  'R contact',  'R contact',  'R contact',  'R contact',  'R contact'),
    ('admin',  'lead_assigned',       '{"assigned_user_id": null}', 'N same',   'N same',     'N same',     'N same',     'N same',     'N same',     'N same'),
    ('admin',  'lead_assigned',       '{"assigned_user_id": "00000000-0000-4000-8000-000000000000"}',
                                                                  'R assignee', 'R assignee', 'R assignee', 'R assignee', 'R assignee', 'R assignee', 'R assignee'),
    ('admin',  'tag_added',           '{"tag": "vip"}',           'F',          'F',          'F',          'F',          'F',          'F',          'F'),
    ('admin',  'tag_removed',         '{"tag": "vip"}',           'N same',     'N same',     'N same',     'N same',     'N same',     'N same',     'N same'),
    ('admin',  'unsubscribed',        '{"channel": "email"}',     'N',          'N',          'N',          'N',          'N',          'N',          'N'),
    ('admin',  'suppression_lifted',  '{"reason": "x"}',          'N',          'N',          'N',          'N',          'N',          'N',          'N'),
    ('admin',  'possible_duplicate_dismissed', '{}',              'N same',     'N same',     'N same',     'N same',     'N same',     'N same',     'N same'),
    ('admin',  'leads_unmerged',      '{}',                       'N merged',   'N merged',   'N merged',   'N merged',   'N merged',   'N merged',   'N merged'),
    -- never
    ('admin',  'lead_created',        '{"email": "x@example.com"}', 'R first',  'R first',    'R first',    'R first',    'R first',    'R first',    'R first'),
    ('admin',  'lead_imported',       '{"stage": "new", "entered_at": "2026-01-01T00:00:00Z"}',
                                                                  'R first',    'R first',    'R first',    'R first',    'R first',    'R first',    'R first'),
    ('admin',  'direct_change',       '{}',                       'R system',   'R system',   'R system',   'R system',   'R system',   'R system',   'R system'),
    ('admin',  'callback_cancelled',  '{}',                       'R system',   'R system',   'R system',   'R system',   'R system',   'R system',   'R system'),
    ('admin',  'lead_resurrected',    '{}',                       'R system',   'R system',   'R system',   'R system',   'R system',   'R system',   'R system'),
    ('admin',  'person_erased',       '{}',                       'R system',   'R system',   'R system',   'R system',   'R system',   'R system',   'R system'),
    ('admin',  'appointment_scheduled', '{}',                     'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'appointment_cancel',  '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'appointment_no_show', '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'callback_requested',  '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'sale',                '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'no_sale',             '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'refused',             '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'wrong_number',        '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'bad_number',          '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'unresponsive',        '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'duplicate',           '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'request_accepted',    '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'request_rejected',    '{"reason": "no_fit"}',     'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'lead_recycled',       '{"reason": "other", "recycle_on": "2999-01-01", "notes": "x"}',
                                                                  'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'lead_converted',      '{}',                       'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    ('admin',  'product_signal_seen', '{"signal": "x", "observed_at": "2026-01-01T00:00:00Z", "reason": "x", "expires_at": "2999-01-01T00:00:00Z"}',
                                                                  'R other',    'R other',    'R other',    'R other',    'R other',    'R other',    'R other'),
    -- a member: everything but corrections, archiving, merging, lifting and the value of what is won
    ('member', 'call_completed',      '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('member', 'email_sent',          '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('member', 'lead_qualified',      '{}',                       '→qualified', '→qualified', 'N there',    'N past',     'R won',      'R lost',     'R archived'),
    ('member', 'deal_won',            '{}',                       'R proposal', 'R proposal', 'R proposal', '→won',       'N there',    'R lost',     'R archived'),
    ('member', 'deal_lost',           '{"lost_reason": "Price"}', '→lost',      '→lost',      '→lost',      '→lost',      'R won',      'N there',    'R archived'),
    ('member', 'lead_reopened',       '{"to_stage": "contacted"}', 'R notlost', 'R notlost',  'R notlost',  'R notlost',  'R won',      '→contacted', 'R archived'),
    ('member', 'lead_archived',       '{}',                       'R archive',  'R archive',  'R archive',  'R archive',  'R archive',  'R archive',  null),
    ('member', 'lead_unarchived',     '{}',                       'R archive',  'R archive',  'R archive',  'R archive',  null,         null,         'R archive'),
    ('member', 'stage_corrected',     '{"to_stage": "new", "reason": "entered_by_mistake"}',
                                                                  'R correct',  'R correct',  'R correct',  'R correct',  'R correct',  'R correct',  'R archived'),
    ('member', 'deal_value_changed',  '{"deal_value": 5, "currency": "EUR"}',
                                                                  'F',          'F',          'F',          'F',          'R wonvalue', 'F',          null),
    ('member', 'suppression_lifted',  '{"reason": "x"}',          'R lift',     'R lift',     'R lift',     'R lift',     'R lift',     'R lift',     'R lift'),
    ('member', 'possible_duplicate_dismissed', '{}',              'N same',     'N same',     'N same',     'N same',     'N same',     'N same',     'N same'),
    ('member', 'dnc',                 '{}',                       '→lost',      '→lost',      '→lost',      '→lost',      'N',          'N',          'N'),
    -- an app: its calls and meetings count, its mails do not; it re-opens nothing and corrects nothing
    ('app',    'call_completed',      '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('app',    'meeting_held',        '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('app',    'lead_contacted',      '{}',                       '→contacted', 'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('app',    'email_sent',          '{}',                       'N machine',  'N machine',  'N machine',  'N machine',  'N won',      'N lost',     'N archived'),
    ('app',    'message_sent',        '{}',                       'N machine',  'N machine',  'N machine',  'N machine',  'N machine',  'N machine',  'N machine'),
    ('app',    'email_replied',       '{}',                       'N',          'N',          'N',          'N',          'N won',      'N lost',     'N archived'),
    ('app',    'inbound_enquiry',     '{"message": "x"}',         'N',          'N',          'N',          'N',          'N',          '→new',       'N'),
    ('app',    'lead_qualified',      '{}',                       '→qualified', '→qualified', 'N there',    'N past',     'R won',      'R lost',     'R archived'),
    ('app',    'deal_won',            '{}',                       'R proposal', 'R proposal', 'R proposal', '→won',       'N there',    'R lost',     'R archived'),
    ('app',    'deal_lost',           '{"lost_reason": "Price"}', '→lost',      '→lost',      '→lost',      '→lost',      'R won',      'N there',    'R archived'),
    ('app',    'lead_reopened',       '{"to_stage": "contacted"}', 'R person',  'R person',   'R person',   'R person',   'R person',   'R person',   'R person'),
    ('app',    'lead_archived',       '{}',                       'F',          'F',          'F',          'F',          'F',          'F',          'N there'),
    ('app',    'stage_corrected',     '{"to_stage": "new", "reason": "entered_by_mistake"}',
                                                                  'R correct',  'R correct',  'R correct',  'R correct',  'R correct',  'R correct',  'R archived'),
    ('app',    'deal_value_changed',  '{"deal_value": 5, "currency": "EUR"}',
                                                                  'F',          'F',          'F',          'F',          'R wonvalue', 'F',          null);
create view t.cells as
    select m.who, m.activity_type, m.payload, s.stage, s.is_archived,
           case when s.cell like '→%' then s.cell else concat_ws(' ', left(s.cell, 1), w.rule) end as cell
    from t.matrix m
    cross join lateral (
        values ('new', false, m.new), ('contacted', false, m.contacted), ('qualified', false, m.qualified),
               ('proposal', false, m.proposal), ('won', false, m.won), ('lost', false, m.lost),
               ('new', true, m.archived), ('contacted', true, m.archived), ('qualified', true, m.archived),
               ('proposal', true, m.archived), ('won', true, m.archived), ('lost', true, m.archived)) s(stage, is_archived, cell)
    left join t.words w on w.word = substr(s.cell, 3)
    where s.cell is not null;
grant select on t.cells to public;

create function t.place(p_stage text, p_is_archived bool) returns uuid language sql as $$
    select case when p_is_archived then t.archived(t.sales_lead(p_stage)) else t.sales_lead(p_stage) end
$$;
select t.here();
select t.keep('into', t.sales_lead('new'));
select t.act_as('superuser');
insert into t.matrix values
    ('admin',  'leads_merged',        jsonb_build_object('into', t.kept('into')),
                                                                  'F',          'F',          'F',          'F',          'F',          'F',          'F'),
    ('member', 'leads_merged',        jsonb_build_object('into', t.kept('into')),
                                                                  'R merge',    'R merge',    'R merge',    'R merge',    'R merge',    'R merge',    'R merge'),
    ('app',    'leads_merged',        jsonb_build_object('into', t.kept('into')),
                                                                  'R merge',    'R merge',    'R merge',    'R merge',    'R merge',    'R merge',    'R merge');
select t.act_as('admin', '{import}');

-- test: every activity at every place, by an admin
select results_eq(
    $$ select activity_type, payload, stage, is_archived, t.cell(t.place(stage, is_archived), activity_type, payload)
       from t.cells where who = 'admin' order by activity_type, payload, is_archived, stage $$,
    $$ select activity_type, payload, stage, is_archived, cell from t.cells where who = 'admin' order by activity_type, payload, is_archived, stage $$,
    'the database decides what the seed says');

-- test: what a member may and may not
select t.act_as('member');
select results_eq(
    $$ select activity_type, payload, stage, is_archived, t.cell(t.place(stage, is_archived), activity_type, payload)
       from t.cells where who = 'member' order by activity_type, payload, is_archived, stage $$,
    $$ select activity_type, payload, stage, is_archived, cell from t.cells where who = 'member' order by activity_type, payload, is_archived, stage $$,
    'the database decides what the seed says');

-- test: what an app may and may not
select t.act_as('app');
select results_eq(
    $$ select activity_type, payload, stage, is_archived, t.cell(t.place(stage, is_archived), activity_type, payload)
       from t.cells where who = 'app' order by activity_type, payload, is_archived, stage $$,
    $$ select activity_type, payload, stage, is_archived, cell from t.cells where who = 'app' order by activity_type, payload, is_archived, stage $$,
    'the database decides what the seed says');

-- test: a move sets the status the stage implies, archiving keeps the stage, anything else leaves both alone
select is_empty(
    $$ select c.activity_type, c.payload, c.stage, c.is_archived, r.to_stage, r.to_status
       from t.cells c, lateral t.report(t.place(c.stage, c.is_archived), c.activity_type, c.payload) r
       where c.who = 'admin' and c.activity_type <> 'leads_merged' and (
             r.from_stage <> c.stage
          or r.to_stage <> case when c.cell like '→%' then substr(c.cell, 2) else c.stage end
          or r.to_status <> case when c.activity_type = 'lead_archived' then 'archived'
                                 when c.is_archived and c.activity_type <> 'lead_unarchived' then 'archived'
                                 when r.to_stage in ('won', 'lost') then r.to_stage else 'active' end) $$,
    'won is won, lost is lost, the rest is active');

-- test: what the lead's row says is what the journal said, and it is open at the four active stages alone
select is_empty(
    $$ with reported as (select r.* from t.cells c, lateral t.report(t.place(c.stage, c.is_archived), c.activity_type, c.payload) r where c.who = 'admin')
       select r.activity_type, r.from_stage, r.to_stage, r.to_status, l.stage, l.status, l.is_open
       from (select * from reported) r, lateral t.state(r.lead_id) l
       where (l.stage, l.status) <> (r.to_stage, r.to_status)
          or l.is_open <> (l.status = 'active' and l.stage in ('new', 'contacted', 'qualified', 'proposal')) $$,
    'no stage drifts from its history');

-- test: after every activity at every place, what was recorded is what is
-- privileged: only the owner sees every workspace
select count(t.cell(t.place(stage, is_archived), activity_type, payload)) from t.cells where who = 'admin';
select t.act_as('member');
select count(t.cell(t.place(stage, is_archived), activity_type, payload)) from t.cells where who = 'member';
select t.act_as('app');
select count(t.cell(t.place(stage, is_archived), activity_type, payload)) from t.cells where who = 'app';
select t.act_as('superuser');
select is_empty($$ select * from leadline.verify_state() $$, 'the fold agrees');
select is_empty($$ select * from leadline.verify_chain() $$, 'so does the chain');

-- test: no word of the vocabulary is missing here
select is_empty(
    $$ select a.activity_type from leadline.activity_types a
       where 'lead_activity' = any (a.journals) and not exists (select from t.cells c where c.activity_type = a.activity_type) $$,
    'every activity type of leads has its row');
select is_empty(
    $$ select c.activity_type from t.cells c where not exists (
         select from leadline.activity_types a where 'lead_activity' = any (a.journals) and a.activity_type = c.activity_type) $$,
    'and every row is a word of the vocabulary');

-- test: no place of the workflow is missing here
select results_eq(
    $$ select distinct t.from_stage, t.from_status from leadline.transition_rules t where t.workflow = 'sales' order by 1, 2 $$,
    $$ select distinct stage, case when is_archived then 'archived' when stage in ('won', 'lost') then stage else 'active' end from t.cells order by 1, 2 $$,
    'twelve places');

-- test: whoever writes in waits: at the active stages and when lost, not when won or archived
select results_eq(
    $$ select a.type, s.stage, s.is_archived, (t.state(r.lead_id)).waiting_since
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality a(type, n),
            (select distinct stage, is_archived from t.cells) s,
            lateral t.report(t.place(s.stage, s.is_archived), a.type, '{}', null, '2026-01-02T10:00:00Z') r
       order by a.n, s.is_archived, s.stage $$,
    $$ select a.type, s.stage, s.is_archived, case when s.stage <> 'won' and not s.is_archived then '2026-01-02T10:00:00Z'::timestamptz end
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality a(type, n),
            (select distinct stage, is_archived from t.cells) s
       order by a.n, s.is_archived, s.stage $$,
    'since their word came');

-- test: an enquiry by id makes a request at every place, and whoever can be helped waits
select results_eq(
    $$ select s.stage, s.is_archived, (select count(*)::int from t.requests(r.lead_id)), (t.state(r.lead_id)).waiting_since
       from (select distinct stage, is_archived from t.cells where not is_archived and stage <> 'won') s,
            lateral t.report(t.place(s.stage, s.is_archived), 'inbound_enquiry', '{"message": "x"}', null, '2026-01-02T10:00:00Z') r
       order by 2, 1 $$,
    $$ select distinct stage, is_archived, 1, '2026-01-02T10:00:00Z'::timestamptz from t.cells where not is_archived and stage <> 'won' order by 2, 1 $$,
    'open, or lost until then');
select results_eq(
    $$ select s.stage, s.is_archived, (select count(*)::int from t.requests(r.lead_id))
       from (select distinct stage, is_archived from t.cells where is_archived or stage = 'won') s,
            lateral t.report(t.place(s.stage, s.is_archived), 'inbound_enquiry', '{"message": "x"}', null, '2026-01-02T10:00:00Z') r
       order by 2, 1 $$,
    $$ select distinct stage, is_archived, 1 from t.cells where is_archived or stage = 'won' order by 2, 1 $$,
    'won and archived: the request is kept');

-- test: a person's word answers, a machine's does not, and the wait is counted from the first word unanswered
select t.keep('lead', t.sales_lead('qualified'));
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-01-02T10:00:00Z');
select t.report(t.kept('lead'), 'call_received', '{}', null, '2026-01-02T11:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, '2026-01-02T10:00:00Z'::timestamptz, 'the first');
select t.act_as('app');
select t.report(t.kept('lead'), 'email_sent', '{}', null, '2026-01-02T12:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, '2026-01-02T10:00:00Z'::timestamptz, 'a machine answers nobody');
select t.act_as('member');
select t.report(t.kept('lead'), 'email_sent', '{}', null, '2026-01-02T13:00:00Z');
select is((t.state(t.kept('lead'))).waiting_since, null, 'a person does');

-- test: a lost lead that writes in waits until a person reaches out
select t.keep('lead', t.sales_lead('lost'));
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-01-02T10:00:00Z');
select is(t.verdict(t.kept('lead'), 'email_sent', '{}', null, '2026-01-02T13:00:00Z'), 'noted lead_is_lost', 'which moves nothing');
select is((t.state(t.kept('lead'))).waiting_since, null, 'and answers all the same');

-- test: do not contact: lost for a reason of its own, suppressed at every place
select results_eq(
    $$ select s.stage, s.is_archived, (t.state(r.lead_id)).is_suppressed
       from (select distinct stage, is_archived from t.cells) s, lateral t.report(t.place(s.stage, s.is_archived), 'dnc') r order by 2, 1 $$,
    $$ select distinct stage, is_archived, true from t.cells order by 2, 1 $$, 'whatever the verdict');
select t.keep('lead', t.sales_lead('qualified'));
select t.report(t.kept('lead'), 'dnc', '{}', null, '2026-01-02T10:00:00Z');
select results_eq(
    $$ select stage, status, lost_reason, lost_at from t.state(t.kept('lead')) $$,
    $$ values ('lost', 'lost', 'Other', '2026-01-02T10:00:00Z'::timestamptz) $$, 'lost');
select is((select c.lost_notes from leadline.lead_contacts c where c.lead_id = t.kept('lead')), 'do not contact', 'and why');

-- test: the view of the rules shows each cell once, at its own place
select is_empty(
    $$ select workflow, activity_type, from_stage, from_status from leadline.transition_rules group by 1, 2, 3, 4 having count(*) > 1 $$,
    'no cell twice');
select results_eq(
    $$ select from_status, effect, rule from leadline.transition_rules where workflow = 'sales' and activity_type = 'deal_won' and from_stage = 'won' order by 1 $$,
    $$ values ('archived', 'refuse', 'lead_is_archived'), ('won', 'note', 'already_there') $$,
    'archived beside won');

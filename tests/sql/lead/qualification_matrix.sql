-- The whole qualification matrix: every activity at every stage. What is expected is written here by hand from seed 003, not read from the
-- rules.
--   →stage  moved          F  a field changed      N  noted        R  refused; after N or R the rule, spelled in t.words
-- A lead at attempting or connected was accepted on its way; `tried` and `reached` are those two with nobody having accepted them. A
-- recycled lead is due since 1 February 2026; `resting` is one for long. Those three do as attempting, connected and recycled do, but for
-- what t.otherwise says. No lead here has a request: paths and rules tell of those.
create table t.words (word text, rule text);
insert into t.words values
    ('closed', 'already_closed'), ('there', 'already_there'), ('same', 'no_change'), ('until', 'recycled_until'),
    ('why', 'rejection_reason_required'), ('code', 'unknown_rejection_reason'), ('notes', 'notes_required'), ('rewhy', 'recycle_reason_required'),
    ('recode', 'unknown_recycle_reason'), ('day', 'recycle_date_required'), ('past', 'recycle_date_in_past'), ('accept', 'qualified_needs_accept'),
    ('evidence', 'qualification_evidence_required'), ('unqualified', 'conversion_needs_qualified'), ('forward', 'correction_goes_forward'),
    ('correct', 'correction_needs_admin'), ('reason', 'reason_required'), ('whycode', 'unknown_correction_reason'), ('stage', 'unknown_stage'),
    ('assignee', 'unknown_assignee'), ('merge', 'merge_needs_admin'), ('merged', 'not_merged'), ('lift', 'lift_needs_admin'), ('first', 'not_first'),
    ('system', 'system_only'), ('other', 'wrong_workflow'), ('machine', 'not_a_person'), ('writer', 'writer_not_allowed'), ('ai', 'ai_forbidden');
create table t.matrix (who text, activity_type text, payload jsonb, new text, accepted text, attempting text, connected text, qualified text, recycled text, disqualified text);
insert into t.matrix values
--   who       activity               payload                     new              accepted         attempting       connected        qualified   recycled         disqualified
    -- trying, and reaching
    ('admin',  'contact_attempted',   '{}',                       '→attempting',   '→attempting',   'N',             'N',             'N closed', 'N closed',      'N closed'),
    ('admin',  'email_sent',          '{}',                       '→attempting',   '→attempting',   'N',             'N',             'N closed', 'N closed',      'N closed'),
    ('admin',  'call_completed',      '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        'N',             'N'),
    ('admin',  'meeting_held',        '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        'N',             'N'),
    ('admin',  'email_replied',       '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        '→new',          'N'),
    ('admin',  'message_received',    '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        '→new',          'N'),
    ('admin',  'call_received',       '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        '→new',          'N'),
    ('admin',  'message_sent',        '{}',                       'N',             'N',             'N',             'N',             'N',        'N',             'N'),
    ('admin',  'lead_contacted',      '{}',                       'N',             'N',             'N',             'N',             'N',        'N',             'N'),
    ('admin',  'note_added',          '{"text": "x"}',            'N',             'N',             'N',             'N',             'N',        'N',             'N'),
    ('admin',  'inbound_enquiry',     '{"message": "x"}',         'N',             'N',             'N',             'N',             'N',        '→new',          'N'),
    -- deciding
    ('admin',  'request_accepted',    '{}',                       '→accepted',     'N there',       'N there',       'N there',       'R closed', 'R closed',      'R closed'),
    ('admin',  'request_rejected',    '{"reason": "no_fit"}',     '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'R closed', '→disqualified', 'N there'),
    ('admin',  'request_rejected',    '{"reason": "other", "notes": "rude"}',
                                                                  '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'R closed', '→disqualified', 'N there'),
    ('admin',  'request_rejected',    '{}',                       'R why',         'R why',         'R why',         'R why',         'R closed', 'R why',         'N there'),
    ('admin',  'request_rejected',    '{"reason": "No fit"}',     'R code',        'R code',        'R code',        'R code',        'R closed', 'R code',        'N there'),
    ('admin',  'request_rejected',    '{"reason": "other", "notes": " "}',
                                                                  'R notes',       'R notes',       'R notes',       'R notes',       'R closed', 'R notes',       'N there'),
    ('admin',  'lead_recycled',       '{"reason": "no_budget", "recycle_on": "2999-06-01"}',
                                                                  '→recycled',     '→recycled',     '→recycled',     '→recycled',     'R closed', 'F',             'R closed'),
    ('admin',  'lead_recycled',       '{"reason": "bad_timing", "recycle_on": "2999-01-01"}',
                                                                  '→recycled',     '→recycled',     '→recycled',     '→recycled',     'R closed', 'F',             'R closed'),
    ('admin',  'lead_recycled',       '{"recycle_on": "2999-06-01"}',
                                                                  'R rewhy',       'R rewhy',       'R rewhy',       'R rewhy',       'R closed', 'R rewhy',       'R closed'),
    ('admin',  'lead_recycled',       '{"reason": "no_fit", "recycle_on": "2999-06-01"}',
                                                                  'R recode',      'R recode',      'R recode',      'R recode',      'R closed', 'R recode',      'R closed'),
    ('admin',  'lead_recycled',       '{"reason": "other", "recycle_on": "2999-06-01"}',
                                                                  'R notes',       'R notes',       'R notes',       'R notes',       'R closed', 'R notes',       'R closed'),
    ('admin',  'lead_recycled',       '{"reason": "no_budget"}',  'R day',         'R day',         'R day',         'R day',         'R closed', 'R day',         'R closed'),
    ('admin',  'lead_recycled',       '{"reason": "no_budget", "recycle_on": "2025-06-01"}',
                                                                  'R past',        'R past',        'R past',        'R past',        'R closed', 'R past',        'R closed'),
    ('admin',  'lead_qualified',      '{"problem": "paper", "timing": "spring", "buying_role": "decides"}',
                                                                  'R accept',      '→qualified',    '→qualified',    '→qualified',    'N there',  'R closed',      'R closed'),
    ('admin',  'lead_qualified',      '{}',                       'R accept',      'R evidence',    'R evidence',    'R evidence',    'N there',  'R closed',      'R closed'),
    ('admin',  'lead_qualified',      '{"problem": "paper", "timing": " ", "buying_role": "decides"}',
                                                                  'R accept',      'R evidence',    'R evidence',    'R evidence',    'N there',  'R closed',      'R closed'),
    ('admin',  'lead_converted',      '{}',                       'R unqualified', 'R unqualified', 'R unqualified', 'R unqualified', 'F',        'R unqualified', 'R unqualified'),
    ('admin',  'lead_converted',      '{"pipeline": "expansion", "amount": 5, "currency": "EUR", "close_date": "2026-03-01"}',
                                                                  'R unqualified', 'R unqualified', 'R unqualified', 'R unqualified', 'F',        'R unqualified', 'R unqualified'),
    ('admin',  'dnc',                 '{}',                       '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'N',        '→disqualified', 'N'),
    -- put right
    ('admin',  'stage_corrected',     '{"to_stage": "new", "reason": "entered_by_mistake"}',
                                                                  'N',             '→new',          '→new',          '→new',          '→new',     '→new',          '→new'),
    ('admin',  'stage_corrected',     '{"to_stage": "accepted", "reason": "wrong_record"}',
                                                                  'N',             'R forward',     '→accepted',     '→accepted',     '→accepted', '→accepted',    '→accepted'),
    ('admin',  'stage_corrected',     '{"to_stage": "attempting", "reason": "data_repair"}',
                                                                  'N',             'R forward',     'R forward',     '→attempting',   '→attempting', '→attempting', '→attempting'),
    ('admin',  'stage_corrected',     '{"to_stage": "connected", "reason": "other", "notes": "x"}',
                                                                  'N',             'R forward',     'R forward',     'R forward',     '→connected', '→connected',  '→connected'),
    ('admin',  'stage_corrected',     '{"to_stage": "qualified", "reason": "entered_by_mistake"}',
                                                                  'N',             'R forward',     'R forward',     'R forward',     'R forward', 'R forward',    'R forward'),
    ('admin',  'stage_corrected',     '{"to_stage": "recycled", "reason": "entered_by_mistake"}',
                                                                  'N',             'R forward',     'R forward',     'R forward',     'R forward', 'R forward',    'R forward'),
    ('admin',  'stage_corrected',     '{"to_stage": "disqualified", "reason": "entered_by_mistake"}',
                                                                  'N',             'R forward',     'R forward',     'R forward',     'R forward', 'R forward',    'R forward'),
    ('admin',  'stage_corrected',     '{"to_stage": "warm", "reason": "entered_by_mistake"}',
                                                                  'N',             'R stage',       'R stage',       'R stage',       'R stage',  'R stage',       'R stage'),
    ('admin',  'stage_corrected',     '{"to_stage": "new"}',      'N',             'R reason',      'R reason',      'R reason',      'R reason', 'R reason',      'R reason'),
    ('admin',  'stage_corrected',     '{"to_stage": "new", "reason": "oops"}',
                                                                  'N',             'R whycode',     'R whycode',     'R whycode',     'R whycode', 'R whycode',    'R whycode'),
    ('admin',  'stage_corrected',     '{"to_stage": "new", "reason": "other"}',
                                                                  'N',             'R notes',       'R notes',       'R notes',       'R notes',  'R notes',       'R notes'),
    -- fields
    ('admin',  'deal_value_changed',  '{"deal_value": 5, "currency": "EUR"}',
                                                                  'F',             'F',             'F',             'F',             'F',        'F',             'F'),
    ('admin',  'contact_changed',     '{"name": "Kim"}',          'F',             'F',             'F',             'F',             'F',        'F',             'F'),
    ('admin',  'contact_changed',     '{"name": null}',           'N same',        'N same',        'N same',        'N same',        'N same',   'N same',        'N same'),
    ('admin',  'lead_assigned',       '{"assigned_user_id": null}',
                                                                  'N same',        'N same',        'N same',        'N same',        'N same',   'N same',        'N same'),
    ('admin',  'lead_assigned',       '{"assigned_user_id": "00000000-0000-4000-8000-000000000000"}',
                                                                  'R assignee',    'R assignee',    'R assignee',    'R assignee',    'R assignee', 'R assignee',  'R assignee'),
    ('admin',  'tag_added',           '{"tag": "vip"}',           'F',             'F',             'F',             'F',             'F',        'F',             'F'),
    ('admin',  'tag_removed',         '{"tag": "vip"}',           'N same',        'N same',        'N same',        'N same',        'N same',   'N same',        'N same'),
    ('admin',  'unsubscribed',        '{"channel": "email"}',     'N',             'N',             'N',             'N',             'N',        'N',             'N'),
    ('admin',  'suppression_lifted',  '{"reason": "x"}',          'N',             'N',             'N',             'N',             'N',        'N',             'N'),
    ('admin',  'possible_duplicate_dismissed', '{}',              'N same',        'N same',        'N same',        'N same',        'N same',   'N same',        'N same'),
    ('admin',  'leads_unmerged',      '{}',                       'N merged',      'N merged',      'N merged',      'N merged',      'N merged', 'N merged',      'N merged'),
    -- never
    ('admin',  'product_signal_seen', '{"signal": "x", "observed_at": "2026-03-01T10:00:00Z", "reason": "x", "expires_at": "2999-01-01T00:00:00Z"}',
                                                                  'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    ('admin',  'lead_created',        '{"email": "x@example.com"}', 'R first',     'R first',       'R first',       'R first',       'R first',  'R first',       'R first'),
    ('admin',  'lead_imported',       '{"stage": "new", "entered_at": "2026-01-01T00:00:00Z"}',
                                                                  'R first',       'R first',       'R first',       'R first',       'R first',  'R first',       'R first'),
    ('admin',  'direct_change',       '{}',                       'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    ('admin',  'callback_cancelled',  '{}',                       'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    ('admin',  'lead_resurrected',    '{}',                       'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    ('admin',  'person_erased',       '{}',                       'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    ('admin',  'appointment_scheduled', '{}',                     'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'appointment_cancel',  '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'appointment_no_show', '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'callback_requested',  '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'sale',                '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'no_sale',             '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'refused',             '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'wrong_number',        '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'bad_number',          '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'unresponsive',        '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'duplicate',           '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'proposal_sent',       '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'deal_won',            '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'deal_lost',           '{"lost_reason": "Price"}', 'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'lead_reopened',       '{"to_stage": "new"}',      'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'lead_archived',       '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    ('admin',  'lead_unarchived',     '{}',                       'R other',       'R other',       'R other',       'R other',       'R other',  'R other',       'R other'),
    -- a member: everything but corrections, merging and lifting
    ('member', 'contact_attempted',   '{}',                       '→attempting',   '→attempting',   'N',             'N',             'N closed', 'N closed',      'N closed'),
    ('member', 'email_sent',          '{}',                       '→attempting',   '→attempting',   'N',             'N',             'N closed', 'N closed',      'N closed'),
    ('member', 'call_completed',      '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        'N',             'N'),
    ('member', 'request_accepted',    '{}',                       '→accepted',     'N there',       'N there',       'N there',       'R closed', 'R closed',      'R closed'),
    ('member', 'request_rejected',    '{"reason": "no_fit"}',     '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'R closed', '→disqualified', 'N there'),
    ('member', 'lead_recycled',       '{"reason": "no_budget", "recycle_on": "2999-06-01"}',
                                                                  '→recycled',     '→recycled',     '→recycled',     '→recycled',     'R closed', 'F',             'R closed'),
    ('member', 'lead_qualified',      '{"problem": "paper", "timing": "spring", "buying_role": "decides"}',
                                                                  'R accept',      '→qualified',    '→qualified',    '→qualified',    'N there',  'R closed',      'R closed'),
    ('member', 'lead_converted',      '{}',                       'R unqualified', 'R unqualified', 'R unqualified', 'R unqualified', 'F',        'R unqualified', 'R unqualified'),
    ('member', 'dnc',                 '{}',                       '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'N',        '→disqualified', 'N'),
    ('member', 'stage_corrected',     '{"to_stage": "new", "reason": "entered_by_mistake"}',
                                                                  'R correct',     'R correct',     'R correct',     'R correct',     'R correct', 'R correct',    'R correct'),
    ('member', 'suppression_lifted',  '{"reason": "x"}',          'R lift',        'R lift',        'R lift',        'R lift',        'R lift',   'R lift',        'R lift'),
    ('member', 'product_signal_seen', '{"signal": "x", "observed_at": "2026-03-01T10:00:00Z", "reason": "x", "expires_at": "2999-01-01T00:00:00Z"}',
                                                                  'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    -- an app: its attempts, calls and meetings count, its mails do not; it corrects nothing
    ('app',    'contact_attempted',   '{}',                       '→attempting',   '→attempting',   'N',             'N',             'N closed', 'N closed',      'N closed'),
    ('app',    'email_sent',          '{}',                       'N machine',     'N machine',     'N machine',     'N machine',     'N closed', 'N closed',      'N closed'),
    ('app',    'message_sent',        '{}',                       'N machine',     'N machine',     'N machine',     'N machine',     'N machine', 'N machine',    'N machine'),
    ('app',    'call_completed',      '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        'N',             'N'),
    ('app',    'meeting_held',        '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        'N',             'N'),
    ('app',    'email_replied',       '{}',                       '→connected',    '→connected',    '→connected',    'N',             'N',        '→new',          'N'),
    ('app',    'inbound_enquiry',     '{"message": "x"}',         'N',             'N',             'N',             'N',             'N',        '→new',          'N'),
    ('app',    'request_accepted',    '{}',                       '→accepted',     'N there',       'N there',       'N there',       'R closed', 'R closed',      'R closed'),
    ('app',    'request_rejected',    '{"reason": "no_fit"}',     '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'R closed', '→disqualified', 'N there'),
    ('app',    'lead_recycled',       '{"reason": "no_budget", "recycle_on": "2999-06-01"}',
                                                                  '→recycled',     '→recycled',     '→recycled',     '→recycled',     'R closed', 'F',             'R closed'),
    ('app',    'lead_qualified',      '{"problem": "paper", "timing": "spring", "buying_role": "decides"}',
                                                                  'R accept',      '→qualified',    '→qualified',    '→qualified',    'N there',  'R closed',      'R closed'),
    ('app',    'lead_converted',      '{}',                       'R unqualified', 'R unqualified', 'R unqualified', 'R unqualified', 'F',        'R unqualified', 'R unqualified'),
    ('app',    'stage_corrected',     '{"to_stage": "new", "reason": "entered_by_mistake"}',
                                                                  'R correct',     'R correct',     'R correct',     'R correct',     'R correct', 'R correct',    'R correct'),
    ('app',    'product_signal_seen', '{"signal": "x", "observed_at": "2026-03-01T10:00:00Z", "reason": "x", "expires_at": "2999-01-01T00:00:00Z"}',
                                                                  'R system',      'R system',      'R system',      'R system',      'R system', 'R system',      'R system'),
    -- an importer brings fields, notes and enquiries; it decides nothing
    ('importer', 'contact_attempted', '{}',                       'R writer',      'R writer',      'R writer',      'R writer',      'R writer', 'R writer',      'R writer'),
    ('importer', 'request_accepted',  '{}',                       'R writer',      'R writer',      'R writer',      'R writer',      'R writer', 'R writer',      'R writer'),
    ('importer', 'request_rejected',  '{}',                       'R writer',      'R writer',      'R writer',      'R writer',      'R writer', 'R writer',      'R writer'),
    ('importer', 'lead_recycled',     '{}',                       'R writer',      'R writer',      'R writer',      'R writer',      'R writer', 'R writer',      'R writer'),
    ('importer', 'lead_qualified',    '{}',                       'R writer',      'R writer',      'R writer',      'R writer',      'R writer', 'R writer',      'R writer'),
    ('importer', 'lead_converted',    '{}',                       'R writer',      'R writer',      'R writer',      'R writer',      'R writer', 'R writer',      'R writer'),
    ('importer', 'note_added',        '{"text": "x"}',            'N',             'N',             'N',             'N',             'N',        'N',             'N'),
    ('importer', 'tag_added',         '{"tag": "vip"}',           'F',             'F',             'F',             'F',             'F',        'F',             'F'),
    -- an assistant reports nothing at all
    ('ai',     'request_accepted',    '{}',                       'R ai',          'R ai',          'R ai',          'R ai',          'R ai',     'R ai',          'R ai'),
    ('ai',     'lead_qualified',      '{}',                       'R ai',          'R ai',          'R ai',          'R ai',          'R ai',     'R ai',          'R ai'),
    ('ai',     'lead_converted',      '{}',                       'R ai',          'R ai',          'R ai',          'R ai',          'R ai',     'R ai',          'R ai'),
    ('ai',     'product_signal_seen', '{"signal": "x", "observed_at": "2026-03-01T10:00:00Z", "reason": "x", "expires_at": "2999-01-01T00:00:00Z"}',
                                                                  'R ai',          'R ai',          'R ai',          'R ai',          'R ai',     'R ai',          'R ai');
-- What those three do otherwise.
create table t.otherwise (who text, activity_type text, payload jsonb, place text, cell text);
insert into t.otherwise values
    ('admin', 'email_replied', '{}', 'resting', 'N until'),
    ('admin', 'message_received', '{}', 'resting', 'N until'),
    ('admin', 'call_received', '{}', 'resting', 'N until'),
    ('admin', 'request_accepted', '{}', 'tried', 'F'),
    ('admin', 'request_accepted', '{}', 'reached', 'F'),
    ('admin', 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2999-01-01"}', 'resting', 'N same'),
    ('admin', 'lead_qualified', '{"problem": "paper", "timing": "spring", "buying_role": "decides"}', 'tried', 'R accept'),
    ('admin', 'lead_qualified', '{"problem": "paper", "timing": "spring", "buying_role": "decides"}', 'reached', 'R accept'),
    ('admin', 'lead_qualified', '{}', 'tried', 'R accept'),
    ('admin', 'lead_qualified', '{}', 'reached', 'R accept'),
    ('admin', 'lead_qualified', '{"problem": "paper", "timing": " ", "buying_role": "decides"}', 'tried', 'R accept'),
    ('admin', 'lead_qualified', '{"problem": "paper", "timing": " ", "buying_role": "decides"}', 'reached', 'R accept'),
    ('member', 'request_accepted', '{}', 'tried', 'F'),
    ('member', 'request_accepted', '{}', 'reached', 'F'),
    ('member', 'lead_qualified', '{"problem": "paper", "timing": "spring", "buying_role": "decides"}', 'tried', 'R accept'),
    ('member', 'lead_qualified', '{"problem": "paper", "timing": "spring", "buying_role": "decides"}', 'reached', 'R accept'),
    ('app', 'email_replied', '{}', 'resting', 'N until'),
    ('app', 'request_accepted', '{}', 'tried', 'F'),
    ('app', 'request_accepted', '{}', 'reached', 'F'),
    ('app', 'lead_qualified', '{"problem": "paper", "timing": "spring", "buying_role": "decides"}', 'tried', 'R accept'),
    ('app', 'lead_qualified', '{"problem": "paper", "timing": "spring", "buying_role": "decides"}', 'reached', 'R accept');
create view t.cells as
    select m.who, m.activity_type, m.payload, s.place, s.stage,
           case when c.cell like '→%' then c.cell else concat_ws(' ', left(c.cell, 1), w.rule) end as cell
    from t.matrix m
    cross join lateral (
        values ('new', 'new', m.new), ('accepted', 'accepted', m.accepted), ('attempting', 'attempting', m.attempting), ('connected', 'connected', m.connected),
               ('qualified', 'qualified', m.qualified), ('recycled', 'recycled', m.recycled), ('disqualified', 'disqualified', m.disqualified),
               ('tried', 'attempting', m.attempting), ('reached', 'connected', m.connected), ('resting', 'recycled', m.recycled)) s(place, stage, usual)
    left join t.otherwise o on (o.who, o.activity_type, o.payload, o.place) = (m.who, m.activity_type, m.payload, s.place)
    cross join lateral (select coalesce(o.cell, s.usual) as cell) c
    left join t.words w on w.word = substr(c.cell, 3)
    where c.cell is not null;
grant select on t.cells to public;

create function t.place(p_place text) returns uuid language sql as $$
    select case p_place when 'tried' then t.qualification_lead('attempting') when 'reached' then t.qualification_lead('connected')
                        when 'attempting' then t.accepted(t.qualification_lead('attempting')) when 'connected' then t.accepted(t.qualification_lead('connected'))
                        when 'resting' then t.qualification_lead('recycled', '{"recycle_on": "2999-01-01"}') else t.qualification_lead(p_place) end
$$;
select t.here();
select t.keep('into', t.qualification_lead('new'));
select t.act_as('superuser');
insert into t.matrix values
    ('admin',  'leads_merged',        jsonb_build_object('into', t.kept('into')),
                                                                  '→disqualified', '→disqualified', '→disqualified', '→disqualified', 'F',        '→disqualified', 'F'),
    ('member', 'leads_merged',        jsonb_build_object('into', t.kept('into')),
                                                                  'R merge',       'R merge',       'R merge',       'R merge',       'R merge',  'R merge',       'R merge'),
    ('app',    'leads_merged',        jsonb_build_object('into', t.kept('into')),
                                                                  'R merge',       'R merge',       'R merge',       'R merge',       'R merge',  'R merge',       'R merge');
select t.act_as('admin', '{import}');

-- test: every activity at every stage, by an admin
select results_eq(
    $$ select activity_type, payload, place, t.cell(t.place(place), activity_type, payload)
       from t.cells where who = 'admin' order by activity_type, payload, place $$,
    $$ select activity_type, payload, place, cell from t.cells where who = 'admin' order by activity_type, payload, place $$,
    'the database decides what the seed says');

-- test: what a member may and may not
select t.act_as('member');
select results_eq(
    $$ select activity_type, payload, place, t.cell(t.place(place), activity_type, payload) from t.cells where who = 'member' order by activity_type, payload, place $$,
    $$ select activity_type, payload, place, cell from t.cells where who = 'member' order by activity_type, payload, place $$,
    'the database decides what the seed says');

-- test: what an app may and may not
select t.act_as('app');
select results_eq(
    $$ select activity_type, payload, place, t.cell(t.place(place), activity_type, payload) from t.cells where who = 'app' order by activity_type, payload, place $$,
    $$ select activity_type, payload, place, cell from t.cells where who = 'app' order by activity_type, payload, place $$,
    'the database decides what the seed says');

-- test: what an importer may and may not
select t.act_as('importer');
select results_eq(
    $$ select activity_type, payload, place, t.cell(t.place(place), activity_type, payload) from t.cells where who = 'importer' order by activity_type, payload, place $$,
    $$ select activity_type, payload, place, cell from t.cells where who = 'importer' order by activity_type, payload, place $$,
    'the database decides what the seed says');

-- test: what an assistant may not
select t.act_as('ai');
select results_eq(
    $$ select activity_type, payload, place, t.cell(t.place(place), activity_type, payload) from t.cells where who = 'ai' order by activity_type, payload, place $$,
    $$ select activity_type, payload, place, cell from t.cells where who = 'ai' order by activity_type, payload, place $$,
    'everything');

-- test: a move sets the status the stage implies, and only what belongs to the stage stays on the lead
select is_empty(
    $$ select c.activity_type, c.payload, c.place, r.to_stage, r.to_status, l.rejection_reason, l.recycle_reason, l.recycle_on, l.accepted_at
       from t.cells c, lateral t.report(t.place(c.place), c.activity_type, c.payload) r, lateral t.state(r.lead_id) l
       where c.who = 'admin' and (
             r.from_stage <> c.stage
          or r.to_stage <> case when c.cell like '→%' then substr(c.cell, 2) else c.stage end
          or r.to_status <> case when r.to_stage in ('qualified', 'recycled', 'disqualified') then 'closed' else 'open' end
          or (l.stage, l.status) <> (r.to_stage, r.to_status)
          or l.is_open <> (l.stage in ('new', 'accepted', 'attempting', 'connected'))
          or (l.rejection_reason is not null) <> (l.stage = 'disqualified')
          or (l.recycle_reason is not null) <> (l.stage = 'recycled') or (l.recycle_on is not null) <> (l.stage = 'recycled')
          or l.stage = 'new' and l.accepted_at is not null
          or l.stage in ('accepted', 'qualified') and l.accepted_at is null) $$,
    'four open stages, three closed ones');

-- test: a lead that came back new is as new as any
select is_empty(
    $$ select c.activity_type, c.payload, c.place, l.*
       from t.cells c, lateral t.report(t.place(c.place), c.activity_type, c.payload) r, lateral t.state(r.lead_id) l
       where c.who = 'admin' and c.cell = '→new' and (l.accepted_at is not null or l.opportunity_id is not null or not l.is_open) $$,
    'nobody accepted it, it is no deal');

-- test: after every activity at every stage, what was recorded is what is
-- privileged: only the owner sees every workspace
select count(t.cell(t.place(place), activity_type, payload)) from t.cells where who = 'admin';
select t.act_as('member');
select count(t.cell(t.place(place), activity_type, payload)) from t.cells where who = 'member';
select t.act_as('app');
select count(t.cell(t.place(place), activity_type, payload)) from t.cells where who = 'app';
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

-- test: no stage of the workflow is missing here
select results_eq(
    $$ select distinct t.from_stage, t.from_status from leadline.transition_rules t where t.workflow = 'qualification' order by 1, 2 $$,
    $$ select distinct stage, case when stage in ('qualified', 'recycled', 'disqualified') then 'closed' else 'open' end from t.cells order by 1, 2 $$,
    'seven');

-- test: whoever writes in waits, put aside or turned away as well, but for the qualified, whose deal is worked on
select results_eq(
    $$ select a.type, s.place, (t.state(r.lead_id)).waiting_since
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality a(type, n), (select distinct place from t.cells) s,
            lateral t.report(t.place(s.place), a.type, '{}', null, '2026-02-03T10:00:00Z') r
       order by a.n, s.place $$,
    $$ select a.type, s.place, case when s.place <> 'qualified' then '2026-02-03T10:00:00Z'::timestamptz end
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality a(type, n), (select distinct place from t.cells) s
       order by a.n, s.place $$,
    'since their word came');

-- test: an enquiry by id makes a request at every stage
select results_eq(
    $$ select s.place, (select count(*)::int from t.requests(r.lead_id)), (t.state(r.lead_id)).waiting_since
       from (select distinct place from t.cells) s, lateral t.report(t.place(s.place), 'inbound_enquiry', '{"message": "x"}', null, '2026-02-03T10:00:00Z') r order by 1 $$,
    $$ select place, 1, case when place not in ('qualified', 'disqualified') then '2026-02-03T10:00:00Z'::timestamptz end from (select distinct place from t.cells) s order by 1 $$,
    'and whoever can be helped waits');

-- test: do not contact: turned away for that reason, suppressed at every stage
select results_eq(
    $$ select s.place, l.stage, l.rejection_reason, l.is_suppressed
       from (select distinct place from t.cells) s, lateral t.report(t.place(s.place), 'dnc') r, lateral t.state(r.lead_id) l order by 1 $$,
    $$ select distinct place, case when place = 'qualified' then 'qualified' else 'disqualified' end,
              case place when 'qualified' then null when 'disqualified' then 'no_fit' else 'do_not_contact' end, true from t.cells order by 1 $$,
    'whatever the verdict');

-- test: news older than the present stage move nothing, do not contact excepted
select results_eq(
    $$ select a.type, s.stage, t.verdict(t.qualification_lead(s.stage), a.type, a.payload, null, '2025-12-01T10:00:00Z')
       from (values ('contact_attempted', '{}'::jsonb), ('call_completed', '{}'), ('email_replied', '{}'), ('request_accepted', '{}'), ('request_rejected', '{"reason": "no_fit"}'),
                    ('lead_qualified', t.confirmed()), ('dnc', '{}')) a(type, payload),
            unnest('{accepted,attempting,connected}'::text[]) s(stage) order by 1, 2 $$,
    $$ select type, stage, case type when 'dnc' then 'applied' else 'noted superseded' end
       from unnest('{contact_attempted,call_completed,email_replied,request_accepted,request_rejected,lead_qualified,dnc}'::text[]) a(type),
            unnest('{accepted,attempting,connected}'::text[]) s(stage) order by 1, 2 $$,
    'kept where they belong');

-- Every rule by its one name: the sentence a person reads, the next step, and the verdict it gives.
create temp table given_sentences (rule text, verdict text, seed text, sentence text, hint text) on commit drop;
insert into given_sentences values
    -- in the order of the tests (a verdict of null: it depends on the activity, or the rule is raised)
    ('credential_required',        null,      'design 4', 'Nobody is known behind this session.', 'Use a database login that is bound to a workspace, or call enter(token) first in the same transaction.'),
    ('unknown_token',              null,      'design 4', 'This token is unknown, expired or revoked.', 'Ask an owner or admin of the workspace for a new token.'),
    ('may_not_report',             null,      'design 4', 'This credential may read, but not report activities.', 'Report with a person''s, an app''s or an importer''s credential.'),
    ('act_as_needs_scope',         null,      'design 3', 'This credential may not act on behalf of a person.', 'Leave on_behalf_of away, or use a credential with scope act_as.'),
    ('unknown_member',             null,      'design 3', 'The person named in on_behalf_of is not an active member of this workspace.', 'Name an active member, or leave on_behalf_of away.'),
    ('surface_needs_scope',        null,      'design 3', 'This credential may not claim that the console was used.', 'Leave surface away, or use a credential with scope surface.'),
    ('import_needs_scope',         null,      'design 3', 'This credential may not import leads with a history of their own.', 'Use a credential with scope import, or log lead_created.'),
    ('settings_need_admin',        null,      '004 1.4',  'Only an owner or admin changes the workspace.', 'Ask an owner or admin of the workspace.'),
    ('team_needs_admin',           null,      '004 1.4',  'Only an owner or admin manages team and credentials.', 'Ask an owner or admin of the workspace.'),
    ('owner_needed',               null,      '004 1.4',  'Only an owner makes or ends an owner, and closes the workspace.', 'Ask an owner of the workspace.'),
    ('administrator_needed',       null,      'design 4', 'Only the database''s administrator does this.', 'Connect as the administrator, or use the leadline command.'),
    ('last_owner_stays',           null,      '004 1.4',  'This is the last owner of the workspace.', 'Make somebody else owner first, or close the workspace.'),
    ('no_such_workspace',          null,      '004 1.3',  'There is no such workspace.', 'Check the id.'),
    ('no_such_member',             null,      '004 1.3',  'There is no such active member.', 'See the view members.'),
    ('no_such_token',              null,      '004 1.3',  'There is no such token.', 'See the view tokens.'),
    ('no_such_login',              null,      '004 1.3',  'There is no such login.', 'See the view logins.'),
    ('whole_view_needed',          null,      'design 3', 'Verification needs to see every workspace.', 'Connect as the database''s administrator or as a member of leadline_owner.'),
    ('unknown_activity_type',      null,      'design 1', 'This activity type is not in the vocabulary.', 'See the view activity_types for the words.'),
    ('payload_is_an_object',       null,      'design 1', 'The payload is not a JSON object.', 'Send an object of keys and values, {} when there is nothing to say.'),
    ('payload_too_large',          null,      'design 1', 'The payload is larger than 256 KiB.', 'Keep documents elsewhere and send a reference to them.'),
    ('key_missing',                null,      'workflows A', 'A key that this activity needs is missing from the payload.', 'See the view activity_types for the keys of each type.'),
    ('value_malformed',            null,      'workflows A', 'A value in the payload is not of the kind its key asks for.', 'See the view activity_types: instants carry an offset (2026-03-01T10:00:00Z), money is a number of zero or more.'),
    ('occurred_in_the_future',     null,      'design 1', 'occurred_at lies more than five minutes in the future.', 'Report what has happened; plans belong into the payload.'),
    ('subject_required',           null,      'design 3', 'This activity does not say which lead it is about.', 'Give lead_id; only lead_created and lead_imported make a lead of their own.'),
    ('unknown_workflow',           null,      'design 2', 'This workflow does not exist here.', 'See the view transition_rules for the workflows.'),
    ('unknown_stage',              null,      'design 2', 'This stage does not exist in the workflow.', 'See the view transition_rules for the stages.'),
    ('batch_malformed',            null,      'design 3', 'The batch is not a JSON array of activities.', 'Send an array of objects.'),
    ('batch_too_large',            null,      'design 3', 'The batch has more than 1,000 activities.', 'Send batches of at most 1,000.'),
    ('no_such_lead',               null,      '004 1.3',  'There is no such lead.', 'Check the id; only leads of your workspace are found.'),
    ('reference_reused',           null,      'design 3', 'This reference was used for another lead or another activity type.', 'Give every report a reference of its own.'),
    ('foreign_cursor',             null,      'design 3', 'This cursor was made by another database cluster.', 'Start again from activity:<activity_id> of the last change you have.'),
    ('malformed_cursor',           null,      'design 3', 'This is not a cursor of the change feed.', 'Send a cursor exactly as it was given, or none to begin at the beginning.'),
    ('history_is_append_only',     null,      '004 10.2', 'History is append-only: rows are neither changed nor removed.', 'Log a further activity that says what is right.'),
    ('ai_forbidden',               'refused', '004 6',    'An AI may assess a lead, not report activities.', 'Let a person or an app report it.'),
    ('system_only',                'refused', 'design 3', 'This activity is logged by Leadline alone.', 'Report the fact that causes it.'),
    ('writer_not_allowed',         'refused', '003',      'This class of writer may not report this activity.', 'See writers in the view transition_rules.'),
    ('wrong_workflow',             'refused', 'design 2', 'This activity belongs to another workflow than the lead''s.', 'See the view transition_rules for the activities of the lead''s workflow.'),
    ('not_first',                  'refused', 'design 3', 'The lead is already there: a birth is always the first activity.', 'Log the change as its own activity, or leave lead_id away to make a new lead.'),
    ('already_resolved',           'noted',   '000',      'The lead is resolved, and resolved is final.', 'To start again, log lead_created with copied_from.'),
    ('superseded',                 null,      'design 3', 'This happened before the lead entered its present stage.', 'If it is news after all, send it without occurred_at.'),
    ('not_a_person',               'noted',   '004 9',    'Only a person''s act counts as a contact.', 'Log it as the person who did it, or with on_behalf_of.'),
    ('superseded_appointment',     'noted',   'workflows C', 'This is about an appointment that has since been replaced.', 'Nothing to do; name the current appointment_ref to act on it.'),
    ('outcome_needs_appointment',  'refused', '000',      'A sale or no sale needs a scheduled appointment.', 'Log appointment_scheduled first; a presentation is given at an appointment.'),
    ('no_show_needs_appointment',  'refused', '000',      'A no-show needs a scheduled appointment.', 'Log appointment_scheduled first.'),
    ('cancel_needs_appointment',   'refused', '000',      'There is no scheduled appointment to cancel.', 'Log appointment_scheduled first.'),
    ('unresponsive_needs_contact', 'refused', '000',      'A lead that was never contacted cannot be unresponsive.', 'Log contact_attempted first.'),
    ('appointment_stands',         'noted',   'workflows C', 'The lead has an appointment, so no callback replaces it.', 'Log appointment_cancel if the appointment is off.'),
    ('already_there',              'noted',   'workflows C', 'The lead is at that stage already.', 'Nothing to do.'),
    ('no_change',                  'noted',   'workflows C', 'Nothing would change.', 'Nothing to do.'),
    ('duplicate_of_itself',        'refused', 'workflows C', 'A lead cannot be its own duplicate.', 'Name the other lead in duplicate_of.'),
    ('duplicate_cycle',            'refused', 'workflows C', 'The other lead is itself a duplicate of this one.', 'Resolve only one of the two as duplicate.'),
    ('unknown_assignee',           'refused', 'workflows D', 'The assignee is not an active member of this workspace.', 'Assign to an active member, or to null for nobody.'),
    ('lift_needs_admin',           'refused', 'workflows F', 'Only an owner or admin lifts a do-not-contact.', 'Ask an owner or admin of the workspace.'),
    ('unknown_time_zone',          'refused', 'design 4', 'This is not the name of a time zone.', 'Use an IANA name such as Europe/Berlin.'),
    ('unknown_default_workflow',   'refused', 'design 2', 'No leads can be made in this workflow.', 'See the view transition_rules for the workflows.'),
    ('overtaken',                  'noted',   'design 1', 'The lead had moved on before this consequence was carried out.', 'Nothing to do.');

insert into leadline.rule_sentences as s (rule, sentence, hint, verdict, seed)
select g.rule, g.sentence, g.hint, g.verdict, g.seed from given_sentences g
on conflict (rule) do update
    set sentence = excluded.sentence, hint = excluded.hint, verdict = excluded.verdict, seed = excluded.seed
    where (s.sentence, s.hint, s.verdict, s.seed) is distinct from (excluded.sentence, excluded.hint, excluded.verdict, excluded.seed);
delete from leadline.rule_transitions t where t.rule is not null and not exists (select from given_sentences g where g.rule = t.rule);
delete from leadline.rule_sentences s where not exists (select from given_sentences g where g.rule = s.rule);

-- What an activity does to a lead at any place of any workflow, where the workflow's own file says nothing else.
insert into given_cells (workflow, activity_types, from_status, effect, rule)
select w.workflow, c.activity_types, '*', c.effect, c.rule
from leadline.rule_workflows w
cross join (values
    ('{lead_assigned,deal_value_changed,contact_changed,tag_added,tag_removed,possible_duplicate_dismissed,direct_change}'::text[], 'fields', 'no_change'),
    ('{person_erased}', 'fields', 'no_change'),
    ('{note_added,unsubscribed,suppression_lifted}', 'note', null),
    ('{lead_created,lead_imported}', 'refuse', 'not_first')) c (activity_types, effect, rule)
where w.journal = 'lead_activity';

-- The journals there are: whose history each keeps, and where that subject stands. Whatever is done to all of them asks here.
-- subject_column names the chain's subject, own_column the column that a report names it by; fields is the function that gives
-- the columns the journal owns; unborn is where a subject stands that no row has told of (people are made without one).
create or replace function leadline_internal.journals()
returns table (journal text, subject_column text, own_column text, state text, state_key text, fields text, unborn jsonb, no_such text)
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
values
    ('lead_activity', 'lead_id', 'lead_id', 'leads', 'lead_id', 'leadline_internal.lead_fields', null::jsonb, 'no_such_lead'),
    ('relationship_activity', 'person_id', 'person_id', 'people', 'person_id', 'leadline_internal.relationship_fields',
        '{"stage": "prospect", "status": "open", "furthest_stage": "prospect"}', 'no_such_person'),
    ('opportunity_activity', 'opportunity_id', 'opportunity_id', 'opportunities', 'opportunity_id', 'leadline_internal.opportunity_fields', null, 'no_such_opportunity'),
    ('customer_activity', 'subscription_id', 'subscription_id', 'subscriptions', 'subscription_id', 'leadline_internal.subscription_fields', null, 'no_such_subscription'),
    ('workspace_activity', 'workspace_id', 'about_id', 'workspaces', 'workspace_id', 'leadline_internal.workspace_fields', null, 'no_such_workspace')
$$;

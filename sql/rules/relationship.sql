-- Where a relationship stands (seed 002): six points forward, one outside the order. The destination stands in the payload, so
-- the cells say move_to; what is backward, unknown or held is told by relationship_effect().
insert into given_cells (workflow, activity_types, from_stages, from_status, effect, to_stage, rule) values
    ('relationship', '{relationship_advanced,approval_granted,relationship_joined}', null, null, 'move_to', null, null),
    ('relationship', '{relationship_closed}', '{prospect,qualified,opportunity,client,onboarding,active}', null, 'move', 'closed', null),
    ('relationship', '{relationship_closed}', '{closed}', null, 'note', null, 'already_there'),
    ('relationship', '{approval_declined,approval_expired,product_signal_seen}', null, null, 'note', null, null),
    ('relationship', '{direct_change}', null, null, 'fields', null, 'no_change');

-- What an outcome proposes; an enquiry of any other class, and contact above all, proposes nothing.
create temp table given_proposals (journal text, activity_types text[], request_class text, to_stage text, verdicts text[], seed text) on commit drop;
insert into given_proposals values
    ('lead_activity', '{email_replied,message_received,call_received,call_completed,meeting_held}', '', 'qualified', '{applied,noted}', '002'),
    ('lead_activity', '{inbound_enquiry}', 'quote', 'opportunity', '{applied,noted}', '002'),
    ('lead_activity', '{inbound_enquiry}', 'pricing_question', 'opportunity', '{applied,noted}', '002'),
    ('lead_activity', '{proposal_sent}', '', 'opportunity', '{applied}', '002'),
    ('lead_activity', '{sale,deal_won}', '', 'client', '{applied}', '002'),
    ('opportunity_activity', '{opportunity_opened,opportunity_advanced,amount_changed}', '', 'opportunity', '{applied}', '003'),
    ('opportunity_activity', '{opportunity_won}', '', 'client', '{applied}', '003');
create temp table listed_proposals on commit drop as
select g.journal, t.activity_type, g.request_class, g.to_stage, g.verdicts, g.seed from given_proposals g cross join lateral unnest(g.activity_types) t (activity_type);
insert into leadline.rule_proposals as p (journal, activity_type, request_class, to_stage, verdicts, seed)
select * from listed_proposals
on conflict (journal, activity_type, request_class) do update set to_stage = excluded.to_stage, verdicts = excluded.verdicts, seed = excluded.seed
    where to_jsonb(p) is distinct from to_jsonb(excluded);
delete from leadline.rule_proposals p
where not exists (select from listed_proposals g where (g.journal, g.activity_type, g.request_class) = (p.journal, p.activity_type, p.request_class));

-- Other systems' words (seed 003's among them), for reading only.
create temp table given_aliases (stage text, aliases text[]) on commit drop;
insert into given_aliases values
    ('closed', '{lost,closed_lost,closedlost,not_interested,not_proceeding,disqualified,unqualified,rejected,dead,churned,inactive,archived,do_not_contact}'),
    ('prospect', '{lead,subscriber,new,contact,suspect}'),
    ('qualified', '{mql,sql,sal,marketingqualifiedlead,marketing_qualified_lead,salesqualifiedlead,sales_qualified_lead,replied,engaged}'),
    ('opportunity', '{deal,proposal,quote,quoted,negotiation}'),
    ('client', '{customer,won,closed_won,closedwon,sold}'),
    ('onboarding', '{implementation,setup,setting_up}'),
    ('active', '{active_customer,active_client,live,evangelist}');
create temp table listed_aliases on commit drop as
select 'relationship'::text as workflow, a.alias, g.stage, '002'::text as seed from given_aliases g cross join lateral unnest(g.aliases) a (alias);
insert into leadline.rule_aliases as r (workflow, alias, stage, seed)
select * from listed_aliases
on conflict (workflow, alias) do update set stage = excluded.stage, seed = excluded.seed where to_jsonb(r) is distinct from to_jsonb(excluded);
delete from leadline.rule_aliases r where not exists (select from listed_aliases g where (g.workflow, g.alias) = (r.workflow, r.alias));

-- Where the matrix leads, arrow by arrow. A cell that moves names its stage; a move_to and a birth leave it to the activity, so
-- this page says where each of them may lead. A move_to that is not listed here may lead to any other stage of its workflow.
create or replace view leadline.stage_arrows with (security_invoker = true) as
-- goes: forward, back (to a stage that is not closed), opens (out of a closed stage), closes (into one); null: to the stages named.
with leads_to (activity_type, kind, goes, from_stages, to_stages) as (values
    ('relationship_advanced', 'move', 'forward', null::text[], null::text[]),
    ('relationship_advanced', 'correction', 'back', null, null),
    ('relationship_joined', 'move', 'forward', null, null),
    ('approval_granted', 'move', 'forward', '{closed,prospect,qualified,opportunity}', '{client,onboarding,active}'),
    ('lead_reopened', 'move', 'opens', null, null),
    ('request_rejected', 'move', 'closes', null, '{disqualified}'),
    ('request_rejected', 'move', null, '{recycled}', '{disqualified}'),
    ('opportunity_advanced', 'move', null, null, '{proposal}'),
    ('leads_merged', 'move', 'closes', null, '{duplicate,disqualified}'),
    ('leads_merged', 'move', null, '{recycled}', '{disqualified}'),
    ('leads_unmerged', 'correction', 'opens', '{duplicate,disqualified}', null),
    ('leads_unmerged', 'correction', null, '{disqualified}', '{recycled}'),
    ('stage_corrected', 'correction', 'back', null, null),
    ('stage_corrected', 'correction', null, '{won}', '{lost}'),
    ('stage_corrected', 'correction', null, '{closedwon}', '{closedlost}')
)
select distinct c.workflow, c.activity_type, c.from_stage, c.to_stage, 'move' as kind
from leadline.rule_transitions c
where c.effect = 'move'
union all
select distinct c.workflow, c.activity_type, c.from_stage, t.stage, coalesce(g.kind, 'move')
from leadline.rule_transitions c
join leadline.rule_stages f on f.workflow = c.workflow and f.stage = c.from_stage
left join leads_to g on g.activity_type = c.activity_type and (g.from_stages is null or f.stage = any (g.from_stages))
join leadline.rule_stages t on t.workflow = c.workflow and t.stage <> f.stage and (g.to_stages is null or t.stage = any (g.to_stages))
    and case g.goes
        when 'forward' then not t.is_final and t.position > f.position
        when 'back' then not t.is_final and t.position < f.position
        when 'opens' then f.is_final and not t.is_final
        when 'closes' then not f.is_final and t.is_final
        else true end
where c.effect = 'move_to' and (g.activity_type is not null or not exists (select from leads_to o where o.activity_type = c.activity_type))
union all
-- A birth begins at the first stage; an import wherever the lead stood, an enquiry that is turned away as disqualified, a trial as one.
select w.workflow, a.activity_type, null, t.stage, 'birth'
from leadline.rule_workflows w
join leadline.rule_activity_types a on w.journal = any (a.journals) and (a.is_birth or a.activity_type = 'inbound_enquiry')
join leadline.rule_stages t on t.workflow = w.workflow and (t.stage = w.initial_stage or a.activity_type = 'lead_imported'
    or (a.activity_type, t.stage) in (('inbound_enquiry', 'disqualified'), ('subscription_started', 'trialing')))
union all
-- Who is known to the workspace stands at the first stage without an activity of this journal.
select w.workflow, null, null, w.initial_stage, 'birth'
from leadline.rule_workflows w
where not exists (select from leadline.rule_activity_types a where w.journal = any (a.journals) and a.is_birth);
comment on view leadline.stage_arrows is 'Every way into a stage, one row an activity and pair of stages, as the matrix and the births have it. What stage_model and the diagrams are drawn from.';
comment on column leadline.stage_arrows.activity_type is 'Null where a subject stands at its first stage without an activity: a person who is known.';
comment on column leadline.stage_arrows.from_stage is 'Null for a birth.';
comment on column leadline.stage_arrows.kind is 'birth, move, or correction (back, or a merge undone).';

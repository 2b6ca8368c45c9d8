-- How far a deal is (seed 003), in either pipeline: evaluation, proposal, won or lost; it moves on what the buyer confirmed.
insert into given_cells (workflow, activity_types, from_stages, effect, to_stage, rule)
select p.pipeline, c.activity_types, c.from_stages, c.effect, c.to_stage, c.rule
from unnest('{new_business,expansion}'::text[]) p (pipeline)
cross join (values
    ('{opportunity_advanced}'::text[], '{evaluation}'::text[], 'move_to', null, null),
    ('{opportunity_advanced}', '{proposal}', 'fields', null, 'already_there'),
    ('{opportunity_won}', '{evaluation}', 'refuse', null, 'won_needs_proposal'),
    ('{opportunity_won}', '{proposal}', 'move', 'closedwon', null),
    ('{opportunity_won}', '{closedwon}', 'note', null, 'already_there'),
    ('{opportunity_lost}', '{evaluation,proposal}', 'move', 'closedlost', null),
    ('{opportunity_lost}', '{closedlost}', 'fields', null, 'already_there'),
    ('{opportunity_advanced,opportunity_lost}', '{closedwon}', 'refuse', null, 'opportunity_is_won'),
    ('{opportunity_advanced,opportunity_won}', '{closedlost}', 'refuse', null, 'opportunity_is_lost'),
    ('{opportunity_advanced,opportunity_won,opportunity_lost,stage_corrected}', '{withdrawn}', 'refuse', null, 'opportunity_is_withdrawn'),
    ('{stage_corrected}', '{evaluation}', 'refuse', null, 'correction_goes_forward'),
    ('{stage_corrected}', '{proposal,closedwon,closedlost}', 'move_to', null, null),
    ('{conversion_undone}', '{evaluation,proposal}', 'move', 'withdrawn', null),
    ('{conversion_undone}', '{closedwon}', 'note', null, 'opportunity_is_won'),
    ('{conversion_undone}', '{closedlost}', 'note', null, 'opportunity_is_lost'),
    ('{conversion_undone}', '{withdrawn}', 'note', null, 'already_there'),
    ('{amount_changed,opportunity_assigned,contact_role_set,direct_change,person_erased}', null, 'fields', null, 'no_change'),
    ('{opportunity_opened}', null, 'refuse', null, 'not_first')) c (activity_types, from_stages, effect, to_stage, rule);

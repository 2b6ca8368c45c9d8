-- Makes rules of the cells that the workflows' files gave: the whole matrix, place by place.
create temp table cells on commit drop as
select g.workflow, t.activity_type, p.stage as from_stage, p.status as from_status, g.effect, g.to_stage, q.status as to_status,
    s.entry_timestamp, g.rule, g.awaits_answer, f.seed
from given_cells g
cross join lateral unnest(g.activity_types) t (activity_type)
join leadline.rule_workflows f on f.workflow = g.workflow
join leadline.rule_permitted p on p.workflow = g.workflow and (g.from_stages is null or p.stage = any (g.from_stages))
    and case when g.from_status is null then p.status <> 'archived' else g.from_status in (p.status, '*') end
left join leadline.rule_permitted q on q.workflow = g.workflow and q.stage = g.to_stage and q.status <> 'archived'
left join given_stages s on s.workflow = g.workflow and s.stage = g.to_stage;

insert into leadline.rule_transitions as t
    (workflow, activity_type, from_stage, from_status, effect, to_stage, to_status, entry_timestamp, rule, awaits_answer, seed)
select * from cells
on conflict (workflow, activity_type, from_stage, from_status) do update
    set effect = excluded.effect, to_stage = excluded.to_stage, to_status = excluded.to_status,
        entry_timestamp = excluded.entry_timestamp, rule = excluded.rule, awaits_answer = excluded.awaits_answer, seed = excluded.seed
    where to_jsonb(t) is distinct from to_jsonb(excluded);
delete from leadline.rule_transitions t
where not exists (select from cells c where (c.workflow, c.activity_type, c.from_stage, c.from_status) = (t.workflow, t.activity_type, t.from_stage, t.from_status));

drop table cells;

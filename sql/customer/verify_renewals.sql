-- Proves the renewal cycles: each is what billing last said of its period.
create or replace function leadline_internal.verify_renewals()
returns table (workspace_id uuid, journal text, subject_id uuid, seq int, what text, detail text)
language plpgsql stable
as $$
begin
    return query
        with told as (
            select distinct on (a.workspace_id, a.subscription_id, a.changes #>> '{renewal_cycle,1,period_start}')
                a.workspace_id, a.subscription_id, a.seq, a.activity_id, a.changes #> '{renewal_cycle,1}' as cycle, a.occurred_at,
                first_value(a.occurred_at) over (partition by a.workspace_id, a.subscription_id, a.changes #>> '{renewal_cycle,1,period_start}' order by a.seq) as opened_at
            from leadline.customer_activity a where a.changes ? 'renewal_cycle'
            order by a.workspace_id, a.subscription_id, a.changes #>> '{renewal_cycle,1,period_start}', a.seq desc
        )
        select coalesce(k.workspace_id, t.workspace_id), 'customer_activity', coalesce(k.subscription_id, t.subscription_id), t.seq, 'renewal', 'the renewal cycle is not what the journal says'
        from told t
        full join leadline.renewal_cycles k on k.workspace_id = t.workspace_id and k.subscription_id = t.subscription_id
            and k.period_start = (t.cycle ->> 'period_start')::date
        left join leadline.activity_content c on c.workspace_id = t.workspace_id and c.activity_id = t.activity_id
        where t.cycle is null or k.subscription_id is null
           or k.churn_reason is distinct from case when k.stage = 'churned' then leadline_internal.shown_text(c.content #>> '{payload,reason}') end
           or (k.period_end, k.stage) is distinct from ((t.cycle ->> 'period_end')::date, t.cycle ->> 'stage')
           or k.opened_at is distinct from t.opened_at or k.settled_at is distinct from case when k.stage <> 'open' then t.occurred_at end;
    return query
        select s.workspace_id, 'customer_activity', s.subscription_id, s.seq, 'clock', 'started_at is not what the journal says'
        from leadline.subscriptions s where s.started_at <> s.created_at;
end $$;

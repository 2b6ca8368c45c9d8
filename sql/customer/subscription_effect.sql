-- What billing's word would do to a subscription and its renewal cycles (seed 003).

create or replace function leadline_internal.subscription_fields(s leadline.subscriptions) returns jsonb
language plpgsql immutable parallel safe
as $$
-- The columns of a subscription that its journal owns.
begin
    return jsonb_build_object('workflow', s.workflow, 'stage', s.stage, 'status', s.status, 'person_id', s.person_id, 'account_id', s.account_id,
        'plan', s.plan, 'cancelled_at', leadline_internal.instant(s.cancelled_at));
end $$;

create or replace function leadline_internal.subscription_effect(e leadline_internal.entry, s leadline.subscriptions) returns leadline_internal.effect
language plpgsql volatile
as $$
-- s: the subscription, locked; its cycles are moved under that lock. A cycle in changes: {"renewal_cycle": [old, new]}.
declare
    x leadline_internal.effect;
    p jsonb := e.payload;
    k leadline.renewal_cycles;
    v_becomes text;
begin
    case e.activity_type
        when 'direct_change' then
            return leadline_internal.by_hand(e);
        when 'subscription_cancelled' then
            x.becomes := jsonb_build_object('cancelled_at', leadline_internal.instant(coalesce(e.occurred_at, e.recorded_at)));
            return leadline_internal.with_changes(x, leadline_internal.subscription_fields(s));
        when 'renewal_opened' then
            if exists (select from leadline.renewal_cycles t where t.workspace_id = s.workspace_id and t.subscription_id = s.subscription_id
                       and t.period_start = (p ->> 'period_start')::date and t.period_end = (p ->> 'period_end')::date) then
                return x;
            elsif (p ->> 'period_end')::date <= (p ->> 'period_start')::date or exists (
                select from leadline.renewal_cycles t where t.workspace_id = s.workspace_id and t.subscription_id = s.subscription_id
                  and t.period_start < (p ->> 'period_end')::date and t.period_end > (p ->> 'period_start')::date) then
                x.need := 'period_malformed';
            end if;
            x.changes := jsonb_build_object('renewal_cycle', jsonb_build_array(null,
                jsonb_build_object('period_start', p ->> 'period_start', 'period_end', p ->> 'period_end', 'stage', 'open')));
        when 'renewal_renewed', 'renewal_churned' then
            v_becomes := case e.activity_type when 'renewal_renewed' then 'renewed' else 'churned' end;
            select * into k from leadline.renewal_cycles t
            where t.workspace_id = s.workspace_id and t.subscription_id = s.subscription_id
              and case when p ->> 'period_start' is null then true else t.period_start = (p ->> 'period_start')::date end
            order by t.stage <> 'open', case when t.stage = 'open' then t.period_start end, t.period_start desc limit 1;
            if k.stage = v_becomes then
                return x;
            elsif e.activity_type = 'renewal_churned' and leadline_internal.visible_text(p ->> 'reason') is null then
                x.need := 'reason_required';
            elsif k.stage is distinct from 'open' then
                x.need := 'no_open_cycle';
            end if;
            x.changes := jsonb_build_object('renewal_cycle', jsonb_build_array(
                jsonb_build_object('period_start', k.period_start, 'period_end', k.period_end, 'stage', k.stage),
                jsonb_build_object('period_start', k.period_start, 'period_end', k.period_end, 'stage', v_becomes)));
        else null;
    end case;
    return x;
end $$;

create or replace function leadline_internal.keep_renewal_cycle(e leadline_internal.entry, p_told jsonb) returns void
language plpgsql volatile
as $$
-- The cycle as the decided activity leaves it. p_told: what it said before its personal text was put aside.
declare
    v_cycle jsonb := e.changes #> '{renewal_cycle,1}';
begin
    if v_cycle is null then return; end if;
    insert into leadline.renewal_cycles as k (workspace_id, subscription_id, period_start, period_end, stage, opened_at)
    values (e.workspace_id, e.subject_id, (v_cycle ->> 'period_start')::date, (v_cycle ->> 'period_end')::date, 'open', e.occurred_at)
    on conflict (workspace_id, subscription_id, period_start) do update set stage = v_cycle ->> 'stage', settled_at = e.occurred_at,
        churn_reason = case v_cycle ->> 'stage' when 'churned' then leadline_internal.shown_text(p_told ->> 'reason') end;
end $$;

-- The history of opportunities and subscriptions goes with them.
set lock_timeout = '3s';
do $$
begin
    if exists (select from leadline.leads l where l.opportunity_id is not null) then
        raise exception 'Leads were converted: their history tells of opportunities that would be gone.';
    end if;
end $$;
delete from leadline.activity_content t using leadline.customer_activity a where t.workspace_id = a.workspace_id and t.activity_id = a.activity_id;
delete from leadline.activity_content t using leadline.opportunity_activity a where t.workspace_id = a.workspace_id and t.activity_id = a.activity_id;
delete from leadline_internal.activity_references r where r.journal in ('customer_activity', 'opportunity_activity');
drop table leadline.customer_activity;
drop table leadline.opportunity_activity;
drop table leadline.renewal_cycles;
drop table leadline.subscriptions;
alter table leadline.leads drop column opportunity_id;
drop table leadline.opportunities;
delete from leadline.rule_transitions t where t.workflow in ('new_business', 'expansion', 'subscription');
delete from leadline_internal.rulings r where r.workflow in ('new_business', 'expansion', 'subscription');
delete from leadline.rule_blocks b where b.workflow in ('new_business', 'expansion', 'subscription');
delete from leadline.rule_permitted p where p.workflow in ('new_business', 'expansion', 'subscription');
delete from leadline.rule_stages s where s.workflow in ('new_business', 'expansion', 'subscription');
delete from leadline.rule_workflows w where w.workflow in ('new_business', 'expansion', 'subscription');

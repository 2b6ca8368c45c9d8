-- How far a deal is, and whether somebody pays (seed 003): opportunities per pipeline, subscriptions, renewal cycles.
-- depends: 0012_qualification
set lock_timeout = '3s';

create table leadline.opportunities (
    workspace_id     uuid not null,
    opportunity_id   uuid not null default gen_random_uuid(),
    workflow         text not null,
    status           text not null,
    stage            text not null,
    stage_entered_at timestamptz not null,
    late_before      timestamptz,
    person_id        uuid not null,
    account_id       uuid,
    lead_id          uuid,
    assigned_user_id uuid,
    amount           leadline.money_amount,
    currency         leadline.currency_code,
    close_date       date,
    problem          text,
    decision_process text,
    next_step        text,
    next_step_on     date,
    contacts         jsonb not null default '{}',
    won_at           timestamptz,
    lost_at          timestamptz,
    lost_reason      leadline.lost_reason,
    lost_notes       text,
    created_at       timestamptz not null,
    seq              int not null,
    version          int not null,
    hash             bytea,
    constraint opportunities_pkey primary key (workspace_id, opportunity_id),
    constraint opportunities_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint opportunities_stage_implies_status foreign key (workflow, stage, status) references leadline.rule_permitted,
    constraint opportunities_person_exists foreign key (workspace_id, person_id) references leadline.people,
    constraint opportunities_account_exists foreign key (workspace_id, account_id) references leadline.accounts,
    constraint opportunities_lead_exists foreign key (workspace_id, lead_id) references leadline.leads,
    constraint opportunities_assignee_is_a_member foreign key (workspace_id, assigned_user_id) references leadline.memberships,
    constraint opportunities_won_have_their_packet check ((status = 'won') = (won_at is not null)
        and (status <> 'won' or amount > 0 and close_date is not null)),
    constraint opportunities_lost_have_their_reason check ((status = 'lost') = (lost_at is not null) and (lost_at is null) = (lost_reason is null))
) with (fillfactor = 80);
create index opportunities_newest_first on leadline.opportunities (workspace_id, created_at desc, opportunity_id desc);
create index opportunities_by_person on leadline.opportunities (workspace_id, person_id);
create index opportunities_by_account on leadline.opportunities (workspace_id, account_id) where account_id is not null;
create index opportunities_by_lead on leadline.opportunities (workspace_id, lead_id) where lead_id is not null;
create index opportunities_by_assignee on leadline.opportunities (workspace_id, assigned_user_id, created_at desc, opportunity_id desc);
comment on table leadline.opportunities is 'Deals, one row each, as their journal made them (seed 003). A sales lead is its own deal and has none.';
comment on column leadline.opportunities.workflow is 'The pipeline: new_business or expansion.';
comment on column leadline.opportunities.lead_id is 'The lead it was converted from.';
comment on column leadline.opportunities.amount is 'Money, exact, in currency.';
comment on column leadline.opportunities.close_date is 'The day it is expected to be decided; of a won one, the day it was.';
comment on column leadline.opportunities.problem is 'What the buyer confirmed. Personal: erased with the person.';
comment on column leadline.opportunities.decision_process is 'How the buyer decides, as confirmed. Personal: erased with the person.';
comment on column leadline.opportunities.next_step is 'What was agreed to happen next. Personal: erased with the person.';
comment on column leadline.opportunities.next_step_on is 'The day of the next step.';
comment on column leadline.opportunities.contacts is 'Contact roles: {"<person_id>": "<role>"}.';
comment on column leadline.opportunities.lost_reason is 'One of the seven reasons (seed 004 section 3).';
comment on column leadline.opportunities.lost_notes is 'The words that came with the reason. Personal: erased with the person.';
comment on column leadline.opportunities.hash is 'Head of the opportunity''s chain in opportunity_activity.';

alter table leadline.leads
    add column opportunity_id uuid,
    add constraint leads_opportunity_exists foreign key (workspace_id, opportunity_id) references leadline.opportunities;
create index leads_by_opportunity on leadline.leads (workspace_id, opportunity_id) where opportunity_id is not null;
comment on column leadline.leads.opportunity_id is 'The opportunity it was converted into.';

create table leadline.subscriptions (
    workspace_id     uuid not null,
    subscription_id  uuid not null default gen_random_uuid(),
    workflow         text not null default 'subscription',
    status           text not null,
    stage            text not null,
    stage_entered_at timestamptz not null,
    late_before      timestamptz,
    person_id        uuid not null,
    account_id       uuid,
    plan             text,
    started_at       timestamptz not null,
    cancelled_at     timestamptz,
    created_at       timestamptz not null,
    seq              int not null,
    version          int not null,
    hash             bytea,
    constraint subscriptions_pkey primary key (workspace_id, subscription_id),
    constraint subscriptions_workspace_exists foreign key (workspace_id) references leadline.workspaces,
    constraint subscriptions_stage_implies_status foreign key (workflow, stage, status) references leadline.rule_permitted,
    constraint subscriptions_person_exists foreign key (workspace_id, person_id) references leadline.people,
    constraint subscriptions_account_exists foreign key (workspace_id, account_id) references leadline.accounts,
    constraint subscriptions_cancelled_have_their_time check ((stage = 'cancelled') = (cancelled_at is not null))
) with (fillfactor = 80);
create index subscriptions_newest_first on leadline.subscriptions (workspace_id, created_at desc, subscription_id desc);
create index subscriptions_by_person on leadline.subscriptions (workspace_id, person_id);
create index subscriptions_by_account on leadline.subscriptions (workspace_id, account_id) where account_id is not null;
comment on table leadline.subscriptions is 'Who pays for what, as billing says (seed 003): trialing, active, past_due, cancelled. Moved by customer_activity, writer billing only.';
comment on column leadline.subscriptions.status is 'live, or ended once it is cancelled.';
comment on column leadline.subscriptions.hash is 'Head of the subscription''s chain in customer_activity.';

create table leadline.renewal_cycles (
    workspace_id    uuid not null,
    subscription_id uuid not null,
    period_start    date not null,
    period_end      date not null,
    stage           text not null default 'open',
    opened_at       timestamptz not null,
    settled_at      timestamptz,
    churn_reason    text,
    constraint renewal_cycles_pkey primary key (workspace_id, subscription_id, period_start),
    constraint renewal_cycles_subscription_exists foreign key (workspace_id, subscription_id) references leadline.subscriptions,
    constraint renewal_cycles_stage_is_known check (stage in ('open', 'renewed', 'churned')),
    constraint renewal_cycles_end_after_they_begin check (period_end > period_start),
    constraint renewal_cycles_settled_have_their_time check ((stage = 'open') = (settled_at is null)),
    constraint renewal_cycles_churned_say_why check (stage = 'churned' or churn_reason is null)
);
comment on table leadline.renewal_cycles is 'One row a renewal decision of a subscription (seed 003), one a period. Moved by customer_activity under the subscription''s lock.';
comment on column leadline.renewal_cycles.churn_reason is 'Why it was not renewed. Personal: erased with the person.';

do $$
declare
    v_journal record;
begin
    for v_journal in select * from (values ('opportunity_activity', 'opportunity', 'opportunities'), ('customer_activity', 'subscription', 'subscriptions')) j (name, subject, state) loop
        execute format($make$
            create table leadline.%1$I (like leadline.lead_activity including defaults);
            alter table leadline.%1$I rename column lead_id to %2$I;
            alter table leadline.%1$I
                add constraint %3$I primary key (workspace_id, activity_id),
                add constraint %4$I unique (workspace_id, %2$I, seq),
                add constraint %5$I foreign key (workspace_id, %2$I) references leadline.%6$I,
                add constraint %7$I foreign key (activity_type) references leadline.rule_activity_types,
                add constraint %8$I check (actor_kind in ('user', 'system', 'ai', 'integration')),
                add constraint %9$I check (verdict in ('applied', 'noted', 'refused', 'held')),
                add constraint %10$I check ((verdict = 'applied') = (changes is not null));
            create index %11$I on leadline.%1$I (workspace_id, transaction_id, activity_id);
            $make$, v_journal.name, v_journal.subject || '_id', v_journal.name || '_pkey', v_journal.name || '_seq_has_no_twin',
            v_journal.name || '_' || v_journal.subject || '_exists', v_journal.state, v_journal.name || '_type_is_known',
            v_journal.name || '_actor_is_known', v_journal.name || '_verdict_is_known', v_journal.name || '_applied_means_changed',
            v_journal.name || '_in_order_of_commit');
    end loop;
end $$;
comment on table leadline.opportunity_activity is 'The journal of opportunities. Insert a fact, read the verdict; rows never change.';
comment on table leadline.customer_activity is 'The journal of subscriptions and their renewal cycles, written by billing. Insert a fact, read the verdict; rows never change.';

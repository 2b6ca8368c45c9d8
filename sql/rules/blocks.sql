-- The transition blocks of seed 003: for every stage that can be entered, what proves it, who never enters, and how one leaves it.
-- From where, by which activity and which writer stands in the matrix; the view stage_model joins both. The letter of a block
-- says the workflow: A appointment, S sales, T qualification, R relationship, D new business, X expansion, C subscription, W workspace.
create temp table given_blocks (workflow text, block_id text, to_stage text, unit text, seed text, evidence text) on commit drop;
insert into given_blocks values
    ('appointment', 'A-NEW', 'new', 'lead', '000',
     'A lead is made: created, imported, or written in by an enquiry that met no open lead. Nobody has tried to reach it yet.'),
    ('appointment', 'A-ATTEMPTED', 'attempted', 'lead', '000',
     'The first attempt to reach the lead is logged by whoever made it: an attempt, a completed call, a meeting that was held, an e-mail that a person sent.'),
    ('appointment', 'A-CALLBACK', 'callback', 'lead', '000',
     'The lead asked to be called back, or called off the appointment that stood.'),
    ('appointment', 'A-SCHEDULED', 'scheduled', 'lead', '000',
     'The lead agreed to an appointment, and it is on record with its reference or its time. Here the appointment itself is the step; of a purchase it proves nothing.'),
    ('appointment', 'A-NO-SHOW', 'no_show', 'lead', '000',
     'The time of the scheduled appointment came and the lead did not, as whoever waited reports.'),
    ('appointment', 'A-SALE', 'sale', 'lead', '000',
     'At the scheduled appointment a presentation was given, and the lead bought; deal_value says for how much where it is known.'),
    ('appointment', 'A-NO-SALE', 'no_sale', 'lead', '000',
     'At the scheduled appointment a presentation was given, and the lead did not buy.'),
    ('appointment', 'A-REFUSED', 'refused', 'lead', '000', 'The lead said no to whoever reached it.'),
    ('appointment', 'A-WRONG-NUMBER', 'wrong_number', 'lead', '000', 'Somebody else answered: the number is not the lead''s.'),
    ('appointment', 'A-BAD-NUMBER', 'bad_number', 'lead', '000', 'The number is disconnected, or none at all.'),
    ('appointment', 'A-UNRESPONSIVE', 'unresponsive', 'lead', '000',
     'The lead was contacted at least once and no longer responds, as whoever tried reports.'),
    ('appointment', 'A-DUPLICATE', 'duplicate', 'lead', '000',
     'Another lead is the same one (duplicate_of names it where it is known), or an owner or admin merged this lead into it.'),
    ('appointment', 'A-DNC', 'dnc', 'lead', '000', 'The lead asked that nobody contact them any more. Counts however late it is told.'),

    ('sales', 'S-NEW', 'new', 'lead', '004 2',
     'A lead with its source and an e-mail address or a phone number is made: created, imported, or written in by an enquiry. Or a lost one writes in again, or a person reopens it.'),
    ('sales', 'S-CONTACTED', 'contacted', 'lead', '004 2',
     'A contact is on record: a completed call, a meeting that was held, a person''s e-mail, or lead_contacted. first_contacted_at keeps the first.'),
    ('sales', 'S-QUALIFIED', 'qualified', 'lead', '004 2',
     'Whoever works on the lead recorded that it meets the criteria (lead_qualified). A value may be given.'),
    ('sales', 'S-PROPOSAL', 'proposal', 'lead', '004 2', 'A proposal with a value above zero was sent.'),
    ('sales', 'S-WON', 'won', 'lead', '004 2', 'The buyer took the proposal: the deal is on record as won, with its final value above zero.'),
    ('sales', 'S-LOST', 'lost', 'lead', '004 2',
     'The deal is on record as lost for one of the seven reasons (Other with notes), or the lead asked that nobody contact them any more.'),

    ('qualification', 'T-NEW', 'new', 'lead', '003',
     'A request that passed the exclusions was received, or a lead was created or imported; nobody has decided on it. A recycled lead enters again on a new request, or on a reply, a call or a product signal dated after recycle_on.'),
    ('qualification', 'T-ACCEPTED', 'accepted', 'lead', '003',
     'Sales recorded that it takes the request on (request_accepted); requests.disposition_at keeps when each was decided first.'),
    ('qualification', 'T-ATTEMPTING', 'attempting', 'lead', '003',
     'The first attempt to reach the lead is logged by whoever made it: an attempt, or an e-mail that a person sent.'),
    ('qualification', 'T-CONNECTED', 'connected', 'lead', '003',
     'The lead was spoken to, or answered: a completed call, a meeting that was held, a reply, a message or a call from them.'),
    ('qualification', 'T-QUALIFIED', 'qualified', 'lead', '003',
     'Sales recorded problem, timing and buying role as the buyer confirmed them, on a lead that was accepted. A person''s first qualification is kept in people.first_qualified_at; later ones count on their requests.'),
    ('qualification', 'T-RECYCLED', 'recycled', 'lead', '003',
     'Sales put the lead aside with a reason of the list and a day that lies ahead.'),
    ('qualification', 'T-DISQUALIFIED', 'disqualified', 'lead', '003',
     'Sales rejected the last open request with a reason of the list; or the lead asked that nobody contact them, an exclusion turned the enquiry away, or a merge set the lead aside as duplicate.'),

    ('relationship', 'R-PROSPECT', 'prospect', 'person', '002',
     'Somebody is known by an address or a number: a lead, an import or an enquiry named them. Or one who was let go shows up again.'),
    ('relationship', 'R-QUALIFIED', 'qualified', 'person', '002',
     'The person answered or was spoken to: a reply, a message, a call either way, a meeting that was held.'),
    ('relationship', 'R-OPPORTUNITY', 'opportunity', 'person', '002',
     'The person asked for a quote or a price, a proposal was sent, or a deal exists that has its amount and close date.'),
    ('relationship', 'R-CLIENT', 'client', 'person', '002',
     'They bought: a sale or a won deal is on record, and a person with the right said yes to the commitment.'),
    ('relationship', 'R-ONBOARDING', 'onboarding', 'person', '002', 'It is on record, with the reason, that the client is being set up.'),
    ('relationship', 'R-ACTIVE', 'active', 'person', '002', 'It is on record, with the reason, that the client is set up and needs something only now and then.'),
    ('relationship', 'R-CLOSED', 'closed', 'person', '002', 'A person recorded, with the reason, that the relationship does not proceed.'),

    ('subscription', 'C-TRIALING', 'trialing', 'subscription', '003', 'Billing reports a subscription that begins with a trial.'),
    ('subscription', 'C-ACTIVE', 'active', 'subscription', '003', 'Billing reports a subscription that began without a trial, or a payment that succeeded.'),
    ('subscription', 'C-PAST-DUE', 'past_due', 'subscription', '003', 'Billing reports a payment that failed.'),
    ('subscription', 'C-CANCELLED', 'cancelled', 'subscription', '003', 'Billing reports that the subscription was cancelled.'),

    ('workspace', 'W-ACTIVE', 'active', 'workspace', '004 1.4', 'The administrator of the database made the workspace.'),
    ('workspace', 'W-CLOSED', 'closed', 'workspace', '004 1.4', 'An owner, or the administrator of the database, closed the workspace.');
insert into given_blocks
select p.pipeline, p.letter || b.block_id, b.to_stage, 'opportunity', '003', b.evidence
from (values ('new_business', 'D'), ('expansion', 'X')) p (pipeline, letter)
cross join (values
    ('-EVALUATION', 'evaluation', 'A deal with a person is on record: sales opened it, or the conversion of a qualified lead did.'),
    ('-PROPOSAL', 'proposal', 'The buyer confirmed problem, decision process and a next step with its day, and the buying contact is named; all five stand on the deal.'),
    ('-CLOSEDWON', 'closedwon', 'The buyer took the proposal: the deal is on record as won, with an amount above zero and its close date.'),
    ('-CLOSEDLOST', 'closedlost', 'The deal is on record as lost for one of the seven reasons (Other with notes).'),
    ('-WITHDRAWN', 'withdrawn', 'The qualified lead that this deal came of was corrected, and its conversion taken back: it never was a deal.')) b (block_id, to_stage, evidence);

-- Who never enters, where they go instead, and whose they are there.
create temp table given_exclusions (workflows text[], to_stages text[], exclude text, path text, owner text) on commit drop;
insert into given_exclusions values
    ('{appointment,sales,qualification}', '{new}', 'competitor',
     'The enquiry makes a qualification lead that is disqualified as competitor; nobody is told, and no clock runs.', 'admins, who keep the accounts'),
    ('{appointment,sales,qualification}', '{new}', 'test',
     'The enquiry makes a qualification lead that is disqualified as test, outside every denominator.', 'admins, who keep the sources'),
    ('{appointment,sales,qualification}', '{new}', 'spam',
     'The enquiry makes a qualification lead that is disqualified as spam, outside every denominator.', 'admins, who keep the sources'),
    ('{appointment,sales,qualification}', '{new}', 'an enquiry by the address of an open lead',
     'It becomes a request on that lead, which waits for an answer.', 'the lead''s assignee, else the admins'),
    ('{appointment,sales,qualification}', '{new}', 'existing customer',
     'The request goes by route customer, not to new business.', 'the account''s owner, else the admins'),
    ('{appointment,sales,qualification}', '{new}', 'open opportunity',
     'The request goes by route opportunity, not to new business.', 'the opportunity''s assignee, else the admins'),
    ('{appointment,sales,qualification}', '{new}', 'partner',
     'The request goes by route partner, not to new business.', 'the partner account''s owner, else the admins'),
    ('{appointment,sales,qualification}', '{attempted,contacted,attempting}', 'an e-mail that no person sent, a call or meeting that a system logged',
     'It is noted not_a_person on the lead, and the stage stays.', 'the lead''s assignee'),
    ('{qualification}', '{connected}', 'a call or meeting that a system logged',
     'It is noted not_a_person on the lead, and the stage stays.', 'the lead''s assignee'),
    ('{qualification}', '{qualified}', 'a lead that nobody accepted',
     'It is refused qualified_needs_accept; request_accepted comes first.', 'the lead''s assignee'),
    ('{sales}', '{won}', 'a deal without a proposal',
     'It is refused won_needs_proposal; proposal_sent comes first.', 'the lead''s assignee'),
    ('{relationship}', '{qualified}', 'a meeting that is only booked, an e-mail opened, a page viewed',
     'It stands on the lead, if anywhere, and proposes nothing.', 'the lead''s assignee'),
    ('{relationship}', '{opportunity}', 'an enquiry of class contact',
     'It is a request on a lead and proposes nothing.', 'the request''s owner'),
    ('{relationship}', '{client,onboarding,active}', 'a move from before client that only an app or a workflow asks for',
     'It is held as client_needs_a_person and waits in approval_queue.', 'the approvers: owners and admins, unless the workspace says otherwise'),
    ('{new_business}', '{evaluation}', 'a further purchase of a customer',
     'It is a deal of the pipeline expansion.', 'the account''s owner'),
    ('{expansion}', '{evaluation}', 'a first purchase',
     'It is a deal of the pipeline new_business.', 'new business'),
    ('{new_business,expansion}', '{evaluation}', 'a lead of the workflow sales',
     'It is its own deal and is not converted, so that revenue counts once.', 'the lead''s assignee'),
    ('{subscription}', '{trialing}', 'a trial that billing does not know',
     'It is a request of class trial_signup on a lead.', 'the request''s owner');

-- How one leaves a stage: forward, for later, out, and back by a correction; or why not.
create temp table given_exits (workflows text[], to_stages text[], way text, sentence text) on commit drop;
insert into given_exits values
    ('{appointment}', '{new}', 'advance', 'The first attempt takes it to attempted, callback_requested to callback, appointment_scheduled to scheduled.'),
    ('{appointment}', '{attempted}', 'advance', 'callback_requested takes it to callback, appointment_scheduled to scheduled.'),
    ('{appointment}', '{callback}', 'advance', 'appointment_scheduled takes it to scheduled.'),
    ('{appointment}', '{scheduled}', 'advance', 'sale or no_sale resolves it; appointment_no_show takes it to no_show, appointment_cancel to callback.'),
    ('{appointment}', '{no_show}', 'advance', 'appointment_scheduled takes it back to scheduled, callback_requested to callback.'),
    ('{appointment}', '{new,attempted,callback,scheduled,no_show}', 'recycle', 'Does not apply: who wants to be called later is at callback, with callback_at.'),
    ('{appointment}', '{new}', 'disqualify', 'refused, wrong_number, bad_number, duplicate or dnc resolves it; unresponsive needs a contact first.'),
    ('{appointment}', '{attempted,callback,scheduled,no_show}', 'disqualify', 'refused, wrong_number, bad_number, unresponsive, duplicate or dnc resolves it.'),
    ('{appointment}', '{new,attempted,callback,scheduled,no_show}', 'correction', 'Does not apply: the stages follow what happened, so what happened next is logged.'),
    ('{appointment}', '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'advance', 'Does not apply: resolved is final (seed 000).'),
    ('{appointment}', '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'recycle', 'Does not apply: resolved is final; lead_created with copied_from starts again as a new lead.'),
    ('{appointment}', '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,duplicate,dnc}', 'disqualify', 'Does not apply: it is resolved.'),
    ('{appointment}', '{sale,no_sale,refused,wrong_number,bad_number,unresponsive,dnc}', 'correction', 'Does not apply: resolved is final; a wrong outcome stays in the history, and lead_created with copied_from starts again.'),
    ('{appointment}', '{duplicate}', 'correction', 'An owner or admin takes a merge back with leads_unmerged; without a merge, resolved is final.'),

    ('{sales}', '{new}', 'advance', 'A contact takes it to contacted, lead_qualified to qualified, proposal_sent to proposal.'),
    ('{sales}', '{contacted}', 'advance', 'lead_qualified takes it to qualified, proposal_sent to proposal.'),
    ('{sales}', '{qualified}', 'advance', 'proposal_sent with a value above zero takes it to proposal.'),
    ('{sales}', '{proposal}', 'advance', 'deal_won takes it to won.'),
    ('{sales}', '{won}', 'advance', 'Does not apply: the pipeline ends here; the person goes on as a client once somebody said yes.'),
    ('{sales}', '{lost}', 'advance', 'Does not apply: a lost lead goes on only after it came back.'),
    ('{sales}', '{new,contacted,qualified,proposal}', 'recycle', 'Does not apply as a stage: a deal for later is lost with reason Timing, and comes back by an enquiry or lead_reopened.'),
    ('{sales}', '{won}', 'recycle', 'Does not apply: the deal is over; the next one is a lead of its own.'),
    ('{sales}', '{lost}', 'recycle', 'An enquiry by its address brings it back to new, a person''s lead_reopened to any active stage; either records lead_resurrected.'),
    ('{sales}', '{new,contacted,qualified,proposal}', 'disqualify', 'deal_lost with one of the seven reasons takes it to lost; dnc too, as Other.'),
    ('{sales}', '{won}', 'disqualify', 'Does not apply: a won deal is not lost, unless it is corrected.'),
    ('{sales}', '{lost}', 'disqualify', 'Does not apply: it is lost; another deal_lost changes reason and notes.'),
    ('{sales}', '{new}', 'correction', 'Does not apply: nothing lies before it.'),
    ('{sales}', '{contacted,qualified,proposal}', 'correction', 'An owner or admin takes it back with stage_corrected and a reason.'),
    ('{sales}', '{won}', 'correction', 'An owner or admin takes it back to an active stage, or to lost, with stage_corrected and a reason.'),
    ('{sales}', '{lost}', 'correction', 'An owner or admin takes it back to an active stage with stage_corrected and a reason.'),

    ('{qualification}', '{new}', 'advance', 'request_accepted takes it to accepted, an attempt to attempting, a conversation or a reply to connected.'),
    ('{qualification}', '{accepted}', 'advance', 'An attempt takes it to attempting, a conversation or a reply to connected, lead_qualified with its evidence to qualified.'),
    ('{qualification}', '{attempting}', 'advance', 'A conversation or a reply takes it to connected; once it is accepted, lead_qualified with its evidence to qualified.'),
    ('{qualification}', '{connected}', 'advance', 'Once it is accepted, lead_qualified with problem, timing and buying role takes it to qualified.'),
    ('{qualification}', '{qualified}', 'advance', 'lead_converted hands it over: an opportunity is opened or joined, and the stage stays.'),
    ('{qualification}', '{recycled}', 'advance', 'A new request, or a reply, call or signal dated after recycle_on, takes it to new.'),
    ('{qualification}', '{disqualified}', 'advance', 'Does not apply: a further enquiry makes a new lead of the same person.'),
    ('{qualification}', '{new,accepted,attempting,connected}', 'recycle', 'lead_recycled with a reason of the list and a day ahead takes it to recycled.'),
    ('{qualification}', '{qualified}', 'recycle', 'Does not apply: what is put off now is the opportunity.'),
    ('{qualification}', '{recycled}', 'recycle', 'Another lead_recycled changes reason and day.'),
    ('{qualification}', '{disqualified}', 'recycle', 'Does not apply: a rejected lead is not kept for later.'),
    ('{qualification}', '{new,accepted,attempting,connected}', 'disqualify', 'request_rejected with a reason of the list takes it to disqualified, unless another request waits; dnc at once.'),
    ('{qualification}', '{qualified}', 'disqualify', 'Does not apply: it is refused already_closed; from here the opportunity is lost.'),
    ('{qualification}', '{recycled}', 'disqualify', 'request_rejected with a reason of the list, or dnc, takes it to disqualified.'),
    ('{qualification}', '{disqualified}', 'disqualify', 'Does not apply: it is disqualified.'),
    ('{qualification}', '{new}', 'correction', 'Does not apply: nothing lies before it.'),
    ('{qualification}', '{accepted,attempting,connected,recycled}', 'correction', 'An owner or admin takes it back to an open stage with stage_corrected and a reason.'),
    ('{qualification}', '{qualified}', 'correction', 'An owner or admin takes it back to an open stage with stage_corrected and a reason; its conversion is undone unless that deal is won or lost.'),
    ('{qualification}', '{disqualified}', 'correction', 'An owner or admin takes it back to an open stage with stage_corrected and a reason, or takes a merge back with leads_unmerged.'),

    ('{relationship}', '{prospect}', 'advance', 'A reply or a conversation proposes qualified; relationship_advanced with a reason goes anywhere forward.'),
    ('{relationship}', '{qualified}', 'advance', 'A quote or pricing question, a proposal or a deal with amount and close date proposes opportunity.'),
    ('{relationship}', '{opportunity}', 'advance', 'A sale or a won deal proposes client; it is held until a person says yes with approval_granted.'),
    ('{relationship}', '{client}', 'advance', 'relationship_advanced with a reason takes them to onboarding.'),
    ('{relationship}', '{onboarding}', 'advance', 'relationship_advanced with a reason takes them to active.'),
    ('{relationship}', '{active}', 'advance', 'Does not apply: it is the last of the six.'),
    ('{relationship}', '{closed}', 'advance', 'closed ranks before everything: any proposal, or relationship_advanced with a reason, starts over.'),
    ('{relationship}', '{prospect,qualified,opportunity,client,onboarding,active,closed}', 'recycle', 'Does not apply: putting off is the lead''s matter, and the relationship stays where it is (seed 003).'),
    ('{relationship}', '{prospect,qualified,opportunity,client,onboarding,active}', 'disqualify', 'A person logs relationship_closed with a reason; disqualifying a lead leaves the relationship where it is.'),
    ('{relationship}', '{closed}', 'disqualify', 'Does not apply: it is closed.'),
    ('{relationship}', '{prospect}', 'correction', 'Does not apply: nothing lies before it.'),
    ('{relationship}', '{qualified,opportunity,client,onboarding,active}', 'correction', 'A person goes back with relationship_advanced, backward: true and a reason; furthest_stage stays.'),
    ('{relationship}', '{closed}', 'correction', 'relationship_advanced with a reason takes them to where they stood.'),

    ('{new_business,expansion}', '{evaluation}', 'advance', 'A person logs opportunity_advanced with the five things that the buyer confirmed.'),
    ('{new_business,expansion}', '{proposal}', 'advance', 'opportunity_won with an amount above zero and a close date takes it to closedwon.'),
    ('{new_business,expansion}', '{closedwon}', 'advance', 'Does not apply: the pipeline ends here; the person goes on as a client once somebody said yes.'),
    ('{new_business,expansion}', '{closedlost}', 'advance', 'Does not apply: the next attempt is a deal of its own.'),
    ('{new_business,expansion}', '{withdrawn}', 'advance', 'Does not apply: when the lead is converted again, that opens a new deal.'),
    ('{new_business,expansion}', '{evaluation,proposal}', 'recycle', 'Does not apply as a stage: a deal for later gets a later close date, or is lost with reason Timing.'),
    ('{new_business,expansion}', '{closedwon,closedlost,withdrawn}', 'recycle', 'Does not apply: the deal is over.'),
    ('{new_business,expansion}', '{evaluation,proposal}', 'disqualify', 'opportunity_lost with one of the seven reasons takes it to closedlost.'),
    ('{new_business,expansion}', '{closedwon}', 'disqualify', 'Does not apply: a won deal is not lost, unless it is corrected.'),
    ('{new_business,expansion}', '{closedlost}', 'disqualify', 'Does not apply: it is lost; another opportunity_lost changes reason and notes.'),
    ('{new_business,expansion}', '{withdrawn}', 'disqualify', 'Does not apply: it never was a deal.'),
    ('{new_business,expansion}', '{evaluation}', 'correction', 'Does not apply: nothing lies before it; when the lead is corrected, conversion_undone withdraws it.'),
    ('{new_business,expansion}', '{proposal}', 'correction', 'An owner or admin takes it back to evaluation with stage_corrected and a reason.'),
    ('{new_business,expansion}', '{closedwon}', 'correction', 'An owner or admin takes it back to an open stage, or to closedlost, with stage_corrected and a reason.'),
    ('{new_business,expansion}', '{closedlost}', 'correction', 'An owner or admin takes it back to an open stage with stage_corrected and a reason.'),
    ('{new_business,expansion}', '{withdrawn}', 'correction', 'Does not apply: stage_corrected is refused opportunity_is_withdrawn; the lead is converted again instead.'),

    ('{subscription}', '{trialing,past_due}', 'advance', 'payment_succeeded takes it to active.'),
    ('{subscription}', '{active}', 'advance', 'Does not apply: it is paid; every renewal is decided on its own cycle.'),
    ('{subscription}', '{cancelled}', 'advance', 'Does not apply: who comes back gets a subscription of their own.'),
    ('{subscription}', '{trialing,active,past_due}', 'recycle', 'Does not apply: it lives or ends; nobody puts it off.'),
    ('{subscription}', '{cancelled}', 'recycle', 'Does not apply: it has ended.'),
    ('{subscription}', '{trialing,active}', 'disqualify', 'payment_failed takes it to past_due, subscription_cancelled ends it.'),
    ('{subscription}', '{past_due}', 'disqualify', 'subscription_cancelled ends it.'),
    ('{subscription}', '{cancelled}', 'disqualify', 'Does not apply: it has ended.'),
    ('{subscription}', '{trialing,active,past_due}', 'correction', 'Does not apply: billing alone knows, and its next report puts it right.'),
    ('{subscription}', '{cancelled}', 'correction', 'Does not apply: billing starts a new subscription.'),

    ('{workspace}', '{active}', 'advance', 'Does not apply: there is nothing further.'),
    ('{workspace}', '{active}', 'recycle', 'Does not apply: a workspace is not put off.'),
    ('{workspace}', '{active}', 'disqualify', 'workspace_closed ends it for good.'),
    ('{workspace}', '{active}', 'correction', 'Does not apply: nothing lies before it.'),
    ('{workspace}', '{closed}', 'advance', 'Does not apply: nobody enters a closed workspace again.'),
    ('{workspace}', '{closed}', 'recycle', 'Does not apply: nobody enters a closed workspace again.'),
    ('{workspace}', '{closed}', 'disqualify', 'Does not apply: it is closed.'),
    ('{workspace}', '{closed}', 'correction', 'Does not apply: closing is for good; a new workspace is made.');

-- An exit that nobody wrote is null, and one written twice is two rows: either ends the deploy.
create temp table listed_blocks on commit drop as
select b.block_id, b.workflow, b.to_stage, b.unit, b.evidence,
    coalesce((select jsonb_agg(jsonb_build_object('exclude', x.exclude, 'path', x.path, 'owner', x.owner) order by x.ctid)
        from given_exclusions x where b.workflow = any (x.workflows) and b.to_stage = any (x.to_stages)), '[]') as exclusions,
    case w.journal
        when 'lead_activity' then 'leads'
        when 'relationship_activity' then 'people'
        when 'opportunity_activity' then 'opportunities'
        when 'customer_activity' then 'subscriptions'
        when 'workspace_activity' then 'workspaces' end
        || '.' || coalesce(s.entry_timestamp, 'stage_entered_at') as entry_timestamp,
    (select e.sentence from given_exits e where b.workflow = any (e.workflows) and b.to_stage = any (e.to_stages) and e.way = 'advance') as advance,
    (select e.sentence from given_exits e where b.workflow = any (e.workflows) and b.to_stage = any (e.to_stages) and e.way = 'recycle') as recycle,
    (select e.sentence from given_exits e where b.workflow = any (e.workflows) and b.to_stage = any (e.to_stages) and e.way = 'disqualify') as disqualify,
    (select e.sentence from given_exits e where b.workflow = any (e.workflows) and b.to_stage = any (e.to_stages) and e.way = 'correction') as correction,
    b.seed
from given_blocks b
join leadline.rule_workflows w on w.workflow = b.workflow
left join given_stages s on s.workflow = b.workflow and s.stage = b.to_stage;

delete from leadline.rule_blocks b
where not exists (select from listed_blocks g where (g.block_id, g.workflow, g.to_stage) = (b.block_id, b.workflow, b.to_stage));
insert into leadline.rule_blocks as b
    (block_id, workflow, to_stage, unit, evidence, exclusions, entry_timestamp, advance, recycle, disqualify, correction, seed)
select * from listed_blocks
on conflict (block_id) do update
    set unit = excluded.unit, evidence = excluded.evidence, exclusions = excluded.exclusions, entry_timestamp = excluded.entry_timestamp,
        advance = excluded.advance, recycle = excluded.recycle, disqualify = excluded.disqualify, correction = excluded.correction, seed = excluded.seed
    where to_jsonb(b) is distinct from to_jsonb(excluded);

-- A model with a hole is not deployed: every stage that something leads to has its block, and every block a way into it.
do $$
declare
    v_without text;
    v_unused text;
begin
    select string_agg(distinct a.workflow || '.' || a.to_stage, ', ') into v_without from leadline.stage_arrows a
    where not exists (select from leadline.rule_blocks b where (b.workflow, b.to_stage) = (a.workflow, a.to_stage));
    select string_agg(b.block_id, ', ' order by b.block_id) into v_unused from leadline.rule_blocks b
    where not exists (select from leadline.stage_arrows a where (a.workflow, a.to_stage) = (b.workflow, b.to_stage));
    if v_without is not null or v_unused is not null then
        raise exception 'The stage model has a hole.' using errcode = 'check_violation',
            detail = concat_ws('; ', 'stages without a block: ' || v_without, 'blocks that nothing leads to: ' || v_unused),
            hint = 'Add the block to sql/rules/blocks.sql, or take it out.';
    end if;
end $$;

-- Written by scripts/dump-schema; never edited.
--
-- PostgreSQL database dump
--

\restrict leadline


SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: leads; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.leads (
    workspace_id uuid NOT NULL,
    lead_id uuid DEFAULT gen_random_uuid() NOT NULL,
    workflow text NOT NULL,
    status text NOT NULL,
    stage text NOT NULL,
    stage_entered_at timestamp with time zone NOT NULL,
    late_before timestamp with time zone,
    source text NOT NULL,
    name text,
    company text,
    email text,
    email_key text,
    phone text,
    phone_key text,
    assigned_user_id uuid,
    deal_value leadline.money_amount,
    currency leadline.currency_code,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    first_contacted_at timestamp with time zone,
    last_touch_at timestamp with time zone,
    resolved_at timestamp with time zone,
    appointment_ref text,
    appointment_at timestamp with time zone,
    callback_at timestamp with time zone,
    duplicate_of uuid,
    copied_from uuid,
    created_at timestamp with time zone NOT NULL,
    seq integer NOT NULL,
    version integer NOT NULL,
    hash bytea,
    email_stem text,
    waiting_since timestamp with time zone,
    won_at timestamp with time zone,
    lost_at timestamp with time zone,
    lost_reason leadline.lost_reason,
    lost_notes text,
    is_possible_duplicate boolean DEFAULT false NOT NULL,
    possible_duplicate_of uuid,
    merged_into uuid,
    rejection_reason text,
    person_id uuid NOT NULL,
    accepted_at timestamp with time zone,
    recycle_reason text,
    recycle_on date,
    problem text,
    timing text,
    buying_role text,
    opportunity_id uuid,
    CONSTRAINT leads_place_has_what_it_needs CHECK (leadline_internal.place_has_what_it_needs(workflow, status, stage, resolved_at, won_at, lost_at, (lost_reason)::text, (deal_value)::numeric, first_contacted_at, rejection_reason, accepted_at, recycle_reason, recycle_on))
)
WITH (fillfactor='80');


--
-- Name: TABLE leads; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.leads IS 'The leads as their journal made them: nobody updates this table but the trigger of lead_activity.';


--
-- Name: COLUMN leads.status; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.status IS 'The high-level bucket: open or resolved (seed 000).';


--
-- Name: COLUMN leads.stage; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.stage IS 'Where the lead is within its workflow; with status and workflow a row of rule_permitted.';


--
-- Name: COLUMN leads.stage_entered_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.stage_entered_at IS 'When the facts of the present stage happened; never runs backwards.';


--
-- Name: COLUMN leads.late_before; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.late_before IS 'A moving activity that happened more than a minute before this is superseded; null in the first stage of a lead created here.';


--
-- Name: COLUMN leads.source; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.source IS 'Where the lead came from: the payload''s word, else the class of the writer.';


--
-- Name: COLUMN leads.email_key; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.email_key IS 'leadline.email_key(email); what matching compares.';


--
-- Name: COLUMN leads.phone_key; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.phone_key IS 'leadline.phone_key(phone); what matching compares.';


--
-- Name: COLUMN leads.deal_value; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.deal_value IS 'Money, exact, in currency.';


--
-- Name: COLUMN leads.first_contacted_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.first_contacted_at IS 'The first contact by a person; set once, then locked (seed 004).';


--
-- Name: COLUMN leads.last_touch_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.last_touch_at IS 'The latest touch, in or out, by when it happened.';


--
-- Name: COLUMN leads.resolved_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.resolved_at IS 'When the outcome happened; set once.';


--
-- Name: COLUMN leads.appointment_ref; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.appointment_ref IS 'The booking system''s name of the current appointment.';


--
-- Name: COLUMN leads.callback_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.callback_at IS 'When the lead asked to be called back.';


--
-- Name: COLUMN leads.seq; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.seq IS 'Rows in the lead''s journal.';


--
-- Name: COLUMN leads.version; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.version IS 'Applied rows in the lead''s journal.';


--
-- Name: COLUMN leads.hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.hash IS 'Head of the lead''s chain in lead_activity.';


--
-- Name: COLUMN leads.email_stem; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.email_stem IS 'leadline.email_stem(email_key) where it differs from the key.';


--
-- Name: COLUMN leads.waiting_since; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.waiting_since IS 'Since when somebody waits for an answer; null after a person''s touch and when the lead closes.';


--
-- Name: COLUMN leads.won_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.won_at IS 'When the deal was won; null again when that is corrected.';


--
-- Name: COLUMN leads.lost_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.lost_at IS 'When the deal was lost; null again when the lead comes back.';


--
-- Name: COLUMN leads.lost_reason; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.lost_reason IS 'One of the seven reasons (seed 004 section 3).';


--
-- Name: COLUMN leads.lost_notes; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.lost_notes IS 'The words that came with the reason. Personal: erased with the person.';


--
-- Name: COLUMN leads.is_possible_duplicate; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.is_possible_duplicate IS 'Another open lead looks like the same person; a person decides (seed 004 rule 7.2).';


--
-- Name: COLUMN leads.merged_into; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.merged_into IS 'The lead that goes on in this one''s place.';


--
-- Name: COLUMN leads.rejection_reason; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.rejection_reason IS 'Why a qualification lead was turned away.';


--
-- Name: COLUMN leads.person_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.person_id IS 'Whose lead it is, for life; a person may have several.';


--
-- Name: COLUMN leads.accepted_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.accepted_at IS 'When sales accepted the lead; null again when it comes back new.';


--
-- Name: COLUMN leads.recycle_reason; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.recycle_reason IS 'Why nobody works on it for now.';


--
-- Name: COLUMN leads.recycle_on; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.recycle_on IS 'Only evidence dated after this day, in the workspace''s zone, brings it back.';


--
-- Name: COLUMN leads.problem; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.problem IS 'What the buyer wants solved, as confirmed. Personal: erased with the person.';


--
-- Name: COLUMN leads.timing; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.timing IS 'When they want it, as confirmed. Personal: erased with the person.';


--
-- Name: COLUMN leads.buying_role; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.buying_role IS 'The contact''s part in the decision, as confirmed. Personal: erased with the person.';


--
-- Name: COLUMN leads.opportunity_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.leads.opportunity_id IS 'The opportunity it was converted into.';


--
-- Name: rulings; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.rulings (
    workflow text NOT NULL,
    activity_type text NOT NULL,
    stage text NOT NULL,
    journal text NOT NULL,
    effect text NOT NULL,
    to_stage text,
    to_status text,
    entry_timestamp text,
    rule text,
    type_moves boolean NOT NULL,
    touch text,
    is_contact boolean NOT NULL,
    contact_by text NOT NULL,
    is_outcome boolean NOT NULL,
    is_never_late boolean NOT NULL,
    is_system_only boolean NOT NULL,
    writers text[] NOT NULL,
    known_keys text[] NOT NULL,
    key_types jsonb NOT NULL,
    open_keys text[] NOT NULL,
    needed_keys text[] NOT NULL,
    nullable_keys text[] NOT NULL,
    status text NOT NULL,
    is_open boolean NOT NULL,
    awaits_answer boolean NOT NULL,
    needs_person boolean NOT NULL,
    personal_fields text[] NOT NULL
);


--
-- Name: TABLE rulings; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.rulings IS 'The whole law, one row a question: every workflow × activity type × stage with its cell, its type and its keys. Gathered from the rule tables at every deploy, so that a decision costs one look-up.';


--
-- Name: COLUMN rulings.type_moves; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON COLUMN leadline_internal.rulings.type_moves IS 'The activity moves from some stage of this workflow, so here too it can come too late.';


--
-- Name: webhook_logs; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.webhook_logs (
    workspace_id uuid NOT NULL,
    log_id bigint NOT NULL,
    source_id uuid NOT NULL,
    received_at timestamp with time zone NOT NULL,
    headers jsonb,
    content_type text,
    body bytea,
    event_id text,
    status text NOT NULL,
    error text,
    attempts integer DEFAULT 1 NOT NULL,
    processed_at timestamp with time zone,
    results jsonb,
    purged_at timestamp with time zone,
    ticket uuid,
    CONSTRAINT webhook_logs_purged_ones_keep_no_body CHECK (((purged_at IS NULL) OR ((body IS NULL) AND (headers IS NULL)))),
    CONSTRAINT webhook_logs_status_is_known CHECK ((status = ANY (ARRAY['received'::text, 'processed'::text, 'unmapped'::text, 'unparsed'::text, 'mapping_failed'::text, 'bad_signature'::text])))
);


--
-- Name: TABLE webhook_logs; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.webhook_logs IS 'Every delivery to a known address as it came, stored before anything is made of it (seed 004 rule 8.2).';


--
-- Name: COLUMN webhook_logs.headers; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.headers IS 'Names in lower case, without authorization and cookie; :method and :uri are the request line.';


--
-- Name: COLUMN webhook_logs.body; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.body IS 'The bytes as they came; null once purged.';


--
-- Name: COLUMN webhook_logs.event_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.event_id IS 'The sender''s name for the event: a redelivery has the same.';


--
-- Name: COLUMN webhook_logs.status; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.status IS 'received (nothing made of it yet), processed, unmapped (nothing in it is known), unparsed, mapping_failed (something in it could not be logged), bad_signature.';


--
-- Name: COLUMN webhook_logs.attempts; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.attempts IS 'Times that something was to be made of it: 1, and one more for every replay.';


--
-- Name: COLUMN webhook_logs.results; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.results IS 'One object an activity: what was logged (verdict, rule, lead_id, activity_id), what failed and why; no personal text.';


--
-- Name: COLUMN webhook_logs.ticket; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_logs.ticket IS 'Who holds it may make something of this delivery, once.';


--
-- Name: opportunities; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.opportunities (
    workspace_id uuid NOT NULL,
    opportunity_id uuid DEFAULT gen_random_uuid() NOT NULL,
    workflow text NOT NULL,
    status text NOT NULL,
    stage text NOT NULL,
    stage_entered_at timestamp with time zone NOT NULL,
    late_before timestamp with time zone,
    person_id uuid NOT NULL,
    account_id uuid,
    lead_id uuid,
    assigned_user_id uuid,
    amount leadline.money_amount,
    currency leadline.currency_code,
    close_date date,
    problem text,
    decision_process text,
    next_step text,
    next_step_on date,
    contacts jsonb DEFAULT '{}'::jsonb NOT NULL,
    won_at timestamp with time zone,
    lost_at timestamp with time zone,
    lost_reason leadline.lost_reason,
    lost_notes text,
    created_at timestamp with time zone NOT NULL,
    seq integer NOT NULL,
    version integer NOT NULL,
    hash bytea,
    CONSTRAINT opportunities_lost_have_their_reason CHECK ((((status = 'lost'::text) = (lost_at IS NOT NULL)) AND ((lost_at IS NULL) = (lost_reason IS NULL)))),
    CONSTRAINT opportunities_won_have_their_packet CHECK ((((status = 'won'::text) = (won_at IS NOT NULL)) AND ((status <> 'won'::text) OR (((amount)::numeric > (0)::numeric) AND (close_date IS NOT NULL)))))
)
WITH (fillfactor='80');


--
-- Name: TABLE opportunities; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.opportunities IS 'Deals, one row each, as their journal made them (seed 003). A sales lead is its own deal and has none.';


--
-- Name: COLUMN opportunities.workflow; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.workflow IS 'The pipeline: new_business or expansion.';


--
-- Name: COLUMN opportunities.lead_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.lead_id IS 'The lead it was converted from.';


--
-- Name: COLUMN opportunities.amount; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.amount IS 'Money, exact, in currency.';


--
-- Name: COLUMN opportunities.close_date; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.close_date IS 'The day it is expected to be decided; of a won one, the day it was.';


--
-- Name: COLUMN opportunities.problem; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.problem IS 'What the buyer confirmed. Personal: erased with the person.';


--
-- Name: COLUMN opportunities.decision_process; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.decision_process IS 'How the buyer decides, as confirmed. Personal: erased with the person.';


--
-- Name: COLUMN opportunities.next_step; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.next_step IS 'What was agreed to happen next. Personal: erased with the person.';


--
-- Name: COLUMN opportunities.next_step_on; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.next_step_on IS 'The day of the next step.';


--
-- Name: COLUMN opportunities.contacts; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.contacts IS 'Contact roles: {"<person_id>": "<role>"}.';


--
-- Name: COLUMN opportunities.lost_reason; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.lost_reason IS 'One of the seven reasons (seed 004 section 3).';


--
-- Name: COLUMN opportunities.lost_notes; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.lost_notes IS 'The words that came with the reason. Personal: erased with the person.';


--
-- Name: COLUMN opportunities.hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.opportunities.hash IS 'Head of the opportunity''s chain in opportunity_activity.';


--
-- Name: webhook_sources; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.webhook_sources (
    workspace_id uuid NOT NULL,
    source_id uuid DEFAULT gen_random_uuid() NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    preset text,
    mapping jsonb,
    scheme text NOT NULL,
    signature jsonb DEFAULT '{}'::jsonb NOT NULL,
    secret text,
    verify_token_hash bytea,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT webhook_sources_name_says_something CHECK ((name ~ '\S'::text)),
    CONSTRAINT webhook_sources_say_what_bodies_mean CHECK (((preset IS NOT NULL) OR (mapping IS NOT NULL))),
    CONSTRAINT webhook_sources_scheme_is_known CHECK ((scheme = ANY (ARRAY['none'::text, 'standard_webhooks'::text, 'hmac'::text, 'timestamped_hmac'::text, 'hubspot_v3'::text]))),
    CONSTRAINT webhook_sources_that_sign_have_a_secret CHECK (((scheme = 'none'::text) = (secret IS NULL)))
);


--
-- Name: TABLE webhook_sources; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.webhook_sources IS 'Addresses that other systems post to. Never deleted, only removed; read through the view webhooks.';


--
-- Name: COLUMN webhook_sources.key; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_sources.key IS 'The unguessable part of the address /v1/hooks/<key>; it leads to the workspace.';


--
-- Name: COLUMN webhook_sources.mapping; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_sources.mapping IS 'What the bodies mean (docs/sql.md); null: as the preset says.';


--
-- Name: COLUMN webhook_sources.scheme; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_sources.scheme IS 'How deliveries are signed: none, standard_webhooks, hmac, timestamped_hmac, hubspot_v3.';


--
-- Name: COLUMN webhook_sources.signature; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_sources.signature IS 'Details of the scheme: header, encoding, prefix, tolerance_s, origin.';


--
-- Name: COLUMN webhook_sources.secret; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_sources.secret IS 'Signs deliveries. Granted to nobody: signatures are checked inside the database.';


--
-- Name: COLUMN webhook_sources.verify_token_hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.webhook_sources.verify_token_hash IS 'sha256 of the token that the handshake must bring.';


--
-- Name: approvals; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.approvals (
    workspace_id uuid NOT NULL,
    approval_id uuid DEFAULT gen_random_uuid() NOT NULL,
    person_id uuid NOT NULL,
    to_stage text NOT NULL,
    activity_id bigint NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    settled_by bigint,
    settled_by_user uuid,
    CONSTRAINT approvals_open_ones_are_not_settled CHECK ((((status = 'open'::text) = (settled_by IS NULL)) AND ((settled_by IS NULL) = (settled_at IS NULL)))),
    CONSTRAINT approvals_status_is_known CHECK ((status = ANY (ARRAY['open'::text, 'granted'::text, 'declined'::text, 'expired'::text, 'stale'::text])))
);


--
-- Name: TABLE approvals; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.approvals IS 'Moves that wait for a person''s yes (seed 002): one open approval a person and destination. What relationship_activity made of them; the held row itself stays as it is.';


--
-- Name: COLUMN approvals.activity_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.approvals.activity_id IS 'The held activity of relationship_activity.';


--
-- Name: COLUMN approvals.status; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.approvals.status IS 'open; granted, declined or expired; stale when the facts had changed before somebody said yes.';


--
-- Name: COLUMN approvals.settled_by; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.approvals.settled_by IS 'The activity that answered it.';


--
-- Name: people; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.people (
    workspace_id uuid NOT NULL,
    person_id uuid DEFAULT gen_random_uuid() NOT NULL,
    account_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    merged_into uuid,
    erased_at timestamp with time zone,
    workflow text DEFAULT 'relationship'::text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    stage text DEFAULT 'prospect'::text NOT NULL,
    furthest_stage text DEFAULT 'prospect'::text NOT NULL,
    stage_entered_at timestamp with time zone,
    late_before timestamp with time zone,
    first_qualified_at timestamp with time zone,
    seq integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    hash bytea,
    CONSTRAINT people_are_not_merged_into_themselves CHECK ((merged_into <> person_id))
);


--
-- Name: TABLE people; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.people IS 'One row a person as far as is known, with the one answer to where the relationship stands (seed 002). Who it is stands in person_keys and in the leads; so there is nothing personal here.';


--
-- Name: COLUMN people.merged_into; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.merged_into IS 'The person that this one turned out to be.';


--
-- Name: COLUMN people.erased_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.erased_at IS 'When everything personal was erased.';


--
-- Name: COLUMN people.stage; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.stage IS 'prospect, qualified, opportunity, client, onboarding, active; closed stands outside the order. Moved by relationship_activity alone.';


--
-- Name: COLUMN people.furthest_stage; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.furthest_stage IS 'The furthest of the six ever reached; never goes back (seed 003).';


--
-- Name: COLUMN people.stage_entered_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.stage_entered_at IS 'When the present stage was entered; null for a prospect that never moved.';


--
-- Name: COLUMN people.first_qualified_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.first_qualified_at IS 'When a lead of this person was qualified for the first time; set once. Later ones count on requests.';


--
-- Name: COLUMN people.hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.people.hash IS 'Head of the person''s chain in relationship_activity.';


--
-- Name: subscriptions; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.subscriptions (
    workspace_id uuid NOT NULL,
    subscription_id uuid DEFAULT gen_random_uuid() NOT NULL,
    workflow text DEFAULT 'subscription'::text NOT NULL,
    status text NOT NULL,
    stage text NOT NULL,
    stage_entered_at timestamp with time zone NOT NULL,
    late_before timestamp with time zone,
    person_id uuid NOT NULL,
    account_id uuid,
    plan text,
    started_at timestamp with time zone NOT NULL,
    cancelled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    seq integer NOT NULL,
    version integer NOT NULL,
    hash bytea,
    CONSTRAINT subscriptions_cancelled_have_their_time CHECK (((stage = 'cancelled'::text) = (cancelled_at IS NOT NULL)))
)
WITH (fillfactor='80');


--
-- Name: TABLE subscriptions; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.subscriptions IS 'Who pays for what, as billing says (seed 003): trialing, active, past_due, cancelled. Moved by customer_activity, writer billing only.';


--
-- Name: COLUMN subscriptions.status; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.subscriptions.status IS 'live, or ended once it is cancelled.';


--
-- Name: COLUMN subscriptions.hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.subscriptions.hash IS 'Head of the subscription''s chain in customer_activity.';


--
-- Name: requests; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.requests (
    workspace_id uuid NOT NULL,
    request_id uuid DEFAULT gen_random_uuid() NOT NULL,
    lead_id uuid NOT NULL,
    person_id uuid NOT NULL,
    activity_id bigint NOT NULL,
    request_class text NOT NULL,
    source text NOT NULL,
    external_id text,
    received_at timestamp with time zone NOT NULL,
    route text NOT NULL,
    exclusion text,
    owner_user_id uuid,
    first_response_at timestamp with time zone,
    not_applicable_at timestamp with time zone,
    decision text,
    decision_reason text,
    disposition_at timestamp with time zone,
    qualified_at timestamp with time zone,
    CONSTRAINT requests_clock_never_runs_backwards CHECK (((first_response_at >= received_at) AND (not_applicable_at >= received_at))),
    CONSTRAINT requests_decided_have_their_time CHECK (((decision IS NULL) = (disposition_at IS NULL))),
    CONSTRAINT requests_decision_is_known CHECK ((decision = ANY (ARRAY['accepted'::text, 'rejected'::text]))),
    CONSTRAINT requests_rejected_say_why CHECK (((decision = 'rejected'::text) = (decision_reason IS NOT NULL))),
    CONSTRAINT requests_route_is_known CHECK ((route = ANY (ARRAY['new_business'::text, 'customer'::text, 'opportunity'::text, 'partner'::text, 'excluded'::text])))
);


--
-- Name: TABLE requests; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.requests IS 'One row a buyer''s action (seed 003), with a clock of its own: it runs from received_at until a person answers or the lead closes.';


--
-- Name: COLUMN requests.activity_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.activity_id IS 'The inbound_enquiry that told of it.';


--
-- Name: COLUMN requests.external_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.external_id IS 'Its name in the system it came from. Personal: erased with the person.';


--
-- Name: COLUMN requests.exclusion; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.exclusion IS 'test, spam or competitor: outside every denominator, visibly.';


--
-- Name: COLUMN requests.first_response_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.first_response_at IS 'The first contact by a person after it was received.';


--
-- Name: COLUMN requests.not_applicable_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.not_applicable_at IS 'When its clock ended without an answer: the lead closed, or it was excluded.';


--
-- Name: COLUMN requests.decision; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.decision IS 'accepted or rejected by sales; null while nobody decided.';


--
-- Name: COLUMN requests.disposition_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.disposition_at IS 'When the decision was set for the first time; a later change of mind leaves it.';


--
-- Name: COLUMN requests.qualified_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.requests.qualified_at IS 'When the lead was qualified on the ground of this request.';


--
-- Name: workspaces; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.workspaces (
    workspace_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    workflow text DEFAULT 'workspace'::text NOT NULL,
    status text DEFAULT 'open'::text NOT NULL,
    stage text DEFAULT 'active'::text NOT NULL,
    stage_entered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    late_before timestamp with time zone,
    default_workflow text DEFAULT 'appointment'::text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    country text,
    currency text DEFAULT 'USD'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    seq integer DEFAULT 0 NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    hash bytea,
    members_see_all boolean DEFAULT false NOT NULL,
    members_see_unassigned boolean DEFAULT false NOT NULL,
    raw_body_days integer,
    approvers text,
    approval_hours integer,
    CONSTRAINT workspaces_approvals_last_a_while CHECK (((approval_hours >= 1) AND (approval_hours <= 8760))),
    CONSTRAINT workspaces_approvers_are_known CHECK ((approvers = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
    CONSTRAINT workspaces_country_is_two_letters CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT workspaces_currency_is_three_letters CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT workspaces_name_says_something CHECK ((name ~ '\S'::text))
);


--
-- Name: TABLE workspaces; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.workspaces IS 'One row a tenant, with its settings; the subject of workspace_activity.';


--
-- Name: COLUMN workspaces.time_zone; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.time_zone IS 'IANA name; working hours and periods are read in it.';


--
-- Name: COLUMN workspaces.hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.hash IS 'Head of the workspace''s chain in workspace_activity.';


--
-- Name: COLUMN workspaces.members_see_all; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.members_see_all IS 'Members see every lead of the workspace; else those assigned to them.';


--
-- Name: COLUMN workspaces.members_see_unassigned; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.members_see_unassigned IS 'Members see leads that are assigned to nobody, too.';


--
-- Name: COLUMN workspaces.raw_body_days; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.raw_body_days IS 'How many days the raw bodies of webhooks are kept; null: 90.';


--
-- Name: COLUMN workspaces.approvers; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.approvers IS 'The least role that may approve: owner, admin or member; null: admin.';


--
-- Name: COLUMN workspaces.approval_hours; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspaces.approval_hours IS 'How long an approval waits before it expires, in hours; null: 336.';


--
-- Name: accounts; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.accounts (
    workspace_id uuid NOT NULL,
    account_id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    domain text,
    kind text DEFAULT 'prospect'::text NOT NULL,
    owner_user_id uuid,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT accounts_kind_is_known CHECK ((kind = ANY (ARRAY['prospect'::text, 'customer'::text, 'partner'::text, 'competitor'::text])))
);


--
-- Name: TABLE accounts; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.accounts IS 'Companies, recognised by their mail domain. Kind and owner say where an enquiry from there goes.';


--
-- Name: COLUMN accounts.kind; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.accounts.kind IS 'customer and partner: their enquiries go to the account''s owner; competitor: they are turned away.';


--
-- Name: lead_activity; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.lead_activity (
    workspace_id uuid NOT NULL,
    activity_id bigint NOT NULL,
    lead_id uuid NOT NULL,
    activity_type text NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb NOT NULL,
    reference text,
    occurred_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    on_behalf_of uuid,
    writer text NOT NULL,
    surface text,
    caused_by bigint,
    verdict text NOT NULL,
    rule text,
    from_stage text NOT NULL,
    to_stage text NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    changes jsonb,
    attention_since timestamp with time zone,
    version integer NOT NULL,
    seq integer NOT NULL,
    content_hash bytea,
    rules_version text NOT NULL,
    transaction_id xid8 NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT lead_activity_actor_is_known CHECK ((actor_kind = ANY (ARRAY['user'::text, 'system'::text, 'ai'::text, 'integration'::text]))),
    CONSTRAINT lead_activity_applied_means_changed CHECK (((verdict = 'applied'::text) = (changes IS NOT NULL))),
    CONSTRAINT lead_activity_verdict_is_known CHECK ((verdict = ANY (ARRAY['applied'::text, 'noted'::text, 'refused'::text, 'held'::text])))
);


--
-- Name: TABLE lead_activity; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.lead_activity IS 'The journal of leads. Insert a fact, read the verdict from RETURNING; rows never change.';


--
-- Name: COLUMN lead_activity.activity_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.activity_id IS 'Drawn under the lead''s lock; the order of decisions.';


--
-- Name: COLUMN lead_activity.payload; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.payload IS 'What was reported, without personal text and unknown keys: those are in activity_content.';


--
-- Name: COLUMN lead_activity.reference; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.reference IS 'The writer''s own name for this report; a repeat inserts nothing.';


--
-- Name: COLUMN lead_activity.occurred_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.occurred_at IS 'When it happened, by the writer''s word; now when not said.';


--
-- Name: COLUMN lead_activity.writer; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.writer IS 'Class of the writer: person, app, importer, billing, ai or workflow:<name>.';


--
-- Name: COLUMN lead_activity.verdict; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.verdict IS 'applied (something changed), noted (kept, changes nothing), refused (the rules forbid it), held (waits for a person).';


--
-- Name: COLUMN lead_activity.rule; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.rule IS 'The rule that decided, by its name in rule_sentences.';


--
-- Name: COLUMN lead_activity.changes; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.changes IS 'Changed columns: {"column": [old, new]}; {"column": true} where the values are personal and stand in activity_content.';


--
-- Name: COLUMN lead_activity.version; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.version IS 'Applied rows up to this one.';


--
-- Name: COLUMN lead_activity.seq; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.seq IS 'Position in the lead''s journal, without gaps.';


--
-- Name: COLUMN lead_activity.rules_version; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.rules_version IS 'Which rules decided: hash of the deployed sql/.';


--
-- Name: COLUMN lead_activity.hash; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.lead_activity.hash IS 'sha256 of the lead''s previous hash and this row''s canonical form.';


--
-- Name: rule_permitted; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_permitted (
    workflow text NOT NULL,
    stage text NOT NULL,
    status text NOT NULL,
    is_open boolean DEFAULT true NOT NULL
);


--
-- Name: TABLE rule_permitted; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_permitted IS 'Which status a stage may carry; every state row has a foreign key here, so no other pair can exist.';


--
-- Name: COLUMN rule_permitted.is_open; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_permitted.is_open IS 'Somebody is to work on a subject at this place; what would move an open subject is noted or refused at the others before lateness is asked.';


--
-- Name: memberships; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.memberships (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    name text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    deactivated_at timestamp with time zone,
    CONSTRAINT memberships_role_is_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);


--
-- Name: TABLE memberships; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.memberships IS 'Who belongs to a workspace, as owner, admin or member; never deleted, only deactivated.';


--
-- Name: COLUMN memberships.name; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.memberships.name IS 'What this workspace calls the person; another may call them otherwise.';


--
-- Name: opportunity_activity; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.opportunity_activity (
    workspace_id uuid CONSTRAINT lead_activity_workspace_id_not_null NOT NULL,
    activity_id bigint CONSTRAINT lead_activity_activity_id_not_null NOT NULL,
    opportunity_id uuid CONSTRAINT lead_activity_lead_id_not_null NOT NULL,
    activity_type text CONSTRAINT lead_activity_activity_type_not_null NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb CONSTRAINT lead_activity_payload_not_null NOT NULL,
    reference text,
    occurred_at timestamp with time zone CONSTRAINT lead_activity_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT lead_activity_recorded_at_not_null NOT NULL,
    actor_kind text CONSTRAINT lead_activity_actor_kind_not_null NOT NULL,
    actor_id uuid,
    on_behalf_of uuid,
    writer text CONSTRAINT lead_activity_writer_not_null NOT NULL,
    surface text,
    caused_by bigint,
    verdict text CONSTRAINT lead_activity_verdict_not_null NOT NULL,
    rule text,
    from_stage text CONSTRAINT lead_activity_from_stage_not_null NOT NULL,
    to_stage text CONSTRAINT lead_activity_to_stage_not_null NOT NULL,
    from_status text CONSTRAINT lead_activity_from_status_not_null NOT NULL,
    to_status text CONSTRAINT lead_activity_to_status_not_null NOT NULL,
    changes jsonb,
    attention_since timestamp with time zone,
    version integer CONSTRAINT lead_activity_version_not_null NOT NULL,
    seq integer CONSTRAINT lead_activity_seq_not_null NOT NULL,
    content_hash bytea,
    rules_version text CONSTRAINT lead_activity_rules_version_not_null NOT NULL,
    transaction_id xid8 CONSTRAINT lead_activity_transaction_id_not_null NOT NULL,
    hash bytea CONSTRAINT lead_activity_hash_not_null NOT NULL,
    CONSTRAINT opportunity_activity_actor_is_known CHECK ((actor_kind = ANY (ARRAY['user'::text, 'system'::text, 'ai'::text, 'integration'::text]))),
    CONSTRAINT opportunity_activity_applied_means_changed CHECK (((verdict = 'applied'::text) = (changes IS NOT NULL))),
    CONSTRAINT opportunity_activity_verdict_is_known CHECK ((verdict = ANY (ARRAY['applied'::text, 'noted'::text, 'refused'::text, 'held'::text])))
);


--
-- Name: TABLE opportunity_activity; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.opportunity_activity IS 'The journal of opportunities. Insert a fact, read the verdict; rows never change.';


--
-- Name: relationship_activity; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.relationship_activity (
    workspace_id uuid CONSTRAINT lead_activity_workspace_id_not_null NOT NULL,
    activity_id bigint CONSTRAINT lead_activity_activity_id_not_null NOT NULL,
    person_id uuid CONSTRAINT lead_activity_lead_id_not_null NOT NULL,
    activity_type text CONSTRAINT lead_activity_activity_type_not_null NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb CONSTRAINT lead_activity_payload_not_null NOT NULL,
    reference text,
    occurred_at timestamp with time zone CONSTRAINT lead_activity_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT lead_activity_recorded_at_not_null NOT NULL,
    actor_kind text CONSTRAINT lead_activity_actor_kind_not_null NOT NULL,
    actor_id uuid,
    on_behalf_of uuid,
    writer text CONSTRAINT lead_activity_writer_not_null NOT NULL,
    surface text,
    caused_by bigint,
    verdict text CONSTRAINT lead_activity_verdict_not_null NOT NULL,
    rule text,
    from_stage text CONSTRAINT lead_activity_from_stage_not_null NOT NULL,
    to_stage text CONSTRAINT lead_activity_to_stage_not_null NOT NULL,
    from_status text CONSTRAINT lead_activity_from_status_not_null NOT NULL,
    to_status text CONSTRAINT lead_activity_to_status_not_null NOT NULL,
    changes jsonb,
    attention_since timestamp with time zone,
    version integer CONSTRAINT lead_activity_version_not_null NOT NULL,
    seq integer CONSTRAINT lead_activity_seq_not_null NOT NULL,
    content_hash bytea,
    rules_version text CONSTRAINT lead_activity_rules_version_not_null NOT NULL,
    transaction_id xid8 CONSTRAINT lead_activity_transaction_id_not_null NOT NULL,
    hash bytea CONSTRAINT lead_activity_hash_not_null NOT NULL,
    CONSTRAINT relationship_activity_actor_is_known CHECK ((actor_kind = ANY (ARRAY['user'::text, 'system'::text, 'ai'::text, 'integration'::text]))),
    CONSTRAINT relationship_activity_applied_means_changed CHECK (((verdict = 'applied'::text) = (changes IS NOT NULL))),
    CONSTRAINT relationship_activity_verdict_is_known CHECK ((verdict = ANY (ARRAY['applied'::text, 'noted'::text, 'refused'::text, 'held'::text])))
);


--
-- Name: TABLE relationship_activity; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.relationship_activity IS 'The journal of relationships: who moved a person, from what, to what, why. Insert a fact, read the verdict; rows never change.';


--
-- Name: renewal_cycles; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.renewal_cycles (
    workspace_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    period_start date NOT NULL,
    period_end date NOT NULL,
    stage text DEFAULT 'open'::text NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    settled_at timestamp with time zone,
    churn_reason text,
    CONSTRAINT renewal_cycles_churned_say_why CHECK (((stage = 'churned'::text) OR (churn_reason IS NULL))),
    CONSTRAINT renewal_cycles_end_after_they_begin CHECK ((period_end > period_start)),
    CONSTRAINT renewal_cycles_settled_have_their_time CHECK (((stage = 'open'::text) = (settled_at IS NULL))),
    CONSTRAINT renewal_cycles_stage_is_known CHECK ((stage = ANY (ARRAY['open'::text, 'renewed'::text, 'churned'::text])))
);


--
-- Name: TABLE renewal_cycles; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.renewal_cycles IS 'One row a renewal decision of a subscription (seed 003), one a period. Moved by customer_activity under the subscription''s lock.';


--
-- Name: COLUMN renewal_cycles.churn_reason; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.renewal_cycles.churn_reason IS 'Why it was not renewed. Personal: erased with the person.';


--
-- Name: activity_content; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.activity_content (
    workspace_id uuid NOT NULL,
    activity_id bigint NOT NULL,
    salt bytea NOT NULL,
    content jsonb NOT NULL
);


--
-- Name: TABLE activity_content; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.activity_content IS 'Personal text and unknown keys of activities, outside the chain so that it can be erased; the journal keeps sha256(salt || content).';


--
-- Name: COLUMN activity_content.content; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.activity_content.content IS '{"payload": {…}} as reported; {"changes": {"column": [old, new]}} of personal columns.';


--
-- Name: rule_activity_types; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_activity_types (
    activity_type text NOT NULL,
    journals text[] NOT NULL,
    label text NOT NULL,
    touch text,
    is_contact boolean DEFAULT false NOT NULL,
    contact_by text DEFAULT 'anyone'::text NOT NULL,
    is_outcome boolean DEFAULT false NOT NULL,
    is_never_late boolean DEFAULT false NOT NULL,
    is_birth boolean DEFAULT false NOT NULL,
    is_system_only boolean DEFAULT false NOT NULL,
    writers text[] NOT NULL,
    seed text NOT NULL,
    needs_person boolean DEFAULT false NOT NULL,
    precedence text,
    CONSTRAINT rule_activity_types_contact_by_is_known CHECK ((contact_by = ANY (ARRAY['anyone'::text, 'not_system'::text, 'person'::text]))),
    CONSTRAINT rule_activity_types_name_who_gives_way CHECK (((leadline_internal.automated_writers(writers) <= 1) OR (precedence IS NOT NULL))),
    CONSTRAINT rule_activity_types_touch_is_known CHECK ((touch = ANY (ARRAY['outbound'::text, 'inbound'::text]))),
    CONSTRAINT rule_activity_types_writers_are_known CHECK ((writers <@ '{person,app,importer,billing,ai,workflow}'::text[]))
);


--
-- Name: TABLE rule_activity_types; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_activity_types IS 'The vocabulary: what may be reported, in which journal, by which class of writer.';


--
-- Name: COLUMN rule_activity_types.touch; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.touch IS 'outbound or inbound when the activity is a touch (it resets inactivity), else null.';


--
-- Name: COLUMN rule_activity_types.is_contact; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.is_contact IS 'Sets first_contacted_at, once.';


--
-- Name: COLUMN rule_activity_types.contact_by; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.contact_by IS 'Whose act counts: anyone, not_system (a system''s is noted not_a_person), person (an integration''s too).';


--
-- Name: COLUMN rule_activity_types.is_outcome; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.is_outcome IS 'Arriving late it is refused superseded, where another type is noted.';


--
-- Name: COLUMN rule_activity_types.is_never_late; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.is_never_late IS 'Counts however late it arrives (dnc, wrong_number, bad_number, duplicate).';


--
-- Name: COLUMN rule_activity_types.needs_person; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.needs_person IS 'Only a person may decide this, by an own credential or named in on_behalf_of; an app alone is refused needs_a_person.';


--
-- Name: COLUMN rule_activity_types.precedence; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_activity_types.precedence IS 'Who gives way to whom where several automated writers may report this (seed 003).';


--
-- Name: rule_payload_keys; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_payload_keys (
    activity_type text NOT NULL,
    key text NOT NULL,
    type text NOT NULL,
    is_needed boolean DEFAULT false NOT NULL,
    is_nullable boolean DEFAULT false NOT NULL,
    is_personal boolean DEFAULT false NOT NULL,
    CONSTRAINT rule_payload_keys_type_is_known CHECK ((type = ANY (ARRAY['text'::text, 'instant'::text, 'date'::text, 'uuid'::text, 'money'::text, 'currency'::text, 'country'::text, 'whole'::text, 'email'::text, 'bool'::text, 'scalar'::text])))
);


--
-- Name: TABLE rule_payload_keys; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_payload_keys IS 'Known payload keys of an activity type. Personal keys, and keys not listed, are kept in activity_content.';


--
-- Name: COLUMN rule_payload_keys.type; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_payload_keys.type IS 'text; instant (ISO 8601 with offset); date; uuid; money (number, zero or more); currency (ISO 4217); country (ISO 3166); whole (integer, zero or more); email; bool.';


--
-- Name: api_tokens; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.api_tokens (
    workspace_id uuid NOT NULL,
    token_id uuid DEFAULT gen_random_uuid() NOT NULL,
    prefix text NOT NULL,
    token_hash bytea NOT NULL,
    user_id uuid,
    role text NOT NULL,
    writer text NOT NULL,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    name text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT api_tokens_of_people_name_the_person CHECK (((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])) = (user_id IS NOT NULL))),
    CONSTRAINT api_tokens_role_is_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'app'::text, 'analyst'::text, 'importer'::text, 'billing'::text, 'ai'::text]))),
    CONSTRAINT api_tokens_scopes_are_known CHECK ((scopes <@ '{act_as,surface,import,contacts}'::text[]))
);


--
-- Name: TABLE api_tokens; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.api_tokens IS 'Tokens of the HTTP service: only a hash is kept. Found by prefix before a workspace is known, by definer functions alone.';


--
-- Name: COLUMN api_tokens.last_used_at; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.api_tokens.last_used_at IS 'To the minute: the service notes it now and then, not at every request.';


--
-- Name: customer_activity; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.customer_activity (
    workspace_id uuid CONSTRAINT lead_activity_workspace_id_not_null NOT NULL,
    activity_id bigint CONSTRAINT lead_activity_activity_id_not_null NOT NULL,
    subscription_id uuid CONSTRAINT lead_activity_lead_id_not_null NOT NULL,
    activity_type text CONSTRAINT lead_activity_activity_type_not_null NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb CONSTRAINT lead_activity_payload_not_null NOT NULL,
    reference text,
    occurred_at timestamp with time zone CONSTRAINT lead_activity_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT lead_activity_recorded_at_not_null NOT NULL,
    actor_kind text CONSTRAINT lead_activity_actor_kind_not_null NOT NULL,
    actor_id uuid,
    on_behalf_of uuid,
    writer text CONSTRAINT lead_activity_writer_not_null NOT NULL,
    surface text,
    caused_by bigint,
    verdict text CONSTRAINT lead_activity_verdict_not_null NOT NULL,
    rule text,
    from_stage text CONSTRAINT lead_activity_from_stage_not_null NOT NULL,
    to_stage text CONSTRAINT lead_activity_to_stage_not_null NOT NULL,
    from_status text CONSTRAINT lead_activity_from_status_not_null NOT NULL,
    to_status text CONSTRAINT lead_activity_to_status_not_null NOT NULL,
    changes jsonb,
    attention_since timestamp with time zone,
    version integer CONSTRAINT lead_activity_version_not_null NOT NULL,
    seq integer CONSTRAINT lead_activity_seq_not_null NOT NULL,
    content_hash bytea,
    rules_version text CONSTRAINT lead_activity_rules_version_not_null NOT NULL,
    transaction_id xid8 CONSTRAINT lead_activity_transaction_id_not_null NOT NULL,
    hash bytea CONSTRAINT lead_activity_hash_not_null NOT NULL,
    CONSTRAINT customer_activity_actor_is_known CHECK ((actor_kind = ANY (ARRAY['user'::text, 'system'::text, 'ai'::text, 'integration'::text]))),
    CONSTRAINT customer_activity_applied_means_changed CHECK (((verdict = 'applied'::text) = (changes IS NOT NULL))),
    CONSTRAINT customer_activity_verdict_is_known CHECK ((verdict = ANY (ARRAY['applied'::text, 'noted'::text, 'refused'::text, 'held'::text])))
);


--
-- Name: TABLE customer_activity; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.customer_activity IS 'The journal of subscriptions and their renewal cycles, written by billing. Insert a fact, read the verdict; rows never change.';


--
-- Name: workspace_activity; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.workspace_activity (
    workspace_id uuid CONSTRAINT lead_activity_workspace_id_not_null NOT NULL,
    activity_id bigint CONSTRAINT lead_activity_activity_id_not_null NOT NULL,
    about_id uuid CONSTRAINT lead_activity_lead_id_not_null NOT NULL,
    activity_type text CONSTRAINT lead_activity_activity_type_not_null NOT NULL,
    payload jsonb DEFAULT '{}'::jsonb CONSTRAINT lead_activity_payload_not_null NOT NULL,
    reference text,
    occurred_at timestamp with time zone CONSTRAINT lead_activity_occurred_at_not_null NOT NULL,
    recorded_at timestamp with time zone CONSTRAINT lead_activity_recorded_at_not_null NOT NULL,
    actor_kind text CONSTRAINT lead_activity_actor_kind_not_null NOT NULL,
    actor_id uuid,
    on_behalf_of uuid,
    writer text CONSTRAINT lead_activity_writer_not_null NOT NULL,
    surface text,
    caused_by bigint,
    verdict text CONSTRAINT lead_activity_verdict_not_null NOT NULL,
    rule text,
    from_stage text CONSTRAINT lead_activity_from_stage_not_null NOT NULL,
    to_stage text CONSTRAINT lead_activity_to_stage_not_null NOT NULL,
    from_status text CONSTRAINT lead_activity_from_status_not_null NOT NULL,
    to_status text CONSTRAINT lead_activity_to_status_not_null NOT NULL,
    changes jsonb,
    attention_since timestamp with time zone,
    version integer CONSTRAINT lead_activity_version_not_null NOT NULL,
    seq integer CONSTRAINT lead_activity_seq_not_null NOT NULL,
    content_hash bytea,
    rules_version text CONSTRAINT lead_activity_rules_version_not_null NOT NULL,
    transaction_id xid8 CONSTRAINT lead_activity_transaction_id_not_null NOT NULL,
    hash bytea CONSTRAINT lead_activity_hash_not_null NOT NULL,
    CONSTRAINT workspace_activity_actor_is_known CHECK ((actor_kind = ANY (ARRAY['user'::text, 'system'::text, 'ai'::text, 'integration'::text]))),
    CONSTRAINT workspace_activity_applied_means_changed CHECK (((verdict = 'applied'::text) = (changes IS NOT NULL))),
    CONSTRAINT workspace_activity_verdict_is_known CHECK ((verdict = ANY (ARRAY['applied'::text, 'noted'::text, 'refused'::text, 'held'::text])))
);


--
-- Name: TABLE workspace_activity; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.workspace_activity IS 'The journal of a workspace: settings, team and credentials. The subject is the workspace.';


--
-- Name: COLUMN workspace_activity.about_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.workspace_activity.about_id IS 'The member, token, login or workspace concerned.';


--
-- Name: checkpoints; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.checkpoints (
    workspace_id uuid NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    below xid8 NOT NULL,
    subjects integer NOT NULL,
    activities bigint NOT NULL,
    root bytea NOT NULL,
    up_to_activity_id bigint
);


--
-- Name: TABLE checkpoints; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.checkpoints IS 'One root over the heads of all chains of a workspace at an instant. A copy kept outside the database reveals a rewritten history.';


--
-- Name: COLUMN checkpoints.below; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.checkpoints.below IS 'Rows of earlier transactions are covered, all of them committed when the root was taken.';


--
-- Name: COLUMN checkpoints.up_to_activity_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.checkpoints.up_to_activity_id IS 'No later activity is covered, whatever its transaction: in a cluster it was restored into, transaction ids begin anew. Null: taken before this was noted.';


--
-- Name: rule_stages; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_stages (
    workflow text NOT NULL,
    stage text NOT NULL,
    label text NOT NULL,
    "position" integer NOT NULL,
    is_final boolean DEFAULT false NOT NULL,
    after_contact boolean DEFAULT false NOT NULL
);


--
-- Name: TABLE rule_stages; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_stages IS 'Stages of each workflow. Codes never change; labels are for show.';


--
-- Name: COLUMN rule_stages.is_final; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_stages.is_final IS 'A stage in which nobody works on the subject any more: its places are not open.';


--
-- Name: COLUMN rule_stages.after_contact; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_stages.after_contact IS 'Whoever brings a lead here as a person has been in contact with it: first_contacted_at is set when it is not yet.';


--
-- Name: rule_sentences; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_sentences (
    rule text NOT NULL,
    sentence text NOT NULL,
    hint text NOT NULL,
    verdict text,
    seed text NOT NULL,
    CONSTRAINT rule_sentences_verdict_is_known CHECK ((verdict = ANY (ARRAY['noted'::text, 'refused'::text, 'held'::text])))
);


--
-- Name: TABLE rule_sentences; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_sentences IS 'Every rule by name: what it says and what to do next. The name is the journal''s rule and the error''s CONSTRAINT.';


--
-- Name: COLUMN rule_sentences.verdict; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_sentences.verdict IS 'The verdict the rule always gives; null where it depends on the activity (superseded).';


--
-- Name: idempotency_keys; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.idempotency_keys (
    workspace_id uuid NOT NULL,
    credential_id uuid NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL,
    status integer NOT NULL,
    content_type text NOT NULL,
    body text NOT NULL,
    answered_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotency_keys_keep_success_and_refusals_only CHECK ((((status >= 200) AND (status <= 299)) OR (status = 409))),
    CONSTRAINT idempotency_keys_key_is_1_to_255_characters CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);


--
-- Name: TABLE idempotency_keys; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.idempotency_keys IS 'Answers to requests that carried an Idempotency-Key, written in the transaction of what they did. Good for 24 hours; read and written by definer functions alone.';


--
-- Name: COLUMN idempotency_keys.credential_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.idempotency_keys.credential_id IS 'The token that sent the request: nobody else''s key is the same key.';


--
-- Name: COLUMN idempotency_keys.route; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.idempotency_keys.route IS 'Method and path, ids in one spelling.';


--
-- Name: COLUMN idempotency_keys.fingerprint; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.idempotency_keys.fingerprint IS 'SHA-256 of what was asked: the body with its keys in order, and on whose behalf.';


--
-- Name: COLUMN idempotency_keys.body; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.idempotency_keys.body IS 'The answer as it was sent. It may show a person: forget_in_idempotency_keys() removes it when they are erased.';


--
-- Name: job_runs; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.job_runs (
    workspace_id uuid NOT NULL,
    job text NOT NULL,
    slot timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    result jsonb DEFAULT '{}'::jsonb NOT NULL
);


--
-- Name: TABLE job_runs; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.job_runs IS 'Which job ran for which slot of time: the row is the guarantee that it ran once, the clock only asks.';


--
-- Name: COLUMN job_runs.slot; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.job_runs.slot IS 'Start of the period the run stands for, UTC.';


--
-- Name: workspace_logins; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.workspace_logins (
    workspace_id uuid NOT NULL,
    login_id uuid DEFAULT gen_random_uuid() NOT NULL,
    login name NOT NULL,
    user_id uuid,
    role text NOT NULL,
    writer text NOT NULL,
    scopes text[] DEFAULT '{}'::text[] NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    revoked_at timestamp with time zone,
    CONSTRAINT workspace_logins_of_people_name_the_person CHECK (((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])) = (user_id IS NOT NULL))),
    CONSTRAINT workspace_logins_role_is_known CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'app'::text, 'analyst'::text, 'importer'::text, 'billing'::text, 'ai'::text]))),
    CONSTRAINT workspace_logins_scopes_are_known CHECK ((scopes <@ '{act_as,surface,import,contacts}'::text[]))
);


--
-- Name: TABLE workspace_logins; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.workspace_logins IS 'Database logins bound to one workspace. Read by definer functions alone.';


--
-- Name: outbox; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.outbox (
    workspace_id uuid NOT NULL,
    outbox_id bigint NOT NULL,
    topic text NOT NULL,
    recipient_user_id uuid,
    lead_id uuid NOT NULL,
    request_id uuid,
    activity_id bigint NOT NULL,
    body jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    sent_at timestamp with time zone,
    CONSTRAINT outbox_topic_is_known CHECK ((topic = ANY (ARRAY['notify'::text, 'score'::text])))
);


--
-- Name: TABLE outbox; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.outbox IS 'What is still to be done because something was decided, committed with the decision: somebody to tell (notify), a lead to score (score).';


--
-- Name: COLUMN outbox.recipient_user_id; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.outbox.recipient_user_id IS 'Who is told; null: the admins.';


--
-- Name: outbox_outbox_id_seq; Type: SEQUENCE; Schema: leadline; Owner: -
--

ALTER TABLE leadline.outbox ALTER COLUMN outbox_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME leadline.outbox_outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: person_keys; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.person_keys (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    person_id uuid NOT NULL,
    CONSTRAINT person_keys_kind_is_known CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text])))
);


--
-- Name: TABLE person_keys; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.person_keys IS 'E-mail keys say who somebody is. A phone may be shared: its row only names its first bearer. Whoever makes a lead locks the rows of its keys, so two at once see each other.';


--
-- Name: rule_aliases; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_aliases (
    workflow text NOT NULL,
    alias text NOT NULL,
    stage text NOT NULL,
    seed text NOT NULL
);


--
-- Name: TABLE rule_aliases; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_aliases IS 'Words of other systems for our stages. Read by normalise_stage(); writes never guess (seed 002).';


--
-- Name: rule_blocks; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_blocks (
    block_id text NOT NULL,
    workflow text NOT NULL,
    to_stage text NOT NULL,
    unit text NOT NULL,
    evidence text NOT NULL,
    exclusions jsonb DEFAULT '[]'::jsonb NOT NULL,
    entry_timestamp text NOT NULL,
    advance text NOT NULL,
    recycle text NOT NULL,
    disqualify text NOT NULL,
    correction text NOT NULL,
    seed text NOT NULL,
    CONSTRAINT rule_blocks_unit_is_known CHECK ((unit = ANY (ARRAY['person'::text, 'request'::text, 'account'::text, 'opportunity'::text, 'renewal cycle'::text, 'lead'::text, 'subscription'::text, 'workspace'::text])))
);


--
-- Name: TABLE rule_blocks; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_blocks IS 'The transition blocks of seed 003, one a stage that can be entered: what the words of a reviewer add to the matrix. The view stage_model joins both.';


--
-- Name: COLUMN rule_blocks.unit; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_blocks.unit IS 'What one transition counts.';


--
-- Name: COLUMN rule_blocks.exclusions; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_blocks.exclusions IS 'Who never enters: [{"exclude", "path", "owner"}]; each names where it goes instead and whose it is there.';


--
-- Name: COLUMN rule_blocks.disqualify; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_blocks.disqualify IS 'For a deal: how it is lost.';


--
-- Name: rule_effects; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_effects (
    workflow text NOT NULL,
    from_stage text NOT NULL,
    consequence text NOT NULL,
    writer text NOT NULL,
    seed text NOT NULL,
    CONSTRAINT rule_effects_writer_is_a_workflow CHECK ((writer ~~ 'workflow:%'::text))
);


--
-- Name: TABLE rule_effects; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_effects IS 'What follows when a subject leaves a stage: a further activity, with caused_by, by its own writer.';


--
-- Name: rule_personal_fields; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_personal_fields (
    journal text NOT NULL,
    field text NOT NULL
);


--
-- Name: TABLE rule_personal_fields; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_personal_fields IS 'Columns of state rows that say who somebody is: their values stand in activity_content, never in a journal.';


--
-- Name: rule_proposals; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_proposals (
    journal text NOT NULL,
    activity_type text NOT NULL,
    request_class text DEFAULT ''::text NOT NULL,
    to_stage text NOT NULL,
    verdicts text[] NOT NULL,
    seed text NOT NULL
);


--
-- Name: TABLE rule_proposals; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_proposals IS 'Which outcome of a lead or an opportunity proposes that its person moves on: logged by workflow:lead-outcome, forward only.';


--
-- Name: COLUMN rule_proposals.request_class; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_proposals.request_class IS 'Only an enquiry of this class; empty: any.';


--
-- Name: COLUMN rule_proposals.verdicts; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_proposals.verdicts IS 'The verdicts of the activity that count.';


--
-- Name: rule_reasons; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_reasons (
    reason_list text NOT NULL,
    reason text NOT NULL,
    "position" integer NOT NULL,
    needs_notes boolean NOT NULL,
    seed text NOT NULL,
    CONSTRAINT rule_reasons_lists_are_short CHECK (("position" <= 12))
);


--
-- Name: TABLE rule_reasons; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_reasons IS 'Controlled lists of reasons, letter for letter, at most twelve each (seed 003, seed 004 section 3).';


--
-- Name: COLUMN rule_reasons.needs_notes; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_reasons.needs_notes IS 'The reason alone says nothing: notes are mandatory.';


--
-- Name: rule_transitions; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_transitions (
    workflow text NOT NULL,
    activity_type text NOT NULL,
    from_stage text NOT NULL,
    effect text NOT NULL,
    to_stage text,
    to_status text,
    entry_timestamp text,
    rule text,
    seed text NOT NULL,
    from_status text NOT NULL,
    awaits_answer boolean DEFAULT false NOT NULL,
    CONSTRAINT rule_transitions_effect_is_known CHECK ((effect = ANY (ARRAY['move'::text, 'move_to'::text, 'fields'::text, 'note'::text, 'refuse'::text]))),
    CONSTRAINT rule_transitions_moves_name_their_target CHECK (((effect = 'move'::text) = ((to_stage IS NOT NULL) AND (to_status IS NOT NULL)))),
    CONSTRAINT rule_transitions_refusals_name_their_rule CHECK (((effect <> 'refuse'::text) OR (rule IS NOT NULL)))
);


--
-- Name: TABLE rule_transitions; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_transitions IS 'The matrix, cell by cell: what an activity does to a subject at a stage. A missing cell is wrong_workflow.';


--
-- Name: COLUMN rule_transitions.effect; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_transitions.effect IS 'move (stage and fields change), move_to (to the stage that the payload names, or back to where it was), fields (applied when a field changes, else noted under the rule), note, refuse.';


--
-- Name: COLUMN rule_transitions.entry_timestamp; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_transitions.entry_timestamp IS 'The column that keeps when the move happened.';


--
-- Name: COLUMN rule_transitions.awaits_answer; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_transitions.awaits_answer IS 'Somebody waits for an answer from now on: waiting_since is set until a person''s touch.';


--
-- Name: rule_webhook_presets; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_webhook_presets (
    preset text NOT NULL,
    label text NOT NULL,
    scheme text NOT NULL,
    signature jsonb DEFAULT '{}'::jsonb NOT NULL,
    has_handshake boolean DEFAULT false NOT NULL,
    mapping jsonb NOT NULL,
    seed text NOT NULL
);


--
-- Name: TABLE rule_webhook_presets; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_webhook_presets IS 'How known senders sign and what their bodies mean; a source follows its preset until it is given a mapping of its own.';


--
-- Name: COLUMN rule_webhook_presets.has_handshake; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.rule_webhook_presets.has_handshake IS 'The sender asks with GET before it posts (hub.challenge).';


--
-- Name: rule_workflows; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.rule_workflows (
    workflow text NOT NULL,
    label text NOT NULL,
    journal text NOT NULL,
    initial_stage text NOT NULL,
    seed text NOT NULL
);


--
-- Name: TABLE rule_workflows; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.rule_workflows IS 'The state machines: which journal moves them and where a subject begins.';


--
-- Name: suppressions; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.suppressions (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    key text NOT NULL,
    channel text NOT NULL,
    suppressed_by bigint NOT NULL,
    suppressed_at timestamp with time zone NOT NULL,
    lifted_by bigint,
    CONSTRAINT suppressions_kind_is_known CHECK ((kind = ANY (ARRAY['email'::text, 'phone'::text, 'email_hash'::text, 'phone_hash'::text])))
);


--
-- Name: TABLE suppressions; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.suppressions IS 'Do not contact: keys of e-mail addresses and phones that asked to be left alone, per workspace. Never deleted; lifted by an owner or admin.';


--
-- Name: COLUMN suppressions.key; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.suppressions.key IS 'email_key or phone_key of the lead that asked; a keyed hash of it when the person was erased.';


--
-- Name: COLUMN suppressions.channel; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.suppressions.channel IS 'any, or the one channel that was unsubscribed.';


--
-- Name: COLUMN suppressions.suppressed_by; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON COLUMN leadline.suppressions.suppressed_by IS 'The activity that asked (activity_id).';


--
-- Name: users; Type: TABLE; Schema: leadline; Owner: -
--

CREATE TABLE leadline.users (
    user_id uuid DEFAULT gen_random_uuid() NOT NULL,
    email text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: TABLE users; Type: COMMENT; Schema: leadline; Owner: -
--

COMMENT ON TABLE leadline.users IS 'People who work with Leadline, in one workspace or several. Read through memberships only.';


--
-- Name: webhook_logs_log_id_seq; Type: SEQUENCE; Schema: leadline; Owner: -
--

ALTER TABLE leadline.webhook_logs ALTER COLUMN log_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME leadline.webhook_logs_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: activity_ids; Type: SEQUENCE; Schema: leadline_internal; Owner: -
--

CREATE SEQUENCE leadline_internal.activity_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: SEQUENCE activity_ids; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON SEQUENCE leadline_internal.activity_ids IS 'Numbers every row of every journal. Drawn under the subject''s lock, so the order of ids is the order of decisions.';


--
-- Name: activity_references; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.activity_references (
    workspace_id uuid NOT NULL,
    journal text NOT NULL,
    reference text NOT NULL,
    subject_id uuid,
    activity_type text NOT NULL,
    activity_id bigint
);


--
-- Name: TABLE activity_references; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.activity_references IS 'Claims of references: taken before any effect, kept for ever. The subject is null while a birth has not yet made it.';


--
-- Name: clusters; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.clusters (
    system_identifier bigint NOT NULL,
    above_activity_id bigint NOT NULL
);


--
-- Name: TABLE clusters; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.clusters IS 'The database clusters this history has lived in. Transaction ids start anew in a restored cluster, so the change feed needs to know where its own rows begin.';


--
-- Name: COLUMN clusters.above_activity_id; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON COLUMN leadline_internal.clusters.above_activity_id IS 'Rows above it were written in this cluster, rows up to it came with the restore.';


--
-- Name: context_key; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.context_key (
    is_only boolean DEFAULT true NOT NULL,
    k_inner bytea NOT NULL,
    k_outer bytea NOT NULL,
    former_inner bytea,
    former_outer bytea,
    CONSTRAINT context_key_is_one_row CHECK (is_only)
);


--
-- Name: TABLE context_key; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.context_key IS 'The HMAC-SHA256 key that signs leadline.context, as its two padded halves. Nobody but the owner reads it.';


--
-- Name: COLUMN context_key.former_inner; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON COLUMN leadline_internal.context_key.former_inner IS 'The key before the last rotation: a transaction that began under it ends under it.';


--
-- Name: deployment; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.deployment (
    is_only boolean DEFAULT true NOT NULL,
    is_sharded boolean NOT NULL,
    CONSTRAINT deployment_is_one_row CHECK (is_only)
);


--
-- Name: TABLE deployment; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.deployment IS 'How this database is laid out: policies of a sharded one contain no sub-select.';


--
-- Name: loaded_objects; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.loaded_objects (
    kind text NOT NULL,
    identity text NOT NULL
);


--
-- Name: TABLE loaded_objects; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.loaded_objects IS 'What the last load of sql/ made; what vanishes from the files is dropped by this list.';


--
-- Name: suppression_key; Type: TABLE; Schema: leadline_internal; Owner: -
--

CREATE TABLE leadline_internal.suppression_key (
    is_only boolean DEFAULT true NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT suppression_key_is_one_row CHECK (is_only)
);


--
-- Name: TABLE suppression_key; Type: COMMENT; Schema: leadline_internal; Owner: -
--

COMMENT ON TABLE leadline_internal.suppression_key IS 'The key under which addresses of erased people are hashed. Nobody but the owner reads it; it is never changed, or they could be contacted again.';


--
-- Name: accounts accounts_domain_is_known_once; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.accounts
    ADD CONSTRAINT accounts_domain_is_known_once UNIQUE (workspace_id, domain);


--
-- Name: accounts accounts_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (workspace_id, account_id);


--
-- Name: activity_content activity_content_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.activity_content
    ADD CONSTRAINT activity_content_pkey PRIMARY KEY (workspace_id, activity_id);


--
-- Name: api_tokens api_tokens_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (workspace_id, token_id);


--
-- Name: api_tokens api_tokens_prefix_is_known_once; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.api_tokens
    ADD CONSTRAINT api_tokens_prefix_is_known_once UNIQUE (prefix);


--
-- Name: approvals approvals_activity_has_one; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.approvals
    ADD CONSTRAINT approvals_activity_has_one UNIQUE (workspace_id, activity_id);


--
-- Name: approvals approvals_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.approvals
    ADD CONSTRAINT approvals_pkey PRIMARY KEY (workspace_id, approval_id);


--
-- Name: checkpoints checkpoints_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (workspace_id, taken_at);


--
-- Name: customer_activity customer_activity_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.customer_activity
    ADD CONSTRAINT customer_activity_pkey PRIMARY KEY (workspace_id, activity_id);


--
-- Name: customer_activity customer_activity_seq_has_no_twin; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.customer_activity
    ADD CONSTRAINT customer_activity_seq_has_no_twin UNIQUE (workspace_id, subscription_id, seq);


--
-- Name: idempotency_keys idempotency_keys_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (workspace_id, credential_id, route, key);


--
-- Name: job_runs job_runs_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.job_runs
    ADD CONSTRAINT job_runs_pkey PRIMARY KEY (workspace_id, job, slot);


--
-- Name: lead_activity lead_activity_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.lead_activity
    ADD CONSTRAINT lead_activity_pkey PRIMARY KEY (workspace_id, activity_id);


--
-- Name: lead_activity lead_activity_seq_has_no_twin; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.lead_activity
    ADD CONSTRAINT lead_activity_seq_has_no_twin UNIQUE (workspace_id, lead_id, seq);


--
-- Name: leads leads_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (workspace_id, lead_id);


--
-- Name: memberships memberships_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (workspace_id, user_id);


--
-- Name: opportunities opportunities_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_pkey PRIMARY KEY (workspace_id, opportunity_id);


--
-- Name: opportunity_activity opportunity_activity_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunity_activity
    ADD CONSTRAINT opportunity_activity_pkey PRIMARY KEY (workspace_id, activity_id);


--
-- Name: opportunity_activity opportunity_activity_seq_has_no_twin; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunity_activity
    ADD CONSTRAINT opportunity_activity_seq_has_no_twin UNIQUE (workspace_id, opportunity_id, seq);


--
-- Name: outbox outbox_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (workspace_id, outbox_id);


--
-- Name: people people_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.people
    ADD CONSTRAINT people_pkey PRIMARY KEY (workspace_id, person_id);


--
-- Name: person_keys person_keys_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.person_keys
    ADD CONSTRAINT person_keys_pkey PRIMARY KEY (workspace_id, kind, key);


--
-- Name: relationship_activity relationship_activity_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.relationship_activity
    ADD CONSTRAINT relationship_activity_pkey PRIMARY KEY (workspace_id, activity_id);


--
-- Name: relationship_activity relationship_activity_seq_has_no_twin; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.relationship_activity
    ADD CONSTRAINT relationship_activity_seq_has_no_twin UNIQUE (workspace_id, person_id, seq);


--
-- Name: renewal_cycles renewal_cycles_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.renewal_cycles
    ADD CONSTRAINT renewal_cycles_pkey PRIMARY KEY (workspace_id, subscription_id, period_start);


--
-- Name: requests requests_activity_has_one; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.requests
    ADD CONSTRAINT requests_activity_has_one UNIQUE (workspace_id, activity_id);


--
-- Name: requests requests_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.requests
    ADD CONSTRAINT requests_pkey PRIMARY KEY (workspace_id, request_id);


--
-- Name: rule_activity_types rule_activity_types_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_activity_types
    ADD CONSTRAINT rule_activity_types_pkey PRIMARY KEY (activity_type);


--
-- Name: rule_aliases rule_aliases_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_aliases
    ADD CONSTRAINT rule_aliases_pkey PRIMARY KEY (workflow, alias);


--
-- Name: rule_blocks rule_blocks_one_a_stage; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_blocks
    ADD CONSTRAINT rule_blocks_one_a_stage UNIQUE (workflow, to_stage);


--
-- Name: rule_blocks rule_blocks_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_blocks
    ADD CONSTRAINT rule_blocks_pkey PRIMARY KEY (block_id);


--
-- Name: rule_effects rule_effects_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_effects
    ADD CONSTRAINT rule_effects_pkey PRIMARY KEY (workflow, from_stage, consequence);


--
-- Name: rule_payload_keys rule_payload_keys_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_payload_keys
    ADD CONSTRAINT rule_payload_keys_pkey PRIMARY KEY (activity_type, key);


--
-- Name: rule_permitted rule_permitted_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_permitted
    ADD CONSTRAINT rule_permitted_pkey PRIMARY KEY (workflow, stage, status);


--
-- Name: rule_personal_fields rule_personal_fields_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_personal_fields
    ADD CONSTRAINT rule_personal_fields_pkey PRIMARY KEY (journal, field);


--
-- Name: rule_proposals rule_proposals_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_proposals
    ADD CONSTRAINT rule_proposals_pkey PRIMARY KEY (journal, activity_type, request_class);


--
-- Name: rule_reasons rule_reasons_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_reasons
    ADD CONSTRAINT rule_reasons_pkey PRIMARY KEY (reason_list, reason);


--
-- Name: rule_sentences rule_sentences_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_sentences
    ADD CONSTRAINT rule_sentences_pkey PRIMARY KEY (rule);


--
-- Name: rule_stages rule_stages_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_stages
    ADD CONSTRAINT rule_stages_pkey PRIMARY KEY (workflow, stage);


--
-- Name: rule_transitions rule_transitions_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_transitions
    ADD CONSTRAINT rule_transitions_pkey PRIMARY KEY (workflow, activity_type, from_stage, from_status);


--
-- Name: rule_webhook_presets rule_webhook_presets_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_webhook_presets
    ADD CONSTRAINT rule_webhook_presets_pkey PRIMARY KEY (preset);


--
-- Name: rule_workflows rule_workflows_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_workflows
    ADD CONSTRAINT rule_workflows_pkey PRIMARY KEY (workflow);


--
-- Name: subscriptions subscriptions_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (workspace_id, subscription_id);


--
-- Name: suppressions suppressions_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (workspace_id, kind, key, channel);


--
-- Name: users users_email_is_known_once; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.users
    ADD CONSTRAINT users_email_is_known_once UNIQUE (email);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (user_id);


--
-- Name: webhook_logs webhook_logs_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.webhook_logs
    ADD CONSTRAINT webhook_logs_pkey PRIMARY KEY (workspace_id, log_id);


--
-- Name: webhook_sources webhook_sources_key_is_known_once; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.webhook_sources
    ADD CONSTRAINT webhook_sources_key_is_known_once UNIQUE (key);


--
-- Name: webhook_sources webhook_sources_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.webhook_sources
    ADD CONSTRAINT webhook_sources_pkey PRIMARY KEY (workspace_id, source_id);


--
-- Name: workspace_activity workspace_activity_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_activity
    ADD CONSTRAINT workspace_activity_pkey PRIMARY KEY (workspace_id, activity_id);


--
-- Name: workspace_activity workspace_activity_seq_has_no_twin; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_activity
    ADD CONSTRAINT workspace_activity_seq_has_no_twin UNIQUE (workspace_id, seq);


--
-- Name: workspace_logins workspace_logins_login_is_bound_once; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_logins
    ADD CONSTRAINT workspace_logins_login_is_bound_once UNIQUE (login);


--
-- Name: workspace_logins workspace_logins_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_logins
    ADD CONSTRAINT workspace_logins_pkey PRIMARY KEY (workspace_id, login_id);


--
-- Name: workspaces workspaces_pkey; Type: CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (workspace_id);


--
-- Name: activity_references activity_references_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.activity_references
    ADD CONSTRAINT activity_references_pkey PRIMARY KEY (workspace_id, journal, reference);


--
-- Name: clusters clusters_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.clusters
    ADD CONSTRAINT clusters_pkey PRIMARY KEY (system_identifier);


--
-- Name: context_key context_key_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.context_key
    ADD CONSTRAINT context_key_pkey PRIMARY KEY (is_only);


--
-- Name: deployment deployment_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.deployment
    ADD CONSTRAINT deployment_pkey PRIMARY KEY (is_only);


--
-- Name: loaded_objects loaded_objects_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.loaded_objects
    ADD CONSTRAINT loaded_objects_pkey PRIMARY KEY (kind, identity);


--
-- Name: rulings rulings_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.rulings
    ADD CONSTRAINT rulings_pkey PRIMARY KEY (workflow, activity_type, stage, status);


--
-- Name: suppression_key suppression_key_pkey; Type: CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.suppression_key
    ADD CONSTRAINT suppression_key_pkey PRIMARY KEY (is_only);


--
-- Name: accounts_by_owner; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX accounts_by_owner ON leadline.accounts USING btree (workspace_id, owner_user_id);


--
-- Name: api_tokens_by_user; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX api_tokens_by_user ON leadline.api_tokens USING btree (workspace_id, user_id);


--
-- Name: approvals_by_member; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX approvals_by_member ON leadline.approvals USING btree (workspace_id, settled_by_user) WHERE (settled_by_user IS NOT NULL);


--
-- Name: approvals_by_person; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX approvals_by_person ON leadline.approvals USING btree (workspace_id, person_id);


--
-- Name: approvals_newest_first; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX approvals_newest_first ON leadline.approvals USING btree (workspace_id, requested_at DESC, approval_id DESC);


--
-- Name: approvals_one_open_for_a_person_and_stage; Type: INDEX; Schema: leadline; Owner: -
--

CREATE UNIQUE INDEX approvals_one_open_for_a_person_and_stage ON leadline.approvals USING btree (workspace_id, person_id, to_stage) WHERE (status = 'open'::text);


--
-- Name: approvals_that_wait; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX approvals_that_wait ON leadline.approvals USING btree (workspace_id, expires_at) WHERE (status = 'open'::text);


--
-- Name: customer_activity_in_order_of_commit; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX customer_activity_in_order_of_commit ON leadline.customer_activity USING btree (workspace_id, transaction_id, activity_id);


--
-- Name: idempotency_keys_by_age; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX idempotency_keys_by_age ON leadline.idempotency_keys USING btree (workspace_id, answered_at);


--
-- Name: lead_activity_in_order_of_commit; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX lead_activity_in_order_of_commit ON leadline.lead_activity USING btree (workspace_id, transaction_id, activity_id);


--
-- Name: leads_by_appointment; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_appointment ON leadline.leads USING btree (workspace_id, appointment_ref) WHERE (appointment_ref IS NOT NULL);


--
-- Name: leads_by_assignee; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_assignee ON leadline.leads USING btree (workspace_id, assigned_user_id, created_at DESC, lead_id DESC);


--
-- Name: leads_by_candidate; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_candidate ON leadline.leads USING btree (workspace_id, possible_duplicate_of) WHERE (possible_duplicate_of IS NOT NULL);


--
-- Name: leads_by_email; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_email ON leadline.leads USING btree (workspace_id, email_key) WHERE (email_key IS NOT NULL);


--
-- Name: leads_by_opportunity; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_opportunity ON leadline.leads USING btree (workspace_id, opportunity_id) WHERE (opportunity_id IS NOT NULL);


--
-- Name: leads_by_original; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_original ON leadline.leads USING btree (workspace_id, duplicate_of) WHERE (duplicate_of IS NOT NULL);


--
-- Name: leads_by_person; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_person ON leadline.leads USING btree (workspace_id, person_id);


--
-- Name: leads_by_phone; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_phone ON leadline.leads USING btree (workspace_id, phone_key) WHERE (phone_key IS NOT NULL);


--
-- Name: leads_by_stem; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_stem ON leadline.leads USING btree (workspace_id, email_stem) WHERE (email_stem IS NOT NULL);


--
-- Name: leads_by_survivor; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_survivor ON leadline.leads USING btree (workspace_id, merged_into) WHERE (merged_into IS NOT NULL);


--
-- Name: leads_by_template; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_by_template ON leadline.leads USING btree (workspace_id, copied_from) WHERE (copied_from IS NOT NULL);


--
-- Name: leads_newest_first; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX leads_newest_first ON leadline.leads USING btree (workspace_id, created_at DESC, lead_id DESC);


--
-- Name: leads_one_open_lead_per_email; Type: INDEX; Schema: leadline; Owner: -
--

CREATE UNIQUE INDEX leads_one_open_lead_per_email ON leadline.leads USING btree (workspace_id, email_key) WHERE ((workflow = ANY (ARRAY['sales'::text, 'qualification'::text])) AND (status = ANY (ARRAY['active'::text, 'open'::text])));


--
-- Name: memberships_by_user; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX memberships_by_user ON leadline.memberships USING btree (user_id);


--
-- Name: opportunities_by_account; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX opportunities_by_account ON leadline.opportunities USING btree (workspace_id, account_id) WHERE (account_id IS NOT NULL);


--
-- Name: opportunities_by_assignee; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX opportunities_by_assignee ON leadline.opportunities USING btree (workspace_id, assigned_user_id, created_at DESC, opportunity_id DESC);


--
-- Name: opportunities_by_lead; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX opportunities_by_lead ON leadline.opportunities USING btree (workspace_id, lead_id) WHERE (lead_id IS NOT NULL);


--
-- Name: opportunities_by_person; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX opportunities_by_person ON leadline.opportunities USING btree (workspace_id, person_id);


--
-- Name: opportunities_newest_first; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX opportunities_newest_first ON leadline.opportunities USING btree (workspace_id, created_at DESC, opportunity_id DESC);


--
-- Name: opportunity_activity_in_order_of_commit; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX opportunity_activity_in_order_of_commit ON leadline.opportunity_activity USING btree (workspace_id, transaction_id, activity_id);


--
-- Name: outbox_by_lead; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX outbox_by_lead ON leadline.outbox USING btree (workspace_id, lead_id);


--
-- Name: outbox_by_recipient; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX outbox_by_recipient ON leadline.outbox USING btree (workspace_id, recipient_user_id);


--
-- Name: outbox_by_request; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX outbox_by_request ON leadline.outbox USING btree (workspace_id, request_id);


--
-- Name: outbox_scores_a_lead_once; Type: INDEX; Schema: leadline; Owner: -
--

CREATE UNIQUE INDEX outbox_scores_a_lead_once ON leadline.outbox USING btree (workspace_id, lead_id) WHERE ((topic = 'score'::text) AND (sent_at IS NULL));


--
-- Name: people_by_account; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX people_by_account ON leadline.people USING btree (workspace_id, account_id) WHERE (account_id IS NOT NULL);


--
-- Name: people_by_survivor; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX people_by_survivor ON leadline.people USING btree (workspace_id, merged_into) WHERE (merged_into IS NOT NULL);


--
-- Name: people_newest_first; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX people_newest_first ON leadline.people USING btree (workspace_id, created_at DESC, person_id DESC);


--
-- Name: person_keys_by_person; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX person_keys_by_person ON leadline.person_keys USING btree (workspace_id, person_id);


--
-- Name: relationship_activity_in_order_of_commit; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX relationship_activity_in_order_of_commit ON leadline.relationship_activity USING btree (workspace_id, transaction_id, activity_id);


--
-- Name: requests_by_lead; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX requests_by_lead ON leadline.requests USING btree (workspace_id, lead_id);


--
-- Name: requests_by_owner; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX requests_by_owner ON leadline.requests USING btree (workspace_id, owner_user_id) WHERE (owner_user_id IS NOT NULL);


--
-- Name: requests_by_person; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX requests_by_person ON leadline.requests USING btree (workspace_id, person_id);


--
-- Name: requests_newest_first; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX requests_newest_first ON leadline.requests USING btree (workspace_id, received_at DESC, request_id DESC);


--
-- Name: requests_unanswered; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX requests_unanswered ON leadline.requests USING btree (workspace_id, lead_id) WHERE ((first_response_at IS NULL) AND (not_applicable_at IS NULL));


--
-- Name: subscriptions_by_account; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX subscriptions_by_account ON leadline.subscriptions USING btree (workspace_id, account_id) WHERE (account_id IS NOT NULL);


--
-- Name: subscriptions_by_person; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX subscriptions_by_person ON leadline.subscriptions USING btree (workspace_id, person_id);


--
-- Name: subscriptions_newest_first; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX subscriptions_newest_first ON leadline.subscriptions USING btree (workspace_id, created_at DESC, subscription_id DESC);


--
-- Name: webhook_logs_by_source; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX webhook_logs_by_source ON leadline.webhook_logs USING btree (workspace_id, source_id, log_id);


--
-- Name: webhook_logs_with_body; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX webhook_logs_with_body ON leadline.webhook_logs USING btree (workspace_id, received_at) WHERE (purged_at IS NULL);


--
-- Name: workspace_activity_in_order_of_commit; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX workspace_activity_in_order_of_commit ON leadline.workspace_activity USING btree (workspace_id, transaction_id, activity_id);


--
-- Name: workspace_logins_by_user; Type: INDEX; Schema: leadline; Owner: -
--

CREATE INDEX workspace_logins_by_user ON leadline.workspace_logins USING btree (workspace_id, user_id);


--
-- Name: rulings_by_type; Type: INDEX; Schema: leadline_internal; Owner: -
--

CREATE INDEX rulings_by_type ON leadline_internal.rulings USING btree (journal, activity_type);


--
-- Name: approvals t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.approvals FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.approvals ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: checkpoints t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE OR UPDATE ON leadline.checkpoints FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.checkpoints ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: customer_activity t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE OR UPDATE ON leadline.customer_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.customer_activity ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: lead_activity t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE OR UPDATE ON leadline.lead_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.lead_activity ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: leads t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.leads FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.leads ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: opportunities t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.opportunities FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.opportunities ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: opportunity_activity t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE OR UPDATE ON leadline.opportunity_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.opportunity_activity ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: people t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.people FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.people ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: relationship_activity t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE OR UPDATE ON leadline.relationship_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.relationship_activity ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: renewal_cycles t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.renewal_cycles FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.renewal_cycles ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: subscriptions t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.subscriptions FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.subscriptions ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: workspace_activity t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE OR UPDATE ON leadline.workspace_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.workspace_activity ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: workspaces t10_refuse_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_change BEFORE DELETE ON leadline.workspaces FOR EACH ROW EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.workspaces ENABLE ALWAYS TRIGGER t10_refuse_change;


--
-- Name: approvals t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.approvals FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.approvals ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: checkpoints t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR UPDATE OR TRUNCATE ON leadline.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.checkpoints ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: customer_activity t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR UPDATE OR TRUNCATE ON leadline.customer_activity FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.customer_activity ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: lead_activity t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR UPDATE OR TRUNCATE ON leadline.lead_activity FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.lead_activity ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: leads t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.leads FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.leads ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: opportunities t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.opportunities FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.opportunities ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: opportunity_activity t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR UPDATE OR TRUNCATE ON leadline.opportunity_activity FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.opportunity_activity ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: people t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.people FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.people ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: relationship_activity t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR UPDATE OR TRUNCATE ON leadline.relationship_activity FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.relationship_activity ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: renewal_cycles t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.renewal_cycles FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.renewal_cycles ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: subscriptions t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.subscriptions FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.subscriptions ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: workspace_activity t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR UPDATE OR TRUNCATE ON leadline.workspace_activity FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.workspace_activity ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: workspaces t10_refuse_statement; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t10_refuse_statement BEFORE DELETE OR TRUNCATE ON leadline.workspaces FOR EACH STATEMENT EXECUTE FUNCTION leadline_internal.refuse_change_of_history();

ALTER TABLE leadline.workspaces ENABLE ALWAYS TRIGGER t10_refuse_statement;


--
-- Name: leads t40_derive_changed_contact_keys; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t40_derive_changed_contact_keys BEFORE UPDATE OF email, phone, email_key, email_stem, phone_key ON leadline.leads FOR EACH ROW WHEN (((new.email IS DISTINCT FROM old.email) OR (new.phone IS DISTINCT FROM old.phone) OR (new.email_key IS DISTINCT FROM old.email_key) OR (new.email_stem IS DISTINCT FROM old.email_stem) OR (new.phone_key IS DISTINCT FROM old.phone_key))) EXECUTE FUNCTION leadline_internal.derive_contact_keys();


--
-- Name: leads t40_derive_contact_keys; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t40_derive_contact_keys BEFORE INSERT ON leadline.leads FOR EACH ROW WHEN (((new.email IS NOT NULL) OR (new.phone IS NOT NULL))) EXECUTE FUNCTION leadline_internal.derive_contact_keys();


--
-- Name: relationship_activity t50_advance_relationship_based_on_activity; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t50_advance_relationship_based_on_activity BEFORE INSERT ON leadline.relationship_activity FOR EACH ROW EXECUTE FUNCTION leadline.advance_relationship_based_on_activity();


--
-- Name: opportunity_activity t50_move_opportunity_based_on_activity; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t50_move_opportunity_based_on_activity BEFORE INSERT ON leadline.opportunity_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.move_opportunity_based_on_activity();


--
-- Name: leads t50_prepare_bare_lead; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t50_prepare_bare_lead BEFORE INSERT ON leadline.leads FOR EACH ROW WHEN ((new.seq IS NULL)) EXECUTE FUNCTION leadline_internal.prepare_bare_lead();


--
-- Name: lead_activity t50_update_lead_status_based_on_activity; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t50_update_lead_status_based_on_activity BEFORE INSERT ON leadline.lead_activity FOR EACH ROW EXECUTE FUNCTION leadline.update_lead_status_based_on_activity();


--
-- Name: customer_activity t50_update_subscription_based_on_activity; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t50_update_subscription_based_on_activity BEFORE INSERT ON leadline.customer_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.update_subscription_based_on_activity();


--
-- Name: workspace_activity t50_update_workspace_based_on_activity; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t50_update_workspace_based_on_activity BEFORE INSERT ON leadline.workspace_activity FOR EACH ROW EXECUTE FUNCTION leadline_internal.update_workspace_based_on_activity();


--
-- Name: lead_activity t70_carry_out_consequences; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t70_carry_out_consequences AFTER INSERT ON leadline.lead_activity FOR EACH ROW WHEN (((new.from_stage <> new.to_stage) AND (new.from_stage = ANY ('{callback,lost}'::text[])))) EXECUTE FUNCTION leadline_internal.carry_out_consequences_for_lead();


--
-- Name: lead_activity t70_carry_out_merge; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t70_carry_out_merge AFTER INSERT ON leadline.lead_activity FOR EACH ROW WHEN (((new.activity_type = ANY (ARRAY['leads_merged'::text, 'leads_unmerged'::text])) AND (new.verdict = 'applied'::text) AND (new.writer !~~ 'workflow:%'::text))) EXECUTE FUNCTION leadline_internal.carry_out_merge();


--
-- Name: relationship_activity t70_carry_out_product_signal; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t70_carry_out_product_signal AFTER INSERT ON leadline.relationship_activity FOR EACH ROW WHEN (((new.activity_type = 'product_signal_seen'::text) AND (new.verdict = 'noted'::text) AND (new.rule IS NULL))) EXECUTE FUNCTION leadline_internal.carry_out_product_signal();


--
-- Name: lead_activity t70_propose_from_outcome; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t70_propose_from_outcome AFTER INSERT ON leadline.lead_activity FOR EACH ROW WHEN (((new.activity_type = ANY ('{call_completed,call_received,deal_won,email_replied,inbound_enquiry,meeting_held,message_received,proposal_sent,sale}'::text[])) AND (new.verdict = ANY (ARRAY['applied'::text, 'noted'::text])))) EXECUTE FUNCTION leadline_internal.propose_from_outcome('lead_activity');


--
-- Name: opportunity_activity t70_propose_from_outcome; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t70_propose_from_outcome AFTER INSERT ON leadline.opportunity_activity FOR EACH ROW WHEN (((new.activity_type = ANY ('{amount_changed,opportunity_advanced,opportunity_opened,opportunity_won}'::text[])) AND (new.verdict = ANY (ARRAY['applied'::text, 'noted'::text])))) EXECUTE FUNCTION leadline_internal.propose_from_outcome('opportunity_activity');


--
-- Name: leads t80_log_bare_lead; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t80_log_bare_lead AFTER INSERT ON leadline.leads FOR EACH ROW WHEN ((new.seq = 0)) EXECUTE FUNCTION leadline_internal.log_bare_lead();


--
-- Name: leads t80_log_direct_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t80_log_direct_change AFTER UPDATE ON leadline.leads FOR EACH ROW WHEN ((NOT (new.hash IS DISTINCT FROM old.hash))) EXECUTE FUNCTION leadline_internal.log_direct_change('lead_activity');


--
-- Name: opportunities t80_log_direct_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t80_log_direct_change AFTER UPDATE ON leadline.opportunities FOR EACH ROW WHEN ((NOT (new.hash IS DISTINCT FROM old.hash))) EXECUTE FUNCTION leadline_internal.log_direct_change('opportunity_activity');


--
-- Name: people t80_log_direct_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t80_log_direct_change AFTER UPDATE ON leadline.people FOR EACH ROW WHEN ((NOT (new.hash IS DISTINCT FROM old.hash))) EXECUTE FUNCTION leadline_internal.log_direct_change('relationship_activity');


--
-- Name: subscriptions t80_log_direct_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t80_log_direct_change AFTER UPDATE ON leadline.subscriptions FOR EACH ROW WHEN ((NOT (new.hash IS DISTINCT FROM old.hash))) EXECUTE FUNCTION leadline_internal.log_direct_change('customer_activity');


--
-- Name: workspaces t80_log_direct_change; Type: TRIGGER; Schema: leadline; Owner: -
--

CREATE TRIGGER t80_log_direct_change AFTER UPDATE ON leadline.workspaces FOR EACH ROW WHEN ((NOT (new.hash IS DISTINCT FROM old.hash))) EXECUTE FUNCTION leadline_internal.log_direct_change('workspace_activity');


--
-- Name: accounts accounts_owner_is_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.accounts
    ADD CONSTRAINT accounts_owner_is_a_member FOREIGN KEY (workspace_id, owner_user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: accounts accounts_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.accounts
    ADD CONSTRAINT accounts_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: activity_content activity_content_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.activity_content
    ADD CONSTRAINT activity_content_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: api_tokens api_tokens_belong_to_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.api_tokens
    ADD CONSTRAINT api_tokens_belong_to_a_member FOREIGN KEY (workspace_id, user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: api_tokens api_tokens_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.api_tokens
    ADD CONSTRAINT api_tokens_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: approvals approvals_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.approvals
    ADD CONSTRAINT approvals_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: approvals approvals_settled_by_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.approvals
    ADD CONSTRAINT approvals_settled_by_a_member FOREIGN KEY (workspace_id, settled_by_user) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: checkpoints checkpoints_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.checkpoints
    ADD CONSTRAINT checkpoints_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: customer_activity customer_activity_subscription_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.customer_activity
    ADD CONSTRAINT customer_activity_subscription_exists FOREIGN KEY (workspace_id, subscription_id) REFERENCES leadline.subscriptions(workspace_id, subscription_id);


--
-- Name: customer_activity customer_activity_type_is_known; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.customer_activity
    ADD CONSTRAINT customer_activity_type_is_known FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: idempotency_keys idempotency_keys_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.idempotency_keys
    ADD CONSTRAINT idempotency_keys_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: job_runs job_runs_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.job_runs
    ADD CONSTRAINT job_runs_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: lead_activity lead_activity_lead_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.lead_activity
    ADD CONSTRAINT lead_activity_lead_exists FOREIGN KEY (workspace_id, lead_id) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: lead_activity lead_activity_type_is_known; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.lead_activity
    ADD CONSTRAINT lead_activity_type_is_known FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: leads leads_assignee_is_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_assignee_is_a_member FOREIGN KEY (workspace_id, assigned_user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: leads leads_copied_from_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_copied_from_exists FOREIGN KEY (workspace_id, copied_from) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: leads leads_duplicate_of_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_duplicate_of_exists FOREIGN KEY (workspace_id, duplicate_of) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: leads leads_merged_into_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_merged_into_exists FOREIGN KEY (workspace_id, merged_into) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: leads leads_opportunity_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_opportunity_exists FOREIGN KEY (workspace_id, opportunity_id) REFERENCES leadline.opportunities(workspace_id, opportunity_id);


--
-- Name: leads leads_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: leads leads_possible_duplicate_of_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_possible_duplicate_of_exists FOREIGN KEY (workspace_id, possible_duplicate_of) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: leads leads_stage_implies_status; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_stage_implies_status FOREIGN KEY (workflow, stage, status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: leads leads_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.leads
    ADD CONSTRAINT leads_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: memberships memberships_user_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.memberships
    ADD CONSTRAINT memberships_user_exists FOREIGN KEY (user_id) REFERENCES leadline.users(user_id);


--
-- Name: memberships memberships_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.memberships
    ADD CONSTRAINT memberships_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: opportunities opportunities_account_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_account_exists FOREIGN KEY (workspace_id, account_id) REFERENCES leadline.accounts(workspace_id, account_id);


--
-- Name: opportunities opportunities_assignee_is_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_assignee_is_a_member FOREIGN KEY (workspace_id, assigned_user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: opportunities opportunities_lead_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_lead_exists FOREIGN KEY (workspace_id, lead_id) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: opportunities opportunities_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: opportunities opportunities_stage_implies_status; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_stage_implies_status FOREIGN KEY (workflow, stage, status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: opportunities opportunities_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunities
    ADD CONSTRAINT opportunities_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: opportunity_activity opportunity_activity_opportunity_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunity_activity
    ADD CONSTRAINT opportunity_activity_opportunity_exists FOREIGN KEY (workspace_id, opportunity_id) REFERENCES leadline.opportunities(workspace_id, opportunity_id);


--
-- Name: opportunity_activity opportunity_activity_type_is_known; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.opportunity_activity
    ADD CONSTRAINT opportunity_activity_type_is_known FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: outbox outbox_lead_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.outbox
    ADD CONSTRAINT outbox_lead_exists FOREIGN KEY (workspace_id, lead_id) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: outbox outbox_recipient_is_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.outbox
    ADD CONSTRAINT outbox_recipient_is_a_member FOREIGN KEY (workspace_id, recipient_user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: outbox outbox_request_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.outbox
    ADD CONSTRAINT outbox_request_exists FOREIGN KEY (workspace_id, request_id) REFERENCES leadline.requests(workspace_id, request_id);


--
-- Name: people people_account_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.people
    ADD CONSTRAINT people_account_exists FOREIGN KEY (workspace_id, account_id) REFERENCES leadline.accounts(workspace_id, account_id);


--
-- Name: people people_furthest_stage_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.people
    ADD CONSTRAINT people_furthest_stage_exists FOREIGN KEY (workflow, furthest_stage) REFERENCES leadline.rule_stages(workflow, stage);


--
-- Name: people people_merged_into_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.people
    ADD CONSTRAINT people_merged_into_exists FOREIGN KEY (workspace_id, merged_into) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: people people_stage_implies_status; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.people
    ADD CONSTRAINT people_stage_implies_status FOREIGN KEY (workflow, stage, status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: people people_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.people
    ADD CONSTRAINT people_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: person_keys person_keys_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.person_keys
    ADD CONSTRAINT person_keys_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: relationship_activity relationship_activity_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.relationship_activity
    ADD CONSTRAINT relationship_activity_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: relationship_activity relationship_activity_type_is_known; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.relationship_activity
    ADD CONSTRAINT relationship_activity_type_is_known FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: renewal_cycles renewal_cycles_subscription_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.renewal_cycles
    ADD CONSTRAINT renewal_cycles_subscription_exists FOREIGN KEY (workspace_id, subscription_id) REFERENCES leadline.subscriptions(workspace_id, subscription_id);


--
-- Name: requests requests_lead_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.requests
    ADD CONSTRAINT requests_lead_exists FOREIGN KEY (workspace_id, lead_id) REFERENCES leadline.leads(workspace_id, lead_id);


--
-- Name: requests requests_owner_is_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.requests
    ADD CONSTRAINT requests_owner_is_a_member FOREIGN KEY (workspace_id, owner_user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: requests requests_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.requests
    ADD CONSTRAINT requests_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: rule_aliases rule_aliases_stage_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_aliases
    ADD CONSTRAINT rule_aliases_stage_exists FOREIGN KEY (workflow, stage) REFERENCES leadline.rule_stages(workflow, stage);


--
-- Name: rule_blocks rule_blocks_stage_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_blocks
    ADD CONSTRAINT rule_blocks_stage_exists FOREIGN KEY (workflow, to_stage) REFERENCES leadline.rule_stages(workflow, stage);


--
-- Name: rule_effects rule_effects_consequence_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_effects
    ADD CONSTRAINT rule_effects_consequence_exists FOREIGN KEY (consequence) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: rule_effects rule_effects_stage_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_effects
    ADD CONSTRAINT rule_effects_stage_exists FOREIGN KEY (workflow, from_stage) REFERENCES leadline.rule_stages(workflow, stage);


--
-- Name: rule_payload_keys rule_payload_keys_activity_type_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_payload_keys
    ADD CONSTRAINT rule_payload_keys_activity_type_exists FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: rule_permitted rule_permitted_stage_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_permitted
    ADD CONSTRAINT rule_permitted_stage_exists FOREIGN KEY (workflow, stage) REFERENCES leadline.rule_stages(workflow, stage);


--
-- Name: rule_proposals rule_proposals_activity_type_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_proposals
    ADD CONSTRAINT rule_proposals_activity_type_exists FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: rule_stages rule_stages_workflow_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_stages
    ADD CONSTRAINT rule_stages_workflow_exists FOREIGN KEY (workflow) REFERENCES leadline.rule_workflows(workflow);


--
-- Name: rule_transitions rule_transitions_activity_type_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_transitions
    ADD CONSTRAINT rule_transitions_activity_type_exists FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: rule_transitions rule_transitions_from_place_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_transitions
    ADD CONSTRAINT rule_transitions_from_place_exists FOREIGN KEY (workflow, from_stage, from_status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: rule_transitions rule_transitions_rule_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_transitions
    ADD CONSTRAINT rule_transitions_rule_exists FOREIGN KEY (rule) REFERENCES leadline.rule_sentences(rule);


--
-- Name: rule_transitions rule_transitions_target_is_permitted; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.rule_transitions
    ADD CONSTRAINT rule_transitions_target_is_permitted FOREIGN KEY (workflow, to_stage, to_status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: subscriptions subscriptions_account_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.subscriptions
    ADD CONSTRAINT subscriptions_account_exists FOREIGN KEY (workspace_id, account_id) REFERENCES leadline.accounts(workspace_id, account_id);


--
-- Name: subscriptions subscriptions_person_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.subscriptions
    ADD CONSTRAINT subscriptions_person_exists FOREIGN KEY (workspace_id, person_id) REFERENCES leadline.people(workspace_id, person_id);


--
-- Name: subscriptions subscriptions_stage_implies_status; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.subscriptions
    ADD CONSTRAINT subscriptions_stage_implies_status FOREIGN KEY (workflow, stage, status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: subscriptions subscriptions_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.subscriptions
    ADD CONSTRAINT subscriptions_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: suppressions suppressions_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.suppressions
    ADD CONSTRAINT suppressions_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: webhook_logs webhook_logs_source_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.webhook_logs
    ADD CONSTRAINT webhook_logs_source_exists FOREIGN KEY (workspace_id, source_id) REFERENCES leadline.webhook_sources(workspace_id, source_id);


--
-- Name: webhook_sources webhook_sources_preset_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.webhook_sources
    ADD CONSTRAINT webhook_sources_preset_exists FOREIGN KEY (preset) REFERENCES leadline.rule_webhook_presets(preset);


--
-- Name: webhook_sources webhook_sources_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.webhook_sources
    ADD CONSTRAINT webhook_sources_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: workspace_activity workspace_activity_type_is_known; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_activity
    ADD CONSTRAINT workspace_activity_type_is_known FOREIGN KEY (activity_type) REFERENCES leadline.rule_activity_types(activity_type);


--
-- Name: workspace_activity workspace_activity_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_activity
    ADD CONSTRAINT workspace_activity_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: workspace_logins workspace_logins_belong_to_a_member; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_logins
    ADD CONSTRAINT workspace_logins_belong_to_a_member FOREIGN KEY (workspace_id, user_id) REFERENCES leadline.memberships(workspace_id, user_id);


--
-- Name: workspace_logins workspace_logins_workspace_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspace_logins
    ADD CONSTRAINT workspace_logins_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: workspaces workspaces_default_workflow_exists; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspaces
    ADD CONSTRAINT workspaces_default_workflow_exists FOREIGN KEY (default_workflow) REFERENCES leadline.rule_workflows(workflow);


--
-- Name: workspaces workspaces_stage_implies_status; Type: FK CONSTRAINT; Schema: leadline; Owner: -
--

ALTER TABLE ONLY leadline.workspaces
    ADD CONSTRAINT workspaces_stage_implies_status FOREIGN KEY (workflow, stage, status) REFERENCES leadline.rule_permitted(workflow, stage, status);


--
-- Name: activity_references activity_references_workspace_exists; Type: FK CONSTRAINT; Schema: leadline_internal; Owner: -
--

ALTER TABLE ONLY leadline_internal.activity_references
    ADD CONSTRAINT activity_references_workspace_exists FOREIGN KEY (workspace_id) REFERENCES leadline.workspaces(workspace_id);


--
-- Name: accounts; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.accounts ENABLE ROW LEVEL SECURITY;

--
-- Name: accounts accounts_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY accounts_in_workspace ON leadline.accounts USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: activity_content; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.activity_content ENABLE ROW LEVEL SECURITY;

--
-- Name: activity_content activity_content_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY activity_content_in_workspace ON leadline.activity_content USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.sees_contacts() AS sees_contacts) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_activity(workspace_id, activity_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: api_tokens; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.api_tokens ENABLE ROW LEVEL SECURITY;

--
-- Name: api_tokens api_tokens_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY api_tokens_in_workspace ON leadline.api_tokens USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.manages_team() AS manages_team))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: approvals; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.approvals ENABLE ROW LEVEL SECURITY;

--
-- Name: approvals approvals_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY approvals_in_workspace ON leadline.approvals USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_person(workspace_id, person_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: checkpoints; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.checkpoints ENABLE ROW LEVEL SECURITY;

--
-- Name: checkpoints checkpoints_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY checkpoints_in_workspace ON leadline.checkpoints USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.sees_all_leads() AS sees_all_leads))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: customer_activity; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.customer_activity ENABLE ROW LEVEL SECURITY;

--
-- Name: customer_activity customer_activity_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY customer_activity_in_workspace ON leadline.customer_activity USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_subscription(workspace_id, subscription_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: idempotency_keys; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.idempotency_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: idempotency_keys idempotency_keys_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY idempotency_keys_in_workspace ON leadline.idempotency_keys USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: job_runs; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.job_runs ENABLE ROW LEVEL SECURITY;

--
-- Name: job_runs job_runs_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY job_runs_in_workspace ON leadline.job_runs USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: lead_activity; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.lead_activity ENABLE ROW LEVEL SECURITY;

--
-- Name: lead_activity lead_activity_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY lead_activity_in_workspace ON leadline.lead_activity USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_entry(workspace_id, lead_id, actor_id, transaction_id, activity_type, seq, changes)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: leads; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.leads ENABLE ROW LEVEL SECURITY;

--
-- Name: leads leads_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY leads_in_workspace ON leadline.leads USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR (assigned_user_id = ANY (ARRAY[( SELECT leadline.current_user_id() AS current_user_id)])) OR ((assigned_user_id IS NULL) AND ( SELECT leadline.sees_unassigned_leads() AS sees_unassigned_leads))))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: memberships; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.memberships ENABLE ROW LEVEL SECURITY;

--
-- Name: memberships memberships_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY memberships_in_workspace ON leadline.memberships USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: opportunities; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.opportunities ENABLE ROW LEVEL SECURITY;

--
-- Name: opportunities opportunities_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY opportunities_in_workspace ON leadline.opportunities USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR (assigned_user_id = ANY (ARRAY[( SELECT leadline.current_user_id() AS current_user_id)])) OR ((assigned_user_id IS NULL) AND ( SELECT leadline.sees_unassigned_leads() AS sees_unassigned_leads))))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: opportunity_activity; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.opportunity_activity ENABLE ROW LEVEL SECURITY;

--
-- Name: opportunity_activity opportunity_activity_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY opportunity_activity_in_workspace ON leadline.opportunity_activity USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_opportunity(workspace_id, opportunity_id, actor_id, transaction_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: outbox; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.outbox ENABLE ROW LEVEL SECURITY;

--
-- Name: outbox outbox_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY outbox_in_workspace ON leadline.outbox USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.manages_team() AS manages_team) OR (recipient_user_id = ANY (ARRAY[( SELECT leadline.current_user_id() AS current_user_id)]))))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: people; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.people ENABLE ROW LEVEL SECURITY;

--
-- Name: people people_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY people_in_workspace ON leadline.people USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_person(workspace_id, person_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: person_keys; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.person_keys ENABLE ROW LEVEL SECURITY;

--
-- Name: person_keys person_keys_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY person_keys_in_workspace ON leadline.person_keys USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.sees_contacts() AS sees_contacts) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_key(workspace_id, person_id, kind, key)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: relationship_activity; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.relationship_activity ENABLE ROW LEVEL SECURITY;

--
-- Name: relationship_activity relationship_activity_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY relationship_activity_in_workspace ON leadline.relationship_activity USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_person(workspace_id, person_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: renewal_cycles; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.renewal_cycles ENABLE ROW LEVEL SECURITY;

--
-- Name: renewal_cycles renewal_cycles_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY renewal_cycles_in_workspace ON leadline.renewal_cycles USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_subscription(workspace_id, subscription_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: requests; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.requests ENABLE ROW LEVEL SECURITY;

--
-- Name: requests requests_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY requests_in_workspace ON leadline.requests USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_lead(workspace_id, lead_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: subscriptions; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.subscriptions ENABLE ROW LEVEL SECURITY;

--
-- Name: subscriptions subscriptions_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY subscriptions_in_workspace ON leadline.subscriptions USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND (( SELECT leadline.sees_all_leads() AS sees_all_leads) OR leadline.sees_person(workspace_id, person_id)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: suppressions; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.suppressions ENABLE ROW LEVEL SECURITY;

--
-- Name: suppressions suppressions_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY suppressions_in_workspace ON leadline.suppressions USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.sees_all_leads() AS sees_all_leads))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: webhook_logs; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.webhook_logs ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_logs webhook_logs_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY webhook_logs_in_workspace ON leadline.webhook_logs USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.manages_team() AS manages_team))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: webhook_sources; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.webhook_sources ENABLE ROW LEVEL SECURITY;

--
-- Name: webhook_sources webhook_sources_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY webhook_sources_in_workspace ON leadline.webhook_sources USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.manages_team() AS manages_team))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: workspace_activity; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.workspace_activity ENABLE ROW LEVEL SECURITY;

--
-- Name: workspace_activity workspace_activity_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY workspace_activity_in_workspace ON leadline.workspace_activity USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: workspace_logins; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.workspace_logins ENABLE ROW LEVEL SECURITY;

--
-- Name: workspace_logins workspace_logins_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY workspace_logins_in_workspace ON leadline.workspace_logins USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)) AND ( SELECT leadline.manages_team() AS manages_team))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: workspaces; Type: ROW SECURITY; Schema: leadline; Owner: -
--

ALTER TABLE leadline.workspaces ENABLE ROW LEVEL SECURITY;

--
-- Name: workspaces workspaces_in_workspace; Type: POLICY; Schema: leadline; Owner: -
--

CREATE POLICY workspaces_in_workspace ON leadline.workspaces USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: activity_references; Type: ROW SECURITY; Schema: leadline_internal; Owner: -
--

ALTER TABLE leadline_internal.activity_references ENABLE ROW LEVEL SECURITY;

--
-- Name: activity_references activity_references_in_workspace; Type: POLICY; Schema: leadline_internal; Owner: -
--

CREATE POLICY activity_references_in_workspace ON leadline_internal.activity_references USING ((COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace() AS current_workspace)])), false) AND (workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)))) WITH CHECK ((workspace_id = ( SELECT leadline.current_workspace() AS current_workspace)));


--
-- Name: COLUMN leads.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(workspace_id) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.lead_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lead_id) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(lead_id) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(lead_id) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.workflow; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workflow),INSERT(workflow) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(workflow) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(workflow),INSERT(workflow) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.status; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(status) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(status) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(status) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.stage; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(stage) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(stage) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(stage) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.stage_entered_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(stage_entered_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(stage_entered_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(stage_entered_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.late_before; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(late_before) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(late_before) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(late_before) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.source; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(source),INSERT(source) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(source) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(source),INSERT(source) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.name; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(name),INSERT(name) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(name) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(name),INSERT(name) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.company; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(company),INSERT(company) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(company) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(company),INSERT(company) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.email; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(email),INSERT(email) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(email) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(email),INSERT(email) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.email_key; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(email_key) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(email_key) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(email_key) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.phone; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(phone),INSERT(phone) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(phone) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(phone),INSERT(phone) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.phone_key; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(phone_key) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(phone_key) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(phone_key) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.assigned_user_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(assigned_user_id),INSERT(assigned_user_id) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(assigned_user_id) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(assigned_user_id),INSERT(assigned_user_id) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.deal_value; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(deal_value),INSERT(deal_value) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(deal_value) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(deal_value),INSERT(deal_value) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.currency; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(currency),INSERT(currency) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(currency) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(currency),INSERT(currency) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.tags; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(tags) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(tags) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(tags) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.first_contacted_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(first_contacted_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(first_contacted_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(first_contacted_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.last_touch_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(last_touch_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(last_touch_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(last_touch_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.resolved_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(resolved_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(resolved_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(resolved_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.appointment_ref; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(appointment_ref) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(appointment_ref) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(appointment_ref) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.appointment_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(appointment_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(appointment_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(appointment_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.callback_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(callback_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(callback_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(callback_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.duplicate_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(duplicate_of) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(duplicate_of) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(duplicate_of) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.copied_from; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(copied_from) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(copied_from) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(copied_from) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.created_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(created_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(created_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(created_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.seq; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(seq) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(seq) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(seq) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.version; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(version) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(version) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(version) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.hash; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(hash) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(hash) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(hash) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.email_stem; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(email_stem) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(email_stem) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(email_stem) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.waiting_since; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(waiting_since) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(waiting_since) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(waiting_since) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.won_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(won_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(won_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(won_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.lost_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lost_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(lost_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(lost_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.lost_reason; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lost_reason) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(lost_reason) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(lost_reason) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.lost_notes; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lost_notes) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(lost_notes) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(lost_notes) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.is_possible_duplicate; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(is_possible_duplicate) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(is_possible_duplicate) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(is_possible_duplicate) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.possible_duplicate_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(possible_duplicate_of) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(possible_duplicate_of) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(possible_duplicate_of) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.merged_into; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(merged_into) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(merged_into) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(merged_into) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.rejection_reason; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(rejection_reason) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(rejection_reason) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(rejection_reason) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.person_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(person_id) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(person_id) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(person_id) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.accepted_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(accepted_at) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(accepted_at) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(accepted_at) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.recycle_reason; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(recycle_reason) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(recycle_reason) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(recycle_reason) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.recycle_on; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(recycle_on) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(recycle_on) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(recycle_on) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.problem; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(problem) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(problem) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(problem) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.timing; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(timing) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(timing) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(timing) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.buying_role; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(buying_role) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(buying_role) ON TABLE leadline.leads TO leadline_contacts;
GRANT SELECT(buying_role) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN leads.opportunity_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(opportunity_id) ON TABLE leadline.leads TO leadline_writer;
GRANT SELECT(opportunity_id) ON TABLE leadline.leads TO leadline_reader;
GRANT SELECT(opportunity_id) ON TABLE leadline.leads TO leadline_service;


--
-- Name: COLUMN webhook_logs.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.log_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(log_id) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(log_id) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.source_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(source_id) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(source_id) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.received_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(received_at) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(received_at) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.headers; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(headers) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(headers) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.content_type; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(content_type) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(content_type) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.body; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(body) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(body) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.event_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(event_id) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(event_id) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.status; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(status) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(status) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.error; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(error) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(error) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.attempts; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(attempts) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(attempts) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.processed_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(processed_at) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(processed_at) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.results; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(results) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(results) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN webhook_logs.purged_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(purged_at) ON TABLE leadline.webhook_logs TO leadline_writer;
GRANT SELECT(purged_at) ON TABLE leadline.webhook_logs TO leadline_service;


--
-- Name: COLUMN opportunities.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(workspace_id) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.opportunity_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(opportunity_id) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(opportunity_id) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(opportunity_id) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.workflow; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workflow) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(workflow) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(workflow) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.status; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(status) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(status) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(status) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.stage; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(stage) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(stage) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(stage) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.stage_entered_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(stage_entered_at) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(stage_entered_at) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(stage_entered_at) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.late_before; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(late_before) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(late_before) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(late_before) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.person_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(person_id) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(person_id) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(person_id) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.account_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(account_id) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(account_id) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(account_id) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.lead_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lead_id) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(lead_id) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(lead_id) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.assigned_user_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(assigned_user_id) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(assigned_user_id) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(assigned_user_id) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.amount; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(amount) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(amount) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(amount) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.currency; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(currency) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(currency) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(currency) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.close_date; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(close_date) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(close_date) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(close_date) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.problem; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(problem) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(problem) ON TABLE leadline.opportunities TO leadline_contacts;
GRANT SELECT(problem) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.decision_process; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(decision_process) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(decision_process) ON TABLE leadline.opportunities TO leadline_contacts;
GRANT SELECT(decision_process) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.next_step; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(next_step) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(next_step) ON TABLE leadline.opportunities TO leadline_contacts;
GRANT SELECT(next_step) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.next_step_on; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(next_step_on) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(next_step_on) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(next_step_on) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.contacts; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(contacts) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(contacts) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(contacts) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.won_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(won_at) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(won_at) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(won_at) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.lost_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lost_at) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(lost_at) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(lost_at) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.lost_reason; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lost_reason) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(lost_reason) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(lost_reason) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.lost_notes; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lost_notes) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(lost_notes) ON TABLE leadline.opportunities TO leadline_contacts;
GRANT SELECT(lost_notes) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.created_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(created_at) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(created_at) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(created_at) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.seq; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(seq) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(seq) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(seq) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.version; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(version) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(version) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(version) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN opportunities.hash; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(hash) ON TABLE leadline.opportunities TO leadline_writer;
GRANT SELECT(hash) ON TABLE leadline.opportunities TO leadline_reader;
GRANT SELECT(hash) ON TABLE leadline.opportunities TO leadline_service;


--
-- Name: COLUMN webhook_sources.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.source_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(source_id) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(source_id) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.key; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(key) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(key) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.name; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(name) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(name) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.preset; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(preset) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(preset) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.mapping; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(mapping) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(mapping) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.scheme; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(scheme) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(scheme) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.signature; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(signature) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(signature) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.created_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(created_at) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(created_at) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: COLUMN webhook_sources.removed_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(removed_at) ON TABLE leadline.webhook_sources TO leadline_writer;
GRANT SELECT(removed_at) ON TABLE leadline.webhook_sources TO leadline_service;


--
-- Name: TABLE approvals; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.approvals TO leadline_writer;
GRANT SELECT ON TABLE leadline.approvals TO leadline_reader;
GRANT SELECT ON TABLE leadline.approvals TO leadline_service;


--
-- Name: TABLE people; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.people TO leadline_writer;
GRANT SELECT ON TABLE leadline.people TO leadline_reader;
GRANT SELECT ON TABLE leadline.people TO leadline_service;


--
-- Name: TABLE subscriptions; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.subscriptions TO leadline_writer;
GRANT SELECT ON TABLE leadline.subscriptions TO leadline_reader;
GRANT SELECT ON TABLE leadline.subscriptions TO leadline_service;


--
-- Name: COLUMN requests.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(workspace_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.request_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(request_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(request_id) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(request_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.lead_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(lead_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(lead_id) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(lead_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.person_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(person_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(person_id) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(person_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.activity_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(activity_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(activity_id) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(activity_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.request_class; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(request_class) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(request_class) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(request_class) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.source; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(source) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(source) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(source) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.external_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(external_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(external_id) ON TABLE leadline.requests TO leadline_contacts;
GRANT SELECT(external_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.received_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(received_at) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(received_at) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(received_at) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.route; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(route) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(route) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(route) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.exclusion; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(exclusion) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(exclusion) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(exclusion) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.owner_user_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(owner_user_id) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(owner_user_id) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(owner_user_id) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.first_response_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(first_response_at) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(first_response_at) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(first_response_at) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.not_applicable_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(not_applicable_at) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(not_applicable_at) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(not_applicable_at) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.decision; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(decision) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(decision) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(decision) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.decision_reason; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(decision_reason) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(decision_reason) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(decision_reason) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.disposition_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(disposition_at) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(disposition_at) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(disposition_at) ON TABLE leadline.requests TO leadline_service;


--
-- Name: COLUMN requests.qualified_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(qualified_at) ON TABLE leadline.requests TO leadline_writer;
GRANT SELECT(qualified_at) ON TABLE leadline.requests TO leadline_reader;
GRANT SELECT(qualified_at) ON TABLE leadline.requests TO leadline_service;


--
-- Name: TABLE workspaces; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.workspaces TO leadline_writer;
GRANT SELECT ON TABLE leadline.workspaces TO leadline_reader;
GRANT SELECT ON TABLE leadline.workspaces TO leadline_service;


--
-- Name: TABLE accounts; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.accounts TO leadline_writer;
GRANT SELECT ON TABLE leadline.accounts TO leadline_reader;
GRANT SELECT ON TABLE leadline.accounts TO leadline_service;


--
-- Name: TABLE lead_activity; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.lead_activity TO leadline_writer;
GRANT SELECT ON TABLE leadline.lead_activity TO leadline_reader;
GRANT SELECT ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.lead_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(lead_id) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(lead_id) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.activity_type; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(activity_type) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(activity_type) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.payload; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(payload) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(payload) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.reference; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(reference) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(reference) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.occurred_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(occurred_at) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(occurred_at) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.on_behalf_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(on_behalf_of) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(on_behalf_of) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: COLUMN lead_activity.surface; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(surface) ON TABLE leadline.lead_activity TO leadline_writer;
GRANT INSERT(surface) ON TABLE leadline.lead_activity TO leadline_service;


--
-- Name: TABLE rule_permitted; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_permitted TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_permitted TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_permitted TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_permitted TO leadline_worker;


--
-- Name: TABLE memberships; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.memberships TO leadline_writer;
GRANT SELECT ON TABLE leadline.memberships TO leadline_reader;
GRANT SELECT ON TABLE leadline.memberships TO leadline_service;


--
-- Name: TABLE opportunity_activity; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT SELECT ON TABLE leadline.opportunity_activity TO leadline_reader;
GRANT SELECT ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.opportunity_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(opportunity_id) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(opportunity_id) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.activity_type; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(activity_type) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(activity_type) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.payload; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(payload) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(payload) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.reference; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(reference) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(reference) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.occurred_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(occurred_at) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(occurred_at) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.on_behalf_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(on_behalf_of) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(on_behalf_of) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: COLUMN opportunity_activity.surface; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(surface) ON TABLE leadline.opportunity_activity TO leadline_writer;
GRANT INSERT(surface) ON TABLE leadline.opportunity_activity TO leadline_service;


--
-- Name: TABLE relationship_activity; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT SELECT ON TABLE leadline.relationship_activity TO leadline_reader;
GRANT SELECT ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.person_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(person_id) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(person_id) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.activity_type; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(activity_type) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(activity_type) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.payload; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(payload) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(payload) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.reference; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(reference) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(reference) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.occurred_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(occurred_at) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(occurred_at) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.on_behalf_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(on_behalf_of) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(on_behalf_of) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN relationship_activity.surface; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(surface) ON TABLE leadline.relationship_activity TO leadline_writer;
GRANT INSERT(surface) ON TABLE leadline.relationship_activity TO leadline_service;


--
-- Name: COLUMN renewal_cycles.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(workspace_id) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.subscription_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(subscription_id) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(subscription_id) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(subscription_id) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.period_start; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(period_start) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(period_start) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(period_start) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.period_end; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(period_end) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(period_end) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(period_end) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.stage; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(stage) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(stage) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(stage) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.opened_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(opened_at) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(opened_at) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(opened_at) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.settled_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(settled_at) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(settled_at) ON TABLE leadline.renewal_cycles TO leadline_reader;
GRANT SELECT(settled_at) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: COLUMN renewal_cycles.churn_reason; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(churn_reason) ON TABLE leadline.renewal_cycles TO leadline_writer;
GRANT SELECT(churn_reason) ON TABLE leadline.renewal_cycles TO leadline_contacts;
GRANT SELECT(churn_reason) ON TABLE leadline.renewal_cycles TO leadline_service;


--
-- Name: TABLE activity_content; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.activity_content TO leadline_writer;
GRANT SELECT ON TABLE leadline.activity_content TO leadline_reader;
GRANT SELECT ON TABLE leadline.activity_content TO leadline_service;


--
-- Name: TABLE rule_activity_types; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_activity_types TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_activity_types TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_activity_types TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_activity_types TO leadline_worker;


--
-- Name: TABLE rule_payload_keys; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_payload_keys TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_payload_keys TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_payload_keys TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_payload_keys TO leadline_worker;


--
-- Name: COLUMN api_tokens.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.token_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(token_id) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(token_id) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.prefix; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(prefix) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(prefix) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.user_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(user_id) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(user_id) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.role; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(role) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(role) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.scopes; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(scopes) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(scopes) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.name; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(name) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(name) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.created_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(created_at) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(created_at) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.expires_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(expires_at) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(expires_at) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.revoked_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(revoked_at) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(revoked_at) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: COLUMN api_tokens.last_used_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(last_used_at) ON TABLE leadline.api_tokens TO leadline_writer;
GRANT SELECT(last_used_at) ON TABLE leadline.api_tokens TO leadline_service;


--
-- Name: TABLE customer_activity; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.customer_activity TO leadline_writer;
GRANT SELECT ON TABLE leadline.customer_activity TO leadline_reader;
GRANT SELECT ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.subscription_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(subscription_id) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(subscription_id) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.activity_type; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(activity_type) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(activity_type) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.payload; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(payload) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(payload) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.reference; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(reference) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(reference) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.occurred_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(occurred_at) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(occurred_at) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.on_behalf_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(on_behalf_of) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(on_behalf_of) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: COLUMN customer_activity.surface; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(surface) ON TABLE leadline.customer_activity TO leadline_writer;
GRANT INSERT(surface) ON TABLE leadline.customer_activity TO leadline_service;


--
-- Name: TABLE workspace_activity; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT SELECT ON TABLE leadline.workspace_activity TO leadline_reader;
GRANT SELECT ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.about_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(about_id) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(about_id) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.activity_type; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(activity_type) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(activity_type) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.payload; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(payload) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(payload) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.reference; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(reference) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(reference) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.occurred_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(occurred_at) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(occurred_at) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.on_behalf_of; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(on_behalf_of) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(on_behalf_of) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: COLUMN workspace_activity.surface; Type: ACL; Schema: leadline; Owner: -
--

GRANT INSERT(surface) ON TABLE leadline.workspace_activity TO leadline_writer;
GRANT INSERT(surface) ON TABLE leadline.workspace_activity TO leadline_service;


--
-- Name: TABLE checkpoints; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.checkpoints TO leadline_writer;
GRANT SELECT ON TABLE leadline.checkpoints TO leadline_reader;
GRANT SELECT ON TABLE leadline.checkpoints TO leadline_service;


--
-- Name: TABLE rule_stages; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_stages TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_stages TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_stages TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_stages TO leadline_worker;


--
-- Name: TABLE rule_sentences; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_sentences TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_sentences TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_sentences TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_sentences TO leadline_worker;


--
-- Name: COLUMN workspace_logins.workspace_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(workspace_id) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(workspace_id) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.login_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(login_id) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(login_id) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.login; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(login) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(login) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.user_id; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(user_id) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(user_id) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.role; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(role) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(role) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.scopes; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(scopes) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(scopes) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.created_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(created_at) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(created_at) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: COLUMN workspace_logins.revoked_at; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT(revoked_at) ON TABLE leadline.workspace_logins TO leadline_writer;
GRANT SELECT(revoked_at) ON TABLE leadline.workspace_logins TO leadline_service;


--
-- Name: TABLE outbox; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.outbox TO leadline_writer;
GRANT SELECT ON TABLE leadline.outbox TO leadline_reader;
GRANT SELECT ON TABLE leadline.outbox TO leadline_service;


--
-- Name: TABLE person_keys; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.person_keys TO leadline_writer;
GRANT SELECT ON TABLE leadline.person_keys TO leadline_contacts;
GRANT SELECT ON TABLE leadline.person_keys TO leadline_service;


--
-- Name: TABLE rule_aliases; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_aliases TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_aliases TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_aliases TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_aliases TO leadline_worker;


--
-- Name: TABLE rule_blocks; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_blocks TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_blocks TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_blocks TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_blocks TO leadline_worker;


--
-- Name: TABLE rule_effects; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_effects TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_effects TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_effects TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_effects TO leadline_worker;


--
-- Name: TABLE rule_personal_fields; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_personal_fields TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_personal_fields TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_personal_fields TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_personal_fields TO leadline_worker;


--
-- Name: TABLE rule_proposals; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_proposals TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_proposals TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_proposals TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_proposals TO leadline_worker;


--
-- Name: TABLE rule_reasons; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_reasons TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_reasons TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_reasons TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_reasons TO leadline_worker;


--
-- Name: TABLE rule_transitions; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_transitions TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_transitions TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_transitions TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_transitions TO leadline_worker;


--
-- Name: TABLE rule_webhook_presets; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_webhook_presets TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_webhook_presets TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_webhook_presets TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_webhook_presets TO leadline_worker;


--
-- Name: TABLE rule_workflows; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.rule_workflows TO leadline_writer;
GRANT SELECT ON TABLE leadline.rule_workflows TO leadline_reader;
GRANT SELECT ON TABLE leadline.rule_workflows TO leadline_service;
GRANT SELECT ON TABLE leadline.rule_workflows TO leadline_worker;


--
-- Name: TABLE suppressions; Type: ACL; Schema: leadline; Owner: -
--

GRANT SELECT ON TABLE leadline.suppressions TO leadline_writer;
GRANT SELECT ON TABLE leadline.suppressions TO leadline_contacts;
GRANT SELECT ON TABLE leadline.suppressions TO leadline_service;


--
-- PostgreSQL database dump complete
--

\unrestrict leadline


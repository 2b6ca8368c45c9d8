-- A lead is born once: lead_created and lead_imported name no lead that exists.
select t.here();

-- test: refused on a lead that exists
select t.keep('lead', t.lead('attempted'));
select is(t.verdict(t.kept('lead'), 'lead_created', '{"name": "Somebody else"}'), 'refused not_first', 'a second birth');
select is((select c.name from leadline.lead_contacts c where c.lead_id = t.kept('lead')), null, 'names nobody');
select t.act_as('importer', '{import}');
select is(t.verdict(t.kept('lead'), 'lead_imported', '{"stage": "sale", "entered_at": "2026-01-02T00:00:00Z"}'), 'refused not_first',
          'a second import');
select is(t.stage(t.kept('lead')), 'attempted', 'moves nothing');

-- test: refused on a closed lead too
select is(t.verdict(t.lead('sale'), 'lead_created'), 'refused not_first', 'a birth is no way to re-open');

-- test: allowed without a lead_id
select isnt(t.created(), null, 'the new lead''s id comes back');

-- test: refused of a deal and a subscription that are there
select is(t.verdict_on_deal(t.opportunity(s), 'opportunity_opened', jsonb_build_object('pipeline', 'new_business', 'person_id', t.someone())), 'refused not_first', s)
    from unnest('{evaluation,proposal,closedwon,closedlost}'::text[]) s;
select t.act_as('billing');
select is(t.verdict_on_customer(t.subscription(s), 'subscription_started', jsonb_build_object('person_id', t.someone())), 'refused not_first', s)
    from unnest('{trialing,active,past_due,cancelled}'::text[]) s;

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.lead('new'), 'lead_created') l;

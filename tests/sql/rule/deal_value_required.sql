-- A proposal has a value, and so has what is won (seed 004 section 2).
select t.here();

-- test: refused without a value, and with none worth the name
select results_eq(
    $$ select s, p, t.verdict(t.sales_lead(s), 'proposal_sent', p)
       from unnest('{new,contacted,qualified}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"deal_value": 0}', '{"deal_value": null}', '{"deal_value": 0.00, "currency": "EUR"}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    $$ select s, p, 'refused deal_value_required'
       from unnest('{new,contacted,qualified}'::text[]) with ordinality s(s, n),
            unnest(array['{}', '{"deal_value": 0}', '{"deal_value": null}', '{"deal_value": 0.00, "currency": "EUR"}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'the lead has none of its own');

-- test: a proposal or a win cannot lose its value
select results_eq(
    $$ select s, p, t.verdict(t.sales_lead(s), 'deal_value_changed', p)
       from unnest('{proposal,won}'::text[]) with ordinality s(s, n),
            unnest(array['{"deal_value": 0, "currency": "EUR"}', '{"deal_value": null, "currency": null}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    $$ select s, p, 'refused deal_value_required'
       from unnest('{proposal,won}'::text[]) with ordinality s(s, n),
            unnest(array['{"deal_value": 0, "currency": "EUR"}', '{"deal_value": null, "currency": null}']::jsonb[]) with ordinality p(p, m) order by n, m $$,
    'not even by an admin');
select is(t.verdict(t.sales_lead('proposal'), 'deal_won', '{"deal_value": 0, "currency": "EUR"}'), 'refused deal_value_required', 'won for nothing');

-- test: nor while it is archived
select matches(t.verdict(t.archived(t.sales_lead(s)), 'deal_value_changed', '{"deal_value": null, "currency": null}'), '^refused', s)
from unnest('{proposal,won}'::text[]) s;

-- test: a lost lead comes back to a proposal only with a value
select is(t.verdict(t.sales_lead('lost'), 'lead_reopened', '{"to_stage": "proposal"}'), 'refused deal_value_required', 're-opened');
select is(t.verdict(t.sales_lead('lost'), 'stage_corrected', '{"to_stage": "proposal", "reason": "wrong_record"}'), 'refused deal_value_required', 'corrected');

-- test: an import to where a value is needed is not born without
select t.act_as('importer', '{import}');
select t.raises(format('select t.report(null, ''lead_imported'', %L)', jsonb_build_object('workflow', 'sales', 'stage', s, 'entered_at', '2026-01-01T12:00:00Z',
                'email', 'kim@example.com')), 'PT409', 'deal_value_required', s)
from unnest('{proposal,won}'::text[]) s;

-- test: allowed with the payload's value, or the lead's
select results_eq(
    $$ select r.verdict, r.to_stage, l.deal_value, l.currency::text
       from (values (1, '{}'::jsonb, '{"deal_value": 900, "currency": "EUR"}'::jsonb), (2, '{"deal_value": 800, "currency": "EUR"}', '{}'),
                    (3, '{"deal_value": 800, "currency": "EUR"}', '{"deal_value": 0.01, "currency": "EUR"}')) x(n, lead, payload),
            lateral t.report(t.sales_lead('qualified', x.lead), 'proposal_sent', x.payload) r, lateral t.state(r.lead_id) l order by n $$,
    $$ values ('applied', 'proposal', 900::numeric, 'EUR'), ('applied', 'proposal', 800, 'EUR'), ('applied', 'proposal', 0.01, 'EUR') $$,
    'the payload''s counts when it gives one');
select is(t.verdict(t.sales_lead('lost', '{"deal_value": 5, "currency": "EUR"}'), 'lead_reopened', '{"to_stage": "proposal"}'), 'applied', 'back with what it was worth');
select is(t.verdict(t.sales_lead('qualified', '{"deal_value": 5, "currency": "EUR"}'), 'deal_value_changed', '{"deal_value": null, "currency": null}'), 'applied',
          'an estimate is optional until then');

-- test: refused for a deal that is won
select is(t.verdict_on_deal(t.opportunity('closedwon'), 'amount_changed', p), 'refused deal_value_required', p::text)
    from unnest(array['{"amount": 0}', '{"amount": null}', '{"amount": 0.00, "currency": "EUR"}']::jsonb[]) p;
select is(t.verdict_on_deal(t.opportunity('proposal', '{"amount": 5}'), 'amount_changed', '{"amount": null}'), 'applied', 'an estimate is optional until then');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'proposal_sent') l;

-- Other says nothing by itself: it takes notes (seed 004 section 3).
select t.here();

-- test: refused without a word
select results_eq(
    $$ select p, t.verdict(t.sales_lead('qualified'), 'deal_lost', '{"lost_reason": "Other"}'::jsonb || p)
       from unnest(array['{}', '{"notes": null}', '{"notes": ""}', '{"notes": "   "}', '{"notes": "\t\n"}', '{"notes": "\u00a0\u200b"}']::jsonb[]) with ordinality p(p, n) order by n $$,
    $$ select p, 'refused notes_required'
       from unnest(array['{}', '{"notes": null}', '{"notes": ""}', '{"notes": "   "}', '{"notes": "\t\n"}', '{"notes": "\u00a0\u200b"}']::jsonb[]) with ordinality p(p, n) order by n $$,
    'blank is nothing');
select is(t.verdict(t.sales_lead('lost'), 'deal_lost', '{"lost_reason": "Other"}'), 'refused notes_required', 'a lost lead''s reason becomes no empty Other');

-- test: refused for a correction whose reason is other, or that corrects to lost for Other
select is(t.verdict(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new", "reason": "other"}'), 'refused notes_required', 'other');
select is(t.verdict(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new", "reason": "other", "notes": " "}'), 'refused notes_required', 'other, and a blank');
select is(t.verdict(t.sales_lead('won'), 'stage_corrected', '{"to_stage": "lost", "reason": "wrong_record", "lost_reason": "Other"}'), 'refused notes_required',
          'lost for Other');

-- test: allowed with a word, which is personal
select t.keep('lead', t.sales_lead('qualified'));
select is(t.verdict(t.kept('lead'), 'deal_lost', '{"lost_reason": "Other", "notes": "her husband''s cousin does it"}'), 'applied', 'a word');
select is((select c.lost_notes from leadline.lead_contacts c where c.lead_id = t.kept('lead')), 'her husband''s cousin does it', 'kept with the contact');
select is_empty($$ select a.seq from leadline.lead_activity a where a.lead_id = t.kept('lead') and to_jsonb(a)::text ~ 'cousin' $$, 'and not in the journal');

-- test: allowed without for every other reason
select is(t.verdict(t.sales_lead('qualified'), 'deal_lost', '{"lost_reason": "Price"}'), 'applied', 'Price speaks for itself');
select is(t.verdict(t.sales_lead('qualified'), 'stage_corrected', '{"to_stage": "new", "reason": "wrong_record"}'), 'applied', 'so does wrong_record');

-- test: refused for a rejection and a recycling for other, and for a deal that is lost or corrected so
select results_eq(
    $$ select p, t.verdict(t.qualification_lead('new'), 'request_rejected', '{"reason": "other"}'::jsonb || p),
           t.verdict(t.qualification_lead('new'), 'lead_recycled', '{"reason": "other", "recycle_on": "2999-01-01"}'::jsonb || p),
              t.verdict(t.qualification_lead('connected'), 'stage_corrected', '{"to_stage": "new", "reason": "other"}'::jsonb || p),
              t.verdict_on_deal(t.opportunity(), 'opportunity_lost', '{"lost_reason": "Other"}'::jsonb || p),
                  t.verdict_on_deal(t.opportunity('proposal'), 'stage_corrected', '{"to_stage": "evaluation", "reason": "other"}'::jsonb || p)
       from unnest(array['{}', '{"notes": null}', '{"notes": "  "}', '{"notes": "\u00a0\u200b"}']::jsonb[]) p $$,
    $$ select p, 'refused notes_required', 'refused notes_required', 'refused notes_required', 'refused notes_required', 'refused notes_required'
       from unnest(array['{}', '{"notes": null}', '{"notes": "  "}', '{"notes": "\u00a0\u200b"}']::jsonb[]) p $$, 'blank is nothing');

-- test: allowed there with a word
select is(t.verdict(t.qualification_lead('new'), 'request_rejected', '{"reason": "other", "notes": "a student''s project"}'), 'applied', 'turned away');
select is(t.verdict(t.qualification_lead('new'), 'lead_recycled', '{"reason": "other", "notes": "on leave", "recycle_on": "2999-01-01"}'), 'applied', 'put aside');
select is(t.verdict_on_deal(t.opportunity(), 'opportunity_lost', '{"lost_reason": "Other", "notes": "her cousin does it"}'), 'applied', 'lost');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'deal_lost', '{"lost_reason": "Other"}') l;

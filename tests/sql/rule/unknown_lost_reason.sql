-- A reason for losing is exactly one of the seven codes, or reports about reasons say nothing (seed 004 section 3).
select t.here();

-- test: refused is every other word and every other spelling
select results_eq(
    $$ select x, t.verdict(t.sales_lead('qualified'), 'deal_lost', jsonb_build_object('lost_reason', x, 'notes', 'x'))
       from unnest(array['price', 'PRICE', 'price ', 'Price ', ' Price', 'Too expensive', 'No response', 'NoResponse', 'other', 'no_fit', 'dnc']) x $$,
    $$ select x, 'refused unknown_lost_reason'
       from unnest(array['price', 'PRICE', 'price ', 'Price ', ' Price', 'Too expensive', 'No response', 'NoResponse', 'other', 'no_fit', 'dnc']) x $$,
    'letter for letter');
select is(t.verdict(t.sales_lead('lost'), 'deal_lost', '{"lost_reason": "cheap"}'), 'refused unknown_lost_reason', 'a lost lead keeps its reason');
select is(t.verdict(t.sales_lead('won'), 'stage_corrected', '{"to_stage": "lost", "reason": "wrong_record", "lost_reason": "cheap"}'), 'refused unknown_lost_reason',
          'nor by a correction');

-- test: refused without notes as well: the word is asked first
select is(t.verdict(t.sales_lead('new'), 'deal_lost', '{"lost_reason": "other"}'), 'refused unknown_lost_reason', 'other is not Other');

-- test: a reason that is no text is malformed
select throws_ok($$ select t.report(t.sales_lead('new'), 'deal_lost', '{"lost_reason": 7}') $$, 'PT422', null, 'a number');

-- test: allowed are the codes
select is(t.verdict(t.sales_lead('qualified'), 'deal_lost', '{"lost_reason": "No Response"}'), 'applied', 'No Response');
select is(t.verdict(t.sales_lead('lost'), 'deal_lost', '{"lost_reason": "Not Qualified"}'), 'applied', 'and another, later');

-- test: refused of a deal
select is(t.verdict_on_deal(t.opportunity(), 'opportunity_lost', jsonb_build_object('lost_reason', x)), 'refused unknown_lost_reason', x)
    from unnest('{price,PRICE,"Price ",Too expensive,no_fit}'::text[]) x;
select is(t.verdict_on_deal(t.opportunity('closedwon'), 'stage_corrected', '{"to_stage": "closedlost", "reason": "wrong_record", "lost_reason": "price"}'), 'refused unknown_lost_reason',
    'corrected so');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'deal_lost', '{"lost_reason": "cheap"}') l;

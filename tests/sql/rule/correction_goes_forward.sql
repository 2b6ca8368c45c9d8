-- A correction takes back what was entered wrongly; forward a lead goes by what happens to it.
select t.here();

-- test: refused forward, and on the spot
select results_eq(
    $$ select s, x, t.verdict(t.sales_lead(s, '{"deal_value": 5, "currency": "EUR"}'), 'stage_corrected',
                              jsonb_build_object('to_stage', x, 'reason', 'entered_by_mistake', 'lost_reason', 'Price'))
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n),
            unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality x(x, m) where m >= n order by n, m $$,
    $$ select s, x, 'refused correction_goes_forward'
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n),
            unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality x(x, m) where m >= n order by n, m $$,
    'nobody is won by correction');
select is(t.verdict(t.sales_lead('lost', '{"deal_value": 5, "currency": "EUR"}'), 'stage_corrected', '{"to_stage": "won", "reason": "wrong_record"}'),
          'refused correction_goes_forward', 'nor from lost');

-- test: allowed backwards
select results_eq(
    $$ select s, x, r.verdict, r.to_stage, r.to_status
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n), unnest('{new,contacted,qualified}'::text[]) with ordinality x(x, m),
            lateral t.report(t.sales_lead(s), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'entered_by_mistake')) r where m < n order by n, m $$,
    $$ select s, x, 'applied', x, 'active'
       from unnest('{new,contacted,qualified,proposal}'::text[]) with ordinality s(s, n), unnest('{new,contacted,qualified}'::text[]) with ordinality x(x, m)
       where m < n order by n, m $$,
    'step by step, or many at once');

-- test: allowed out of won and out of lost
select results_eq(
    $$ select s, x, r.verdict, r.to_stage
       from unnest('{won,lost}'::text[]) with ordinality s(s, n), unnest('{new,contacted,qualified,proposal,lost}'::text[]) with ordinality x(x, m),
            lateral t.report(t.sales_lead(s, '{"deal_value": 5, "currency": "EUR"}'), 'stage_corrected',
                             jsonb_build_object('to_stage', x, 'reason', 'wrong_record', 'lost_reason', 'Timing')) r
       where s <> x order by n, m $$,
    $$ select s, x, 'applied', x
       from unnest('{won,lost}'::text[]) with ordinality s(s, n), unnest('{new,contacted,qualified,proposal,lost}'::text[]) with ordinality x(x, m)
       where s <> x order by n, m $$,
    'what was closed by mistake');

-- test: allowed however late it is noticed
select is(t.verdict(t.sales_lead('proposal'), 'stage_corrected', '{"to_stage": "new", "reason": "entered_by_mistake"}'), 'applied', 'months after');

-- test: refused forward, on the spot and into an end, in qualification
select results_eq(
    $$ select s, x, t.verdict(t.qualification_lead(s), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'wrong_record'))
       from unnest('{accepted,attempting,connected}'::text[]) with ordinality s(s, n), unnest('{accepted,attempting,connected,qualified,recycled,disqualified}'::text[]) with ordinality x(x, m)
       where m >= n order by n, m $$,
    $$ select s, x, 'refused correction_goes_forward'
       from unnest('{accepted,attempting,connected}'::text[]) with ordinality s(s, n), unnest('{accepted,attempting,connected,qualified,recycled,disqualified}'::text[]) with ordinality x(x, m)
       where m >= n order by n, m $$, 'nobody is qualified by correction');
select is(t.verdict(t.qualification_lead(s), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'wrong_record')), 'refused correction_goes_forward', s || ' to ' || x)
from unnest('{qualified,recycled,disqualified}'::text[]) s, unnest('{qualified,recycled,disqualified}'::text[]) x;

-- test: refused forward of a deal
select results_eq(
    $$ select s, x, t.verdict_on_deal(t.opportunity(s), 'stage_corrected', jsonb_build_object('to_stage', x, 'reason', 'wrong_record', 'lost_reason', 'Price'))
       from (values ('evaluation', 'evaluation'), ('evaluation', 'proposal'), ('evaluation', 'closedwon'), ('proposal', 'proposal'), ('proposal', 'closedwon'), ('proposal', 'closedlost'),
           ('closedlost', 'closedwon'),
                    ('closedwon', 'closedwon'), ('closedwon', 'withdrawn')) y(s, x) $$,
    $$ select s, x, 'refused correction_goes_forward'
       from (values ('evaluation', 'evaluation'), ('evaluation', 'proposal'), ('evaluation', 'closedwon'), ('proposal', 'proposal'), ('proposal', 'closedwon'), ('proposal', 'closedlost'),
           ('closedlost', 'closedwon'),
                    ('closedwon', 'closedwon'), ('closedwon', 'withdrawn')) y(s, x) $$, 'nor won');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.sales_lead('new'), 'stage_corrected', '{"to_stage": "qualified", "reason": "wrong_record"}') l;

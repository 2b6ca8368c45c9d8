-- The day until which a lead is put aside lies ahead (seed 003).
select t.here();

-- test: refused, and nothing moves
select results_eq(
    $$ select s, d, r.verdict || ' ' || r.rule, r.to_stage
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n), unnest('{2026-03-09,2026-03-10,0999-01-01}'::text[]) with ordinality d(d, m),
            lateral t.report(t.qualification_lead(s), 'lead_recycled', jsonb_build_object('reason', 'bad_timing', 'recycle_on', d), null, '2026-03-10T10:00:00Z') r order by n, m $$,
    $$ select s, d, 'refused recycle_date_in_past', s
       from unnest('{new,accepted,attempting,connected,recycled}'::text[]) with ordinality s(s, n), unnest('{2026-03-09,2026-03-10,0999-01-01}'::text[]) with ordinality d(d, m)
       order by n, m $$,
    'yesterday, today, long ago');

-- test: today is the workspace's today, on the day it was reported for
insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', '{"time_zone": "Europe/Berlin"}');
select is(t.verdict(t.qualification_lead('new'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2026-03-10"}', null, '2026-03-09T22:59:59Z'), 'applied',
    'tomorrow, an hour before midnight there');
select is(t.verdict(t.qualification_lead('new'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2026-03-10"}', null, '2026-03-09T23:00:00Z'), 'refused recycle_date_in_past',
    'today, at midnight there');

-- test: allowed is any day ahead
select results_eq(
    $$ select d, t.verdict(t.qualification_lead('new'), 'lead_recycled', jsonb_build_object('reason', 'bad_timing', 'recycle_on', d)) from unnest('{2999-01-01,9999-12-31}'::text[]) d $$,
    $$ select d, 'applied' from unnest('{2999-01-01,9999-12-31}'::text[]) d $$, 'however far');

-- test: said
select t.speaks(l.sentence, l.hint)
from leadline.log_activity(t.qualification_lead('new'), 'lead_recycled', '{"reason": "bad_timing", "recycle_on": "2026-01-15"}') l;

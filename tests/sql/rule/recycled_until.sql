-- Whoever was put aside until a day comes back by what is dated after that day, in the workspace's zone, and by nothing older (seed 003).
select t.here();

-- test: noted up to the end of the day, and nobody works on it
select results_eq(
    $$ select x, at, t.verdict(t.qualification_lead('recycled'), x, '{}', null, at)
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality x(x, n),
            unnest('{2026-01-10T10:00:00Z,2026-02-01T00:00:00Z,2026-02-01T23:59:59.999999Z}'::timestamptz[]) with ordinality y(at, m) order by n, m $$,
    $$ select x, at, 'noted recycled_until'
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality x(x, n),
            unnest('{2026-01-10T10:00:00Z,2026-02-01T00:00:00Z,2026-02-01T23:59:59.999999Z}'::timestamptz[]) with ordinality y(at, m) order by n, m $$,
    'before the day, and on it');
select t.keep('lead', t.qualification_lead('recycled'));
select t.report(t.kept('lead'), 'email_replied', '{}', null, '2026-01-10T10:00:00Z');
select results_eq(
    $$ select stage, status, recycle_reason, recycle_on, version from t.state(t.kept('lead')) $$,
    $$ values ('recycled', 'closed', 'bad_timing', '2026-02-01'::date, 1) $$, 'it stays aside');

-- test: allowed strictly after it
select results_eq(
    $$ select x, r.verdict, r.to_stage, r.to_status
       from unnest('{email_replied,message_received,call_received}'::text[]) with ordinality x(x, n),
            lateral t.report(t.qualification_lead('recycled'), x, '{}', null, '2026-02-02T00:00:00Z') r order by n $$,
    $$ select x, 'applied', 'new', 'open' from unnest('{email_replied,message_received,call_received}'::text[]) x $$, 'the next day');

-- test: allowed is an enquiry at any time, which is a new request
select is(t.verdict(t.qualification_lead('recycled', '{"recycle_on": "2999-01-01"}'), 'inbound_enquiry', '{"message": "after all"}'), 'applied', 'they ask');

-- test: the day is the workspace's
create function pg_temp.told_at(p_zone text, p_at timestamptz) returns text language plpgsql as $$
begin
    insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', jsonb_build_object('time_zone', p_zone));
    return t.verdict(t.qualification_lead('recycled'), 'email_replied', '{}', null, p_at);
end $$;
select results_eq(
    $$ select zone, pg_temp.told_at(zone, at)
       from (values (1, 'Asia/Tokyo', '2026-02-01T14:59:59Z'::timestamptz), (2, 'Asia/Tokyo', '2026-02-01T15:00:00Z'), (3, 'America/New_York', '2026-02-02T04:59:59Z'),
                    (4, 'America/New_York', '2026-02-02T05:00:00Z')) x(n, zone, at) order by n $$,
    $$ values ('Asia/Tokyo', 'noted recycled_until'), ('Asia/Tokyo', 'applied'), ('America/New_York', 'noted recycled_until'), ('America/New_York', 'applied') $$,
    'midnight there');

-- test: it depends on no session's zone
set local time zone 'Pacific/Kiritimati';
select is(t.verdict(t.qualification_lead('recycled'), 'email_replied', '{}', null, '2026-02-01T23:00:00Z'), 'noted recycled_until', 'a reader far in the east');
set local time zone 'Pacific/Pago_Pago';
select is(t.verdict(t.qualification_lead('recycled'), 'email_replied', '{}', null, '2026-02-02T00:30:00Z'), 'applied', 'and far in the west');

-- test: said
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.qualification_lead('recycled', '{"recycle_on": "2999-01-01"}'), 'email_replied') l;

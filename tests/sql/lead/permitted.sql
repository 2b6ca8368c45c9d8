-- What a sales lead can be at all (seed 004 section 2): six pairs of stage and status, each stage archived, and at every stage the
-- attributes that go with it. Anything else is impossible, also for the hand of a DBA.
select t.here();

-- What becomes of a superuser's hand edit: the SQLSTATE, or 'possible'; the lead is left as it was.
create function pg_temp.edited(p_lead_id uuid, p_set text) returns text language plpgsql as $$
declare
    v_said text;
begin
    perform t.act_as('superuser');
    begin
        execute format('update leadline.leads set %s where lead_id = %L', p_set, p_lead_id);
        raise exception 'possible' using errcode = 'PT999';
    exception when others then
        v_said := case sqlstate when 'PT999' then 'possible' else left(sqlstate, 2) || '…' end;
    end;
    perform t.act_as('admin');
    return v_said;
end $$;

-- test: the table of the seed, and archived beside it
select results_eq(
    $$ select p.stage, p.status, p.is_open from leadline.rule_permitted p where p.workflow = 'sales' order by p.status = 'archived', p.stage $$,
    $$ values ('contacted', 'active', true), ('lost', 'lost', false), ('new', 'active', true), ('proposal', 'active', true),
              ('qualified', 'active', true), ('won', 'won', false),
              ('contacted', 'archived', false), ('lost', 'archived', false), ('new', 'archived', false), ('proposal', 'archived', false),
              ('qualified', 'archived', false), ('won', 'archived', false) $$,
    'twelve places, four of them open');

-- test: each of them stands
select results_eq(
    $$ select s, l.stage, l.status, l.is_open from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n),
              lateral t.state(t.sales_lead(s)) l order by n $$,
    $$ values ('new', 'new', 'active', true), ('contacted', 'contacted', 'active', true), ('qualified', 'qualified', 'active', true),
              ('proposal', 'proposal', 'active', true), ('won', 'won', 'won', false), ('lost', 'lost', 'lost', false) $$,
    'with the status it implies');
select results_eq(
    $$ select s, l.stage, l.status, l.is_open from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n),
              lateral t.state(t.archived(t.sales_lead(s))) l order by n $$,
    $$ select s, s, 'archived', false from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s $$,
    'or archived');

-- test: no other status at any stage, even for the owner
select results_eq(
    $$ select s.stage, x.status, pg_temp.edited(t.sales_lead(s.stage), format('status = %L', x.status))
       from (values (1, 'new', 'active'), (2, 'contacted', 'active'), (3, 'qualified', 'active'), (4, 'proposal', 'active'), (5, 'won', 'won'), (6, 'lost', 'lost'))
                s(n, stage, proper),
            unnest('{active,won,lost,archived,open,resolved,closed,pending}'::text[]) with ordinality x(status, m)
       where x.status <> s.proper order by n, m $$,
    $$ select s.stage, x.status, case x.status when 'archived' then 'possible' else '23…' end
       from (values (1, 'new', 'active'), (2, 'contacted', 'active'), (3, 'qualified', 'active'), (4, 'proposal', 'active'), (5, 'won', 'won'), (6, 'lost', 'lost'))
                s(n, stage, proper),
            unnest('{active,won,lost,archived,open,resolved,closed,pending}'::text[]) with ordinality x(status, m)
       where x.status <> s.proper order by n, m $$,
    'a constraint holds');

-- test: status and stage do not drift apart, whichever is moved alone
select results_eq(
    $$ select x, pg_temp.edited(t.sales_lead('proposal', '{"first_contacted_at": "2026-01-01T12:00:00Z"}'), x)
       from unnest(array['status = ''won''', 'stage = ''won''', 'stage = ''won'', won_at = now()', 'status = ''won'', won_at = now()',
                         'status = ''lost''', 'stage = ''lost'', lost_at = now(), lost_reason = ''Price''',
                         'status = ''lost'', lost_at = now(), lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    $$ select x, '23…'
       from unnest(array['status = ''won''', 'stage = ''won''', 'stage = ''won'', won_at = now()', 'status = ''won'', won_at = now()',
                         'status = ''lost''', 'stage = ''lost'', lost_at = now(), lost_reason = ''Price''',
                         'status = ''lost'', lost_at = now(), lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    'half a move is none');
select is(pg_temp.edited(t.sales_lead('proposal'), 'stage = ''won'', status = ''won'', won_at = now()'), 'possible', 'a whole one is');

-- test: a stage of another workflow, or of none, is no place for a sales lead
select results_eq(
    $$ select x, pg_temp.edited(t.sales_lead('new'), format('stage = %L', x)) from unnest('{attempted,scheduled,disqualified,warm}'::text[]) x $$,
    $$ select x, '23…' from unnest('{attempted,scheduled,disqualified,warm}'::text[]) x $$, 'nor for the owner');

-- test: a runtime role moves nothing by hand
select t.keep('lead', t.sales_lead('proposal'));
select throws_ok($$ update leadline.leads set status = 'won' where lead_id = t.kept('lead') $$, '42501', null, 'an admin');
select t.act_as('app');
select throws_ok($$ update leadline.leads set stage = 'won', status = 'won', won_at = now() where lead_id = t.kept('lead') $$, '42501', null, 'nor an app');

-- test: what goes with its stage cannot be taken from a lead
select results_eq(
    $$ select x.stage, x.set, pg_temp.edited(t.sales_lead(x.stage), x.set)
       from (values (1, 'new', 'source = null'), (2, 'contacted', 'first_contacted_at = null'), (3, 'proposal', 'deal_value = null'),
                    (4, 'proposal', 'deal_value = 0'), (5, 'won', 'won_at = null'), (6, 'won', 'deal_value = null'), (7, 'won', 'deal_value = 0'),
                    (8, 'lost', 'lost_reason = null'), (9, 'lost', 'lost_at = null')) x(n, stage, set) order by n $$,
    $$ values ('new', 'source = null', '23…'), ('contacted', 'first_contacted_at = null', '23…'), ('proposal', 'deal_value = null', '23…'),
              ('proposal', 'deal_value = 0', '23…'), ('won', 'won_at = null', '23…'), ('won', 'deal_value = null', '23…'), ('won', 'deal_value = 0', '23…'),
              ('lost', 'lost_reason = null', '23…'), ('lost', 'lost_at = null', '23…') $$,
    'by nobody');

-- test: nor while it is archived, or it could not come back
select results_eq(
    $$ select x.stage, x.set, pg_temp.edited(t.archived(t.sales_lead(x.stage)), x.set)
       from (values (1, 'contacted', 'first_contacted_at = null'), (2, 'proposal', 'deal_value = null'), (3, 'won', 'won_at = null'),
                    (4, 'won', 'deal_value = 0'), (5, 'lost', 'lost_reason = null'), (6, 'lost', 'lost_at = null')) x(n, stage, set) order by n $$,
    $$ values ('contacted', 'first_contacted_at = null', '23…'), ('proposal', 'deal_value = null', '23…'), ('won', 'won_at = null', '23…'),
              ('won', 'deal_value = 0', '23…'), ('lost', 'lost_reason = null', '23…'), ('lost', 'lost_at = null', '23…') $$,
    'by nobody');

-- test: a reason for losing is one of the seven, letter for letter
select results_eq(
    $$ select x, pg_temp.edited(t.sales_lead('lost'), format('lost_reason = %L', x))
       from unnest('{Competitor,No Response,Not Qualified,Timing,Requirement Changed,price,PRICE,Too expensive}'::text[] || array['Price ', '']) with ordinality x(x, n) order by n $$,
    $$ values ('Competitor', 'possible'), ('No Response', 'possible'), ('Not Qualified', 'possible'), ('Timing', 'possible'), ('Requirement Changed', 'possible'),
              ('price', '23…'), ('PRICE', '23…'), ('Too expensive', '23…'), ('Price ', '23…'), ('', '23…') $$,
    'whoever writes it');

-- test: nobody is brought to a stage by hand without what it needs
select results_eq(
    $$ select x, pg_temp.edited(t.sales_lead('new'), x)
       from unnest(array['stage = ''contacted''', 'stage = ''proposal''', 'stage = ''proposal'', deal_value = 0',
                         'stage = ''won'', status = ''won'', deal_value = 5, currency = ''EUR''', 'stage = ''won'', status = ''won'', won_at = now()',
                         'stage = ''lost'', status = ''lost'', lost_at = now()', 'stage = ''lost'', status = ''lost'', lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    $$ select x, '23…'
       from unnest(array['stage = ''contacted''', 'stage = ''proposal''', 'stage = ''proposal'', deal_value = 0',
                         'stage = ''won'', status = ''won'', deal_value = 5, currency = ''EUR''', 'stage = ''won'', status = ''won'', won_at = now()',
                         'stage = ''lost'', status = ''lost'', lost_at = now()', 'stage = ''lost'', status = ''lost'', lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    'not even by a superuser');
select results_eq(
    $$ select x, pg_temp.edited(t.sales_lead('new'), x)
       from unnest(array['stage = ''contacted'', first_contacted_at = now()', 'stage = ''qualified''', 'stage = ''proposal'', deal_value = 5, currency = ''EUR''',
                         'stage = ''won'', status = ''won'', deal_value = 5, currency = ''EUR'', won_at = now()',
                         'stage = ''lost'', status = ''lost'', lost_at = now(), lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    $$ select x, 'possible'
       from unnest(array['stage = ''contacted'', first_contacted_at = now()', 'stage = ''qualified''', 'stage = ''proposal'', deal_value = 5, currency = ''EUR''',
                         'stage = ''won'', status = ''won'', deal_value = 5, currency = ''EUR'', won_at = now()',
                         'stage = ''lost'', status = ''lost'', lost_at = now(), lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    'with it, a hand may');

-- test: no lead is both open and closed
select is_empty(
    $$ select s, l.status, l.is_open, l.won_at, l.lost_at, l.lost_reason
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) s, lateral t.state(t.sales_lead(s)) l
       where l.is_open and (l.won_at, l.lost_at, l.lost_reason) is distinct from (null::timestamptz, null::timestamptz, null::text)
          or (l.won_at is not null) <> (l.stage = 'won') or (l.lost_at is not null) <> (l.stage = 'lost')
          or (l.lost_reason is not null) <> (l.stage = 'lost') $$,
    'a closing time is a closed lead''s');
select results_eq(
    $$ select x, pg_temp.edited(t.sales_lead('qualified'), x)
       from unnest(array['won_at = now()', 'lost_at = now()', 'lost_reason = ''Price''']) with ordinality x(x, n) order by n $$,
    $$ values ('won_at = now()', '23…'), ('lost_at = now()', '23…'), ('lost_reason = ''Price''', '23…') $$, 'nor by hand');

-- test: nobody was contacted in the future
select t.act_as('importer', '{import}');
select throws_ok($$ select t.report(null, 'lead_imported', '{"workflow": "sales", "stage": "contacted", "entered_at": "2026-01-01T12:00:00Z",
    "email": "kim@example.com", "first_contacted_at": "2999-01-01T00:00:00Z"}') $$, 'PT422', null, 'an import is about what has been');

-- test: an import brings what its stage needs, or nothing
select t.act_as('importer', '{import}');
select results_eq(
    $$ select x.stage, c.sqlstate_, c.rule
       from (values (2, 'proposal', '{}'::jsonb), (3, 'won', '{}'), (4, 'won', '{"deal_value": 0}'), (5, 'lost', '{}'),
                    (6, 'lost', '{"lost_reason": "price"}'), (7, 'lost', '{"lost_reason": "Other"}')) x(n, stage, needs),
            lateral t.caught(format('select t.report(null, ''lead_imported'', %L)', jsonb_build_object('workflow', 'sales', 'stage', x.stage,
                'entered_at', '2026-01-01T12:00:00Z', 'email', x.n || '@example.com') || x.needs)) c order by n $$,
    $$ values ('proposal', 'PT409', 'deal_value_required'), ('won', 'PT409', 'deal_value_required'), ('won', 'PT409', 'deal_value_required'),
              ('lost', 'PT409', 'lost_reason_required'), ('lost', 'PT409', 'unknown_lost_reason'), ('lost', 'PT409', 'notes_required') $$,
    'there is no lead to carry the refusal');
select is((t.state(r.lead_id)).first_contacted_at, '2026-01-01T12:00:00Z'::timestamptz, 'contacted since then, when no other time is said')
from t.report(null, 'lead_imported', '{"workflow": "sales", "stage": "contacted", "entered_at": "2026-01-01T12:00:00Z", "email": "kim@example.com"}') r;
select is((t.state(r.lead_id)).first_contacted_at, '2025-12-24T12:00:00Z'::timestamptz, 'or since it says')
from t.report(null, 'lead_imported', '{"workflow": "sales", "stage": "contacted", "entered_at": "2026-01-01T12:00:00Z", "email": "lee@example.com",
    "first_contacted_at": "2025-12-24T12:00:00Z"}') r;
select results_eq(
    $$ select l.stage, l.status, l.stage_entered_at, l.first_contacted_at, l.won_at, l.lost_at, l.lost_reason
       from unnest('{new,contacted,qualified,proposal,won,lost}'::text[]) with ordinality s(s, n), lateral t.state(t.sales_lead(s)) l order by n $$,
    $$ select x.stage, x.status, i, case x.stage when 'contacted' then i end, case x.stage when 'won' then i end, case x.stage when 'lost' then i end,
              case x.stage when 'lost' then 'Price' end
       from (values ('new', 'active'), ('contacted', 'active'), ('qualified', 'active'), ('proposal', 'active'), ('won', 'won'), ('lost', 'lost')) x(stage, status),
            (values ('2026-01-01T12:00:00Z'::timestamptz)) y(i) $$,
    'since when it stands there');

-- An approval waits between an hour and a year (seed 002).
select t.here();

-- test: refused, and the setting stays
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload)
       select 'settings_changed', jsonb_build_object('approval_hours', x) from unnest('{0,8761,999999999}'::int[]) x returning verdict, rule $$,
    $$ select 'refused', 'unknown_approval_hours' from generate_series(1, 3) $$, 'not at all, or for ever');
select is((select w.approval_hours from leadline.workspaces w), null, 'as it was');
select throws_ok(format('insert into leadline.workspace_activity (activity_type, payload) values (''settings_changed'', %L)', jsonb_build_object('approval_hours', x)), 'PT422', null, x::text)
from unnest(array['-1', '1.5', '"12"', 'true']::jsonb[]) x;

-- test: allowed between, and null for a fortnight
select results_eq(
    $$ insert into leadline.workspace_activity (activity_type, payload)
       select 'settings_changed', jsonb_build_object('approval_hours', x) from unnest('{1,8760,null}'::int[]) x returning verdict, changes $$,
    $$ values ('applied', '{"approval_hours": [null, 1]}'::jsonb), ('applied', '{"approval_hours": [1, 8760]}'), ('applied', '{"approval_hours": [8760, null]}') $$, 'and to the hour');

-- test: allowed is as long as it says
create function pg_temp.waits(p_hours int) returns interval language plpgsql as $$
declare
    a leadline.approvals;
begin
    insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', jsonb_build_object('approval_hours', p_hours));
    a := t.approval(t.asked(t.person_at('opportunity')));
    return a.expires_at - a.requested_at;
end $$;
select results_eq(
    $$ select h, extract(epoch from pg_temp.waits(h)) / 3600 from unnest('{1,48,null}'::int[]) h $$, $$ values (1, 1::numeric), (48, 48), (null, 336) $$, 'from when it was asked');

-- test: said
select t.speaks(s.sentence, s.hint) from leadline.rule_sentences s where s.rule = 'unknown_approval_hours';

-- Who approves is the workspace's choice: owner and admins unless it says otherwise (seed 002).
select t.here();

-- Who may approve by this setting, of owner, admin, member.
create function pg_temp.may(p_approvers text) returns table (role text, granted text, declined text) language plpgsql as $$
begin
    insert into leadline.workspace_activity (activity_type, payload) values ('settings_changed', jsonb_build_object('approvers', p_approvers));
    perform t.keep(r || x, t.asked(t.person_at('opportunity'))) from unnest('{owner,admin,member}'::text[]) r, unnest('{granted,declined}'::text[]) x;
    foreach role in array '{owner,admin,member}'::text[] loop
        perform t.act_as(role);
        granted := t.answer(t.kept(role || 'granted'), 'granted'); declined := t.answer(t.kept(role || 'declined'), 'declined');
        return next;
    end loop;
    perform t.act_as('admin');
end $$;

-- test: refused below the role that is set, and nothing is decided
select results_eq($$ select * from pg_temp.may(null) $$, $$ values ('owner', 'applied', 'noted'), ('admin', 'applied', 'noted'), ('member', 'refused approver_needed', 'refused approver_needed') $$,
                  'unless set otherwise');
select is((t.approval(t.kept('membergranted'))).status, 'open', 'it waits on');
select is(t.point((t.approval(t.kept('membergranted'))).person_id), 'opportunity', 'and nobody moved');

-- test: refused to an admin where only owners approve
select results_eq($$ select * from pg_temp.may('owner') $$,
                  $$ values ('owner', 'applied', 'noted'), ('admin', 'refused approver_needed', 'refused approver_needed'),
                         ('member', 'refused approver_needed', 'refused approver_needed') $$, 'owner');

-- test: refused to an app that speaks for a member
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person((t.approval(t.kept('approval'))).person_id, 'approval_granted', jsonb_build_object('approval_id', t.kept('approval')), null, null, t.person('member')),
          'refused approver_needed', 'with the member''s right');

-- test: allowed as it is set
select results_eq($$ select * from pg_temp.may('admin') $$, $$ values ('owner', 'applied', 'noted'), ('admin', 'applied', 'noted'), ('member', 'refused approver_needed', 'refused approver_needed') $$,
                  'admin');
select results_eq($$ select * from pg_temp.may('member') $$, $$ values ('owner', 'applied', 'noted'), ('admin', 'applied', 'noted'), ('member', 'applied', 'noted') $$, 'everybody');

-- test: allowed to an app that speaks for an admin
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.act_as('app', '{act_as}');
select is(t.verdict_on_person((t.approval(t.kept('approval'))).person_id, 'approval_granted', jsonb_build_object('approval_id', t.kept('approval')), null, null, t.person('admin')),
          'applied', 'with the admin''s right');

-- test: said
select t.keep('approval', t.asked(t.person_at('opportunity')));
select t.act_as('member');
select t.speaks(j ->> 'sentence', j ->> 'hint')
from leadline.log_in_journal('relationship_activity', (t.approval(t.kept('approval'))).person_id, 'approval_granted', jsonb_build_object('approval_id', t.kept('approval'))) j;

-- Proves that every state row is what its journal says: folds the journal and compares.
-- continuity: each row begins where the one before it ended. version: it counts the applied rows. stage, status, fields, clocks:
-- the state row is the fold. decision: a row of the present rules says what the rules say.

create or replace function leadline.verify_state(p_redecide bool default false)
returns table (workspace_id uuid, journal text, subject_id uuid, seq int, what text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
    v_journal record;
begin
    perform leadline_internal.require_whole_view();
    for v_journal in
        select * from leadline_internal.journals()
    loop
        return query execute format($query$
            with rows as (
                select a.workspace_id, a.%2$I as subject_id, a.seq, a.activity_id, a.activity_type, a.verdict, a.rule, a.version, a.changes,
                    a.from_stage, a.from_status, a.to_stage, a.to_status, a.rules_version,
                    lag(a.to_stage) over w as stage_before, lag(a.to_status) over w as status_before, lag(a.version) over w as version_before,
                    lead(a.seq) over w as seq_after
                from leadline.%1$I a
                window w as (partition by a.workspace_id, a.%2$I order by a.seq)
            ), last as (
                select r.* from rows r where r.seq_after is null
            ), told as (  -- the last word on every column, and whether it was a personal one
                select distinct on (r.workspace_id, r.subject_id, f.key) r.workspace_id, r.subject_id, f.key, r.seq,
                    case when f.value = 'true' then c.content -> 'changes' -> f.key -> 1 else f.value -> 1 end as value,
                    f.value = 'true' and c.content is null as is_erased
                from rows r
                cross join lateral jsonb_each(r.changes) f
                left join leadline.activity_content c on f.value = 'true' and c.workspace_id = r.workspace_id and c.activity_id = r.activity_id
                where r.changes is not null
                order by r.workspace_id, r.subject_id, f.key, r.seq desc
            ), fields as (
                select s.workspace_id, s.%4$I as subject_id, s.seq, f.key, f.value
                from leadline.%3$I s cross join lateral jsonb_each(%5$s(s)) f
            )
            select r.workspace_id, %1$L, r.subject_id, r.seq, 'continuity',
                format('begins at %%s/%%s, after %%s/%%s', r.from_status, r.from_stage, r.status_before, r.stage_before)
            from rows r
            where (r.seq > 1 or %7$L::jsonb is not null)
                and (r.from_stage, r.from_status) is distinct from (coalesce(r.stage_before, %7$L::jsonb ->> 'stage'), coalesce(r.status_before, %7$L::jsonb ->> 'status'))
               or r.verdict <> 'applied' and (r.from_stage, r.from_status) is distinct from (r.to_stage, r.to_status)
            union all
            select r.workspace_id, %1$L, r.subject_id, r.seq, 'version', format('version %%s after %%s, %%s', r.version, coalesce(r.version_before, 0), r.verdict)
            from rows r where r.version <> coalesce(r.version_before, 0) + (r.verdict = 'applied')::int
            union all
            select s.workspace_id, %1$L, s.%4$I, s.seq, 'state', format('%%s/%%s version %%s, by the journal %%s/%%s version %%s',
                s.status, s.stage, s.version, l.to_status, l.to_stage, l.version)
            from leadline.%3$I s
            left join last l on l.workspace_id = s.workspace_id and l.subject_id = s.%4$I
            where (s.stage, s.status, s.version, s.seq)
                is distinct from (coalesce(l.to_stage, %7$L::jsonb ->> 'stage'), coalesce(l.to_status, %7$L::jsonb ->> 'status'), coalesce(l.version, 0), coalesce(l.seq, 0))
            union all
            select f.workspace_id, %1$L, f.subject_id, coalesce(t.seq, f.seq), 'field', format('%%s is not what the journal says', f.key)
            from fields f
            left join told t on t.workspace_id = f.workspace_id and t.subject_id = f.subject_id and t.key = f.key
            where coalesce(t.value, %7$L::jsonb -> f.key, 'null') is distinct from f.value and not coalesce(t.is_erased, false) and not (t.key is null and f.value = 'false')
            union all
            select r.workspace_id, %1$L, r.subject_id, r.seq, 'decision', format('%%s at %%s/%%s was %%s %%s, by the rules %%s %%s',
                r.activity_type, r.from_status, r.from_stage, r.verdict, coalesce(r.rule, r.to_stage), coalesce(g.effect, 'unknown'), coalesce(g.rule, g.to_stage))
            from rows r
            join leadline.%3$I s on s.workspace_id = r.workspace_id and s.%4$I = r.subject_id
            left join leadline_internal.rulings g on g.workflow = s.workflow and g.activity_type = r.activity_type and g.stage = r.from_stage and g.status = r.from_status
            where (%6$L or r.rules_version = leadline_internal.rules_version()) and (r.seq > 1 or %7$L::jsonb is not null) and r.activity_type <> 'direct_change'
              and not case r.verdict
                when 'applied' then case g.effect when 'move' then r.to_stage = g.to_stage and r.to_status = g.to_status
                    when 'fields' then r.to_stage = r.from_stage else coalesce(g.effect = 'move_to', false) end
                when 'refused' then case when r.rule in ('ai_forbidden', 'system_only', 'writer_not_allowed', 'needs_a_person') then true
                    when g.effect = 'refuse' then r.rule in (g.rule, 'superseded', 'outcome_needs_appointment', 'correction_needs_admin')
                    else r.rule is distinct from 'wrong_workflow' end
                when 'held' then coalesce(g.effect = 'move_to', false)
                when 'noted' then case when r.rule in ('overtaken', 'superseded', 'not_a_person', 'superseded_appointment', 'excluded', 'not_merged',
                        'approval_pending', 'approval_settled', 'already_there', 'recycled_until', 'open_lead_goes_on', 'signal_expired', 'already_converted') then true
                    else g.effect in ('note', 'fields', 'move_to') and r.rule is not distinct from g.rule end
                else false end
            $query$, v_journal.journal, v_journal.subject_column, v_journal.state, v_journal.state_key, v_journal.fields, p_redecide, v_journal.unborn);
        continue when v_journal.journal in ('lead_activity', 'workspace_activity');
        return query execute format($query$
            select s.workspace_id, %1$L, s.%4$I, s.seq, 'clock', 'stage_entered_at is not what the journal says'
            from leadline.%3$I s
            left join (
                select a.workspace_id, a.%2$I as subject_id, max(a.occurred_at) filter (where a.from_stage <> a.to_stage) as moved_at,
                    max(a.occurred_at) filter (where a.seq = 1 and %5$L::jsonb is null) as born_at
                from leadline.%1$I a group by a.workspace_id, a.%2$I) m on m.workspace_id = s.workspace_id and m.subject_id = s.%4$I
            where m.born_at is not null and m.born_at is distinct from s.created_at or s.stage_entered_at is distinct from greatest(m.born_at, m.moved_at) or s.late_before is distinct from greatest(case when m.moved_at is not null then m.born_at end, m.moved_at)
            $query$, v_journal.journal, v_journal.subject_column, v_journal.state, v_journal.state_key, v_journal.unborn);
    end loop;
    return query select * from leadline_internal.verify_relationship();
    return query select * from leadline_internal.verify_requests();
    return query select * from leadline_internal.verify_renewals();
    return query
        with clocks as (
            select a.workspace_id, a.lead_id,
                max(a.occurred_at) filter (where a.seq = 1) as created_at,
                max(greatest(a.occurred_at, (a.payload ->> 'entered_at')::timestamptz)) filter (where a.seq > 1 and a.from_stage <> a.to_stage) as moved_at,
                max(coalesce((a.payload ->> 'entered_at')::timestamptz, a.occurred_at)) filter (where a.seq = 1) as born_at,
                bool_or(a.seq = 1 and a.activity_type = 'lead_imported' or a.from_stage <> a.to_stage) as can_be_late,
                max(a.occurred_at) filter (where a.touch is not null and a.counts) as last_touch_at,
                (array_agg(case when a.seq = 1 then coalesce((a.payload ->> 'first_contacted_at')::timestamptz, (a.payload ->> 'entered_at')::timestamptz) else a.occurred_at end order by a.seq)
                    filter (where a.touch is not null and a.is_contact and a.counts or a.arrives_after_contact
                        or a.seq = 1 and (a.payload ? 'first_contacted_at' and a.payload -> 'first_contacted_at' <> 'null' or a.to_stage = 'contacted')))[1] as first_contacted_at
            from leadline_internal.lead_acts a
            group by a.workspace_id, a.lead_id
        ), waits as (
            select w.workspace_id, w.lead_id, min(w.waits_since) as since from leadline_internal.lead_waits w group by w.workspace_id, w.lead_id
        )
        select l.workspace_id, 'lead_activity', l.lead_id, l.seq, 'clock', format('%s is not what the journal says', k.name)
        from leadline.leads l
        left join clocks c on c.workspace_id = l.workspace_id and c.lead_id = l.lead_id
        left join waits w on w.workspace_id = l.workspace_id and w.lead_id = l.lead_id
        cross join lateral (values
            ('created_at', l.created_at, c.created_at), ('last_touch_at', l.last_touch_at, c.last_touch_at),
            ('first_contacted_at', l.first_contacted_at, c.first_contacted_at),
            ('waiting_since', l.waiting_since, w.since),
            ('stage_entered_at', l.stage_entered_at, greatest(c.born_at, c.moved_at)),
            ('late_before', l.late_before, case when c.can_be_late then greatest(c.born_at, c.moved_at) end)) k (name, stands, told)
        where k.stands is distinct from k.told;
    return query  -- a request is what its enquiry and the contacts after it say; merged leads share theirs and are left out
        select q.workspace_id, 'lead_activity', q.lead_id, a.seq, 'request', format('the clock of request %s is not what the journal says', q.request_id)
        from leadline.requests q
        left join leadline.lead_activity a on a.workspace_id = q.workspace_id and a.activity_id = q.activity_id
        left join lateral (
            select f.occurred_at, f.activity_id from leadline.lead_activity f
            join leadline.rule_activity_types t on t.activity_type = f.activity_type and t.touch is not null and t.is_contact
            where f.workspace_id = q.workspace_id and f.lead_id = q.lead_id and f.activity_id > q.activity_id and f.occurred_at >= q.received_at
              and f.verdict <> 'refused' and leadline_internal.is_persons_act(t.contact_by, f.actor_kind)
            order by f.activity_id limit 1) answer on true
        left join lateral (
            select greatest(f.occurred_at, q.received_at) as occurred_at, f.activity_id from leadline.lead_activity f
            join leadline.leads l on l.workspace_id = f.workspace_id and l.lead_id = f.lead_id
            join leadline.rule_permitted p on p.workflow = l.workflow and p.stage = f.to_stage and p.status = f.to_status and not p.is_open
            where f.workspace_id = q.workspace_id and f.lead_id = q.lead_id and f.activity_id > q.activity_id
              and f.from_status <> f.to_status and f.activity_type <> 'leads_merged'
            order by f.activity_id limit 1) closing on true
        where not exists (select from leadline.lead_activity m where m.workspace_id = q.workspace_id and m.lead_id in (q.lead_id, a.lead_id)
                            and m.activity_type = 'leads_merged' and m.verdict = 'applied')
          and (a.activity_id is null or a.activity_type <> 'inbound_enquiry'
            or q.person_id is distinct from (select l.person_id from leadline.leads l where l.workspace_id = a.workspace_id and l.lead_id = a.lead_id)
            or q.request_class is distinct from coalesce((select c from unnest(leadline_internal.request_classes()) c where c = a.payload ->> 'request_class'), 'contact')
            or q.exclusion is distinct from coalesce(a.payload ->> 'exclusion', case q.exclusion when 'competitor' then q.exclusion end)
            or a.verdict = 'refused' or a.occurred_at <> q.received_at
            or case when q.exclusion is not null then q.first_response_at is not null or q.not_applicable_at is distinct from q.received_at
                    when answer.activity_id < coalesce(closing.activity_id, answer.activity_id + 1) then q.first_response_at is distinct from answer.occurred_at or q.not_applicable_at is not null
                    else q.not_applicable_at is distinct from closing.occurred_at or q.first_response_at is not null end)
        union all
        select a.workspace_id, 'lead_activity', a.lead_id, a.seq, 'request', 'the enquiry has no request'
        from leadline.lead_activity a
        where a.activity_type = 'inbound_enquiry' and a.verdict <> 'refused'
          and not exists (select from leadline.requests q where q.workspace_id = a.workspace_id and q.activity_id = a.activity_id);
    return query
        select l.workspace_id, 'lead_activity', l.lead_id, l.seq, 'key', 'a key is not that of the address or number'
        from leadline.leads l
        where l.email is not null and (l.email_key is distinct from leadline.email_key(l.email)
                or l.email_stem is distinct from nullif(leadline.email_stem(l.email_key), l.email_key))
            or l.email is null and coalesce(l.email_key, l.email_stem) is not null
            or l.phone_key is distinct from leadline.phone_key(l.phone);
    return query  -- people and accounts are what the workspace's journal last said of them
        select p.workspace_id, 'workspace_activity', p.person_id, null::int, 'person', 'merged_into is not what the journal says'
        from leadline.people p
        left join (
            select distinct on (a.workspace_id, a.about_id) a.workspace_id, a.about_id,
                case a.activity_type when 'people_merged' then (a.payload ->> 'into')::uuid end as merged_into
            from leadline.workspace_activity a where a.activity_type in ('people_merged', 'people_unmerged')
            order by a.workspace_id, a.about_id, a.activity_id desc) m on m.workspace_id = p.workspace_id and m.about_id = p.person_id
        where p.merged_into is distinct from m.merged_into
        union all
        select t.workspace_id, 'workspace_activity', t.account_id, null, 'account', 'the account is not what the journal says'
        from leadline.accounts t
        left join (
            select distinct on (a.workspace_id, a.about_id) a.workspace_id, a.about_id, a.payload
            from leadline.workspace_activity a where a.activity_type = 'account_changed'
            order by a.workspace_id, a.about_id, a.activity_id desc) m on m.workspace_id = t.workspace_id and m.about_id = t.account_id
        where (t.name, t.domain, t.kind, t.owner_user_id::text) is distinct from (m.payload ->> 'name', m.payload ->> 'domain', m.payload ->> 'kind', m.payload ->> 'owner_user_id');
end $$;
comment on function leadline.verify_state(bool) is
    'Empty when every state row is the fold of its journal; else what differs, by subject. Decisions of the present rules are made again; with p_redecide those of former rules too. Raises PT403 whole_view_needed.';

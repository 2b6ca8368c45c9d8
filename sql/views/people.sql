-- People and what they asked for.

create or replace view leadline.person_overview with (security_invoker = true) as
select p.workspace_id, p.person_id, p.account_id, a.name as account_name, a.kind as account_kind, p.created_at, p.merged_into, p.erased_at,
    (select count(*) from leadline.leads l where l.workspace_id = p.workspace_id and l.person_id = p.person_id)::int as leads,
    (select count(*) from leadline.requests q where q.workspace_id = p.workspace_id and q.person_id = p.person_id)::int as requests
from leadline.people p
left join leadline.accounts a on a.workspace_id = p.workspace_id and a.account_id = p.account_id;
comment on view leadline.person_overview is 'One row a person: the company, and how many leads and requests the caller sees of them.';

create or replace view leadline.person_contacts with (security_invoker = true) as
select k.workspace_id, k.person_id, k.kind, k.key
from leadline.person_keys k
where (select leadline.sees_contacts()) or not row_security_active('leadline.person_keys');
comment on view leadline.person_contacts is 'One row an e-mail address or phone number that a person is recognised by. Empty for analysts without scope contacts.';

create or replace view leadline.request_ledger with (security_invoker = true) as
select q.workspace_id, q.request_id, q.lead_id, q.person_id, q.activity_id, q.request_class, q.source, q.received_at, q.route, q.exclusion,
    q.owner_user_id, q.first_response_at, q.not_applicable_at, extract(epoch from q.first_response_at - q.received_at)::numeric as first_response_s,
    case when q.first_response_at is not null then 'responded' when q.not_applicable_at is not null then 'not_applicable' else 'running' end as clock
from leadline.requests q;
comment on view leadline.request_ledger is 'One row a request (seed 003): class, way, owner, and its own clock in seconds.';
comment on column leadline.request_ledger.clock is 'running until a person answers (responded) or the lead closes or it was excluded (not_applicable).';

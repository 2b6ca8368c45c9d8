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

-- The controlled lists of reasons: letter for letter, at most twelve, the last of each with notes.
create temp table given_reasons (reason_list text, reasons text[], seed text) on commit drop;
insert into given_reasons values
    ('lost', '{Price,Competitor,No Response,Not Qualified,Timing,Requirement Changed,Other}', '004 3'),
    ('rejection', '{no_fit,no_budget,no_authority,no_need,bad_timing,unreachable,duplicate,do_not_contact,competitor,test,spam,other}', '003'),
    ('recycle', '{bad_timing,no_budget,no_response,other}', '003'),
    ('correction', '{entered_by_mistake,wrong_record,data_repair,other}', '003');
create temp table listed_reasons on commit drop as
select g.reason_list, r.reason, r.position::int, lower(r.reason) = 'other' as needs_notes, g.seed
from given_reasons g cross join lateral unnest(g.reasons) with ordinality r (reason, position);

insert into leadline.rule_reasons as r (reason_list, reason, position, needs_notes, seed)
select * from listed_reasons
on conflict (reason_list, reason) do update set position = excluded.position, needs_notes = excluded.needs_notes, seed = excluded.seed
    where to_jsonb(r) is distinct from to_jsonb(excluded);
delete from leadline.rule_reasons r where not exists (select from listed_reasons l where (l.reason_list, l.reason) = (r.reason_list, r.reason));

-- Raises a rule as an error: the sentence and the hint come from rule_sentences, so that every door says the same.
create or replace function leadline_internal.forbid(p_sqlstate text, p_rule text, p_detail text default '', p_table text default '') returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
    s leadline.rule_sentences;
begin
    select * into strict s from leadline.rule_sentences r where r.rule = p_rule;
    raise exception using errcode = p_sqlstate, message = s.sentence, detail = p_detail, hint = s.hint,
        constraint = p_rule, schema = 'leadline', table = p_table;
end $$;

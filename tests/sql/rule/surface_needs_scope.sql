-- Where in the console a person acted is the console's to say.
select t.here();

-- test: raised without the scope
select t.keep('lead', t.lead('new'));
select t.act_as('app');
select t.raises($$ insert into leadline.lead_activity (lead_id, activity_type, surface) values (t.kept('lead'), 'contact_attempted', 'attention_hub') $$,
                'PT403', 'surface_needs_scope', 'an app that pretends');

-- test: allowed with it
select t.keep('lead', t.lead('new'));
select t.act_as('app', '{surface}');
select results_eq(
    $$ insert into leadline.lead_activity (lead_id, activity_type, surface) values (t.kept('lead'), 'contact_attempted', 'attention_hub') returning verdict, surface $$,
    $$ values ('applied', 'attention_hub') $$, 'a console');

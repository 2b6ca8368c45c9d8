-- How known senders sign, and what their bodies mean.
create temp table given_presets (preset text, label text, scheme text, signature jsonb, has_handshake bool, seed text, mapping jsonb) on commit drop;
insert into given_presets values
    -- A booking is an enquiry for a demo and an appointment. A rescheduling tells of a new appointment and of an old one's end, in any order.
    ('calendly', 'Calendly', 'timestamped_hmac', '{"header": "Calendly-Webhook-Signature"}', false, '004 8.2', $${
        "event_id": {"join": ["$.event", "$.payload.no_show.uri", "$.payload.uri"]},
        "activities": [
            {"when": "$.event == \"invitee.created\" && !exists($.payload.old_invitee ? (@ != null))",
             "activity_type": "inbound_enquiry", "occurred_at": "$.created_at",
             "payload": {"workflow": {"const": "appointment"}, "request_class": {"const": "demo"}, "source": {"first": ["$.payload.tracking.utm_source", {"const": "calendly"}]},
                         "email": "$.payload.email", "name": {"first": [{"join": ["$.payload.first_name", "$.payload.last_name"]}, "$.payload.name"]},
                         "phone": {"first": ["$.payload.text_reminder_number", "$.payload.questions_and_answers[*] ? (@.question like_regex \"phone|mobile|telefon|tel[eé]fono|telefono|t[eé]l[eé]phone\" flag \"i\").answer"]},
                         "company": "$.payload.questions_and_answers[*] ? (@.question like_regex \"company|organi[sz]ation|firma|empresa|azienda|entreprise\" flag \"i\").answer",
                         "message": "$.payload.questions_and_answers[*] ? (!(@.question like_regex \"phone|mobile|telefon|tel[eé]fono|telefono|t[eé]l[eé]phone|company|organi[sz]ation|firma|empresa|azienda|entreprise\" flag \"i\")).answer",
                         "external_id": "$.payload.uri"}},
            {"when": "$.event == \"invitee.created\" && exists($.payload.old_invitee ? (@ != null))", "only_if_unknown": true, "lead_email": "$.payload.email",
             "activity_type": "inbound_enquiry", "occurred_at": "$.created_at",
             "payload": {"workflow": {"const": "appointment"}, "request_class": {"const": "demo"}, "source": {"const": "calendly"}, "email": "$.payload.email",
                         "name": {"first": [{"join": ["$.payload.first_name", "$.payload.last_name"]}, "$.payload.name"]},
                         "phone": "$.payload.text_reminder_number", "external_id": "$.payload.uri"}},
            {"when": "$.event == \"invitee.created\"", "activity_type": "appointment_scheduled", "occurred_at": "$.created_at", "lead_email": "$.payload.email",
             "payload": {"appointment_ref": {"first": ["$.payload.scheduled_event.uri", "$.payload.event"]},
                         "starts_at": "$.payload.scheduled_event.start_time", "ends_at": "$.payload.scheduled_event.end_time"}},
            {"when": "$.event == \"invitee.canceled\"", "activity_type": "appointment_cancel", "occurred_at": "$.created_at", "lead_email": "$.payload.email",
             "payload": {"appointment_ref": {"first": ["$.payload.scheduled_event.uri", "$.payload.event"]}, "reason": "$.payload.cancellation.reason"}},
            {"when": "$.event == \"invitee_no_show.created\"", "activity_type": "appointment_no_show", "occurred_at": "$.created_at", "lead_email": "$.payload.email",
             "payload": {"appointment_ref": {"first": ["$.payload.scheduled_event.uri", "$.payload.event"]}}}]}$$),
    -- The notification names a lead; what it said is fetched by whoever has the right to, and posted to the same address.
    ('meta_lead_ads', 'Meta Lead Ads', 'hmac', '{"header": "X-Hub-Signature-256", "encoding": "hex", "prefix": "sha256="}', true, '004 8.2', $${
        "items": ["$.entry[*].changes[*] ? (@.field == \"leadgen\").value", "$[*] ? (exists(@.field_data))", "$.data[*] ? (exists(@.field_data))"],
        "item_id": {"first": ["$.leadgen_id", "$.id"]},
        "activities": [
            {"when": "exists($.field_data)", "activity_type": "inbound_enquiry", "occurred_at": "$.created_time",
             "payload": {"source": {"const": "meta_lead_ads"}, "external_id": {"first": ["$.leadgen_id", "$.id"]},
                         "email": {"names": ["email", "work_email", "e-mail", "correo_electronico", "correo electrónico"]},
                         "name": {"first": [{"names": ["full_name", "name"]}, {"join": [{"names": ["first_name"]}, {"names": ["last_name"]}]}]},
                         "phone": {"names": ["phone_number", "phone", "work_phone_number", "telefono", "teléfono"]},
                         "company": {"names": ["company_name", "company"]},
                         "message": {"names": ["message", "comments", "question"]}, "budget": {"names": ["budget", "budget?"]},
                         "fields": {"others": ["email", "full_name", "first_name", "last_name", "name", "phone_number", "phone", "company_name", "company",
                                               "id", "leadgen_id", "created_time", "message", "comments", "budget"]}}}],
        "details_needed": [{"when": "exists($.leadgen_id) && !exists($.field_data)", "external_id": "$.leadgen_id"}]}$$),
    ('hubspot', 'HubSpot', 'hubspot_v3', '{}', false, '004 8.2', $${
        "items": "$[*]",
        "item_id": {"first": ["$.eventId", {"join": [{"const": "contact"}, {"first": ["$.objectId", "$.vid", "$.id"]}]}]},
        "activities": [
            {"when": "exists($.properties)", "needs": ["email", "phone"], "activity_type": "inbound_enquiry",
             "occurred_at": {"first": ["$.occurredAt", "$.properties.createdate.value", "$.properties.createdate", "$.createdAt"]},
             "payload": {"source": {"const": "hubspot"}, "external_id": {"first": ["$.objectId", "$.vid", "$.id"]},
                         "email": {"first": ["$.properties.email.value", "$.properties.email"]},
                         "name": {"join": [{"first": ["$.properties.firstname.value", "$.properties.firstname"]}, {"first": ["$.properties.lastname.value", "$.properties.lastname"]}]},
                         "phone": {"first": ["$.properties.phone.value", "$.properties.phone", "$.properties.mobilephone.value", "$.properties.mobilephone"]},
                         "company": {"first": ["$.properties.company.value", "$.properties.company"]},
                         "message": {"first": ["$.properties.message.value", "$.properties.message"]}}}],
        "details_needed": [{"when": "($.subscriptionType == \"contact.creation\" || $.subscriptionType == \"object.creation\" && $.objectTypeId == \"0-1\") && !exists($.properties)",
                            "external_id": "$.objectId"}]}$$),
    ('typeform', 'Typeform', 'hmac', '{"header": "Typeform-Signature", "encoding": "base64", "prefix": "sha256="}', false, '004 8.2', $${
        "event_id": {"first": ["$.event_id", "$.form_response.token"]},
        "activities": [
            {"when": "$.event_type == \"form_response\"", "activity_type": "inbound_enquiry", "occurred_at": "$.form_response.submitted_at",
             "payload": {"source": {"first": ["$.form_response.hidden.utm_source", {"const": "typeform"}]}, "external_id": "$.form_response.token",
                         "email": {"first": ["$.form_response.answers[*] ? (@.type == \"email\").email", "$.form_response.hidden.email"]},
                         "phone": "$.form_response.answers[*] ? (@.type == \"phone_number\").phone_number",
                         "name": {"first": [{"names": ["name", "full name", "your name", "your full name", "what's your name?", "what is your name?"]},
                                            {"join": [{"names": ["first name", "your first name"]}, {"names": ["last name", "your last name"]}]}, "$.form_response.hidden.name"]},
                         "company": {"names": ["company", "company name", "your company", "organisation", "organization"]},
                         "message": {"names": ["message", "your message", "comments", "how can we help?", "how can we help you?"]},
                         "budget": {"names": ["budget", "your budget", "what is your budget?"]},
                         "fields": {"others": ["name", "your name", "full name", "your full name", "first name", "your first name", "last name", "your last name",
                                               "email", "your email", "phone", "your phone", "company", "your company", "message", "your message", "budget", "your budget",
                                               "event_id", "event_type"]}}}]}$$),
    -- Any website's form, in whatever encoding: recognised by the names of its fields. Without an address or a number nobody could be answered.
    ('form', 'Form of a website', 'none', '{}', false, '004 8.2', $${
        "items": "$[*]",
        "activities": [
            {"needs": ["email", "phone"], "activity_type": "inbound_enquiry",
             "payload": {"email": {"names": ["email", "e-mail", "email address", "e-mail address", "your email", "work email", "business email", "mail", "mail address", "correo", "correo electrónico",
                                             "e-mail-adresse", "emailadresse", "adresse e-mail", "adresse email", "courriel", "indirizzo email", "endereço de e-mail"]},
                         "name": {"first": [{"names": ["full name", "fullname", "name full", "your full name", "your name", "contact name", "nombre completo", "nom complet", "nome completo"]},
                                            {"join": [{"names": ["first name", "firstname", "name first", "fname", "given name", "your first name", "vorname", "prénom", "prenom"]},
                                                      {"names": ["last name", "lastname", "name last", "lname", "surname", "family name", "your last name", "nachname", "apellido", "apellidos", "cognome", "sobrenome"]}]},
                                            {"names": ["name", "nombre", "nom", "nome"]}]},
                         "phone": {"names": ["phone", "phone number", "your phone", "your phone number", "telephone", "telephone number", "tel", "mobile", "mobile number", "mobile phone", "cell", "cell phone",
                                             "whatsapp", "teléfono", "telefono", "telefon", "telefonnummer", "téléphone", "celular", "móvil", "handy", "cellulare", "telefone"]},
                         "company": {"names": ["company", "company name", "your company", "organisation", "organization", "business", "business name", "empresa", "firma", "unternehmen", "entreprise", "société", "azienda"]},
                         "message": {"names": ["message", "your message", "comments", "comment", "enquiry", "inquiry", "question", "how can we help", "how can we help you", "description", "details",
                                               "mensaje", "nachricht", "messaggio", "mensagem", "comentarios"]},
                         "budget": {"names": ["budget", "your budget", "budget range", "presupuesto", "orçamento"]},
                         "source": {"names": ["utm_source", "source", "lead source"]},
                         "fields": {"others": ["email", "e-mail address", "your email", "full name", "first name", "last name", "name", "your name", "phone", "phone number", "company", "message", "budget",
                                               "utm_source", "source"]}}}],
        "exclude": [{"when": "$._gotcha ? (@ != \"\")", "reason": "spam"}, {"when": "$.honeypot ? (@ != \"\")", "reason": "spam"}]}$$);

insert into leadline.rule_webhook_presets as p (preset, label, scheme, signature, has_handshake, mapping, seed)
select g.preset, g.label, g.scheme, g.signature, g.has_handshake, g.mapping, g.seed from given_presets g
on conflict (preset) do update
    set label = excluded.label, scheme = excluded.scheme, signature = excluded.signature, has_handshake = excluded.has_handshake,
        mapping = excluded.mapping, seed = excluded.seed
    where to_jsonb(p) is distinct from to_jsonb(excluded);
-- The foreign key keeps a preset that a source still follows.
delete from leadline.rule_webhook_presets p where not exists (select from given_presets g where g.preset = p.preset);

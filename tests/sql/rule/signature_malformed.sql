-- How a source signs is settled when it is made.
select t.here();
create function pg_temp.made(p_scheme text, p_signature jsonb, p_secret text) returns text language sql as
    $$ select c.rule from t.caught(format('select leadline.add_webhook_source(t.workspace(), %L, %L, null, %L, %L, %L)', 'X', 'form', p_scheme, p_signature, p_secret)) c $$;

-- test: raised for what nothing can be signed with
select t.raises($$ select leadline.add_webhook_source(t.workspace(), 'X', 'form', null, 'rot13') $$, 'PT422', 'signature_malformed', 'no such scheme');
select is(pg_temp.made(m.scheme, m.signature, m.secret), 'signature_malformed', concat_ws(' ', m.scheme, m.signature, m.secret)) from (values
    ('hmac', null::jsonb, 'long enough'), ('hmac', '{}', 'long enough'), ('hmac', '[]', 'long enough'), ('hmac', '{"header": ""}', 'long enough'), ('hmac', '{"header": "a b"}', 'long enough'),
    ('hmac', '{"header": "X", "encoding": "hax"}', 'long enough'), ('hmac', '{"header": "X", "prefix": 1}', 'long enough'), ('hmac', '{"header": "X", "colour": 1}', 'long enough'),
    ('hmac', '{"header": "X"}', 'short'), ('hmac', '{"header": "X"}', ''), ('timestamped_hmac', '{}', 'long enough'), ('timestamped_hmac', '{"header": "X", "tolerance_s": "soon"}', 'long enough'),
    ('hubspot_v3', '{"origin": "ftp://x"}', 'long enough'), ('hubspot_v3', '{"origin": "https://x/path"}', 'long enough'),
    ('standard_webhooks', null, 'no prefix at all'), ('standard_webhooks', null, 'whsec_'), ('standard_webhooks', null, 'whsec_###########')) m (scheme, signature, secret);
select is_empty('select from leadline.webhooks', 'nothing was made');

-- test: raised when a secret is replaced by none
select t.keep('source', s.source_id) from leadline.add_webhook_source(t.workspace(), 'X', 'form', null, 'standard_webhooks') s;
select throws_ok($$ select leadline.replace_webhook_secret(t.workspace(), t.kept('source'), 'whsec_?') $$, 'PT422', null, 'not base64');

-- test: allowed for every scheme, with a secret given or made
select is(pg_temp.made(m.scheme, m.signature, m.secret), null, concat_ws(' ', m.scheme, m.signature, m.secret)) from (values
    ('none', null::jsonb, null), ('none', null, 'ignored'), ('hmac', '{"header": "X-Sign"}', null), ('hmac', '{"header": "X-Sign", "encoding": "base64", "prefix": "sha256="}', 'long enough'),
    ('timestamped_hmac', '{"header": "X-Sign", "tolerance_s": 60}', null), ('hubspot_v3', '{"origin": "https://hooks.example.com"}', 'long enough'), ('hubspot_v3', null, 'long enough'),
    ('standard_webhooks', null, null), ('standard_webhooks', null, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')) m (scheme, signature, secret);
select is(leadline.replace_webhook_secret(t.workspace(), s.source_id), null, 'one that does not sign has none') from leadline.webhooks s where s.scheme = 'none' limit 1;
select matches(leadline.replace_webhook_secret(t.workspace(), s.source_id), '^whsec_.{44}$', 'a new one') from leadline.webhooks s where s.scheme = 'standard_webhooks' limit 1;

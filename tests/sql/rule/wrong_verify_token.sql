-- Who subscribes must know the token that was shown when the address was made.
select t.here();
create temp table made as select * from leadline.add_webhook_source(t.workspace(), 'Ads', 'meta_lead_ads', p_secret => 'app secret');
grant select on made to public;

-- test: raised for another token, and for none
set local session authorization leadline_service;
select t.raises($$ select leadline.answer_webhook_handshake(m.key, 'x') from made m $$, 'PT403', 'wrong_verify_token', 'another');
select throws_ok($$ select leadline.answer_webhook_handshake(m.key, null) from made m $$, 'PT403', null, 'none');

-- test: allowed with the token
set local session authorization leadline_service;
select lives_ok($$ select leadline.answer_webhook_handshake(m.key, m.verify_token) from made m $$, 'it may subscribe');
select t.act_as('admin');
select throws_ok($$ select verify_token_hash from leadline.webhook_sources $$, '42501', null, 'and nobody reads it again');

set lock_timeout = '3s';
drop table leadline.idempotency_keys;

set lock_timeout = '3s';
drop table leadline.suppressions;
drop table leadline.leads;
drop domain leadline.currency_code;
drop domain leadline.money_amount;
drop function leadline.phone_key(text);
drop function leadline.email_key(text);
drop function leadline_internal.visible_text(text);

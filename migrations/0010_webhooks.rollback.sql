set lock_timeout = '3s';
drop index leadline.leads_by_appointment;
drop table leadline.webhook_logs;
drop table leadline.webhook_sources;
drop table leadline.rule_webhook_presets;

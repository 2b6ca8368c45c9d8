set lock_timeout = '3s';
drop table leadline_internal.context_key;
drop type leadline_internal.credential;
drop table leadline.workspace_logins;
drop table leadline.api_tokens;
drop table leadline.memberships;
drop table leadline.users;
drop table leadline.workspaces;
drop sequence leadline_internal.activity_ids;

set lock_timeout = '3s';
drop table leadline.checkpoints;
drop table leadline.job_runs;

"""Puts the tables of migrations/ and the rules of sql/ into a database, takes them down, examines them.

- `files`: what the two folders promise before a database is asked.
- `session`: the connection, its lock, its role; how an error becomes a sentence.
- `load`: sql/ into the database, in one transaction; what vanished from the files is dropped.
- `migrate`: up, down, and what is pending.
- `doctor`: what a backup, a hurried hand or an old server may have changed.
"""

from app.deploy.doctor import Finding, doctor
from app.deploy.files import ROOT, checksums, problems, rules_version
from app.deploy.migrate import MigrateReport, RollbackReport, SchemaStatus, migrate, rollback, schema_status
from app.deploy.session import IN_THE_WAY, DeployError

__all__ = [
    "IN_THE_WAY",
    "ROOT",
    "DeployError",
    "Finding",
    "MigrateReport",
    "RollbackReport",
    "SchemaStatus",
    "checksums",
    "doctor",
    "migrate",
    "problems",
    "rollback",
    "rules_version",
    "schema_status",
]

"""The command line: every command by its name, and what all share."""

from __future__ import annotations

import click

from app import __version__
from app.commands.access import key, login, token
from app.commands.database import Commands
from app.commands.hook import hook
from app.commands.run import psql, serve, worker
from app.commands.spec import spec
from app.commands.team import member, workspace
from app.commands.transfer import export_command, import_command
from app.commands.up import up
from app.commands.upkeep import doctor, migrate, verify


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Begin with: leadline up",
)
@click.version_option(__version__, prog_name="leadline")
def cli() -> None:
    """Leadline: apps report what happened, PostgreSQL decides what it means.

    Without --dsn (or DATABASE_URL) a command uses the embedded PostgreSQL in --data.
    """


for command in (
    up, migrate, doctor, verify, serve, worker, workspace, member, login, token, key, hook,
    import_command, export_command, spec, psql,
):  # fmt: skip
    cli.add_command(command)


def main() -> None:
    """The entry point of `leadline` and `python -m app.cli`."""
    cli(prog_name="leadline")


if __name__ == "__main__":
    main()

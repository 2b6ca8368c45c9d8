"""What the columns and words of a file mean: a map in YAML, one of presets/ or a file of one's own.

A map declares how its files write things (encoding, numbers, dates), names the column of each field, and
translates words (stages, statuses, reasons). `extends` begins with a preset and says only what differs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click
import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
)

PRESETS = Path(__file__).with_name("presets")
FIELDS = (
    "lead_id", "external_id", "workflow", "stage", "status", "entered_at", "created_at", "won_at", "lost_at",
    "first_contacted_at", "name", "company", "email", "phone", "source", "assigned", "deal_value", "currency",
    "lost_reason", "lost_notes", "rejection_reason", "recycle_reason", "recycle_on",
    "accepted_at", "tags", "message", "do_not_contact", "email_opt_out", "phone_opt_out",
    "unsubscribed",
)  # fmt: skip

Country = Annotated[str, StringConstraints(pattern="^[A-Z]{2}$")]
Currency = Annotated[str, StringConstraints(pattern="^[A-Z]{3}$")]


class Strict(BaseModel):
    """A part of a map: nothing unknown, and no word that YAML took for something else."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Join(Strict):
    """Several columns as one text, such as first and last name."""

    join: Annotated[list[str], Field(min_length=1)]
    by: str = " "


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


# One column; or several, of which the first that says something counts (of yes and no: any yes).
Columns = Annotated[list[str | Join], BeforeValidator(_listed)]


class Map(Strict):
    """A map as it is written down; docs/operations.md describes it."""

    extends: str | None = None
    encoding: Literal["utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252"] = "utf-8"
    delimiter: Literal[",", ";", "\t", "|"] | None = None
    numbers: Literal["none", "de", "en", "fr", "ch", "plain"] = "none"
    dates: Annotated[list[str], BeforeValidator(_listed), Field(min_length=1)] = ["iso"]
    time_zone: str | None = None
    country: Country | None = None
    currency: Currency | None = None
    workflow: str | None = None
    source: str | None = None
    columns: dict[str, Columns] = {}
    keep: list[str] = []
    stages: dict[str, str] = {}
    statuses: dict[str, str | None] = {}
    lost_reasons: dict[str, str] = {}
    rejection_reasons: dict[str, str] = {}
    recycle_reasons: dict[str, str] = {}
    tag_separator: str = ","
    columns_may_be_missing: bool = False
    restores: bool = False

    @field_validator("columns")
    @classmethod
    def _fields_are_known(cls, value: dict[str, Columns]) -> dict[str, Columns]:
        if unknown := value.keys() - set(FIELDS):
            raise ValueError(f"unknown field {', '.join(sorted(unknown))}: known are {', '.join(FIELDS)}")
        return value

    @field_validator("time_zone")
    @classmethod
    def _zone_is_known(cls, value: str | None) -> str | None:
        try:
            if value is not None:
                ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"{value} is no IANA time zone such as Europe/Berlin") from error
        return value


def presets() -> list[str]:
    """The names of the maps that come with Leadline."""
    return sorted(path.stem for path in PRESETS.glob("*.yaml"))


def load(name: str) -> Map:
    """The preset of that name, or the map in that file; click.ClickException for what is neither."""
    if name in presets():
        return _read(PRESETS / f"{name}.yaml")
    path = Path(name)
    if not path.is_file():
        raise click.ClickException(f"--map {name} is neither a preset ({', '.join(presets())}) nor a file")
    return _read(path)


def _read(path: Path) -> Map:
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeError, yaml.YAMLError) as error:
        raise click.ClickException(f"{path} is no YAML: {' '.join(str(error).split())}") from error
    own = _validated(path, content)
    if own.extends is None:
        return own
    if own.extends not in presets():
        raise click.ClickException(f"{path}: there is no preset {own.extends} ({', '.join(presets())})")
    base = load(own.extends)
    merged = {part: getattr(own if part in own.model_fields_set else base, part) for part in Map.model_fields}
    for words in ("columns", "stages", "statuses", "lost_reasons", "rejection_reasons", "recycle_reasons"):
        merged[words] = getattr(base, words) | getattr(own, words)
    return Map.model_construct(**merged)


def _validated(path: Path, content: Any) -> Map:
    if not isinstance(content, dict):
        raise click.ClickException(f"{path} is no map: it must be keys and values, such as `columns:`")
    try:
        return Map.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        hint = (
            "; words such as no, yes and on need quotes in YAML" if isinstance(first["input"], bool) else ""
        )
        raise click.ClickException(f"{path}, {where}: {first['msg']}{hint}") from error

"""The stage model as seed 003 writes it: YAML in, YAML out. What is in a model is the database's matter.

A file is a mapping with `blocks` and, where it says them, `reasons` and `stages`; or the blocks alone. It is
read as what it shows: no tags, no anchors, no key twice, and nothing but texts, lists and mappings.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

KEYS = (
    "id", "workflow", "from", "to", "unit", "evidence", "exclusions", "field", "value", "activity_types",
    "writer", "precedence", "entry_timestamp", "exits", "seed",
)  # fmt: skip
WAYS = ("advance", "recycle", "disqualify", "lost", "correction")
PARTS = ("exclude", "path", "owner")
LARGEST = 262_144  # bytes of a file
DEEPEST = 8  # levels; a model has five
WIDTH = 100  # columns of a line
HEADER = """\
# The stage model: one block a stage that can be entered, with what proves the entry, who may write it and how
# one leaves. Made by `leadline spec export`. `leadline spec diff` tells what differs from the database, and
# `leadline spec lint` what is missing; changes are made in sql/rules/ and deployed.
"""

Model = dict[str, Any]  # {"blocks": […], "reasons": {list: […]}, "stages": {workflow: […]}}


class UnreadableError(Exception):
    """A file that is no model; says where, and what to write instead."""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _excluded(value: Any) -> Any:
    """Exclusions that are named alone, as seed 003 does: the linter asks for their path and owner."""
    value = _listed(value)
    if not isinstance(value, list):
        return value
    return [{"exclude": one} if isinstance(one, str) else one for one in value]


Texts = Annotated[list[str], BeforeValidator(_listed)]


class Strict(BaseModel):
    """A part of a file: nothing unknown, and no word that YAML took for something else."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Exclusion(Strict):
    """Who never enters, where they go instead, and whose they are there."""

    exclude: str | None = None
    path: str | None = None
    owner: str | None = None


class Exits(Strict):
    """How one leaves a stage."""

    advance: str | None = None
    recycle: str | None = None
    disqualify: str | None = None
    lost: str | None = None
    correction: str | None = None


class Block(Strict):
    """A stage that can be entered; what is missing is for the linter to say."""

    id: str | None = None
    workflow: str | None = None
    from_: Annotated[Texts | None, Field(alias="from")] = None
    to: str | None = None
    unit: str | None = None
    evidence: str | None = None
    exclusions: Annotated[list[Exclusion] | None, BeforeValidator(_excluded)] = None
    field: str | None = None
    value: str | None = None
    activity_types: Texts | None = None
    writer: Texts | None = None
    precedence: str | None = None
    entry_timestamp: str | None = None
    exits: Exits | None = None
    seed: str | None = None


class File(Strict):
    """A whole file."""

    blocks: list[Block]
    reasons: dict[str, list[str]] | None = None
    stages: dict[str, list[str]] | None = None


def read(raw: bytes) -> Model:
    """The model in a file's bytes; UnreadableError for anything else."""
    if len(raw) > LARGEST:
        raise UnreadableError(f"it is larger than {LARGEST // 1024} KiB")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is not UTF-8: byte {error.start + 1}") from error
    try:
        _refuse_what_hides(text)
        content = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise UnreadableError(_said(error)) from error
    except ValueError as error:  # a date or a number that is none
        raise UnreadableError(f"a value needs quotes: {error}") from error
    if isinstance(content, list):
        content = {"blocks": content}
    if not isinstance(content, dict) or "blocks" not in content:
        raise UnreadableError("it has no blocks: a model is a list of blocks, or a mapping with `blocks:`")
    try:
        file = File.model_validate(content)
    except ValidationError as error:
        raise UnreadableError(_first(error, content)) from error
    return file.model_dump(by_alias=True, exclude_none=True)


def write(model: Model) -> str:
    """The model as YAML, for people: long texts folded, short lists on one line, always in the same order."""
    ordered: Model = {"blocks": [_in_order(block) for block in model["blocks"]]}
    for part in ("reasons", "stages"):
        if part in model:
            ordered[part] = {name: _Line(model[part][name]) for name in sorted(model[part])}
    parts = [
        yaml.dump({part: value}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
        for part, value in ordered.items()
    ]
    parts[0] = re.sub(r"(?<!blocks:)\n(?=  - id:)", "\n\n", parts[0])
    return "\n".join([HEADER, *parts])


def only(model: Model, workflow: str | None) -> Model:
    """What a model says of one workflow; all of it for None. Reasons belong to none."""
    if workflow is None:
        return model
    kept = model | {"blocks": [block for block in model["blocks"] if block.get("workflow") == workflow]}
    if "stages" in model:
        kept["stages"] = {name: stages for name, stages in model["stages"].items() if name == workflow}
    return kept


def _in_order(block: dict[str, Any]) -> dict[str, Any]:
    ordered = {key: block[key] for key in KEYS if key in block}
    for key in ("from", "activity_types", "writer"):
        if key in ordered:
            ordered[key] = _Line(ordered[key])
    if "exits" in ordered:
        ordered["exits"] = {way: ordered["exits"][way] for way in WAYS if way in ordered["exits"]}
    if "exclusions" in ordered:
        ordered["exclusions"] = [
            {part: one[part] for part in PARTS if part in one} for one in ordered["exclusions"]
        ]
    return ordered


class _Line(list[str]):
    """A list that is written on one line."""


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Indents the entries of a list, folds long texts, writes no anchors."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else ">" if len(value) > 80 else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _line(dumper: yaml.SafeDumper, value: _Line) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(_Line, _line)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """SafeLoader that refuses a key written twice, and the key that merges another mapping in."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise yaml.MarkedYAMLError(None, None, "this key is no text", key.start_mark)
            if key.value in seen:
                problem = f"the key {key.value} stands here twice"
                raise yaml.MarkedYAMLError(None, None, problem, key.start_mark)
            seen.add(key.value)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _refuse_what_hides(text: str) -> None:
    """Walks the file without building anything: what it holds must be what it shows."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        problem = None
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                problem = "there is a second document"
        elif isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            problem = "anchors and aliases are not taken: write it out"
        elif isinstance(event, yaml.NodeEvent) and event.tag is not None:
            problem = "tags are not taken"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                problem = f"it is nested more than {DEEPEST} deep"
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if problem:
            raise yaml.MarkedYAMLError(None, None, problem, event.start_mark)


def _said(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or " ".join(str(error).split())
    return f"line {mark.line + 1}: {what}" if mark else str(what)


def _first(error: ValidationError, content: Any) -> str:
    """The first thing that is wrong, by the block's name."""
    first = error.errors()[0]
    names = [str(part) for part in first["loc"]]
    if names[0] == "blocks" and len(names) > 1:
        block = content["blocks"][int(names[1])]
        name = block.get("id") if isinstance(block, dict) else None
        names[:2] = [name if isinstance(name, str) and name else f"block {int(names[1]) + 1}"]
    if first["type"] == "extra_forbidden":
        return f"{'.'.join(names[:-1])}: unknown key {names[-1]}" if names[1:] else f"unknown key {names[0]}"
    hint = ""
    if not isinstance(first["input"], str | list | dict | None):
        hint = "; words such as no, yes and on, numbers and dates need quotes in YAML"
    return f"{'.'.join(names)}: {first['msg']}{hint}"

"""What differs between two stage models: by block and key, as lines for people."""

from __future__ import annotations

import textwrap
from typing import Any

from app.spec.document import KEYS, PARTS, WAYS, Model, UnreadableError

WIDTH = 100  # columns of a line
UNORDERED = ("from", "activity_types", "writer")  # lists in which order says nothing

Said = dict[str, dict[str, str]]  # what a model says: by block or list, then by key


def differences(before: Model, after: Model) -> list[str]:
    """The lines that tell one model from the other; none when both say the same.

    `-` is what only the first says, `+` what only the second says. Reasons and stages are compared where both
    have them. Raises UnreadableError for a block without id, and for two of one id: which is meant?
    """
    parts: list[str] = [part for part in ("reasons", "stages") if part in before and part in after]
    old, new = _said(before, parts), _said(after, parts)
    lines = []
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in new:
            lines.append(f"- {name}")
        elif name not in old:
            lines.append(f"+ {name}")
        else:
            lines += _changed(name, old[name], new[name])
    return lines


def _changed(name: str, old: dict[str, str], new: dict[str, str]) -> list[str]:
    lines = []
    for key in [*old, *(key for key in new if key not in old)]:
        if old.get(key) != new.get(key):
            lines.append(f"{name}: {key}" if key else name)
            for mark, said in (("-", old.get(key)), ("+", new.get(key))):
                if said is not None:
                    lines += textwrap.wrap(said, WIDTH, initial_indent=f"  {mark} ", subsequent_indent="    ")
    return lines


def _said(model: Model, parts: list[str]) -> Said:
    said: Said = {}
    for number, block in enumerate(model["blocks"], start=1):
        name = (block.get("id") or "").strip()
        if not name:
            raise UnreadableError(f"block {number} has no id, so there is nothing to compare it with")
        if name in said:
            raise UnreadableError(f"there are two blocks {name}")
        said[name] = {key: text for key, text in _keys(block).items() if text}
    for part in parts:
        for name, words in sorted(model[part].items()):
            said[f"{part} {name}"] = {"": ", ".join(words)}
    return said


def _keys(block: dict[str, Any]) -> dict[str, str]:
    """Every key of a block with its text; those of exits and exclusions by their path."""
    keys: dict[str, str] = {}
    for key in KEYS[1:]:
        value = block.get(key)
        if key == "exits":
            keys |= {f"exits.{way}": (value or {}).get(way, "").strip() for way in WAYS}
        elif key == "exclusions":
            for number, one in enumerate(value or [], start=1):
                name = f"exclusions.{one.get('exclude') or number}"
                keys |= {f"{name}.{part}": one.get(part, "").strip() for part in PARTS[1:]}
                keys[name] = "excluded"
        elif isinstance(value, list):
            keys[key] = ", ".join(sorted(value) if key in UNORDERED else value)
        else:
            keys[key] = (value or "").strip()
    return keys

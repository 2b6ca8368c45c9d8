"""A workflow as a picture, drawn from its arrows: as SVG, or as a Mermaid state diagram.

The SVG is read like a sequence of steps: the stages stand side by side, every row is one way between them,
with a dot where it may begin and a head where it ends. So no box and no label can lie on another, however
many ways there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from xml.etree.ElementTree import Element, SubElement, indent, tostring

BIRTH, MOVE, CORRECTION = KINDS = ("birth", "move", "correction")
KNOWN = "is known"  # how one stands at the first stage without an activity

# Measures of the picture, in pixels. A letter of the labels is narrower than LETTER in every common font.
LETTER, LINE, PADDING = 7, 15, 12
TOP, BOX_HEIGHT, HEAD = 16, 44, 7
LABEL_WIDTH = 46  # letters of a row's label before it goes on below
SVG = "http://www.w3.org/2000/svg"
LEGEND = "○ begins · ● from · ▶ to · dashed: a correction · grey: a closed stage"
STYLE = """
    text { font: 12px ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2933 }
    .title { font-size: 15px; font-weight: 600 }
    .stage { font-weight: 600; text-anchor: middle }
    .code { font: 10px ui-monospace, Menlo, Consolas, monospace; fill: #52606d; text-anchor: middle }
    .label { font: 11px ui-monospace, Menlo, Consolas, monospace }
    .legend { font-size: 11px; fill: #52606d }
    .box { fill: #e6f0fa; stroke: #2b6cb0 }
    .final { fill: #eef0f2; stroke: #616e7c }
    .band { fill: #f7f9fb }
    .life { stroke: #cbd2d9; stroke-dasharray: 2 3 }
    .move, .birth { stroke: #2b6cb0; stroke-width: 1.5; fill: #2b6cb0 }
    .correction { stroke: #b7791f; stroke-width: 1.5; fill: #b7791f }
    line.correction { stroke-dasharray: 5 3 }
    circle.birth { fill: #ffffff }
"""


@dataclass(frozen=True)
class Stage:
    """A stage: its code, its label, whether it is a closed one."""

    code: str
    label: str
    is_final: bool


@dataclass(frozen=True)
class Arrow:
    """A way into a stage; `source` is None for a birth, `activity` None where it needs no activity."""

    kind: str
    source: str | None
    target: str
    activity: str | None


@dataclass(frozen=True)
class Workflow:
    """A workflow: its code and label, its stages in order, its arrows."""

    code: str
    label: str
    stages: list[Stage]
    arrows: list[Arrow]


@dataclass(frozen=True)
class Way:
    """Activities that lead from each of the same stages to each of the same; a birth from none."""

    kind: str
    activities: tuple[str, ...]
    sources: tuple[int, ...]
    targets: tuple[int, ...]


def ways(workflow: Workflow) -> list[Way]:
    """The arrows, as few as tell the same: an activity's from all its sources to one stage, or to all."""
    place = {stage.code: number for number, stage in enumerate(workflow.stages)}
    pairs: dict[tuple[str, str], set[tuple[int | None, int]]] = {}
    for arrow in workflow.arrows:
        source = None if arrow.source is None else place[arrow.source]
        pairs.setdefault((arrow.kind, arrow.activity or KNOWN), set()).add((source, place[arrow.target]))
    alike: dict[tuple[str, tuple[int, ...], tuple[int, ...]], list[str]] = {}
    for (kind, activity), ends in sorted(pairs.items()):
        sources, targets = {source for source, _ in ends}, {target for _, target in ends}
        is_whole = len(ends) == len(sources) * len(targets)
        for group in [targets] if is_whole else [{target} for target in targets]:
            begins = sorted({source for source, target in ends if target in group and source is not None})
            alike.setdefault((kind, tuple(begins), tuple(sorted(group))), []).append(activity)
    found = [Way(kind, tuple(names), begins, group) for (kind, begins, group), names in alike.items()]
    return sorted(found, key=lambda way: (KINDS.index(way.kind), way.sources, way.targets))


def mermaid(workflow: Workflow) -> str:
    """The workflow as a Mermaid state diagram; what leads back, or may begin anywhere, stands in a note."""
    lines = ["stateDiagram-v2", "    direction LR"]
    lines += [f'    state "{_quoted(stage.label)}" as {stage.code}' for stage in workflow.stages]
    anywhere: list[str] = []
    back: dict[str, list[str]] = {}
    between: dict[tuple[str, str], list[str]] = {}
    for way in ways(workflow):
        names = ", ".join(way.activities)
        targets = [workflow.stages[target] for target in way.targets]
        if way.kind == CORRECTION:
            back.setdefault(names, []).extend(stage.label for stage in targets)
        elif len(targets) == len(workflow.stages):
            anywhere.append(names)
        else:
            begins = [workflow.stages[source].code for source in way.sources] or ["[*]"]
            for ends in product(begins, (stage.code for stage in targets)):
                between.setdefault(ends, []).append(names)
    lines += [f"    {begin} --> {end}: {', '.join(names)}" for (begin, end), names in between.items()]
    left = {begin for begin, _ in between}
    lines += [f"    {s.code} --> [*]" for s in workflow.stages if s.is_final and s.code not in left]
    notes = [f"{names}: begins anywhere" for names in anywhere]
    notes += [f"{names}: back to {', '.join(labels)}" for names, labels in back.items()]
    if notes:
        lines.append(f"    note right of {workflow.stages[0].code}")
        lines += [f"        {_quoted(note)}" for note in notes]
        lines.append("    end note")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """A text in which Mermaid sees nothing of its own."""
    return "".join(f"#{ord(letter)};" if letter in '"#;<>&{}[]' else letter for letter in text)


def svg(workflow: Workflow) -> str:
    """The workflow as a whole SVG document, without script and without anything from elsewhere."""
    return _Picture(workflow).drawn()


class _Picture:
    """Where everything stands, in whole pixels."""

    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow
        self.ways = ways(workflow)
        self.labels = [_wrapped(way.activities) for way in self.ways]
        words = [word for stage in workflow.stages for word in (stage.label, stage.code)]
        self.box = LETTER * max(map(len, words)) + 2 * PADDING
        self.step = self.box + PADDING
        longest = max(len(line) for lines in self.labels for line in lines)
        self.gutter = max(LETTER * longest, 9 * len(workflow.label)) + 3 * PADDING
        first = TOP + BOX_HEIGHT + PADDING
        heights = [LINE * len(lines) + PADDING for lines in self.labels]
        self.rows = [first + sum(heights[:number]) for number in range(len(heights) + 1)]
        self.width = max(self.gutter + self.step * len(workflow.stages), LETTER * len(LEGEND)) + PADDING
        self.height = self.rows[-1] + 3 * PADDING
        size = {"width": str(self.width), "height": str(self.height)}
        self.root = Element(
            "svg", {"xmlns": SVG, "viewBox": f"0 0 {self.width} {self.height}", "role": "img"} | size
        )

    def add(self, tag: str, text: str | None = None, look: str = "", **attributes: int | str) -> None:
        """One element, above those that stand already."""
        named = {"class": look} if look else {}
        named |= {name: str(value) for name, value in attributes.items()}
        SubElement(self.root, tag, named).text = text

    def middle(self, number: int) -> int:
        """The middle of a stage."""
        return self.gutter + self.step * number + self.box // 2

    def drawn(self) -> str:
        """The document."""
        self.add("title", f"{self.workflow.label}: the stages, and the ways between them")
        self.add("style", STYLE)
        self.add("rect", width=self.width, height=self.height, fill="#ffffff")
        self.add("text", self.workflow.label, "title", x=PADDING, y=TOP + BOX_HEIGHT // 2 + 5)
        for top, below in list(pairwise(self.rows))[::2]:
            self.add("rect", look="band", x=0, y=top, width=self.width, height=below - top)
        for number, stage in enumerate(self.workflow.stages):
            self._stage(self.middle(number), stage)
        for way, label, (top, below) in zip(self.ways, self.labels, pairwise(self.rows), strict=True):
            for at, line in enumerate(label):
                self.add("text", line, "label", x=PADDING, y=top + PADDING // 2 + 11 + LINE * at)
            self._way((top + below) // 2, way)
        self.add("text", LEGEND, "legend", x=PADDING, y=self.height - PADDING)
        indent(self.root)
        return tostring(self.root, encoding="unicode") + "\n"

    def _stage(self, x: int, stage: Stage) -> None:
        self.add("line", look="life", x1=x, y1=TOP + BOX_HEIGHT, x2=x, y2=self.rows[-1])
        look, left = "box final" if stage.is_final else "box", x - self.box // 2
        self.add("rect", look=look, x=left, y=TOP, width=self.box, height=BOX_HEIGHT, rx=6)
        self.add("text", stage.label, "stage", x=x, y=TOP + 19)
        self.add("text", stage.code, "code", x=x, y=TOP + 34)

    def _way(self, y: int, way: Way) -> None:
        begins = [self.middle(source) for source in way.sources] or [self.gutter - PADDING]
        ends = [self.middle(target) for target in way.targets]
        self.add("line", look=way.kind, x1=min(begins + ends), y1=y, x2=max(begins + ends), y2=y)
        for x in begins:
            self.add("circle", look=way.kind, cx=x, cy=y, r=4)
        for end in ends:
            for back in sorted({-HEAD if begin < end else HEAD for begin in begins}):
                self.add("path", look=way.kind, d=f"M{end} {y}l{back} -5v10z")


def _wrapped(names: tuple[str, ...]) -> list[str]:
    """Names separated by commas, on lines of at most LABEL_WIDTH letters where they have a comma."""
    lines = [""]
    for number, name in enumerate(names):
        word = name + ("," if number + 1 < len(names) else "")
        if lines[-1] and len(lines[-1]) + 1 + len(word) > LABEL_WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines

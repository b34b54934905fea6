"""Labels drawn: `label_tree(3, inserts=(0, 1))` shows an element's children with both kinds of label, and what an
insert changes. The tree and its numbers are those of the models, `xmlstore.labels` and `RangeLabels`."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from pagecost.errors import require
from pagecost.xmlstore import labels
from pagecost.xmlstore.range_labels import RangeLabels

ROOM = 2  # between the labels of neighbours, as dense as a document is loaded
MOST = 10  # children that an eye can follow, and a picture can show
BOX, GAP, HEIGHT, BETWEEN = 84, 10, 58, 46  # pixels
STYLE = """
.label-tree svg { display: block; max-width: 100%; height: auto;
  color: var(--ink, var(--jp-ui-font-color1, #222)); }
.label-tree rect { fill: none; stroke: currentColor; } .label-tree .new rect { stroke: #0072B2; stroke-width: 3; }
.label-tree .changed rect { fill: #D55E00; fill-opacity: 0.22; stroke: #D55E00; stroke-width: 2; }
.label-tree text { font-size: 12.5px; fill: currentColor; text-anchor: middle; }
.label-tree .soft { font-size: 11px; } .label-tree .changed .range { font-weight: 700; }
.label-tree line { stroke: currentColor; opacity: 0.4; }
"""


@dataclass(frozen=True)
class Node:
    """A node of the tree: its DeweyID, its range label now and before the last insert (None: it was not there)."""

    dewey: labels.Label
    range: tuple[int, int]
    before: tuple[int, int] | None

    @property
    def changed(self) -> bool:
        """Whether the last insert changed its range label."""
        return self.before is not None and self.before != self.range


@dataclass(frozen=True)
class LabelTree:
    """An element (first) and its children in document order."""

    nodes: tuple[Node, ...]

    def __repr__(self) -> str:
        return "\n".join(f"{labels.show(node.dewey)} ({_bytes(node)}), {_told(node)}" for node in self.nodes)

    def _repr_mimebundle_(self, **_):
        return {"text/plain": repr(self), "text/html": f"<style>{STYLE}</style>{self.picture()}"}

    def picture(self) -> str:
        """The tree as an SVG."""
        children = self.nodes[1:]
        width = max(1, len(children)) * (BOX + GAP) + GAP
        middle = width / 2
        parts = [_box(self.nodes[0], middle - BOX / 2, 2)]
        for place, node in enumerate(children):
            left, top = GAP + place * (BOX + GAP), 2 + HEIGHT + BETWEEN
            parts.append(f'<line x1="{middle}" y1="{2 + HEIGHT}" x2="{left + BOX / 2}" y2="{top}"/>')
            parts.append(_box(node, left, top))
        height = 2 * HEIGHT + BETWEEN + 4
        words = html.escape(repr(self).replace("\n", "; "))
        return (
            f'<div class="label-tree"><svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{words}">{"".join(parts)}</svg></div>'
        )


def label_tree(children: int = 3, inserts: Sequence[int] = (), gap: int = 1) -> LabelTree:
    """An element with children, then new children at the places of `inserts` (0: in front), one after the other.

    gap: free numbers of the range labels, from 1. Raises ModelError for other than 1 .. 10 children in all, a place
    beyond, and what is no whole number.
    """
    places = tuple(inserts) if isinstance(inserts, Sequence) and not isinstance(inserts, str) else (inserts,)
    for what, number in (("children", children), ("gap", gap), *(("a place of inserts", place) for place in places)):
        whole = isinstance(number, int) and not isinstance(number, bool)
        require(whole, f"{what} must be a whole number; got {number!r}")
    require(children >= 1 and children + len(places) <= MOST, f"a picture has 1..{MOST} children in all")
    above = labels.parse("1.3")
    tree = RangeLabels(gap=gap)
    deweys: list[labels.Label] = []
    before: list[tuple[int, int]] = []
    for place in (*range(children), *places):
        require(0 <= place <= len(deweys), f"there are {len(deweys)} children; got place {place}")
        before = list(zip(tree.start, tree.end, strict=True))
        tree.insert(0, place)
        left, right = deweys[place - 1] if place else None, deweys[place] if place < len(deweys) else None
        deweys.insert(place, labels.between(above, left, right, ROOM))
    if not places:
        before = list(zip(tree.start, tree.end, strict=True))

    def node(number: int, dewey: labels.Label) -> Node:
        then = before[number] if number < len(before) else None
        return Node(dewey, (tree.start[number], tree.end[number]), then)

    numbers = tree.children[0]
    return LabelTree((node(0, above), *(node(number, dewey) for number, dewey in zip(numbers, deweys, strict=True))))


def _bytes(node: Node) -> str:
    size = len(labels.encode(node.dewey))
    return f"{size} byte" + ("s" if size > 1 else "")


def _told(node: Node) -> str:
    now = f"range {node.range[0]} to {node.range[1]}"
    if node.before is None:
        return f"{now}, new"
    return f"{now}, was {node.before[0]} to {node.before[1]}" if node.changed else now


def _box(node: Node, left: float, top: float) -> str:
    kind = "new" if node.before is None else "changed" if node.changed else "same"
    middle = left + BOX / 2
    return (
        f'<g class="{kind}"><rect x="{left}" y="{top}" width="{BOX}" height="{HEIGHT}" rx="5"/>'
        f'<text x="{middle}" y="{top + 18}"><tspan font-weight="700">{labels.show(node.dewey)}</tspan></text>'
        f'<text class="soft" x="{middle}" y="{top + 33}">{_bytes(node)}{" · new" if kind == "new" else ""}</text>'
        f'<text class="range" x="{middle}" y="{top + 50}">{node.range[0]} – {node.range[1]}'
        f"{' ≠' if kind == 'changed' else ''}</text></g>"
    )

"""The indexes over the documents: which elements have a name, and which attributes and texts have a value.

Both are B*-trees in the store's file. The element index has (name, label) as keys and path classes as tags. The value
index has (path class, value, label): equal values of one path lie side by side in document order. Of a longer value
only its begin stands there; whoever asks for one looks into the document. Texts of blanks with a line break are
layout and left out.
"""

from collections.abc import Iterator

import numpy as np

from pagecost.xmlstore import index_kernels, pages_kernels
from pagecost.xmlstore.index_kernels import CUT, HEAD_BYTES, VALUE_BYTES, WHOLE
from pagecost.xmlstore.pages_kernels import Batch
from pagecost.xmlstore.parse_kernels import ATTRIBUTE_NODE, ELEMENT_NODE, TEXT_NODE
from pagecost.xmlstore.parsing import Chunk

ELEMENTS, VALUES = "elements", "values"  # names of the trees
SORTED = 1 << 20  # entries sorted at a time, and placed at a time
LAYOUT = " \t\r\n"


class Notes:
    """What a load notes of each entry until all are there: the head of its key, its label and its tag."""

    def __init__(self):
        self._heads, self._head_sizes, self._labels, self._label_sizes, self._tags = [], [], [], [], []

    def _add(self, chunk: Chunk, rows: np.ndarray, heads: np.ndarray, head_sizes: np.ndarray, tags: np.ndarray) -> None:
        nodes = chunk.nodes
        sizes = np.diff(nodes.label_end[: chunk.size + 1])
        chosen = np.zeros(chunk.size, bool)
        chosen[rows] = True
        self._heads.append(heads)
        self._head_sizes.append(head_sizes.astype(np.uint8))
        self._labels.append(nodes.labels[: nodes.label_end[chunk.size]][np.repeat(chosen, sizes)])
        self._label_sizes.append(sizes[rows].astype(np.uint8))
        self._tags.append(tags.astype(np.uint16))

    def batches(self, kind: int) -> Iterator[Batch]:
        """All entries in the order of their keys."""
        heads, labels = _joined(self._heads, np.uint8), _joined(self._labels, np.uint8)
        head_end = ends_of(_joined(self._head_sizes, np.uint8).astype(np.int64))
        label_end = ends_of(_joined(self._label_sizes, np.uint8).astype(np.int64))
        tags = _joined(self._tags, np.uint16)
        for rows in _in_order(heads, head_end):
            nothing = np.zeros(rows.size, np.int64)
            size = int(np.diff(head_end)[rows].sum() + np.diff(label_end)[rows].sum())
            key_end, keys = np.empty(rows.size + 1, np.int64), np.empty(size + 1, np.uint8)
            index_kernels.entry_keys(heads, head_end, labels, label_end, rows, key_end, keys)
            yield Batch(
                kind=np.full(rows.size, kind, np.uint8),
                tag=tags[rows].astype(np.int32),
                key_end=key_end,
                keys=keys,
                value_at=nothing,
                value_bytes=nothing,
                blob=np.zeros(1, np.uint8),
            )


class ElementNotes(Notes):
    """Elements by name."""

    def add(self, chunk: Chunk) -> None:
        nodes = chunk.nodes
        rows = np.flatnonzero(nodes.kind[: chunk.size] == ELEMENT_NODE)
        heads = nodes.name[rows].astype(">u2").view(np.uint8)
        self._add(chunk, rows, heads, np.full(rows.size, 2), nodes.path[rows])


class ValueNotes(Notes):
    """Attributes and texts by path class and value."""

    def add(self, chunk: Chunk) -> None:
        heads, head_end, rows = _value_heads(chunk)
        self._add(chunk, rows, heads, np.diff(head_end), np.zeros(rows.size))


def value_entries(chunk: Chunk) -> list[bytes]:
    """The keys of the chunk's entries in the value index."""
    heads, head_end, rows = _value_heads(chunk)
    nodes = chunk.nodes
    return [
        heads[head_end[place] : head_end[place + 1]].tobytes()
        + nodes.labels[nodes.label_end[row] : nodes.label_end[row + 1]].tobytes()
        for place, row in enumerate(rows.tolist())
    ]


def value_head(path: int, value: str) -> tuple[bytes, bool]:
    """What the keys of all nodes with that path class and value begin with, and whether others begin so, too."""
    data = value.encode()
    cut = len(data) > VALUE_BYTES
    return path.to_bytes(2, "big") + data[:VALUE_BYTES] + bytes([CUT if cut else WHOLE]), cut


def is_indexed(kind: int, value: str) -> bool:
    """Whether a node of that kind with that value has an entry in the value index."""
    return kind == ATTRIBUTE_NODE or (kind == TEXT_NODE and not ("\n" in value and not value.strip(LAYOUT)))


def ends_of(sizes) -> np.ndarray:
    """Where pieces of these sizes end when they lie end to end, from 0: int64[n + 1]."""
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    return ends


def _value_heads(chunk: Chunk) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    nodes, size = chunk.nodes, chunk.size
    kinds = nodes.kind[:size]
    most = int(np.count_nonzero((kinds == ATTRIBUTE_NODE) | (kinds == TEXT_NODE)))
    heads = np.empty(most * HEAD_BYTES + 1, np.uint8)
    head_end, rows = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    count = index_kernels.value_heads(nodes, size, chunk.blob, heads, head_end, rows)
    return heads[: head_end[count]].copy(), head_end[: count + 1], rows[:count]


def _joined(parts: list[np.ndarray], kind) -> np.ndarray:
    joined = np.concatenate([*parts, np.empty(0, kind)])
    parts.clear()
    return joined


def _in_order(heads: np.ndarray, head_end: np.ndarray) -> Iterator[np.ndarray]:
    """Row numbers by rising heads, equal ones as they came; sorted some whole classes (two first bytes) at a time."""
    classes = (heads[head_end[:-1]].astype(np.uint16) << 8) | heads[head_end[:-1] + 1]
    order = np.argsort(classes, kind="stable")
    widest = int(np.diff(head_end).max(initial=2))
    edges = np.flatnonzero(np.diff(classes[order])) + 1
    start = 0
    while start < order.size:
        place = int(np.searchsorted(edges, start + SORTED))
        stop = int(edges[place]) if place < edges.size else order.size
        rows = order[start:stop]
        if widest > 2:
            columns = np.empty((-(-widest // 8), rows.size), np.uint64)
            index_kernels.sort_columns(heads, head_end, rows, columns)
            rows = rows[np.lexsort(columns[::-1])]
        for at in range(0, rows.size, SORTED):
            yield rows[at : at + SORTED]
        start = stop


assert pages_kernels.LONGEST_KEY >= HEAD_BYTES + 220  # a label's longest

"""How large a node of a B+-tree should be: what a node narrows a search down by, over what reading it costs."""

from typing import NamedTuple

import numpy as np

from pagecost.errors import require
from pagecost.operators.run_times import RunTimes

ENTRY_BYTES = 20
FILL = 0.7


class NodeSizes(NamedTuple):
    """Arrays of one shape. utility: binary logarithm of the entries in a node; cost_s: of a node."""

    node_bytes: np.ndarray
    utility: np.ndarray
    cost_s: np.ndarray

    @property
    def per_second(self) -> np.ndarray:
        """Halvings of the search a second; its highest is the best node."""
        return self.utility / self.cost_s

    @property
    def best(self) -> int:
        """Place of the best size."""
        return int(np.argmax(self.per_second))


def node_sizes(
    node_bytes, times: RunTimes, unit_bytes: int, *, entry_bytes: float = ENTRY_BYTES, fill: float = FILL, writes=0.0
) -> NodeSizes:
    """Gray and Graefe 1997: utility log2(fill x node / entry), cost one read of the node, and `writes` writes of it.

    node_bytes: shape (n,). unit_bytes: of a page of `times`. Raises ModelError for nodes that hold fewer than two
    entries, a fill outside 0..1 and a negative number of writes.
    """
    sizes = np.asarray(node_bytes, float)
    require(writes >= 0, f"a visit cannot write a node less than not at all; got {writes:g} times")
    entries = _entries(sizes, entry_bytes, fill)
    pages = sizes / unit_bytes
    cost_s = times.run_s(pages) + writes * times.run_s(pages, write=True)
    return NodeSizes(sizes, np.log2(entries), cost_s)


def height(rows: float, node_bytes, *, entry_bytes: float = ENTRY_BYTES, fill: float = FILL) -> np.ndarray:
    """Levels of a tree over so many rows, shape as `node_bytes`: log of the rows to the base of the entries, upward.

    At least one. Raises ModelError for a tree without a row, and for nodes as `node_sizes`.
    """
    require(rows >= 1, f"a tree must have a row; got {rows:g}")
    entries = _entries(np.asarray(node_bytes, float), entry_bytes, fill)
    return np.maximum(np.ceil(np.log(rows) / np.log(entries) - 1e-9), 1.0)


def _entries(sizes: np.ndarray, entry_bytes: float, fill: float) -> np.ndarray:
    """Entries of nodes of these sizes, at least two."""
    require(0 < fill <= 1, f"nodes are filled to more than 0 and at most 1; got {fill:g}")
    require(entry_bytes > 0, f"an entry must have more than 0 bytes; got {entry_bytes:g}")
    entries = fill * sizes / entry_bytes
    require(
        bool((entries >= 2).all()),
        f"a node must hold at least two entries of {entry_bytes:g} bytes; one of {sizes.min():g} bytes filled to "
        f"{fill:g} does not",
    )
    return entries

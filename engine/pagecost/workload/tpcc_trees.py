"""The B-trees of TPC-C as loaded: how high they are, and the room into which they grow."""

from typing import NamedTuple

import numpy as np

from pagecost.workload import tpcc_trees_kernels as kernels
from pagecost.workload.tpcc_trees_kernels import EMPTY, GROWING, ORDERS_CUSTOMER, ORDERS_KEY, Trees

PAGE_OVERHEAD_BYTES = 40  # header and links of a page, PostgreSQL 15: 24 + 16
LEAF_FILL, INNER_FILL = 0.9, 0.7  # of a page as loaded, PostgreSQL 15: `fillfactor` of an index, its inner pages 70 %


class Index(NamedTuple):
    """An index: its table, and bytes of an entry [B]: PostgreSQL's 8 of header, 4 of line pointer, and its key."""

    table: str
    entry_bytes: int


INDEXES: dict[str, Index] = {
    "WAREHOUSE_KEY": Index("WAREHOUSE", 20),
    "DISTRICT_KEY": Index("DISTRICT", 20),
    "ITEM_KEY": Index("ITEM", 20),
    "CUSTOMER_KEY": Index("CUSTOMER", 28),
    "CUSTOMER_NAME": Index("CUSTOMER", 52),  # warehouse, district, last and first name
    "STOCK_KEY": Index("STOCK", 20),
    "ORDERS_KEY": Index("ORDERS", 28),
    "NEW_ORDERS_KEY": Index("NEW_ORDERS", 28),
    "ORDER_LINE_KEY": Index("ORDER_LINE", 28),
    "ORDERS_CUSTOMER": Index("ORDERS", 28),  # warehouse, district, customer, order
}
"""The indexes in the order of the kernels: integers of 4 bytes, a key padded to 8."""

SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")  # clause 4.3.2.3


def entries_of(page_bytes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each index, int64[indexes]: entries of a leaf as loaded, children of an inner node as loaded, most of both."""
    most = np.array([(page_bytes - PAGE_OVERHEAD_BYTES) // index.entry_bytes for index in INDEXES.values()])
    return (most * LEAF_FILL).astype(np.int64), (most * INNER_FILL).astype(np.int64), most


def levels(leaves: int, children: int) -> list[int]:
    """Nodes of each level of a tree, from its leaves to its root: ceil of the level below / children."""
    sizes = [leaves]
    while sizes[-1] > 1:
        sizes.append(-(-sizes[-1] // children))
    return sizes


def leaves_of(rows: dict[str, int], districts: int, page_bytes: int) -> list[int]:
    """Leaves of each index as loaded; those of orders begin anew with every district."""
    loaded, _, _ = entries_of(page_bytes)
    found = []
    for number, (index, per_leaf) in enumerate(zip(INDEXES.values(), loaded, strict=True)):
        parts = districts if number >= ORDERS_KEY else 1
        found.append(parts * -(-rows[index.table] // parts // int(per_leaf)))
    return found


def last_name_rank() -> np.ndarray:
    """Place of last name 0 .. 999 in the alphabet, int64[1000]."""
    names = ["".join(SYLLABLES[int(digit)] for digit in f"{number:03d}") for number in range(1000)]
    return np.argsort(np.argsort(np.array(names))).astype(np.int64)


def without() -> Trees:
    """No index."""
    none, table, nodes = np.empty(0, np.int64), np.empty((1, 4), np.int64), np.empty((0, 4), np.int32)
    return Trees(table, nodes, np.empty((0, 0, 4), np.int64), none, none, np.empty((0, 2), np.int32), none)


class Grown(NamedTuple):
    """What a run adds: orders and order lines, int64[districts], and the lines before each order, int64[orders + 1]."""

    orders: np.ndarray
    lines: np.ndarray
    line_first: np.ndarray


def loaded_trees(page_bytes: int, rows: dict[str, int], per_district: dict[str, int], grown: Grown) -> Trees:
    """The indexes of tables with so many rows, with room for what is grown.

    per_district: customers, orders and undelivered orders that each district has as loaded.
    """
    per_leaf, children, most = entries_of(page_bytes)
    districts = grown.orders.size
    orders = per_district["ORDERS"]
    line_first = grown.line_first
    before = line_first[: districts * orders + 1 : orders]
    loaded = np.empty((GROWING, districts), np.int64)
    loaded[:] = np.stack([np.full(districts, orders), np.full(districts, per_district["NEW_ORDERS"]), np.diff(before)])
    leaves = -(-loaded // per_leaf[ORDERS_KEY : ORDERS_KEY + GROWING, None])
    in_last = loaded - (leaves - 1) * per_leaf[ORDERS_KEY : ORDERS_KEY + GROWING, None]
    full = most[ORDERS_KEY : ORDERS_KEY + GROWING, None]
    added = np.stack([grown.orders, grown.orders, grown.lines])
    new_leaves = np.maximum(0, -(-(added - (full - in_last)) // full))

    sizes, room = [], []
    by_customer = -(-per_district["CUSTOMER"] // int(per_leaf[ORDERS_CUSTOMER]))
    for number, index in enumerate(INDEXES.values()):
        row = number - ORDERS_KEY
        if 0 <= row < GROWING:
            sizes.append(levels(int(leaves[row].sum()), int(children[number])))
            more = int(new_leaves[row].sum())
        elif number == ORDERS_CUSTOMER:
            sizes.append(levels(districts * by_customer, int(children[number])))
            more = int(grown.orders.sum())
        else:
            sizes.append(levels(-(-rows[index.table] // int(per_leaf[number])), int(children[number])))
            more = 0
        # a node takes at least so many children more before it splits, as loaded and in halves; 8 roots are plenty
        least = max(1, min(int(most[number] - children[number]), int(most[number]) // 2))
        room.append(sum(sizes[-1]) + more + (2 * (more // least) + 8 if more else 0))
    tree = np.zeros((len(sizes) + 1, 4), np.int64)
    tree[1:, kernels.FIRST] = np.cumsum(room)
    tree[:-1, kernels.LOADED_ENTRIES], tree[:-1, kernels.MOST_ENTRIES] = per_leaf, most
    node = np.full((int(tree[-1, kernels.FIRST]), 4), EMPTY, np.int32)
    node[:, kernels.HELD] = 0
    for number, of_tree in enumerate(sizes):
        tree[number, kernels.USED] = _build(int(tree[number, kernels.FIRST]), of_tree, int(children[number]), node)
    first = tree[:, kernels.FIRST]
    leaf = np.zeros((GROWING, districts + 1), np.int64)
    leaf[:, 1:] = np.cumsum(leaves, axis=1)
    leaf += first[ORDERS_KEY : ORDERS_KEY + GROWING, None]
    held = node[:, kernels.HELD]
    for which in range(GROWING):
        held[leaf[which, 0] : leaf[which, -1]] = per_leaf[ORDERS_KEY + which]
        held[leaf[which, 1:] - 1] = in_last[which]
    at, who = np.divmod(np.arange(districts * per_district["CUSTOMER"]), per_district["CUSTOMER"])
    leaf_of = at * by_customer + who // per_leaf[ORDERS_CUSTOMER]
    held[first[ORDERS_CUSTOMER] : first[ORDERS_CUSTOMER] + districts * by_customer] = np.bincount(leaf_of)
    district = np.zeros((GROWING, districts + 1, 4), np.int64)
    district[:, :-1, kernels.ENTRIES] = district[:, :-1, kernels.LOADED] = loaded
    district[:, :, kernels.LEAF] = leaf
    district[:, :-1, kernels.GROWN] = (np.cumsum(new_leaves) - new_leaves.ravel()).reshape(new_leaves.shape)
    run_orders = line_first.size - 1 - districts * orders
    return Trees(
        tree=tree,
        node=node,
        district=district,
        grown=np.full(int(new_leaves.sum()), EMPTY, np.int64),
        line_number=line_first[:-1] - np.append(np.repeat(before[:-1], orders), np.zeros(run_orders, np.int64)),
        customer=np.stack([first[ORDERS_CUSTOMER] + leaf_of, np.ones(leaf_of.size, np.int64)], 1).astype(np.int32),
        name_rank=last_name_rank(),
    )


def _build(start: int, sizes: list[int], children: int, node: np.ndarray) -> int:
    """Fill the nodes of one tree, level by level from its leaves at `start`. Returns the first node behind them."""
    for below, above in zip(sizes, [*sizes[1:], 0], strict=True):
        row = node[start : start + below]
        row[:-1, kernels.RIGHT] = np.arange(start + 1, start + below)
        if above:
            row[:, kernels.PARENT] = start + below + np.arange(below) // children
            made = np.arange(above)
            over = node[start + below : start + below + above]
            over[:, kernels.CHILD] = start + made * children
            over[:, kernels.HELD] = np.minimum(children, below - made * children)
        start += below
    return start

"""The B-trees of TPC-C: the way from root to leaf, and what splits as orders come in."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part

EMPTY, ONE = (
    np.int64(-1),
    np.int64(1),
)  # NumPy's: a plain number is compiled for each value apart
YES, NO = np.bool_(True), np.bool_(False)
OUT, START = 0, 1  # places in Database.scalars: references so far, page of node 0
TREES = 10
(
    WAREHOUSE_KEY,
    DISTRICT_KEY,
    ITEM_KEY,
    CUSTOMER_KEY,
    CUSTOMER_NAME,
    STOCK_KEY,
    ORDERS_KEY,
    NEW_ORDERS_KEY,
    ORDER_LINE_KEY,
    ORDERS_CUSTOMER,
) = np.arange(TREES)
GROWING = 3  # trees from ORDERS_KEY on whose entries come at the right end of their district


FIRST, USED, LOADED_ENTRIES, MOST_ENTRIES = range(4)  # columns of Trees.tree
PARENT, CHILD, RIGHT, HELD = range(4)  # columns of Trees.node
ENTRIES, LOADED, LEAF, GROWN = range(4)  # columns of Trees.district
LEAF_OF, ORDERS_OF = range(2)  # columns of Trees.customer


class Out(NamedTuple):
    """Where references go."""

    page: np.ndarray  # int64[most references]
    write: np.ndarray  # bool[most references]
    lock: np.ndarray  # int64[most references]: the row, or EMPTY
    scalars: np.ndarray  # int64, that of Database


class Trees(NamedTuple):
    """Nodes are numbered as their pages lie in the file, tree by tree: leaves in order of their keys, then inner nodes.

    Without indexes every array is empty.
    """

    tree: (
        np.ndarray
    )  # int64[trees + 1, 4]: first node, first that is not in use, entries of a loaded and of a full leaf
    node: np.ndarray  # int32[nodes, 4]: parent, leftmost child, neighbour to the right, entries or children
    district: (
        np.ndarray
    )  # int64[GROWING, districts + 1, 4]: entries now, as loaded, first leaf, place of the next in `grown`
    grown: np.ndarray  # int64: leaves that the run adds, by tree and district
    line_number: np.ndarray  # int64[orders]: of an order's first line in its district
    customer: (
        np.ndarray
    )  # int32[customers, 2]: leaf with the latest order of each, how many of its orders that leaf holds
    name_rank: np.ndarray  # int64[NAMES]: place of each last name in the alphabet


@lean_part
def emit(out, page, changed, lock):
    """One reference more."""
    at = out.scalars[OUT]
    out.page[at] = page
    out.write[at] = changed != 0
    out.lock[at] = lock
    out.scalars[OUT] = at + 1


@lean_part
def touch_node(out, node, changed):
    """Reference the page of a node; changed: it is written. Nodes have latches, no locks."""
    emit(out, out.scalars[START] + node, changed, EMPTY)


@lean_part
def descend(out, nodes, leaf, changed):
    """Reference every node from the root to a leaf; changed: the leaf is written."""
    node = np.int64(leaf)
    depth = 0
    while node != EMPTY:
        depth += 1
        node = np.int64(nodes[node, PARENT])
    start = out.scalars[OUT]
    node = np.int64(leaf)
    for step in range(depth):
        out.scalars[OUT] = start + depth - 1 - step
        touch_node(out, node, changed and step == 0)
        node = np.int64(nodes[node, PARENT])
    out.scalars[OUT] = start + depth


@lean_part
def look_up(out, trees, tree, rank):
    """The way to an entry of a tree that does not grow, by its place among all keys. Returns the leaf."""
    leaf = trees.tree[tree, FIRST] + rank // trees.tree[tree, LOADED_ENTRIES]
    descend(out, trees.node, leaf, NO)
    return leaf


@lean_part
def take_node(tree_table, tree):
    """A node that was not in use, without entries: the next page of the file."""
    node = tree_table[tree, USED]
    tree_table[tree, USED] = node + 1
    return node


@lean_part
def split(out, nodes, tree_table, tree, leaf):
    """A new leaf right of this one, known to its parent; a full parent splits in halves, a root gets one above it."""
    made = take_node(tree_table, tree)
    nodes[made, RIGHT] = nodes[leaf, RIGHT]
    nodes[leaf, RIGHT] = made
    node, new = np.int64(leaf), made
    while True:
        touch_node(out, new, YES)
        above = np.int64(nodes[node, PARENT])
        if above == EMPTY:
            above = take_node(tree_table, tree)
            nodes[above, CHILD] = node
            nodes[above, HELD] = 1
            nodes[node, PARENT] = above
        nodes[new, PARENT] = above
        nodes[above, HELD] += 1
        touch_node(out, above, YES)
        if nodes[above, HELD] <= tree_table[tree, MOST_ENTRIES]:
            return made
        beside = take_node(tree_table, tree)
        nodes[beside, RIGHT] = nodes[above, RIGHT]
        nodes[above, RIGHT] = beside
        keep = nodes[above, HELD] // 2
        child = np.int64(nodes[above, CHILD])
        for _ in range(keep):
            child = np.int64(nodes[child, RIGHT])
        nodes[beside, CHILD] = child
        nodes[beside, HELD] = nodes[above, HELD] - keep
        nodes[above, HELD] = keep
        for _ in range(nodes[beside, HELD]):
            nodes[child, PARENT] = beside
            child = np.int64(nodes[child, RIGHT])
        node, new = above, beside


@lean_part
def beyond_loaded(trees, tree, district, number):
    """How many entries come between the loaded leaves of a district, when they are full, and the one of this number."""
    row = trees.district[tree - ORDERS_KEY, district]
    last = trees.district[tree - ORDERS_KEY, district + 1, LEAF] - 1
    in_last = row[LOADED] - (last - row[LEAF]) * trees.tree[tree, LOADED_ENTRIES]
    return number - row[LOADED] - (trees.tree[tree, MOST_ENTRIES] - in_last)


@lean_part
def leaf_with(trees, tree, district, number):
    """Leaf of the entry with this number in its district, or EMPTY where it is still to be made."""
    row = trees.district[tree - ORDERS_KEY, district]
    last = trees.district[tree - ORDERS_KEY, district + 1, LEAF] - 1
    if number < row[LOADED]:
        return min(row[LEAF] + number // trees.tree[tree, LOADED_ENTRIES], last)
    beyond = beyond_loaded(trees, tree, district, number)
    if beyond < 0:
        return last
    return trees.grown[row[GROWN] + beyond // trees.tree[tree, MOST_ENTRIES]]


@lean_part
def append_entries(out, trees, tree, district, count):
    """So many entries at the right end of their district: one way down, and a leaf more where the last one is full."""
    row = trees.district[tree - ORDERS_KEY, district]
    leaf = leaf_with(trees, tree, district, row[ENTRIES] - 1)
    descend(out, trees.node, leaf, YES)
    for _ in range(count):
        if leaf_with(trees, tree, district, row[ENTRIES]) == EMPTY:
            leaf = split(out, trees.node, trees.tree, tree, leaf)
            beyond = beyond_loaded(trees, tree, district, row[ENTRIES])
            trees.grown[row[GROWN] + beyond // trees.tree[tree, MOST_ENTRIES]] = leaf
        trees.node[leaf, HELD] += 1
        row[ENTRIES] += 1


@lean_part
def scan_leaves(out, trees, tree, district, start, end, changed):
    """The way to entry `start` of a district and the leaves from there to entry `end` - 1."""
    leaf = leaf_with(trees, tree, district, start)
    last = leaf_with(trees, tree, district, end - 1)
    descend(out, trees.node, leaf, changed)
    follow(out, trees.node, leaf, last, changed)


@lean_part
def follow(out, nodes, leaf, last, changed):
    """The leaves behind `leaf` up to `last`, each one's neighbour."""
    while leaf != last:
        leaf = np.int64(nodes[leaf, RIGHT])
        touch_node(out, leaf, changed)


@lean_part
def insert_by_customer(out, trees, district_first, district_end, customer):
    """One more order of a customer, somewhere within its district's leaves; a full leaf splits between customers."""
    nodes, of = trees.node, trees.customer
    leaf = np.int64(of[customer, LEAF_OF])
    descend(out, nodes, leaf, YES)
    while nodes[leaf, HELD] >= trees.tree[ORDERS_CUSTOMER, MOST_ENTRIES]:
        low = high = customer
        while low > district_first and of[low - 1, LEAF_OF] == leaf:
            low -= 1
        while high + 1 < district_end and of[high + 1, LEAF_OF] == leaf:
            high += 1
        made = split(out, nodes, trees.tree, ORDERS_CUSTOMER, leaf)
        if low == high:  # full of one customer, whose next order begins a leaf
            of[customer, LEAF_OF] = made
            of[customer, ORDERS_OF] = 0
        else:
            half = nodes[leaf, HELD] // 2
            stays = of[low, ORDERS_OF]
            at = low + 1
            while at < high and stays + of[at, ORDERS_OF] <= half:
                stays += of[at, ORDERS_OF]
                at += 1
            moved = 0
            for other in range(at, high + 1):
                of[other, LEAF_OF] = made
                moved += of[other, ORDERS_OF]
            nodes[made, HELD] = moved
            nodes[leaf, HELD] -= moved
        leaf = np.int64(of[customer, LEAF_OF])
    nodes[leaf, HELD] += 1
    of[customer, ORDERS_OF] += 1

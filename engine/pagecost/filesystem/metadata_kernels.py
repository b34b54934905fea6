"""The nodes that lead to a page: read when they are not in memory, marked when what they say changes."""

import numpy as np

from pagecost._jit import lean_part
from pagecost.filesystem.state_kernels import (
    BLOCK,
    BLOCK_COUNT,
    CAUSE,
    CHANGED,
    DAT_ENTRIES,
    DAT_FIRST,
    DIRTY,
    DIRTY_NODE,
    FAILED,
    FROM,
    HELD,
    HELD_NODES,
    KIND,
    LEAF,
    LOG_STRUCTURED,
    METADATA,
    NO_ROOM_IN_PLAN,
    NODE_LIMIT,
    ONE,
    OP,
    PAGE_BLOCKS,
    PAGES,
    PARENT,
    PLACE,
    READ,
    ROWS,
    SCRATCH,
    STREAM,
    STREAMS,
    TREE_NODES,
    WRITE,
)
from pagecost.lists_kernels import oldest, push, renew, ring, unlink

TRANSLATION, TREE = np.array([0, 32])  # places in the scratch space: a way through the translation, one in a tree


@lean_part
def begin(plan):
    """A verb begins: its requests are not put together with those of the verb before."""
    plan.count[FROM] = plan.count[ROWS]


@lean_part
def add(fs, plan, op, block, blocks, cause, stream):
    """Append a request, or lengthen the last one of this verb where it goes on there."""
    if op == READ:
        fs.blocks[READ, cause] += blocks
    row, request = plan.count[ROWS], plan.request
    if row > plan.count[FROM]:
        last = row - 1
        follows = request[last, BLOCK] + request[last, BLOCK_COUNT] == block
        same = request[last, OP] == op and request[last, CAUSE] == cause and request[last, STREAM] == stream
        if follows and same:
            request[last, BLOCK_COUNT] += blocks
            return
    if row == request.shape[0]:
        fs.at[FAILED] = NO_ROOM_IN_PLAN
        return
    request[row, OP], request[row, BLOCK], request[row, BLOCK_COUNT] = op, block, blocks
    request[row, CAUSE], request[row, STREAM] = cause, stream
    plan.count[ROWS] = row + 1


@lean_part
def sort(keys, values, count):
    """The first `count` of `values` in the order of keys[value], equal ones in the order of values (Shell's sort)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for at in range(gap, count):
            value = values[at]
            key, to = keys[value], at
            while to >= gap:
                other = values[to - gap]
                if keys[other] < key or (keys[other] == key and other <= value):
                    break
                values[to] = other
                to -= gap
            values[to] = value
        gap //= 3


@lean_part
def last_stream(fs):
    """Where metadata go."""
    return fs.setting[STREAMS] - 1


@lean_part
def hold(fs, node):
    """A node comes into memory, or is the newest there; the one that has gone unused longest leaves."""
    closing = ring(fs.links, 1, 0)
    if fs.node[HELD, node] > 0:
        renew(fs.links, closing, np.uint32(node))
        return
    fs.node[HELD, node] = 1
    push(fs.links, closing, np.uint32(node))
    fs.at[HELD_NODES] += 1
    while fs.at[HELD_NODES] > fs.setting[NODE_LIMIT]:
        leaving = np.int64(oldest(fs.links, closing))
        looked = 0
        while fs.node[CHANGED, leaving] > 0 and looked < fs.at[HELD_NODES]:  # changed ones stay until they are written
            renew(fs.links, closing, np.uint32(leaving))
            leaving = np.int64(oldest(fs.links, closing))
            looked += 1
        if fs.node[CHANGED, leaving] > 0 or leaving == node:
            return
        unlink(fs.links, np.uint32(leaving))
        fs.node[HELD, leaving] = 0
        fs.at[HELD_NODES] -= 1


@lean_part
def dat_node(fs, entry):
    """The block of the disk address translation that holds an entry: of a block of a page, or of a node behind them."""
    return fs.setting[DAT_FIRST] + entry // fs.setting[DAT_ENTRIES]


@lean_part
def chain(fs, node, first):
    """Note the nodes from `node` up to the root from place `first` of the scratch space on; where they end."""
    while node >= 0:
        fs.at[SCRATCH + first] = node
        first += 1
        node = fs.node[PARENT, node]
    return first


@lean_part
def absent(fs, node):
    """Whether a node has to be read: it lies on the device and is not in memory."""
    return fs.node[HELD, node] == 0 and fs.node[CHANGED, node] == 0 and fs.node[PLACE, node] >= 0


@lean_part
def walk(fs, plan, node):
    """Read the nodes from the root down to `node` that are not in memory."""
    depth = chain(fs, node, TRANSLATION)
    while depth > 0:
        depth -= 1
        each = fs.at[SCRATCH + depth]
        if absent(fs, each):
            add(fs, plan, READ, fs.node[PLACE, each], ONE, METADATA, last_stream(fs))
        hold(fs, each)


@lean_part
def walk_tree(fs, plan, node):
    """`walk` in a tree whose nodes are found through the disk address translation."""
    depth = chain(fs, node, TREE)
    while depth > TREE:
        depth -= 1
        each = fs.at[SCRATCH + depth]
        if absent(fs, each):
            walk(fs, plan, dat_node(fs, fs.setting[PAGES] * fs.setting[PAGE_BLOCKS] + each))
            add(fs, plan, READ, fs.node[PLACE, each], ONE, METADATA, last_stream(fs))
        hold(fs, each)


@lean_part
def find(fs, plan, page):
    """Read what leads to a page, as far as it is not in memory."""
    if fs.setting[KIND] == LOG_STRUCTURED:
        walk_tree(fs, plan, fs.page[LEAF, page])
        walk(fs, plan, dat_node(fs, page * fs.setting[PAGE_BLOCKS]))
    else:
        walk(fs, plan, fs.page[LEAF, page])


@lean_part
def mark(fs, node):
    """A node has changed and all above it will, since it moves when it is written."""
    while node >= 0:
        if fs.node[CHANGED, node] == 0:
            fs.node[CHANGED, node] = 1
            fs.node[DIRTY_NODE, fs.at[DIRTY]] = node
            fs.at[DIRTY] += 1
        node = fs.node[PARENT, node]


@lean_part
def mark_one(fs, node):
    """A node has changed that stays in its place."""
    if fs.node[CHANGED, node] == 0:
        fs.node[CHANGED, node] = 1
        fs.node[DIRTY_NODE, fs.at[DIRTY]] = node
        fs.at[DIRTY] += 1


@lean_part
def mark_translation(fs, page):
    """The entries of a page's blocks in the disk address translation have changed."""
    first = page * fs.setting[PAGE_BLOCKS]
    for entry in range(first, first + fs.setting[PAGE_BLOCKS]):
        mark(fs, dat_node(fs, entry))


@lean_part
def mark_tree_translation(fs):
    """Every changed node of a tree will move: its entry in the disk address translation changes with it."""
    if fs.setting[KIND] != LOG_STRUCTURED:
        return
    entry = fs.setting[PAGES] * fs.setting[PAGE_BLOCKS]
    before = fs.at[DIRTY]
    for at in range(before):
        node = fs.node[DIRTY_NODE, at]
        if node < fs.setting[TREE_NODES]:
            mark(fs, dat_node(fs, entry + node))


@lean_part
def root_of(fs, node):
    """The node at the top: of an in-place system, the block of the inode."""
    while fs.node[PARENT, node] >= 0:
        node = fs.node[PARENT, node]
    return node


@lean_part
def write_nodes_in_place(fs, plan):
    """All changed nodes go to their places, in the order of these."""
    count = fs.at[DIRTY]
    sort(fs.node[PLACE], fs.node[DIRTY_NODE], count)
    for at in range(count):
        node = fs.node[DIRTY_NODE, at]
        fs.node[CHANGED, node] = 0
        fs.blocks[WRITE, METADATA] += 1
        add(fs, plan, WRITE, fs.node[PLACE, node], ONE, METADATA, last_stream(fs))
    fs.at[DIRTY] = 0

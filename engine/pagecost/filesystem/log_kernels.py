"""The log: segments, partial segments, and what lives in them."""

import numpy as np

from pagecost._jit import lean_part
from pagecost.filesystem.metadata_kernels import add, hold, last_stream, mark, mark_translation, mark_tree_translation
from pagecost.filesystem.state_kernels import (
    ADDRESS,
    BLOCK_BYTES,
    BORN,
    CHANGED,
    CHANGED_PAGE,
    CHANGED_PAGES,
    CHECKPOINT,
    CHECKPOINT_BLOCKS,
    CHECKPOINT_DUE,
    CHECKPOINTED,
    CLEAN,
    CLEANING_WRITE,
    CONTENT,
    CONTINUED,
    CURSOR,
    DATA,
    DELETED_AT,
    DIRTY,
    DIRTY_NODE,
    ENTRY_BYTES,
    FAILED,
    GONE,
    HEAD,
    KIND,
    LEAF,
    LISTED,
    LIVE,
    LOG,
    LOG_START,
    LOG_STRUCTURED,
    METADATA,
    NEW_DATA,
    NO_SPACE,
    NODES,
    NOTHING,
    NOW,
    OLD_VERSION,
    PAGE_BLOCKS,
    PAGES,
    PENDING,
    PENDING_PAGE,
    PLACE,
    SEALED_BEFORE,
    SEALS,
    SEGMENT_BLOCKS,
    SEGMENT_CLEAN,
    SEGMENT_OPEN,
    SEGMENT_USED,
    SEGMENTS,
    SERIAL,
    STATE,
    SUMMARY,
    SUMMARY_BLOCK,
    SUMMARY_BYTES,
    SYNCS,
    USED,
    WAITS,
    WRITE,
    WRITTEN,
    YOUNGEST,
)


@lean_part
def segment_of(fs, block):
    """The segment in which a block of the volume lies."""
    return (block - fs.setting[LOG_START]) // fs.setting[SEGMENT_BLOCKS]


@lean_part
def summary_blocks(fs, blocks):
    """Blocks of the summary that says what `blocks` blocks of a partial segment are."""
    if fs.setting[SUMMARY_BYTES] == 0:
        return np.int64(0)
    size = fs.setting[BLOCK_BYTES]
    return (fs.setting[SUMMARY_BYTES] + fs.setting[ENTRY_BYTES] * blocks + size - 1) // size


@lean_part
def kill(fs, block, blocks):
    """What these blocks held lives elsewhere or no longer."""
    fs.segment[LIVE, segment_of(fs, block)] -= blocks
    if fs.died_s.size > 0:
        for dead in range(block, block + blocks):
            fs.died_s[dead] = fs.clock[NOW]


@lean_part
def hand_on(fs, block):
    """What a block that is taken again says of a deletion or a checkpoint stays known: older versions may be left."""
    code, said = fs.block[CONTENT, block], fs.block[DELETED_AT, block]
    if 0 <= code < fs.setting[PAGES]:
        fs.page[GONE, code] = max(fs.page[GONE, code], said)
    else:
        fs.at[SEALED_BEFORE] = max(fs.at[SEALED_BEFORE], said)


@lean_part
def open_segment(fs, stream):
    """The next clean segment behind the last one that was taken becomes the head of a stream. False: there is none."""
    if fs.at[CLEAN] == 0:
        return False
    segment = fs.at[CURSOR]
    while fs.segment[STATE, segment] != SEGMENT_CLEAN:
        segment = 0 if segment + 1 == fs.setting[SEGMENTS] else segment + 1
    before = fs.at[HEAD + stream]
    if before >= 0:
        fs.segment[STATE, before] = SEGMENT_USED
    fs.at[HEAD + stream] = segment
    fs.at[CURSOR] = 0 if segment + 1 == fs.setting[SEGMENTS] else segment + 1
    fs.at[CLEAN] -= 1
    fs.segment[STATE, segment] = SEGMENT_OPEN
    fs.segment[USED, segment] = fs.segment[LIVE, segment] = fs.segment[YOUNGEST, segment] = 0
    first = fs.setting[LOG_START] + segment * fs.setting[SEGMENT_BLOCKS]
    for block in range(first, first + fs.setting[SEGMENT_BLOCKS]):
        hand_on(fs, block)
        fs.block[CONTENT, block] = NOTHING
        fs.block[SERIAL, block] = fs.block[DELETED_AT, block] = 0
    return True


@lean_part
def settle(fs, code, block):
    """What a code stands for now lives in the block (and those behind it), and no longer where it was. Its blocks."""
    pages = fs.setting[PAGES]
    segment = segment_of(fs, block)
    if code < 0:
        fs.block[CONTENT, block] = OLD_VERSION
        fs.died_s[block] = fs.died_s[-1 - code]
        return np.int64(1)
    if code < pages:
        size, old = fs.setting[PAGE_BLOCKS], fs.page[ADDRESS, code]
        fs.page[ADDRESS, code] = block
        if fs.page[BORN, code] > fs.segment[YOUNGEST, segment]:
            fs.segment[YOUNGEST, segment] = fs.page[BORN, code]
    elif code < pages + fs.setting[NODES]:
        size, old = np.int64(1), fs.node[PLACE, code - pages]
        fs.node[PLACE, code - pages] = block
        if fs.at[WRITTEN] > fs.segment[YOUNGEST, segment]:
            fs.segment[YOUNGEST, segment] = fs.at[WRITTEN]
    else:  # a block of the checkpoint, superseded by the next one
        fs.block[CONTENT, block] = NOTHING
        return np.int64(1)
    if old >= 0:
        kill(fs, old, size)
    fs.segment[LIVE, segment] += size
    fs.block[CONTENT, block] = code
    for behind in range(block + 1, block + size):
        fs.block[CONTENT, behind] = CONTINUED
    return size


@lean_part
def emit(fs, plan, stream, count, cause):
    """The first `count` codes of the queue go into the log, as few partial segments as the segments allow."""
    pages, page_blocks = fs.setting[PAGES], fs.setting[PAGE_BLOCKS]
    metadata = pages + fs.setting[NODES]
    done = 0
    while done < count:
        segment = fs.at[HEAD + stream]
        room = fs.setting[SEGMENT_BLOCKS] - fs.segment[USED, segment] if segment >= 0 else np.int64(0)
        blocks, to = np.int64(0), done
        while to < count:
            size = page_blocks if 0 <= fs.queue[to] < pages else np.int64(1)
            if summary_blocks(fs, blocks + size) + blocks + size > room:
                break
            blocks += size
            to += 1
        if to == done:
            if not open_segment(fs, stream):
                fs.at[FAILED] = NO_SPACE
                return
            continue
        summary = summary_blocks(fs, blocks)
        first = fs.setting[LOG_START] + segment * fs.setting[SEGMENT_BLOCKS] + fs.segment[USED, segment]
        fs.at[WRITTEN] += summary + blocks
        for block in range(first, first + summary + blocks):
            fs.block[CONTENT, block] = SUMMARY_BLOCK
            fs.block[SERIAL, block] = fs.at[WRITTEN]
        fs.blocks[WRITE, SUMMARY] += summary
        place = first + summary
        for at in range(done, to):
            code = fs.queue[at]
            size = settle(fs, code, place)
            if cause == CLEANING_WRITE and code < metadata:
                fs.blocks[WRITE, CLEANING_WRITE] += size
            elif code < pages:
                fs.blocks[WRITE, DATA] += size
            elif code < metadata:
                fs.blocks[WRITE, METADATA] += 1
            else:
                fs.blocks[WRITE, CHECKPOINT] += 1
            place += size
        fs.segment[USED, segment] += summary + blocks
        fs.closed_s[segment] = fs.clock[NOW]
        add(fs, plan, WRITE, first, summary + blocks, cause, stream)
        done = to


@lean_part
def queue_nodes(fs, count):
    """All changed nodes and the blocks of a checkpoint behind `count` codes of the queue. Their number.

    What is in the queue already counts as changed and is not put there twice.
    """
    pages = fs.setting[PAGES]
    mark_tree_translation(fs)
    changed = fs.at[DIRTY]
    for at in range(changed):
        node = fs.node[DIRTY_NODE, at]
        fs.node[CHANGED, node] = 0
        fs.queue[count] = pages + node
        count += 1
    for at in range(changed):  # now that all of them are written, any may leave
        hold(fs, fs.node[DIRTY_NODE, at])
    fs.at[DIRTY] = 0
    for block in range(fs.setting[CHECKPOINT_BLOCKS]):
        fs.queue[count] = pages + fs.setting[NODES] + block
        count += 1
    return count


@lean_part
def mark_page(fs, page):
    """A page has moved or gone: what leads to it changes, in the tree and in the disk address translation."""
    mark(fs, fs.page[LEAF, page])
    if fs.setting[KIND] == LOG_STRUCTURED:
        mark_translation(fs, page)


@lean_part
def flush(fs, plan, checkpoint):
    """What is pending goes into the log; with all changed nodes where it is a checkpoint."""
    count = np.int64(0)
    for at in range(fs.at[PENDING]):
        page = fs.page[PENDING_PAGE, at]
        if fs.page[WAITS, page] > 0:  # a page that was deleted meanwhile is in the list and not pending
            fs.page[WAITS, page] = 0
            fs.queue[count] = page
            count += 1
            mark_page(fs, page)
    fs.at[PENDING] = 0
    if not checkpoint:
        emit(fs, plan, NEW_DATA, count, LOG)
        return
    if last_stream(fs) > 0 and count > 0:
        emit(fs, plan, NEW_DATA, count, LOG)
        count = np.int64(0)
    count = queue_nodes(fs, count)
    emit(fs, plan, last_stream(fs), count, LOG)
    finish_checkpoint(fs)


@lean_part
def finish_checkpoint(fs):
    """From here on a crash loses nothing that was handed over before, and no deleted page comes back."""
    for at in range(fs.at[CHANGED_PAGES]):
        fs.page[LISTED, fs.page[CHANGED_PAGE, at]] = 0
    fs.at[CHANGED_PAGES] = 0
    segment = fs.at[HEAD + last_stream(fs)]
    if segment >= 0 and fs.at[WRITTEN] > fs.at[CHECKPOINTED]:  # it ends with a node or a block of its own
        last = fs.setting[LOG_START] + segment * fs.setting[SEGMENT_BLOCKS] + fs.segment[USED, segment] - 1
        fs.block[SEALS, last] = fs.at[WRITTEN]
    fs.at[CHECKPOINTED] = fs.at[WRITTEN]
    fs.at[CHECKPOINT_DUE] = 0
    fs.at[SYNCS] = 0

"""The cleaner of a log: which segments, what still lives there, and where that goes."""

import numpy as np

from pagecost._jit import lean_part
from pagecost.filesystem.log_kernels import emit, finish_checkpoint, queue_nodes
from pagecost.filesystem.metadata_kernels import add, dat_node, last_stream, mark, mark_translation, sort
from pagecost.filesystem.state_kernels import (
    ADDRESS,
    BORN,
    BY_AGE,
    CHANGED,
    CHECKPOINT_DUE,
    CLEAN,
    CLEANED,
    CLEANED_LIVE,
    CLEANING,
    CLEANING_READ,
    CLEANING_WRITE,
    CONTENT,
    CONTINUED,
    COPIED_PAGES,
    COST_BENEFIT,
    FAILED,
    GREEDY,
    KIND,
    LEAF,
    LIVE,
    LOG_START,
    LOG_STRUCTURED,
    MAX_CLEAN,
    MIN_CLEAN,
    NEW_DATA,
    NOW,
    PAGE_BLOCKS,
    PAGES,
    PLACE,
    PROTECTION,
    READ,
    RESERVE,
    RESETS,
    ROUNDS,
    SEGMENT_BLOCKS,
    SEGMENT_CLEAN,
    SEGMENT_LEAVING,
    SEGMENT_USED,
    SEGMENTS,
    SEGMENTS_PER_CLEAN,
    SELECTION,
    SERIAL,
    STATE,
    TREE_NODES,
    TRIM,
    TRIMMED,
    TRIMS,
    USED,
    VICTIM,
    WHOLE,
    WRITTEN,
    YOUNGEST,
)

NOBODY = np.int64(-(1 << 62))


@lean_part
def wanted(fs):
    """Whether a round is due by the thresholds: from fewer clean segments than the lower one up to the upper one."""
    clean = fs.at[CLEAN]
    if fs.setting[MIN_CLEAN] == 0:
        return True
    if clean < fs.setting[MIN_CLEAN]:
        fs.at[CLEANING] = 1
    elif clean >= fs.setting[MAX_CLEAN]:
        fs.at[CLEANING] = 0
    return fs.at[CLEANING] > 0 or clean <= fs.setting[RESERVE]


@lean_part
def next_victim(fs):
    """The best segment to clean, or -1 where all that may be cleaned are full of live blocks or protected."""
    best, best_key = np.int64(-1), 0.0
    whole = fs.setting[SEGMENT_BLOCKS]
    for segment in range(fs.setting[SEGMENTS]):
        if fs.segment[STATE, segment] != SEGMENT_USED or fs.segment[LIVE, segment] >= whole:
            continue
        if fs.clock[PROTECTION] > 0.0 and fs.closed_s[segment] > fs.clock[NOW] - fs.clock[PROTECTION]:
            continue
        if fs.setting[SELECTION] == GREEDY:
            key = np.float64(fs.segment[LIVE, segment])
        elif fs.setting[SELECTION] == COST_BENEFIT:
            share = fs.segment[LIVE, segment] / whole
            key = -(1.0 - share) * (fs.at[WRITTEN] - fs.segment[YOUNGEST, segment]) / (1.0 + share)
        else:
            key = np.float64(fs.block[SERIAL, fs.setting[LOG_START] + segment * whole])
        if best < 0 or key < best_key:
            best, best_key = np.int64(segment), key
    return best


@lean_part
def lives(fs, block):
    """The code that lives in a block, NOBODY where none does."""
    code, pages = np.int64(fs.block[CONTENT, block]), fs.setting[PAGES]
    if 0 <= code < pages and fs.page[ADDRESS, code] == block:
        return code
    if pages <= code and fs.node[PLACE, code - pages] == block:
        return code
    return NOBODY


@lean_part
def protected(fs, block):
    """Whether a block holds an old version that died so lately that somebody may still want its checkpoint."""
    if fs.died_s.size == 0 or fs.clock[PROTECTION] <= 0.0:
        return False
    code = fs.block[CONTENT, block]
    return (code >= 0 or code <= CONTINUED) and fs.died_s[block] > fs.clock[NOW] - fs.clock[PROTECTION]


@lean_part
def gather(fs, plan, victim, count):
    """Read what lives in a victim; its pages, and old versions, behind `count` codes of the queue. Their new number."""
    pages, blocks = fs.setting[PAGES], fs.setting[SEGMENT_BLOCKS]
    first = fs.setting[LOG_START] + victim * blocks
    whole = fs.setting[WHOLE] > 0
    if whole and fs.segment[LIVE, victim] > 0:
        add(fs, plan, READ, first, blocks, CLEANING_READ, NEW_DATA)
    block, end = first, first + fs.segment[USED, victim]
    while block < end:
        code, size = lives(fs, block), np.int64(1)
        if code == NOBODY and protected(fs, block):
            code = -1 - block
        if code != NOBODY:
            if 0 <= code < pages:
                size = fs.setting[PAGE_BLOCKS]
                fs.at[COPIED_PAGES] += 1
            if not whole:
                add(fs, plan, READ, block, size, CLEANING_READ, NEW_DATA)
            if code < pages:
                fs.queue[count] = code
                count += 1
        block += size
    return count


@lean_part
def old_versions_first(queue, count):
    """Put the old versions, whose age nobody keeps, before the pages among the first `count` codes. Their number."""
    old = np.int64(0)
    for at in range(count):
        if queue[at] < 0:
            queue[at], queue[old] = queue[old], queue[at]
            old += 1
    return old


@lean_part
def gather_nodes(fs, victim, count, checkpoint):
    """The nodes that live in a victim, behind `count` codes, or marked so that they are written with those changed."""
    pages = fs.setting[PAGES]
    first = fs.setting[LOG_START] + victim * fs.setting[SEGMENT_BLOCKS]
    entries = pages * fs.setting[PAGE_BLOCKS]
    log = fs.setting[KIND] == LOG_STRUCTURED
    for block in range(first, first + fs.segment[USED, victim]):
        code = lives(fs, block)
        if code < pages:
            continue
        node = code - pages
        if log and node >= fs.setting[TREE_NODES]:
            mark(fs, node)
        elif not checkpoint or fs.node[CHANGED, node] == 0:
            fs.queue[count] = code
            count += 1
            if log:  # its entry moves, its parent keeps pointing to this
                mark(fs, dat_node(fs, entries + node))
    return count


@lean_part
def clean_round(fs, plan):
    """Clean up to SEGMENTS_PER_CLEAN segments at once. How many were cleaned."""
    chosen, live = np.int64(0), np.int64(0)
    while chosen < fs.setting[SEGMENTS_PER_CLEAN]:
        victim = next_victim(fs)
        if victim < 0:
            break
        fs.segment[STATE, victim] = SEGMENT_LEAVING
        fs.segment[VICTIM, chosen] = victim
        live += fs.segment[LIVE, victim]
        chosen += 1
    if chosen == 0:
        return chosen
    fs.at[ROUNDS] += 1
    fs.at[CLEANED] += chosen
    fs.at[CLEANED_LIVE] += live
    count = np.int64(0)
    for at in range(chosen):
        count = gather(fs, plan, fs.segment[VICTIM, at], count)
    if fs.setting[BY_AGE] > 0:
        old = old_versions_first(fs.queue, count)
        sort(fs.page[BORN], fs.queue[old:], count - old)
    log = fs.setting[KIND] == LOG_STRUCTURED
    for at in range(count):
        page = fs.queue[at]  # below 0 an old version, whose entry nobody follows
        if log and page >= 0:
            mark_translation(fs, page)  # its entry moves, the trees keep pointing to that
        elif page >= 0:
            mark(fs, fs.page[LEAF, page])
    cold, metadata = min(np.int64(1), last_stream(fs)), last_stream(fs)
    if cold < metadata and count > 0:
        emit(fs, plan, cold, count, CLEANING_WRITE)
        count = np.int64(0)
    checkpoint = log or fs.at[CHECKPOINT_DUE] > 0  # a page that was deleted must not come back in an older version
    for at in range(chosen):
        count = gather_nodes(fs, fs.segment[VICTIM, at], count, checkpoint)
    if checkpoint:
        count = queue_nodes(fs, count)
    emit(fs, plan, metadata, count, CLEANING_WRITE)
    if fs.at[FAILED] > 0:
        return np.int64(0)
    if checkpoint:
        finish_checkpoint(fs)
    for at in range(chosen):
        victim = fs.segment[VICTIM, at]
        fs.segment[STATE, victim] = SEGMENT_CLEAN
        fs.segment[RESETS, victim] += 1
        fs.at[CLEAN] += 1
        if fs.setting[TRIMS] > 0:
            first = fs.setting[LOG_START] + victim * fs.setting[SEGMENT_BLOCKS]
            add(fs, plan, TRIM, first, fs.setting[SEGMENT_BLOCKS], CLEANING_WRITE, NEW_DATA)
            fs.at[TRIMMED] += fs.setting[SEGMENT_BLOCKS]
    return chosen

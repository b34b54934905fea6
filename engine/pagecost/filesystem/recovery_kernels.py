"""What is there after a crash: whoever mounts the volume finds the last checkpoint and rolls forward."""

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.filesystem.log_kernels import mark_page, segment_of
from pagecost.filesystem.state_kernels import (
    ADDRESS,
    CHANGED,
    CHANGED_PAGES,
    CHECKPOINT_DUE,
    CHECKPOINTED,
    CLEAN,
    CLEANING,
    CONTENT,
    DELETED_AT,
    DIRTY,
    EXISTS,
    FAILED,
    GONE,
    HEAD,
    HELD,
    HELD_NODES,
    HOME,
    IN_PLACE,
    KIND,
    LISTED,
    LIVE,
    LOG_START,
    NODES,
    NOTHING,
    PAGE_BLOCKS,
    PAGES,
    PENDING,
    PLACE,
    SEALED_BEFORE,
    SEALS,
    SEGMENT_BLOCKS,
    SEGMENT_CLEAN,
    SEGMENT_USED,
    SEGMENTS,
    SERIAL,
    STATE,
    STREAMS,
    SYNCS,
    USED,
    WAITS,
    WRITTEN,
)


@lean_part
def forget_memory(fs):
    """Memory is lost: what waited, what had changed, and the nodes."""
    fs.page[WAITS, :] = 0
    fs.page[LISTED, :] = 0
    fs.node[CHANGED, :] = 0
    fs.node[HELD, :] = 0
    closing = fs.node.shape[1]
    fs.links[closing, 0] = fs.links[closing, 1] = closing
    for place in (PENDING, DIRTY, CHANGED_PAGES, HELD_NODES, SYNCS, FAILED, CLEANING, CHECKPOINT_DUE):
        fs.at[place] = 0


@lean_kernel
def recover(fs, lost):
    """Mount after a crash in which the last `lost` blocks that the volume wrote did not reach the device.

    In a log a partial segment of which blocks are missing is left out (its summary holds a sum of them). The state of
    the last checkpoint is the newest version of each page and node up to it; rolling forward adds the newer ones of
    complete partial segments. A page is gone whose newest version, or a newer one whose segment was taken again, was
    deleted before the last complete checkpoint. No segment may have been taken again within what is lost. In place,
    the pages are there which the metadata name; whoever was torn from a write there gets what fsck guesses: `lost` must
    be 0.
    """
    if fs.setting[KIND] == IN_PLACE:
        for page in range(fs.setting[PAGES]):
            fs.page[ADDRESS, page] = fs.page[HOME, page] if fs.page[EXISTS, page] > 0 else -1
        forget_memory(fs)
        return
    pages, page_blocks, start = fs.setting[PAGES], fs.setting[PAGE_BLOCKS], fs.setting[LOG_START]
    complete = fs.at[WRITTEN] - lost
    end = start + fs.setting[SEGMENTS] * fs.setting[SEGMENT_BLOCKS]
    forget_memory(fs)
    fs.page[ADDRESS, :] = -1
    fs.node[PLACE, :] = -1
    fs.at[CHECKPOINTED] = fs.at[SEALED_BEFORE]
    for block in range(start, end):
        if fs.block[SERIAL, block] > complete:
            fs.block[SERIAL, block] = fs.block[DELETED_AT, block] = 0
            fs.block[CONTENT, block] = NOTHING
        elif not 0 <= fs.block[CONTENT, block] < pages:
            fs.at[CHECKPOINTED] = max(fs.at[CHECKPOINTED], fs.block[SEALS, block])
        code = np.int64(fs.block[CONTENT, block])
        if code < 0 or fs.block[SERIAL, block] == 0:
            continue
        if code < pages:
            if fs.page[ADDRESS, code] < 0 or fs.block[SERIAL, fs.page[ADDRESS, code]] < fs.block[SERIAL, block]:
                fs.page[ADDRESS, code] = block
        elif (
            fs.node[PLACE, code - pages] < 0 or fs.block[SERIAL, fs.node[PLACE, code - pages]] < fs.block[SERIAL, block]
        ):
            fs.node[PLACE, code - pages] = block
    fs.segment[LIVE, :] = 0
    fs.segment[USED, :] = 0
    for page in range(pages):
        block = fs.page[ADDRESS, page]
        if block < 0:
            continue
        deleted = fs.block[DELETED_AT, block]
        if 0 < deleted <= fs.at[CHECKPOINTED] or fs.block[SERIAL, block] < fs.page[GONE, page]:
            fs.page[ADDRESS, page] = -1
        else:
            fs.block[DELETED_AT, block] = 0  # no checkpoint holds the deletion
            fs.segment[LIVE, segment_of(fs, block)] += page_blocks
    for node in range(fs.setting[NODES]):
        if fs.node[PLACE, node] >= 0:
            fs.segment[LIVE, segment_of(fs, fs.node[PLACE, node])] += 1
    fs.at[WRITTEN] = complete
    fs.at[CLEAN] = 0
    for segment in range(fs.setting[SEGMENTS]):
        fs.segment[STATE, segment] = SEGMENT_USED if fs.segment[LIVE, segment] > 0 else SEGMENT_CLEAN
        fs.at[CLEAN] += fs.segment[LIVE, segment] == 0
        if fs.segment[LIVE, segment] > 0:
            fs.segment[USED, segment] = fs.setting[SEGMENT_BLOCKS]
    for stream in range(fs.setting[STREAMS]):
        fs.at[HEAD + stream] = -1
    for page in range(pages):
        if fs.page[ADDRESS, page] >= 0 and fs.block[SERIAL, fs.page[ADDRESS, page]] > fs.at[CHECKPOINTED]:
            mark_page(fs, np.int64(page))
            fs.at[CHECKPOINT_DUE] = 1

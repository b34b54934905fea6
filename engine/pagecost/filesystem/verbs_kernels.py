"""What a database, the operating system and the cleaner do to a volume. Every verb appends its requests to a plan."""

import numpy as np

from pagecost._jit import lean_part
from pagecost.filesystem.cleaning_kernels import clean_round, wanted
from pagecost.filesystem.log_kernels import flush, kill, mark_page
from pagecost.filesystem.metadata_kernels import (
    add,
    begin,
    find,
    mark_one,
    root_of,
    write_nodes_in_place,
)
from pagecost.filesystem.state_kernels import (
    ABSORBED,
    ADDRESS,
    BITMAP_FIRST,
    BORN,
    CHANGED_PAGE,
    CHANGED_PAGES,
    CHECKPOINT_DUE,
    CLEAN,
    DATA,
    DELETED,
    DELETED_AT,
    EXISTS,
    FAILED,
    GROUP_BLOCKS,
    HOME,
    IN_PLACE,
    KIND,
    LEAF,
    LISTED,
    NEW_DATA,
    NOW,
    PAGE_BLOCKS,
    PENDING,
    PENDING_PAGE,
    READ,
    RESERVE,
    SEGMENT_BLOCKS,
    SYNCS,
    SYNCS_PER_CHECKPOINT,
    TIMES_SYNCED,
    TRIM,
    TRIMMED,
    TRIMS,
    WAITS,
    WRITE,
    WRITTEN,
)


@lean_part
def read(fs, page, plan):
    """Read a page: nodes that are not in memory, from the root down, then its blocks.

    A page that waits for the log is in memory, and of one that was never written nothing can be read.
    """
    begin(plan)
    if fs.page[WAITS, page] > 0 or fs.page[ADDRESS, page] < 0:
        fs.at[ABSORBED] += fs.setting[PAGE_BLOCKS]
        return
    find(fs, plan, page)
    add(fs, plan, READ, fs.page[ADDRESS, page], fs.setting[PAGE_BLOCKS], DATA, NEW_DATA)


@lean_part
def write(fs, page, plan):
    """Hand a changed page over. In place it is written at once; else with the next `sync`, or a segment's worth."""
    begin(plan)
    page_blocks = fs.setting[PAGE_BLOCKS]
    if fs.page[WAITS, page] > 0:
        fs.at[ABSORBED] += page_blocks
        fs.page[BORN, page] = fs.at[WRITTEN]
        return
    find(fs, plan, page)
    fs.page[BORN, page] = fs.at[WRITTEN]
    if fs.setting[KIND] == IN_PLACE:
        leaf = fs.page[LEAF, page]
        if fs.page[ADDRESS, page] < 0:
            fs.page[ADDRESS, page] = fs.page[HOME, page]
            note_change(fs, page)
            mark_one(fs, leaf)
            mark_one(fs, fs.setting[BITMAP_FIRST] + fs.page[HOME, page] // fs.setting[GROUP_BLOCKS])
        if fs.setting[TIMES_SYNCED] > 0:
            mark_one(fs, root_of(fs, leaf))
        fs.at[WRITTEN] += page_blocks
        fs.blocks[WRITE, DATA] += page_blocks
        add(fs, plan, WRITE, fs.page[ADDRESS, page], page_blocks, DATA, NEW_DATA)
        return
    fs.page[WAITS, page] = 1
    fs.page[PENDING_PAGE, fs.at[PENDING]] = page
    fs.at[PENDING] += 1
    if fs.at[PENDING] * page_blocks >= fs.setting[SEGMENT_BLOCKS] or fs.at[PENDING] == fs.page.shape[1]:
        flush(fs, plan, fs.at[PENDING] == 0)  # no checkpoint


@lean_part
def sync(fs, plan):
    """Make what was handed over last through a crash (fsync).

    In place: the inode, and of pages that came or went the bitmap and the indirect block. In a log: a partial segment;
    every SYNCS_PER_CHECKPOINT-th time, and after a deletion, with all nodes that changed and a checkpoint. Without one,
    the summary says whose blocks these are, and who mounts the volume rolls forward.
    """
    begin(plan)
    if fs.setting[KIND] == IN_PLACE:
        write_nodes_in_place(fs, plan)
        settle_in_place(fs, plan)
        return
    fs.at[SYNCS] += 1
    flush(fs, plan, fs.at[SYNCS] >= fs.setting[SYNCS_PER_CHECKPOINT] or fs.at[CHECKPOINT_DUE] > 0)


@lean_part
def settle_in_place(fs, plan):
    """The metadata on the device now say which pages exist; what was given back can be trimmed."""
    for at in range(fs.at[CHANGED_PAGES]):
        page = fs.page[CHANGED_PAGE, at]
        fs.page[LISTED, page] = 0
        if fs.setting[TRIMS] > 0 and fs.page[ADDRESS, page] < 0 and fs.page[EXISTS, page] > 0:
            add(fs, plan, TRIM, fs.page[HOME, page], fs.setting[PAGE_BLOCKS], DELETED, NEW_DATA)
            fs.at[TRIMMED] += fs.setting[PAGE_BLOCKS]
        fs.page[EXISTS, page] = fs.page[ADDRESS, page] >= 0
    fs.at[CHANGED_PAGES] = 0


@lean_part
def note_change(fs, page):
    """A page came or went; metadata on the device do not say so yet."""
    if fs.page[LISTED, page] == 0:
        fs.page[LISTED, page] = 1
        fs.page[CHANGED_PAGE, fs.at[CHANGED_PAGES]] = page
        fs.at[CHANGED_PAGES] += 1


@lean_part
def delete(fs, first_page, pages, plan):
    """Pages hold nothing any more. The device hears of it after the metadata: in place at the next `sync`, from a log
    when the segment is cleaned."""
    begin(plan)
    page_blocks = fs.setting[PAGE_BLOCKS]
    for page in range(first_page, first_page + pages):
        waiting = fs.page[WAITS, page] > 0
        fs.page[WAITS, page] = 0
        if waiting:
            fs.at[ABSORBED] += page_blocks
            forget(fs, page)
        if fs.page[ADDRESS, page] < 0:
            continue
        find(fs, plan, page)
        leaf = fs.page[LEAF, page]
        if fs.setting[KIND] == IN_PLACE:
            mark_one(fs, leaf)
            mark_one(fs, root_of(fs, leaf))
            mark_one(fs, fs.setting[BITMAP_FIRST] + fs.page[HOME, page] // fs.setting[GROUP_BLOCKS])
        else:
            kill(fs, fs.page[ADDRESS, page], page_blocks)
            fs.block[DELETED_AT, fs.page[ADDRESS, page]] = fs.at[WRITTEN] + 1
            mark_page(fs, page)
            fs.at[CHECKPOINT_DUE] = 1
        fs.page[ADDRESS, page] = -1
        note_change(fs, page)


@lean_part
def forget(fs, page):
    """Take a page out of the list of those that wait."""
    to = np.int64(0)
    for at in range(fs.at[PENDING]):
        if fs.page[PENDING_PAGE, at] != page:
            fs.page[PENDING_PAGE, to] = fs.page[PENDING_PAGE, at]
            to += 1
    fs.at[PENDING] = to


@lean_part
def must_clean(fs):
    """Whether the next write has to wait for `clean`: what is clean is what the cleaner itself needs."""
    return fs.setting[KIND] != IN_PLACE and fs.at[CLEAN] <= fs.setting[RESERVE]


@lean_part
def clean(fs, now_s, plan):
    """One round of the cleaner, if the thresholds ask for one. Segments that became clean; 0 in place.

    Nothing is clean before its live blocks are written elsewhere and a checkpoint says so. -1: nothing could be done
    although there must be space (`must_clean`).
    """
    begin(plan)
    fs.clock[NOW] = now_s
    if fs.setting[KIND] == IN_PLACE or not wanted(fs):
        return np.int64(0)
    freed = clean_round(fs, plan)
    if freed == 0 and (must_clean(fs) or fs.at[FAILED] > 0):
        return np.int64(-1)
    return freed

"""What a file system holds, for all three layouts in one tuple of arrays, and the list of block requests that it makes.

One kind for all: `setting[KIND]` says at run time which layout it is, so that whoever calls the verbs is compiled once.
A page of the database is `setting[PAGE_BLOCKS]` blocks that lie side by side. Metadata are `nodes`: indirect blocks,
bitmaps and the inode table of an in-place system; blocks of the B-trees, of the inode file and of the disk address
translation (DAT) of a log; blocks of the map of pages where the database writes out of place. A code below `pages` is a
page, one from there on `pages` + node.
"""

from typing import NamedTuple

import numpy as np

IN_PLACE, LOG_STRUCTURED, OUT_OF_PLACE = range(3)
TIMESTAMP, GREEDY, COST_BENEFIT = range(3)
# of one width, so that whoever takes them is compiled once and not for each literal
READ, WRITE, TRIM = np.arange(3)
DATA, METADATA, SUMMARY, CHECKPOINT, CLEANING_READ, CLEANING_WRITE, LOG, DELETED = np.arange(8)
NEW_DATA, ONE = np.arange(2)  # the stream of what the database writes; a single block
CAUSES = 8
OP, BLOCK, BLOCK_COUNT, CAUSE, STREAM = range(5)  # columns of Plan.request
ROWS, FROM = range(2)  # places in Plan.count: rows so far; the first row of the verb that is under way

# places in FileSystemState.setting, fixed for the life of a volume
KIND, BLOCKS, PAGE_BLOCKS, PAGES, NODES, STREAMS, TRIMS, NODE_LIMIT = range(8)
SEGMENT_BLOCKS, SEGMENTS, LOG_START, SELECTION, SEGMENTS_PER_CLEAN, MIN_CLEAN, MAX_CLEAN, RESERVE = range(8, 16)
SUMMARY_BYTES, ENTRY_BYTES, BLOCK_BYTES, SYNCS_PER_CHECKPOINT, CHECKPOINT_BLOCKS, BY_AGE, WHOLE = range(16, 23)
TREE_NODES, DAT_FIRST, DAT_ENTRIES, BITMAP_FIRST, GROUP_BLOCKS, TIMES_SYNCED = range(23, 29)
SETTINGS = 29

# places in FileSystemState.at, what changes
PENDING, DIRTY, WRITTEN, CLEAN, CURSOR, SYNCS, CHECKPOINT_DUE, CHECKPOINTED, CLEANING = range(9)
FAILED, ABSORBED, CHANGED_PAGES, HELD_NODES, ROUNDS, CLEANED, CLEANED_LIVE, TRIMMED, COPIED_PAGES = range(9, 18)
SEALED_BEFORE = 18  # the last checkpoint of which a segment was taken again, WRITTEN as it was then
HEAD = 19  # and behind it: the open segment of each of a log's streams, -1: none
SCRATCH = 22
PLACES = 86
NO_SPACE, NO_ROOM_IN_PLAN = 1, 2  # FAILED
NOW, PROTECTION = range(2)  # places in FileSystemState.clock

# rows of FileSystemState.page: first block, -1: there is none; the node that leads to it; in place, its block whenever
# it exists; a list of pages that wait for the log; blocks that had been written when it was last changed, its age; a
# list of pages that were deleted, or in place made, since metadata were written; DELETED_AT of the last version
# that was deleted and whose segment was taken again; whether it waits for the log, is in the list of changed ones, is
# named by the device
ADDRESS, LEAF, HOME, PENDING_PAGE, BORN, CHANGED_PAGE, GONE, WAITS, LISTED, EXISTS = range(10)
# of node: block, -1: not written yet; the node above, -1: none; a list of changed nodes; whether it changed since it
# was written, and is in memory
PLACE, PARENT, DIRTY_NODE, CHANGED, HELD = range(5)
# of block: the code whose first block it is, or one of the negative ones; blocks written until the end of its partial
# segment, 0: never written; of a deleted page's first block, 1 + WRITTEN when it was deleted, which a checkpoint of as
# many blocks or more holds, and of the last block of a checkpoint its SERIAL; else 0
CONTENT, SERIAL, DELETED_AT = range(3)
SEALS = DELETED_AT
# of segment: live blocks; what follows below; blocks written since it was clean; largest BORN written into it; how
# often it was cleaned; a list of those that are being cleaned
LIVE, STATE, USED, YOUNGEST, RESETS, VICTIM = range(6)
MOST_TRIMS = 1 << 16  # of single pages in a sync
SEGMENT_CLEAN, SEGMENT_OPEN, SEGMENT_USED, SEGMENT_LEAVING = range(4)
NOTHING, CONTINUED, SUMMARY_BLOCK, OLD_VERSION = -1, -2, -3, -4  # content of a block that is not the first of a code


class Plan(NamedTuple):
    """Block requests in the order in which the device gets them.

    request: int64[most, 5]: op (READ, WRITE, TRIM), first block, blocks, cause, stream. count: int64[2], of which the
    first is the number of rows; a caller empties a plan by `count[ROWS] = 0`.
    """

    request: np.ndarray
    count: np.ndarray


class FileSystemState(NamedTuple):
    """One volume. Blocks are numbered from 0, pages through all files, nodes through all metadata."""

    setting: np.ndarray  # int64[SETTINGS]
    at: np.ndarray  # int64[PLACES]
    clock: np.ndarray  # float64[2], seconds: now, which `clean` sets too; how long old versions are protected
    page: np.ndarray  # int64[10, pages]: rows ADDRESS ... EXISTS
    node: np.ndarray  # int64[5, nodes]: rows PLACE ... HELD
    links: np.ndarray  # uint32[nodes + 1, 2]: nodes in memory, least recently used first
    block: np.ndarray  # int64[3, blocks] of a log, else int64[3, 0]: rows CONTENT ... DELETED_AT
    died_s: np.ndarray  # float64[blocks] where old versions are protected, else empty
    segment: np.ndarray  # int64[6, segments]: rows LIVE ... VICTIM
    closed_s: np.ndarray  # float64[segments]: clock of the last write
    blocks: np.ndarray  # int64[2, CAUSES]: blocks READ and WRITE (rows) by cause, whatever request they were part of
    queue: np.ndarray  # int64: codes on their way into the log; -1 - block: an old version that lies there


def verb_rows(fs: FileSystemState) -> int:
    """Rows that the largest verb of this volume can need: cleaning, or a sync of all metadata with its trims."""
    setting = fs.setting
    segments = int(setting[SEGMENTS_PER_CLEAN]) + 2
    metadata = 2 * int(setting[NODES]) + min(int(setting[PAGES]), MOST_TRIMS)
    return 2 * segments * int(setting[SEGMENT_BLOCKS]) + int(setting[SEGMENTS]) + metadata + 64


def new_plan(fs: FileSystemState, verbs: int = 2) -> Plan:
    """An empty plan with room for so many of the largest verbs in a row."""
    return Plan(np.zeros((verbs * verb_rows(fs), 5), np.int64), np.zeros(2, np.int64))

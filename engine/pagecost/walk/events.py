"""What can happen on the path, one step each, and the record of it: every event says which one caused it."""

from typing import NamedTuple

PRECONDITION = -1  # the cause of what was there before the first transaction

TRANSACTION, REFERENCE, HIT, MISS, EVICT, APPEND, COMMIT, LOG_FLUSH = range(8)
CACHE_HIT, CACHE_READ, CACHE_AHEAD, CACHE_TAKE, CACHE_WRITE = range(8, 13)
FS_ABSORBED, FS_READ, FS_TAKE, FS_WRITE, FS_SYNC, FS_CLEAN, FS_TRIM = range(13, 20)
FLASH_READ, FLASH_OPEN, FLASH_PROGRAM, FLASH_COLLECT, FLASH_COPY, FLASH_ERASE, FLASH_TRIM = range(20, 27)
ARM_READ, ARM_WRITE = range(27, 29)

BUFFER, LOG, CACHE, FILE_SYSTEM, TRANSLATION = range(5)
LAYERS = ("buffer", "log", "page cache", "file system", "translation layer")
"""Who asked for an operation of the device first: what a page access costs is added up by it. Of the buffer are reads
of pages that it missed and writes of pages that it gave up; of the page cache what it reads ahead."""

TIME_S, ENERGY_J, MONEY_USD, OPERATIONS = range(4)  # columns of the account

PLACE_OF = {
    **dict.fromkeys((TRANSACTION, REFERENCE, HIT, MISS, EVICT), "buffer"),
    **dict.fromkeys((APPEND, COMMIT, LOG_FLUSH), "log"),
    **dict.fromkeys((CACHE_HIT, CACHE_READ, CACHE_AHEAD, CACHE_TAKE, CACHE_WRITE), "page cache"),
    **dict.fromkeys((FS_ABSORBED, FS_READ, FS_TAKE, FS_WRITE, FS_SYNC, FS_CLEAN, FS_TRIM), "file system"),
    **dict.fromkeys(range(FLASH_READ, ARM_WRITE + 1), "device"),
}
"""Where an event happens."""


class Event(NamedTuple):
    """One step. number: what it is about, by its kind: a page, transaction, block or segment; place: where, likewise.

    cause: the event that made it happen, or PRECONDITION. other: of an eviction and of what follows from a changed
    page, the reference that changed it last; of a copy, the event that had written the page; else PRECONDITION. layer:
    who pays for it, -1 where it costs nothing. The three costs are those of the device in this step.
    """

    kind: int
    number: int
    place: int
    cause: int
    other: int = PRECONDITION
    layer: int = -1
    time_s: float = 0.0
    energy_j: float = 0.0
    usd: float = 0.0

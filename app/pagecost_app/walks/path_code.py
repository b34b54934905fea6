"""The layers of the path as pseudo-code: (line, what must have happened for it to have run), see `lines.lit`."""

from pagecost.walk import Setup, events

NAMES = {
    getattr(events, name): name.lower().replace("_", " ")
    for name in (
        *("TRANSACTION", "REFERENCE", "HIT", "MISS", "EVICT", "APPEND", "COMMIT", "LOG_FLUSH"),
        *("CACHE_HIT", "CACHE_READ", "CACHE_AHEAD", "CACHE_TAKE", "CACHE_WRITE"),
        *("FS_ABSORBED", "FS_READ", "FS_TAKE", "FS_WRITE", "FS_SYNC", "FS_CLEAN", "FS_TRIM"),
        *("FLASH_READ", "FLASH_OPEN", "FLASH_PROGRAM", "FLASH_COLLECT", "FLASH_COPY", "FLASH_ERASE", "FLASH_TRIM"),
        *("ARM_READ", "ARM_WRITE"),
    )
}
"""What an event is called in the conditions of a line, by its kind."""

DATABASE = (
    ("for each transaction:", "transaction"),
    ("  for each page p that it refers to:", "reference"),
    ("    if the buffer has p: a hit", "hit"),
    ("    else: a miss", "miss"),
    ("      if no frame is free: a page leaves", "evict"),
    ("        if it was changed: write it, its log first", "evict&changed"),
    ("      ask the page cache for p", "cache hit|cache read"),
    ("    if it changes p: append a record to the log", "append"),
    ("  commit: wait until the group is complete", "commit"),
    ("flush the log: write its pages, make them durable", "log flush"),
)
CACHE = (
    ("page cache, asked for a page:", "cache hit|cache read"),
    ("  if it has the page: done", "cache hit"),
    ("  else: ask the file system", "cache read"),
    ("    and for the pages behind it, ahead of time", "cache ahead"),
    ("page cache, handed a page: keep it", "cache take"),
    ("  if one is old, or there is no room: write it back", "cache write"),
)
READ_BLOCKS = ("read: ask the device for the page's blocks", "fs read")
SYNC = ("sync: make durable what was handed over", "fs sync")
IN_PLACE = (
    ("file system, in place:", "fs read|fs write|fs sync"),
    ("  " + READ_BLOCKS[0], READ_BLOCKS[1]),
    ("  write: where the page lies already", "fs write"),
    ("  " + SYNC[0], SYNC[1]),
)
IN_A_LOG = (
    ("file system, in segments:", "fs read|fs take|fs absorbed|fs write|fs sync|fs clean|fs trim"),
    ("  " + READ_BLOCKS[0], READ_BLOCKS[1]),
    ("  write: keep the page for the next segment", "fs take"),
    ("    if it waits there already: once is enough", "fs absorbed"),
    ("  if a segment is full, or at a sync: write it in a row", "fs write"),
    ("  " + SYNC[0], SYNC[1]),
    ("  if few segments are clean: move what lives in one", "fs clean"),
    ("  tell the device which blocks hold nothing", "fs trim"),
)
FLASH = (
    ("flash, under a page map:", "flash"),
    ("  read: the page of flash that the map says", "flash read"),
    ("  write: if no block is open, open an erased one", "flash open"),
    ("    program its next page, and note it in the map", "flash program"),
    ("  if erased blocks are few: collect a full one", "flash collect"),
    ("    copy what lives in it", "flash copy"),
    ("    erase it", "flash erase"),
    ("  trim: forget the block", "flash trim"),
)
DISK = (
    ("disk:", "arm read|arm write"),
    ("  seek; wait until the block comes round", "arm read|arm write"),
    ("  read it while it passes", "arm read"),
    ("  write it while it passes", "arm write"),
)


def code_of(setup: Setup) -> list[tuple[str, str]]:
    """The lines of all layers of a setup, from above."""
    file_system = IN_PLACE if setup.file_system == "in place" else IN_A_LOG
    return [*DATABASE, *CACHE, *file_system, *(FLASH if setup.device == "flash" else DISK)]


def facts_of(event: events.Event | None) -> set[str]:
    """What an event did, in words that lines are lit by."""
    if event is None:
        return set()
    facts = {NAMES[event.kind]}
    if event.kind == events.EVICT and event.place % 2:
        facts.add("changed")
    if events.FLASH_READ <= event.kind <= events.FLASH_TRIM:
        facts.add("flash")
    return facts

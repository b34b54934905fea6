"""What happens to pages, without time: replacement in main memory and NVEM, disk caches, forced writes.

The rules of Rahm 1992, §3.2 and §3.3. The event loop asks them and adds the time; `replay` asks them alone.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part
from pagecost.transactions.caches_kernels import (
    FIRST_UNIT,
    MAIN,
    NVEM,
    SIZE,
    find,
    full,
    insert,
    oldest,
    oldest_clean,
    owe,
    remove,
    settle,
    touch,
)
from pagecost.transactions.table_kernels import EMPTY

PARTITION_BITS = 40  # key of a page: partition << PARTITION_BITS | number of the page

# Columns of Rules.place, one row per partition and a last one for the log
HOME, LOCKING, CACHING, BUFFERED, GROWS, SYNCHRONOUS = range(6)
COLUMNS = 6
IN_MEMORY, IN_NVEM = -2, -1  # HOME: these, or the number of a disk unit
NO_LOCKS, PAGE_LOCKS, OBJECT_LOCKS = 0, 1, 2  # LOCKING
MODIFIED_PAGES, UNMODIFIED_PAGES = 1, 2  # bits of CACHING: which replaced pages go to NVEM

# Columns of Rules.unit
UNIT_KIND, CACHE_READ_MISSES, CACHE_WRITE_MISSES, COPIES, READS_OLD, QUEUES, SECOND_DISK = range(7)
UNIT_COLUMNS = 7  # SECOND_DISK: the station of the second of several disks with queues of their own
REGULAR, VOLATILE, NONVOLATILE, WRITE_BUFFER, SSD = range(5)

# Bits of what `fix` and `force` answer
HIT, READ_NVEM, READ_HOME, VICTIM_HOME, TO_NVEM, DESTAGE = 1, 2, 4, 8, 16, 32

# Columns of the counts per record type; the writes are counted for the type that gave the partition its name
REFERENCES, MAIN_HITS, NVEM_HITS, CACHE_HITS, HOME_READS, HOME_WRITES, NVEM_WRITES, DESTAGED = range(8)
TALLIES = 8  # DESTAGED: of the HOME_WRITES, those that follow a write to the NVEM cache; `replay` alone counts them


class Rules(NamedTuple):
    """The allocation: where partitions and log live, and how disk units treat their caches."""

    place: np.ndarray  # int64[partitions + 1, COLUMNS]
    unit: np.ndarray  # int64[units, UNIT_COLUMNS]
    force: bool  # FORCE instead of NOFORCE
    reads_appended: bool  # the first touch of an appended page reads it, like any other page that is not in memory


class Load(NamedTuple):
    """Transactions one after the other; the end goes on with the beginning."""

    first: np.ndarray  # int64[transactions + 1]: first reference of each
    page: np.ndarray  # int64[references]: key of the page (its partition alone where pages are appended)
    lock: np.ndarray  # int64[references]: key of the object
    write: np.ndarray  # uint8[references]
    record: np.ndarray  # uint8[references]: line of the counts, the record type


@lean_part
def to_nvem(caches, key):
    """A page is written to the NVEM cache, or its copy there is renewed."""
    frame = find(caches, NVEM, key)
    if frame != EMPTY:
        touch(caches, NVEM, frame)
        return False
    if full(caches, NVEM):
        remove(caches, NVEM, oldest(caches, NVEM))
    insert(caches, NVEM, key, 0)
    return True


@lean_part
def fix(caches, rules, key, write, fresh, victim):
    """Bring a page into main memory; returns bits that say what must be moved. victim[0] becomes the replaced page.

    fresh: the page is appended and empty, so there is nothing to read.
    """
    frame = find(caches, MAIN, key)
    if frame != EMPTY:
        touch(caches, MAIN, frame)
        if write and caches.modified[frame] == 0:
            owe(caches, MAIN, frame)
        return HIT
    bits = 0
    if not fresh:
        bits = READ_HOME
        if rules.place[key >> PARTITION_BITS, CACHING] != 0:
            frame = find(caches, NVEM, key)
            if frame != EMPTY:
                bits = READ_NVEM
                if rules.force:
                    touch(caches, NVEM, frame)
                else:
                    remove(caches, NVEM, frame)  # a page is in one place only
    if full(caches, MAIN):
        frame = oldest(caches, MAIN)
        victim[0] = caches.key[frame]
        modified = caches.modified[frame] > 0
        remove(caches, MAIN, frame)
        caching = rules.place[victim[0] >> PARTITION_BITS, CACHING]
        if (modified and caching & MODIFIED_PAGES) or (not modified and caching & UNMODIFIED_PAGES):
            if to_nvem(caches, victim[0]) or modified:
                bits |= TO_NVEM
            if modified:
                bits |= DESTAGE
        elif modified:
            bits |= VICTIM_HOME
    insert(caches, MAIN, key, 1 if write else 0)
    return bits


@lean_part
def force(caches, rules, key):
    """A page is forced at commit; returns TO_NVEM and DESTAGE, VICTIM_HOME for a write to its home, or 0.

    0: it is not in main memory any more, so it was written when it was replaced.
    """
    frame = find(caches, MAIN, key)
    if frame == EMPTY:
        return 0
    settle(caches, MAIN, frame, 1)
    if rules.place[key >> PARTITION_BITS, CACHING] & MODIFIED_PAGES:
        to_nvem(caches, key)
        return TO_NVEM | DESTAGE
    return VICTIM_HOME


@lean_part
def read_unit(caches, rules, unit, key):
    """A read reaches a disk unit; returns whether semiconductor memory answers."""
    kind = rules.unit[unit, UNIT_KIND]
    if kind == SSD:
        return True
    if kind in (REGULAR, WRITE_BUFFER):
        return False
    cache = FIRST_UNIT + unit
    frame = find(caches, cache, key)
    if frame != EMPTY:
        touch(caches, cache, frame)
        return True
    if rules.unit[unit, CACHE_READ_MISSES]:
        _make_room_and_insert(caches, cache, key, 0)
    return False


@lean_part
def write_unit(caches, rules, unit, key, buffered):
    """A write reaches a disk unit; returns whether it is done without waiting for the disk.

    buffered: int64[units], pages in a plain write buffer. A write that did not wait owes one to the disk.
    """
    kind = rules.unit[unit, UNIT_KIND]
    cache = FIRST_UNIT + unit
    if kind == SSD:
        return True
    if kind == WRITE_BUFFER:
        if buffered[unit] == caches.at[cache, SIZE]:
            return False
        buffered[unit] += 1
        return True
    if kind == REGULAR:
        return False
    frame = find(caches, cache, key)
    if frame != EMPTY:
        touch(caches, cache, frame)
        if kind == VOLATILE:
            return False
        owe(caches, cache, frame)
        return True
    if kind == VOLATILE:
        if rules.unit[unit, CACHE_WRITE_MISSES]:
            _make_room_and_insert(caches, cache, key, 0)
        return False
    return _make_room_and_insert(caches, cache, key, 1)


@lean_part
def _make_room_and_insert(caches, cache, key, modified):
    """Put a page into a cache for its oldest clean one. Returns False where there is none."""
    if full(caches, cache):
        frame = oldest_clean(caches, cache)
        if frame == EMPTY:
            return False
        remove(caches, cache, frame)
    insert(caches, cache, key, modified)
    return True


@lean_part
def destaged(caches, rules, unit, key, buffered):
    """The disk has caught up with one write that did not wait."""
    if rules.unit[unit, UNIT_KIND] == WRITE_BUFFER:
        buffered[unit] -= 1
        return
    frame = find(caches, FIRST_UNIT + unit, key)
    if frame != EMPTY:
        settle(caches, FIRST_UNIT + unit, frame, 1)


@lean_part
def page_of(rules, load, reference, appended):
    """(key, fresh) of the page that a reference means. appended: int64[partitions], records per growing partition."""
    key = load.page[reference]
    partition = key >> PARTITION_BITS
    per_page = rules.place[partition, GROWS]
    if per_page == 0:
        return key, False
    record = appended[partition]
    appended[partition] = record + 1
    return (partition << PARTITION_BITS) | (record // per_page), record % per_page == 0 and not rules.reads_appended


@lean_part
def _write_home(caches, rules, key, buffered, counts):
    """Write a page where its partition lives; the disk catches up at once. buffered: see `write_unit`."""
    partition = key >> PARTITION_BITS
    counts[partition, HOME_WRITES] += 1
    unit = rules.place[partition, HOME]
    if unit >= 0 and not rules.place[partition, BUFFERED] and write_unit(caches, rules, unit, key, buffered):
        destaged(caches, rules, unit, key, buffered)


@lean_kernel
def replay(caches, rules, load, begin, transactions, appended, buffered, victim, counts):
    """Let transactions run one after the other, every disk write done at once; adds to counts[record type, …]."""
    number = load.first.size - 1
    for transaction in range(begin, begin + transactions):
        start = load.first[transaction % number]
        end = load.first[transaction % number + 1]
        newest = victim[1:]  # pages changed by this transaction
        changed = 0
        for reference in range(start, end):
            key, fresh = page_of(rules, load, reference, appended)
            partition = key >> PARTITION_BITS
            record = load.record[reference]
            counts[record, REFERENCES] += 1
            if rules.place[partition, HOME] == IN_MEMORY:
                counts[record, MAIN_HITS] += 1
                continue
            if load.write[reference]:
                changed = remember(newest, changed, key)
            bits = fix(caches, rules, key, load.write[reference], fresh, victim)
            if bits & HIT:
                counts[record, MAIN_HITS] += 1
            if bits & (VICTIM_HOME | DESTAGE):
                _write_home(caches, rules, victim[0], buffered, counts)
            if bits & TO_NVEM:
                counts[victim[0] >> PARTITION_BITS, NVEM_WRITES] += 1
            if bits & DESTAGE:
                counts[victim[0] >> PARTITION_BITS, DESTAGED] += 1
            if bits & READ_NVEM:
                counts[record, NVEM_HITS] += 1
            if bits & READ_HOME:
                counts[partition, HOME_READS] += 1
                unit = rules.place[partition, HOME]
                if unit >= 0 and read_unit(caches, rules, unit, key):
                    counts[partition, CACHE_HITS] += 1
        if rules.force:
            for i in range(changed):
                bits = force(caches, rules, newest[i])
                if bits & (VICTIM_HOME | DESTAGE):
                    _write_home(caches, rules, newest[i], buffered, counts)
                if bits & DESTAGE:  # never without TO_NVEM
                    counts[newest[i] >> PARTITION_BITS, NVEM_WRITES] += 1
                    counts[newest[i] >> PARTITION_BITS, DESTAGED] += 1


@lean_part
def remember(keys, count, key):
    """Add a key to the first `count` of `keys` unless it is there; returns the new count."""
    for i in range(count):
        if keys[i] == key:
            return count
    keys[count] = key
    return count + 1

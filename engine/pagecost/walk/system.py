"""The whole path in small, one event after another: each part is the model's own, and this says who calls whom."""

from collections.abc import Callable, Iterator

import numpy as np

from pagecost.filesystem import Volume, driving_kernels
from pagecost.filesystem import state_kernels as fs_kernels
from pagecost.interpreted import plain_entry
from pagecost.walk import events
from pagecost.walk.arm import Arm
from pagecost.walk.events import PRECONDITION, Event
from pagecost.walk.flash import Flash
from pagecost.walk.memory import WAITING, Buffer, Log, PageCache
from pagecost.walk.prices import rates
from pagecost.walk.setup import FILE_SYSTEMS, LOG_PAGES, PAGE_BYTES, SEGMENT_BLOCKS, Form, Load, Setup

REFERENCE_AT, IN_TRANSACTION, EVENTS = range(3)  # places in System.at
METADATA_BLOCKS = 10  # of a volume in place: descriptors, bitmaps, inodes, one indirect block of each file
SPARE_SEGMENTS = 9  # of a log: what it must keep clean, and as many again that the cleaner can choose from


PLAIN_REFERENCES = 2000  # some second's work; what is longer goes twice as fast compiled


def volume_blocks(pages: int, file_system: str) -> int:
    """Blocks of the volume for a database of so many pages and its log."""
    stored = pages + LOG_PAGES
    if file_system == "in place":
        return stored + METADATA_BLOCKS
    segments = -(-(stored + METADATA_BLOCKS) // (SEGMENT_BLOCKS - 1))
    return (segments + SPARE_SEGMENTS) * SEGMENT_BLOCKS


class System:
    """Buffer, log, page cache, file system and device; `events` is the record of what happened to them.

    `account`: float64[layers, 4], what every layer's doing cost so far, see `events`. All that changes is in `arrays`,
    so that a copy of them is the whole state between two references. The models are plain Python in a walk of up to
    PLAIN_REFERENCES, which is then there sooner than they are compiled, and even loaded.
    """

    def __init__(self, setup: Setup, load: Load):
        self.setup, self.load = setup, load
        self.pages = len(load.names)
        form: Form = plain_entry if load.page.size <= PLAIN_REFERENCES else _as_compiled
        self.buffer, self.log = Buffer(setup, load, form), Log(setup, load)
        self.cache = PageCache(setup, load, form)
        blocks = volume_blocks(self.pages, setup.file_system)
        files, drive = [self.pages, LOG_PAGES], form(driving_kernels.drive)
        self.volume = Volume(FILE_SYSTEMS[setup.file_system], blocks, files, PAGE_BYTES, kernel=drive)
        self.blocks = blocks
        self.flash = Flash(blocks, rates(), form) if setup.device == "flash" else None
        self.arm = Arm(blocks, rates(), form) if setup.device == "disk" else None
        self.pending_by = np.full(self.pages + LOG_PAGES, PRECONDITION, np.int64)
        self.account = np.zeros((len(events.LAYERS), 4))
        self.at = np.array([0, PRECONDITION, 0], np.int64)
        self.events: list[Event] = []
        self.fillers: dict[int, tuple[tuple[int, int], ...]] = {}  # by collection: (writer, page or -1) of its block
        fs = self.volume.fs
        parts = (self.buffer, self.log, self.cache, self.flash, self.arm)
        self.arrays: list[np.ndarray] = [array for part in parts if part for array in part.arrays()]
        self.arrays += [each for each in fs if each is not fs.setting and each is not fs.queue]
        self.arrays += [self.pending_by, self.account, self.at]

    @property
    def now_s(self) -> float:
        """How long the device has worked [s]."""
        return float(self.account[:, events.TIME_S].sum())

    @property
    def ended(self) -> bool:
        """Whether every reference was made."""
        return bool(self.at[REFERENCE_AT] == self.load.page.size)

    def refer(self) -> Iterator[int]:
        """The next reference and all that follows from it. Yields the number of every event."""
        load, at = self.load, self.at
        position = int(at[REFERENCE_AT])
        at[REFERENCE_AT] += 1
        transaction = int(load.transaction[position])
        if position == 0 or load.transaction[position - 1] != transaction:
            at[IN_TRANSACTION] = self._note(events.TRANSACTION, transaction, 0, PRECONDITION)
            yield int(at[IN_TRANSACTION])
        yield from self._refer(position)
        if position + 1 == load.page.size or load.transaction[position + 1] != transaction:
            yield from self._commit(transaction)

    # the database ----------------------------------------------------------------------------------------------------

    def _refer(self, position: int) -> Iterator[int]:
        page, write = int(self.load.page[position]), bool(self.load.write[position])
        asked = self._note(events.REFERENCE, page, position * 2 + write, int(self.at[IN_TRANSACTION]))
        yield asked
        if self.buffer.holds(position):
            self.buffer.refer(position)
            yield self._note(events.HIT, page, 0, asked)
        else:
            missed = self._note(events.MISS, page, 0, asked)
            yield missed
            for left in self.buffer.refer(position):
                changed_by = int(self.buffer.changed_by[left.page]) if left.dirty else PRECONDITION
                place = left.reason * 2 + left.dirty
                evicted = self._note(events.EVICT, left.page, place, asked, other=changed_by)
                yield evicted
                if left.dirty:
                    if not self.log.covers(left.page):
                        yield from self._flush_log(evicted)
                    yield from self._to_cache(left.page, evicted)
            yield from self._from_cache(page, missed)
        if write:
            self.buffer.changed_by[page] = asked
            self.log.append(page)
            yield self._note(events.APPEND, page, self.log.record_bytes, asked)

    def _commit(self, transaction: int) -> Iterator[int]:
        self.log.at[WAITING] += 1
        done = self._note(events.COMMIT, transaction, int(self.log.at[WAITING]), int(self.at[IN_TRANSACTION]))
        yield done
        if self.log.at[WAITING] >= self.log.group:
            yield from self._flush_log(done)

    def _flush_log(self, cause: int) -> Iterator[int]:
        numbers = self.log.flush()
        if not numbers:
            return
        flushed = self._note(events.LOG_FLUSH, numbers.start, len(numbers), cause)
        yield flushed
        for number in numbers:
            yield from self._fs_write(self.pages + number % LOG_PAGES, flushed, events.LOG)
        yield from self._fs_sync(flushed)

    # the page cache --------------------------------------------------------------------------------------------------

    def _to_cache(self, page: int, cause: int) -> Iterator[int]:
        _, sent = self.cache.serve(page, True)
        by = [int(self.cache.taken_by[each]) for each, _ in sent]
        taken = self._note(events.CACHE_TAKE, page, 0, cause)
        self.cache.taken_by[page] = taken
        yield taken
        yield from self._from_cache_on(sent, by, taken, page)

    def _from_cache(self, page: int, cause: int) -> Iterator[int]:
        hit, sent = self.cache.serve(page, False)
        by = [int(self.cache.taken_by[each]) for each, _ in sent]
        if hit:
            cause = self._note(events.CACHE_HIT, page, 0, cause)
            yield cause
        yield from self._from_cache_on(sent, by, cause, page)

    def _from_cache_on(self, sent, by: list[int], cause: int, asked: int) -> Iterator[int]:
        for (page, write), taken in zip(sent, by, strict=True):
            if write:
                made = self._note(events.CACHE_WRITE, page, 0, taken, other=cause)
                yield made
                yield from self._fs_write(page, made, events.BUFFER)
            else:
                ahead = page != asked
                made = self._note(events.CACHE_AHEAD if ahead else events.CACHE_READ, page, 0, cause)
                yield made
                layer = events.CACHE if ahead else events.BUFFER
                yield from self._requests(self.volume.read(page), made, layer, page)

    # the file system -------------------------------------------------------------------------------------------------

    def _fs_write(self, page: int, cause: int, layer: int) -> Iterator[int]:
        yield from self._make_room(cause)
        in_place = self.setup.file_system == "in place"
        if not in_place:
            waits = bool(self.volume.fs.page[fs_kernels.WAITS, page])
            rows = self.volume.write(page)
            kind = events.FS_ABSORBED if waits else events.FS_TAKE
            taken = self._note(kind, page, 0, cause)
            self.pending_by[page] = taken
            yield taken
            yield from self._requests(rows, taken, layer, page)
        else:
            yield from self._requests(self.volume.write(page), cause, layer, page)

    def _fs_sync(self, cause: int) -> Iterator[int]:
        yield from self._make_room(cause)
        rows = self.volume.sync()
        synced = self._note(events.FS_SYNC, len(rows), 0, cause)
        yield synced
        yield from self._requests(rows, synced, events.FILE_SYSTEM, -1)
        if self.setup.file_system != "in place":
            yield from self._clean(synced)

    def _make_room(self, cause: int) -> Iterator[int]:
        while self.volume.must_clean:
            yield from self._clean(cause)

    def _clean(self, cause: int) -> Iterator[int]:
        freed, rows = self.volume.clean(self.now_s)
        if freed:
            cleaned = self._note(events.FS_CLEAN, freed, 0, cause)
            yield cleaned
            yield from self._requests(rows, cleaned, events.FILE_SYSTEM, -1)

    def content_of(self, block: int) -> tuple[str, int]:
        """(what a block of the volume holds, page or node number): "page", "metadata", "summary", "dead" or "free"."""
        fs, pages = self.volume.fs, self.pages + LOG_PAGES
        if fs.setting[fs_kernels.KIND] == fs_kernels.IN_PLACE:
            found = np.flatnonzero(fs.page[fs_kernels.ADDRESS] == block)
            if found.size:
                return "page", int(found[0])
            found = np.flatnonzero(fs.node[fs_kernels.PLACE] == block)
            return ("metadata", int(found[0])) if found.size else ("free", -1)
        code = int(fs.block[fs_kernels.CONTENT, block])
        if code == fs_kernels.SUMMARY_BLOCK:
            return "summary", -1
        if code < 0:
            return ("dead", -1) if fs.block[fs_kernels.SERIAL, block] > 0 else ("free", -1)
        if code < pages:
            return ("page" if fs.page[fs_kernels.ADDRESS, code] == block else "dead"), code
        alive = fs.node[fs_kernels.PLACE, code - pages] == block
        return ("metadata" if alive else "dead"), code - pages

    def _requests(self, rows: np.ndarray, cause: int, layer: int, page: int) -> Iterator[int]:
        """The block requests of a verb: each is an event, and then what the device makes of it."""
        for op, block, blocks, why, _ in rows.tolist():
            place = blocks * 16 + why
            if op == fs_kernels.TRIM:
                yield self._note(events.FS_TRIM, block, place, cause)
                if self.flash:
                    trimmed = int(self.at[EVENTS]) - 1
                    for each in range(block, block + blocks):
                        yield from self.flash.trim(self._note, each, trimmed)
                continue
            own = layer if why == fs_kernels.DATA else events.FILE_SYSTEM
            kind = events.FS_WRITE if op == fs_kernels.WRITE else events.FS_READ
            made = self._note(kind, block, place, cause)
            yield made
            if op == fs_kernels.READ:
                yield from self._device(block, blocks, False, made, own)
            elif why == fs_kernels.LOG:
                yield from self._segment(block, blocks, made)
            else:
                yield from self._device(block, blocks, True, made, own)

    def _segment(self, block: int, blocks: int, made: int) -> Iterator[int]:
        """Blocks of a partial segment: each page was handed over by somebody, the rest is the file system's own."""
        runs: list[list[int]] = []
        for each in range(block, block + blocks):
            code = int(self.volume.fs.block[fs_kernels.CONTENT, each])
            cause, layer = made, events.FILE_SYSTEM
            if 0 <= code < self.pages + LOG_PAGES:
                cause, layer = int(self.pending_by[code]), events.BUFFER if code < self.pages else events.LOG
            runs.append([each, cause, layer])
        if self.arm:  # one request goes to the arm as one; who asked for its first page pays
            page = next((run for run in runs if run[2] != events.FILE_SYSTEM), runs[0])
            yield from self._device(block, blocks, True, page[1], page[2], made)
            return
        for each, cause, layer in runs:
            yield from self._device(each, 1, True, cause, layer, made)

    def _device(self, block: int, blocks: int, write: bool, cause: int, layer: int, other: int = -1) -> Iterator[int]:
        if self.arm:
            yield from self.arm.serve(self._note, block, blocks, write, cause, layer)
            return
        assert self.flash is not None
        serve = self.flash.write if write else self.flash.read
        for each in range(block, block + blocks):
            yield from serve(self._note, each, cause, layer)

    # the record ------------------------------------------------------------------------------------------------------

    def _note(self, kind, number, place, cause, *, other=PRECONDITION, layer=-1, cost=(0.0, 0.0, 0.0), fillers=None):
        """Write an event down, if it happens for the first time, and its cost into the account. Its number."""
        at = int(self.at[EVENTS])
        self.at[EVENTS] = at + 1
        if at == len(self.events):
            self.events.append(Event(kind, int(number), int(place), cause, other, layer, *cost))
            if fillers is not None:
                self.fillers[at] = fillers
        if layer >= 0:
            row = self.account[layer]
            row[:3] += cost
            row[3] += 1
        return at


def _as_compiled(kernel: Callable) -> Callable:
    return kernel

"""The page cache under a program: which pages are dirty, byte by byte, and when they are written.

As Linux does it: a page is written when its file is synced, when it has been dirty for `expire_s` (a flusher wakes
every `writeback_s`), when more than `background_bytes` are dirty, and at the end. A page is written as a whole.
"""

from dataclasses import dataclass, field
from typing import Protocol

from pagecost.programs import events
from pagecost.programs.events import Event, Recording
from pagecost.programs.ledger import BLOCK_BYTES, DATA, DROPPED, MERGED, PARTIAL, Ledger

WHOLE = (1 << BLOCK_BYTES) - 1  # every byte of a page; a bit for each


@dataclass(eq=False)
class File:
    """A file as kernel and file system see it. dirty: page -> its bytes that wait, a bit each.

    size [B]. before: of so many pages it is taken that they had their blocks before the recording; unknown: nothing
    said how large the file was, and what is written to it was there. nameless: it was made without a name.
    """

    number: int
    path: str
    size: int = 0
    before: int = 0
    unknown: bool = False
    deleted: bool = False
    nameless: bool = False
    dirty: dict[int, int] = field(default_factory=dict)
    since_s: float = 0.0


class FileSystemBelow(Protocol):
    """What a file system does with what the page cache tells it."""

    def created(self, file: File) -> None:
        """A file came."""

    def changed(self, file: File, grew: bool, pages: range) -> None:
        """Bytes of pages in memory changed, and with them the file's times; whether it grew."""

    def written(self, file: File, pages: list[int], direct: bool) -> None:
        """Pages go to the device now, in ascending order."""

    def cut(self, file: File, pages: int) -> None:
        """A file has only so many pages now."""

    def allocated(self, file: File, pages: range) -> None:
        """Room was set aside."""

    def unlinked(self, file: File) -> None:
        """A file went, and its name."""

    def unnamed(self, file: File) -> None:
        """A name went; the file has another or is open."""

    def released(self, file: File) -> None:
        """A file without a name went."""

    def renamed(self, file: File) -> None:
        """A file has another name, or one more."""

    def looked(self, file: File) -> None:
        """Somebody asked for the times of a file."""

    def synced(self, file: File, data_only: bool) -> None:
        """The file's pages are on the device; what leads to them must be, too."""

    def tick(self, now_s: float) -> None:
        """Time goes on."""

    def settle(self) -> None:
        """All that waits goes to the device."""

    def ended(self) -> None:
        """The program has ended; what comes now is written behind its back."""

    def finish(self) -> int:
        """Nothing comes any more. Bytes to the device until the program had ended."""


class PageCache:
    """Takes events in order and hands pages to a file system."""

    def __init__(
        self,
        recording: Recording,
        below: FileSystemBelow,
        ledger: Ledger,
        *,
        writeback_s: float,
        expire_s: float,
        background_bytes: float,
    ):
        self.recording, self.below, self.ledger = recording, below, ledger
        self.writeback_s, self.expire_s, self.background_bytes = writeback_s, expire_s, background_bytes
        self.files = [File(number, path) for number, path in enumerate(recording.paths)]
        self.waiting: dict[int, File] = {}  # with dirty pages, longest first
        self.dirty_pages = 0

    def run(self) -> None:
        """The whole recording, to its end and until nothing waits."""
        first_s = self.recording.events[0].time_s if self.recording.events else 0.0
        wake_s = first_s + self.writeback_s
        for event in self.recording.events:
            while event.time_s >= wake_s:
                self.flush_old(wake_s)
                self.below.tick(wake_s)
                wake_s += self.writeback_s
            self.below.tick(event.time_s)
            self.take(event)
        self.below.ended()
        self.flush_all()
        self.below.settle()

    def take(self, event: Event) -> None:
        """One event."""
        if event.kind == events.SYNC_ALL:
            self.flush_all()
            self.below.settle()
            return
        file = self.files[event.file]
        if event.kind == events.WRITE:
            self.write(file, event)
        elif event.kind in (events.SYNC, events.DATA_SYNC):
            self.flush(file)
            self.below.synced(file, event.kind == events.DATA_SYNC)
        elif event.kind == events.START_WRITING:
            last = -(-(event.offset + event.size) // BLOCK_BYTES) if event.size else 1 << 62
            self.flush(file, event.offset // BLOCK_BYTES, last)
        elif event.kind == events.TRUNCATE:
            self.cut(file, event.size)
        elif event.kind == events.ALLOCATE:
            self.below.allocated(file, _pages(event.offset, event.size))
            file.size = max(file.size, event.offset + event.size)
        elif event.kind == events.UNLINK and event.flags & events.HELD:
            self.below.unnamed(file)
        elif event.kind == events.UNLINK:
            self.drop(file, 0)
            file.deleted = True
            self.below.unlinked(file)
        elif event.kind == events.RELEASE:
            self.drop(file, 0)
            if not file.deleted:
                file.deleted = True
                self.below.released(file)
        elif event.kind == events.LINK:
            self.below.renamed(file)
        elif event.kind == events.RENAME:
            if event.flags & events.CUT:  # over another file: ext4 writes the new one first (auto_da_alloc)
                self.flush(file)
            self.below.renamed(file)
        elif event.kind == events.CLOSE:
            self.flush(file)
        elif event.kind == events.CREATE:
            file.nameless = bool(event.flags & events.HELD)
            self.below.created(file)
        elif event.kind == events.EXISTS:
            file.unknown = event.size < 0
            file.size = max(event.size, 0)
            file.before = -(-file.size // BLOCK_BYTES)
        elif event.kind == events.LOOK:
            self.below.looked(file)

    def write(self, file: File, event: Event) -> None:
        """Bytes are changed in memory, or on the device at once."""
        self.ledger.asked[file.path] += event.size
        end = event.offset + event.size
        pages = _pages(event.offset, event.size)
        if file.unknown:
            file.before = max(file.before, pages.stop)
            file.size = max(file.size, end)
        grew = end > file.size
        file.size = max(file.size, end)
        if event.flags & events.DIRECT:
            self.flush(file, pages.start, pages.stop)
            self.ledger.count(file.path, DATA, event.size)
            self.below.changed(file, grew, pages)
            self.below.written(file, list(pages), True)
        else:
            if not file.dirty:
                file.since_s = event.time_s
                self.waiting[file.number] = file
            before, merged = len(file.dirty), 0
            for page in pages:
                low = max(0, event.offset - page * BLOCK_BYTES)
                high = min(BLOCK_BYTES, end - page * BLOCK_BYTES)
                new = WHOLE if high - low == BLOCK_BYTES else ((1 << (high - low)) - 1) << low
                old = file.dirty.get(page, 0)
                merged += (old & new).bit_count() if old else 0
                file.dirty[page] = old | new
            self.dirty_pages += len(file.dirty) - before
            self.ledger.keep_back(file.path, MERGED, merged)
            self.below.changed(file, grew, pages)
        if event.flags & (events.SYNCED | events.DATA_SYNCED):
            self.flush(file, pages.start, pages.stop)
            self.below.synced(file, not event.flags & events.SYNCED)
        elif self.dirty_pages * BLOCK_BYTES > self.background_bytes:
            while self.waiting and self.dirty_pages * BLOCK_BYTES > self.background_bytes:
                self.flush(next(iter(self.waiting.values())))

    def flush(self, file: File, first: int = 0, stop: int = 1 << 62) -> None:
        """Dirty pages of a file go to the device, all or those from `first` to before `stop`."""
        pages = sorted(page for page in file.dirty if first <= page < stop) if file.dirty else []
        if not pages:
            return
        changed = sum(file.dirty.pop(page).bit_count() for page in pages)
        self.forget(file, len(pages))
        self.ledger.count(file.path, DATA, changed)
        self.ledger.count(file.path, PARTIAL, len(pages) * BLOCK_BYTES - changed)
        self.below.written(file, pages, False)

    def flush_old(self, now_s: float) -> None:
        """Files that have been dirty for long, with all their pages."""
        for file in [one for one in self.waiting.values() if one.since_s <= now_s - self.expire_s]:
            self.flush(file)

    def flush_all(self) -> None:
        """Every file; one that is deleted was closed by the end, and is dropped."""
        for file in list(self.waiting.values()):
            if file.deleted:
                self.drop(file, 0)
            else:
                self.flush(file)

    def cut(self, file: File, size: int) -> None:
        """A file is cut or made longer."""
        pages = -(-size // BLOCK_BYTES)
        self.drop(file, pages)
        grew, file.size, file.unknown = size > file.size, size, False
        file.before = min(file.before, pages)
        if grew:
            self.below.changed(file, True, range(0))
        else:
            self.below.cut(file, pages)

    def drop(self, file: File, first: int) -> None:
        """Dirty pages from `first` on are forgotten."""
        gone = [page for page in file.dirty if page >= first]
        if gone:
            self.ledger.keep_back(file.path, DROPPED, sum(file.dirty.pop(page).bit_count() for page in gone))
            self.forget(file, len(gone))

    def forget(self, file: File, pages: int) -> None:
        """So many pages of a file are clean now."""
        self.dirty_pages -= pages
        if not file.dirty:
            self.waiting.pop(file.number, None)


def _pages(offset: int, size: int) -> range:
    """The pages that bytes lie in."""
    return range(offset // BLOCK_BYTES, -(-(offset + size) // BLOCK_BYTES))

"""What lies in main memory on the path: the database's buffer, its log, and the page cache of the operating system."""

from typing import NamedTuple

import numpy as np

from pagecost.buffer.policy import Picture
from pagecost.buffer.pool import Pool
from pagecost.buffer.replay_kernels import READ_HITS, WRITE_BACKS, WRITE_HITS
from pagecost.buffer.stepper import arrays_of, residents
from pagecost.lists_kernels import newest_first
from pagecost.oscaches import Host
from pagecost.oscaches import caches_kernels as kernels
from pagecost.walk import events
from pagecost.walk.setup import PAGE_BYTES, Form, Load, Setup

READ_AHEAD = 4  # pages of the largest window, in a cache of so few
APPENDED, FLUSHED, WAITING = range(3)  # places in Log.at


class Left(NamedTuple):
    """A page that left the buffer: whether it was changed, and why it had to go."""

    page: int
    dirty: bool
    reason: int


class Buffer:
    """The buffer under its policy. `changed_by`: the event of the reference that changed each page last.

    form: of the kernels, see `System`.
    """

    def __init__(self, setup: Setup, load: Load, form: Form):
        self.references = load.references()
        self.pool = Pool(self.references, setup.frames, setup.policy, keep_written=True, spare=setup.frames)
        self.pool.rule = self.pool.rule._replace(replay=form(self.pool.rule.replay))
        self.changed_by = np.full(len(load.names), events.PRECONDITION, np.int64)

    def arrays(self) -> list[np.ndarray]:
        """All that changes; what the last call noted is no state, nor is the string."""
        frames = self.pool.frames
        aside = {id(frames.log), id(frames.each), id(self.references.pages)}
        return [*(each for each in arrays_of((frames, self.pool.state)) if id(each) not in aside), self.changed_by]

    def holds(self, position: int) -> bool:
        """Whether the page of that reference is there."""
        frames = self.pool.frames
        return int(frames.frame_of[self.references.pages[position]]) < frames.page_in.size

    def refer(self, position: int) -> list[Left]:
        """Carry a reference out: the pages that left, those that must be written first."""
        pool, ids = self.pool, self.references.ids
        before, written_before = residents(pool.frames), pool.counts[WRITE_BACKS]
        pool.advance(position, position + 1)
        written = pool.frames.log[: pool.counts[WRITE_BACKS] - written_before].tolist()
        now = residents(pool.frames)
        reason = int(pool.state.reason[0]) if hasattr(pool.state, "reason") else 0
        clean = [page for page, dirty in before.items() if page not in now and not dirty]
        gone = [(page, True) for page in written] + [(page, False) for page in clean]
        return [Left(int(ids[page]), dirty, reason) for page, dirty in gone]

    def counts(self) -> tuple[int, int]:
        """(hits, write-backs) so far."""
        counts = self.pool.counts
        return int(counts[READ_HITS] + counts[WRITE_HITS]), int(counts[WRITE_BACKS])

    def picture(self) -> tuple[Picture, dict[int, bool]]:
        """The policy's lists in page numbers, and which pages are changed."""
        ids, made = self.references.ids, self.pool.rule.describe(self.pool.frames, self.pool.state)
        lists = {name: [(int(ids[page]), mark) for page, mark in entries] for name, entries in made.lists.items()}
        ghosts = {name: [int(ids[page]) for page in pages] for name, pages in made.ghosts.items()}
        dirty = {int(ids[page]): flag for page, flag in residents(self.pool.frames).items()}
        return Picture(lists, ghosts, made.values), dirty


class Log:
    """The log of the database: bytes appended and flushed, commits that wait. `lsn`: end of each page's last record."""

    def __init__(self, setup: Setup, load: Load):
        self.record_bytes, self.group = setup.record_bytes, setup.group_commit
        self.at = np.zeros(3, np.int64)
        self.lsn = np.zeros(len(load.names), np.int64)

    def arrays(self) -> list[np.ndarray]:
        """All that changes."""
        return [self.at, self.lsn]

    def append(self, page: int) -> None:
        """The record of a change."""
        self.at[APPENDED] += self.record_bytes
        self.lsn[page] = self.at[APPENDED]

    def covers(self, page: int) -> bool:
        """Whether the last change of a page is on the device, so that the page may follow."""
        return bool(self.lsn[page] <= self.at[FLUSHED])

    def flush(self) -> range:
        """All that was appended is now to be written: the pages of the log that this takes, the last one in part."""
        first = int(self.at[FLUSHED]) // PAGE_BYTES
        end = -(-int(self.at[APPENDED]) // PAGE_BYTES)
        self.at[FLUSHED], self.at[WAITING] = self.at[APPENDED], 0
        return range(first, end)


class PageCache:
    """The page cache, between the database and the file system, as `oscaches` has it.

    What leads to a page is the file system's matter. `taken_by`: the event with which each page was handed over last.
    form: of the kernels, see `System`.
    """

    def __init__(self, setup: Setup, load: Load, form: Form):
        pages = len(load.names)
        host = Host(
            buffer_pages=1,
            page_cache_pages=setup.page_cache_pages,
            read_ahead_pages=READ_AHEAD,
            sync=False,
            expires=setup.expires,
        )
        # page p is block p + 1, the inode in block 0 is always in memory, and there are no indirect blocks
        of = np.arange(-1, pages, dtype=np.int64)
        self._file = kernels.File(np.arange(1, pages + 1), of, np.full((1, 3), -1, np.int64), 1 << 40)
        self._options = host._options()
        self.stack = kernels.new_stack(pages + 1, host._limits(), 4 * (pages + 1))
        inode = kernels.INODE * (pages + 1)
        self.stack.held[inode] = self.stack.used[kernels.INODE] = 1
        closing = self._closing(kernels.INODE)
        self.stack.links[closing] = inode
        self.stack.links[inode] = closing
        self.taken_by = np.full(pages, events.PRECONDITION, np.int64)
        self._serve = form(kernels.serve)
        self._page, self._write = np.zeros(1, np.int64), np.zeros(1, np.uint8)

    def _closing(self, layer: int) -> int:
        return self.stack.links.shape[0] - kernels.LAYERS + layer

    def arrays(self) -> list[np.ndarray]:
        """All that changes, without what the last call noted."""
        return [*(each for each in self.stack if each is not self.stack.log), self.taken_by]

    def serve(self, page: int, write: bool) -> tuple[bool, list[tuple[int, bool]]]:
        """A request: whether it was answered here, and (page, write) of what goes on to the file system, in order."""
        stack, hits = self.stack, self.stack.hits[kernels.PAGE, kernels.DATA]
        self._page[0], self._write[0] = page, write
        self._serve(self._page, self._write, self._file, self._options, stack)
        rows = stack.log[:, : stack.at[kernels.LOGGED]].tolist()
        sent = [(block - 1, bool(wrote)) for block, wrote in zip(rows[0], rows[1], strict=True)]
        return bool(stack.hits[kernels.PAGE, kernels.DATA] > hits), sent

    def pages(self) -> list[tuple[int, bool, bool]]:
        """(page, changed, read ahead and not asked for yet), the newest first."""
        stack, blocks = self.stack, self.stack.mark.size
        slots = newest_first(stack.links, self._closing(kernels.PAGE))
        held = [slot - kernels.PAGE * blocks for slot in slots]
        return [(block - 1, bool(stack.dirty[1, block]), bool(stack.fresh[block])) for block in held]

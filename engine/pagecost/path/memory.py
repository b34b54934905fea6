"""Stages in main memory: the database's buffer and the page cache of the operating system."""

from dataclasses import dataclass, replace

import numpy as np

from pagecost.buffer import References, replay
from pagecost.oscaches import Host
from pagecost.path.account import Passed
from pagecost.requests import READ, TRIM, WRITE, Requests


@dataclass(frozen=True)
class BufferStage:
    """A database's buffer of `frames` pages under a replacement policy, as `buffer.replay` has it.

    Page by page: a miss reads its page, whoever asked; a changed page that leaves is written just before the read
    that it makes room for, at the moment of the reference. Trims go on as they are. Pages still changed at the end
    are held, not written.
    """

    frames: int
    policy: str = "lru"
    name = "buffer"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests that were served before and are in no account. Raises ModelError as `replay`."""
        if warm_up is not None:
            return self.serve(warm_up.followed_by(requests)).after(self.serve(warm_up), requests)
        single, _ = requests.singles()
        trim = single.op == TRIM
        hit, caused = trim.copy(), np.zeros(single.size, np.int64)
        written, dirty_left = np.empty(0, np.int64), 0
        if not trim.all():
            made = References.of(single.page[~trim], single.op[~trim] == WRITE)
            run = replay(made, self.frames, self.policy, keep_written=True, each=True)
            assert run.hit is not None
            assert run.write_backs_before is not None
            assert run.written is not None
            hit[~trim] = run.hit
            caused[~trim] = np.diff(run.write_backs_before, prepend=0)
            written, dirty_left = run.written, run.dirty_left
        of = np.repeat(np.arange(single.size), caused + (~hit | trim))
        ends = np.cumsum(caused + (~hit | trim)) - 1
        own = np.zeros(of.size, bool)  # a miss's read, or a trim; the rest are write-backs
        own[ends[~hit | trim]] = True
        below = single.chosen(of)
        op = np.where(own, np.where(trim[of], TRIM, READ), WRITE).astype(np.uint8)
        page = below.page.copy()
        page[~own] = written
        stream = below.stream.copy()
        stream[~own] = _streams(single.chosen(~trim), written)
        handed = replace(below, op=op, page=page, stream=stream, pages=np.where(trim[of], below.pages, 1))
        return Passed.of(
            self.name,
            requests,
            replace(handed, pages=handed.pages.astype(np.int32)),
            absorbed_bytes=int(np.count_nonzero(hit & ~trim)) * requests.page_bytes,
            added_bytes=written.size * requests.page_bytes,
            held_bytes=dirty_left * requests.page_bytes,
        )


def _streams(single: Requests, pages: np.ndarray) -> np.ndarray:
    """The file of each of `pages`: that of the first request for it."""
    known, first = np.unique(single.page, return_index=True)
    return single.stream[first[np.searchsorted(known, pages)]] if pages.size else np.empty(0, single.stream.dtype)


@dataclass(frozen=True, kw_only=True)
class PageCacheStage:
    """The page cache of the operating system over one file, as `oscaches.Host` has it below a database's buffer.

    pages: its size, 0: direct. read_ahead_pages: largest window (32 in Linux). write_through: a write reaches the
    device at once; else when its page leaves or was changed `expires` page requests ago. file_pages: size of the
    file, None: up to the last page asked for. What comes out are blocks of the volume of a page each: an inode and
    indirect blocks lie among those of the file. Trims end here, as in a file system mounted without discard.
    """

    pages: int
    read_ahead_pages: int = 32
    write_through: bool = False
    expires: int = 1 << 40
    file_pages: int | None = None
    name = "page cache"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests that were served before and are in no account.

        Raises ModelError for pages outside the file and for a cache smaller than its window of read-ahead.
        """
        if warm_up is not None:
            both = warm_up.followed_by(requests)
            asked = both.chosen(both.op != TRIM)
            size = int((asked.page + asked.pages).max(initial=1)) if self.file_pages is None else self.file_pages
            sized = replace(self, file_pages=size)
            return sized.serve(both).after(sized.serve(warm_up), requests)
        single, _ = requests.chosen(requests.op != TRIM).singles()
        size = int(single.page.max(initial=0)) + 1 if self.file_pages is None else self.file_pages
        host = Host(
            buffer_pages=1,  # not asked: requests come from the buffer's stage
            page_cache_pages=self.pages,
            read_ahead_pages=self.read_ahead_pages if self.pages else 0,
            sync=self.write_through,
            expires=self.expires,
        )
        below = host.serve(single.page, single.op == WRITE, size, page_bytes=requests.page_bytes)
        handed = replace(
            single.chosen(below.cause),
            op=np.where(below.write, WRITE, READ).astype(np.uint8),
            page=below.block,
        )
        metadata = int(np.count_nonzero(below.page < 0))
        return Passed.of(
            self.name,
            requests,
            handed,
            absorbed_bytes=(below.read_hits + below.absorbed_writes + below.dirty_left) * requests.page_bytes
            + requests.bytes_of(TRIM),
            added_bytes=(below.prefetched + metadata) * requests.page_bytes,
            held_bytes=below.dirty_left * requests.page_bytes,
        )

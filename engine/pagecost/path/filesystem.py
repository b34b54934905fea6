"""The file system as a stage: pages of files become blocks of the volume that a device sees."""

from dataclasses import dataclass, replace

import numpy as np

from pagecost.errors import require
from pagecost.filesystem import FileSystem, LogStructured, driving_kernels
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.driving import drive
from pagecost.path.account import Passed
from pagecost.requests import READ, TRIM, WRITE, Requests

MOST_ROUNDS = 10_000_000


def blocks_asked(rows: np.ndarray, arrival_s: np.ndarray, block_bytes: int) -> Requests:
    """Rows of a plan, int64[n, 5], as requests for blocks of the volume."""
    return Requests(
        arrival_s,
        rows[:, kernels.OP].astype(np.uint8),
        rows[:, kernels.BLOCK].copy(),
        rows[:, kernels.BLOCK_COUNT].astype(np.int32),
        rows[:, kernels.STREAM].astype(np.int16),
        block_bytes,
    )


@dataclass(frozen=True, kw_only=True)
class FileSystemStage:
    """A volume of `volume_blocks` blocks with the files of a database, laid out in order before the first request.

    file_pages: pages of the file, or of each; None: one file up to the last page asked for. sync_every: a sync behind
    so many pages written and trims, 0: none, so that a log writes by the segment. A log-structured system is cleaned
    at its interval where requests have times, and every log when no clean segment is left. A trim deletes pages. What
    comes out are blocks (`page_bytes` is their size); `stream` is the stream of writes, not the file any more.
    """

    file_system: FileSystem
    volume_blocks: int
    file_pages: int | tuple[int, ...] | None = None
    sync_every: int = 1
    name = "file system"

    def serve(self, requests: Requests, warm_up: Requests | None = None) -> Passed:
        """warm_up: requests that were served before and are in no account.

        Raises ModelError as `FileSystem.state` and `filesystem.driving.drive`.
        """
        require(self.sync_every >= 0, f"sync_every must not be negative; got {self.sync_every}")
        if warm_up is not None:
            both = warm_up.followed_by(requests)
            sized = replace(self, file_pages=self._files(both))
            return sized.serve(both).after(sized.serve(warm_up), requests)
        fs = self.file_system.state(self.volume_blocks, self._files(requests), requests.page_bytes)
        single, _ = requests.singles()
        verb, page, pages, now_s = self._verbs(single)
        parts = [
            (rows, now_s[of])
            for rows, of, _ in drive(fs, verb, page, pages=pages, now_s=now_s, keep=True, sync_every=self.sync_every)
        ]
        rows = np.concatenate([rows for rows, _ in parts]) if parts else np.zeros((0, 5), np.int64)
        arrival_s = np.concatenate([arrival_s for _, arrival_s in parts]) if parts else np.zeros(0)
        handed = blocks_asked(rows, arrival_s, self.file_system.block_bytes)
        block_bytes = self.file_system.block_bytes
        held = int(fs.at[kernels.PENDING]) * requests.page_bytes
        carried = int(fs.blocks[:, kernels.DATA].sum()) * block_bytes
        return Passed.of(
            self.name,
            requests,
            handed,
            absorbed_bytes=int(fs.at[kernels.ABSORBED]) * block_bytes + requests.bytes_of(TRIM) + held,
            added_bytes=handed.bytes - carried,
            held_bytes=held,
        )

    def _files(self, requests: Requests) -> int | tuple[int, ...]:
        if self.file_pages is not None:
            return self.file_pages
        return int((requests.page + requests.pages).max(initial=1))

    def _verbs(self, single: Requests) -> tuple[np.ndarray, ...]:
        """(verb, page, pages, moment) of each request, and of each round of the cleaner between them."""
        assert (driving_kernels.READ, driving_kernels.WRITE, driving_kernels.DELETE) == (READ, WRITE, TRIM)
        columns = single.op.astype(np.int64), single.page, single.pages.astype(np.int64), single.arrival_s
        if not isinstance(self.file_system, LogStructured) or not single.size:
            return columns
        interval_s, first_s = self.file_system.cleaning_interval_s, single.arrival_s[0]
        rounds = int((single.arrival_s[-1] - first_s) / interval_s)
        require(
            rounds <= MOST_ROUNDS,
            f"a cleaner that wakes every {interval_s} s would wake {rounds} times; make the interval longer",
        )
        moment_s = first_s + interval_s * np.arange(1, rounds + 1)
        at = np.searchsorted(single.arrival_s, moment_s)
        added = np.full(rounds, driving_kernels.CLEAN), np.zeros(rounds, np.int64), np.ones(rounds, np.int64), moment_s
        return tuple(np.insert(column, at, more) for column, more in zip(columns, added, strict=True))

"""File systems of the room `filesystem` below a program: in place without a journal, and a log."""

from collections.abc import Mapping

import numpy as np

from pagecost.filesystem import FileSystem, InPlace, driving_kernels
from pagecost.filesystem import state_kernels as kernels
from pagecost.filesystem.driving import drive
from pagecost.filesystem.layouts import SEGMENT_BYTES
from pagecost.programs.ledger import BLOCK_BYTES, CLEANING, DATA, DROPPED, LOG, MERGED, METADATA, NOBODY, Ledger
from pagecost.programs.page_cache import File
from pagecost.requests import WRITE

ROOM = 2  # times what the files hold, so that a log is not cleaned within a run
LEAST_SEGMENTS = 64
IN_LOG, BY_CLEANER = 6, 5  # places of `volume.CAUSES`: a partial segment, and what the cleaner wrote


class Plain:
    """Gathers what is done to a volume and does it at the end. Files of one path have one place.

    pages: of each path, the most that it ever has.
    """

    def __init__(self, ledger: Ledger, file_system: FileSystem, pages: Mapping[str, int]):
        self.ledger, self.file_system = ledger, file_system
        self.pages = {path: max(1, count) for path, count in pages.items()} or {NOBODY: 1}
        firsts = np.append(0, np.cumsum(list(self.pages.values())))
        self.first = dict(zip(self.pages, map(int, firsts), strict=False))
        self.verbs: list[tuple[int, int, int, float]] = []
        self.paths: list[str] = []
        self.now_s = 0.0
        self.unsynced = False
        self.verbs_at_end = 0

    def written(self, file: File, pages: list[int], direct: bool) -> None:
        """Pages go to the volume, which a log gathers."""
        for page in pages:
            self._add(driving_kernels.WRITE, file.path, page)
        self.unsynced = True

    def cut(self, file: File, pages: int) -> None:
        """Pages behind are deleted."""
        left = self.pages[file.path] - pages
        if left > 0:
            self._add(driving_kernels.DELETE, file.path, pages, left)
            self.unsynced = True

    def unlinked(self, file: File) -> None:
        """All pages are deleted."""
        self.cut(file, 0)

    def synced(self, file: File, data_only: bool) -> None:
        """A sync, if anything was written since the last."""
        if self.unsynced:
            self._add(driving_kernels.SYNC, file.path, 0)
            self.unsynced = False

    def tick(self, now_s: float) -> None:
        """Time goes on."""
        self.now_s = now_s

    def settle(self) -> None:
        """A sync of all."""
        if self.unsynced:
            self._add(driving_kernels.SYNC, NOBODY, 0)
            self.unsynced = False

    def created(self, file: File) -> None:
        """Directories are not in these models."""

    def changed(self, file: File, grew: bool, pages: range) -> None:
        """Times of a file are written with its pages."""

    def allocated(self, file: File, pages: range) -> None:
        """Nothing is set aside."""

    def unnamed(self, file: File) -> None:
        """Directories are not in these models."""

    def released(self, file: File) -> None:
        """Its place may be another file's of this path by now."""

    def renamed(self, file: File) -> None:
        """Directories are not in these models."""

    def looked(self, file: File) -> None:
        """Nothing depends on it."""

    def ended(self) -> None:
        """Remembers what was done by now."""
        self.verbs_at_end = len(self.verbs)

    def finish(self) -> int:
        """Do it all. Bytes to the device until the program had ended."""
        if not self.verbs:
            return 0
        verb, page, pages, now_s = (np.array(column) for column in zip(*self.verbs, strict=True))
        total = sum(self.pages.values())
        blocks = ROOM * total + LEAST_SEGMENTS * SEGMENT_BYTES // BLOCK_BYTES
        fs = self.file_system.state(blocks, tuple(self.pages.values()), BLOCK_BYTES, laid_out=False)
        parts = [(rows, of) for rows, of, _ in drive(fs, verb, page, pages=pages, now_s=now_s - now_s[0], keep=True)]
        rows, of = np.concatenate([rows for rows, _ in parts]), np.concatenate([of for _, of in parts])
        kept = rows[:, kernels.OP] == WRITE
        return self._counted(rows[kept], of[kept])

    def _counted(self, rows: np.ndarray, of: np.ndarray) -> int:
        """Who caused each request; a partial segment is more than the pages in it."""
        pending: set[int] = set()
        at_end, at = 0, 0
        sizes = rows[:, kernels.BLOCK_COUNT] * BLOCK_BYTES
        for number, (verb, page, pages, _) in enumerate(self.verbs):
            path = self.paths[number]
            before = len(pending)
            if verb == driving_kernels.WRITE:
                pending.add(page)
                if len(pending) == before:  # it waited in the log already
                    self.ledger.count(path, DATA, -BLOCK_BYTES)
                    self.ledger.keep_back(path, MERGED, BLOCK_BYTES)
            elif verb == driving_kernels.DELETE:
                dropped = pending & set(range(page, page + pages))
                self.ledger.count(path, DATA, -BLOCK_BYTES * len(dropped))
                self.ledger.keep_back(path, DROPPED, BLOCK_BYTES * len(dropped))
                pending -= dropped
            logged = 0
            while at < of.size and of[at] == number:
                cause, size = int(rows[at, kernels.CAUSE]), int(sizes[at])
                self.ledger.write(int(rows[at, kernels.BLOCK]), int(rows[at, kernels.BLOCK_COUNT]))
                if cause == IN_LOG:
                    logged += size
                elif cause == BY_CLEANER:
                    self.ledger.count(path, CLEANING, size)
                elif cause != 0:
                    self.ledger.count(path, METADATA, size)
                at_end += size if number < self.verbs_at_end else 0
                at += 1
            if logged:
                self.ledger.count(path, LOG, logged - len(pending) * BLOCK_BYTES)
                pending.clear()
            elif verb == driving_kernels.SYNC or not self.logs:
                pending.clear()
        return at_end

    @property
    def logs(self) -> bool:
        """Whether pages wait for a partial segment."""
        return not isinstance(self.file_system, InPlace)

    def _add(self, verb: int, path: str, page: int, pages: int = 1) -> None:
        self.verbs.append((verb, self.first.get(path, 0) + page, pages, self.now_s))
        self.paths.append(path)

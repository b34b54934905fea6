"""Who wrote what to the device, and why: byte counts by file and cause, and the writes in order."""

from collections import defaultdict

import numpy as np

BLOCK_BYTES = 4096

DATA, PARTIAL, JOURNAL, METADATA, LOG, CLEANING = (
    "data",
    "partial pages",
    "journal",
    "metadata",
    "log",
    "cleaning",
)
CAUSES = {
    DATA: "what the program changed",
    PARTIAL: "rest of pages changed in part",
    JOURNAL: "journal of the file system",
    METADATA: "inodes, bitmaps, directories in place",
    LOG: "summaries and nodes of the log",
    CLEANING: "moved by the cleaner",
}
"""Why bytes reach the device, by name. `CLEANING` and `LOG` are those of a log-structured file system."""
MERGED, DROPPED = "merged", "dropped"
KEPT_BACK = {MERGED: "changed again before it was written", DROPPED: "deleted before it was written"}
"""Why bytes that were asked for do not."""
NOBODY = ""  # the file of what belongs to none


class Ledger:
    """Bytes by (path, cause); asked and kept back by path; writes as (first block, blocks) in order.

    asked + partial pages + what the file system adds = to the device + kept back.
    """

    def __init__(self):
        self.bytes: dict[tuple[str, str], int] = defaultdict(int)
        self.asked: dict[str, int] = defaultdict(int)
        self.kept_back: dict[tuple[str, str], int] = defaultdict(int)
        self.writes: list[tuple[int, int]] = []
        self.commits = 0

    def write(self, block: int, blocks: int = 1) -> None:
        """A request to the device."""
        self.writes.append((block, blocks))

    def count(self, path: str, cause: str, size: int) -> None:
        """Bytes of it, which a file caused."""
        if size:
            self.bytes[path, cause] += size

    def keep_back(self, path: str, why: str, size: int) -> None:
        """Bytes that were asked for and do not reach the device."""
        if size:
            self.kept_back[path, why] += size

    @property
    def device_bytes(self) -> int:
        """Bytes to the device so far."""
        return sum(self.bytes.values())

    def blocks(self) -> np.ndarray:
        """Every block that was written, in order, int64[n]; part of a block counts as one."""
        if not self.writes:
            return np.zeros(0, np.int64)
        firsts, counts = np.array(self.writes, np.int64).T
        return np.repeat(firsts - np.append(0, np.cumsum(counts)[:-1]), counts) + np.arange(counts.sum())

"""What a program did to files: a recording as events, the same whoever recorded it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pagecost.programs.block_requests import BlockRequests

(
    EXISTS,
    CREATE,
    WRITE,
    SYNC,
    DATA_SYNC,
    START_WRITING,
    SYNC_ALL,
    TRUNCATE,
    ALLOCATE,
    UNLINK,
    RENAME,
    CLOSE,
    LOOK,
    LINK,
    RELEASE,
) = range(15)
"""EXISTS: a file of `size` bytes was there before. START_WRITING: sync_file_range, which waits for no journal.
ALLOCATE: room is set aside, nothing written. CLOSE: of a file that may be written to. LOOK: somebody asked for size
and times. LINK: one more name. UNLINK: a name goes, and the file with it unless `HELD`; RELEASE: then it goes."""

SYNCED, DATA_SYNCED, DIRECT, CUT, HELD = 1, 2, 4, 8, 16
"""Flags of an event: the write is as if followed by fsync or fdatasync (O_SYNC, O_DSYNC), goes past the page cache
(O_DIRECT); CUT: a close after the file was cut to nothing, an unlink by a rename over it; HELD: an unlink of a file
that has another name or is open, the creation of one without a name (O_TMPFILE)."""


class Event(NamedTuple):
    """file: its number in the recording. offset, size [B]: of TRUNCATE the new size stands in `size`. process: who."""

    kind: int
    time_s: float
    file: int
    offset: int = 0
    size: int = 0
    flags: int = 0
    process: int = 0


@dataclass(frozen=True, eq=False)
class Recording:
    """Events in order; paths: of each file when it was first seen or named, by number.

    seconds: from start to end. command: its words, empty where unknown. exit_code: None where unknown; negative: the
    signal that killed it. unseen: what strace cannot tell, a sentence each; misses_writes: whether that may be writes.
    background_bytes: dirty bytes at which the recording machine's kernel starts to write, None where unknown. inodes:
    of files and folders that were still there when the command had ended; folders: of its paths, those that are none
    of a file.
    file_system: that most files lie on, as Linux calls it, ext2 for an ext4 without journal; empty where unknown.
    seen_bytes: what each block device was seen to get from all processes of the machine until the command had ended.
    block: the device's own requests, where they were recorded as well.
    """

    events: list[Event]
    paths: list[str]
    seconds: float
    command: tuple[str, ...] = ()
    exit_code: int | None = None
    unseen: tuple[str, ...] = ()
    misses_writes: bool = False
    background_bytes: float | None = None
    processes: int = 1
    labels: list[str] = field(default_factory=list)
    inodes: dict[str, int] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    seen_bytes: dict[str, int] = field(default_factory=dict)
    file_system: str = ""
    block: BlockRequests | None = None

    @property
    def asked_bytes(self) -> int:
        """Bytes that were handed over by write calls."""
        return sum(event.size for event in self.events if event.kind == WRITE)

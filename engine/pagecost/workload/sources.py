"""Where page references come from, by one name: recordings, generated loads, and trace files of your own.

A `Source` is a value: equal sources give equal requests, so what was computed from one may be kept under it.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from pagecost.errors import ModelError, require, there_is
from pagecost.requests import Requests
from pagecost.workload import tpox, traces
from pagecost.workload.loads import LOADS
from pagecost.workload.shuffled import is_wanted, order

PIECE = 1 << 18  # requests of a generated load that are handed on at once
DIGESTED_WHOLE_BYTES = 32 << 20  # a file up to this size is digested whole: some 50 ms
DIGESTED_PART_BYTES = 4 << 20  # of a larger one its first, middle and last bytes


class Version(NamedTuple):
    """What tells the content of a file from another one that stands under the same path at another time.

    changed_ns: time of the last change. digest: BLAKE2b of the whole content up to 32 MiB; of a larger file of its
    first, middle and last 4 MiB, so that a change between them shows by size or time only.
    """

    path: Path
    size_bytes: int
    changed_ns: int
    digest: str

    @classmethod
    def of(cls, path: Path) -> "Version":
        """The version of a file as it is now."""
        stat = path.stat()
        digest = hashlib.blake2b(digest_size=16)
        with path.open("rb") as file:
            if stat.st_size <= DIGESTED_WHOLE_BYTES:
                digest.update(file.read())
            else:
                for start in (0, stat.st_size // 2, stat.st_size - DIGESTED_PART_BYTES):
                    file.seek(start)
                    digest.update(file.read(DIGESTED_PART_BYTES))
        return cls(path, stat.st_size, stat.st_mtime_ns, digest.hexdigest())


@dataclass(frozen=True)
class Source:
    """A load with its version. Make one with `named`; all fields are part of its value.

    name: as it was asked for. format, asked_page_bytes: as they were asked for, of a file. page_bytes: of its pages.
    version: of the file; None of a generated load, which is code. The first `warm_up` page references are not counted.
    shuffled: whether what is read comes in another order.
    """

    name: str
    format: str | None
    asked_page_bytes: int | None
    page_bytes: int
    warm_up: int
    version: Version | None
    shuffled: bool = False

    def pieces(self, progress: Callable[[float], None] = traces.no_progress) -> "Pieces":
        """Its requests piece by piece. Raises ModelError as `Pieces` does."""
        return Pieces(self.name, self.format, self.asked_page_bytes, progress)

    def read(self, progress: Callable[[float], None] = traces.no_progress) -> traces.Trace:
        """All its requests, in the order of time.

        Raises ModelError for whatever reading the file raises, and when the file is no longer of this version.
        """
        found = self._read(progress)
        if not self.shuffled:
            return found
        return replace(found, requests=found.requests.reordered(order(found.requests.size)))

    def _read(self, progress: Callable[[float], None]) -> traces.Trace:
        pieces = self.pieces(progress)
        if self.version is None:
            return traces.Trace(None, pieces.format, pieces.requests(), pieces.tally)
        recording = traces.recordings().get(self.name)
        own = recording.page_bytes if recording else None
        found = traces.read(self.version.path, pieces.asked_format, self.asked_page_bytes, progress, own)
        self.refuse_another()
        return found

    def refuse_another(self) -> None:
        """Raise ModelError when the file was changed since the source was named."""
        if self.version is not None:
            same = self.version.path.is_file() and Version.of(self.version.path) == self.version
            require(same, f"trace {self.version.path}: the file changed while it was read; ask again")


def named(name: str, format: str | None = None, page_bytes: int | None = None) -> Source:
    """A source by its name, or a trace file by its path; behind `#` may stand what its columns mean.

    format: of a file, where its first lines do not tell. page_bytes: of a page, where the trace does not say it.
    Raises ModelError for an unknown name, and for a file that is missing, empty, a folder or of no known format.
    """
    pieces = Pieces(name, format, page_bytes)
    version = Version.of(pieces.path) if pieces.path else None
    return Source(name, format, page_bytes, pieces.page_bytes, pieces.warm_up, version, is_wanted())


def titles() -> dict[str, str]:
    """Every source that comes with pagecost: name -> title."""
    recorded = {name: recording.title for name, recording in traces.recordings().items()}
    return recorded | {name: load.title for name, load in LOADS.items()}


def is_file(name: str) -> bool:
    """Whether a source is a trace file and not one that comes with pagecost, whose pages have a size of their own."""
    return name not in titles()


def check(name: str) -> None:
    """Raise ModelError, as `named` does, unless it is a source; of a file only the first lines are read."""
    if name not in LOADS:
        Pieces(name)


def titles_of_systems() -> dict[str, str]:
    """What a system may be asked for, beside trace files: name -> title. TPoX is no source of pages by itself."""
    return titles() | {tpox.SOURCE: tpox.TITLE}


def check_of_system(name: str) -> None:
    """Raise ModelError unless a system may be asked for it, as `check` says."""
    if name != tpox.SOURCE:
        check(name)


class Pieces:
    """A source piece by piece, whatever its size: iterate once over `Requests`; `tally` counts what was no request.

    The first `warm_up` page references are not to be counted. name, format, page_bytes: as for `named`, which raises
    what this does. asked_format: of a file, as it was asked for in either way. progress(share) is
    called between pieces and may raise.
    """

    def __init__(
        self,
        name: str,
        format: str | None = None,
        page_bytes: int | None = None,
        progress: Callable[[float], None] = traces.no_progress,
    ):
        self._progress, self._load = progress, LOADS.get(name)
        if self._load is not None:
            self.path, self.format, self.tally = None, "generated", traces.Tally()
            self.asked_format = format
            self.page_bytes, self.warm_up = self._load.page_bytes, self._load.warm_up
            self.tally.say(self._load.note, *traces.not_asked_for(self.page_bytes, page_bytes))
            return
        recording = traces.recordings().get(name)
        if recording is None:
            name, format = traces.with_columns(name, format)
        self.asked_format = format
        require(name.strip() != "", f"no trace is named; known: {', '.join(titles())}, or the path of a trace file")
        require(
            recording is not None or there_is(traces.path_of(name)) or traces.looks_like_a_path(name),
            f"unknown trace {name!r}; known: {', '.join(titles())}, or the path of a trace file",
        )
        self.path, self.warm_up = recording.path if recording else traces.path_of(name), 0
        own = recording.page_bytes if recording else None
        self._reading = traces.Reading(self.path, format, page_bytes, progress, own_page_bytes=own)
        self.format, self.tally = self._reading.format.name, self._reading.tally
        self.page_bytes = self._reading.page_bytes

    def requests(self) -> Requests:
        """All requests of a generated load, anew. Raises ModelError for a file, which is read piece by piece."""
        if self._load is None:
            raise ModelError(f"trace {self.path}: this is a file, no generated load")
        return self._load.requests()

    def refuse_nothing(self, requests: int) -> None:
        """Raise ModelError, with the first line that was rejected, when there were no requests."""
        if self._load is None:
            self._reading.refuse_nothing(requests)

    def __iter__(self) -> Iterator[Requests]:
        if self._load is None:
            yield from self._reading
            return
        requests = self.requests()
        for start in range(0, requests.size, PIECE):
            self._progress(start / requests.size)
            yield requests.chosen(slice(start, start + PIECE))

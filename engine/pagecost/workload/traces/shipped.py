"""The recordings that come with pagecost, listed in `datasets/traces/traces.csv`."""

import csv
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pagecost import catalogue
from pagecost.errors import ModelError, require, there_is
from pagecost.workload.traces.reading import Trace, no_progress, read
from pagecost.workload.traces.table_formats import PREFIX


@dataclass(frozen=True)
class Recording:
    """A recording of a real system. accesses counts pages; page_bytes is the system's page size.

    transactions: that were recorded. log_stream: the stream of the log, of which a write is a commit; None where the
    log is not in the trace.
    """

    name: str
    path: Path
    title: str
    page_bytes: int
    accesses: int
    distinct_pages: int
    transactions: int
    log_stream: int | None


@functools.cache
def recordings() -> dict[str, Recording]:
    """Every recording by its name."""
    folder = catalogue.root() / "traces"
    with (folder / "traces.csv").open(encoding="utf8", newline="") as lines:
        return {
            row["name"]: Recording(
                row["name"],
                folder / row["file"],
                row["title"],
                int(row["page_bytes"]),
                int(row["accesses"]),
                int(row["distinct_pages"]),
                int(row["transactions"]),
                int(row["log_stream"]) if row["log_stream"] else None,
            )
            for row in csv.DictReader(lines)
        }


def load(name: str, progress: Callable[[float], None] = no_progress, format: str | None = None) -> Trace:
    """A recording by its name, or a trace file by its path.

    progress and format as in `read`. Raises ModelError when `name` is neither, and whatever `read` raises.
    """
    if name in recordings():
        recording = recordings()[name]
        return read(recording.path, None, None, progress, recording.page_bytes)
    name, format = with_columns(name, format)
    path = path_of(name)
    if not there_is(path) and not looks_like_a_path(name):
        raise ModelError(f"unknown trace {name!r}; known: {', '.join(recordings())}, or the path of a trace file")
    return read(path, format, None, progress)


def path_of(text: str) -> Path:
    """The path that a text names: as typed, with ~, or as file managers copy it, in quotes or as file://…"""
    text = text.strip().strip("\"'")
    if text.lower().startswith("file:"):
        text = url2pathname(urlsplit(text).path)
    return Path(text).expanduser()


def with_columns(text: str, format: str | None = None) -> tuple[str, str | None]:
    """(path, format) of a text like `mine.csv#time=0,op=1,offset=2`, which says what the columns of the file mean.

    Any other text stays as it is, and so does one that names a file with a # in its name. Raises ModelError where a
    format is asked for besides.
    """
    path, sign, columns = text.rpartition("#")
    if not sign or "=" not in columns or there_is(path_of(text)):
        return text, format
    require(format is None, f"the columns {columns!r} and the format {format} are both asked for; name one of them")
    return path, f"{PREFIX}{columns}"


def looks_like_a_path(text: str) -> bool:
    """Whether a text that names nothing known was meant as a path."""
    return "/" in text or "\\" in text or bool(Path(text).suffix)

"""Reading what strace wrote: calls become events, file by file.

Understood is the text of `strace -f -y -ttt` into one file (`programs.recorder.OPTIONS`), at any length of strings. A
position is kept by open file: descriptors of one open share it, by dup and by fork
(docs/models/programs.md#the-recording).
"""

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pagecost.errors import ModelError, require
from pagecost.programs.block_requests import of_plain
from pagecost.programs.causes import labels
from pagecost.programs.events import Recording
from pagecost.programs.strace_calls import HANDLERS, HOLES
from pagecost.programs.strace_files import NO_DISK, Call, Files

HEAD = "# pagecost wear "
LINE = re.compile(r"(?:\[pid\s+)?(\d+)?\]?\s*(\d+\.\d+) (.*)")
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|\?|0x[0-9a-f]+)(.*)", re.DOTALL)
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)", re.DOTALL)
MAPPED = "What is written through memory maps is not seen: {names}."
LEFT_OUT = "{count} lines of the recording are no calls that can be read; the first is: {line}"
MOST_NAMED = 5


def read(path: Path | str) -> Recording:
    """A recording from a file, plain or gzip. Raises ModelError where it cannot be read or holds no call."""
    path = Path(path)
    try:
        data = path.read_bytes()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, gzip.BadGzipFile) as error:
        raise ModelError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    return parse(data.decode("utf8", "replace").splitlines(), str(path))


def parse(lines: Iterable[str], name: str = "the recording") -> Recording:
    """Events of strace's lines. Raises ModelError where no line is a call."""
    reader = _Reader()
    for line in lines:
        if line.startswith(HEAD):
            reader.head = _head(line, name)
            reader.files.no_disk = tuple(reader.head.get("no_disk", NO_DISK))
        else:
            reader.line(line)
    require(
        reader.calls > 0 or bool(reader.head),
        f"{name} is no recording of strace with times (-f -y -ttt): no line of it is a system call with a time",
    )
    return reader.recording()


def _head(line: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(line.removeprefix(HEAD))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{name}: its first line, which says how it was recorded, is damaged: {error}") from error
    require(isinstance(found, dict), f"{name}: its first line, which says how it was recorded, is damaged")
    require(
        found.get("version") == 1,
        f"{name} was recorded by another version: this one reads version 1, it has {found.get('version')}",
    )
    return found


class _Reader:
    """Lines in order, and what they tell of files."""

    def __init__(self):
        self.head: dict[str, Any] = {}
        self.files = Files()
        self.calls = self.odd = 0
        self.first_odd = ""
        self.first_s = self.last_s = 0.0
        self.processes: set[str] = set()

    def line(self, line: str) -> None:
        found = LINE.match(line)
        if not found:
            self.left_out(line)
            return
        process, moment, rest = found[1] or "0", float(found[2]), found[3]
        if process not in self.files.descriptors.tables:
            self.files.begun(process)
        if rest.endswith("<unfinished ...>"):
            self.files.waiting[process] = rest.removesuffix("<unfinished ...>").rstrip()
            return
        if rest.startswith("<..."):
            resumed, begun = RESUMED.match(rest), self.files.waiting.pop(process, None)
            if not resumed or begun is None:
                return
            rest = begun + resumed[2]
        call = CALL.match(rest)
        if not call:
            if rest.startswith("+++"):
                self.files.released(self.files.descriptors.exit(process), moment, process)
            if not rest.startswith(("+++", "---", "???")):
                self.left_out(line)
            self.last_s = max(self.last_s, moment)
            return
        self.first_s = moment if not self.calls else min(self.first_s, moment)
        self.last_s = max(self.last_s, moment)
        self.calls += 1
        self.processes.add(process)
        handler = HANDLERS.get(call[1])
        if handler:
            failed = call[3].startswith("-1") or call[3] == "?"
            handler(self.files, Call(call[1], call[2], call[3], call[4], moment, process, failed))

    def left_out(self, line: str) -> None:
        if line.strip() and not line.startswith(("strace:", "#")):
            self.odd += 1
            self.first_odd = self.first_odd or line.strip()[:80]

    def recording(self) -> Recording:
        """What was read."""
        self.files.end(self.last_s)
        unseen = list(self.files.unseen)
        if self.files.mapped:
            more = f" and {len(self.files.mapped) - MOST_NAMED} more" if len(self.files.mapped) > MOST_NAMED else ""
            unseen.append(MAPPED.format(names=", ".join([*self.files.mapped][:MOST_NAMED]) + more))
        if self.odd:
            unseen.append(LEFT_OUT.format(count=self.odd, line=self.first_odd))
        code = self.head.get("exit_code")
        return Recording(
            events=self.files.events,
            paths=self.files.paths,
            labels=labels(self.files.paths),
            seconds=float(self.head.get("seconds") or self.last_s - self.first_s),
            command=tuple(map(str, self.head.get("command", ()))),
            exit_code=code if isinstance(code, int) else None,
            unseen=tuple(unseen),
            misses_writes=any(sentence != HOLES for sentence in unseen),
            background_bytes=self.head.get("background_bytes"),
            processes=len(self.processes),
            inodes=self.head.get("inodes", {}),
            folders=tuple(self.head.get("folders", ())),
            seen_bytes=self.head.get("seen_bytes", {}),
            file_system=self.head.get("file_system", ""),
            block=of_plain(self.head["block"]) if "block" in self.head else None,
        )


__all__ = ["HANDLERS", "HEAD", "NO_DISK", "parse", "read"]

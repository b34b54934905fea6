"""Reading what strace wrote: calls become events, file by file.

Understood is the text of `strace -f -y -ttt` into one file (`programs.recorder.OPTIONS`), at any length of strings. A
file's position is kept by path, not by open file: whoever writes by `write` without O_APPEND continues where the last
`write`, `lseek` or opening for writing left off.
"""

import gzip
import json
import posixpath
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pagecost.errors import ModelError, require
from pagecost.programs.block_requests import of_plain
from pagecost.programs.causes import labels
from pagecost.programs.events import (
    ALLOCATE,
    CLOSE,
    CREATE,
    CUT,
    DATA_SYNC,
    DATA_SYNCED,
    DIRECT,
    EXISTS,
    LOOK,
    RENAME,
    START_WRITING,
    SYNC,
    SYNC_ALL,
    SYNCED,
    TRUNCATE,
    UNLINK,
    WRITE,
    Event,
    Recording,
)

HEAD = "# pagecost wear "
NO_DISK = ("/dev", "/proc", "/sys")  # where nothing lies on a device, if the recording does not say where
LINE = re.compile(r"(?:\[pid\s+)?(\d+)?\]?\s*(\d+\.\d+) (.*)")
CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+|\?|0x[0-9a-f]+)(.*)", re.DOTALL)
RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)", re.DOTALL)
OPENED = re.compile(r"(?:\d+|AT_FDCWD)<((?:[^>]|>\(deleted)*)>")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
SIZE = re.compile(r"st_mode=S_IFREG\b.*?st_size=(\d+)|stx_mode=S_IFREG\b.*?stx_size=(\d+)")
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
COPIES = {"copy_file_range": 2, "sendfile": 0, "sendfile64": 0, "splice": 2}  # which argument the target is
MAPPED = "What is written through memory maps is not seen: {names}."
RING = "The program uses io_uring, whose requests strace does not see; what it writes so is missing."
SUBMITTED = "The program submits asynchronous writes (io_submit), which are not decoded; what it writes so is missing."
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
            reader.no_disk = tuple(reader.head.get("no_disk", NO_DISK))
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


def readable(text: str) -> str:
    """A path as strace prints it, with what it escaped."""
    if "\\" in text:
        try:
            return text.encode("latin1", "replace").decode("unicode_escape").encode("latin1").decode("utf8", "replace")
        except UnicodeError:
            return text
    return text


class Opening(NamedTuple):
    """A file was opened to be written to, and nobody knows yet whether it was there before."""

    time_s: float
    process: int
    creates: bool
    flags: int
    appends: bool


class _Reader:
    """State between the lines: which path is which file, how large, and where its position is."""

    def __init__(self):
        self.head: dict[str, Any] = {}
        self.no_disk: tuple[str, ...] = NO_DISK
        self.events: list[Event] = []
        self.paths: list[str] = []
        self.of: dict[str, int] = {}
        self.gone: dict[str, int] = {}
        self.absent: set[str] = set()
        self.size: list[int] = []
        self.position: list[int] = []
        self.flags: list[int] = []
        self.appends: list[bool] = []
        self.cut: set[int] = set()
        self.opening: dict[str, Opening] = {}
        self.waiting: dict[str, str] = {}
        self.folder: dict[str, str] = {}
        self.mapped: dict[str, None] = {}
        self.unseen: dict[str, None] = {}
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
        if rest.endswith("<unfinished ...>"):
            self.waiting[process] = rest.removesuffix("<unfinished ...>").rstrip()
            return
        if rest.startswith("<..."):
            resumed, begun = RESUMED.match(rest), self.waiting.pop(process, None)
            if not resumed or begun is None:
                return
            rest = begun + resumed[2]
        call = CALL.match(rest)
        if not call:
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
            handler(self, _Call(call[1], call[2], call[3], call[4], moment, process, failed))

    def left_out(self, line: str) -> None:
        if line.strip() and not line.startswith(("strace:", "#")):
            self.odd += 1
            self.first_odd = self.first_odd or line.strip()[:80]

    def recording(self) -> Recording:
        """What was read."""
        unseen = list(self.unseen)
        if self.mapped:
            more = f" and {len(self.mapped) - MOST_NAMED} more" if len(self.mapped) > MOST_NAMED else ""
            unseen.append(MAPPED.format(names=", ".join([*self.mapped][:MOST_NAMED]) + more))
        if self.odd:
            unseen.append(LEFT_OUT.format(count=self.odd, line=self.first_odd))
        code = self.head.get("exit_code")
        return Recording(
            events=self.events,
            paths=self.paths,
            labels=labels(self.paths),
            seconds=float(self.head.get("seconds") or self.last_s - self.first_s),
            command=tuple(map(str, self.head.get("command", ()))),
            exit_code=code if isinstance(code, int) else None,
            unseen=tuple(unseen),
            background_bytes=self.head.get("background_bytes"),
            processes=len(self.processes),
            inodes=self.head.get("inodes", {}),
            folders=tuple(self.head.get("folders", ())),
            seen_bytes=self.head.get("seen_bytes", {}),
            file_system=self.head.get("file_system", ""),
            block=of_plain(self.head["block"]) if "block" in self.head else None,
        )

    def on_disk(self, path: str) -> bool:
        return path.startswith("/") and not any(path == at or path.startswith(at + "/") for at in self.no_disk)

    def number(self, arguments: str, moment: float, existing: int | None = None) -> int | None:
        """The open file that stands first, a new number if it was not seen; None where it lies on no device.

        existing: its size, if that is known.
        """
        found = OPENED.match(arguments)
        if not found:
            return None
        path, deleted = found[1], arguments.startswith("(deleted)", found.end())
        if path.endswith(" (deleted)"):
            path, deleted = path.removesuffix(" (deleted)"), True
        path = readable(path)
        if not self.on_disk(path):
            return None
        if deleted and path in self.gone:
            return self.gone[path]
        return self.file(path, moment, existing)

    def file(self, path: str, moment: float, existing: int | None = None) -> int:
        """The number of a path; one that is new to the recording is made or was there before."""
        number = self.of.get(path)
        if number is None:
            opening = self.opening.pop(path, None)
            if opening and opening.creates and not existing:
                number = self.made(path, opening.time_s, opening.process)
            else:
                number = self.new(path)
                self.size[number] = existing or 0
                self.events.append(Event(EXISTS, moment, number, 0, -1 if existing is None else existing))
            if opening:
                self.flags[number], self.appends[number] = opening.flags, opening.appends
        return number

    def made(self, path: str, moment: float, process: int) -> int:
        number = self.new(path)
        self.events.append(Event(CREATE, moment, number, process=process))
        return number

    def new(self, path: str) -> int:
        number = len(self.paths)
        self.of[path] = number
        self.paths.append(path)
        for column in (self.size, self.position, self.flags):
            column.append(0)
        self.appends.append(False)
        return number

    def named(self, call: "_Call") -> list[str]:
        """The absolute paths among the arguments, relative ones in the folder that stands before or the process's."""
        found, at = [], 0
        for text in TEXT.finditer(call.arguments):
            path = readable(text[1])
            if not path.startswith("/"):
                folders = OPENED.findall(call.arguments[at : text.start()])
                base = readable(folders[-1]) if folders else self.folder.get(call.process, self.folder.get("", "/"))
                path = posixpath.join(base, path)
            at = text.end()
            found.append(posixpath.normpath(path))
        return found

    def add(self, kind: int, call: "_Call", number: int, offset: int = 0, size: int = 0, flags: int = 0) -> None:
        self.events.append(Event(kind, call.time_s, number, offset, size, flags, int(call.process)))

    def cut_to(self, call: "_Call", number: int, size: int) -> None:
        if size == 0 and self.size[number]:
            self.cut.add(number)
        self.size[number] = size
        self.add(TRUNCATE, call, number, size=size)


class _Call(NamedTuple):
    """A call as strace tells it. returned: the number; behind: what follows it."""

    name: str
    arguments: str
    returned: str
    behind: str
    time_s: float
    process: str
    failed: bool

    @property
    def numbers(self) -> list[int]:
        """The whole numbers among the arguments, in order."""
        return [int(part) for part in self.arguments.split(", ") if part.lstrip("-").isdigit()]


def opened(self: _Reader, call: _Call) -> None:
    """open, openat, creat."""
    if call.arguments.startswith("AT_FDCWD<") and (folder := OPENED.match(call.arguments)):
        self.folder[call.process] = self.folder[""] = readable(folder[1])
    if call.failed:
        if "ENOENT" in call.behind:
            self.absent.update(self.named(call))
        return
    found, words = OPENED.match(call.returned + call.behind), call.arguments.rpartition('"')[2]
    if not found or not ("O_WRONLY" in words or "O_RDWR" in words or call.name == "creat"):
        return
    path = readable(found[1])
    if not self.on_disk(path) or "O_TMPFILE" in words:
        return
    creates, cuts = "O_CREAT" in words or call.name == "creat", "O_TRUNC" in words or call.name == "creat"
    flags = DIRECT if "O_DIRECT" in words else 0
    flags |= DATA_SYNCED if "O_DSYNC" in words else SYNCED if "O_SYNC" in words else 0
    if path not in self.of:
        if not (creates and (cuts or "O_EXCL" in words or path in self.absent)):
            self.opening[path] = Opening(call.time_s, int(call.process), creates, flags, "O_APPEND" in words)
            return
        self.made(path, call.time_s, int(call.process))
    elif cuts:
        self.cut_to(call, self.of[path], 0)
    self.absent.discard(path)
    number = self.of[path]
    self.position[number], self.flags[number], self.appends[number] = 0, flags, "O_APPEND" in words


def written(self: _Reader, call: _Call) -> None:
    """write and its kin; copies in the kernel count as writes to where they go."""
    size = 0 if call.failed else int(call.returned)
    arguments, name = call.arguments, call.name
    if name in COPIES:
        arguments = ", ".join(arguments.split(", ")[COPIES[name] :])
    number = None if size <= 0 else self.number(arguments, call.time_s)
    if number is None:
        return
    offset, flags = -1, self.flags[number]
    if name.startswith("pwrite"):
        numbers = call.numbers
        offset = numbers[-1] if numbers else -1
        flags |= DATA_SYNCED if "RWF_DSYNC" in arguments else SYNCED if "RWF_SYNC" in arguments else 0
        if name == "pwritev2" and len(numbers) > 1 and arguments.rsplit(", ", 1)[1].isdigit():
            offset = numbers[-2]  # the last one are the flags, 0
    if offset < 0:
        offset = self.size[number] if self.appends[number] else self.position[number]
        self.position[number] = offset + size
    self.size[number] = max(self.size[number], offset + size)
    self.add(WRITE, call, number, offset, size, flags)


def synced(self: _Reader, call: _Call) -> None:
    """fsync, fdatasync, sync_file_range, sync, syncfs."""
    if call.failed:
        return
    if call.name in ("sync", "syncfs"):
        self.add(SYNC_ALL, call, -1)
        return
    kinds = {"fsync": SYNC, "fdatasync": DATA_SYNC, "sync_file_range": START_WRITING}
    number = self.number(call.arguments, call.time_s)
    if number is None:
        return
    if call.name == "sync_file_range":
        offset, size = call.numbers[:2]
        if "SYNC_FILE_RANGE_WRITE" in call.arguments:
            self.add(START_WRITING, call, number, offset, size)
    else:
        self.add(kinds[call.name], call, number)


def cut(self: _Reader, call: _Call) -> None:
    """truncate, ftruncate."""
    if call.failed:
        return
    paths = [path for path in self.named(call) if self.on_disk(path)] if call.name.startswith("truncate") else []
    number = self.file(paths[0], call.time_s) if paths else self.number(call.arguments, call.time_s)
    if number is not None:
        self.cut_to(call, number, call.numbers[-1])


def allocated(self: _Reader, call: _Call) -> None:
    """fallocate, of which only setting room aside is followed."""
    number = None if call.failed else self.number(call.arguments, call.time_s)
    if number is None:
        return
    offset, size = call.numbers[-2:]
    if "PUNCH_HOLE" in call.arguments or "COLLAPSE" in call.arguments or "INSERT" in call.arguments:
        self.unseen["Holes that the program punches into files (fallocate) are not followed."] = None
        return
    if "KEEP_SIZE" not in call.arguments:
        self.size[number] = max(self.size[number], offset + size)
    self.add(ALLOCATE, call, number, offset, size)


def unlinked(self: _Reader, call: _Call) -> None:
    """unlink, unlinkat, rmdir."""
    for path in self.named(call):
        if call.failed:
            self.absent.update([path] if "ENOENT" in call.behind else [])
        elif self.on_disk(path):
            number = self.file(path, call.time_s)
            self.add(UNLINK, call, number)
            self.gone[path] = self.of.pop(path)
            self.absent.add(path)


def renamed(self: _Reader, call: _Call) -> None:
    """rename and its kin; who stood under the new name is gone."""
    paths = self.named(call)
    if call.failed or len(paths) != 2 or not all(map(self.on_disk, paths)):
        return
    source, target = paths
    number = self.file(source, call.time_s)
    replaced = self.of.get(target)
    self.add(RENAME, call, number, flags=CUT if replaced is not None else 0)
    if replaced is not None:
        self.add(UNLINK, call, replaced, flags=CUT)
        self.gone[target] = replaced
    self.of[target] = self.of.pop(source)
    self.absent.add(source)
    self.absent.discard(target)


def closed(self: _Reader, call: _Call) -> None:
    """close: ext4 writes a file that was cut to nothing and filled again."""
    found = OPENED.match(call.arguments)
    number = self.of.get(readable(found[1])) if found else None
    if number in self.cut and number is not None:
        self.cut.discard(number)
        self.add(CLOSE, call, number, flags=CUT)


def looked(self: _Reader, call: _Call) -> None:
    """stat and its kin: they tell how large a file is, and that it is not there."""
    if call.failed:
        if "ENOENT" in call.behind:
            self.absent.update(self.named(call))
        return
    size = SIZE.search(call.arguments)
    if not size:
        return
    existing = int(size[1] or size[2])
    paths = self.named(call) if '""' not in call.arguments and TEXT.search(call.arguments) else []
    if paths:
        number = self.of.get(paths[0])
        if number is None and paths[0] in self.opening:
            number = self.file(paths[0], call.time_s, existing)
    else:
        found = OPENED.match(call.arguments)
        path = readable(found[1]) if found else ""
        number = self.of.get(path)
        if number is None and path in self.opening:
            number = self.file(path, call.time_s, existing)
    if number is not None:
        self.add(LOOK, call, number)


def sought(self: _Reader, call: _Call) -> None:
    """lseek."""
    found = None if call.failed else OPENED.match(call.arguments)
    if not found:
        return
    path, place = readable(found[1]), int(call.returned)
    number = self.of.get(path)
    if number is None and path in self.opening:
        number = self.file(path, call.time_s, place if "SEEK_END" in call.arguments else None)
    if number is not None:
        self.position[number] = place


def mapped(self: _Reader, call: _Call) -> None:
    """mmap, shared and writable."""
    if "MAP_SHARED" in call.arguments and "PROT_WRITE" in call.arguments and not call.failed:
        found = OPENED.search(call.arguments)
        if found and self.on_disk(readable(found[1])):
            self.mapped[readable(found[1])] = None


def rings(self: _Reader, call: _Call) -> None:
    """io_uring_setup, io_submit."""
    if not call.failed:
        self.unseen[RING if call.name.startswith("io_uring") else SUBMITTED] = None


def moved(self: _Reader, call: _Call) -> None:
    """chdir, fchdir."""
    if call.failed:
        return
    paths, found = self.named(call), OPENED.match(call.arguments)
    if paths or found:
        self.folder[call.process] = paths[0] if paths else readable(found[1])  # type: ignore[index]


HANDLERS = (
    dict.fromkeys(("open", "openat", "creat"), opened)
    | dict.fromkeys((*WRITES, *COPIES), written)
    | dict.fromkeys(("fsync", "fdatasync", "sync_file_range", "sync", "syncfs"), synced)
    | dict.fromkeys(("truncate", "ftruncate"), cut)
    | dict.fromkeys(("unlink", "unlinkat", "rmdir"), unlinked)
    | dict.fromkeys(("rename", "renameat", "renameat2"), renamed)
    | dict.fromkeys(("fstat", "newfstatat", "stat", "lstat", "statx"), looked)
    | dict.fromkeys(("io_uring_setup", "io_submit"), rings)
    | dict.fromkeys(("chdir", "fchdir"), moved)
    | {"fallocate": allocated, "close": closed, "lseek": sought, "mmap": mapped}
)
"""Who understands which call; these are the ones that a recording must hold."""

"""What is known between the lines of a recording: which path is which file, how large, and who has it open."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pagecost.programs.events import CREATE, EXISTS, HELD, RELEASE, TRUNCATE, Event
from pagecost.programs.open_files import Descriptors, OpenFile

NO_DISK = ("/dev", "/proc", "/sys")  # where nothing lies on a device, if the recording does not say where
OPENED = re.compile(r"(\d+|AT_FDCWD)<([^>]*)>(\(deleted\))?")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
DELETED = " (deleted)"
BEGINS_A_PROCESS = ("clone(", "clone3(", "fork(", "vfork(")


def readable(text: str) -> str:
    """A path as strace prints it, with what it escaped."""
    if "\\" in text:
        try:
            return text.encode("latin1", "replace").decode("unicode_escape").encode("latin1").decode("utf8", "replace")
        except UnicodeError:
            return text
    return text


class Call(NamedTuple):
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


class Files:
    """State between the lines. Columns by file: size [B]; names: how many it has, 0 once it is deleted."""

    def __init__(self):
        self.no_disk: tuple[str, ...] = NO_DISK
        self.events: list[Event] = []
        self.paths: list[str] = []
        self.of: dict[str, int] = {}
        self.folders: set[str] = set()
        self.gone: dict[str, int] = {}
        self.absent: set[str] = set()
        self.links: dict[str, str] = {}
        self.size: list[int] = []
        self.names: list[int] = []
        self.last: dict[int, OpenFile] = {}
        self.descriptors = Descriptors()
        self.cut: set[int] = set()
        self.opening: dict[str, OpenFile] = {}
        self.waiting: dict[str, str] = {}
        self.folder: dict[str, str] = {}
        self.mapped: dict[str, None] = {}
        self.unseen: dict[str, None] = {}

    # paths

    def on_disk(self, path: str) -> bool:
        return path.startswith("/") and not any(path == at or path.startswith(at + "/") for at in self.no_disk)

    def named(self, call: Call) -> list[str]:
        """As `said`, without symbolic links to folders that were met."""
        return [self.followed(path) for path in self.said(call)]

    def said(self, call: Call) -> list[str]:
        """The absolute paths among the arguments, relative ones in the folder that stands before or the process's."""
        found, at = [], 0
        for text in TEXT.finditer(call.arguments):
            path = readable(text[1])
            if not path.startswith("/"):
                folders = OPENED.findall(call.arguments[at : text.start()])
                base = readable(folders[-1][1]) if folders else self.folder.get(call.process, self.folder.get("", "/"))
                path = posixpath.join(base, path)
            at = text.end()
            found.append(posixpath.normpath(path))
        return found

    def followed(self, path: str) -> str:
        """A path without the symbolic links to folders that were met; its last part is not followed."""
        folder = posixpath.dirname(path) if self.links else ""
        while len(folder) > 1:
            if folder in self.links:
                return self.links[folder] + path[len(folder) :]
            folder = posixpath.dirname(folder)
        return path

    def met(self, said: str, path: str) -> None:
        """A path that a call named was opened as another: where the ends agree, a folder before them is a link."""
        while len(said) > 1 and posixpath.basename(said) == posixpath.basename(path):
            if said == path and not self.links:
                return
            said, path = posixpath.dirname(said), posixpath.dirname(path)
            self.links.pop(said, None)
            if len(said) > 1 and posixpath.basename(said) != posixpath.basename(path):
                self.links[said] = path

    # files

    def file(self, path: str, moment: float, existing: int | None = None) -> int:
        """The number of a path; one that is new to the recording is made or was there before.

        existing: its size, if that is known.
        """
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
                self.descriptors.settle(opening, number)
                self.last[number] = opening
        return number

    def made(self, path: str, moment: float, process: int, names: int = 1) -> int:
        """A file that was not there before; names 0: it has none (O_TMPFILE)."""
        number = self.new(path, names)
        self.events.append(Event(CREATE, moment, number, flags=0 if names else HELD, process=process))
        return number

    def new(self, path: str, names: int = 1) -> int:
        number = len(self.paths)
        self.paths.append(path)
        self.size.append(0)
        self.names.append(names)
        if names:
            self.name(path, number)
        return number

    def name(self, path: str, number: int) -> None:
        """A file is found under a path."""
        self.of[path] = number
        self.lies_in_folders(path)

    def lies_in_folders(self, path: str) -> None:
        """Remembers the folders above a path."""
        folder = posixpath.dirname(path)
        while folder not in self.folders:
            self.folders.add(folder)
            folder = posixpath.dirname(folder)

    def carried(self, moves: Mapping[str, str]) -> None:
        """Files and folders, with what lies in them, get other names at once: old path -> new one."""
        for known in (self.of, self.opening):
            taken = {}
            for source, target in moves.items():
                for path in [source, *self.below(source, known)]:
                    if path in known:
                        taken[target + path[len(source) :]] = known.pop(path)
            known.update(taken)  # type: ignore[arg-type]
            for path in taken:
                self.lies_in_folders(path)
        for source, target in moves.items():
            self.links.pop(source, None)
            self.absent.difference_update(self.below(target, self.absent))
            for process in [one for one, folder in self.folder.items() if (folder + "/").startswith(source + "/")]:
                self.folder[process] = target + self.folder[process][len(source) :]

    def below(self, folder: str, paths: Iterable[str]) -> list[str]:
        """Those of the paths that lie in a folder."""
        return [path for path in paths if path.startswith(folder + "/")] if folder in self.folders else []

    def is_held(self, number: int) -> bool:
        """It has another name, or somebody has it open."""
        return self.names[number] > 0 or self.descriptors.held[number] > 0

    def unnamed(self, path: str) -> int:
        """The file that stood under a path loses this name."""
        number = self.gone[path] = self.of.pop(path)
        self.names[number] -= 1
        return number

    def released(self, lost: list[int], moment: float, process: str) -> None:
        """Of files that nobody has open any more those without a name are gone."""
        for number in lost:
            if self.names[number] <= 0:
                self.events.append(Event(RELEASE, moment, number, process=int(process)))

    def end(self, moment: float) -> None:
        """Nothing is open any more."""
        self.released([number for number, count in self.descriptors.held.items() if count], moment, "0")

    # open files

    def entry(self, call: Call, found: "re.Match[str]") -> OpenFile | None:
        """The open file that a descriptor stands for, its file known or not; None where it lies on no device."""
        table = self.descriptors.tables[call.process]
        one = table.of.get(found[1])
        if one is None or one.text != found[2]:
            one = self.other(one, found)
            if one is None:
                return None
            self.released(self.descriptors.attach(table, found[1], one), call.time_s, call.process)
        return one

    def behind(
        self, call: Call, found: "re.Match[str] | None", makes: bool = True, existing: int | None = None
    ) -> OpenFile | None:
        """The open file that a descriptor stands for, with the number of its file; None where it lies on no device.

        makes: a file that is new to the recording gets a number, else it is None. existing: its size, if known.
        """
        one = self.entry(call, found) if found else None
        if one is not None and one.file < 0:
            path = readable(one.text)
            if not (makes or path in self.of or path in self.opening):
                return None
            number = self.file(path, call.time_s, existing)
            if one.file < 0:
                self.descriptors.settle(one, number)
            self.last.setdefault(number, one)
        return one

    def other(self, one: OpenFile | None, found: "re.Match[str]") -> OpenFile | None:
        """As `behind` where a descriptor is not known, or its path has changed since.

        Then the file was renamed, or nobody saw where the descriptor comes from, which shares the last opening's.
        """
        text, deleted = found[2].removesuffix(DELETED), bool(found[3]) or found[2].endswith(DELETED)
        path = readable(text)
        if not self.on_disk(path):
            return None
        number = self.gone.get(path) if deleted else self.of.get(path)
        if one is not None and (one.file == number or (deleted and one.text.removesuffix(DELETED) == text)):
            one.text = found[2]
            return one
        if number is None:
            return self.opening.get(path) or OpenFile(-1, text)
        if number not in self.last:
            self.last[number] = OpenFile(number, found[2])
        return self.last[number]

    def begun(self, process: str) -> None:
        """A process is new: whoever waits for a clone or fork to return is its parent."""
        for parent, call in reversed(self.waiting.items()):
            if call.startswith(BEGINS_A_PROCESS):
                self.descendant(parent, process, call)
                return
        self.descriptors.of(process)

    def descendant(self, parent: str, child: str, arguments: str) -> None:
        """A child begins with the descriptors and in the folder of its parent."""
        self.descriptors.fork(parent, child, "CLONE_FILES" in arguments)
        if parent in self.folder:
            self.folder[child] = self.folder[parent]

    # events

    def add(self, kind: int, call: Call, number: int, offset: int = 0, size: int = 0, flags: int = 0) -> None:
        self.events.append(Event(kind, call.time_s, number, offset, size, flags, int(call.process)))

    def cut_to(self, call: Call, number: int, size: int) -> None:
        if size == 0 and self.size[number]:
            self.cut.add(number)
        self.size[number] = size
        self.add(TRUNCATE, call, number, size=size)


__all__ = ["NO_DISK", "OPENED", "TEXT", "Call", "Files", "readable"]

"""What each call does to files: who understands it, and the events that it becomes."""

import re
from collections.abc import Callable, Mapping

from pagecost.programs.events import (
    ALLOCATE,
    CLOSE,
    CUT,
    DATA_SYNC,
    DATA_SYNCED,
    DIRECT,
    HELD,
    LINK,
    LOOK,
    RENAME,
    START_WRITING,
    SYNC,
    SYNC_ALL,
    SYNCED,
    UNLINK,
    WRITE,
)
from pagecost.programs.open_files import OpenFile
from pagecost.programs.strace_files import DELETED, OPENED, TEXT, Call, Files, readable

SIZE = re.compile(r"st_mode=S_IFREG\b.*?st_size=(\d+)|stx_mode=S_IFREG\b.*?stx_size=(\d+)")
OFFSET = re.compile(r", \[(\d+)")
OF_DESCRIPTOR = re.compile(r"/(?:proc/(?:self|\d+)|dev)/fd/(\d+)")
STRACES_NUMBER = re.compile(r"(\d+) in strace's PID NS")
RANGE = re.compile(r"(\d+)(?:<[^>]*>(?:\(deleted\))?)?, (\d+)(?:<[^>]*>(?:\(deleted\))?)?, (.*)")
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
COPIES = {"copy_file_range": -1, "sendfile": 0, "sendfile64": 0, "splice": -1}  # which descriptor the target is
RING = "The program uses io_uring, whose requests strace does not see; what it writes so is missing."
SUBMITTED = "The program submits asynchronous writes (io_submit), which are not decoded; what it writes so is missing."
HOLES = "Holes that the program punches into files (fallocate) are not followed."


def opened(self: Files, call: Call) -> None:
    """open, openat, creat."""
    if call.arguments.startswith("AT_FDCWD<") and (folder := OPENED.match(call.arguments)):
        self.folder[call.process] = self.folder[""] = readable(folder[2])
    if call.failed:
        if "ENOENT" in call.behind:
            self.absent.update(self.named(call))
        return
    found, words = OPENED.match(call.returned + call.behind), call.arguments.rpartition('"')[2]
    if not found:
        return
    path, table = readable(found[2].removesuffix(DELETED)), self.descriptors.of(call.process)
    if not self.on_disk(path):
        self.released(self.descriptors.detach(table, found[1]), call.time_s, call.process)
        return
    one = OpenFile(-1, found[2], process=int(call.process), time_s=call.time_s, appends="O_APPEND" in words)
    one.flags = DIRECT if "O_DIRECT" in words else 0
    one.flags |= DATA_SYNCED if "O_DSYNC" in words else SYNCED if "O_SYNC" in words else 0
    lost = self.descriptors.attach(table, found[1], one, "O_CLOEXEC" in words)
    self.released(lost, call.time_s, call.process)
    if "O_TMPFILE" in words:
        number = self.gone[path] = self.made(path, call.time_s, one.process, names=0)
        self.descriptors.settle(one, number)
        return
    said = [path] if f'"{found[2]}"' in call.arguments else self.said(call)
    self.met(said[0] if said else path, path)
    if not ("O_WRONLY" in words or "O_RDWR" in words or call.name == "creat"):
        if path in self.of:
            self.descriptors.settle(one, self.of[path])
        return
    one.creates, cuts = "O_CREAT" in words or call.name == "creat", "O_TRUNC" in words or call.name == "creat"
    if path not in self.of:
        if not (one.creates and (cuts or "O_EXCL" in words or path in self.absent)):
            self.opening.setdefault(path, one)
            self.lies_in_folders(path)
            return
        self.opening.pop(path, None)
        self.made(path, call.time_s, one.process)
    elif cuts:
        self.cut_to(call, self.of[path], 0)
    self.absent.discard(path)
    self.descriptors.settle(one, self.of[path])
    self.last[one.file] = one


def written(self: Files, call: Call) -> None:
    """write and its kin; copies in the kernel count as writes to where they go."""
    size = 0 if call.failed else int(call.returned)
    arguments, name = call.arguments, call.name
    if size <= 0:
        return
    if name in COPIES:
        ends = list(OPENED.finditer(arguments))
        found = ends[COPIES[name]] if ends else None
    else:
        found = OPENED.match(arguments)
    one = self.behind(call, found)
    if one is None or found is None:
        return
    number, offset, flags, appends = one.file, -1, one.flags, one.appends
    if name in COPIES:
        explicit = OFFSET.match(arguments, found.end()) if COPIES[name] else None
        offset = int(explicit[1]) if explicit else -1
    elif name.startswith("pwrite"):
        numbers = call.numbers
        offset = numbers[-1] if numbers else -1
        flags |= DATA_SYNCED if "RWF_DSYNC" in arguments else SYNCED if "RWF_SYNC" in arguments else 0
        appends |= "RWF_APPEND" in arguments
        if name == "pwritev2" and len(numbers) > 1 and arguments.rsplit(", ", 1)[1].isdigit():
            offset = numbers[-2]  # the last one are the flags, 0
    follows = offset < 0
    if appends:  # whatever the offset (pwrite(2), BUGS)
        offset = self.size[number]
    elif follows:
        offset = one.position
    if follows:
        one.position = offset + size
    self.size[number] = max(self.size[number], offset + size)
    self.add(WRITE, call, number, offset, size, flags)


def synced(self: Files, call: Call) -> None:
    """fsync, fdatasync, sync_file_range, sync, syncfs."""
    if call.failed:
        return
    if call.name in ("sync", "syncfs"):
        self.add(SYNC_ALL, call, -1)
        return
    one = self.behind(call, OPENED.match(call.arguments))
    if one is None:
        return
    if call.name == "sync_file_range":
        if "SYNC_FILE_RANGE_WRITE" in call.arguments:
            offset, size = call.numbers[-2:]  # the flags behind are words, and a path before may hold ", 5"
            self.add(START_WRITING, call, one.file, offset, size)
    else:
        self.add(SYNC if call.name == "fsync" else DATA_SYNC, call, one.file)


def cut(self: Files, call: Call) -> None:
    """truncate, ftruncate."""
    if call.failed:
        return
    paths = [path for path in self.named(call) if self.on_disk(path)] if call.name.startswith("truncate") else []
    if paths:
        self.cut_to(call, self.file(paths[0], call.time_s), call.numbers[-1])
    elif one := self.behind(call, OPENED.match(call.arguments)):
        self.cut_to(call, one.file, call.numbers[-1])


def allocated(self: Files, call: Call) -> None:
    """fallocate, of which only setting room aside is followed."""
    one = None if call.failed else self.behind(call, OPENED.match(call.arguments))
    if one is None:
        return
    offset, size = call.numbers[-2:]
    if "PUNCH_HOLE" in call.arguments or "COLLAPSE" in call.arguments or "INSERT" in call.arguments:
        self.unseen[HOLES] = None
        return
    if "KEEP_SIZE" not in call.arguments:
        self.size[one.file] = max(self.size[one.file], offset + size)
    self.add(ALLOCATE, call, one.file, offset, size)


def unlinked(self: Files, call: Call) -> None:
    """unlink, unlinkat, rmdir: a file goes with its last name, once nobody has it open."""
    for path in self.named(call):
        if call.failed:
            self.absent.update([path] if "ENOENT" in call.behind else [])
        elif self.on_disk(path):
            self.file(path, call.time_s)
            number = self.unnamed(path)
            self.links.pop(path, None)
            self.add(UNLINK, call, number, flags=HELD if self.is_held(number) else 0)
            self.absent.add(path)


def linked(self: Files, call: Call) -> None:
    """link, linkat: a file has one more name, and one without any (O_TMPFILE) its first."""
    paths = self.named(call)
    if call.failed or len(paths) != 2 or not self.on_disk(paths[1]):
        return
    source, target = paths
    known = OF_DESCRIPTOR.fullmatch(source)
    if "AT_EMPTY_PATH" in call.arguments:
        one = self.behind(call, OPENED.match(call.arguments))
    else:
        one = self.descriptors.of(call.process).of.get(known[1]) if known else None
    if one is not None and one.file >= 0:
        number = one.file
    elif self.on_disk(source):
        number = self.file(source, call.time_s)
    else:
        return
    if not self.names[number]:
        self.paths[number] = target
    self.names[number] += 1
    self.name(target, number)
    self.absent.discard(target)
    self.add(LINK, call, number)


def renamed(self: Files, call: Call) -> None:
    """rename and its kin; who stood under the new name loses it, or gets the old one (RENAME_EXCHANGE)."""
    paths = self.named(call)
    if call.failed or len(paths) != 2 or not all(map(self.on_disk, paths)):
        return
    source, target = paths
    number = self.file(source, call.time_s)
    if "RENAME_EXCHANGE" in call.arguments:
        for each in (number, self.file(target, call.time_s)):
            self.add(RENAME, call, each)
        self.carried({source: target, target: source})
        return
    replaced = self.file(target, call.time_s) if target in self.of or target in self.opening else None
    if replaced == number:  # two names of one file: nothing happens
        return
    self.add(RENAME, call, number, flags=CUT if replaced is not None else 0)
    if replaced is not None:
        self.unnamed(target)
        self.add(UNLINK, call, replaced, flags=CUT | (HELD if self.is_held(replaced) else 0))
    self.carried({source: target})
    self.absent.add(source)
    self.absent.discard(target)


def closed(self: Files, call: Call) -> None:
    """close: ext4 writes a file that was cut to nothing and filled again."""
    found = OPENED.match(call.arguments)
    if not found:
        return
    table = self.descriptors.of(call.process)
    unknown = found[1] not in table.of  # of a thread in a recording without clone: taken for the last descriptor
    one = self.entry(call, found)
    lost = self.descriptors.detach(table, found[1])
    if one is not None and one.file in self.cut and (unknown or not one.descriptors):
        self.cut.discard(one.file)
        self.add(CLOSE, call, one.file, flags=CUT)
    self.released(lost, call.time_s, call.process)


def closed_range(self: Files, call: Call) -> None:
    """close_range."""
    found = None if call.failed else RANGE.match(call.arguments)
    if not found:
        return
    table = self.descriptors.of(call.process)
    names = [name for name in table.of if name.isdigit() and int(found[1]) <= int(name) <= int(found[2])]
    if "CLOEXEC" in found[3]:
        table.closed_by_exec.update(names)
    else:
        self.released(self.descriptors.detach(table, *names), call.time_s, call.process)


def duplicated(self: Files, call: Call) -> None:
    """dup, dup2, dup3: another descriptor of the same open file."""
    known, made = OPENED.match(call.arguments), OPENED.match(call.returned + call.behind)
    if call.failed or not known or not made or known[1] == made[1]:
        return
    one, table = self.entry(call, known), self.descriptors.of(call.process)
    if one is None:
        lost = self.descriptors.detach(table, made[1])
    else:
        lost = self.descriptors.attach(table, made[1], one, "O_CLOEXEC" in call.arguments)
    self.released(lost, call.time_s, call.process)


def forked(self: Files, call: Call) -> None:
    """clone, clone3, fork, vfork; a child that called something before this returned is known already."""
    if call.failed:
        return
    elsewhere = STRACES_NUMBER.search(call.behind)
    child = elsewhere[1] if elsewhere else call.returned
    if child not in self.descriptors.tables:
        self.descendant(call.process, child, call.arguments)


def executed(self: Files, call: Call) -> None:
    """execve, execveat."""
    if not call.failed:
        self.released(self.descriptors.exec(call.process), call.time_s, call.process)


def looked(self: Files, call: Call) -> None:
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
        number = self.of.get(paths[0], -1)
        if number < 0 and paths[0] in self.opening:
            number = self.file(paths[0], call.time_s, existing)
    else:
        one = self.behind(call, OPENED.match(call.arguments), makes=False, existing=existing)
        number = -1 if one is None else one.file
    if number >= 0:
        self.add(LOOK, call, number)


def sought(self: Files, call: Call) -> None:
    """lseek."""
    if call.failed:
        return
    place = int(call.returned)
    existing = place if "SEEK_END" in call.arguments else None
    one = self.behind(call, OPENED.match(call.arguments), makes=False, existing=existing)
    if one is not None:
        one.position = place


def mapped(self: Files, call: Call) -> None:
    """mmap, shared and writable."""
    if "MAP_SHARED" in call.arguments and "PROT_WRITE" in call.arguments and not call.failed:
        found = OPENED.search(call.arguments)
        if found and self.on_disk(readable(found[2])):
            self.mapped[readable(found[2])] = None


def rings(self: Files, call: Call) -> None:
    """io_uring_setup, io_submit."""
    if not call.failed:
        self.unseen[RING if call.name.startswith("io_uring") else SUBMITTED] = None


def moved(self: Files, call: Call) -> None:
    """chdir, fchdir."""
    if call.failed:
        return
    paths, found = self.named(call), OPENED.match(call.arguments)
    if paths or found:
        self.folder[call.process] = paths[0] if paths else readable(found[2])  # type: ignore[index]


HANDLERS: Mapping[str, Callable[[Files, Call], None]] = (
    dict.fromkeys(("open", "openat", "creat"), opened)
    | dict.fromkeys((*WRITES, *COPIES), written)
    | dict.fromkeys(("fsync", "fdatasync", "sync_file_range", "sync", "syncfs"), synced)
    | dict.fromkeys(("truncate", "ftruncate"), cut)
    | dict.fromkeys(("unlink", "unlinkat", "rmdir"), unlinked)
    | dict.fromkeys(("link", "linkat"), linked)
    | dict.fromkeys(("rename", "renameat", "renameat2"), renamed)
    | dict.fromkeys(("fstat", "newfstatat", "stat", "lstat", "statx"), looked)
    | dict.fromkeys(("io_uring_setup", "io_submit"), rings)
    | dict.fromkeys(("chdir", "fchdir"), moved)
    | dict.fromkeys(("dup", "dup2", "dup3"), duplicated)
    | dict.fromkeys(("clone", "clone3", "fork", "vfork"), forked)
    | dict.fromkeys(("execve", "execveat"), executed)
    | {"fallocate": allocated, "close": closed, "close_range": closed_range, "lseek": sought, "mmap": mapped}
)
"""Who understands which call; these are the ones that a recording must hold."""

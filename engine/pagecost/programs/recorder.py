"""Running a command under strace. Its output, its input and its exit code stay its own."""

import contextlib
import gzip
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pagecost.errors import ModelError, require
from pagecost.programs.block_requests import BlockRequests, watched
from pagecost.programs.strace import HANDLERS, HEAD, read

CALLS = ",".join(f"?{name}" for name in HANDLERS)  # ?: no error where a processor has no such call
OPTIONS = ("-f", "--seccomp-bpf", "-q", "-y", "-ttt", "-s", "0", "-e", f"trace={CALLS}")
"""-f follows forks, -y says which file, -ttt when, -s 0 leaves out what is written."""
WITHOUT_DEVICE = {"tmpfs", "ramfs", "devtmpfs", "proc", "sysfs", "devpts", "cgroup", "cgroup2", "mqueue", "hugetlbfs"}
BLOCK_DEVICES, WRITTEN_SECTORS, SECTOR_BYTES = Path("/sys/block"), 6, 512
JOURNALS = Path("/proc/fs/jbd2")  # a folder for each journal of ext4, named by its device
MOUNTS, MEMORY, RATIO = Path("/proc/self/mountinfo"), Path("/proc/meminfo"), Path("/proc/sys/vm/dirty_background_ratio")


def why_not() -> str | None:
    """Why nothing can be recorded here, None where it can."""
    if shutil.which("strace") is None:
        return "strace is not installed; install the package strace of your Linux (apt-get install strace)"
    return None


def traced(command: Sequence[str | Path], raw: Path) -> list[str]:
    """The command that runs a command and writes its recording."""
    return ["strace", *OPTIONS, "-o", str(raw), "--", *map(str, command)]


def record(command: Sequence[str], keep: Path | None = None, block: Path | None = None) -> tuple[Path, int]:
    """Run the command, record it; (file of the recording, the command's exit code, negative: a signal).

    keep: where the recording stays, gzip if it ends on .gz; else it is a temporary file that the caller removes.
    block: a folder on a disk whose requests are recorded as well, which takes root.
    Raises ModelError where there is no such command or nothing can be recorded; then nothing was run.
    """
    require(bool(command), "a command is missing: pagecost wear -- COMMAND")
    require(why_not() is None, str(why_not()))
    require(shutil.which(command[0]) is not None, f"there is no command {command[0]!r} that can be run")
    if keep is not None:
        require(
            keep.parent.is_dir() and os.access(keep.parent, os.W_OK) and not keep.is_dir(),
            f"the recording cannot be kept as {keep}: its folder is not there or cannot be written to",
        )
    number, name = tempfile.mkstemp(prefix="pagecost-", suffix=".strace")
    os.close(number)
    raw = Path(name)
    try:
        with watched(block) as requests:
            before, start_s = _written(), time.time()
            code = _run(traced(command, raw))
            seconds = time.time() - start_s
            seen = {device: size - before.get(device, 0) for device, size in _written().items()}
    except ModelError:
        raw.unlink()
        raise
    if not raw.stat().st_size:
        raw.unlink()
        raise ModelError(
            "strace recorded nothing: this system does not let processes be traced (ptrace), as in some containers"
        )
    seen = {device: size for device, size in seen.items() if size > 0}
    return kept(raw, command, code, seconds, keep, seen, requests[0] if requests else None), code


def _run(command: list[str]) -> int:
    """The exit code. Ctrl-C reaches the command by itself; it decides, and this process waits."""
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        process = subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        return process.wait()
    except OSError as error:
        raise ModelError(f"strace cannot be run: {error.strerror}") from error
    finally:
        signal.signal(signal.SIGINT, before)


def _places(raw: Path) -> tuple[dict[str, int], list[str]]:
    """Inode numbers of the files of a recording and their folders: neighbours share a block of metadata.

    Then which of the paths are folders: a sync of one commits whatever waits.
    """
    try:
        paths = read(raw).paths
    except ModelError:
        return {}, []
    inodes, folders = {}, []
    for path in sorted({*paths, *(os.path.dirname(path) for path in paths)}):
        with contextlib.suppress(OSError, ValueError):
            found = os.lstat(path)
            inodes[path] = found.st_ino
            if stat.S_ISDIR(found.st_mode):
                folders.append(path)
    return inodes, folders


def _head(command: Sequence[str], code: int, seconds: float, raw: Path) -> dict[str, Any]:
    inodes, folders = _places(raw)
    no_disk = _without_device()
    return {
        "version": 1,
        "command": list(command),
        "exit_code": code,
        "seconds": round(seconds, 6),
        "no_disk": no_disk,
        "file_system": _file_system(path for path in inodes if not path.startswith(tuple(no_disk))),
        "background_bytes": _background_bytes(),
        "inodes": inodes,
        "folders": folders,
    }


def _written() -> dict[str, int]:
    """Bytes that each block device got since the machine was started, from all processes: the kernel's counter."""
    found = {}
    for counters in BLOCK_DEVICES.glob("*/stat"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            found[counters.parent.name] = int(counters.read_text().split()[WRITTEN_SECTORS]) * SECTOR_BYTES
    return found


def _file_system(paths: Iterable[str]) -> str:
    """The file system that most of the paths lie on; an ext4 without a journal writes as ext2 does."""
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return ""
    mounts = {}
    for line in lines:
        before, _, after = line.partition(" - ")
        mounts[before.split(" ")[4].encode().decode("unicode_escape")] = after.split(" ")[:2]
    counted: Counter[tuple[str, str]] = Counter()
    for path in paths:
        folder = path
        while folder not in mounts and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if folder in mounts:
            kind, source = mounts[folder]
            counted[kind, source] += 1
    if not counted:
        return ""
    (kind, source), _ = counted.most_common(1)[0]
    journals = any(JOURNALS.glob(f"{os.path.basename(source)}-*"))
    return "ext2" if kind == "ext4" and JOURNALS.exists() and not journals else kind


def _without_device() -> list[str]:
    """Folders whose files reach no device."""
    try:
        lines = MOUNTS.read_text().splitlines()
    except OSError:
        return ["/dev", "/proc", "/sys"]
    found = {"/dev", "/proc", "/sys"}
    for line in lines:
        before, _, after = line.partition(" - ")
        if after.split(" ")[0] in WITHOUT_DEVICE:
            found.add(before.split(" ")[4].encode().decode("unicode_escape"))
    return sorted(found - {"/"})


def _background_bytes() -> float | None:
    """Dirty bytes at which Linux begins to write: a share of the memory that is available."""
    try:
        free = next(line for line in MEMORY.read_text().splitlines() if line.startswith("MemAvailable"))
        return int(free.split()[1]) * 1024 * int(RATIO.read_text()) / 100
    except (OSError, StopIteration, ValueError):
        return None


def kept(
    raw: Path,
    command: Sequence[str],
    code: int,
    seconds: float,
    keep: Path | None = None,
    seen_bytes: Mapping[str, int] | None = None,
    block: BlockRequests | None = None,
) -> Path:
    """What strace wrote with a first line that says what it is, as `keep`; None: beside the raw file, which goes.

    seen_bytes: what block devices were seen to get meanwhile. block: the requests of one, where they were recorded.
    """
    head = _head(command, code, seconds, raw) | {"seen_bytes": dict(seen_bytes or {})}
    if block is not None:
        head["block"] = block.plain()
    target = keep if keep is not None else raw.with_suffix(".gz")
    part = target.with_name(target.name + ".part")
    try:
        with gzip.open(part, "wb") if target.suffix == ".gz" else part.open("wb") as out, raw.open("rb") as recorded:
            out.write(f"{HEAD}{json.dumps(head)}\n".encode())
            shutil.copyfileobj(recorded, out)
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise ModelError(f"the recording cannot be kept as {target}: {error.strerror}; it is in {raw}") from error
    raw.unlink()
    return target

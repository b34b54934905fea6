"""Which file a call reaches, and where in it: descriptors, names, links and folders, as POSIX and Linux have them."""

import subprocess
import sys

import pytest

from pagecost import programs
from pagecost.programs import events, recorder, strace
from pagecost.programs.events import Recording
from pagecost.programs.ledger import BLOCK_BYTES

OPEN = 'openat(AT_FDCWD</w>, "{0}", O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0666) = {1}</w/{0}>'
MIB = 2**20


def told(*lines: str) -> Recording:
    """Lines of process 7, or of the one that stands before them."""
    numbered = [line if line[0].isdigit() else f"7 {line}" for line in lines]
    return strace.parse(
        [f"{line.split(' ', 1)[0]} {100 + at * 0.1:.6f} {line.split(' ', 1)[1]}" for at, line in enumerate(numbered)]
    )


def opened(name: str, descriptor: int) -> str:
    return OPEN.format(name, descriptor)


def offsets(recording: Recording) -> list[tuple[int, int]]:
    return [(event.file, event.offset) for event in recording.events if event.kind == events.WRITE]


def data_bytes(*lines: str, file_system: str = "ext4") -> int:
    """Changed bytes that reach the device."""
    return programs.wear(told(*lines), programs.Settings(file_system=file_system)).causes.get("data", 0)


# positions


def test_each_opening_has_a_position_of_its_own():
    found = told(
        opened("a", 3),
        'openat(AT_FDCWD</w>, "a", O_WRONLY) = 4</w/a>',
        'write(3</w/a>, ""..., 10) = 10',
        'write(4</w/a>, ""..., 4) = 4',
        'write(3</w/a>, ""..., 10) = 10',
        "lseek(4</w/a>, 0, SEEK_SET) = 0",
        'write(3</w/a>, ""..., 10) = 10',
        'write(4</w/a>, ""..., 4) = 4',
    )
    assert offsets(found) == [(0, 0), (0, 0), (0, 10), (0, 20), (0, 0)]


def test_reading_by_another_descriptor_moves_nobody_elses_position():
    found = told(
        opened("a", 3),
        'write(3</w/a>, ""..., 10) = 10',
        'openat(AT_FDCWD</w>, "a", O_RDONLY) = 4</w/a>',
        "lseek(4</w/a>, 0, SEEK_SET) = 0",
        'write(3</w/a>, ""..., 10) = 10',
    )
    assert offsets(found) == [(0, 0), (0, 10)]


@pytest.mark.parametrize(
    "call",
    [
        "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 8",
        "clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD, exit_signal=0}, 88) = 8",
        "vfork() = 8",
        "clone(child_stack=NULL, flags=SIGCHLD) = 2 /* 8 in strace's PID NS */",
    ],
)
def test_a_child_shares_positions_with_its_parent(call):
    found = told(
        opened("a", 3),
        'openat(AT_FDCWD</w>, "a", O_WRONLY) = 4</w/a>',
        'write(3</w/a>, ""..., 10) = 10',
        call,
        '8 write(3</w/a>, ""..., 10) = 10',
        '8 write(4</w/a>, ""..., 5) = 5',
        'write(3</w/a>, ""..., 10) = 10',
        'write(4</w/a>, ""..., 5) = 5',
    )
    assert offsets(found) == [(0, 0), (0, 10), (0, 0), (0, 20), (0, 5)]


def test_a_child_that_comes_before_its_call_has_returned_is_known():
    found = told(
        opened("a", 3),
        'openat(AT_FDCWD</w>, "a", O_WRONLY) = 4</w/a>',
        'write(3</w/a>, ""..., 10) = 10',
        "clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>",
        '8 write(3</w/a>, ""..., 10) = 10',
        "<... clone resumed>) = 8",
        'write(3</w/a>, ""..., 10) = 10',
    )
    assert offsets(found) == [(0, 0), (0, 10), (0, 20)]


def test_dup_shares_a_position_and_a_closed_descriptor_is_forgotten():
    found = told(
        opened("a", 3),
        opened("b", 4),
        "dup2(3</w/a>, 1</dev/null>) = 1</w/a>",
        'write(1</w/a>, ""..., 10) = 10',
        'write(3</w/a>, ""..., 10) = 10',
        "close(3</w/a>) = 0",
        'openat(AT_FDCWD</w>, "a", O_WRONLY) = 3</w/a>',
        'write(3</w/a>, ""..., 5) = 5',
        'write(1</w/a>, ""..., 10) = 10',
    )
    assert offsets(found) == [(0, 0), (0, 10), (0, 0), (0, 20)]


def test_a_descriptor_of_unknown_origin_shares_the_latest_opening():
    found = told(opened("a", 3), 'write(3</w/a>, ""..., 10) = 10', '9 write(5</w/a>, ""..., 10) = 10')
    assert offsets(found) == [(0, 0), (0, 10)]


def test_appending_goes_to_the_end_whatever_the_offset():
    """Linux's pwrite(2), BUGS; RWF_APPEND of pwritev2(2) for one call, without moving the position."""
    found = told(
        'openat(AT_FDCWD</w>, "a", O_RDWR|O_CREAT|O_TRUNC|O_APPEND, 0666) = 3</w/a>',
        *['pwrite64(3</w/a>, ""..., 4096, 0) = 4096'] * 3,
        opened("b", 4),
        "pwritev2(4</w/b>, [...], 1, 28672, RWF_APPEND) = 10",
        "pwritev2(4</w/b>, [...], 1, 28672, RWF_APPEND) = 10",
        "pwritev2(4</w/b>, [...], 2, 100, 0) = 10",
        'write(4</w/b>, ""..., 10) = 10',
        "pwritev2(4</w/b>, [...], 2, -1, RWF_APPEND) = 10",
        'write(4</w/b>, ""..., 10) = 10',
    )
    assert offsets(found) == [(0, 0), (0, 4096), (0, 8192), (1, 0), (1, 10), (1, 100), (1, 0), (1, 110), (1, 120)]


def test_a_copy_goes_where_its_own_offset_says():
    found = told(
        opened("dst, 2", 3),
        "copy_file_range(4</w/src>, [0], 3</w/dst, 2>, [8192], 4096, 0) = 4096",
        "copy_file_range(4</w/src>, NULL, 3</w/dst, 2>, NULL, 100, 0) = 100",
        "splice(5<pipe:[77]>, NULL, 3</w/dst, 2>, [50], 9, 0) = 9",
        "sendfile(3</w/dst, 2>, 4</w/src>, [0] => [10], 10) = 10",
        "splice(3</w/dst, 2>, [50], 5<pipe:[77]>, NULL, 9, 0) = 9",
    )
    assert offsets(found) == [(0, 8192), (0, 0), (0, 50), (0, 100)]


def test_a_path_with_commas_and_numbers_is_no_range():
    found = told(opened("a, 5, 6", 3), "sync_file_range(3</w/a, 5, 6>, 4096, 8192, SYNC_FILE_RANGE_WRITE) = 0")
    assert found.events[-1][3:5] == (4096, 8192)


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (("close(3</w/a>) = 0",), True),
        (("dup(3</w/a>) = 4</w/a>", "close(3</w/a>) = 0"), False),
        (("dup(3</w/a>) = 4</w/a>", "close(3</w/a>) = 0", "close(4</w/a>) = 0"), True),
        (("9 close(3</w/a>) = 0",), True),
    ],
)
def test_a_file_that_was_cut_is_written_when_its_last_descriptor_is_closed(lines, written):
    """ext4's auto_da_alloc: the file system is told of the last close of an open file only (release)."""
    first = (opened("a", 3), 'write(3</w/a>, ""..., 9) = 9', "ftruncate(3</w/a>, 0) = 0", 'write(3</w/a>, "", 9) = 9')
    kinds = [event.kind for event in told(*first, *lines).events]
    assert (events.CLOSE in kinds) == written


# names


def test_a_file_with_another_name_outlives_an_unlink():
    lines = (
        opened("a", 3),
        f'write(3</w/a>, ""..., {MIB}) = {MIB}',
        "close(3</w/a>) = 0",
        'link("/w/a", "/w/b") = 0',
        'unlink("/w/a") = 0',
    )
    for file_system in programs.FILE_SYSTEMS:
        assert data_bytes(*lines, "sync() = 0", file_system=file_system) == MIB
    assert data_bytes(*lines, 'unlink("/w/b") = 0', "sync() = 0") == 0
    again = told(*lines, 'openat(AT_FDCWD</w>, "b", O_WRONLY) = 3</w/b>', 'write(3</w/b>, ""..., 1) = 1')
    assert offsets(again) == [(0, 0), (0, 0)]


def test_a_file_that_is_open_outlives_its_last_name():
    lines = (opened("a", 3), f'write(3</w/a>, ""..., {MIB}) = {MIB}', 'unlink("/w/a") = 0')
    end = "close(3</w/a>(deleted)) = 0"
    assert data_bytes(*lines, end, "sync() = 0") == 0
    assert data_bytes(*lines, "fsync(3</w/a>(deleted)) = 0", end) == MIB
    assert data_bytes(*lines, "sync() = 0", end) == MIB
    assert data_bytes(*lines, "fork() = 8", end, "sync() = 0", "8 +++ exited with 0 +++") == MIB
    assert data_bytes(*lines, "+++ exited with 0 +++", "9 sync() = 0") == 0
    assert data_bytes(*lines, 'execve("/bin/true", ["true"], 0x7 /* 9 vars */) = 0', "sync() = 0") == 0  # O_CLOEXEC
    assert data_bytes(*lines, "close_range(3, 4294967295, 0) = 0", "sync() = 0") == 0


def test_a_file_without_a_name_never_reaches_the_device_unless_it_gets_one():
    lines = (
        'openat(AT_FDCWD</w>, "/w", O_RDWR|O_CLOEXEC|O_TMPFILE, 0600) = 3</w/#12>(deleted)',
        f'write(3</w/#12>(deleted), ""..., {MIB}) = {MIB}',
    )
    end = ("close(3</w/#12>(deleted)) = 0", "sync() = 0")
    assert data_bytes(*lines, *end) == 0
    for link in (
        'linkat(AT_FDCWD</w>, "/proc/self/fd/3", AT_FDCWD</w>, "/w/t", AT_SYMLINK_FOLLOW) = 0',
        'linkat(3</w/#12>(deleted), "", AT_FDCWD</w>, "t", AT_EMPTY_PATH) = 0',
    ):
        assert data_bytes(*lines, link, *end) == MIB
        assert told(*lines, link, *end).paths == ["/w/t"]


def test_an_exchange_keeps_both_files():
    lines = [line for at, name in enumerate("pq") for line in (opened(name, 3 + at), f"write({3 + at}</w/{name}>) = 9")]
    found = told(
        *lines,
        'renameat2(AT_FDCWD</w>, "/w/p", AT_FDCWD</w>, "/w/q", RENAME_EXCHANGE) = 0',
        'write(3</w/q>, ""..., 9) = 9',
        'unlink("/w/p") = 0',
        "close(4</w/p>(deleted)) = 0",
    )
    assert offsets(found) == [(0, 0), (1, 0), (0, 9)]
    assert [event.file for event in found.events if event.kind == events.RELEASE] == [1]


def test_two_names_of_one_file_are_not_renamed_into_one():
    lines = (opened("a", 3), 'write(3</w/a>, ""..., 9) = 9', 'link("/w/a", "/w/b") = 0', 'rename("/w/a", "/w/b") = 0')
    assert data_bytes(*lines, 'unlink("/w/b") = 0', "close(3</w/a>) = 0", "sync() = 0") == 9


def test_files_move_with_the_folder_that_is_renamed():
    lines = (opened("d/e/f", 3), 'write(3</w/d/e/f>, ""..., 9) = 9', 'rename("/w/d", "/w/c") = 0')
    found = told(*lines, 'openat(AT_FDCWD</w>, "c/e/f", O_WRONLY) = 4</w/c/e/f>', 'write(4</w/c/e/f>, ""..., 9) = 9')
    assert offsets(found) == [(0, 0), (0, 0)]
    assert offsets(told(*lines, 'write(3</w/c/e/f>, ""..., 9) = 9')) == [(0, 0), (0, 9)]
    assert data_bytes(*lines, "close(3</w/c/e/f>) = 0", 'unlink("/w/c/e/f") = 0', "sync() = 0") == 0


def test_a_folder_that_is_a_symbolic_link_is_followed():
    found = told(
        'openat(AT_FDCWD</w>, "/w/link/a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/real/a>',
        'write(3</w/real/a>, ""..., 9) = 9',
        "close(3</w/real/a>) = 0",
        'unlink("/w/link/a") = 0',
        'unlink("/w/link/sub/b") = 0',
        'openat(AT_FDCWD</w>, "/w/named", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/target>',
        'unlink("/w/named") = 0',
        "sync() = 0",
    )
    assert found.paths == ["/w/real/a", "/w/real/sub/b", "/w/target", "/w/named"]  # a link itself is unlinked
    assert programs.wear(found).causes.get("data", 0) == 0


def test_a_link_that_became_a_folder_is_followed_no_more():
    found = told(
        'openat(AT_FDCWD</w>, "link/a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/real/a>',
        'unlink("/w/link") = 0',
        'openat(AT_FDCWD</w>, "link/b", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 4</w/link/b>',
        'unlink("/w/link/b") = 0',
        'rename("/w/other", "/w/link") = 0',
    )
    unlinked = [found.paths[event.file] for event in found.events if event.kind == events.UNLINK]
    assert unlinked == ["/w/link", "/w/link/b"]


# a real run, whose files say themselves how large they became

SCRIPT = """
import os
def new(name, flags=0): return os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | flags)
fd = new("twice"); other = os.open("twice", os.O_WRONLY)
for _ in range(5): os.write(fd, b"x" * 4096); os.lseek(other, 0, 0); os.write(other, b"h" * 4096)
fd = new("forked"); os.write(fd, b"a" * 100)
if not os.fork(): os.write(fd, b"b" * 100); os._exit(0)
os.wait(); os.write(fd, b"c" * 100); os.write(os.open("forked", os.O_WRONLY), b"d" * 50)
fd = new("appended", os.O_APPEND)
for _ in range(5): os.pwrite(fd, b"x" * 1000, 0)
fd = new("duplicated"); os.dup2(fd, 60); os.write(fd, b"x" * 10); os.write(60, b"y" * 10)
fd = new("linked"); os.write(fd, b"x" * 100); os.link("linked", "other"); os.unlink("linked"); os.write(fd, b"y" * 100)
os.mkdir("d"); fd = new("d/inside"); os.write(fd, b"x" * 7); os.rename("d", "e"); os.write(fd, b"x" * 7)
os.symlink("e", "s"); fd = new("s/through"); os.write(fd, b"x" * 8); os.rename("s/through", "s/moved")
os.write(os.open("e/moved", os.O_WRONLY | os.O_APPEND), b"x" * 8)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="strace is of Linux, where make system installs it")
def test_files_become_as_large_as_they_really_are(tmp_path, monkeypatch):
    if programs.why_not() is not None:
        pytest.skip(str(programs.why_not()))
    raw, folder = tmp_path / "raw", tmp_path / "run"
    folder.mkdir()
    subprocess.run(recorder.traced([sys.executable, "-c", SCRIPT], raw), cwd=folder, check=True)
    reader = strace._Reader()
    reader.files.no_disk = ("/dev", "/proc", "/sys")
    for line in raw.read_text().splitlines():
        reader.line(line)
    files = reader.files
    said = {path: files.size[number] for path, number in files.of.items() if path.startswith(str(folder))}
    real = {str(path): path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}
    assert {path: said.get(path) for path in real} == real
    assert len(real) == 7
    assert max(real.values()) == 5 * BLOCK_BYTES

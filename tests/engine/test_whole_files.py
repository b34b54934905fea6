"""Files that a person asked for: whole or not at all, with the rights that people expect, through pipes too."""

import os
import stat
import subprocess
import sys
import threading

import pytest

from pagecost import _private_files, whole_files

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="rights, pipes and limits of a POSIX system")


@pytest.fixture
def no_room(monkeypatch):
    """A disk that takes no more than 1000 bytes of a file, as the system itself enforces it."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@on_posix
def test_an_old_file_survives_a_disk_that_takes_no_more(tmp_path, no_room):
    old = tmp_path / "report.html"
    old.write_text("what was there")
    with pytest.raises(OSError, match="File too large") as refused:
        whole_files.write(old, "x" * 2000)
    assert refused.value.filename == str(old)
    assert old.read_text() == "what was there"
    with pytest.raises(OSError, match="File too large"):
        whole_files.write(tmp_path / "fresh.html", "x" * 2000)
    assert os.listdir(tmp_path) == ["report.html"]


@on_posix
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_rights_of_the_umask_and_an_old_one_keeps_its_own(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        whole_files.write(tmp_path / "new", "1")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
    (tmp_path / "new").chmod(0o640)
    whole_files.write(tmp_path / "new", b"2")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert (tmp_path / "new").read_text() == "2"


@on_posix
def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    target, link = tmp_path / "there" / "a.csv", tmp_path / "a.csv"
    target.parent.mkdir()
    link.symlink_to(target)
    for text in ("1", "zwölf"):  # a target that is not there yet, and one that is
        whole_files.write(link, text)
        assert link.is_symlink()
        assert target.read_text("utf8") == text


@on_posix
def test_a_pipe_is_written_through(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    whole_files.write(pipe, b"x" * 200_000)
    reader.join()
    assert read == [b"x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


WRITE = """
import sys
from pagecost import whole_files
print("before")
whole_files.write(sys.argv[1], "all\\n")
print("after")
"""


@on_posix
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "out.txt"])
@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="standard output has no name here")
def test_standard_output_is_written_behind_what_was_printed(tmp_path, name):
    """As a pipe and as a file, by its device's name and by its own."""
    out = tmp_path / "out.txt"
    place = str(tmp_path / name)
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", WRITE, place], stdout=file, check=True)
    assert out.read_text() == "before\nall\nafter\n"
    if name != "out.txt":
        piped = subprocess.run([sys.executable, "-c", WRITE, place], stdout=subprocess.PIPE, check=True).stdout
        assert piped.split() == [b"before", b"all", b"after"]


@on_posix
def test_a_file_that_may_not_be_written_is_refused_and_one_in_a_closed_folder_is_written_in_place(
    tmp_path, monkeypatch
):
    kept = tmp_path / "kept"
    kept.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda path, how: False)  # as for another user: root may write all
        with pytest.raises(PermissionError):
            whole_files.write(kept, "new")
    assert kept.read_text() == "old"

    def closed(path, *rest):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "open", closed)
    whole_files.write(kept, "new")
    with pytest.raises(PermissionError, match="fresh"):
        whole_files.write(tmp_path / "fresh", "new")
    monkeypatch.undo()
    assert kept.read_text() == "new"


def test_what_is_interrupted_leaves_the_old_file(tmp_path, monkeypatch):
    old = tmp_path / "old"
    old.write_text("old")

    def stopped(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(_private_files.os, "fsync", stopped)
    with pytest.raises(KeyboardInterrupt):
        whole_files.write(old, "new")
    monkeypatch.undo()
    assert (old.read_text(), os.listdir(tmp_path)) == ("old", ["old"])

"""Nothing that another user of the machine owns or can write is ever loaded as code."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pagecost import _jit, _private_files
from pagecost._private_files import make_private, read, why_unsafe, write

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes of POSIX")

SOMEBODY = 65534  # who is not us
as_root = pytest.mark.skipif(getattr(os, "getuid", lambda: 1)() != 0, reason="only root can give files away")


@pytest.fixture
def folder(tmp_path):
    """A folder inside another one, both private."""
    found = tmp_path / "above" / "folder"
    make_private(found)
    return found


def test_what_is_made_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        make_private(tmp_path / "a" / "b")
        write(tmp_path / "a" / "b" / "file", b"code")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/file")]
    assert modes == [0o700, 0o700, 0o600]
    assert why_unsafe(tmp_path / "a" / "b") is None
    assert read(tmp_path / "a" / "b" / "file") == b"code"


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o775, 0o702])
def test_a_folder_that_others_can_write_is_refused(folder, mode):
    folder.chmod(mode)
    assert why_unsafe(folder) == f"other users may write to {folder} (chmod go-w {folder})"


def test_a_folder_under_one_that_others_can_write_is_refused_unless_it_is_sticky(folder):
    folder.parent.chmod(0o777)
    assert str(folder.parent) in why_unsafe(folder)
    folder.parent.chmod(0o1777)  # as /tmp: others cannot rename what is ours
    assert why_unsafe(folder) is None


def test_a_group_above_is_harmless_only_where_it_is_the_users_own(folder, monkeypatch):
    folder.parent.chmod(0o775)
    for own in (True, False):
        monkeypatch.setattr(_private_files, "_is_own_group", lambda group, own=own: own)
        assert (why_unsafe(folder) is None) == own


@as_root
def test_a_folder_of_another_user_is_refused_and_so_is_one_inside_it(folder):
    os.chown(folder, SOMEBODY, -1)
    assert why_unsafe(folder) == f"{folder} belongs to another user"
    os.chown(folder, 0, -1)
    os.chown(folder.parent, SOMEBODY, -1)
    assert why_unsafe(folder) == f"{folder.parent} belongs to another user"


def test_a_link_is_judged_by_where_it_leads(folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert why_unsafe(link) is None
    folder.parent.chmod(0o777)
    assert str(folder.parent) in why_unsafe(link)


def test_only_a_plain_file_that_nobody_else_can_write_is_read(folder):
    file = folder / "file"
    write(file, b"code")
    file.chmod(0o620)
    assert read(file) is None
    file.chmod(0o602)
    assert read(file) is None
    file.chmod(0o644)
    assert read(file) == b"code"
    (folder / "link").symlink_to(file)
    assert read(folder / "link") is None
    os.mkfifo(folder / "pipe", 0o600)  # whoever opened it would wait for ever
    assert read(folder / "pipe") is None
    assert read(folder) is None
    assert read(folder / "missing") is None


@as_root
def test_a_file_of_another_user_is_not_read(folder):
    write(folder / "file", b"code")
    os.chown(folder / "file", SOMEBODY, -1)
    assert read(folder / "file") is None
    assert read(folder / "file", {0, SOMEBODY}) == b"code"  # the owner of a package that is installed


def test_a_write_that_fails_leaves_nothing(folder, monkeypatch):
    def full(*names):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(_private_files.os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        write(folder / "file", b"code")
    assert list(folder.iterdir()) == []


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Ask for the kernel cache of an environment anew; gives a function of that folder, and what was said."""
    said = []
    monkeypatch.setattr(_jit._announcer, "say", said.append)

    def find(folder: Path) -> tuple[Path, list[str]]:
        said.clear()
        monkeypatch.setenv("PAGECOST_KERNEL_CACHE", str(folder))
        return _jit.kernel_cache.__wrapped__(), said

    return find


def test_a_named_cache_that_is_safe_is_used_without_a_word(cache, tmp_path):
    found, said = cache(tmp_path / "kernels")
    assert found.parent == tmp_path / "kernels"
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    assert said == []


def test_a_named_cache_that_others_can_write_is_replaced_by_a_folder_of_the_session_with_a_sentence(cache, tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    found, (sentence,) = cache(tmp_path / "kernels")
    assert tmp_path not in found.parents
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    assert f"other users may write to {tmp_path / 'kernels'}" in sentence
    assert sentence.endswith("this session compiles into a private folder")


def test_a_session_that_compiles_into_a_private_folder_removes_it(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    code = "from pagecost import _jit; print(_jit.kernel_cache())"
    environment = {**os.environ, "PAGECOST_KERNEL_CACHE": str(tmp_path / "kernels")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert not Path(done.stdout.strip()).exists()
    assert done.stderr.count("\n") == 1

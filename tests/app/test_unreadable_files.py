"""Files that belong to another user and may not be read: one sentence, wherever they are named."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import bokeh.plotting  # noqa: F401  before the test is another user, who cannot read where modules lie
import pytest

from pagecost import system
from pagecost.errors import ModelError
from pagecost_app import importing, plan_report  # noqa: F401  likewise
from pagecost_app.workspace import project_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rights of a POSIX system")
NOBODY = 65534


@pytest.fixture
def closed():
    """closed(name) -> a file that nobody may read; the test itself runs as another user where root runs it."""
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to others
    folder.chmod(0o755)

    def one(name):
        path = folder / name
        path.write_text("1,2,3\n")
        path.chmod(0)
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        assert not os.access(path, os.R_OK, effective_ids=True)
        return path

    yield one
    if os.getuid() == 0:
        os.seteuid(0)
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.json", "a.toml", "a.parquet", "a.csv.gz", "a.xml", "a"])
def test_the_page_import_says_it(closed, name):
    path = closed(name)
    with pytest.raises(ModelError, match="Permission denied") as refused:
        importing.understood(str(path), name, "", lambda share: None)
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("a.pagecost", project_file.read),
        ("a.toml", system.read),
        ("a.csv", lambda path: importing.understood(str(path), path.name)),
    ],
)
def test_a_line_for_a_file_says_it_of_a_closed_folder_too(closed, name, read, inside):
    path = closed(name)
    if inside:
        os.seteuid(os.getuid())
        path.parent.chmod(0o700 if os.getuid() == 0 else 0)
        if os.getuid() == 0:
            os.seteuid(NOBODY)
    try:
        with pytest.raises(ModelError, match="it cannot be read: Permission denied"):
            read(path)
    finally:
        os.seteuid(os.getuid())
        path.parent.chmod(0o755)


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "inspect", "a.csv"),
        ("trace", "convert", "a.csv", "b.csv"),
        ("buffer", "a.csv"),
        ("curve", "a.csv"),
        ("xml", "a.xml"),
        ("calibrate", "a.json"),
        ("devices", "check", "a.toml"),
        ("system", "show", "a.toml"),
        ("plan", "a.toml"),
        ("report", "a.pagecost", "b.html"),
        ("run", "miss_curve", "--set", "trace=a.csv"),
        ("run", "device_fit", "--set", "fio_files=a.json"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_command_says_it(run, closed, words):
    file = next(word.partition("=")[2] or word for word in words if "a." in word)
    path = closed(file)
    code, out, err = run(*(word.replace(file, str(path)) for word in words))
    assert (code, out) == (2, "")
    said = err.strip().splitlines()[-1]
    assert said.startswith("pagecost: ")
    assert "Permission denied" in said
    assert path.name in said

"""Whatever is typed or named, a command ends with a sentence: never a traceback, never a silence."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SEED = 15
WAIT_S = 20  # longer than this nothing that is refused may take
VALUES = (
    "",
    " ",
    "-1",
    "nan",
    "-inf",
    "1e400",
    "9" * 400,
    "1__x",
    "<b>x</b>",
    "[bold]x[/bold]",
    "{0}%s\\n",
    "\udcff\udcfe",
    "a\x00b",
    "\x1b[31mred",
    "x" * 5000,
    "–",
    "[",
    '["a", {"b": 1}]',
    "a=b=c",
    "../../..",
)
OF_VALUES = (
    ("run", "{}"),
    ("run", "block_size", "--set", "{}"),
    ("run", "block_size", "--set", "detail_block_bytes={}"),
    ("run", "block_size", "--set", "devices={}"),
    ("run", "buffer_size", "--set", "frames={}"),
    ("run", "buffer_size", "--set", "{}=1"),
    ("run", "plan_terms", "--set", "plan={}"),
    ("run", "block_size", "--preset", "{}"),
    ("run", "block_size", "--table", "{}"),
    ("run", "block_size", "--chart", "{}"),
    ("run", "block_size", "--export", "{}"),
    ("run", "block_size", "--format", "{}"),
    ("studies", "{}"),
    ("sweep", "block_size", "--over", "{}"),
    ("sweep", "block_size", "--over", "detail_block_bytes={}"),
    ("buffer", "sqlite-order-entry", "--frames", "{}"),
    ("buffer", "sqlite-order-entry", "--policy", "{}"),
    ("buffer", "sqlite-order-entry", "--device", "{}"),
    ("buffer", "sqlite-order-entry", "--columns", "{}"),
    ("curve", "sqlite-order-entry", "--policy", "{}"),
    ("curve", "sqlite-order-entry", "--sample", "{}"),
    ("curve", "sqlite-order-entry", "--page-bytes", "{}"),
    ("ssd", "--set", "{}"),
    ("ssd", "--set", "spare={}"),
    ("ssd", "--set", "blocks={}"),
    ("ssd", "--set", "policy={}"),
    ("ssd", "--device", "{}"),
    ("devices", "show", "{}"),
    ("claims", "--paper", "{}"),
    ("claims", "{}"),
    ("trace", "inspect", "sqlite-order-entry", "--trace-format", "{}"),
    ("trace", "generate", "{}", "x.csv"),
    ("trace", "generate", "zipf", "x.csv", "--references", "{}"),
    ("trace", "generate", "zipf", "x.csv", "--set", "alpha={}"),
    ("wear", "--at-most", "{}", "--", "true"),
    ("wear", "--device", "{}", "--", "true"),
    ("calibrate", "--jobs", "jobs", "--size", "{}"),
    ("system", "new", "x.toml", "--set", "{}"),
    ("system", "new", "x.toml", "--set", "memory.buffer_frames={}"),
    ("{}",),
    ("trace", "{}"),
)
OF_FILES = (
    ("run", "buffer_size", "--set", "trace={}"),
    ("run", "block_size", "--set", "fio_file={}"),
    ("run", "buffer_size", "--system", "{}"),
    ("buffer", "{}"),
    ("curve", "{}"),
    ("trace", "inspect", "{}"),
    ("trace", "convert", "{}", "x.parquet"),
    ("xml", "{}"),
    ("calibrate", "{}"),
    ("plan", "{}"),
    ("check", "{}"),
    ("system", "show", "{}"),
    ("system", "check", "{}"),
    ("system", "new", "y.toml", "--from", "{}"),
    ("devices", "check", "{}"),
    ("devices", "add", "{}"),
    ("wear", "--trace", "{}"),
)
INTO_FILES = (
    ("run", "block_size", "--chart", "{}"),
    ("run", "block_size", "--export", "{}"),
    ("trace", "convert", "sqlite-order-entry", "{}"),
    ("devices", "new", "{}"),
    ("system", "new", "{}"),
)


@pytest.fixture
def refused(run, tmp_path, monkeypatch):
    """Type a command that must be refused with one sentence, within the time that a person waits."""
    monkeypatch.chdir(tmp_path)

    def late(number, frame):
        raise TimeoutError("nothing was said for so long")

    before = signal.signal(signal.SIGALRM, late) if hasattr(signal, "SIGALRM") else None

    def typed(*words: str) -> str:
        if before is not None:
            signal.alarm(WAIT_S)
        try:
            code, out, error = run(*words)
        finally:
            if before is not None:
                signal.alarm(0)
        told = [line for line in error.splitlines() if not line.startswith("left out: ")]
        assert code == 2, (words, code, out[:200])
        assert len(told) == 1, (words, error)
        assert told[0].startswith("pagecost: "), (words, error)
        assert "Traceback" not in error
        assert "\x1b" not in error, words
        return told[0]

    yield typed
    if before is not None:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("command", OF_VALUES, ids=" ".join)
def test_an_odd_value_is_refused_in_a_sentence(refused, command):
    draw = random.Random(f"{SEED} {command}")
    for value in draw.sample(VALUES, 5):
        refused(*(word.replace("{}", value) for word in command))


def odd_files(folder: Path) -> dict[str, Path]:
    """One file of each kind that is no good."""
    made = {
        name: folder / name for name in ("empty", "bytes.csv", "bytes.xml", "folder.json", "pipe", "link", "closed")
    }
    made["empty"].touch()
    for name in ("bytes.csv", "bytes.xml"):
        made[name].write_bytes(random.Random(SEED).randbytes(5000))
    made["folder.json"].mkdir()
    made["link"].symlink_to(folder / "nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(made["pipe"])
        made["null"] = Path("/dev/null")
    made["closed"].write_text("1 r\n")
    made["closed"].chmod(0)
    if os.access(made["closed"], os.R_OK):  # to root nothing is closed
        del made["closed"]
    return {name: path for name, path in made.items() if path.exists() or path.is_symlink()}


@pytest.mark.parametrize("command", OF_FILES, ids=" ".join)
def test_an_odd_file_is_refused_in_a_sentence(refused, tmp_path, command):
    for path in odd_files(tmp_path).values():
        refused(*(word.replace("{}", str(path)) for word in command))


@pytest.mark.parametrize("command", INTO_FILES, ids=" ".join)
def test_what_cannot_be_written_is_refused_in_a_sentence(refused, tmp_path, command):
    (tmp_path / "folder.html").mkdir()
    for place in ("folder.html", "nowhere/x.toml", "nowhere/x.csv"):
        refused(*(word.replace("{}", place) for word in command))


def started(*words: str, **options) -> subprocess.Popen:
    command = Path(sys.executable).parent / "pagecost"
    return subprocess.Popen([command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_reader_that_has_read_enough_ends_it_quietly():
    with started("devices", "--format", "csv") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_control_c_ends_it_quietly():
    # a shell that starts the tests in the background has them ignore it
    heard = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with started("ssd", "--set", "writes=1e9", **heard) as process:
        time.sleep(3)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        assert process.returncode == 130
        assert (out, "Traceback" in error) == ("", False)


OF_PATHS = {
    "own_mix=new-order=99": ("whole_path", "must add up to 100 percent; they add up to 99"),
    "devices=fernando-memory-stick,warehouses=150": (
        "whole_path",
        "a file system for the 10.7 GB of TPC-C and its log is larger than its device, Sony Memory Stick PRO Duo "
        "(MagicGate) 1 GB, which holds 1 GB",
    ),
    "devices=fernando-memory-stick,warehouses=11": (
        "cleaning_interval",
        "segments with their metadata and what the cleaner keeps, and the volume has 119; make the files smaller",
    ),
    "intervals_s=0": ("cleaning_interval", "an interval of the cleaner must be above 0 and up to 3600 s; got 0"),
    "databases=own,users=200,buffer_frames=64": (
        "whole_path",
        "each user keeps a page fixed, so that 200 users need as many frames; got 64",
    ),
}


@pytest.mark.parametrize("asked", OF_PATHS)
def test_a_path_that_makes_no_sense_is_refused_with_its_reason(refused, asked):
    study, why = OF_PATHS[asked]
    sets = [word for each in asked.split(",") for word in ("--set", each)]
    assert why in refused("run", study, *sets, "--set", "seconds=1")

"""`pagecost wear`: a command's own output and exit code, limits, recordings that are kept, and what goes wrong."""

import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pagecost import programs
from pagecost.answers import program_wear
from pagecost.errors import ModelError
from pagecost.programs import block_requests, recorder
from pagecost.programs.strace import HEAD
from pagecost_app import wear_command
from pagecost_app.cli import app

traced = pytest.mark.skipif(sys.platform != "linux", reason="strace is of Linux, where make system installs it")
RECORDING = "sqlite-wal-normal"


def wear(*words):
    return CliRunner().invoke(app, ["wear", *map(str, words)])


def said(*words) -> str:
    """The sentence of an error."""
    failed = wear(*words).exception
    assert isinstance(failed, ModelError)
    return str(failed)


def asked(*command: str, keep: Path | None = None, **changed) -> wear_command.Asked:
    options = {"trace": None, "block": None, "at_most": None, "device": "samsung-970-pro-1tb", "file_system": "ext4"}
    return wear_command.asked(command, keep=keep, **{"runs_per_day": 0.0, **options, **changed})


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """A folder of which the recording takes that it lies on a device, wherever it lies."""
    monkeypatch.setattr(recorder, "_without_device", lambda: ["/dev", "/proc", "/sys"])
    return tmp_path


@traced
@pytest.mark.parametrize(
    ("script", "code"),
    [("true", 0), ("exit 7", 7), ("kill -9 $$", 137), ("(sleep 0.05; exit 3) & wait $!", 3)],
)
def test_the_exit_code_is_that_of_the_command(script, code):
    found, given = wear_command.answer(asked("sh", "-c", script))
    assert given == code
    assert found.wear.recording.exit_code == (code if code != 137 else -9)


@traced
def test_output_passes_through_and_children_are_followed(disk, capfd):
    script = f"echo said; (echo of a child > {disk}/child) & wait"
    found, code = wear_command.answer(asked("sh", "-c", script))
    assert (code, capfd.readouterr().out) == (0, "said\n")
    assert found.wear.asked[f"{disk}/child"] == len("of a child\n")
    assert found.wear.recording.processes == 2


@traced
def test_a_command_that_writes_nothing_is_one_sentence(capfd):
    # standard output is captured in a file here, so nothing is said
    found, code = wear_command.answer(asked("true"))
    assert wear_command.sentence(found) == "The command wrote nothing to a file on a device."
    assert code == 0


@traced
@pytest.mark.parametrize("name", ["run.strace", "run.strace.gz"])
def test_a_recording_that_is_kept_gives_the_same_numbers(disk, name):
    kept = disk / name
    script = "import sys; f = open(sys.argv[1], 'w'); f.write('x' * 10000); f.close()"
    first, _ = wear_command.answer(asked(sys.executable, "-c", script, str(disk / "out"), keep=kept))
    again, code = wear_command.answer(asked(trace=str(kept)))
    assert first.wear.asked[str(disk / "out")] == 10000
    assert wear_command.facts(again) == wear_command.facts(first)
    assert code == 0


@traced
def test_the_kernels_own_count_of_each_device_is_kept(disk, monkeypatch):
    device = disk / "sda"
    device.mkdir()
    (device / "stat").write_text("0 0 0 0 0 100 0 0")
    monkeypatch.setattr(recorder, "BLOCK_DEVICES", disk)
    found, _ = wear_command.answer(asked("sh", "-c", f"echo 0 0 0 0 0 0 116 0 > {device}/stat"))
    assert found.wear.recording.seen_bytes == {"sda": 116 * 512}
    assert wear_command.facts(found)["seen_by_then_bytes"] == {"sda": 116 * 512}


@pytest.mark.parametrize(
    ("journal", "mount", "kind", "taken"),
    [
        ("sda-8", "/ / rw - ext4 /dev/sda rw", "ext4", "ext4, ordered journal"),
        ("sdb-8", "/ / rw - ext4 /dev/sda rw", "ext2", "in place without journal"),
        ("none", "/ / rw - nilfs2 /dev/sda rw", "nilfs2", "in a log"),
        ("none", "/ / rw - xfs /dev/sda rw", "xfs", "in place of xfs, which is not modelled"),
    ],
)
def test_the_file_system_below_is_recognised(tmp_path, monkeypatch, journal, mount, kind, taken):
    (tmp_path / "jbd2" / journal).mkdir(parents=True)
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 8:1 {mount}\n2 0 0:5 / /run rw - tmpfs tmpfs rw\n")
    monkeypatch.setattr(recorder, "MOUNTS", mounts)
    monkeypatch.setattr(recorder, "JOURNALS", tmp_path / "jbd2")
    assert recorder._file_system(["/data/a", "/data/b", "/run/c"]) == kind
    recording = programs.read(program_wear.path_of(RECORDING))
    found = programs.wear(replace(recording, file_system=kind), programs.Settings(file_system="recorded"))
    assert taken in wear_command._taken_for(found)


@traced
def test_nothing_is_run_that_cannot_be_recorded(tmp_path):
    made = tmp_path / "made"
    wrong = ["--keep", tmp_path / "no" / "folder", "--", "touch", made]
    assert "its folder is not there" in said(*wrong)
    assert "there is no command 'no-such-command'" in said("--", "no-such-command", made)
    assert "needed" in said()
    assert "a limit is bytes a day or a run" in said("--at-most", "10 parsecs", "--", "touch", made)
    assert "floppy" in said("--device", "floppy", "--", "touch", made)
    assert not made.exists()


@pytest.mark.parametrize(
    ("text", "size", "per"),
    [("10GB/day", 10e9, "day"), ("200MB", 200e6, "run"), ("1.5 KiB / run", 1536, "run"), ("1e3mb/Day", 1e9, "day")],
)
def test_limits_are_read_as_people_write_them(text, size, per):
    assert wear_command.limit(text)[:2] == (size, per)


@pytest.mark.parametrize("text", ["", "10", "GB", "-1GB", "10GB/week", "10W/day", "infGB"])
def test_other_limits_are_refused(text):
    with pytest.raises(ModelError, match="a limit is bytes a day or a run"):
        wear_command.limit(text)


@pytest.mark.parametrize(("limit", "code"), [("1MB", 1), ("100MB", 0), ("1GB/day", 1), ("1PB/day", 0)])
def test_a_broken_limit_is_exit_code_1_with_a_sentence(limit, code):
    done = wear("--trace", RECORDING, "--at-most", limit)
    assert done.exit_code == code
    assert ("is broken" in done.stderr) == bool(code)


MAPPED = "mmap(NULL, 1048576, PROT_READ|PROT_WRITE, MAP_SHARED, 3</w/mapped>, 0) = 0x7f00"


@pytest.mark.parametrize("written", [0, 10])
def test_neither_the_sentence_nor_the_verdict_hides_that_writes_were_not_seen(tmp_path, written):
    recording = tmp_path / "run.strace"
    calls = [MAPPED] + ([f'write(4</w/plain>, ""..., {written}) = {written}'] if written else [])
    recording.write_text("".join(f"7 {at}.5 {call}\n" for at, call in enumerate(calls, start=1)))
    found, _ = wear_command.answer(asked(trace=str(recording), at_most="1MB"))
    words = "Writes that were not seen are missing in it." if written else "and not all writes were seen."
    assert wear_command.sentence(found).endswith(words)
    done = wear("--trace", recording, "--at-most", "1MB")
    assert done.exit_code == 0
    assert "the limit of 1MB is kept by the writes that were seen. What is written through memory maps" in done.stderr
    assert "/w/mapped" in done.stderr


def test_a_recording_in_which_all_was_seen_is_kept_without_a_word(tmp_path):
    recording = tmp_path / "run.strace"
    recording.write_text('7 1.5 write(4</w/plain>, ""..., 10) = 10\n')
    done = wear("--trace", recording, "--at-most", "1MB")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "missing" not in done.stdout


def test_a_recording_is_told_by_file_and_cause_and_adds_up():
    found = json.loads(wear("--trace", RECORDING, "--format", "json").stdout)
    assert sum(found["causes_bytes"].values()) == pytest.approx(found["flash_bytes"])
    assert sum(file["device_bytes"] for file in found["files"]) == found["device_bytes"]
    assert {file["is"] for file in found["files"]} >= {"SQLite database", "SQLite write-ahead log"}
    assert found["not_seen"]


def test_a_recording_comes_through_a_pipe():
    content = program_wear.path_of(RECORDING).read_bytes()
    done = CliRunner().invoke(app, ["wear", "--trace", "-", "--format", "json"], input=content)
    assert done.exit_code == 0, done.output
    piped, named = json.loads(done.stdout), json.loads(wear("--trace", RECORDING, "--format", "json").stdout)
    assert piped["causes_bytes"] == named["causes_bytes"]


def test_options_that_do_not_go_together_are_refused():
    assert "--keep is for a command" in said("--trace", RECORDING, "--keep", "x")
    assert "runs a day must be 0 or more" in said("--trace", RECORDING, "--runs-per-day", "-1")
    assert "file system" in said("--trace", RECORDING, "--file-system", "fat")
    assert "there is no recording" in said("--trace", "nothing")


def test_without_strace_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(recorder.shutil, "which", lambda name: None)
    assert "install the package strace" in said("--", "true")


@traced
def test_where_tracing_is_forbidden_it_is_said(monkeypatch):
    monkeypatch.setattr(recorder, "_run", lambda command: 1)
    assert "does not let processes be traced" in said("--", "true")


@traced
def test_what_was_recorded_is_not_lost_when_the_disk_is_full(monkeypatch, tmp_path):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(recorder.shutil, "copyfileobj", full)
    sentence = said("--keep", tmp_path / "kept", "--", "true")
    assert "No space left on device; it is in " in sentence
    raw = Path(sentence.rpartition("it is in ")[2])
    assert raw.stat().st_size > 0
    assert not (tmp_path / "kept.part").exists()
    raw.unlink()


def test_what_was_recorded_at_the_disk_wears_the_drive_and_the_prediction_stands_beside_it(tmp_path):
    first = wear_command.answer(asked(trace=RECORDING))[0]
    kernel = [f" x-1 [0] ..... {n}.5: block_rq_complete: 8,0 WS () {n * 8} + 8 be,0,4 [0]" for n in range(500)]
    seen = block_requests.parsed([*kernel, " x-1 [0] ..... 9.5: block_rq_complete: 8,0 FF () 0 + 0 be,0,4 [0]"], "sda")
    head, _, calls = gzip.decompress(program_wear.path_of(RECORDING).read_bytes()).decode().partition("\n")
    kept = json.loads(head.removeprefix(HEAD)) | {"block": seen.plain()}
    (tmp_path / "both.strace").write_text(f"{HEAD}{json.dumps(kept)}\n{calls}")
    both = wear_command.answer(asked(trace=str(tmp_path / "both.strace")))[0]
    told = wear_command.facts(both)
    assert told["recorded_at_device"] == {
        "disk": "sda",
        "written_bytes": 500 * 4096,
        "writes": 500,
        "mean_write_bytes": 4096,
        "flushes": 1,
        "discarded_bytes": 0,
        "events_lost": 0,
    }
    assert told["device_bytes"] == first.wear.device_bytes, "the prediction is what it was"
    assert told["flash_bytes"] == 500 * 4096 * both.flash.write_amplification
    assert "2.05 MB to the device as recorded, of all programs (" in told["says"]
    assert told["not_seen"] == wear_command.facts(first)["not_seen"]
    kept["block"]["lost"] = 7
    (tmp_path / "lost.strace").write_text(f"{HEAD}{json.dumps(kept)}\n{calls}")
    lost = wear_command.facts(wear_command.answer(asked(trace=str(tmp_path / "lost.strace")))[0])
    assert lost["not_seen"][-1].startswith("7 requests of the disk came faster than they could be written down")
    limit = wear_command.answer(asked(trace=str(tmp_path / "both.strace"), at_most="2MB"))[0].broken
    assert limit.startswith("the limit of 2MB is broken: 2.05 MB a run reach the device")


def test_watching_a_disk_is_for_a_command_that_is_run(tmp_path):
    assert "--block is for a command that is run" in said("--trace", RECORDING, "--block", tmp_path)
    assert f"{tmp_path / 'none'} is none" in said("--block", tmp_path / "none", "--", "true")

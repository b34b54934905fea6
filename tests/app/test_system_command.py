"""`pagecost system` and `pagecost run --system`, as they are typed."""

import json
import os

import pytest
from typer.testing import CliRunner

from pagecost import catalogue, system
from pagecost.errors import ModelError
from pagecost_app.cli import app


def typed(*words) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_new_system_is_written_shown_checked_and_fills_in_a_study(tmp_path):
    file = tmp_path / "mine.toml"
    assert "300 frames, arc" in typed(
        *("system", "new", file, "--set", "memory.buffer_frames=300", "--set", "memory.policy=arc"),
        *("--set", "devices.log.device=wd400bb", "--set", "devices.database.device=intel-x25-e"),
    )
    assert system.read(file).value("devices.log.device") == "wd400bb"
    shown = typed("system", "show", file, "--wide")
    assert "buffer_size.frames" in shown
    assert "Pages that the database buffer holds." in shown
    assert json.loads(typed("system", "show", file, "--format", "json"))["memory"]["buffer_frames"] == 300
    assert "is a system: my system" in typed("system", "check", file)
    answer = json.loads(typed("run", "buffer_size", "--system", file, "--format", "json"))
    assert answer["columns"]["policy"][0] == "arc", "its own first, beside it those that the question compares"
    chosen = answer["columns"]["chosen"].index(True)
    assert answer["columns"]["frames"][chosen] == 300


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["new", "FILE", "--set", "memry.policy=lru"], "a system has no memry.policy; it has name, load.source"),
        (["new", "FILE", "--set", "memory.policy=best"], "memory.policy: unknown replacement policy 'best'"),
        (["new", "FILE", "--set", "load.source=nonsense"], "load.source: unknown trace 'nonsense'"),
        (["new", "FILE", "--set", "schema=3"], "a system has no schema"),
        (["new", "FILE", "--set", "devices.log.count=2"], "devices.2.device is missing"),
        (["show", "FILE"], "there is no such file"),
        (["check", "FILE"], "there is no such file"),
        (["check", os.curdir], "this is a folder, not a file"),
        (["check", os.devnull], "this is no file"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence_and_nothing_is_written(tmp_path, words, sentence):
    file = tmp_path / "mine.toml"
    with pytest.raises(ModelError, match=sentence):
        typed("system", *(file if word == "FILE" else word for word in words))
    assert not file.exists()


def test_a_file_that_is_there_is_not_written_over_unless_it_is_wanted(tmp_path):
    file = tmp_path / "mine.toml"
    typed("system", "new", file)
    with pytest.raises(ModelError, match="this is a folder; name a file in it"):
        typed("system", "new", tmp_path, "--force")
    with pytest.raises(ModelError, match="is there already; --force writes over it"):
        typed("system", "new", file)
    typed("system", "new", file, "--force", "--set", "name=another")
    assert system.read(file).name == "another"


def test_a_study_that_takes_nothing_from_a_system_says_which_do(tmp_path):
    file = tmp_path / "mine.toml"
    typed("system", "new", file)
    with pytest.raises(ModelError, match="label_length takes nothing from a system; these do: best_block_size"):
        typed("run", "label_length", "--system", file)


def test_what_a_study_cannot_take_from_a_system_is_said_with_the_reason(tmp_path):
    file = tmp_path / "mine.toml"
    typed("system", "new", file, "--set", "devices.database.device=intel-x25-e")
    said = typed("system", "check", file)
    assert "not for disk_scheduling.disk: intel-x25-e: average_seek_read_s is not known" in said
    assert "buffer_size" in said.splitlines()[1]


def test_a_run_says_what_it_takes_and_what_it_cannot_and_what_is_set_wins(run, tmp_path):
    file = tmp_path / "mine.toml"
    asked = ("--set", "devices.database.device=intel-x25-e", "--set", "load.read_share=0.75")
    assert run("system", "new", str(file), *asked)[0] == 0
    code, _, said = run("run", "disk_scheduling", "--system", str(file), "--set", "requests=200")
    assert code == 0
    assert f"from {file}: schedulers = fcfs,sstf,c-look,sptf, write_share = 0.25" in said
    assert f"not from {file}: disk_scheduling.disk: intel-x25-e: average_seek_read_s is not known" in said
    more = ("--set", "requests=200", "--set", "write_share=1", "--format", "json")
    both = [run("run", "disk_scheduling", *words, *more)[1] for words in (("--system", str(file)), ())]
    assert json.loads(both[0])["columns"] == json.loads(both[1])["columns"], "a write share of one's own"
    code, _, said = run("run", "slc_cache", "--system", str(file))
    assert code == 2
    assert "slc_cache can take nothing from" in said


def test_a_system_takes_the_load_that_was_measured(run, tmp_path):
    measured, made = tmp_path / "iostat.txt", tmp_path / "mine.toml"
    measured.write_text("Device r/s rkB/s w/s wkB/s aqu-sz %util\nsda 30 120 10 40 0.5 10\nsdb 1 4 0 0 0 1\n")
    code, out, _ = run("system", "new", str(made), "--from", str(measured), "--set", "load.volume_bytes=4TB")
    assert code == 0
    assert "read_share 0.75" in " ".join(out.split())
    load = system.read(made).load
    assert (load.rate_hz, load.read_share, load.volume_bytes) == (40.0, 0.75, 4e12)
    assert (
        "unknown device in it 'sdc'" in run("system", "new", str(made), "--from", str(measured), "--device", "sdc")[2]
    )
    assert "a system or a device is" in run("system", "new", str(made), "--from", str(made), "--force")[2]
    trace = tmp_path / "mine.csv"
    trace.write_text("0.5;8;r\n1.0;16;w\n")
    asked = ("--columns", "time=0,offset=1,op=2,unit=sector", "--force")
    assert run("system", "new", str(made), "--from", str(trace), *asked)[0] == 0
    load = system.read(made).load
    assert (load.source, load.rate_hz) == (f"{trace}#time=0,offset=1,op=2,unit=sector", 4.0)


def test_every_file_may_be_standard_input_once(run, tmp_path):
    made = tmp_path / "mine.toml"
    assert run("system", "new", str(made))[0] == 0
    content = made.read_bytes()

    def piped(*arguments: str, given: bytes = content):
        found = CliRunner().invoke(app, arguments, input=given)
        return found.exit_code, found.output, found.exception

    assert "studies take from it" in piped("system", "check", "-")[1]
    assert "load.rate_hz" in piped("system", "show", "-")[1]
    assert piped("run", "total_cost", "--system", "-", "--format", "csv")[0] == 0
    code, out, _ = piped(
        "run", "buffer_size", "--set", "trace=-", "--set", "policies=lru, fifo", given=b"1 r\n2 w\n1 r\n"
    )
    assert code == 0
    assert "LRU" in out
    fio = next(path for path in catalogue.root().rglob("*.json") if '"fio version"' in path.read_text("utf8")[:4096])
    assert piped("run", "block_size", "--set", "fio_file=-", given=fio.read_bytes())[0] == 0
    assert "fio result" in str(piped("run", "block_size", "--set", "fio_file=-", given=b"{}")[2])
    code, _, error = piped("check", "-", "--iostat", "-")
    assert code != 0
    assert "standard input is named twice; it can be read once" in str(error)
    assert piped("xml", "-", "--mapping", "fs, el", given=b"<a>b</a>")[0] == 0

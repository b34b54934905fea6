"""Which tests a quick run leaves out is noted by runs."""

from types import SimpleNamespace

from helpers import seconds


def test_a_run_notes_what_took_long_and_forgets_what_did_not_or_is_gone(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "here.py").touch()
    noted = tmp_path / "tests" / "seconds.txt"
    was = ("gone.py::test_a", "here.py::test_not_run[a b]", "here.py::test_quick_now")
    noted.write_text("".join(f"9.0 tests/{name}\n" for name in was), "utf8")
    monkeypatch.setattr(seconds, "NOTED", noted)
    run = seconds.Noting()
    for name, part_s in (("test_quick_now", 0.4 * seconds.LONG_S), ("test_set_up_for_long", 0.6 * seconds.LONG_S)):
        for _ in ("setup", "call"):
            run.pytest_runtest_logreport(SimpleNamespace(nodeid=f"tests/here.py::{name}", duration=part_s))
    run.pytest_sessionfinish()
    long = ["tests/here.py::test_not_run[a b]", "tests/here.py::test_set_up_for_long"]
    assert list(seconds.long_tests()) == long
    items = [SimpleNamespace(nodeid=name) for name in (*long, "tests/here.py::test_quick_now", "tests/new.py::test_b")]
    quick, left_out = seconds.without_noted(items)
    assert ([item.nodeid for item in left_out], quick) == (long, items[2:])


def test_what_is_noted_stands_in_files_that_exist():
    root = seconds.NOTED.parents[1]
    files = {name.partition("::")[0] for name in seconds.long_tests()}
    assert len(files) > 10
    assert [name for name in sorted(files) if not (root / name).is_file()] == []

"""Which tests a short run leaves out is noted by runs of all."""

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
    for least_s, out in ((seconds.LONG_S, 2), (1.0, 1), (9.1, 0)):
        quick, left_out = seconds.within(items, least_s)
        assert ([item.nodeid for item in left_out], quick) == (long[:out], items[out:])


def test_of_a_file_that_takes_long_throughout_the_quickest_test_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(seconds, "NOTED", tmp_path / "seconds.txt")
    seconds.NOTED.write_text("9.0 tests/a.py::test_b\n7.0 tests/a.py::test_c\n8.0 tests/d.py::test_e\n", "utf8")
    names = ("tests/a.py::test_b", "tests/a.py::test_c", "tests/d.py::test_e", "tests/d.py::test_quick")
    items = [SimpleNamespace(nodeid=name) for name in names]
    assert seconds.within(items, 1.0) == ([items[1], items[3]], [items[0], items[2]])


def test_no_cell_of_a_notebook_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(seconds, "NOTED", tmp_path / "seconds.txt")
    seconds.NOTED.write_text("9.0 notebooks/01_a.ipynb::Cell 3\n9.0 tests/a.py::test_b\n", "utf8")
    names = ("notebooks/01_a.ipynb::Cell 3", "tests/a.py::test_b", "tests/a.py::test_quick")
    items = [SimpleNamespace(nodeid=name) for name in names]
    assert seconds.within(items, 1.0) == ([items[0], items[2]], [items[1]])


def test_what_is_noted_stands_in_files_that_exist():
    root = seconds.NOTED.parents[1]
    files = {name.partition("::")[0] for name in seconds.long_tests()}
    assert len(files) > 10
    assert [name for name in sorted(files) if not (root / name).is_file()] == []

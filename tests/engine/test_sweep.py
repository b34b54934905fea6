"""Sweeps: every combination once, kept point by point, and gone on with after whatever stopped them."""

import json
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor

import duckdb
import pytest

from pagecost import studies, sweep
from pagecost.errors import ModelError

COST = studies.find("total_cost")
RATES = [100.0, 1000.0, 10_000.0]
DRIVES = [["wd800aajs"], ["intel-x25-m-g2-80gb", "wd800aajs"]]


def grid():
    return sweep.grid(COST, {"iops": RATES, "devices": DRIVES}, {"years": 3.0})


def ran(path, points, executor=None, study=COST, progress=lambda share: None):
    with sweep.Store(path, study) as store, executor or ThreadPoolExecutor(2) as workers:
        done = sweep.run(study, points, store, workers, progress)
        return done, store.records([point.key for point in points])


def test_a_grid_has_every_combination_once_the_last_input_fastest():
    points = grid()
    assert [tuple(point.over.values()) for point in points] == [(rate, each) for rate in RATES for each in DRIVES]
    assert len({point.key for point in points}) == 6
    assert all(point.asked["years"] == 3.0 for point in points)


def test_the_results_are_those_of_the_study_in_the_order_of_the_points(tmp_path):
    points = grid()
    done, found = ran(tmp_path / "s.duckdb", points)
    assert (done.points, done.computed, done.refused) == (6, 6, ())
    wanted = []
    for point in points:
        plain = COST.compute(COST.inputs(point.asked)).plain()
        over = {"over_iops": point.over["iops"], "over_devices": ",".join(point.over["devices"])}
        wanted += [over | dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]
    assert found == wanted


def test_what_is_there_is_not_computed_again_and_a_grown_grid_adds_only_what_is_new(tmp_path):
    path, points = tmp_path / "s.duckdb", grid()
    ran(path, points[:4])
    shares = []
    done, found = ran(path, points, progress=shares.append)
    assert (done.points, done.computed) == (6, 2)
    assert shares == [0.5, 1.0]
    assert len(found) == 9
    assert ran(path, points)[0].computed == 0


class Breaks:
    """An executor that computes in this thread and loses the third point."""

    def __init__(self, error):
        self.error, self.asked = error, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, work, *given):
        self.asked += 1
        future = Future()
        if self.asked == 3:
            future.set_exception(self.error)
        else:
            future.set_result(work(*given))
        return future


def test_a_fault_at_one_point_costs_only_that_point(tmp_path):
    path, points = tmp_path / "s.duckdb", grid()
    with pytest.raises(ModelError, match=r"1 of 6 points could not be computed and are not kept.*IndexError: out"):
        ran(path, points, Breaks(IndexError("out of range")))
    assert ran(path, points)[0].computed == 1


def test_an_interrupt_keeps_what_was_finished(tmp_path):
    path, points = tmp_path / "s.duckdb", grid()

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran(path, points, progress=stop)
    assert ran(path, points)[0].computed == 5


def test_a_point_that_the_study_refuses_is_kept_with_its_sentence(tmp_path):
    study, path = studies.find("trace_insight"), tmp_path / "s.duckdb"
    trace = tmp_path / "trace.txt"
    trace.write_text("1\n2\n1\n")
    (tmp_path / "none.txt").write_text("this is no trace\n")
    points = sweep.grid(study, {"trace": [str(tmp_path / "none.txt"), str(trace)]})
    done, found = ran(path, points, study=study)
    assert done.computed == 2
    assert len(done.refused) == 1
    assert "none.txt" in done.refused[0]
    assert {row["over_trace"] for row in found} == {str(trace)}
    assert ran(path, points, study=study)[0].computed == 1, "what was refused is asked again"
    trace.write_text("1\n2\n3\n")
    changed = sweep.grid(study, {"trace": [str(trace)]})
    assert ran(path, changed, study=study)[0].computed == 1, "a file with another content is another point"


@pytest.mark.parametrize(
    ("over", "values", "sentence"),
    [
        ({}, {}, "a sweep of total_cost needs an input to sweep over, such as devices=wd800aajs,"),
        ({"iops": []}, {}, "iops has no value to sweep over"),
        ({"iop": [1]}, {}, "unknown input of total_cost 'iop'"),
        ({"iops": [1]}, {"iops": 2}, "iops is both set and swept over"),
        ({"iops": [1, 1.0]}, {}, "the point iops = 1.0 stands twice"),
        ({"iops": [1, -1]}, {}, "at iops=-1: total_cost: iops should be greater than or equal to 0"),
        ({"iops": range(2000), "years": range(1000)}, {}, "may have 1000000 points; these are 2000000"),
    ],
)
def test_a_bad_grid_is_one_sentence_before_anything_is_computed(over, values, sentence):
    with pytest.raises(ModelError, match=r"^[^\n]+$") as error:
        sweep.grid(COST, over, values)
    assert sentence in str(error.value)


def test_files_that_cannot_hold_the_sweep_are_one_sentence(tmp_path):
    (tmp_path / "text.duckdb").write_text("no database at all, but a text that is longer than a header")
    ran(tmp_path / "s.duckdb", grid()[:1])
    duckdb.connect(str(tmp_path / "other.duckdb")).execute("CREATE TABLE mine (x INTEGER)").close()
    (tmp_path / "a block.duckdb").write_text("this is none either, and its name has lock in it")
    for name, sentence in (
        ("text.duckdb", "it is no file of a sweep"),
        ("a block.duckdb", "it is no file of a sweep"),
        (".", "this is a folder or a device, and no file; name another one"),
        ("x" * 300, r"it cannot be opened or made there \(.*File name too long"),
        ("other.duckdb", "this DuckDB file holds no sweep"),
        ("none/s.duckdb", "there is no folder"),
        ("s.parquet", "it is kept as DuckDB"),
    ):
        with pytest.raises(ModelError, match=sentence):
            sweep.Store(tmp_path / name, COST)
    with pytest.raises(ModelError, match="holds answers of total_cost, not of buffer_size"):
        sweep.Store(tmp_path / "s.duckdb", studies.find("buffer_size"))
    with duckdb.connect(str(tmp_path / "s.duckdb")) as file:
        file.execute("UPDATE about SET value = '99' WHERE name = 'layout'")
    with pytest.raises(ModelError, match="layout 99, of a newer pagecost"):
        sweep.Store(tmp_path / "s.duckdb", COST)


@pytest.mark.skipif(sys.platform != "linux", reason="places where no file can be made")
@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("/proc/x.duckdb", "it cannot be opened or made there (Cannot open file"),
        ("/dev/full", "this is a folder or a device, and no file; name another one"),
    ],
)
def test_a_place_where_no_file_can_be_made_is_said_to_be_one(place, sentence):
    with pytest.raises(ModelError, match=r"^[^\n]+$") as error:
        sweep.Store(place, COST)
    assert sentence in str(error.value)


def test_a_file_that_another_process_has_open_is_said_to_be_in_use(tmp_path):
    with sweep.Store(tmp_path / "s.duckdb", COST):
        opened = f"sweep.Store({str(tmp_path / 's.duckdb')!r}, studies.find('total_cost'))"
        code = f"from pagecost import studies, sweep; {opened}"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert other.stderr.strip().endswith("s.duckdb: another process has it open")


def test_an_export_is_read_by_others_with_what_it_was_made_with(tmp_path):
    points = grid()
    with sweep.Store(tmp_path / "s.duckdb", COST) as store, ThreadPoolExecutor(1) as workers:
        sweep.run(COST, points, store, workers)
        keys = [point.key for point in points[2:]]
        for name in ("o.parquet", "o.csv"):
            store.export(tmp_path / name, keys)
            found = duckdb.sql(f"SELECT over_iops, device, total_usd FROM '{tmp_path / name}'").fetchall()
            wanted = [(row["over_iops"], row["device"], row["total_usd"]) for row in store.records(keys)]
            assert found == wanted
        with pytest.raises(ModelError, match=r"results are written as .parquet or .csv"):
            store.export(tmp_path / "o.txt", keys)
        with pytest.raises(ModelError, match="it cannot be written"):
            store.export(tmp_path / "none" / "o.csv", keys)
    about = dict(duckdb.sql(f"SELECT key, value FROM parquet_kv_metadata('{tmp_path / 'o.parquet'}')").fetchall())
    assert about[b"study"] == b"total_cost"
    assert json.loads(about[b"versions"])["pagecost"]
    units = COST.compute(COST.inputs()).columns
    assert json.loads(about[b"units"]) == {name: column.unit for name, column in units.items()}
    assert json.loads(about[b"inputs"])["years"] == 3.0
    assert not {"iops", "devices"} & set(json.loads(about[b"inputs"]))


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files is of POSIX")
def test_a_full_disk_in_mid_sweep_loses_nothing_that_was_finished(tmp_path):
    script = f"""
import resource, sys
from concurrent.futures import ThreadPoolExecutor
from pagecost import studies, sweep
study = studies.find("total_cost")
points = sweep.grid(study, {{"iops": [float(each) for each in range(1, 1500)]}})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
with sweep.Store({str(tmp_path / "s.duckdb")!r}, study) as store, ThreadPoolExecutor(1) as workers:
    try:
        sweep.run(study, points, store, workers)
    except ValueError as error:
        print(error)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert "it cannot be written" in said.stdout, said.stderr
    assert said.stdout.count("\n") == 1
    points = sweep.grid(COST, {"iops": [float(each) for each in range(1, 1500)]})
    with sweep.Store(tmp_path / "s.duckdb", COST) as store:
        kept = store.finished()
        rows = store.records([point.key for point in points])
    assert len(kept) > 20
    assert len(rows) == 2 * len(kept)


def test_processes_answer_as_this_one_does(tmp_path):
    points = grid()
    with sweep.processes(2) as workers, sweep.Store(tmp_path / "s.duckdb", COST) as store:
        assert sweep.run(COST, points, store, workers).computed == 6
        there = store.records([point.key for point in points])
    assert there == ran(tmp_path / "again.duckdb", points)[1]
    with pytest.raises(ModelError, match="at least one worker; got 0"), sweep.processes(0):
        pass


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a worker is killed by a signal")
def test_a_dask_cluster_that_loses_a_worker_loses_no_point_and_answers_none_twice(tmp_path):
    study = studies.find("write_amplification")
    points = sweep.grid(study, {"seed": list(range(1, 25))}, {"policies": ("greedy",)})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    port = address.rpartition(":")[2]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    scheduler = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        port,
        "--no-dashboard",
    ]
    worker = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        address,
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    ]
    started = [subprocess.Popen(scheduler, **quiet)]
    try:
        started += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        _wait_for_workers(address, 2)
        killed = []

        def kill_one(share):
            if share > 0.2 and not killed:
                started[1].send_signal(signal.SIGKILL)
                killed.append(share)

        with sweep.cluster(address) as executor, sweep.Store(tmp_path / "s.duckdb", study) as store:
            done = sweep.run(study, points, store, executor, kill_one)
            found = store.records([point.key for point in points])
        assert killed
        assert started[1].wait(10) == -signal.SIGKILL
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
    assert (done.computed, done.refused) == (24, ())
    assert [row["over_seed"] for row in found] == [
        point.over["seed"] for point in points for _ in range(len(found) // 24)
    ]
    here = study.compute(study.inputs(points[17].asked)).plain()["write_amplification"]
    assert [row["write_amplification"] for row in found if row["over_seed"] == 18] == here


def _wait_for_workers(address, count):
    from distributed import Client

    deadline = time.monotonic() + 60
    with Client(address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=deadline - time.monotonic())


@pytest.mark.parametrize("address", ["tcp://127.0.0.1", "nonsense://1:2", "here"])
def test_an_address_that_is_none_is_one_sentence(address):
    with pytest.raises(ModelError, match=r"a scheduler is like tcp://127.0.0.1:8786"), sweep.cluster(address):
        pass


def test_what_is_said_beside_answers_is_kept_once_with_the_number_of_points_that_it_is_of(tmp_path):
    points = sweep.grid(COST, {"iops": [10.0, 1000.0], "failures": ["left out", "0.02"]})
    of_all, of_some = (COST.compute(COST.inputs({"failures": failures})).notes for failures in ("left out", "0.02"))
    with sweep.Store(tmp_path / "s.duckdb", COST) as store, ThreadPoolExecutor(1) as workers:
        sweep.run(COST, points[:3], store, workers)
    with sweep.Store(tmp_path / "s.duckdb", COST) as store, ThreadPoolExecutor(1) as workers:
        sweep.run(COST, points, store, workers)
        found = dict(store.notes([point.key for point in points]))
        assert dict(store.notes([points[0].key])) == dict.fromkeys(of_all, 1)
    assert found == {note: 4 if note in of_all and note in of_some else 2 for note in {*of_all, *of_some}}
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize(
    ("over", "values", "sentence"),
    [
        ({"years": [1.0]}, {"growth": 0.5}, "other inputs: growth is 0.1 there and is 0.5 here; name another file"),
        ({"years": [1.0]}, {}, "other inputs: growth is 0.1 there and is 0.0 here; name another file"),
        ({"years": [1.0], "growth": [0.1, 0.5]}, {}, "growth is 0.1 there and is swept over here"),
        ({"iops": [1.0]}, {"growth": 0.1}, "iops is 1000.0 there and is swept over here"),
        ({"iops": [1.0]}, {"growth": 0.1}, "years is swept over there and is 5.0 here"),
    ],
)
def test_answers_that_differ_in_what_no_column_tells_do_not_share_a_file(tmp_path, over, values, sentence):
    path, points = tmp_path / "s.duckdb", sweep.grid(COST, {"years": [1.0, 2.0]}, {"growth": 0.1})
    there = ran(path, points)[1]
    with pytest.raises(ModelError, match=r"^[^\n]+$") as error:
        ran(path, sweep.grid(COST, over, values))
    assert sentence in str(error.value)
    with duckdb.connect(str(path)) as file:
        about = dict(file.execute("SELECT name, value FROM about").fetchall())
        assert json.loads(about["inputs"])["growth"] == 0.1
        assert file.execute("SELECT count(*) FROM results").fetchall() == [(len(there),)]
    more = sweep.grid(COST, {"years": [1.0, 2.0, 3.0]}, {"growth": 0.1})
    assert ran(path, more)[0].computed == 1


def test_a_file_of_a_pagecost_that_lacked_an_input_takes_more_answers(tmp_path):
    path, points = tmp_path / "s.duckdb", sweep.grid(COST, {"years": [1.0, 2.0]})
    ran(path, points[:1])
    with duckdb.connect(str(path)) as file:
        (inputs,) = file.execute("SELECT value FROM about WHERE name = 'inputs'").fetchone()
        fewer = {name: value for name, value in json.loads(inputs).items() if name != "memory"}
        file.execute("UPDATE about SET value = ? WHERE name = 'inputs'", [json.dumps(fewer)])
    assert ran(path, points)[0].computed == 1
    with duckdb.connect(str(path)) as file:
        file.execute("DELETE FROM about WHERE name = 'inputs'")
    assert ran(path, points)[0].computed == 0


def test_a_file_of_answers_without_notes_takes_more_answers(tmp_path):
    """As a pagecost left it that kept no notes: points without the column, and no table of them."""
    points = sweep.grid(COST, {"iops": [10.0, 1000.0]})
    with sweep.Store(tmp_path / "s.duckdb", COST) as store, ThreadPoolExecutor(1) as workers:
        sweep.run(COST, points[:1], store, workers)
        rows = store.records([points[0].key])
    with duckdb.connect(str(tmp_path / "s.duckdb")) as file:
        file.execute("DROP VIEW results; DROP TABLE notes; ALTER TABLE points DROP COLUMN notes")
        file.execute(
            "CREATE VIEW results AS SELECT points.* EXCLUDE (error, seconds), answers.* EXCLUDE (key) "
            "FROM answers JOIN points USING (key)"
        )
    with sweep.Store(tmp_path / "s.duckdb", COST) as store, ThreadPoolExecutor(1) as workers:
        assert store.notes([points[0].key]) == []
        assert sweep.run(COST, points, store, workers).computed == 1
        assert store.records([points[0].key]) == rows
        assert dict(store.notes([point.key for point in points]))

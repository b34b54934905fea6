"""A load is a value with a version: a changed file gives new answers everywhere, its page size is in every answer."""

import os

import numpy as np
import pytest

from pagecost import catalogue, devices
from pagecost.answers import MEMORY, page_costs, replays
from pagecost.errors import ModelError
from pagecost.requests import Requests
from pagecost.studies import find
from pagecost.studies.transactions import transaction_loads
from pagecost.workload import LOADS, sources, traces, zipf_pages

SMALL = {"frames": 60, "policies": ("lru",)}


def written(path, seed: int) -> str:
    """A trace of 2000 lines that are all of one length, another one for every seed."""
    random = np.random.default_rng(seed)
    pages, writes = zipf_pages(2000, 300, 0.6, seed), random.random(2000) < 0.4
    path.write_text("".join(f"{page:05d} {'rw'[int(write)]}\n" for page, write in zip(pages, writes, strict=True)))
    return str(path)


def write_backs_by_every_way(trace: str) -> dict[str, int]:
    """LRU's write-backs with 60 frames, from every question and answer that has them."""
    found = {}
    for name in ("buffer_size", "policy_cost", "write_clustering"):
        study = find(name)
        few = {"layers": ("page",)} if name == "write_clustering" else {}
        result = study.compute(study.inputs({"trace": trace, **SMALL, **few}))
        rows = result.rows(policy="lru", frames=60)
        found[name] = int(result["write_backs"][rows[0]])
    ranking = find("policy_ranking")
    result = ranking.compute(ranking.inputs({"trace": trace, "frames": 60}))
    found["policy_ranking"] = int(result["write_backs"][result.rows(policy="lru")[0]])
    source = sources.named(trace)
    found["exact curve"] = int(replays.whole_curve(source).at([60]).write_backs[0])
    found["replay"] = replays.replayed(source, "lru", 60).write_backs
    return found


def test_a_trace_file_that_changed_gives_new_answers_everywhere_at_once(tmp_path):
    """Of the same size, and changed within the tick of the clock: only its content tells."""
    path = tmp_path / "own.txt"
    before = write_backs_by_every_way(written(path, 1))
    assert len(set(before.values())) == 1, before
    stat = path.stat()
    after_path = written(path, 2)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    after = write_backs_by_every_way(after_path)
    assert len(set(after.values())) == 1, after
    assert set(after.values()) != set(before.values())


def test_curves_samples_and_loads_of_transactions_follow_a_changed_file_too(tmp_path):
    path, curve = tmp_path / "own.txt", find("miss_curve")
    found = []
    for seed in (1, 2):
        trace = written(path, seed)
        os.utime(path, ns=(10**18, 10**18))
        whole = curve.compute(curve.inputs({"trace": trace, "policies": ("clock",), "sample": 0.5}))
        sampled = curve.compute(curve.inputs({"trace": trace, "reading": "sample", "sample": 0.5}))
        load = transaction_loads.transactions(trace, 4, 1).load()
        found.append((*whole["misses"], *whole.tables["che"]["misses"], *sampled["misses"], *load.page))
    assert found[0] != found[1]


def test_a_replay_is_computed_once_for_all_that_ask(tmp_path, monkeypatch):
    calls, whole = [], replays.replay
    monkeypatch.setattr(replays, "replay", lambda *given, **named: calls.append(given[2]) or whole(*given, **named))
    trace = written(tmp_path / "own.txt", 3)
    asked = {"trace": trace, **SMALL}
    for name in ("policy_cost", "write_clustering", "policy_cost"):
        study = find(name)
        study.compute(study.inputs(asked | ({"layers": ("page",)} if name == "write_clustering" else {})))
    assert calls == ["lru"]


def test_a_load_that_is_too_large_to_remember_is_read_once_while_it_is_in_use(tmp_path, monkeypatch):
    monkeypatch.setattr(MEMORY, "limit_bytes", 0)
    reads, whole = [], traces.read
    monkeypatch.setattr(traces, "read", lambda *given: reads.append(given) or whole(*given))
    source = sources.named(written(tmp_path / "own.txt", 4))
    loaded = replays.opened(source)
    for frames in (10, 20, 30):
        assert replays.replayed(source, "lru", frames).references == loaded.references.size
    assert len(reads) == 1
    del loaded
    replays.replayed(source, "lru", 40)
    assert len(reads) == 2


def test_a_file_that_changes_while_it_is_read_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "own.txt"
    source = sources.named(written(path, 5))
    written(path, 6)
    with pytest.raises(ModelError, match="the file changed while it was read; ask again"):
        replays.opened(source)
    with pytest.raises(ModelError, match="the file changed"):
        replays.curve_of_pieces(source, 1.0)


def test_a_large_file_is_told_by_its_first_middle_and_last_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "DIGESTED_WHOLE_BYTES", 1000)
    monkeypatch.setattr(sources, "DIGESTED_PART_BYTES", 100)
    path = tmp_path / "own.txt"
    content = bytearray(b"1 r\n" * 1000)
    versions = set()
    for at in (None, 0, 2000, 3996):
        changed = bytearray(content)
        if at is not None:
            changed[at : at + 1] = b"2"
        path.write_bytes(changed)
        os.utime(path, ns=(10**18, 10**18))
        versions.add(sources.Version.of(path))
    assert len(versions) == 4


# the page size


def sixteen(page_bytes: int) -> Requests:
    random = np.random.default_rng(9)
    ones = np.ones(4000, np.int32)
    op = (random.random(4000) < 0.3).astype(np.uint8)
    return Requests(np.arange(4000) / 100, op, zipf_pages(4000, 400, seed=1), ones, ones.astype(np.int16), page_bytes)


def test_parquet_keeps_the_page_size_out_and_in(tmp_path):
    path = tmp_path / "own.parquet"
    traces.save([sixteen(16_384)], path)
    assert traces.read(path).requests.page_bytes == 16_384
    assert sources.named(str(path)).page_bytes == 16_384
    assert traces.read(path).notes[:1] == ()  # nothing was assumed
    again = tmp_path / "again.parquet"
    traces.convert(traces.Reading(path), again)
    assert traces.read(again).requests.page_bytes == 16_384
    told = traces.read(path, page_bytes=4096)
    assert told.requests.page_bytes == 16_384
    assert told.notes == ("The pages of this trace have 16384 bytes; the page size that was asked for, 4096 bytes, "
                          "is not used.",)  # fmt: skip


@pytest.mark.parametrize("name", ["buffer_size", "miss_curve", "policy_cost", "policy_ranking", "write_clustering"])
def test_larger_pages_cost_more_in_every_answer(tmp_path, name):
    """The same references to pages of 4 and of 16 KiB: counts are the same, times, bytes and dollars are not."""
    study = find(name)
    few = {"layers": ("page",)} if name == "write_clustering" else {"device": "hgst-7k1000-750gb"}
    few |= {} if name == "policy_ranking" else {"policies": ("lru",)}
    results = []
    for page_bytes in (4096, 16_384):
        path = tmp_path / f"{page_bytes}.parquet"
        traces.save([sixteen(page_bytes)], path)
        results.append(study.compute(study.inputs({"trace": str(path), **few})))
        assert results[-1].facts["page_bytes"].value == page_bytes
    small, large = results
    assert np.array_equal(small["misses"], large["misses"]) or name == "policy_ranking"  # another order
    if "time_per_reference_s" in small.columns:
        assert (large["time_per_reference_s"] > small["time_per_reference_s"]).all()
    if "buffer_bytes" in small.columns:
        assert (large["buffer_bytes"] == 4 * small["buffer_bytes"]).all()
    if "memory_price" in small.columns:
        assert large["memory_price"] == pytest.approx(4 * small["memory_price"])
    if name == "write_clustering":
        assert large.facts["device_bytes"].value == 4 * small.facts["device_bytes"].value


def test_a_recording_has_pages_of_its_own_and_a_file_those_that_are_asked_for(tmp_path):
    assert sources.named("postgresql-order-entry").page_bytes == 8192
    assert sources.named("tpc-c").page_bytes == LOADS["tpc-c"].page_bytes
    study, trace = find("buffer_size"), written(tmp_path / "own.txt", 7)
    told = study.compute(study.inputs({"trace": trace, "page_bytes": 8192, **SMALL}))
    assumed = study.compute(study.inputs({"trace": trace, **SMALL}))
    assert (told.facts["page_bytes"].value, assumed.facts["page_bytes"].value) == (8192, 4096)
    assert any("does not say how large its pages are: 4096 bytes are taken" in note for note in assumed.notes)
    recorded = study.compute(study.inputs({"trace": "postgresql-order-entry", "page_bytes": 512, **SMALL}))
    assert recorded.facts["page_bytes"].value == 8192
    assert any("512 bytes, is not used" in note for note in recorded.notes)


def test_what_a_reference_waits_is_not_the_time_that_it_keeps_the_device_busy():
    """A flash drive works on many requests at once; alone a page takes longer, and what is not known is not given."""
    study = find("buffer_size")
    known = study.compute(study.inputs({"device": "intel-x25-m-g2-80gb", **SMALL}))
    busy, wait = known["time_per_reference_s"], known["wait_per_reference_s"]
    by_hand = (known["misses"] * 65e-6 + known["write_backs"] * 85e-6) / known["references"]
    assert wait == pytest.approx(by_hand)
    assert not np.allclose(busy, wait)
    times = {name: page_costs.of_pages(name, 4096).alone for name in catalogue.devices() if name in devices.modelled()}
    silent = next(name for name, alone in times.items() if np.isnan(alone.read_s) and np.isnan(alone.write_s))
    unknown = study.compute(study.inputs({"device": silent, **SMALL}))
    assert np.isnan(unknown["wait_per_reference_s"]).all()
    assert any("takes alone is not known" in note for note in unknown.notes)
    disk = page_costs.of_pages("hgst-7k1000-750gb", 4096)
    assert disk.alone_s(3, 2) == disk.busy_s(3, 2)


def test_the_cheapest_policy_is_told_for_device_time_and_for_pages_one_after_the_other():
    study = find("policy_cost")
    notes = " ".join(study.compute(study.inputs({"device": "intel-x25-m-g2-80gb"})).notes)
    assert "where a write costs 5.3 reads of device time" in notes
    assert "One page after the other, a write takes 1.31 times as long as a read" in notes
    disk = study.compute(study.inputs({"device": "hgst-7k1000-750gb"}))
    assert not any("One page after the other" in note for note in disk.notes)


# columns


@pytest.mark.parametrize(
    ("content", "writes"),
    [
        ("page,write\n1,0\n2,1\n", [False, True]),
        ("PAGE,IS_WRITE\n1,false\n2,TRUE\n", [False, True]),
        ("page;rw\n1;r\n2;W\n", [False, True]),
        ("page_id, type\n1, read\n2, write\n", [False, True]),
        ("page,dirty\n1,no\n2,yes\n3,\n", [False, True, False]),
        ("Page,Op\n1,Read\n2,Write\n", [False, True]),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_that_says_what_is_written_is_understood_by_its_usual_names(tmp_path, content, writes, kind):
    import duckdb

    path = tmp_path / "own.csv"
    path.write_text(content)
    if kind == "parquet":
        with duckdb.connect() as connection:
            connection.sql(f"COPY (FROM read_csv('{path}', header = true)) TO '{tmp_path / 'own.parquet'}'")
        path = tmp_path / "own.parquet"
    trace = traces.read(path)
    assert trace.requests.page_references()[1].tolist() == writes
    assert trace.rejected_lines == 0


def test_a_flag_that_is_none_is_rejected_with_its_line(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("page,write\n1,0\n2,2\n3,maybe\n4,1\n")
    trace = traces.read(path)
    assert trace.requests.page.tolist() == [1, 4]
    assert [bad.line for bad in trace.rejected] == [3, 4]


def test_columns_that_are_not_used_and_what_is_taken_for_missing_ones_are_said(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("page,colour,Shape\n1,red,round\n")
    notes = " ".join(traces.read(path).notes)
    assert "Columns that are not used: colour, Shape." in notes
    assert "no times, every request reads, 1 page each, one stream." in notes
    study = find("buffer_size")
    result = study.compute(study.inputs({"trace": str(path), "frames": 1, "policies": ("lru",)}))
    assert any("Columns that are not used: colour, Shape." in note for note in result.notes)
    path.write_text("page,write,arrival_s,pages,stream\n1,0,0.5,1,0\n")
    assert traces.read(path).notes == ("The file does not say how large its pages are: 4096 bytes are taken.",)

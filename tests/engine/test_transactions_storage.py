"""Placement of pages without time: Table 4.2, the rules of the caches, and allocations that make no sense."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import studies
from pagecost.answers.transaction_runs import DebitCreditLoad
from pagecost.buffer import replay
from pagecost.errors import ModelError
from pagecost.transactions import (
    USES,
    Computer,
    DiskUnit,
    Load,
    Place,
    Simulation,
    TransactionSystem,
    TransactionType,
    before_repeating,
    check_use,
    debit_credit,
    hits,
    rahm,
    simulate,
    synthetic,
    theory,
)
from pagecost.transactions import caches_kernels as caches
from pagecost.transactions import storage_kernels as storage
from pagecost.workload.debit_credit import DebitCredit

LOAD = debit_credit()


@pytest.mark.parametrize("log", sorted(rahm.LOG_ALLOCATIONS))
def test_systems_whose_logs_differ_share_a_replay(log):
    asked = {"transactions": 10, "warm_up": 0}
    assert hits(rahm.system(log=log), LOAD, **asked) is hits(rahm.system(), LOAD, **asked)
    assert hits(rahm.system("ssd", log=log), LOAD, **asked) is not hits(rahm.system(), LOAD, **asked)


def table_4_2(database: str, frames: int, force: bool, second: int = 1000) -> tuple[float, float]:
    """(main memory, second level), percent of all object references."""
    system = rahm.system(database, computer=Computer(buffer_pages=frames, force=force), cache_pages=second)
    found = hits(system, LOAD, transactions=100_000)
    return 100 * found.ratio("main"), 100 * found.second_level


@pytest.mark.parametrize("database", ["disk", "non-volatile cache"])
def test_hits_in_main_memory_are_those_of_the_buffer_room(database):
    """Another implementation of LRU, on the same references."""
    requests = DebitCredit().requests(60_000, 1)
    pages, _ = requests.page_references()
    one = replay(pages, 1000, "lru")
    warm = replay(pages[:80_000], 1000, "lru")
    ours = hits(rahm.system(database, computer=Computer(buffer_pages=1000)), LOAD, transactions=40_000, warm_up=20_000)
    assert ours.ratio("main") * 160_000 == pytest.approx(one.hits - warm.hits, abs=2)


def test_nvem_extends_main_memory_under_noforce():
    """Rahm §4.5: the same combined hits as main memory of the same whole size."""
    for main, second, whole in ((500, 500, 1000), (1000, 1000, 2000), (500, 1000, 1500), (1000, 500, 1500)):
        together = sum(table_4_2("NVEM cache", main, False, second))
        assert together == pytest.approx(table_4_2("disk", whole, False)[0], abs=0.01)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("caching", ["all", "modified", "unmodified"])
def test_what_main_memory_writes_reaches_the_disk_whatever_lies_between(caching, force):
    """An NVEM cache is written through: the disk gets the writes that it gets without it."""
    computer = Computer(buffer_pages=500, force=force)
    behind = hits(rahm.system("NVEM cache", computer=computer, cache_pages=1000, nvem_caching=caching), LOAD)
    alone = hits(rahm.system("disk", computer=computer), LOAD, warm_up=3 * 1503 + 1000)
    assert sum(alone.writes.values()) > 1
    assert sum(behind.writes.values()) == pytest.approx(sum(alone.writes.values()), abs=0.01)
    simulated = simulate(
        rahm.system("NVEM cache", computer=computer, cache_pages=1000, nvem_caching=caching), LOAD, rate_hz=50.0
    )
    assert sum(behind.writes.values()) == pytest.approx(simulated.ios["page writes"], rel=0.02)


@settings(deadline=None, max_examples=50)  # the first example compiles
@given(st.lists(st.integers(0, 30), min_size=1, max_size=300), st.integers(1, 12), st.integers(1, 12))
def test_a_page_is_in_main_memory_or_in_nvem_and_never_in_both(pages, main, second):
    rules = storage.Rules(np.array([[0, 0, 3, 0, 0, 0]] * 2), np.array([[0, 1, 0]]), False, True)
    held, victim = caches.new_caches([main, second, 0]), np.zeros(1, np.int64)
    for page in pages:
        storage.fix(held, rules, page, page % 2, False, victim)
        in_main, in_nvem = (
            {key for key in range(31) if caches.find(held, cache, key) >= 0} for cache in (caches.MAIN, caches.NVEM)
        )
        assert not in_main & in_nvem
        assert len(in_main) <= main
        assert len(in_nvem) <= second
        assert page in in_main


def unit(kind: int, size: int = 2, read_misses: int = 1, write_misses: int = 0):
    rules = storage.Rules(np.zeros((2, 6), np.int64), np.array([[kind, read_misses, write_misses]]), False, True)
    return caches.new_caches([1, 0, size]), rules, np.zeros(1, np.int64)


def inside(held) -> set:
    return {key for key in range(20) if caches.find(held, caches.FIRST_UNIT, key) >= 0}


def test_a_volatile_cache_keeps_read_misses_and_lets_every_write_wait_for_the_disk():
    held, rules, buffered = unit(storage.VOLATILE)
    assert not storage.read_unit(held, rules, 0, 1)
    assert storage.read_unit(held, rules, 0, 1)
    assert not storage.write_unit(held, rules, 0, 2, buffered)
    assert inside(held) == {1}  # a write miss changes nothing
    storage.read_unit(held, rules, 0, 3)
    assert not storage.write_unit(held, rules, 0, 1, buffered)  # a write hit makes 1 the newest
    storage.read_unit(held, rules, 0, 4)
    assert inside(held) == {1, 4}


def test_a_non_volatile_cache_takes_writes_until_all_its_pages_are_modified():
    held, rules, buffered = unit(storage.NONVOLATILE)
    storage.read_unit(held, rules, 0, 9)
    assert storage.write_unit(held, rules, 0, 1, buffered)
    assert storage.write_unit(held, rules, 0, 2, buffered)  # the unmodified 9 goes
    assert inside(held) == {1, 2}
    assert not storage.write_unit(held, rules, 0, 3, buffered)
    assert not storage.read_unit(held, rules, 0, 3)
    assert inside(held) == {1, 2}  # there was no room for it
    assert storage.write_unit(held, rules, 0, 1, buffered)  # a hit needs no room, and 1 is owed twice
    storage.destaged(held, rules, 0, 1, buffered)
    assert not storage.write_unit(held, rules, 0, 4, buffered)
    storage.destaged(held, rules, 0, 1, buffered)
    assert storage.write_unit(held, rules, 0, 4, buffered)
    assert inside(held) == {2, 4}


def test_a_write_buffer_is_full_until_the_disk_has_caught_up():
    held, rules, buffered = unit(storage.WRITE_BUFFER)
    assert [storage.write_unit(held, rules, 0, page, buffered) for page in (1, 1, 2)] == [True, True, False]
    assert not storage.read_unit(held, rules, 0, 1)
    storage.destaged(held, rules, 0, 1, buffered)
    assert storage.write_unit(held, rules, 0, 2, buffered)


def test_a_cache_in_front_of_the_log_alone_is_a_write_buffer():
    from pagecost.transactions.assembly import rules_of

    shared = rahm.system("non-volatile cache", "disk")
    log = dataclasses.replace(rahm.log_disk(), kind="non-volatile cache", cache_pages=10)
    system = dataclasses.replace(shared, units=(shared.units[0], log))
    assert rules_of(system, LOAD).unit[:, 0].tolist() == [storage.NONVOLATILE, storage.WRITE_BUFFER]


def test_clustering_saves_page_accesses():
    apart = debit_credit(DebitCredit(clustered=False))
    assert hits(rahm.system(), apart).ratio("main") < hits(rahm.system(), LOAD).ratio("main")


def test_che_agrees_with_the_replay():
    """docs/models/transactions.md#hit-ratios."""
    for frames, printed in ((200, 53.4), (500, 59.4), (1000, 66.5), (2000, 72.4)):
        by_formula = theory.che_main_memory(frames)
        assert 100 * by_formula["all"] == pytest.approx(printed, abs=0.12)
        assert table_4_2("disk", frames, False)[0] == pytest.approx(100 * by_formula["all"], abs=0.15)


def test_che_speaks_from_the_pages_on_that_a_transaction_changes_in_turn():
    for frames in range(theory.CHE_LEAST_PAGES, 40, 4):
        formula = theory.che_main_memory(frames)["all"]
        assert table_4_2("disk", frames, False)[0] == pytest.approx(100 * formula, abs=0.1)
    below = theory.CHE_LEAST_PAGES - 1
    assert table_4_2("disk", below, False)[0] == pytest.approx(25)  # TELLER alone, on its branch's page
    assert np.isnan(list(theory.che_main_memory(below).values())).all()


def test_the_study_leaves_the_formula_blank_where_it_does_not_hold():
    study = studies.find("multi_level_hits")
    inputs = study.inputs({"buffer_pages": 2, "levels": ("volatile",), "strategies": ("NOFORCE",)})
    result = study.compute(inputs)
    assert np.isnan(result["formula_main_hits"]).tolist() == (result["buffer_pages"] == 2).tolist()
    said = study.explain(inputs, result)
    assert "from 3 pages on" in said[-1]
    assert not any("nan" in line for line in said)


def test_table_2_2_allows_seven_uses_of_twelve():
    assert sum(allowed for row in USES.values() for allowed in row.values()) == 7
    for use, row in USES.items():
        for kind, allowed in row.items():
            if allowed:
                check_use(kind, use)
            else:
                with pytest.raises(ModelError, match=rf"a {kind} cannot serve as {use}: \w+"):
                    check_use(kind, use)


def made(*, kind="regular disk", cache_pages=0, home="disk", log="disk", computer=None, **place):
    return TransactionSystem(
        computer=computer or Computer(),
        units=(DiskUnit(name="disk", kind=kind, cache_pages=cache_pages),),
        partitions={"P": Place(home=home, **place)},
        log=Place(home=log),
    )


NVEM_BUFFER = Computer(nvem_write_buffer_pages=10, nvem_cache_pages=10)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: made(home="volatile cache"), "partition P: a volatile cache cannot serve as resident files"),
        (lambda: made(log="non-volatile cache"), "the log: a non-volatile cache cannot serve as resident files"),
        (lambda: made(home="tape"), "partition P: unknown home 'tape'; known: main memory, NVEM, disk"),
        (lambda: made(log="main memory"), "a log there would be lost"),
        (lambda: made(nvem_write_buffer=True), "the NVEM write buffer has no pages"),
        (lambda: made(nvem_caching="all"), "the NVEM cache has no pages"),
        (lambda: made(home="NVEM", nvem_caching="all", computer=NVEM_BUFFER), "resident in NVEM"),
        (
            lambda: made(kind="write buffer", cache_pages=5, nvem_write_buffer=True, computer=NVEM_BUFFER),
            "in NVEM or in the write buffer of disk, not in both",
        ),
        (
            lambda: made(kind="non-volatile cache", cache_pages=5, nvem_caching="all", computer=NVEM_BUFFER),
            "a write buffer in disk makes no sense",
        ),
        (
            lambda: made(nvem_caching="all", nvem_write_buffer=True, computer=NVEM_BUFFER),
            "an NVEM write buffer makes no sense",
        ),
        (lambda: made(kind="volatile cache"), "a volatile cache needs cache_pages; got 0"),
        (lambda: made(kind="SSD", cache_pages=9), "a SSD has no cache_pages; got 9"),
        (lambda: made(locking="row"), "unknown lock granule 'row'"),
        (lambda: DiskUnit(name="d", disks=0), "disk unit d: disks must be at least 1; got 0"),
        (lambda: DiskUnit(name="d", disks=2, copies=3), "disk unit d: copies must be 1..2, its disks; got 3"),
        (lambda: DiskUnit(name="d", copies=0), "copies must be 1..400, its disks; got 0"),
        (lambda: DiskUnit(name="d", controllers=0), "controllers must be at least 1; got 0"),
        (lambda: DiskUnit(name="NVEM"), "needs a name of its own"),
        (lambda: DiskUnit(name="d", samples=(2.0,)), "samples must have mean 1; got 2"),
        (lambda: DiskUnit(name="d", read_s=-1), "read_s must not be negative; got -1"),
        (lambda: Computer(multiprogramming=0), "multiprogramming must be at least 1; got 0"),
        (lambda: Computer(multiprogramming=10**6), "at most 10000"),
        (lambda: Computer(instructions_per_s=0), "instructions_per_s must be positive; got 0"),
        (lambda: Computer(instructions_nvem=0), "synchronous NVEM access needs instructions_nvem"),
        (lambda: Computer(disk_law="odd"), "unknown distribution of disk times 'odd'"),
        (lambda: simulate(rahm.system(), LOAD), "an arrival rate or a number of terminals"),
        (lambda: simulate(rahm.system(), LOAD, rate_hz=0.0), "rate must be positive and finite; got 0"),
        (lambda: simulate(rahm.system(), LOAD, terminals=0), "terminals must be 1..10000; got 0"),
        (
            lambda: simulate(rahm.system(), LOAD, rate_hz=1.0, think_s=-1),
            "think time must be finite and not negative; got -1",
        ),
        (lambda: simulate(rahm.system(), LOAD, rate_hz=1.0, precision=0), "precision must be in 0..1"),
        (lambda: simulate(rahm.system(), LOAD, rate_hz=1.0, least=9), "20 <= least <= most; got 9"),
        (lambda: Simulation(made(), LOAD, rate_hz=1.0), "no place is given for partition ACCOUNT, HISTORY"),
        (lambda: hits(rahm.system(), LOAD, transactions=0), "at least one transaction; got 0"),
        (lambda: rahm.system("tape"), "unknown allocation of the database 'tape'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(ModelError, match=sentence) as error:
        call()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"row": (0.5, 0.4)}, "its row must sum to 1; got 0.9"),
        ({"row": (1.5, -0.5)}, "negative share"),
        ({"row": (1.0,)}, "its row needs 2 shares; got 1"),
        ({"share": 0.5}, "shares of the transaction types must sum to 1; got 0.5"),
        ({"references": 0}, "references must be 1..64; got 0"),
        ({"write_share": 2}, "write_share must be 0..1; got 2"),
        ({"references": 3}, "must be whole"),
    ],
)
def test_a_reference_matrix_that_does_not_fit_is_refused(changes, sentence):
    kind = {"share": 1.0, "references": 4, "write_share": 1.0, "row": (0.5, 0.5)} | changes
    with pytest.raises(ModelError, match=sentence):
        synthetic({"A": 10, "B": 10}, [TransactionType(**kind)], in_order=True)


def test_a_load_checks_its_arrays():
    page = np.zeros(4, np.int64)
    with pytest.raises(ModelError, match="one length"):
        Load("x", ("P",), np.array([0, 4]), page, page, np.ones(3, bool), np.zeros(4, np.uint8))
    with pytest.raises(ModelError, match="at least one reference"):
        Load("x", ("P",), np.array([0, 4, 4]), page, page, np.ones(4, bool), np.zeros(4, np.uint8))


@pytest.mark.parametrize("buffer_pages", [50_000, 100_000])
def test_a_buffer_as_large_as_the_load_is_long_hits_no_more_than_chance_allows(buffer_pages):
    """ACCOUNT's 5 000 000 pages are asked for at random, so no more of them is in memory than memory has frames for;
    and every page that is read into a full buffer drives one out, which was changed as all are (NOFORCE)."""
    system = rahm.system(computer=Computer(buffer_pages=buffer_pages))
    load = debit_credit(transactions=before_repeating(system.cached_pages))
    found, chance = hits(system, load), buffer_pages / 5_000_000
    assert found.ratio("main", "ACCOUNT") == pytest.approx(chance, rel=0.1)
    assert found.reads["ACCOUNT"] == pytest.approx(1 - chance, rel=0.01)
    assert sum(found.writes.values()) == pytest.approx(found.reads["ACCOUNT"] + 1 / 20, rel=0.01)
    run = simulate(system, load, rate_hz=100.0, least=10_000, most=10_000)
    main = sum(row[1] for row in run.hits.values()) / sum(row[0] for row in run.hits.values())
    assert main == pytest.approx(found.ratio("main"), abs=0.003)


def test_loads_are_longer_than_what_caches_hold():
    assert before_repeating(0) == before_repeating(48_000) == 60_000
    assert all(before_repeating(pages) > 1.2 * pages for pages in range(0, 1_000_001, 9999))
    made = DebitCreditLoad(DebitCredit())
    assert made.load(5000) is made.load()
    assert made.load(100_000).transactions == 240_000

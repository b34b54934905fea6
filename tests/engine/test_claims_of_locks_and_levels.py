"""Measures of Rahm's statements on locks, and on caches behind caches: against other ways to the same numbers."""

import numpy as np
import pytest

from pagecost.claims import contention_measures as locks
from pagecost.claims import level_measures as levels
from pagecost.transactions import Computer, debit_credit, hits, rahm


@pytest.mark.parametrize(("main", "write_misses", "database"), [(500, False, "volatile"), (500, True, "non-volatile")])
def test_without_nvem_a_third_level_is_a_second(main, write_misses, database):
    """A volatile cache that keeps what is written has the hits of a non-volatile one, whose writes are done at once."""
    computer = Computer(buffer_pages=main, reads_appended=False)
    second = hits(rahm.system(f"{database} cache", computer=computer), debit_credit()).ratio("cache")
    third = levels.third_level_hits(main, 0, 1000, write_misses, reads_appended=False)
    assert third == pytest.approx(100 * second, abs=0.1)


def test_main_memory_and_nvem_read_what_a_main_memory_of_their_sum_reads():
    """Under NOFORCE a page is in one of them (R32), so that the disk cache behind is asked for the same pages."""
    large = rahm.system(computer=Computer(buffer_pages=1000, reads_appended=False))
    computer = Computer(buffer_pages=500, reads_appended=False)
    both = rahm.system("NVEM cache", computer=computer, cache_pages=500, nvem_caching="modified")
    reads = [sum(hits(system, debit_credit()).reads.values()) for system in (large, both)]
    assert reads[1] == pytest.approx(reads[0], rel=0.01)


@pytest.mark.parametrize("force", [False, True])
def test_as_many_pages_are_written_as_a_replay_counts(force):
    """Access by access from outside the kernels, against their own loop."""
    system = rahm.system("volatile cache", computer=Computer(buffer_pages=500, force=force))
    written, found = levels._written_and_found(system, 4000)
    assert written / 4000 == pytest.approx(sum(hits(system, debit_credit()).writes.values()), rel=0.01)
    assert 0 < found <= written


def test_a_cache_that_keeps_nothing_that_is_read_has_nothing_that_is_written():
    assert levels.write_hits(1000, 1000, read_misses=False) == "not most"


def test_another_order_asks_each_transaction_for_the_same_pages():
    load = debit_credit()
    first = locks._in_order(load, "small types first")
    assert locks._in_order(load, "small types last").page.tolist() == load.page.tolist()
    assert (np.sort(first.page.reshape(-1, 4)) == np.sort(load.page.reshape(-1, 4))).all()
    assert first.record[:4].tolist() == [2, 3, 0, 1]


def test_requests_are_denied_as_often_as_a_branch_is_held():
    """In main memory, where hardly anybody waits for a processor: a branch is locked for TELLER, the end of the
    transaction and its log, and one in rate x that time / 500 transactions finds it so; 660 of 100 000 here."""
    held_s = (40_000 + 50_000 + 3000) / 50e6 + 1e-3 + 0.4e-3 + rahm.LOG_DISK_S
    assert locks._denied(debit_credit(), 400.0, "main memory", seed=1) == pytest.approx(400 * held_s / 500, rel=0.15)

"""Generated loads: their statistics are the ones they are named for."""

import itertools

import numpy as np
import pytest

from pagecost.buffer import References, replay
from pagecost.errors import ModelError
from pagecost.workload import (
    PATTERNS,
    DebitCredit,
    HotCold,
    Loop,
    Partition,
    ReferenceMatrix,
    ScanPolluted,
    ShiftingLocality,
    TransactionType,
    Zipf,
    debit_credit_matrix,
    zipf_pages,
)

ACCOUNT, HISTORY, BRANCH, TELLER = range(4)


def by_record(load: DebitCredit, transactions: int, seed: int = 1) -> np.ndarray:
    """Pages per transaction, shape (transactions, 4)."""
    return load.requests(transactions, seed).page.reshape(-1, 4)


def test_debit_credit_has_the_pages_of_the_paper():
    assert DebitCredit().pages_of() == {"BRANCH": 500, "TELLER": 0, "ACCOUNT": 5_000_000}
    assert DebitCredit(clustered=False).pages_of()["TELLER"] == 500


def test_a_clustered_transaction_touches_three_pages_all_for_writing():
    load = DebitCredit()
    pages = by_record(load, 20_000)
    assert (pages[:, BRANCH] == pages[:, TELLER]).all()
    assert (load.requests(100).op == 1).all()
    assert {len(set(row)) for row in pages[:500].tolist()} == {3}


def test_partitions_do_not_overlap():
    pages = by_record(DebitCredit(clustered=False), 50_000)
    limits = [(pages[:, column].min(), pages[:, column].max()) for column in (BRANCH, TELLER, ACCOUNT, HISTORY)]
    for (_, high), (low, _) in itertools.pairwise(limits):
        assert high < low


def test_85_percent_of_the_accounts_belong_to_the_own_branch():
    """Standard error of a share of 85 % over 200 000 transactions is 0.08 points; 0.3 points are 3.75 of them."""
    load = DebitCredit()
    pages = by_record(load, 200_000)
    home = (pages[:, ACCOUNT] - 500) // (load.accounts_per_branch // load.account_factor)
    assert (home == pages[:, BRANCH]).mean() == pytest.approx(0.85, abs=0.003)


def test_history_fills_a_page_every_20_transactions():
    history = by_record(DebitCredit(), 1000)[:, HISTORY]
    assert (np.bincount(history - history.min()) == 20).all()


def test_larger_pages_hold_more_rows_and_a_branch_keeps_its_own():
    usual, larger = DebitCredit(), DebitCredit().on_pages(8192)
    assert larger.pages_of() == usual.pages_of() | {"ACCOUNT": usual.pages_of()["ACCOUNT"] // 2}
    history = by_record(larger, 1000)[:, HISTORY]
    assert (np.bincount(history - history.min()) == 40).all()
    assert usual.on_pages(usual.page_bytes) == usual
    assert usual.on_pages(512).account_factor == 1


def test_the_same_seed_gives_the_same_load_and_another_seed_another():
    assert (by_record(DebitCredit(), 100, 3) == by_record(DebitCredit(), 100, 3)).all()
    assert (by_record(DebitCredit(), 100, 3) != by_record(DebitCredit(), 100, 4)).any()


def test_one_branch_is_always_at_home():
    assert by_record(DebitCredit(branches=1, local_share=0.0), 1000)[:, ACCOUNT].max() <= 10_000


def test_zipf_references_fall_with_the_rank():
    """The k-th page gets 1/k of the first page's references. Of 200 000 draws 2672 are of the tenth page and ten times
    as many of the first, so the standard error of their ratio is 2 %; three of them are allowed."""
    counts = np.sort(np.bincount(zipf_pages(200_000, 1000, 1.0)))[::-1]
    assert counts[0] / counts[9] == pytest.approx(10, rel=0.06)


def test_a_load_that_makes_no_sense_is_refused_in_a_sentence():
    for wrong, sentence in [
        (lambda: DebitCredit(branches=0), "branches must be at least 1; got 0"),
        (lambda: DebitCredit(local_share=1.5), "local_share must be 0..1; got 1.5"),
        (lambda: DebitCredit().requests(0), "at least one transaction; got 0"),
        (lambda: zipf_pages(0, 5), "at least one reference; got 0"),
        (lambda: zipf_pages(5, 0), "at least one page; got 0"),
        (lambda: zipf_pages(5, 5, -1), "must not be negative; got -1"),
    ]:
        with pytest.raises(ModelError, match=sentence):
            wrong()


@pytest.mark.parametrize("name", PATTERNS)
def test_equal_seeds_give_equal_patterns_and_writes_have_their_share(name):
    """20 000 draws: the standard error of a share of 30 % is 0.3 points."""
    pattern = PATTERNS[name]()
    requests, again, other = (pattern.requests(20_000, seed) for seed in (3, 3, 4))
    assert (requests.page == again.page).all()
    assert (requests.op == again.op).all()
    assert (requests.op != other.op).any()
    assert (requests.op == 1).mean() == pytest.approx(0.3, abs=0.012)
    assert requests.page.min() >= 0
    assert pattern.requests(1).size == 1
    assert pattern.title


def test_hot_pages_get_their_share():
    page = HotCold(pages=1000, hot_share=0.1, hot_references=0.9).requests(100_000).page
    assert (page < 100).mean() == pytest.approx(0.9, abs=0.005)
    assert set(page.tolist()) == set(range(1000))


def test_scans_take_their_share_and_run_through_their_table():
    page = ScanPolluted(pages=100, scan_pages=50, scan_share=0.25).requests(20_000).page
    scanned = page[page >= 100]
    assert scanned.size / page.size == pytest.approx(0.25)
    assert (scanned.reshape(-1, 50) == np.arange(100, 150)).all()
    assert (np.flatnonzero(page >= 100).reshape(-1, 50)[:, -1] % 200 == 199).all()


def test_a_locality_moves_on_and_returns_after_a_round():
    pattern = ShiftingLocality(pages=100, locality_pages=25, local_share=1.0, phase=500)
    page = pattern.requests(2500).page.reshape(5, 500)
    assert [(part.min(), part.max()) for part in page] == [(0, 24), (25, 49), (50, 74), (75, 99), (0, 24)]


def test_a_loop_goes_round():
    assert Loop(pages=3).requests(7).page.tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_a_reference_matrix_has_the_shares_it_says():
    """60 000 transactions: shares of references settle to 0.2 points."""
    matrix = ReferenceMatrix()
    requests = matrix.requests(60_000)
    expected = matrix.relative()
    counted = np.bincount(requests.stream) / requests.size
    assert counted == pytest.approx(expected.sum(axis=0), abs=0.003)
    writes = (requests.op == 1).mean()
    assert writes == pytest.approx(0.5 * expected[0].sum(), abs=0.003)
    assert (requests.page[requests.stream == 0] < 20_000).all()
    assert (requests.page[requests.stream == 1] >= 20_000).all()


def test_a_matrix_of_one_row_is_debit_credit():
    """Rahm's matrix reduces to his Debit-Credit: the same partitions, and LRU hits alike for every buffer size.

    Two independent runs of 200 000 transactions differ by less than 0.2 points.
    """
    transactions, warm_up = 200_000, 80_000
    matrix, plain = debit_credit_matrix().requests(transactions), DebitCredit().requests(transactions)
    stream = matrix.page.reshape(-1, 4)
    assert (stream[:, 2] == stream[:, 3]).all()
    assert (np.bincount(stream[:, 1] - stream[:, 1].min()) == 20).all()
    assert (matrix.op == plain.op).all()
    for frames in (200, 500, 1000, 2000):
        hits = [
            replay(References.of(*requests.page_references()), frames, "lru", warm_up=warm_up).hit_ratio
            for requests in (matrix, plain)
        ]
        assert hits[0] == pytest.approx(hits[1], abs=0.003)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: Zipf(pages=0), "Zipf: pages must be at least 1; got 0"),
        (lambda: Zipf(alpha=-1).requests(5), "must not be negative; got -1"),
        (lambda: HotCold(hot_share=2), "HotCold: hot_share must be 0..1; got 2"),
        (lambda: Loop().requests(0), "at least one reference; got 0"),
        (lambda: ReferenceMatrix(types=()), "at least one transaction type"),
        (lambda: ReferenceMatrix().requests(0), "at least one transaction; got 0"),
        (
            lambda: ReferenceMatrix(types=(TransactionType(name="x", share=1, row=(1,)),)),
            r"type x: one entry per partition \(2\); got 1",
        ),
        (
            lambda: ReferenceMatrix(types=(TransactionType(name="x", share=1, row=(1, -1)),)),
            "references must not be negative; got -1",
        ),
        (
            lambda: ReferenceMatrix(
                partitions=(Partition(name="a"), Partition(name="b", same_page_as=1)),
                types=(TransactionType(name="x", share=1, row=(1, 2)),),
            ),
            "b shares a page, so both must be referenced once; got 2",
        ),
    ],
)
def test_a_pattern_that_makes_no_sense_is_refused_in_a_sentence(wrong, sentence):
    with pytest.raises(ModelError, match=sentence):
        wrong()

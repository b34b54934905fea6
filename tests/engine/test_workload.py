"""Generated loads: their statistics are the ones they are named for."""

import itertools

import numpy as np
import pytest

from pagecost.errors import ModelError
from pagecost.workload import DebitCredit, zipf_pages

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


def test_the_same_seed_gives_the_same_load_and_another_seed_another():
    assert (by_record(DebitCredit(), 100, 3) == by_record(DebitCredit(), 100, 3)).all()
    assert (by_record(DebitCredit(), 100, 3) != by_record(DebitCredit(), 100, 4)).any()


def test_one_branch_is_always_at_home():
    assert by_record(DebitCredit(branches=1, local_share=0.0), 1000)[:, ACCOUNT].max() <= 10_000


def test_zipf_references_fall_with_the_rank():
    """The k-th page gets 1/k of the first page's references; 200 000 draws leave 3 % of noise on the tenth."""
    counts = np.sort(np.bincount(zipf_pages(200_000, 1000, 1.0)))[::-1]
    assert counts[0] / counts[9] == pytest.approx(10, rel=0.1)


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

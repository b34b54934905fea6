"""What the README says of the ledger is what the ledger says."""

from pathlib import Path

import pytest

from helpers.verdicts import verdict
from pagecost.claims import changes, claims, counts


@pytest.mark.whole
def test_the_headline_of_the_readme_is_that_of_the_ledger():
    headline = counts([verdict(claim) for claim in claims()]).headline
    readme = " ".join((Path(__file__).parents[1] / "README.md").read_text("utf8").split())
    assert f"{headline}." in readme, "write it there"


@pytest.mark.whole
def test_whatever_comes_out_otherwise_than_released_says_why():
    """Lines are looked at without a run (test_ledger_is_whole); this one sees what was measured, and every verdict."""
    moved = changes.of_verdicts([verdict(claim) for claim in claims()])
    assert sorted({change.id for change in moved if not change.reason}) == []

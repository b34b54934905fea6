"""What the README says of the ledger is what the ledger says."""

from pathlib import Path

import pytest

from helpers.verdicts import verdict
from pagecost.claims import claims, counts


@pytest.mark.long
def test_the_headline_of_the_readme_is_that_of_the_ledger():
    headline = counts([verdict(claim) for claim in claims()]).headline
    readme = " ".join((Path(__file__).parents[1] / "README.md").read_text("utf8").split())
    assert f"{headline}." in readme, "write it there"

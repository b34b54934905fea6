"""Why an item of a paper has no sound prediction follows from the ledger, and the page that says so is up to date."""

import dataclasses

import pytest

from helpers.ledger_line import line
from helpers.verdicts import verdict
from pagecost.claims import claims
from pagecost.claims.checking import Rival, Verdict
from pagecost_app import claims_told, items_left

PASSES, FAILS = Rival("ratings", 1.0, True), Rival("zero", 0.0, False)


def told(called: str, kind: str | None = None, status: str = "holds", rivals=(), repeats: str = "") -> Verdict:
    claim = dataclasses.replace(line(), id="X01.a", kind=called, repeats=repeats)
    return Verdict(claim, 1.0, status, kind or called, rivals=rivals)


@pytest.mark.parametrize(
    ("verdicts", "word"),
    [
        ([told("mechanism"), told("predicted", rivals=(PASSES, FAILS))], "rival"),
        ([told("predicted", "conditional", rivals=(PASSES,))], "rival"),
        ([told("predicted", "conditional"), told("predicted", status="fails")], "choice"),
        ([told("fitted"), told("predicted", status="fails")], "fails"),
        ([told("predicted", "conditional", status="fails"), told("conditional")], "fails"),
        ([told("predicted", status="undecided"), told("input")], "chance"),
        ([told("input"), told("arithmetic")], "arithmetic"),
        ([told("predicted", rivals=(FAILS,), repeats="X02")], "repeats"),
    ],
)
def test_the_word_is_that_of_the_line_that_comes_nearest(verdicts, word):
    assert items_left.why_not({"verdicts": verdicts, "status": "checked"}) == (word, "X01.a")


@pytest.mark.parametrize(("status", "word"), [("not yet", "missing"), ("context", "context")])
def test_an_item_that_nobody_asks_is_missing_or_context(status, word):
    assert items_left.why_not({"verdicts": [], "status": status}) == (word, "")


@pytest.mark.whole
def test_the_page_of_items_left_is_that_of_the_ledger():
    written = items_left.PAGE.read_text("utf8")
    assert written == items_left.page([verdict(claim) for claim in claims()]), "python -m pagecost_app.items_left"


def test_every_item_stands_there_or_has_a_sound_prediction():
    """Whatever the verdicts are: the page has each item of each paper once, less those that the headline counts."""
    verdicts = [Verdict(claim, None, "unchecked", claim.kind) for claim in claims()]
    rows = [row for row in items_left.page(verdicts).splitlines() if row.startswith("| ") and row.count("|") == 5]
    assert [row.split(" | ")[0][2:] for row in rows if row.split(" | ")[0] not in ("| item", "| ---")] == [
        item["id"] for item in claims_told.items(verdicts)
    ]

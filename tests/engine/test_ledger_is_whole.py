"""The ledger leaves nothing out: items, cells and contradictions of the papers, and reasons for all that moved."""

import fnmatch
import itertools
import math
import re
import tomllib

import pytest

from pagecost import catalogue
from pagecost.claims import PAPERS, changes, claims, papers
from pagecost.claims.ledger import KINDS
from pagecost.claims.refused import refuse_wrong

ITEMS = {"schmidt2009": 38, "fernando2011": 36, "rahm1992": 39, "lee2009": 16, "wang2011": 34}
STATUSES = ("checked", "partly", "context", "not yet")
ALL = {claim.id: claim for claim in claims()}
LINES_OF = {
    (paper, item["id"]): [claim for claim in ALL.values() if (claim.paper, claim.item) == (paper, item["id"])]
    for paper, described in PAPERS.items()
    for item in described.get("item", ())
}


def test_no_line_asks_for_what_there_is_not():
    refuse_wrong(ALL.values())


@pytest.mark.parametrize(("paper", "count"), ITEMS.items())
def test_every_item_of_the_five_papers_is_there_once(paper, count):
    letter = paper[0].upper()
    assert [item["id"] for item in PAPERS[paper]["item"]] == [f"{letter}{number:02}" for number in range(1, count + 1)]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_item_says_what_it_is_and_what_is_missing(paper):
    for item in PAPERS[paper]["item"]:
        assert item["status"] in STATUSES, item
        assert item["what"], item
        checked = [claim for claim in LINES_OF[paper, item["id"]] if claim.measure]
        assert bool(checked) == (item["status"] in ("checked", "partly")), f"{item['id']} is called {item['status']}"
        assert bool(item.get("missing")) == (item["status"] in ("partly", "not yet")), item["id"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_line_belongs_to_an_item(paper):
    known = {item["id"] for item in PAPERS[paper]["item"]} | {each["id"] for each in papers.contradictions()}
    assert {claim.item for claim in ALL.values() if claim.paper == paper} <= known


@pytest.mark.parametrize("paper", PAPERS)
def test_every_cell_of_a_table_has_a_line(paper):
    for table in PAPERS[paper].get("cells", ()):
        for row, column in itertools.product(table["rows"], table["columns"]):
            name = table["line"].format(row=row, column=column)
            assert name in ALL, f"{table['place']}: {name} is missing"


def test_every_contradiction_is_there_with_its_lines_or_says_what_is_missing():
    found = {each["id"]: each for each in papers.contradictions()}
    assert {f"X{number}" for number in range(1, 35)} <= found.keys()
    for name, each in found.items():
        assert each["what"], name
        assert set(each["papers"]) <= PAPERS.keys(), name
        assert bool(each.get("lines")) != bool(each.get("status")), f"{name} has lines, or says why it has none"
        for line in each.get("lines", ()):
            assert any(fnmatch.fnmatchcase(known, line) for known in ALL), f"{name}: no line {line}"


def test_whatever_moved_since_the_release_says_why():
    silent = sorted({change.id for change in changes.of_lines(list(ALL.values())) if not change.reason})
    assert silent == []


def test_a_reason_is_about_something_that_moved():
    """A pattern that no changed line has is left over, or misspelt."""
    moved = {change.id for change in changes.of_lines(list(ALL.values()))}
    folder = catalogue.root() / "claims" / "changes"
    for path in sorted(folder.glob("*.toml")):
        for record in tomllib.loads(path.read_text("utf8"))["change"]:
            for pattern in record["lines"]:
                known = fnmatch.filter(moved, pattern) or fnmatch.filter(ALL, pattern)
                assert known, f"{path.name}: {pattern}"


def test_every_prediction_has_words_of_its_paper_and_repeats_name_a_line_of_their_paper():
    for claim in ALL.values():
        assert claim.kind in KINDS
        if claim.repeats:
            assert claim.repeats in ALL, claim.id
            assert ALL[claim.repeats].paper == claim.paper
            assert not ALL[claim.repeats].repeats, f"{claim.id} repeats a line that repeats another"
            assert claim.kind != "predicted" or ALL[claim.repeats].kind == "predicted", (
                f"{claim.id} repeats what is less"
            )
        if claim.anchor:
            assert 3 <= len(claim.anchor.split()) <= 8, f"{claim.id}: {claim.anchor}"


def test_what_is_stated_of_a_range_or_of_years_is_not_a_number_that_was_worked_out():
    """The middle of "17.51 to 38.83 %" is printed nowhere; nor is a rate in a table of years."""
    for claim in ALL.values():
        if isinstance(claim.stated, str) or isinstance(claim.used, str):
            continue
        for low, high in re.findall(r"([\d.]+) to ([\d.]+) %", claim.statement):
            assert not math.isclose(claim.used, (float(low) + float(high)) / 2), claim.id
        assert (claim.paper, claim.place) != ("wang2011", "Table 6") or claim.unit == "year", claim.id

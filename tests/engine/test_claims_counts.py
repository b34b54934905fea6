"""What is counted of a ledger: items, not lines, and apart for the papers of today."""

from helpers.ledger_line import line
from pagecost import claims
from pagecost.claims import checking


def test_the_headline_has_both_denominators_where_papers_of_today_are_among_others():
    old, new = checking.check(line()), checking.check(line(id="A01", paper="allison2025"))
    both = claims.counts([old, new])
    of = {paper: len(claims.PAPERS[paper]["item"]) for paper in ("wang2011", "allison2025")}
    assert (both.first_sound, both.first_items, both.sound, both.items) == (1, of["wang2011"], 2, sum(of.values()))
    begin = f"1 of {of['wang2011']} items of the papers before 2012, and 2 of {sum(of.values())} with today's, have a"
    assert both.headline.startswith(begin)
    for verdict, paper in ((old, "wang2011"), (new, "allison2025")):
        assert claims.counts([verdict]).headline.startswith(f"1 of {of[paper]} items of the papers have a sound")


def test_items_count_once_however_many_lines_they_have():
    verdicts = [checking.check(claim) for claim in (line(), line(id="X01.a"), line(id="X02", repeats="X01"))]
    told = claims.counts(verdicts)
    assert (told.sound, told.lines["sound"], told.by_kind["predicted"]) == (1, 2, (2, 2))

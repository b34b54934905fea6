"""The ledger in words and as one HTML page."""

import dataclasses
import json
import re
from html import escape, unescape

import pytest

from helpers.verdicts import verdict
from pagecost.claims import KINDS, PAPERS, Verdict, claims, counts
from pagecost.claims.checking import Rival
from pagecost_app import claims_report
from pagecost_app import claims_told as told

UNCHECKED = [Verdict(claim, None, "unchecked", claim.kind) for claim in claims()]
FEW = ("R18.nvem", "S10.disk_read_write", "R02.nvem")


@pytest.fixture(scope="module")
def few():
    return [verdict(claim) for claim in claims() if claim.id in FEW]


@pytest.fixture(scope="module")
def whole():
    """The report of a ledger in which nothing was checked yet."""
    return claims_report.page(UNCHECKED)


def test_every_line_item_and_contradiction_stands_in_the_report(whole):
    ids = set(re.findall(r'id="([^"]+)" data-paper', whole))
    assert {unescape(name) for name in ids} == {claim.id for claim in claims()}
    for paper in PAPERS:
        assert f'id="{paper}"' in whole
    for item in told.items(UNCHECKED):
        if item["status"] != "checked":
            assert escape(item["missing"]) in whole, item["id"]
    for each in told.contradictions(PAPERS):
        assert escape(each["what"]) in whole, each["id"]


def test_the_report_needs_nothing_from_elsewhere(whole):
    assert re.findall(r"""(?:src|href)=["']?(?!#)[^"' >]+""", whole) == []
    assert "@import" not in whole
    assert "url(" not in whole


def test_the_headline_of_the_report_is_that_of_the_ledger(whole):
    assert escape(counts(UNCHECKED).headline) in whole
    assert "a headline needs all lines" not in whole
    assert "a headline needs all lines" in claims_report.page(UNCHECKED[:3])


def test_the_report_holds_the_records_that_the_command_prints(run, tmp_path):
    code, out, _ = run("claims", *FEW, "--format", "json", "--report", str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text("utf8")
    embedded = re.search(r'<script type="application/json" id="records">(.*?)</script>', page, re.S)[1]
    assert code in (0, 1)
    assert json.loads(embedded) == json.loads(out)
    assert {record["id"] for record in json.loads(out)} == set(FEW)


def test_a_report_that_cannot_be_written_is_one_sentence(run, tmp_path):
    code, _, err = run("claims", "R18.nvem", "--report", str(tmp_path / "nowhere" / "report.html"))
    assert code == 2
    assert len(err.strip().splitlines()) == 1
    assert "No such file" in err


def test_what_a_line_says_cannot_break_the_page(few):
    wild = dataclasses.replace(few[0].claim, statement="</script><script>alert(1)</script>", note='" onload="')
    page = claims_report.page([dataclasses.replace(few[0], claim=wild)])
    assert "<script>alert" not in page
    assert '" onload="' not in page.replace('\\" onload=\\"', "")


def test_a_line_tells_all_that_is_known_of_it(few):
    by_id = {each.claim.id: dict(told.facts(each)) for each in few}
    facts = by_id["S10.disk_read_write"]
    assert facts["stated"].startswith("nearly the same poor throughput")
    assert facts["as used"] == "1"
    assert facts["comes out"].startswith("1.0")
    assert facts["holds within"].startswith("± ")
    assert facts["must fail"] == "average_seek_write_s of hgst-7k1000-750gb × 2"
    assert facts["kind"].split(":")[0] in KINDS
    assert "numba" in facts["with"]


def test_small_numbers_are_read_with_a_prefix(few):
    facts = next(dict(told.facts(each)) for each in few if each.claim.id == "R18.nvem")
    assert facts["comes out"] == "50 µs"
    assert facts["holds within"].startswith("equal")


def test_what_a_verdict_is_worth_is_told_apart(few):
    sound = dataclasses.replace(
        few[0], status="holds", kind="predicted", rivals=(Rival("zero", 0.0, False),), rests_on=()
    )
    assert told.outcome(sound) == "sound"
    flattered = dataclasses.replace(sound, rivals=(Rival("ratings only", 1.0, True),))
    assert told.outcome(flattered) == "not informative"
    assert "a rival passes too" in told.verdict_words(flattered)
    assert told.outcome(dataclasses.replace(sound, kind="conditional")) == "holds"
    assert told.outcome(dataclasses.replace(sound, status="undecided")) == "undecided"
    assert set(told.SIGNS) == set(told.OUTCOMES)


def test_a_picture_shows_band_value_and_interval_and_keeps_a_far_rival_at_its_edge(few):
    line = next(each for each in few if each.claim.id == "S10.disk_read_write")
    far = dataclasses.replace(line, low=1.0, high=1.1, rivals=(Rival("zero", 0.0, False),))
    known = told.picture(far)
    assert known.band[0] < known.used < known.band[1]
    assert known.start < known.interval[0] < known.interval[1] < known.end
    assert known.share(0.0) == 0.0
    assert (
        told.picture(dataclasses.replace(line, claim=dataclasses.replace(line.claim, used="x", tolerance=None))) is None
    )


def test_every_claim_of_a_study_is_behind_its_mark():
    for study in {claim.study for claim in claims() if claim.study}:
        marked = [claim.id for each in told.reproduced(study) for claim in each.claims]
        assert marked == list(dict.fromkeys(marked))
        assert set(marked) == {claim.id for claim in claims() if claim.study == study and not claim.repeats}


def test_a_mark_names_the_figure_or_table_where_there_is_one():
    line = next(claim for claim in claims() if claim.place == "§3.2.3, Fig. 10" and claim.study == "cleaning_interval")
    assert told.shown_at(line) == "Fig. 10"
    assert told.shown_at(dataclasses.replace(line, place="§6.1, §6.2")) == "§6.1"
    found = [each.place for each in told.reproduced("whole_path")]
    assert found[0].startswith(told.DRAWN)
    assert found == sorted(found, key=lambda place: not place.startswith(told.DRAWN))


def test_a_mark_counts_what_holds_of_what_was_checked():
    found = told.reproduced("multi_level_hits")[0]
    assert "not checked here yet" in found.words({})
    records = {claim.id: {"verdict": {"status": "holds"}} for claim in found.claims}
    assert found.words(records).endswith(f"{len(records)} of {len(records)} lines hold")
    records[found.claims[0].id] = {"verdict": {"status": "fails"}}
    assert f"{len(records) - 1} of {len(records)} lines hold" in found.words(records)


def test_places_stand_in_the_order_of_their_paper():
    for paper in PAPERS:
        lines = [each for each in UNCHECKED if each.claim.paper == paper]
        groups = told.by_place(lines)
        assert sum(map(len, groups.values())) == len(lines)
        known = [place for place in PAPERS[paper]["places"] if place in groups]
        assert [place for place in groups if place in known] == known


def test_a_line_that_holds_whatever_was_chosen_says_what_else_was_asked():
    line = next(claim for claim in claims() if claim.id == "R24.crossing")
    law = "constant:parameters.DISK_LAW=exponential"
    said = dict(told.facts(Verdict(line, "main memory < ssd", "holds", "predicted", robust_to=(law,))))
    assert said["holds as well"].startswith(
        "parameters.DISK_LAW taken as constant, asked with law = constant, not exponential (assumed: "
    )
    of_device = Verdict(line, "x", "holds", "predicted", robust_to=("device:intel-x25-e.command_s",))
    assert dict(told.facts(of_device))["holds as well"] == (
        "command_s of intel-x25-e × 0.5 or command_s of intel-x25-e × 2 (fitted)"
    )
    assert "holds as well" not in dict(told.facts(Verdict(line, "x", "holds", "predicted")))
    failing = dict(told.facts(Verdict(line, "x", "fails", "predicted", robust_to=(law,))))
    assert failing["fails as well"] == said["holds as well"]


def test_a_rival_with_a_tolerance_of_its_own_says_so():
    assert told.change({"value": 4.18, "tolerance": 0.12, "name": "even"}) == "even: the value 4.18, told within ± 0.12"


def test_a_value_of_many_years_is_read_in_years():
    claim = next(each for each in claims() if each.id == "W27.mtron")
    assert told.value(claim, 175.34 * 365 * 86400) == "175.3 years"

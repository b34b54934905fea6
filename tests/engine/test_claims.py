"""The ledger: claims that should hold do, each fails under its control, and records are complete."""

from pathlib import Path

import pytest

from helpers.verdicts import verdict
from pagecost import catalogue
from pagecost.claims import Claim, check_all, claims, control_fails, measures
from pagecost.claims.ledger import load
from pagecost.errors import ModelError
from pagecost.remembering import keeping_shared

pytestmark = pytest.mark.long
ALL = claims()
CHECKED = [claim for claim in ALL if claim.kind != "context"]


def of(prefix: str) -> list[Claim]:
    return [claim for claim in ALL if claim.id == prefix or claim.id.startswith(f"{prefix}.")]


@pytest.fixture(scope="module", autouse=True)
def loads_and_volumes_stay():
    """From one line to the next, as where the whole ledger is checked."""
    with keeping_shared():
        yield


@pytest.mark.parametrize("claim", CHECKED, ids=lambda claim: claim.id)
def test_a_claim_comes_out_as_the_ledger_expects(claim):
    found = verdict(claim)
    assert found.status == claim.expected, f"used {claim.used}, measured {found.measured} {found.interval}"


@pytest.mark.parametrize("claim", [claim for claim in CHECKED if claim.expected == "holds"], ids=lambda claim: claim.id)
def test_a_claim_fails_when_what_it_rests_on_is_corrupted(claim):
    assert control_fails(claim)


def test_a_claim_that_does_not_hold_says_why():
    for claim in CHECKED:
        assert claim.expected == "holds" or claim.note, claim.id


def test_the_first_claims_are_all_there():
    assert len(of("F29")) == len(of("F30")) == 40  # by devices that are fitted to the tables, and by others
    set_by_the_algorithm = [claim for claim in of("F33") if not claim.id.startswith(("F33.rule", "F33.other"))]
    assert len(set_by_the_algorithm) == 12
    assert len(of("R31")) == 32
    assert {claim.kind for claim in of("S11")} == {"input"}
    assert len(of("S11")) - len(of("S11.model")) == 24  # Table 1 has six numbers for each of four drives
    assert len(of("S11.model")) == 16  # four of them rates
    computed = ("rate", "peak")
    assert {claim.kind for claim in of("W01") if not any(word in claim.id for word in computed)} == {"input"}
    assert {claim.kind for claim in of("W03")} == {"input"}


def test_a_claim_of_context_is_not_checked_and_says_what_stands_for_it():
    context = [claim for claim in ALL if claim.kind == "context"]
    assert context
    for claim in context:
        assert verdict(claim).status == "unchecked"
        assert claim.note


def test_the_claims_on_devices_are_all_there():
    papers = {"S": (6, 12), "F": (1, 10), "F ": (21, 36), "W": (1, 10), "W ": (26, 32), "L": (6, 8), "L ": (14, 16)}
    for paper, (first, last) in papers.items():
        for number in range(first, last + 1):
            assert of(f"{paper.strip()}{number:02}"), f"{paper}{number:02}"
    assert len(of("F07.time")) == len(of("F07.energy")) == 6  # Table 2.1: NAND and NOR, read, write and erase
    assert len(of("F34")) == 9  # eight scenarios, of which the fifth has two patterns


def test_the_claims_on_the_xml_store_are_all_there_and_the_kinds_stand_beside_the_mix():
    for number in range(13, 31):
        assert of(f"S{number}"), f"S{number}"
    assert len(of("S24.100MB")) == 3
    alone = {claim.id.removeprefix("S24.alone."): claim.should_hold for claim in of("S24.alone")}
    assert len(alone) == 9
    assert [name for name, holds in alone.items() if holds] == ["security.fs"]
    assert {verdict(claim).kind for claim in of("S27")} == {"conditional"}  # the shapes of documents are ours
    assert {claim.kind for claim in of("S24")} == {"mechanism", "conditional"}  # the mix and full pages are assumed


def test_what_is_circular_or_arithmetic_is_not_called_predicted():
    for id in ("W28.commercial", "W28.mysql", "S12", "L14.ratio", "F34", "F35"):
        assert {claim.kind for claim in of(id)} <= {"input", "arithmetic", "mechanism"}, id
    assert all("Circular" in claim.note for claim in of("W28.commercial") + of("W28.mysql"))


def test_winners_are_fitted_and_hit_ratios_are_predicted():
    by_fitted_devices = [claim for claim in of("F29") + of("F30") if ".other." not in claim.id]
    assert {claim.kind for claim in by_fitted_devices} == {"fitted"}
    main_memory = [claim for claim in of("R31") if claim.id.endswith("main_memory")]
    assert {claim.kind for claim in main_memory} == {"predicted"}
    assert all(
        claim.kind != "predicted" for claim in of("R31") if claim.id.endswith("_vol")
    )  # a switch was set on them


def test_every_claim_of_rahms_is_in_the_ledger():
    """R01 to R39 of datasets/claims."""
    there = {claim.id.split(".")[0] for claim in claims("rahm1992")}
    assert {f"R{number:02d}" for number in range(1, 40)} <= there


def test_rahms_hit_ratios_come_out_of_a_replay():
    measured = {claim.id: verdict(claim).measured for claim in of("R31")}
    stated = {"200": 53.7, "500": 59.6, "1000": 66.7, "2000": 72.5}
    for frames, ratio in stated.items():
        assert measured[f"R31.{frames}.main_memory"] == pytest.approx(ratio, abs=0.5)


def test_a_record_has_the_stable_fields():
    record = verdict(of("R31")[0]).record()
    fields = "id paper place stated used measured unit tolerance kind status note study"
    assert set(fields.split()) <= set(record)


def test_an_unknown_paper_lists_the_known_ones():
    with pytest.raises(ModelError, match="unknown paper 'knuth'; known: schmidt2009"):
        check_all("knuth")


def test_every_place_of_a_number_is_in_the_sources():
    assert {claim.paper for claim in ALL} <= set(catalogue.sources())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('id = "X"\nkind = "guess"', "unknown kind of claim X 'guess'"),
        ('id = "X"\nkind = "input"\nused = 1.0', "a number needs a tolerance"),
        ('id = "X"\nkind = "input"\nused = 1.0\ntolerance = 1.0', "its tolerance has no reason"),
        ('id = "X"\nkind = "input"\nused = "a"', "input claims need a measure"),
        ('id = "X"\nkind = "input"\nused = "a"\nmeasure = {measure = "parameter"}', "no control"),
        ('id = "X"\nkind = "input"\nused = "a"\ncolour = 1', "colour"),
    ],
)
def test_an_incomplete_record_is_refused_in_a_sentence(tmp_path, text, sentence):
    whole = f'[[claim]]\nplace = "p"\nstatement = "s"\nstated = "a"\n{text}\n'
    (tmp_path / "rahm1992.toml").write_text(whole)
    with pytest.raises(ModelError, match=sentence):
        list(load(tmp_path))


def test_every_public_function_of_every_file_of_measures_is_a_measure_under_its_own_name():
    """Not one file is named here: `registry.functions` refuses two of one name."""
    folder = Path(measures.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if path.stem.endswith(("measures", "rules"))}
    homes = {measure.__module__.rpartition(".")[2] for measure in measures.MEASURES.values()}
    assert homes == files
    assert all(measure.__name__ == name for name, measure in measures.MEASURES.items())

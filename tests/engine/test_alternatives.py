"""A line that holds with every alternative does not rest on the choice; with one under which it fails, it does."""

import fnmatch

import pytest

from helpers.ledger_line import line
from pagecost import catalogue, claims, reads, studies
from pagecost.answers import path_runs
from pagecost.claims import alternatives, checking
from pagecost.claims.changed import measured
from pagecost.claims.fitted import choices
from pagecost.claims.ledger import Claim
from pagecost.claims.measures import MEASURES
from pagecost.xmlstore.documents import tpox

pytestmark = pytest.mark.long

FITTED = ("fernando-hard-disk", "outer_media_bytes_per_s")  # a number of the catalogue: half and twice are asked


@pytest.fixture
def above(monkeypatch):
    """above(bound) -> a line that asks whether the number is above it."""

    def asked(device: str, parameter: str, bound: float) -> str:
        return "above" if catalogue.device(device).value(parameter) > bound else "not above"

    monkeypatch.setitem(MEASURES, "above", asked)
    device, parameter = FITTED

    def of(bound: float, **fields) -> Claim:
        measure = {"measure": "above", "device": device, "parameter": parameter, "bound": bound}
        rival = {"arguments": {"bound": 1e12}}
        usual = {"used": "above", "stated": "above", "tolerance": None, "tolerance_reason": "", "rival": rival}
        return line(measure=measure, **{**usual, **fields})

    return of


@pytest.mark.parametrize(("share", "decides"), [(0.4, False), (0.6, True)])
def test_half_and_twice_of_a_fitted_number_are_asked(above, share, decides):
    device, parameter = FITTED
    name = f"device:{device}.{parameter}"
    verdict = checking.check(above(share * catalogue.device(device).value(parameter)))
    assert (verdict.kind, verdict.sound) == (("conditional", False) if decides else ("predicted", True))
    assert (verdict.rests_on, verdict.robust_to) == (((name,), ()) if decides else ((), (name,)))
    assert bool(verdict.rivals) is not decides


@pytest.mark.parametrize(("share", "decides"), [(2.1, False), (1.9, True), (0.6, True)])
def test_a_line_that_fails_is_asked_as_one_that_holds_is(above, share, decides):
    """Above 2.1 times a number nothing comes that is half or twice as much; above 1.9 times it twice as much does."""
    device, parameter = FITTED
    name = f"device:{device}.{parameter}"
    expected = "fails" if share > 1 else "holds"
    verdict = checking.check(above(share * catalogue.device(device).value(parameter), should_hold=expected == "holds"))
    assert (verdict.status, verdict.kind) == (expected, "conditional" if decides else "predicted")
    assert (verdict.rests_on, verdict.robust_to) == (((name,), ()) if decides else ((), (name,)))
    assert claims.counts([verdict]).contradicted == (not decides)
    assert verdict.rivals == ()


def test_a_line_that_fails_and_repeats_another_is_not_asked(above):
    verdict = checking.check(above(1e12, should_hold=False, repeats="X00"))
    assert (verdict.kind, verdict.robust_to) == ("conditional", ())


def test_where_a_rival_passes_nothing_more_is_asked(above):
    verdict = checking.check(above(1.0, rival={"arguments": {"bound": 0.0}}))
    assert (verdict.kind, verdict.robust_to, verdict.sound) == ("conditional", (), False)
    assert [rival.passes for rival in verdict.rivals] == [True]  # and that it does is told


def test_a_choice_made_on_the_very_line_is_never_indifferent():
    name = "constant:path_runs.TIMES_SYNCED=False"
    on = next(claim for claim in claims.claims("wang2011") if fnmatch.fnmatchcase(claim.id, "W19.ext2fs.*"))
    other = next(claim for claim in claims.claims("wang2011") if claim.id == "W24.gain")
    assert alternatives.of(on, name) == ()
    assert alternatives.of(other, name) == ({"constants": {"path_runs.TIMES_SYNCED": True}},)


def test_an_alternative_that_does_not_reach_the_run_says_nothing(monkeypatch):
    """A measure that sets the number itself reads the old one under the alternative, too."""

    def stubborn() -> str:
        reads.note(["constant:path_runs.TIMES_SYNCED=False"])
        return "more"

    monkeypatch.setitem(MEASURES, "stubborn", stubborn)
    told = line(
        **{"measure": {"measure": "stubborn"}, "used": "more", "stated": "more", "tolerance": None},
        **{"tolerance_reason": "", "rival": {"value": "less", "name": "a guess"}},
    )
    verdict = checking.check(told)
    assert (verdict.kind, verdict.robust_to) == ("conditional", ())


def test_what_is_remembered_of_a_constant_is_not_taken_for_another():
    with reads.instead({"path_runs.SYNCS_PER_CHECKPOINT": 7}):
        other = path_runs.file_system("log-structured", path_runs.Cleaner())
        inside = reads.in_place()
    assert other.syncs_per_checkpoint == 7
    assert path_runs.file_system("log-structured", path_runs.Cleaner()).syncs_per_checkpoint == 1000
    assert (inside, reads.in_place()) == ((("path_runs.SYNCS_PER_CHECKPOINT", "7"),), ())


@pytest.mark.parametrize("name", ["INSTRUCTIONS_DESTAGE=0", "READS_APPENDED=True", "DISK_LAW=exponential"])
def test_the_cheapest_plan_is_asked_with_each_alternative(name):
    """It asks a study without naming it, whose inputs have some of them as their own."""
    log = next(claim for claim in claims.claims("rahm1992") if claim.id == "R35.log")
    (change,) = alternatives.of(log, f"constant:parameters.{name}")
    with reads.recorded() as names:
        measured(log, change)
    assert f"constant:parameters.{name}" not in names


def test_documents_of_another_shape_fill_a_database_of_the_same_size():
    def size() -> int:
        return sum(len(text) for kind in tpox.KINDS for _, (text,) in tpox.collection(kind, 1e6))

    as_invented = size()
    for shape in ("half of all that repeats", "twice all that repeats"):
        with reads.instead({"tpox.ACCOUNTS": shape}):
            assert size() == pytest.approx(as_invented, rel=0.1)


@pytest.mark.parametrize("choice", [each for each in choices() if each.alternatives], ids=lambda each: each.reads)
def test_studies_take_every_alternative_of_an_input(choice):
    kind, _, rest = choice.reads.partition(":")
    pattern, _, field = rest.partition("=")[0].partition(".")
    for study in studies.STUDIES.values():
        fields = study.Inputs.model_fields
        asked = field if kind == "input" else choice.input
        if asked in fields and (kind != "input" or fnmatch.fnmatchcase(study.name, pattern)):
            for value in map(alternatives.as_input, choice.alternatives):
                assert getattr(study.inputs({asked: value}), asked) == value

"""What an outsider found wrong with lines of the ledger is refused by rule: for all lines of a paper, not for one."""

import re
from collections import OrderedDict

import numpy as np
import pytest

from helpers.verdicts import verdict
from pagecost.claims import PAPERS, claims, measures, papers, path_measures
from pagecost.claims.checking import agrees
from pagecost.claims.transaction_rules import takes_effect
from pagecost.studies import find
from pagecost.studies.transactions import transaction_configurations
from pagecost.transactions import simulate

pytestmark = pytest.mark.long

MENDED = ("rahm1992", "lee2009", "wang2011")
LINES = {claim.id: claim for paper in MENDED for claim in claims(paper)}
CHECKED = [claim for claim in LINES.values() if claim.measure]


def of(prefix: str) -> list:
    return [claim for name, claim in LINES.items() if name == prefix or name.startswith(f"{prefix}.")]


@pytest.mark.parametrize("claim", LINES.values(), ids=lambda claim: claim.id)
def test_every_line_stands_at_a_place_that_exists_in_words_that_stand_there(claim):
    assert set(claim.place.split(", ")) <= PAPERS[claim.paper]["places"].keys()
    assert papers.stands_in(claim.paper, claim.anchor)


def test_what_is_printed_is_not_written_as_a_program_writes_it():
    """No 5e+07 and no 0.0004: a paper prints 50 MIPS and 0.4 ms."""
    for claim in of("R09"):
        assert not re.search(r"\de[+-]?\d|(?<!\d)0\.0", str(claim.stated)), claim.id


def test_a_cell_that_is_not_zero_is_not_met_by_no_hits_at_all():
    cells = [claim for claim in of("R31") if float(claim.used) > 0.3]
    assert len(cells) > 20
    for claim in cells:
        assert not agrees(claim, 0.0), claim.id
        assert claim.tolerance <= max(0.5 if "main_memory" in claim.id else 0.3, 0.05 * claim.used) + 1e-12, claim.id


def test_no_tolerance_is_as_wide_as_its_value_where_the_line_is_evidence():
    for claim in CHECKED:
        if claim.kind == "predicted" and isinstance(claim.used, float) and claim.used and "R31" not in claim.id:
            assert claim.tolerance <= abs(claim.used) / 2, claim.id


def test_a_cell_on_which_a_switch_was_set_is_called_fitted():
    for name in ("R31.1000.force_nvem1000", "R31.2000.force_nvem1000", "R31.200.force_vol", "R31.500.no_vol"):
        assert LINES[name].kind == "fitted", name
    for claim in of("R31"):
        if claim.kind == "predicted" and "main_memory" not in claim.id:
            assert claim.measure["set"] == {"reads_appended": "no", "nvem_caching": "modified"}, claim.id


@pytest.mark.parametrize("name", ["R33.write_misses", "R33.read_misses", "R34.falls_most.500.nvem"])
def test_a_prediction_on_hits_does_not_hang_on_the_switch_that_was_set_on_the_volatile_ones(name):
    found = []
    for answer in ("yes", "no"):
        arguments = {**LINES[name].measure, "set": {**LINES[name].measure["set"], "reads_appended": answer}}
        found.append(measures.MEASURES[arguments.pop("measure")](**arguments))
    assert found == [LINES[name].used] * 2


def test_orders_and_sums_of_ratings_are_not_called_predicted():
    for prefix in ("R17", "R19", "R32", "R35.half_in_nvem", "L07.depth", "L16", "W17", "W18", "W23.commercial", "W26"):
        of_ratings = [claim for claim in of(prefix) if ".io." not in claim.id]  # those leave out what was fitted
        assert "predicted" not in {claim.kind for claim in of_ratings}, prefix


def test_the_advice_is_measured_as_the_paper_gives_it():
    assert LINES["R35.log"].used == "non-volatile memory"
    assert not LINES["R35.log"].should_hold
    assert verdict(LINES["R35.sizes"]).measured == "no NVEM cache"


def test_every_ssd_of_which_enough_is_known_stands_where_every_ssd_is_said():
    for prefix in ("W06.reads_above_disk", "W17.commercial", "W17.mysql"):
        text = " ".join(str(claim.measure) for claim in of(prefix))
        assert "mtron-pro-7500" in text, prefix
        assert "intel-x25-e" in text, prefix


@pytest.mark.parametrize("change", ["buffer_pages=100", "instructions_io=1000"])
def test_that_a_parameter_takes_effect_is_seen_in_a_run(change):
    given = "own_account=disk"
    assert takes_effect(change, given) == "changes"
    assert takes_effect("", given) == "does not"


def test_a_parameter_with_nothing_to_act_on_takes_no_effect():
    """Its configuration is another one, and what comes out is the same."""
    assert takes_effect("log_controllers=1", "own_log=nvem") == "does not"


def test_what_is_written_behind_a_synchronous_access_holds_no_processor():
    study = find("transaction_configurations")
    inputs = study.inputs({"configurations": ["built"], "unit_access": "synchronous", "rate_hz": 50})
    case = transaction_configurations.case_of(inputs, "built")
    run = simulate(case.system, case.transactions.load(), rate_hz=50.0, least=2000, most=2000)
    assert 0 < run.utilisation["CPU"] < 1


def test_all_five_ratios_of_the_text_have_a_line():
    assert {claim.id.split(".")[1] for claim in of("R02")} == {"ssd", "nvem", "ssd_price", "nvem_price", "memory_price"}


@pytest.mark.parametrize(("values", "said"), [((0.1, 0.2), "rises"), ((0.2, 0.1), "falls"), ((0.0, 0.0), "equal")])
def test_what_is_equal_over_a_buffer_is_called_equal(monkeypatch, values, said):
    """A mix that writes nothing has no writes per read with either buffer; that was called a fall."""
    found = dict(zip((1600, 51200), values, strict=True))
    monkeypatch.setattr(
        path_measures, "path_ratio", lambda study, preset, mix, column, role, set: found[set["buffer_frames"]]
    )
    assert path_measures.path_trend("ssd_or_disks", "p", "write_ratio", "disks") == said


@pytest.mark.parametrize("writes", [0.1, 0.3, 0.6])
def test_a_larger_buffer_raises_the_writes_per_read_of_pages_that_are_asked_for_evenly(writes):
    """L12.path_A is a mechanism: against a replay, a page leaves LRU dirty in w / (1 - (1 - w) h) of the cases."""
    pages, count = 20_000, 300_000
    draws = np.random.default_rng(1)
    asked, written = draws.integers(0, pages, count).tolist(), (draws.random(count) < writes).tolist()
    for frames in (200, 6400):
        kept, left, dirty = OrderedDict(), 0, 0
        for page, write in zip(asked, written, strict=True):
            if page not in kept and len(kept) == frames:
                left, dirty = left + 1, dirty + kept.popitem(last=False)[1]
            kept[page] = kept.pop(page, False) or write
        theory = writes / (1 - (1 - writes) * frames / pages)
        assert dirty / left == pytest.approx(theory, rel=0.02)
    assert LINES["L12.path_A"].kind == "mechanism"


def test_rivals_change_one_thing_and_are_all_of_their_row():
    intel = [rival["arguments"] for rival in LINES["W08.reads.intel"].rivals]
    assert sorted(map(len, intel)) == [1, 1]
    for pages in (200, 500, 1000, 2000):
        caches = {rival["arguments"]["where"]["configuration"] for rival in LINES[f"R31.{pages}.no_nv"].rivals}
        assert {"NVEM, NOFORCE", "NVEM, half size, NOFORCE", "volatile, NOFORCE"} <= caches
        assert {"set": {"policies": ["clock"]}} in LINES[f"R31.{pages}.main_memory"].rivals

"""A device that fills and wears: curves start and end where they must, levelling has a bound, years add up."""

import numpy as np
import pytest

from pagecost.devices.ftl import WEAR_CHECK_ERASES, Geometry, Simulation, Workload, theory
from pagecost.errors import ModelError
from pagecost.studies.flash import device_fill, wear_and_lifetime
from pagecost_app.charts.flash.device_fill import steady_from


def answer(study, **values):
    inputs = study.inputs(values)
    return inputs, study.compute(inputs)


def test_a_new_device_starts_at_one_and_ends_at_theory():
    _, result = answer(device_fill.STUDY, blocks=1024, passes=15, spare=0.15)
    rounds = result.rows(part="round")
    amplification = result["write_amplification"][rounds]
    assert (amplification[:11] == 1).all()  # until 1 / (1 - 0.15) = 1.18 times its pages are written
    expected = theory.greedy(theory.load(Geometry(blocks=1024, spare=0.15)), 64)
    assert amplification[-20:].mean() == pytest.approx(expected, rel=0.01)
    free = result["free_share"][rounds]
    assert free[0] == pytest.approx(1 - 0.85 / 10, abs=0.01)
    assert free[-1] == pytest.approx(2 / 1024)  # what the collector keeps
    assert result["blocks"][result.rows(part="erases")].sum() == 1024
    for low, high in (("erases_min", "erases_p10"), ("erases_p50", "erases_p90"), ("erases_p90", "erases_max")):
        assert (result[low][rounds] <= result[high][rounds]).all()
    assert steady_from(result) is not None


def test_a_run_that_is_too_short_says_how_far_it_came():
    _, result = answer(device_fill.STUDY, blocks=256, passes=4)
    assert steady_from(result) is None
    assert any("Not steady: 4 rounds were run, the criterion needs 5" in note for note in result.notes)
    assert not any(result["steady"][result.rows(part="round")])


def test_a_filling_device_streams_and_grows_by_a_row():
    sizes = []
    study = device_fill.STUDY
    whole = study.compute(
        study.inputs({"blocks": 256, "passes": 3}),
        lambda share, partial: sizes.append(partial.rows(part="round").size),
    )
    assert sizes == list(range(1, 31))
    assert whole.rows(part="round").size == 30


@pytest.mark.parametrize("gap", [20, 50])
@pytest.mark.parametrize("policy", ["greedy", "cost-benefit"])
@pytest.mark.parametrize("separate", [False, True])
def test_static_levelling_bounds_the_spread_by_the_gap_and_one_sweep(gap, policy, separate):
    """The gap itself does not hold: one block is looked at in 8 erases, and a sweep over all takes 8 each.

    These fall, at worst, on the spare blocks only: gap + 8 / spare.
    """
    spare = 0.15
    load = Workload(kind="hot-cold", hot_share=0.1, hot_writes=0.99)
    geometry = Geometry(blocks=128, pages_per_block=16, spare=spare)
    simulation = Simulation(geometry, load, policy=policy, separate=separate, wear_gap=gap)
    rounds = [simulation.write(5 * geometry.logical_pages).erase_counts for _ in range(16)]
    assert max(int(np.ptp(erases)) for erases in rounds) <= gap + WEAR_CHECK_ERASES / spare
    assert rounds[-1].max() / rounds[-1].mean() < 1 + (gap + WEAR_CHECK_ERASES / spare) / rounds[-1].mean()


def test_without_levelling_the_spread_grows_as_long_as_the_skew_lasts():
    load = Workload(kind="hot-cold", hot_share=0.1, hot_writes=0.99)
    geometry = Geometry(blocks=128, pages_per_block=16, spare=0.15)
    simulation = Simulation(geometry, load, separate=True)
    spread = [int(np.ptp(simulation.write(20 * geometry.logical_pages).erase_counts)) for _ in range(4)]
    assert (np.diff(spread) > 20).all()


def test_fifo_wears_all_blocks_alike_without_levelling():
    geometry = Geometry(blocks=128, pages_per_block=16, spare=0.15)
    simulation = Simulation(geometry, Workload(kind="hot-cold", hot_writes=0.99), policy="fifo")
    assert np.ptp(simulation.write(20 * geometry.logical_pages).erase_counts) <= 1


def test_the_mtron_lasts_175_years_without_loss_and_the_stated_140_leave_a_factor():
    study = wear_and_lifetime.STUDY
    inputs = study.inputs(preset="Mtron PRO 7500: more than 140 years, 50 GB a day in order")
    result = study.compute(inputs)
    lines = study.explain(inputs, result)
    assert "3.2 PB, 175.3 years" in lines[2]
    assert "140.0 years: that leaves a factor 1.25" in lines[3]
    rows = result.rows(part="lifetime")
    assert (result["write_amplification"][rows] == 1).all()
    # written in order every block wears alike: the spare space is all that is added
    assert result["total_bytes"][rows] == pytest.approx(3.2e15 / 0.85, rel=1e-3)


def test_an_indirection_unit_multiplies_write_amplification():
    (_, plain), (_, coarse) = (
        answer(wear_and_lifetime.STUDY, workload="uniform", unit_bytes=unit) for unit in (4096, 65536)
    )
    rows = plain.rows(part="lifetime")
    assert coarse["write_amplification"][rows] == pytest.approx(16 * plain["write_amplification"][rows])
    assert coarse["lifetime_s"][rows] == pytest.approx(plain["lifetime_s"][rows] / 16)


def test_levelling_buys_years_under_skew_and_the_factors_give_the_total():
    inputs, result = answer(wear_and_lifetime.STUDY)
    off, on = result.rows(part="lifetime")
    assert result["lifetime_s"][on] > 1.5 * result["lifetime_s"][off]
    assert result["wear_moves"][off] == 0 < result["wear_moves"][on]
    factors = result["evenness"] / result["write_amplification"]
    total = inputs.capacity_bytes * inputs.program_erase_cycles / (1 - inputs.spare) * factors
    assert result["total_bytes"][[off, on]] == pytest.approx(total[[off, on]])
    for levelling in (wear_and_lifetime.OFF, wear_and_lifetime.ON):
        assert result["blocks"][result.rows(part="erases", levelling=levelling)].sum() == inputs.blocks


@pytest.mark.parametrize(
    ("study", "values", "sentence"),
    [
        (device_fill.STUDY, {"policy": "lru"}, "unknown victim policy 'lru'"),
        (device_fill.STUDY, {"passes": 0}, "passes should be greater than or equal to 1; got 0"),
        (device_fill.STUDY, {"blocks": 64}, "leave the collector 4.5 spare ones; it needs 6"),
        (wear_and_lifetime.STUDY, {"layer": "x"}, "unknown translation layer 'x'"),
        (wear_and_lifetime.STUDY, {"unit_bytes": 512}, "unit_bytes should be greater than or equal to 4096; got 512"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(study, values, sentence):
    with pytest.raises(ModelError, match=sentence):
        study.inputs(values)

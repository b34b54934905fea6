"""The arm of a disk moves over what a plan holds on it, by formula and in runs."""

import numpy as np
import pytest

from helpers.oltp_parts import pages_at_random
from pagecost import catalogue, oltp, planner, studies, system
from pagecost.devices.disk import Disk
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.theory import random_requests
from pagecost.oltp.setup import Buffer, Setup
from pagecost.planner import finalists, space
from pagecost.planner.numbers import PARTS, times_of
from pagecost.studies.taking import taken

CHEETAH, WD400BB = "cheetah-15k5", "wd400bb"
PAGE_BYTES, STRIPE_BYTES = 4096, 65_536


@pytest.mark.parametrize("part", [0.03, 0.25, 0.9])
@pytest.mark.parametrize("count", [1, 3])
def test_an_arm_has_as_far_to_go_as_by_theory_over_the_part_that_is_held(part, count):
    """Within 3 %: the mean of 10 000 reads is known to half a per cent, and pages lie in stripes."""
    disk = Disk.of(catalogue.device(CHEETAH))
    load = pages_at_random(10_000, pages=50_000)
    drive = oltp.drive(CHEETAH)
    held_bytes = part * count * drive.capacity_bytes
    made = oltp.run(
        Setup(
            users=count,
            buffer=Buffer(frames=64),
            storage=oltp.Storage(drive=drive, count=count, held_bytes=held_bytes),
        ),
        load,
        transactions=10_000,
    )
    mean_s = sum(made.utilisation[name] for name in made.written_bytes) * made.seconds / made.counts["page reads"]
    sectors = PAGE_BYTES // SECTOR_BYTES
    expected = random_requests(disk, int(part * disk.geometry.sectors), sectors)
    assert mean_s == pytest.approx(expected.service_s, rel=0.03)


@pytest.mark.parametrize("end_bytes", [STRIPE_BYTES, 10**9, 39 * 10**9])
def test_data_in_use_never_leave_a_device_and_lie_side_by_side_where_nothing_else_is_held(end_bytes):
    drive = oltp.drive(WD400BB)
    for held_bytes in (0.0, 1e9, 1e10, 1e15):
        used, held = oltp.Storage(drive=drive, held_bytes=held_bytes).stripes(end_bytes, end_bytes)
        assert used == -(-end_bytes // STRIPE_BYTES)
        assert used <= held
        assert held == used or held * STRIPE_BYTES <= min(drive.capacity_bytes, held_bytes)
    four = oltp.Storage(drive=drive, count=4, copies=2, held_bytes=100 * STRIPE_BYTES)
    assert four.stripes(10 * STRIPE_BYTES, 10 * STRIPE_BYTES) == (5, 50), "two of them hold copies"
    full = oltp.Storage(drive=drive, held_bytes=1e15).stripes(10 * STRIPE_BYTES, 10**9 + 10 * STRIPE_BYTES)
    assert (full[1] + 10**9 // STRIPE_BYTES) * STRIPE_BYTES <= drive.capacity_bytes, "a log has room behind them"


@pytest.mark.parametrize("device", [CHEETAH, WD400BB])
def test_a_page_takes_less_the_less_of_a_disk_is_in_use(device):
    disk = Disk.of(catalogue.device(device))
    times = times_of(device, PAGE_BYTES, PAGE_BYTES)
    assert times.spared_s[-1] == 0
    assert (np.diff(times.spared_s) <= 0).all()  # parts of less than a track are alike
    assert times.spared_s[0] > times.spared_s[8] > times.spared_s[12] > 0
    sectors = PAGE_BYTES // SECTOR_BYTES
    whole, half = (random_requests(disk, int(part * disk.geometry.sectors), sectors) for part in (1.0, PARTS[8]))
    assert times.spared_s[8] == pytest.approx(whole.service_s - half.service_s, rel=1e-6)
    assert times.variation[-1] == pytest.approx(whole.squared_variation)


@pytest.mark.long
@pytest.mark.parametrize("device", [CHEETAH, WD400BB])
@pytest.mark.parametrize("volume_bytes", [5e8, 4e9, 4e10])
def test_formula_and_runs_agree_however_much_of_a_disk_is_in_use(device, volume_bytes):
    """Within a sixth: a transaction's pages come in a burst, which the formula does not know. They were a factor of 2
    apart as long as the arm moved over all of the disk by formula, and over the load's pages in runs."""
    plan = f"database=4*{device}:raid-0/buffer=4096"
    asked = system.System(
        load=system.Load(source="tpc-c", transaction_rate_hz=5.0, volume_bytes=volume_bytes),
        economics=system.Economics(price_usd_per_device={device: 100.0}),
        targets=system.Targets(response_s=1.0),
    )
    found = planner.figures_of_one(planner.candidates_of(plan, asked), plan, runs=1).plan
    assert found.value("response_s") == pytest.approx(found.value("simulated_response_s"), rel=1 / 6)


def test_hot_pages_on_a_disk_of_their_own_are_close_together():
    """By formula and in the hierarchy's runs: the arm has the way over them, and not over the database. Within 3 %, of
    which 2 come from parts of a disk between those that are known."""
    plan = f"database=1*{CHEETAH}:raid-0/hot=1*{CHEETAH}:raid-0/buffer=2000"
    asked = system.System(
        load=system.Load(source="debit-credit-1992", transaction_rate_hz=20.0, volume_bytes=6e10),
        economics=system.Economics(price_usd_per_device={CHEETAH: 100.0}),
    )
    found = planner.search(planner.candidates_of(plan, asked))
    case = finalists.case_of(space.parts_of(plan), found.asked, found.system, found.numbers, 1)
    served = dict(case.times)
    disk, sectors = Disk.of(catalogue.device(CHEETAH)), PAGE_BYTES // SECTOR_BYTES
    part = found.numbers.hot_bytes / oltp.drive(CHEETAH).capacity_bytes
    expected = random_requests(disk, max(sectors, int(part * disk.geometry.sectors)), sectors)
    assert part < 0.001
    assert served["hot"].read_s == pytest.approx(expected.service_s, rel=0.03)
    assert served["database"].read_s > 2 * served["hot"].read_s


def test_the_volume_of_a_goal_lies_over_its_disks():
    """Less is answered within the goal where an arm has farther to go, and that is said."""
    study = studies.find("path_goal")
    given = {"devices": (WD400BB,), "within_s": 0.1, "rate_hz": 20.0, "seeds": 2, "measured": 1000, "fill": 2000}
    little, much = (study.inputs(given | {"volume_bytes": volume}) for volume in (0.0, 3.5e10))
    alone_s = []
    for inputs, said in ((little, "lie side by side, so that the arms"), (much, "its share of the volume")):
        result = study.compute(inputs)
        alone_s.append(result["alone_s"][0])
        assert any(said in note for note in result.notes)
    assert alone_s[1] > 1.4 * alone_s[0]


HGST = "hgst-7k1000-750gb"  # nobody says more than its average seek


def test_a_disk_of_which_only_the_average_seek_is_known_is_said_to_take_it_for_every_seek():
    """And not that its arm moves little, from which nothing follows."""
    said = "Only the average seek is known of"
    given = {"runs": 1, "counts": (1,), "mixes": ("order-status",), "warehouses": 2, "seconds": 2.0, "fill": 500}
    path, goal = studies.find("ssd_or_disks"), studies.find("response_goal")
    asked = {"within_s": 0.1, "rate_hz": 20.0, "load": "none"}
    whole = studies.find("path_goal")
    few = {"within_s": 0.1, "rate_hz": 5.0, "seeds": 2, "measured": 1000, "fill": 2000}
    for disk, only in ((HGST, True), (WD400BB, False)):
        prices = {"economics.price_usd_per_device": {disk: 50.0}, "candidates.devices": [disk]}
        answers = (
            path.compute(path.inputs(given | {"disk": disk})),
            whole.compute(whole.inputs(few | {"devices": (disk,)})),
            goal.compute(goal.inputs(asked | {"devices": (disk,)})),
            planner.estimated(system.System().changed({"load.transaction_rate_hz": 1.0} | prices)),
        )
        for made in answers:
            assert any(note.startswith(said) for note in made.notes) == only
            assert not (only and any("arms of" in note for note in made.notes))


def test_the_whole_path_takes_the_volume_of_a_system_and_says_how_far_arms_go():
    study = studies.find("ssd_or_disks")
    given = {"runs": 1, "counts": (2,), "mixes": ("order-status",), "warehouses": 10, "seconds": 5.0, "users": 8}
    tpm = []
    for volume_bytes, said in ((0.0, "lie side by side, so that the arms"), (1.3e11, "its share of the volume")):
        result = study.compute(study.inputs(given | {"volume_bytes": volume_bytes}))
        assert any(said in note for note in result.notes)
        tpm.append(result["tpm"][result.rows(role="disks")][0])
    assert tpm[1] < 0.75 * tpm[0]
    held = system.System(load=system.Load(volume_bytes=1.3e11))
    assert taken(study.Inputs, held).values["volume_bytes"] == 1.3e11
    full = study.compute(study.inputs(given | {"volume_bytes": 1e12}))
    assert any(note.startswith("As if full, for the volume is larger than what they hold: 2 × ") for note in full.notes)
    without = study.compute(study.inputs(given | {"volume_bytes": 1e11, "disk": "mtron-pro-7500"}))
    assert any(note.startswith("Without effect: Volume. No device here has an arm") for note in without.notes)

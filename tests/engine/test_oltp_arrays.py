"""Devices of the loop that are joined: mirrors and parities, of the data and of the log, against singles and a twin."""

import numpy as np
import pytest

from helpers.oltp_parts import pages_at_random, small_system, storage
from pagecost import oltp
from pagecost.errors import ModelError
from pagecost.intervals import batch_interval
from pagecost.workload.debit_credit import DebitCredit
from twins.oltp import Twin

LOAD = oltp.debit_credit(DebitCredit(branches=20, accounts_per_branch=2000), transactions=30_000)
MIRROR, PARITY, TWO_PARITIES = {"count": 2, "copies": 2}, {"count": 3, "parities": 1}, {"count": 5, "parities": 2}


def watts(**changes):
    """Even devices with a power."""
    plain = storage(**changes)
    drive = oltp.TimedDrive(model=plain.drive.model, idle_w=4.0, active_w=10.0)
    return oltp.Storage(drive=drive, count=plain.count, copies=plain.copies, parities=plain.parities, merge_bytes=0)


def busy(made, station):
    return [share for name, share in made.utilisation.items() if name.startswith(station)]


@pytest.mark.parametrize("joined", [MIRROR, {"count": 4, "copies": 2}, PARITY, TWO_PARITIES], ids=str)
def test_joined_devices_agree_with_the_slow_twin(joined):
    devices = joined["count"]
    twin = Twin(
        LOAD,
        users=8,
        think_s=0.05,
        processors=2,
        transaction_s=4e-3,
        frames=300,
        devices=devices,
        copies=joined.get("copies", 1),
        parities=joined.get("parities", 0),
        fill=3000,
        seed=2,
    )
    _, responses = twin.run(6000, 300)
    made = oltp.run(small_system(storage(stripe_bytes=4096, **joined)), LOAD, transactions=25_000, fill=3000)
    mean_s, half_s = batch_interval(responses)
    assert half_s < 0.05 * mean_s
    assert abs(made.response_s - mean_s) < 1.5 * (half_s + made.half_width_s)


def test_a_mirrored_log_takes_the_time_of_one_and_the_power_of_two():
    single, mirror = (
        oltp.run(small_system(watts(), watts(write_s=5e-3, **joined)), LOAD, transactions=5000, fill=3000)
        for joined in ({}, MIRROR)
    )
    assert mirror.response_s == single.response_s
    assert busy(mirror, "log device") == [busy(single, "log device")[0]] * 2
    log_w = 4 + 6 * busy(single, "log device")[0]
    assert mirror.average_w == pytest.approx(single.average_w + log_w)


def test_a_striped_log_writes_to_each_of_its_devices_in_turn():
    made = oltp.run(small_system(storage(), storage(write_s=5e-3, count=2)), LOAD, transactions=5000, fill=3000)
    single = oltp.run(small_system(storage(), storage(write_s=5e-3)), LOAD, transactions=5000, fill=3000)
    first, second = busy(made, "log device")
    assert first == pytest.approx(second, rel=0.1)
    assert first + second == pytest.approx(busy(single, "log device")[0], rel=0.02)


def test_a_mirrored_write_waits_for_both_and_a_read_for_one():
    load = pages_at_random(write_share=1.0, transactions=20_000)
    alone = {"users": 1, "think_s": 0.01}
    single, mirror = (oltp.run(small_system(storage(**j), **alone), load, transactions=4000) for j in ({}, MIRROR))
    assert mirror.composition["write_s"] == pytest.approx(single.composition["write_s"])
    assert mirror.composition["read_s"] == pytest.approx(single.composition["read_s"])
    assert mirror.requests["device", "write"] == 2 * single.requests["device", "write"] - single.counts["log writes"]
    assert mirror.requests["device", "read"] == single.requests["device", "read"]


@pytest.mark.parametrize(("joined", "width"), [(PARITY, 2), (TWO_PARITIES, 3)], ids=["one", "two"])
def test_a_small_write_reads_old_data_and_parities_first(joined, width):
    load = pages_at_random(write_share=1.0, transactions=20_000)
    alone = {"users": 1, "think_s": 0.01}
    single, made = (oltp.run(small_system(storage(**j), **alone), load, transactions=4000) for j in ({}, joined))
    pages = single.counts["page writes"]
    assert made.composition["write_s"] == pytest.approx(single.composition["write_s"] / 2e-3 * 3e-3)  # a read before
    assert made.requests["device", "read"] == single.requests["device", "read"] + width * pages
    assert made.requests["device", "write"] == single.requests["device", "write"] + (width - 1) * pages
    assert made.requests["file system", "read"] == single.requests["file system", "read"]
    each = np.array(busy(made, "device"))
    assert np.ptp(each) < 0.1 * each.mean()


def test_devices_that_cannot_be_joined_so_are_refused():
    with pytest.raises(ModelError, match="multiple of copies"):
        storage(count=3, copies=2)
    with pytest.raises(ModelError, match=r"parities must be 0\.\.1"):
        storage(count=2, parities=2)
    with pytest.raises(ModelError, match="0 where there are copies"):
        storage(count=4, copies=2, parities=1)


def test_mirrors_and_parities_hold_less():
    disk = oltp.drive("cheetah-15k5")
    assert oltp.Storage(drive=disk, count=4, copies=2).capacity_bytes == 2 * disk.capacity_bytes
    assert oltp.Storage(drive=disk, count=4, parities=1).capacity_bytes == 3 * disk.capacity_bytes

"""Drives that are known by their chips, and what is rolled back in the loop."""

import numpy as np
import pytest

from helpers.oltp_parts import storage
from pagecost import oltp
from pagecost.answers import oltp_drives
from pagecost.devices.service import ServiceTime
from pagecost.errors import ModelError
from pagecost.oltp.setup import Buffer, Log, Setup
from pagecost.workload.tpcc import TpcC

SETUP = Setup(users=6, buffer=Buffer(frames=300), log=Log(), storage=storage(1e-4, 1e-4))


def test_new_orders_that_are_rolled_back_leave_no_log_and_are_counted_apart():
    load = oltp.tpcc(TpcC(warehouses=1, mix="new-order", aborts=True), 3000)
    made = oltp.run(SETUP, load, transactions=2500)
    rolled_back = made.by_type["New-Order, rolled back"] * made.seconds
    assert 5 < rolled_back < 60  # 1 %
    assert made.counts["commits"] == pytest.approx(made.transactions - rolled_back, abs=SETUP.users)
    assert Setup(storage=storage(), processors=oltp.Processors(transaction_s={"New-Order": 1e-3})).processors.of(
        "New-Order, rolled back"
    ) == pytest.approx(1e-3)


def test_between_its_sizes_a_drive_of_chips_has_times_in_between_and_beyond_them_its_rate():
    times = tuple((pattern, (1e-4, 5e-4, 4e-3)) for pattern in ("random read", "sequential write"))
    model = oltp_drives.ChipTimes("chips", times, times)
    made = model.service("random read", np.array([512, 4096, 18_432, 262_144, 1_048_576]))
    assert isinstance(made, ServiceTime)
    assert made.total_s == pytest.approx([1e-4, 1e-4, 3e-4, 4e-3, 16e-3])


@pytest.mark.long
def test_a_drive_without_ratings_has_the_times_that_its_chips_give():
    drive = oltp_drives.drive_of("indilinx-barefoot-ssd")
    busy_s, delay_s = drive.times_s(4096)
    assert drive.active_w == 5
    assert drive.capacity_bytes == 32e9
    assert (np.diff(busy_s[:, :, :8], axis=2) >= 0).all()
    assert busy_s[1, 0, 0] > busy_s[0, 0, 0] > 0  # random writes cost more than random reads
    assert (delay_s >= 0).all()


def test_an_unknown_drive_is_refused():
    with pytest.raises(ModelError, match="guessed"):
        oltp_drives.drive_of("guessed")

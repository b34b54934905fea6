"""What a planner's draws and its tornado take for each input."""

import numpy as np
import pytest

from helpers.small_plans import wanted
from pagecost import catalogue, planner
from pagecost.planner import sensitivity


def test_what_is_drawn_of_an_input_is_the_same_whatever_else_is_and_even():
    found = planner.search(wanted())
    inputs = sensitivity.inputs_of(found.system, found.numbers)
    every = sensitivity.drawn(inputs, 64, seed=3)
    assert np.array_equal(sensitivity.drawn(inputs[::-2], 64, seed=3), every[:, ::-2])
    assert not np.array_equal(sensitivity.drawn(inputs, 64, seed=4), every)
    for at, each in enumerate(inputs):
        parts = np.sort(np.floor((every[:, at] - each.low) / (each.high - each.low) * 64))
        assert np.array_equal(parts, np.arange(64)), "one in each of 64 equal parts"
    assert np.abs(np.corrcoef(every.T) - np.eye(len(inputs))).max() < 0.5


def test_the_speed_of_a_device_has_the_ranges_of_its_times_to_their_ends():
    """18 129 (14 725 to 22 321) requests a second is what it is in the fit, and not evenly about a middle."""
    of_time = {"qd1_read_s": 1.0, "qd1_write_s": 1.0, "access_s": 1.0, "average_seek_s": 1.0}
    told = 0
    for name, device in catalogue.devices().items():
        known = [(each, device.parameters[each]) for each in sensitivity.TIMES if each in device.parameters]
        ranges = [(each, of) for each, of in known if of.low is not None and of.low < of.high and of.value is not None]
        if not ranges or any(of.value is None for _, of in known):
            continue
        low, high = sensitivity._speed(name)
        slowest = min(of.value / of.high if each in of_time else of.low / of.value for each, of in ranges)
        fastest = max(of.value / of.low if each in of_time else of.high / of.value for each, of in ranges)
        assert (low, high) == pytest.approx((min(slowest, 1), max(fastest, 1)))
        told += 1
    assert told

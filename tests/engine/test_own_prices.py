"""Prices of own devices: of several the newest in dollars counts, of a range its middle, in every answer alike."""

import math

import pytest

from pagecost import catalogue, studies, system
from pagecost.planner import searching

FILE = """
schema = 1
device = "mine"
name = "Mine"
class = "flash SSD"
model = "rated"
year = 2024

[sources.sheet]
title = "The sheet"
year = "2026"
read_on = 2026-11-23

[parameters]
capacity_bytes = { value = 1, unit = "TB", status = "specified", source = "sheet" }
rated_block_bytes = { value = 4, unit = "KiB", status = "specified", source = "sheet" }
rated_queue_depth = { value = 32, unit = "1", status = "specified", source = "sheet" }
random_read_iops = { value = 100000, unit = "1/s", status = "specified", source = "sheet" }
random_write_iops = { value = 50000, unit = "1/s", status = "specified", source = "sheet" }
sequential_read_bytes_per_s = { value = 3, unit = "GB/s", status = "specified", source = "sheet" }
sequential_write_bytes_per_s = { value = 2, unit = "GB/s", status = "specified", source = "sheet" }
idle_w = { value = 1, unit = "W", status = "specified", source = "sheet" }
active_w = { value = 6, unit = "W", status = "specified", source = "sheet" }
"""


def price(said: str, currency="USD", per="device", date="2024-11") -> str:
    return (
        f'\n[[prices]]\n{said}\ncurrency = "{currency}"\nper = "{per}"\ndate = "{date}"\nstatus = "stated"\n'
        'source = "sheet"\n'
    )


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Writes the own device with the given prices."""
    monkeypatch.setenv("PAGECOST_DEVICES", str(tmp_path))
    return lambda *prices: (tmp_path / "mine.toml").write_text(FILE + "".join(prices))


APIECE, OLDER_GB = price("amount = 100"), price("amount = 0.2", per="GB", date="2020-11")
NEWEST_GB = price("amount = 0.1", per="GB", date="2025-11")


def numbers(volume_bytes: float, typed: dict | None = None):
    asked = system.System().changed(
        {
            "load.source": "sqlite-order-entry",
            "load.volume_bytes": volume_bytes,
            "load.transaction_rate_hz": 10.0,
            "candidates.devices": ["mine"],
            "candidates.counts": [1],
            "candidates.levels": ["raid-0"],
            "candidates.placements": ["together"],
            "economics.price_usd_per_device": typed or {},
        }
    )
    return searching.search(asked)


@pytest.mark.parametrize(
    ("prices", "typed", "capacity_bytes"),
    [
        ((APIECE,), {}, 1e12),
        ((APIECE, OLDER_GB), {}, 1e12),  # the newest is what it is bought at
        ((APIECE, NEWEST_GB), {}, math.inf),  # bytes are bought
        ((NEWEST_GB,), {"mine": 100.0}, 1e12),  # a person pays for whole ones
    ],
)
def test_a_device_bought_apiece_holds_no_more_than_it_can(mine, prices, typed, capacity_bytes):
    mine(*prices)
    found = numbers(1e14, typed)  # a hundred times what one holds
    assert found.numbers.capacity_bytes[0] == capacity_bytes
    assert found.feasible.any() == math.isinf(capacity_bytes)


def test_a_price_in_another_currency_is_neither_taken_nor_said_as_dollars(mine):
    mine(APIECE, price("amount = 500", currency="EUR", date="2025-11"))
    answer = studies.find("total_cost")
    notes = answer.compute(answer.inputs({"devices": ("mine",)})).notes
    assert any("Mine: 100 $ of 2024-11" in note for note in notes)
    assert not any("500" in note for note in notes)
    mine(price("amount = 500", currency="EUR"))
    notes = answer.compute(answer.inputs({"devices": ("mine",)})).notes
    assert any("Mine: the catalogue has no price" in note for note in notes)


def test_of_a_range_every_answer_takes_the_middle_and_says_so(mine):
    mine(price("low = 80\nhigh = 120"))
    assert catalogue.device("mine").price_usd == 100
    assert numbers(1e11).numbers.price_usd[0] == 100
    said = "Mine: 80 $ to 120 $, of which the middle is taken, of 2024-11"
    for name, values in (("total_cost", {"devices": ("mine",)}), ("five_minute_rule", {"device": "mine"})):
        answer = studies.find(name)
        assert any(said in note for note in answer.compute(answer.inputs(values)).notes), name

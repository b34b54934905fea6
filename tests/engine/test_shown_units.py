"""Numbers in the units that a person chose; inside everything stays SI."""

import threading

import pytest

from pagecost import catalogue, exchange, units
from pagecost.errors import ModelError


@pytest.mark.parametrize(
    ("value", "unit", "choice", "said"),
    [
        (0.000250, "s", units.Shown(time="ms"), "0.25 ms"),
        (0.0124, "s", units.Shown(time="µs"), f"12{units.THIN}400 µs"),
        (12.4, "ms", units.Shown(time="µs"), f"12{units.THIN}400 µs"),
        (0.0, "s", units.Shown(time="ms"), "0 ms"),
        (365 * 86400.0, "s", units.Shown(time="ms"), "1 year"),
        (80e9, "B", units.Shown(bytes="GiB"), "74.5 GiB"),
        (4096, "B", units.Shown(bytes="GB"), "4.1 kB"),
        (0, "B", units.Shown(bytes="GiB"), "0 B"),
        (104.11, "USD", units.Shown(usd_per_euro=1.0411), "100 €"),
        (100, "CHF", units.Shown(usd_per_euro=1.0411), "100 CHF"),
        (250e6, "B/s", units.Shown("ms", "GiB", 1.0411), "250 MB/s"),
    ],
)
def test_a_cell_follows_the_choice_and_only_while_it_lasts(value, unit, choice, said):
    before = units.format_cell(value, unit)
    with units.shown_in(choice):
        assert units.format_cell(value, unit) == said
    assert units.format_cell(value, unit) == before


def test_the_choice_of_one_session_is_not_anothers():
    said = []
    with units.shown_in(units.Shown(time="µs")):
        other = threading.Thread(target=lambda: said.append(units.format_seconds(0.25)))
        other.start()
        other.join()
    assert said == ["250 ms"]


def test_an_error_ends_the_choice():
    with pytest.raises(ValueError, match="of a chart"), units.shown_in(units.Shown(time="µs")):
        raise ValueError("of a chart")
    assert units.format_seconds(0.25) == "250 ms"


def test_the_euro_has_a_rate_with_day_and_source():
    rate = exchange.rate("EUR")
    assert 0.5 < rate.usd_per_unit < 2
    assert rate.date == "2025-02-28"
    assert rate.source in catalogue.sources()
    with pytest.raises(ModelError, match="EUR"):
        exchange.rate("XYZ")

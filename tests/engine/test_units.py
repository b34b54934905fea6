"""Units: the factors of the one conversion table, and the short texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import units
from pagecost.errors import ModelError
from pagecost.studies import Column
from pagecost.units import UNITS, dimension, format_bytes, format_seconds, format_si, from_si, quantity, so_many, to_si

NARROW = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "unit", "si"),
    [
        (8.2, "ms", 0.0082),
        (25, "µs", 25e-6),
        (25, "us", 25e-6),
        (2, "ns", 2e-9),
        (1, "h", 3600),
        (1, "year", 31_536_000),
        (4, "KiB", 4096),
        (256, "KiB", 262_144),
        (1, "GiB", 1_073_741_824),
        (80, "GB", 80_000_000_000),
        (2, "PB", 2e15),
        (250, "MB/s", 250e6),
        (400, "Mbit/s", 50e6),
        (7200, "rpm", 120),
        (125, "1/s", 125),
        (60, "mW", 0.06),
        (9.4, "µJ", 9.4e-6),
        (1, "kWh", 3.6e6),
        (1, "in", 0.0254),
        (3, "1", 3),
    ],
)
def test_published_units_become_si(value, unit, si):
    assert to_si(value, unit) == pytest.approx(si, rel=1e-15)


def test_one_thing_is_singular_and_any_other_number_plural():
    assert [so_many(count, "line") for count in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]
    assert so_many(10_000, "page is", "pages are") == "10\N{NARROW NO-BREAK SPACE}000 pages are"
    assert so_many(1, "page is", "pages are") == "1 page is"


def test_a_decimal_number_of_milliseconds_picks_up_no_rounding():
    assert to_si(8.2, "ms") == 0.0082


@pytest.mark.parametrize("unit", UNITS)
def test_from_si_undoes_to_si(unit):
    assert from_si(to_si(12.34, unit), unit) == pytest.approx(12.34, rel=1e-14)
    assert to_si(1, unit) == pytest.approx(UNITS[unit].si, rel=1e-15)


def test_binary_and_decimal_bytes_are_different_units():
    assert to_si(1, "KiB") / to_si(1, "kB") == pytest.approx(1.024)
    assert "KB" not in UNITS


def test_an_unknown_unit_is_refused_with_the_known_ones():
    with pytest.raises(ModelError, match=r"unknown unit 'furlong'; nearest of \d+: "):
        to_si(1, "furlong")
    with pytest.raises(ModelError, match="unknown unit 'KB'"):
        dimension("KB")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (1000, "1 kB"),
        (4096, "4 KiB"),
        (1536, "1.5 KiB"),
        (2**20, "1 MiB"),
        (41e6, "41 MB"),
        (80e9, "80 GB"),
        (2e15, "2 PB"),
    ],
)
def test_bytes_are_binary_where_that_is_round_else_decimal(count, text):
    assert format_bytes(count) == text


def test_a_column_of_bytes_has_one_system_that_of_most_of_them():
    sizes = Column(np.array([4096.0, 160e3, 1048576.0, 8192.0]), "B", "size")
    assert sizes.cells() == ["4 KiB", "160 kB", "1 MiB", "8 KiB"]
    counted = Column(np.array([1.5 * 2**20, 2_510_000.0, 335_000.0, 0.0, 512.0, np.nan]), "B", "written")
    assert counted.cells() == ["1.57 MB", "2.51 MB", "335 kB", "0 B", "512 B", "–"]


def test_a_negative_number_of_bytes_is_refused():
    with pytest.raises(ModelError, match="must not be negative; got -1"):
        format_bytes(-1)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (250e-6, "250 µs"),
        (0.0124, "12.4 ms"),
        (0.9999, "1 s"),
        (1.5, "1.5 s"),
        (-0.002, "-2 ms"),
        (180, "3 min"),
        (7200, "2 h"),
        (5.47 * 31_536_000, "5.47 years"),
        (31_536_000, "1 year"),
    ],
)
def test_durations_read_naturally(seconds, text):
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (250e6, "B/s", "250 MB/s"),
        (9.4e-6, "J", "9.4 µJ"),
        (0.06, "W", "60 mW"),
        (12.5, "W", "12.5 W"),
        (0, "J", "0 J"),
        (4096, "B", "4 KiB"),
        (25e-6, "s", "25 µs"),
        (35_000, "1/s", f"35{NARROW}000 1/s"),
        (0.725, "1", "0.725"),
    ],
)
def test_si_values_get_a_fitting_prefix(value, unit, text):
    assert format_si(value, unit) == text


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("4k", "B", 4096),
        ("4KiB", "B", 4096),
        (" 4 kib ", "B", 4096),
        ("4GB", "B", 4_000_000_000),
        ("5m", "B", 5 * 2**20),
        ("1e3", "1", 1000),
        ("1_000", "pages", 1000),
        ("4k", "pages", 4000),
        ("1.5K", "1/s", 1500),
        ("250 ms", "s", 0.25),
        ("8.2ms", "s", 0.0082),
        ("8.2 mS", "s", 0.0082),
        ("2 Min", "s", 120),
        ("599 minutes", "s", 35_940),
        ("12.5 msec", "ms", 12.5),
        ("0.25 sec", "s", 0.25),
        ("250 \u03bcs", "ms", 0.25),
        ("4 mb", "B", 4_000_000),
        ("2 mib", "B", 2**21),
        ("250 mb/s", "B/s", 250_000_000),
        ("4 M", "m", 4),
        ("2 years", "year", 2),
        ("1 year", "h", 8760),
        ("7200rpm", "1/s", 120),
        ("70%", "1", 0.7),
        ("-3", "1", -3),
        (".5", "1", 0.5),
    ],
)
def test_a_number_is_read_as_people_write_it(text, unit, value):
    found = quantity(text, unit)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "unit", "why"),
    [
        ("4q", "B", "size: '4q' is no number of bytes; write it like 4096, 4k, 4KiB or 4GB"),
        ("-1k", "B", "size: '-1k' is negative; bytes are counted from 0"),
        ("1e400", "B", "size: '1e400' is too large"),
        ("1e999999999", "1", "size: '1e999999999' is no number; write it like 1000, 1k, 1e3 or 1_000"),
        ("4KB", "B", "size: '4KB' may be thousands or 1024s of bytes; write kB or KiB"),
        ("20.25 Ms", "s", "size: '20.25 Ms' begins with M for a million, m is for a thousandth; write ms"),
        ("20.25 MS", "ms", "size: '20.25 MS' begins with M for a million, m is for a thousandth; write ms"),
        ("5 MW", "W", "size: '5 MW' begins with M for a million, m is for a thousandth; write mW"),
        ("5 Mj", "J", "size: '5 Mj' begins with M for a million, m is for a thousandth; write mJ"),
        ("19.32m", "ms", "size: '19.32m' may be a thousandth or a million; write the unit in full, or e6"),
        ("10M", "s", "size: '10M' may be a thousandth or a million; write the unit in full, or e6"),
        ("5m", "W", "size: '5m' may be a thousandth or a million; write the unit in full, or e6"),
        ("4MB", "s", "size: '4MB' is no number of time; write it like 0.25, 250ms or 2h"),
        ("nan", "1", "size: 'nan' is no number; write it like 1000, 1k, 1e3 or 1_000"),
        ("inf", "1", "size: 'inf' is no number; write it like 1000, 1k, 1e3 or 1_000"),
        ("1,000", "1", "size: '1,000' is no number; write it like 1000, 1k, 1e3 or 1_000"),
        ("", "B", "size: '' is no number of bytes; write it like 4096, 4k, 4KiB or 4GB"),
        ("٣", "1", "size: '٣' is no number; write it like 1000, 1k, 1e3 or 1_000"),
    ],
)
def test_what_is_no_number_is_one_sentence(text, unit, why):
    with pytest.raises(ModelError) as error:
        quantity(text, unit, "size")
    assert str(error.value) == why


@given(st.integers(0, 2**62))
def test_a_whole_number_of_bytes_is_exact(count):
    assert quantity(str(count), "B") == quantity(f"{count}B", "B") == count


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (2.13e-5, "USD", "0.0000213 $"),
        (3.15e-8, "USD", "0.0000000315 $"),
        (4.008e-7, "1", "0.0000004008"),
        (8.2, "1", "8.2"),
        (0.819, "USD", "0.819 $"),
    ],
)
def test_small_amounts_and_shares_are_written_out(value, unit, words):
    assert units.format_cell(value, unit) == words


def test_prices_are_written_out_with_the_digits_that_they_have():
    assert [units.usd(price) for price in (5e6, 30000.0, 0.35)] == ["5\u202f000\u202f000 $", "30\u202f000 $", "0.35 $"]


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("page_bytes", "B"),
        ("bytes_per_s", "B/s"),
        ("written_bytes_per_s", "B/s"),
        ("transactions_per_s", "1/s"),
        ("usd_per_iops", "1"),  # dollars per 1/s
        ("usd_per_s", "1"),
        ("time_per_reference_s", "s"),
        ("iops", "1/s"),
        ("frames", "1"),
    ],
)
def test_the_end_of_a_name_says_its_unit(name, unit):
    assert units.unit_of(name) == unit

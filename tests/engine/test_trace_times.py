"""Times in trace files that are written with a power of ten: the same nanoseconds as exact decimal arithmetic."""

from decimal import ROUND_HALF_UP, Context, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.trace_files import saved
from pagecost.workload import traces
from pagecost.workload.traces.layouts import FILETIME_1970, TIME_UNITS_NS
from pagecost.workload.traces.times_kernels import MOST_TIME_NS

WIDE = Context(prec=100)


def arrivals_s(folder, content: str, format: str) -> list[float]:
    return traces.read(saved(folder, "a.csv", content), format).requests.arrival_s.tolist()


def columns(time_unit: str) -> str:
    return f"columns:time=0,offset=1,time_unit={time_unit},header=no"


@pytest.mark.parametrize(
    ("unit", "times", "steps_s"),
    [
        ("s", ("1.577808000000626000e+09", "1.577808000500626000e+09", "1.577808000900626000E9"), (0.5, 0.9)),
        ("ms", ("1.2345678e+06", "1.2345679e+06", "12345681e-1"), (0.0001, 0.0003)),
        ("us", ("1.2345678e+06", "1.2349999e+06", "1.2355678e6"), (432.1e-6, 0.001)),
        ("ns", ("1.577808000000626e+15", "1.577808000000627e+15", "15778080000016260e-1"), (1e-9, 1e-6)),
        ("filetime", ("1.28166372003061629e17", "1.28166372003061630e17", "1281663720030616315e-1"), (1e-7, 2.5e-7)),
    ],
)
def test_a_power_of_ten_takes_no_digit_away(tmp_path, unit, times, steps_s):
    content = "".join(f"{time},{at}\n" for at, time in enumerate(times))
    assert arrivals_s(tmp_path, content, columns(unit)) == pytest.approx([0.0, *steps_s], abs=1e-13)


def test_every_format_with_decimal_times_keeps_their_digits(tmp_path):
    own = "arrival_s,page\n1.234567890123e+04,7\n12345.678901230,8\n"
    assert arrivals_s(tmp_path, own, "csv") == [12345.67890123] * 2
    spc = "0,8,4096,r,1.234567890123e+04\n0,8,4096,r, 1234567890.12300e-5 ,x\n"
    assert arrivals_s(tmp_path, spc, "spc") == [12345.67890123, 12345.678901230]
    blkparse = "8,0 1 1 1.25e-3 7 Q R 8 + 8 [x]\n8,0 1 2 0.001250001 7 Q R 8 + 8 [x]\n"
    assert arrivals_s(tmp_path, blkparse, "blkparse") == [0.00125, 0.001250001]


@pytest.mark.parametrize("time", ["1.5e", "1.5e+", "1e3x", "1.2.3e4", "1x2e3", ".5e1", "e5", "1e1.5", "1.5x"])
def test_what_is_no_number_with_a_power_of_ten_is_refused(tmp_path, time):
    trace = traces.read(saved(tmp_path, "a.csv", f"0,0\n{time},0\n"), columns("s"))
    assert trace.tally.reasons == {"a number is expected where there is none": 1}


@pytest.mark.parametrize(
    "time", ["1e10", "9.1e9", "99999999999999999999", "1e400", "0.0001e15", "1e99999999999999999999"]
)
def test_what_is_beyond_the_longest_time_is_too_large(tmp_path, time):
    trace = traces.read(saved(tmp_path, "a.csv", f"0,0\n{time},0\n"), columns("s"))
    assert trace.tally.reasons == {"a number is too large": 1}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns", "filetime"])
def test_the_unit_of_times_with_a_power_of_ten_is_recognised_by_their_size(tmp_path, unit):
    in_2020 = 1_577_808_000 * 10**9 // TIME_UNITS_NS[unit] + (FILETIME_1970 if unit == "filetime" else 0)
    content = "".join(f"{in_2020 + step * 10**9 // TIME_UNITS_NS[unit]:.18e},0\n" for step in range(2))
    assert arrivals_s(tmp_path, content, "columns:time=0,offset=1") == [0.0, 1.0]


digits = st.text("0123456789", min_size=1, max_size=25)
numbers = st.builds(
    lambda whole, cut, mark, power: f"{whole}{cut}{mark}{power}",
    digits,
    st.one_of(st.just(""), digits.map(".{}".format)),
    st.sampled_from(["e", "E", "e+", "e-", "E-"]),
    st.integers(0, 40),
)


@settings(max_examples=300, deadline=None)
@given(numbers=st.lists(numbers, min_size=1, max_size=30), unit=st.sampled_from(["s", "ms", "us", "ns"]))
def test_any_power_of_ten_gives_the_nanoseconds_of_exact_arithmetic(tmp_path_factory, numbers, unit):
    whole = [int(Decimal(number)) for number in numbers]
    exact = [
        int(WIDE.multiply(Decimal(number), TIME_UNITS_NS[unit]).quantize(Decimal(1), ROUND_HALF_UP, WIDE))
        for number, units in zip(numbers, whole, strict=True)
        if units <= MOST_TIME_NS // TIME_UNITS_NS[unit]
    ]
    content = "0,0\n" + "".join(f"{number},0\n" for number in numbers)
    reading = traces.Reading(saved(tmp_path_factory.mktemp("times"), "a.csv", content), columns(unit))
    found = [arrival_s for piece in reading for arrival_s in piece.arrival_s.tolist()]
    assert found == [ticks / 1e9 for ticks in [0, *exact]]
    assert reading.tally.rejected_lines == len(numbers) - len(exact)

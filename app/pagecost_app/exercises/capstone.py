"""The exercises of lesson 15: from a measurement to a plan that can be defended."""

import random
from collections.abc import Callable, Iterator
from math import sqrt

from pagecost.economics import YEAR_S
from pagecost_app.exercises.kinds import Choice, Claim, Number, Order

PAGE_BYTES = 8192
SURE = 1.96  # standard deviations of a mean between which 95 % lie


def _draw_fio(dice: random.Random) -> dict:
    jobs, depth = dice.choice((2, 3, 4, 6)), dice.choice((8, 16, 32))
    return {"jobs": jobs, "depth": depth, "iops": dice.randrange(20_000, 300_000, 500)}


def _fio_us(jobs, depth, iops) -> float:
    """Mean time of a request [µs], by Little's law: of all jobs together so many are outstanding."""
    return 1e6 * jobs * depth / iops


def _draw_sizes(dice: random.Random) -> dict:
    small, large = sorted(dice.sample((4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048), 2))
    return {
        "small": small,
        "large": large,
        "fixed_us": dice.randrange(20, 400, 10),
        "rate": dice.choice((100, 200, 400, 800, 1600, 3000)),
        "spread": dice.choice((5, 10, 15, 20)),
    }


def _sizes_us(small, large, fixed_us, rate, **_) -> tuple[float, float]:
    """Mean times of both sizes [µs]: a fixed time and the transfer; rate: MB/s, which are bytes per µs."""
    return fixed_us + small * 1024 / rate, fixed_us + large * 1024 / rate


def _widths(**numbers) -> tuple[float, float]:
    """Half widths of the 95 % intervals of the fixed time and of the time per KiB, each over the number itself."""
    small, large, spread = numbers["small"], numbers["large"], numbers["spread"] / 100
    first, second = _sizes_us(**numbers)
    per_kib = 1024 / numbers["rate"]
    slope = SURE * spread * sqrt(first**2 + second**2) / (large - small) / per_kib
    fixed = SURE * spread * sqrt((large * first) ** 2 + (small * second) ** 2) / (large - small) / numbers["fixed_us"]
    return fixed, slope


def _clearly(**numbers) -> bool:
    """Whether both widths are far from the edge between found and not found."""
    return all(width < 0.6 or width > 1.3 for width in _widths(**numbers)) and min(_widths(**numbers)) < 0.6


def _found(fixed: bool, rate: bool) -> Callable[..., bool]:
    return lambda **numbers: tuple(width < 1 for width in _widths(**numbers)) == (fixed, rate)


def _steps_sizes(**numbers) -> Iterator[str]:
    first, second = _sizes_us(**numbers)
    yield f"{numbers['small']} KiB take {first:.4g} µs, {numbers['large']} KiB {second:.4g} µs, each ± " + (
        f"{SURE * numbers['spread']:.3g} % at 95 %."
    )
    fixed, slope = _widths(**numbers)
    for name, width in (("time per request", fixed), ("rate", slope)):
        end = "its interval leaves out 0, it is found" if width < 1 else "as good as anything: 0 is in its interval"
        yield f"So the {name} is known to ± {100 * width:.3g} %: {end}."


def _draw_endurance(dice: random.Random) -> dict:
    return {
        "tps": dice.randrange(50, 1500, 25),
        "pages": dice.randrange(3, 60) / 10,
        "years": dice.choice((3, 4, 5, 6, 7)),
        "amplification": dice.choice((1.6, 2.2, 2.7, 3.4)),
    }


def _endurance_tb(tps, pages, years, amplification=1.0, log: float = 1.0, page_bytes: int = PAGE_BYTES) -> float:
    """What is written in these years [TB]: pages written back and one write of the log a transaction."""
    return tps * (pages + log) * page_bytes * years * YEAR_S / 1e12


def _draw_unknown(dice: random.Random) -> dict:
    price = dice.randrange(60, 200, 5)
    return {
        "price": price,
        "other": dice.randrange(2 * price, 6 * price, 10),
        "watts": dice.choice((2, 3, 4, 5, 6)),
        "kwh": dice.choice((10, 15, 20, 30)),
        "years": dice.choice((4, 5, 6, 8)),
    }


def _energy_usd(watts, kwh, years) -> float:
    """Of so many watts all the time, at cents a kWh."""
    return watts * years * YEAR_S / 3.6e6 * kwh / 100


def _life_years(price, other, watts, kwh, years) -> float:
    """The life at which the cheap drive, bought again as it wears out, costs as much as the other one."""
    return price * years / (other + _energy_usd(watts, kwh, years))


def _draw_swings(dice: random.Random) -> dict:
    return {
        "count": dice.choice((1, 2, 4, 8)),
        "price": dice.randrange(80, 500, 10),
        "price_percent": dice.choice((2, 5, 10, 20)),
        "watts": dice.randrange(3, 12),
        "kwh_percent": dice.choice((20, 30, 40, 50)),
        "memory_gb": dice.choice((8, 16, 32, 64, 128)),
        "memory_percent": dice.choice((10, 20, 30)),
        "rate_percent": dice.choice((60, 70, 80)),
    }


def _swings(count, price, price_percent, watts, kwh_percent, memory_gb, memory_percent, rate_percent) -> dict:
    """How far the cost moves [USD] between the ends of each input: 5 years, 0.15 USD a kWh, 5 USD a GB."""
    return {
        "price": 2 * price_percent / 100 * count * price,
        "energy": 2 * kwh_percent / 100 * _energy_usd(count * watts, 15, 5),
        "memory": 2 * memory_percent / 100 * memory_gb * 5,
        "rate": 0.0,
    }


def _items_swings(count, price, price_percent, watts, kwh_percent, memory_gb, memory_percent, rate_percent) -> dict:
    return {
        "price": f"price of a drive, ± {price_percent} %",
        "energy": f"price of energy, ± {kwh_percent} %",
        "memory": f"price of memory, ± {memory_percent} %",
        "rate": f"transactions a second, ± {rate_percent} %",
    }


EXERCISES = (
    Number(
        "fio-in-sum",
        "fio ran {jobs} jobs at the same time, each with iodepth={depth}. In sum they did {iops} reads a second. How "
        "long did one read take on average?",
        "µs",
        draw=_draw_fio,
        reference=_fio_us,
        hints=(
            "How many reads were outstanding at every moment, of all jobs together?",
            "Little's law: outstanding = reads per second × mean time of one.",
        ),
        mistakes=(
            (
                lambda jobs, depth, iops: 1e6 / iops,
                "that is the time between two answers. Many reads were on their way at once, so each took longer.",
            ),
            (
                lambda jobs, depth, iops: 1e6 * depth / iops,
                "so many are outstanding of one job; the rate is that of all jobs.",
            ),
            (
                lambda jobs, depth, iops: 1e6 * jobs / iops,
                "that takes one read at a time of each job; iodepth says how many there are.",
            ),
        ),
        why="A rate is no time until one knows how many were outstanding.",
        steps=lambda jobs, depth, iops: (
            f"Outstanding: {jobs} × {depth} = {jobs * depth}.",
            f"{jobs * depth} / {iops} per second = {_fio_us(jobs, depth, iops):.4g} µs.",
        ),
    ),
    Choice(
        "what-two-sizes-say",
        "A device takes a fixed time for a request, and a time in proportion to its size. It was measured with two "
        "sizes: {small} KiB took {first_us} µs, {large} KiB {second_us} µs. Either mean is off by {spread} % (standard "
        "deviation). What do these two numbers say of the device? (An interval that has 0 in it says nothing.)",
        draw=_draw_sizes,
        usable=_clearly,
        show=lambda numbers: dict(
            zip(("first_us", "second_us"), (f"{each:.4g}" for each in _sizes_us(**numbers)), strict=True)
        ),
        options=(
            Claim(
                "The time per request and the rate.",
                _found(True, True),
                "one of them is lost in the spread. Move both means by twice {spread} %: which number may then be 0?",
            ),
            Claim(
                "Only the time per request.",
                _found(True, False),
                "work out the difference of both means, and how far it may be off: that decides on the rate.",
            ),
            Claim(
                "Only the rate.",
                _found(False, True),
                "draw the line through both means back to size 0, and ask how far its start may be off.",
            ),
        ),
        reasons=(
            Claim(
                "the small request is mostly fixed time, the large one mostly transfer.",
                _found(True, True),
                "compare them: how much of each mean is fixed time, against {spread} % of it?",
            ),
            Claim(
                "the transfer of both differs by less than the means may be off.",
                _found(True, False),
                "it does not: compare the difference of the means with {spread} % of each.",
            ),
            Claim(
                "the fixed time is less than the means of such large requests may be off.",
                _found(False, True),
                "how large is the fixed time beside {spread} % of the mean of {small} KiB?",
            ),
        ),
        hints=(
            "Two unknowns, two equations. Move each mean by twice its standard deviation, and solve again.",
            "What is a small part of both means cannot be found from them.",
        ),
        why="What is a small part of everything measured cannot be found: measure where it is a large one.",
        steps=_steps_sizes,
    ),
    Number(
        "endurance-needed",
        "{tps} transactions a second, day and night. Each writes {pages} pages of 8 KiB (8192 bytes) back on average, "
        "and one page to the log. Inside the drive {amplification} pages are programmed for each page that it is sent. "
        "For how many TB of writes (10^12 bytes) must its data sheet rate it, so that it lasts {years} years?",
        "TB",
        draw=_draw_endurance,
        reference=lambda tps, pages, years, amplification: _endurance_tb(tps, pages, years),
        hints=(
            "How many bytes does a transaction send to the drive, and how many seconds have so many years?",
            "A data sheet counts the bytes that the host sends. What the drive copies inside is in its rating already.",
        ),
        mistakes=(
            (
                lambda tps, pages, years, amplification: amplification * _endurance_tb(tps, pages, years),
                "the rating counts what the host writes; what the drive copies inside is in it already.",
            ),
            (
                lambda tps, pages, years, amplification: _endurance_tb(tps, pages, years, log=0.0),
                "the log is written to the drive, too: one page with every transaction.",
            ),
            (
                lambda tps, pages, years, amplification: _endurance_tb(tps, pages, 1),
                "that is one year.",
            ),
            (
                lambda tps, pages, years, amplification: _endurance_tb(tps, pages, years, page_bytes=4096),
                "these pages have 8192 bytes, not 4096.",
            ),
        ),
        why="The rating is a budget of bytes; a measured load says how fast it is spent.",
        steps=lambda tps, pages, years, amplification: (
            f"A second: {tps} × ({pages} + 1) × {PAGE_BYTES} bytes = {tps * (pages + 1) * PAGE_BYTES / 1e6:.4g} MB.",
            f"{years} years are {years * YEAR_S:.4g} s: {_endurance_tb(tps, pages, years):.4g} TB.",
        ),
    ),
    Order(
        "widest-swing",
        "A plan of {count} drive(s) of {price} dollars, {watts} W each all the time, and {memory_gb} GB of memory. It "
        "shall run 5 years, a kWh costs 0.15 dollars, a GB of memory 5 dollars. No target is missed at either end of "
        "these four intervals. Which moves the cost of the plan most?",
        draw=_draw_swings,
        items=_items_swings,
        sizes=_swings,
        first="the narrowest bar of the tornado first",
        unit="USD from end to end",
        mistakes=(
            (
                lambda price_percent, kwh_percent, memory_percent, rate_percent, **_: {
                    "price": price_percent,
                    "energy": kwh_percent,
                    "memory": memory_percent,
                    "rate": rate_percent,
                },
                "that is how uncertain they are. A bar is as long as the dollars that hang on it.",
            ),
        ),
        hints=(
            "Each bar: dollars of the whole plan that hang on this input, times the width of its interval.",
            "A drive works for 43 800 hours in five years. And what does the plan cost at another rate?",
        ),
        why="A tornado asks what hangs on a number, not how badly it is known.",
        steps=lambda **numbers: (
            f"{_items_swings(**numbers)[name]}: {swing:.4g} dollars from end to end."
            for name, swing in _swings(**numbers).items()
        ),
    ),
    Number(
        "price-of-not-knowing",
        "One drive costs {price} dollars, and nobody knows its endurance. The other costs {other} dollars, draws "
        "{watts} W all the time and lasts for all {years} years; a kWh costs {kwh} cents. The first draws nothing to "
        "speak of, and is bought again whenever it is worn out (count shares of a drive). Down to which life of the "
        "first is it the cheaper one?",
        "year",
        draw=_draw_unknown,
        reference=_life_years,
        hints=(
            "What does the second one cost in all these years, energy included?",
            "The first costs price × years / life.",
        ),
        mistakes=(
            (
                lambda price, other, watts, kwh, years: price * years / other,
                "the energy of the second one is missing: its watts, day and night.",
            ),
            (
                lambda **numbers: numbers["years"],
                "then it would not be bought again even once, and the other costs several times as much.",
            ),
            (
                lambda price, other, watts, kwh, years: (other + _energy_usd(watts, kwh, years)) / price,
                "so many of the first ones can be bought for the money. How long must each then last?",
            ),
        ),
        why="So long must it last; whether it does is worth finding out before signing.",
        steps=lambda price, other, watts, kwh, years: (
            f"Energy: {watts} W × {years} × 8760 h × {kwh} cents = {_energy_usd(watts, kwh, years):.4g} dollars.",
            f"The second: {other} + {_energy_usd(watts, kwh, years):.4g} dollars.",
            f"{price} × {years} / life is that much at {_life_years(price, other, watts, kwh, years):.4g} years.",
        ),
    ),
)

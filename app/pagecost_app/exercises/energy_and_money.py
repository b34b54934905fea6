"""The exercises of lesson 14: what an access costs in joules, and storage over the years in dollars."""

import math
import random
from collections.abc import Callable, Iterator

from pagecost.devices import energy
from pagecost.economics import YEAR_S, Endurance
from pagecost.economics.cost import Cost, break_even_s, energy_per_s
from pagecost_app.exercises.exercise import Axis
from pagecost_app.exercises.kinds import Choice, Claim, Curve, Flaw, Number

SHARES = (0.01, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0)  # of what the disk can do, where the curve is asked for


def _draw_curve(dice: random.Random) -> dict:
    return {
        "idle_w": dice.randrange(30, 81, 5) / 10,
        "more_w": dice.randrange(20, 71, 5) / 10,
        "read_ms": dice.randrange(50, 131) / 10,
    }


def _rates(idle_w, more_w, read_ms) -> tuple[float, ...]:
    """Reads a second."""
    return tuple(round(share * 1e3 / read_ms, 2) for share in SHARES)


def _joules_mj(idle_w, more_w, read_ms) -> list[float]:
    """Energy of a read with its share of the pauses [mJ]."""
    return [1e3 * float(energy.request_j(idle_w, idle_w + more_w, read_ms / 1e3, share)) for share in SHARES]


def _curve_steps(idle_w, more_w, read_ms) -> Iterator[str]:
    work = (idle_w + more_w) * read_ms
    seldom = idle_w * read_ms * (1 / SHARES[0] - 1)
    yield f"At work a read takes {idle_w + more_w:g} W × {read_ms:g} ms = {work:.4g} mJ, however many there are."
    yield f"Idle watts are shared by the reads: {idle_w:g} W × (time from read to read − {read_ms:g} ms)."
    yield f"At {SHARES[0]:.0%} of what it can do that adds {seldom:.4g} mJ to each, at 100 % nothing."
    yield "Half as many reads, twice the pauses for each: on two logarithmic scales a falling line that ends level."


def _draw_sleep(dice: random.Random) -> dict:
    return {
        "idle_w": dice.randrange(40, 91, 1) / 10,
        "sleep_w": dice.randrange(5, 21) / 10,
        "wake_w": dice.randrange(16, 29),
        "wake_s": dice.randrange(6, 16),
    }


def _sleep_s(idle_w, sleep_w, wake_w, wake_s) -> float:
    """Pause from which on sleep pays [s]: waking takes wake_w while it sleeps no more."""
    return energy.sleep_pays_s(idle_w, sleep_w, (wake_w - sleep_w) * wake_s)


def _draw_drives(dice: random.Random) -> dict:
    return {
        "dear": dice.randrange(1500, 6001, 100),
        "cheap": dice.randrange(500, 1401, 50),
        "dear_w": dice.randrange(5, 41),
        "cheap_w": dice.randrange(120, 401, 10),
        "pue": dice.choice((1.2, 1.4, 1.6, 1.8, 2.0)),
        "kwh": dice.choice((0.12, 0.15, 0.2, 0.25, 0.3)),
    }


def _lines(dear, cheap, dear_w, cheap_w, pue, kwh) -> tuple[Cost, Cost]:
    return Cost(dear, energy_per_s(dear_w, kwh, pue)), Cost(cheap, energy_per_s(cheap_w, kwh, pue))


def _break_even_years(**numbers) -> float:
    found = break_even_s(*_lines(**numbers))
    return math.inf if found is None else found / YEAR_S


def _break_even_steps(**numbers) -> Iterator[str]:
    saved_w = numbers["cheap_w"] - numbers["dear_w"]
    a_year = saved_w * numbers["pue"] * 8.76 * numbers["kwh"]
    yield f"{numbers['dear']} − {numbers['cheap']} = {numbers['dear'] - numbers['cheap']} dollars more to buy."
    yield f"{saved_w} W less × PUE {numbers['pue']} × 8.76 kWh for a W and year × {numbers['kwh']} dollars a kWh:"
    yield f"{a_year:.5g} dollars less a year."
    yield (
        f"{numbers['dear'] - numbers['cheap']} / {a_year:.5g} = "
        f"{(numbers['dear'] - numbers['cheap']) / a_year:.4g} years."
    )


def _draw_worn(dice: random.Random) -> dict:
    return {
        "capacity_gb": dice.choice((480, 800, 960, 1600, 1920, 3840, 7680)),
        "per_day": dice.choice((0.3, 0.5, 1, 3, 5, 10)),
        "warranty": dice.choice((3, 5)),
        "rate_mb_s": dice.randrange(10, 200, 2),
    }


def _worn_years(capacity_gb, per_day, warranty, rate_mb_s) -> float:
    """Years until the rated bytes are written."""
    written = per_day * capacity_gb * 1e9 * warranty * 365
    return Endurance(written, "").worn_s(rate_mb_s * 1e6) / YEAR_S


def _worn_steps(capacity_gb, per_day, warranty, rate_mb_s) -> Iterator[str]:
    rated_tb, year_tb = per_day * capacity_gb * warranty * 0.365, rate_mb_s * 31.536
    yield f"It may be written {per_day} × {capacity_gb} GB × 365 × {warranty} = {rated_tb:.5g} TB."
    yield f"{rate_mb_s} MB/s × 31 536 000 s are {year_tb:.5g} TB a year."
    yield f"{rated_tb:.5g} / {year_tb:.5g} = {rated_tb / year_tb:.4g} years."


SMALL, FAST = "disk", "ssd"


def _draw_bought(dice: random.Random) -> dict:
    return {
        "volume_tb": dice.choice((2, 5, 10, 20, 50, 100, 200)),
        "rate": dice.choice((100, 300, 1000, 3000, 10_000, 30_000, 100_000)),
        "disk_tb": dice.choice((4, 8, 18)),
        "disk_usd": dice.choice((120, 200, 350)),
        "disk_iops": dice.choice((100, 150, 200)),
        "ssd_tb": dice.choice((1, 2, 4)),
        "ssd_usd": dice.choice((150, 250, 400)),
        "ssd_iops": dice.choice((50_000, 100_000, 200_000)),
    }


class _Bought(dict):
    """Of "disk" and "ssd": how many its bytes ask for, how many the requests, and what the larger number costs."""

    def __init__(self, volume_tb, rate, **numbers):
        super().__init__()
        for kind in (SMALL, FAST):
            for_volume = math.ceil(volume_tb / numbers[f"{kind}_tb"])
            for_rate = math.ceil(rate / numbers[f"{kind}_iops"])
            self[kind] = (for_volume, for_rate, max(for_volume, for_rate) * numbers[f"{kind}_usd"])

    def wins(self, kind: str) -> bool:
        """Whether it is cheaper by a fifth at least."""
        other = SMALL if kind == FAST else FAST
        return self[kind][2] < 0.8 * self[other][2]

    def disks_for_rate(self) -> bool:
        """Whether it is the requests that the disks are bought for."""
        return self[SMALL][1] > self[SMALL][0]


def _bought(holds: Callable[[_Bought], bool]) -> Callable[..., bool]:
    return lambda **numbers: holds(_Bought(**numbers))


def _bought_steps(**numbers) -> Iterator[str]:
    for kind, (for_volume, for_rate, usd) in _Bought(**numbers).items():
        name = "disks" if kind == SMALL else "SSDs"
        yield (
            f"{name}: {for_volume} for {numbers['volume_tb']} TB, {for_rate} for {numbers['rate']} requests a second; "
            f"{max(for_volume, for_rate)} × {numbers[f'{kind}_usd']} = {usd} dollars."
        )


EXERCISES = (
    Curve(
        "joules-by-load",
        "A disk takes {load_w} W at work and {idle_w} W when it idles; a random read takes {read_ms:g} ms. Draw the "
        "energy of a read by the reads per second, its share of the idle time included, before you see it. The "
        "paper ends at what the disk can do at most.",
        draw=_draw_curve,
        show=lambda numbers: {"load_w": f"{numbers['idle_w'] + numbers['more_w']:g}"},
        x=lambda **numbers: Axis("reads", "1/s", 0.0, _rates(**numbers)[-1], positions=_rates(**numbers)),
        y=lambda **numbers: Axis(
            "energy of a read", "mJ", _joules_mj(**numbers)[-1] / 4, 3 * _joules_mj(**numbers)[0], logarithmic=True
        ),
        course=_joules_mj,
        mistakes=(
            (
                lambda **numbers: _joules_mj(**numbers)[::-1],
                "it goes the other way: the fewer reads there are, the more idle time each of them has to pay.",
            ),
            (
                lambda **numbers: [_joules_mj(**numbers)[-1]] * len(SHARES),
                "that is a read at work alone. The disk draws power between two reads as well, and nobody else pays.",
            ),
        ),
        hints=(
            "How long is the time from one read to the next, and what is drawn meanwhile?",
            "At 1 % of what it can do, a read has 99 pauses of its own length.",
        ),
        why="A device that idles at half of its watts is efficient only when it is busy.",
        steps=_curve_steps,
    ),
    Number(
        "sleep-pays",
        "A disk idles at {idle_w} W and sleeps at {sleep_w} W. To wake it takes {wake_s} s, in which it draws {wake_w} "
        "W in place of the {sleep_w}. From which length of the sleep on is less energy used than by idling as long? "
        "(The {wake_s} s come after it, and are paid beyond what sleep would take.)",
        "s",
        draw=_draw_sleep,
        reference=_sleep_s,
        steps=lambda idle_w, sleep_w, wake_w, wake_s: (
            f"Waking takes ({wake_w} − {sleep_w}) W × {wake_s} s = {(wake_w - sleep_w) * wake_s:.5g} J more.",
            f"Sleep saves {idle_w} − {sleep_w} = {idle_w - sleep_w:.4g} W.",
            f"{(wake_w - sleep_w) * wake_s:.5g} J / {idle_w - sleep_w:.4g} W = "
            f"{_sleep_s(idle_w, sleep_w, wake_w, wake_s):.4g} s.",
        ),
        hints=(
            "What does one sleep cost once, and what does each second of it save?",
            "Joules of waking over watts saved.",
        ),
        mistakes=(
            (
                lambda idle_w, sleep_w, wake_w, wake_s: (wake_w - sleep_w) * wake_s / idle_w,
                "a sleeping disk draws power, too: only the difference is saved.",
            ),
            (
                lambda idle_w, sleep_w, wake_w, wake_s: wake_w * wake_s / (idle_w - sleep_w),
                "only what waking takes beyond the power of sleep is extra.",
            ),
            (lambda wake_s, **_: wake_s, "so long it takes to wake; how long must it sleep to earn those joules?"),
        ),
        why="Between the requests of a database there are no such pauses: disks of a server never sleep.",
    ),
    Number(
        "dearer-but-cooler",
        "SSDs for a database cost {dear} dollars and draw {dear_w} W, the disks that do as much cost {cheap} "
        "dollars and draw {cheap_w} W. For each W the cooling and the power supplies draw more: PUE {pue}. A kWh costs "
        "{kwh} dollars, a year has 365 days. After how many years has the dearer purchase paid for itself?",
        "year",
        draw=_draw_drives,
        reference=_break_even_years,
        steps=_break_even_steps,
        hints=(
            "How much more is paid at the start, and how much less in a year?",
            "A watt for a year is 8.76 kWh, before cooling.",
        ),
        mistakes=(
            (lambda **numbers: _break_even_years(**numbers | {"pue": 1.0}), "the PUE multiplies all watts."),
            (
                lambda **numbers: _break_even_years(**numbers | {"cheap": 0}),
                "the disks cost something as well; only the difference has to be earned.",
            ),
            (
                lambda **numbers: _break_even_years(**numbers | {"dear_w": 0}),
                "the SSDs draw power, too: only the difference is saved.",
            ),
            (
                lambda dear, cheap, dear_w, cheap_w, pue, kwh: (dear - cheap) / ((cheap_w - dear_w) / pue * 8.76 * kwh),
                "the plug gives more than the devices take, not less: multiply by the PUE.",
            ),
        ),
        why="The straight lines of two costs cross at the difference of purchases over that of the running costs.",
    ),
    Number(
        "drive-writes-a-day",
        "An SSD of {capacity_gb} GB is rated for {per_day} drive writes a day over a warranty of {warranty} years. A "
        "database writes {rate_mb_s} MB/s to it, day and night. After how many years are its rated bytes written? "
        "(1 GB = 1000 MB, a year of 365 days.)",
        "year",
        draw=_draw_worn,
        reference=_worn_years,
        steps=_worn_steps,
        hints=(
            "How many bytes are those drive writes in all the warranty?",
            "Rated bytes over the bytes of a year.",
        ),
        mistakes=(
            (
                lambda **numbers: _worn_years(**numbers | {"warranty": 1}),
                "the drive writes are promised for each day of the whole warranty.",
            ),
            (
                lambda **numbers: _worn_years(**numbers | {"per_day": 1.0}),
                "that is one drive write a day.",
            ),
            (
                lambda warranty, **_: warranty,
                "that is the warranty. It ends earlier by years or by bytes, whichever comes first.",
            ),
        ),
        why="Drive writes a day, terabytes written and years at a rate are one number in three dresses.",
    ),
    Choice(
        "by-the-byte-or-the-access",
        "{volume_tb} TB are stored, and {rate} random requests a second come for them. A disk of {disk_tb} TB costs "
        "{disk_usd} dollars and does {disk_iops} requests a second; an SSD of {ssd_tb} TB costs {ssd_usd} dollars and "
        "does {ssd_iops}. Which are cheaper to buy, without redundancy?",
        draw=_draw_bought,
        options=(
            Claim(
                "The disks.",
                _bought(lambda bought: bought.wins(SMALL)),
                "count again: how many disks hold the volume, and how many bear the requests?",
            ),
            Claim(
                "The SSDs.",
                _bought(lambda bought: bought.wins(FAST)),
                "count again: how many SSDs hold the volume, and how many bear the requests?",
            ),
        ),
        reasons=(
            Claim(
                "the requests set the number of disks, and the arms cost more than the bytes on SSDs.",
                _bought(lambda bought: bought.wins(FAST) and bought.disks_for_rate()),
                "how many disks do the requests ask for, and how many does the volume?",
            ),
            Claim(
                "the requests set the number of disks, and even so their arms are cheaper than the bytes on SSDs.",
                _bought(lambda bought: bought.wins(SMALL) and bought.disks_for_rate()),
                "how many disks do the requests ask for, and what do all of them cost?",
            ),
            Claim(
                "the volume sets the number of both, and a byte on disk is the cheaper one.",
                _bought(lambda bought: bought.wins(SMALL) and not bought.disks_for_rate()),
                "how many disks does the volume ask for, and how many do the requests?",
            ),
            Claim(
                "an SSD costs less per request, and that alone decides.",
                lambda **_: False,
                "an SSD nearly always costs less per request; but bytes have to be bought, too.",
            ),
        ),
        usable=lambda **numbers: all(
            _Bought(**numbers)[kind][2] >= 2 * numbers[f"{kind}_usd"] for kind in (SMALL, FAST)
        ),
        hints=(
            "Each kind twice: devices for the volume, devices for the requests. The larger number is bought.",
            "Then times the price.",
        ),
        steps=_bought_steps,
    ),
    Flaw(
        "flaw-of-watts-and-dollars",
        among=("X6", "X11", "X12", "X13", "X15", "X24", "X27", "X29", "X30"),
        points=2,
        hints=(
            "Take one statement after the other: what follows from all but its last number?",
            "Percent of what? Watts or joules? Of 10¹⁵ or of 2⁵⁰ bytes?",
        ),
    ),
)

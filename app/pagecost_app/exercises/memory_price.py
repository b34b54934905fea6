"""The exercises of lesson 7: what a page in memory costs beside the accesses that it saves."""

import random
from collections.abc import Callable, Iterator

from pagecost import catalogue
from pagecost.economics import break_even_interval_s
from pagecost.studies.economics.five_minute_rule import PAIRS, interval_of
from pagecost_app.exercises.kinds import Choice, Claim, Number, Order

GB = 1e9
TIMES = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
YEARS = {"1997": "1997 disk", "2007": "2007 disk", "2018": "2018 disk"}


def _draw_later(dice: random.Random) -> dict:
    return {"page_kib": dice.randint(1, 256), "year": dice.choice(tuple(YEARS))}


def _later(page_kib, year) -> float:
    """Break-even interval before the disk of a later year [s]."""
    return interval_of(YEARS[year], page_kib * 1024)


def _show_later(numbers) -> dict:
    return {"then_s": f"{interval_of('1987 disk', numbers['page_kib'] * 1024):.3g}"}


def _draw_rent(dice: random.Random) -> dict:
    """A page that is read rarely enough to be too dear in memory."""
    while True:
        numbers = {
            "page_kib": dice.choice((4, 8, 16, 32)),
            "every_s": dice.choice((200, 300, 500, 900, 1800, 3600)),
            "memory_price": dice.choice((3, 5, 8)),
            "device_price": dice.choice((60, 90, 250, 400)),
            "iops": dice.choice((100, 200, 20_000, 90_000)),
        }
        ratio = _rent(**numbers)
        if 1.5 < ratio < 500:
            return numbers


def _rent(page_kib, every_s, memory_price, device_price, iops) -> float:
    """What the page costs in memory, over what its reads cost of the device."""
    return every_s / break_even_interval_s(page_kib * 1024, 1 / iops, device_price, memory_price / GB)


def _draw_years(dice: random.Random) -> dict:
    return {
        "memory_percent": dice.choice((20, 25, 30, 35)),
        "device_percent": dice.choice((5, 10, 15)),
        "access_percent": dice.choice((2, 5, 8, 10)),
        "years": dice.randint(8, 20),
    }


def _after_years(memory_percent, device_percent, access_percent, years) -> float:
    """Factor of the interval after some years of steady change."""
    yearly = (1 - device_percent / 100) / ((1 + access_percent / 100) * (1 - memory_percent / 100))
    return yearly**years


def _draw_frames(dice: random.Random) -> dict:
    return {
        "frames": dice.choice((1000, 2000, 5000)),
        "reads": dice.randrange(20, 100, 4),
        "writes": dice.randrange(5, 40, 3),
        "read_us": dice.choice((100, 150, 5000)),
        "write_us": dice.choice((400, 600, 6000)),
        "device_price": dice.choice((100, 200, 500)),
    }


def _dearest(page_bytes: int = 4096, reading: float = 1.0, writing: float = 1.0) -> Callable[..., float]:
    """Dearest price of memory [USD/GB] for frames that save so much work, as someone sees it who leaves a term out."""

    def price(frames, reads, writes, read_us, write_us, device_price):
        busy = (reading * reads * read_us + writing * writes * write_us) / 1e6
        return busy * device_price / (frames * page_bytes / GB)

    return price


def _steps_later(page_kib, year) -> Iterator[str]:
    pair = YEARS[year]
    disk = catalogue.device(PAIRS[pair][0])
    per_mb = interval_of(pair, 2**20) / (disk.price_usd / disk.value("random_read_iops"))
    yield f"In {year} a disk of {disk.price_usd:g} dollars did {disk.value('random_read_iops'):g} accesses a second."
    yield f"A MB of memory cost {1 / per_mb:.3g} dollars, so {page_kib} KiB {page_kib / 1024 / per_mb:.3g}."
    yield (
        f"The interval is price of the disk / accesses per second / price of the page in memory: "
        f"{_later(page_kib, year):.4g} s."
    )


def _steps_rent(page_kib, every_s, memory_price, device_price, iops) -> Iterator[str]:
    place, share = page_kib * 1024 * memory_price / GB, device_price / (every_s * iops)
    yield f"Its place: {page_kib * 1024} bytes × {memory_price} / 10^9 dollars = {place:.4g} dollars."
    yield f"Its reads: 1 / ({every_s} s × {iops} per second) of {device_price} dollars = {share:.4g} dollars."
    yield f"Place over reads: {place / share:.4g}."


def _steps_years(memory_percent, device_percent, access_percent, years) -> Iterator[str]:
    yearly = _after_years(memory_percent, device_percent, access_percent, 1)
    above, below = 1 - device_percent / 100, (1 + access_percent / 100) * (1 - memory_percent / 100)
    yield "The price of the drive stands above the line; accesses per second and the price of memory stand below it."
    yield f"In one year: {above:.2f} / {below:.4f} = {yearly:.6f}."
    yield f"That, {years} times over: {yearly:.6f}^{years} = {yearly**years:.4g}."


def _steps_dearest(frames, reads, writes, read_us, write_us, device_price) -> Iterator[str]:
    busy = (reads * read_us + writes * write_us) / 1e6
    yield f"Saved each second: {reads} × {read_us} µs + {writes} × {write_us} µs = {busy:.4g} s, a share of the drive."
    yield f"That is worth {busy:.4g} × {device_price} dollars = {busy * device_price:.4g} dollars."
    size_gb = frames * 4096 / GB
    yield f"It may buy {frames} × 4096 bytes = {size_gb:.4g} GB."
    yield f"{busy * device_price:.4g} / {size_gb:.4g} = {busy * device_price / size_gb:.4g} dollars for a GB."


def _draw_places(dice: random.Random) -> dict:
    return {
        "page_kib": dice.choice((4, 8, 16)),
        "every": dice.choice(tuple(TIMES)),
        "memory_price": dice.choice((3, 4, 5, 6, 8)),
        "flash_price": dice.choice((100, 200, 300, 400)),
        "flash_iops": dice.choice((20_000, 50_000, 90_000)),
        "flash_gb": dice.choice((500, 1000, 2000)),
        "disk_price": dice.choice((50, 80, 120)),
        "disk_iops": dice.choice((100, 150, 200)),
    }


def _costs(page_kib, every, memory_price, flash_price, flash_iops, flash_gb, disk_price, disk_iops) -> dict:
    """Dollars that a page costs in each place: its bytes, and the share of the drive that its reads keep busy."""
    gigabytes, every_s = page_kib * 1024 / GB, TIMES[every]
    return {
        "memory": gigabytes * memory_price,
        "flash": gigabytes * flash_price / flash_gb + flash_price / flash_iops / every_s,
        "disk": disk_price / disk_iops / every_s,
    }


def _cheapest(place: str) -> Callable[..., bool]:
    """Whether a place is the cheapest, by a tenth at least."""

    def holds(**numbers) -> bool:
        costs = _costs(**numbers)
        return all(costs[place] < 0.9 * cost for other, cost in costs.items() if other != place)

    return holds


def _steps_places(**numbers) -> Iterator[str]:
    for place, cost in _costs(**numbers).items():
        yield f"On {place}: {cost:.3g} dollars." if place != "memory" else f"In memory: {cost:.3g} dollars."


def _draw_drives(dice: random.Random) -> dict:
    return {
        **{f"price_{name}": dice.choice((40, 80, 150, 300, 600, 1200)) for name in "abcd"},
        **{f"iops_{name}": dice.choice((100, 200, 5000, 20_000, 80_000, 400_000)) for name in "abcd"},
    }


def _drives(worth: Callable[[float, float], float]) -> Callable[..., dict]:
    """Drive -> what it is ordered by, of its price and its accesses a second."""
    return lambda **numbers: {name: worth(numbers[f"price_{name}"], numbers[f"iops_{name}"]) for name in "abcd"}


EXERCISES = (
    Number(
        "interval-since-1987",
        "In 1987 a MB of memory cost 5000 dollars, and a disk of 30,000 dollars did 15 accesses a second: a page of "
        "{page_kib} KiB that was read every {then_s} s was as cheap in memory as on disk. At the prices and disks of "
        "{year}: how long may the time between two of its reads be?",
        "s",
        draw=_draw_later,
        reference=_later,
        within=2.2,
        hints=("Three things changed: the price of memory, that of a disk, and how many accesses it does.",),
        surprise="The interval follows the price of memory: it fell faster than a disk became cheaper and faster.",
        show=_show_later,
        steps=_steps_later,
    ),
    Number(
        "rent-of-a-page",
        "A page of {page_kib} KiB is read once every {every_s} s. Memory costs {memory_price} dollars per GB (10^9 "
        "bytes), a drive of {device_price} dollars does {iops} reads per second. What does the page's place in memory "
        "cost, as a ratio of the share of the drive that its reads keep busy?",
        "1",
        draw=_draw_rent,
        reference=_rent,
        steps=_steps_rent,
        hints=(
            "Each side in dollars: bytes × price of a byte, and the drive's price × the share of its time.",
            "Read once in T seconds, a page keeps 1 / (T · accesses per second) of the drive busy.",
        ),
        mistakes=(
            (lambda **numbers: 1 / _rent(**numbers), "that is the drive's share over the place in memory."),
            (lambda page_kib, **numbers: _rent(page_kib=1, **numbers), "that is for a page of 1 KiB."),
            (lambda iops, **numbers: _rent(iops=1, **numbers), "that drive does one access per second."),
            (
                lambda every_s, **numbers: _rent(every_s=1, **numbers),
                "that page is read every second; yours waits longer.",
            ),
        ),
    ),
    Number(
        "interval-after-years",
        "Each year memory becomes {memory_percent} % cheaper, a drive {device_percent} % cheaper, and it does "
        "{access_percent} % more accesses per second. By which factor has the break-even interval changed after "
        "{years} years?",
        "1",
        draw=_draw_years,
        reference=_after_years,
        steps=_steps_years,
        hints=(
            "The interval is a product. Which of the three stand above the line, and which below?",
            "One year: (1 − drive) / ((1 + accesses) · (1 − memory)). Then to the power of the years.",
        ),
        mistakes=(
            (
                lambda memory_percent, device_percent, access_percent, years: _after_years(
                    memory_percent, device_percent, access_percent, 1
                ),
                "that is one year.",
            ),
            (
                lambda memory_percent, device_percent, access_percent, years: _after_years(
                    memory_percent, 0, access_percent, years
                ),
                "drives became cheaper, too.",
            ),
            (
                lambda memory_percent, device_percent, access_percent, years: _after_years(
                    memory_percent, device_percent, 0, years
                ),
                "drives became faster, too: an access takes a smaller share of them.",
            ),
            (lambda **numbers: 1 / _after_years(**numbers), "the other way round: which of the prices divides?"),
        ),
    ),
    Number(
        "dearest-memory",
        "{frames} more frames of 4 KiB would save {reads} reads of {read_us} µs and {writes} write-backs of "
        "{write_us} µs each second, on a drive of {device_price} dollars. Up to which price of memory are they worth "
        "it? (1 GB are 10^9 bytes.)",
        "USD/GB",
        draw=_draw_frames,
        reference=_dearest(),
        steps=_steps_dearest,
        hints=(
            "Which share of the drive's time is saved, and what is it worth in dollars?",
            "That many dollars buy frames × 4096 bytes.",
        ),
        mistakes=(
            (_dearest(writing=0.0), "write-backs are saved, too."),
            (_dearest(reading=0.0), "reads are saved, too."),
            (_dearest(page_bytes=1), "a frame is 4096 bytes."),
        ),
    ),
    Choice(
        "place-of-a-page",
        "A page of {page_kib} KiB is read once every {every}. Memory costs {memory_price} dollars per GB; an SSD of "
        "{flash_gb} GB costs {flash_price} dollars and does {flash_iops} reads per second; a disk costs {disk_price} "
        "dollars and does {disk_iops}, and its bytes are as good as free. Where is the page cheapest?",
        draw=_draw_places,
        options=(
            Claim("In memory.", _cheapest("memory"), "its bytes in memory cost more than its few reads elsewhere."),
            Claim(
                "On the SSD.", _cheapest("flash"), "compare what its bytes cost with what its reads cost, three times."
            ),
            Claim("On the disk.", _cheapest("disk"), "each of its reads keeps the disk busy for milliseconds."),
        ),
        reasons=(
            Claim(
                "it is read so often that any drive's time for it is dearer than its bytes in memory.",
                _cheapest("memory"),
                "compute that: a read takes 1 / (reads per second) of a second, once every {every}.",
            ),
            Claim(
                "the SSD's reads are cheap enough, and its bytes are cheaper than those of memory.",
                _cheapest("flash"),
                "compute both: the bytes on the SSD, and the share of its time.",
            ),
            Claim(
                "it is read so rarely that only its bytes count, and those of a disk are the cheapest.",
                _cheapest("disk"),
                "compute that: even a rare read takes a disk 1 / (its reads per second) of a second.",
            ),
        ),
        hints=(
            "Three sums: the bytes in memory; the bytes on the SSD and its reads; the reads of the disk.",
            "Reads once every T seconds take 1 / (T × reads per second) of a drive.",
        ),
        steps=_steps_places,
    ),
    Order(
        "drives-by-interval",
        "Before which of these drives is a page kept in memory the longest? A: {price_a} dollars, {iops_a} reads per "
        "second; B: {price_b}, {iops_b}; C: {price_c}, {iops_c}; D: {price_d}, {iops_d}. Memory and page are the same.",
        draw=_draw_drives,
        items=lambda **numbers: {
            name: f"{name.upper()}: {numbers[f'price_{name}']} dollars, {numbers[f'iops_{name}']} reads per second"
            for name in "abcd"
        },
        sizes=_drives(lambda price, iops: price / iops),
        first="the shortest interval first",
        mistakes=(
            (
                _drives(lambda price, iops: iops / price),
                "the other way round: where an access is dear, memory is used.",
            ),
            (
                _drives(lambda price, iops: 1 / iops),
                "that is how slow they are; the interval asks what an access costs.",
            ),
            (_drives(lambda price, iops: price), "that is what they cost; the interval asks what an access costs."),
        ),
        hints=("What does one access per second of each drive cost?",),
        steps=lambda **numbers: (
            f"{name.upper()}: {numbers[f'price_{name}']} / {numbers[f'iops_{name}']} = {cost:.3g} dollars"
            for name, cost in _drives(lambda price, iops: price / iops)(**numbers).items()
        ),
    ),
)

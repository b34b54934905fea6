"""The five-minute rule of Gray and Putzolu 1987, and prices that fall at different speeds."""

import math

from pagecost.errors import require


def break_even_interval_s(page_bytes: float, read_s: float, device_price: float, memory_price_per_byte: float) -> float:
    """A page that is read at least once in this time [s] may as well be kept in memory.

    Keeping it costs page_bytes x memory_price_per_byte, reading it once in T takes read_s / T of a device. Raises
    ModelError for a page or a memory of nothing, and for a time or a price below 0.
    """
    for name, value in (("page_bytes", page_bytes), ("memory_price_per_byte", memory_price_per_byte)):
        require(value > 0, f"{name} must be above 0; got {value}")
    for name, value in (("read_s", read_s), ("device_price", device_price)):
        require(value >= 0, f"{name} must not be negative; got {value}")
    return device_price * read_s / (page_bytes * memory_price_per_byte)


def yearly_factor(first: float, last: float, years: float) -> float:
    """The factor by which something changes every year when it goes from one value to another in so many years.

    Raises ModelError unless all three are above 0.
    """
    require(first > 0 and last > 0 and years > 0, f"values and years must be above 0; got {first}, {last}, {years}")
    return (last / first) ** (1 / years)


def parity_years(dear: float, cheap: float, dear_factor: float, cheap_factor: float) -> float | None:
    """Years until the dearer price has fallen to the cheaper one, both by yearly factors; None if it never does.

    A conjecture, not a law: it takes both factors to stay as they are.
    """
    require(dear >= cheap > 0, f"the dear price must be at least the cheap one, which is above 0; got {dear}, {cheap}")
    require(dear_factor > 0 and cheap_factor > 0, f"factors must be above 0; got {dear_factor}, {cheap_factor}")
    if dear == cheap:
        return 0.0
    closing = math.log(cheap_factor / dear_factor)
    return math.log(dear / cheap) / closing if closing > 0 else None

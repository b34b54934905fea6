"""Amounts that people type for devices: `device=45, device=30`, `device=5/12`."""

import math
from collections.abc import Callable

from pagecost import catalogue
from pagecost.economics import Power
from pagecost.errors import known, require
from pagecost.studies.fields import Choice

CATALOGUE = "catalogue"
"""What is typed for no amounts of one's own."""


def amounts(read: Callable[[str], dict], typed: str) -> Choice:
    """The kind of an input of such amounts, the catalogue's or typed: what `read` can read. typed: an example."""
    return Choice(lambda: {CATALOGUE: "as in the catalogue"}, free=True, such=read, typed=typed, of_file=False)


def typed_prices(text: str) -> dict[str, float]:
    """Prices by device from `device=price, device=price`. Raises ModelError for the first part that is none."""
    return _typed(text, "prices", "AMOUNT, a number", lambda amounts: amounts[0] if len(amounts) == 1 else None)


def typed_failures(text: str) -> dict[str, float]:
    """Failures a year by device from `device=0.01, device=0.02`, or `0.01` of every device.

    Raises ModelError for the first part that is none.
    """
    if "=" not in text and (rate := _amount(text)) is not None:
        return dict.fromkeys(catalogue.devices(), rate)
    return _typed(text, "failures", "TIMES A YEAR, a number", lambda rates: rates[0] if len(rates) == 1 else None)


def typed_watts(text: str) -> dict[str, Power]:
    """Watts by device from `device=idle/load, device=idle/load`. Raises ModelError for the first part that is none."""

    def power(watts: list[float]) -> Power | None:
        return Power(*watts) if len(watts) == 2 and watts[0] <= watts[1] else None

    return _typed(text, "watts", "IDLE/LOAD, two rising numbers", power)


def _typed(text: str, what: str, form: str, value_of: Callable) -> dict:
    """`value_of(numbers)` by device from `device=number/number, …`; it is None where they cannot be."""
    if text.strip() in ("", CATALOGUE):
        return {}
    found: dict = {}
    for part in text.split(","):
        name, _, amounts = (piece.strip() for piece in part.partition("="))
        comma = bool(found) and "=" not in part and part.strip()[:1].isdecimal()
        require(not comma, f"{what}: a comma parts devices; write decimals with a point, as 1.5; got {text.strip()!r}")
        known("device", name, catalogue.devices())
        require(name not in found, f"{what}: {name} stands there twice; got {text.strip()!r}")
        numbers = [number for amount in amounts.split("/") if (number := _amount(amount)) is not None]
        found[name] = value_of(numbers) if len(numbers) == amounts.count("/") + 1 else None
        require(found[name] is not None, f"{what}: write {name}={form}; got {part.strip()!r}")
    return found


def _amount(text: str) -> float | None:
    """A number that is no less than 0 and finite; None where there is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None

"""What a currency is worth in dollars, with the day and the source: to show amounts, nothing computes with it."""

import csv
import functools
import math
from typing import NamedTuple

from pagecost.catalogue_tables import root
from pagecost.errors import known, require

TABLE = "exchange.csv"


class Rate(NamedTuple):
    """usd_per_unit: dollars for one of the currency, on `date` (ISO 8601), by a source of `sources.csv`."""

    usd_per_unit: float
    date: str
    source: str

    def said(self, sign: str) -> str:
        """The rate in words; sign: of the currency."""
        return f"1 {sign} = {self.usd_per_unit} $ on {self.date} ({self.source})"


@functools.cache
def rates() -> dict[str, Rate]:
    """The rates by the code of the currency. Raises ModelError for one that is no amount above 0."""
    with (root() / TABLE).open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["currency"]: Rate(float(row["usd_per_unit"]), row["date"], row["source"]) for row in rows}
    for code, rate in found.items():
        fits = math.isfinite(rate.usd_per_unit) and rate.usd_per_unit > 0
        require(fits, f"{TABLE}: the dollars for one {code} must be above 0; got {rate.usd_per_unit}")
    return found


def rate(code: str) -> Rate:
    """The rate of a currency. Raises ModelError that lists the known ones."""
    return rates()[known("currency with a rate", code, rates())]

"""What fields of many studies have in common, word for word."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated

from pydantic import Field

from pagecost.devices import ftl
from pagecost.economics import MOST_YEARS, Currency
from pagecost.errors import require
from pagecost.studies.fields import About, Choice, From, OfSystem, Steps, how_many
from pagecost.studies.study import StudyInputs
from pagecost.system import UPDATES, System
from pagecost.units import format_bytes, format_cell, format_years, grouped

SEED = Annotated[
    int,
    Steps(tuple(range(1, 11)), "1", lambda seed: f"seed {seed}"),
    Field(ge=1, le=2**31, title="Seed", description="Another seed draws other numbers, the same seed the same."),
]

NOFORCE, FORCE = UPDATES
STRATEGIES = {name: name for name in UPDATES}
STRATEGY: About = (
    Choice(lambda: STRATEGIES),
    OfSystem("log.update_strategy"),
    Field(title="Update strategy", description="FORCE writes every changed page at commit."),
)


def rising(what: str, least: int, most: int, values: tuple[int, ...]) -> tuple[int, ...]:
    """The values in order, each once, if all lie within least..most."""
    for value in values:
        require(least <= value <= most, f"a {what} must be {least}..{most}; got {value}")
    return tuple(sorted(set(values)))


def size_or_none(size: float) -> str:
    """A size [B] that may be left out: 16 MiB, none."""
    return format_bytes(size) if size else "none"


def per_second(rate: float) -> str:
    """A rate as people read it: 34 980, 435, 12.4."""
    return grouped(round(rate)) if rate >= 100 else f"{rate:.3g}"


def shares(*percent: float) -> tuple[float, ...]:
    """Stops of a slider over shares."""
    return tuple(number / 100 for number in percent)


def percent(share: float) -> str:
    """A share as a slider names it; what is below a hundredth is not said to be nothing."""
    return f"{100 * share:.3g}%" if 0 < share < 0.01 else f"{share:.0%}"


def unused_said(inputs: StudyInputs, unused: Iterable[tuple[tuple[str, ...], str]]) -> Iterator[str]:
    """What was set and changes nothing, and why, in sentences; unused: names of inputs, and why they change nothing.

    What is set is looked up without being read as an input.
    """
    given = inputs.model_dump(exclude_defaults=True)
    for names, why in unused:
        titles = [type(inputs).model_fields[name].title or name for name in names if name in given]
        if titles:
            yield f"Without effect: {', '.join(titles)}. {why}."


def horizon(description: str, *beyond: float, title: str = "Runtime") -> About:
    """The kind of input that says for how long; `beyond` ten years, further stops."""
    return (
        Steps((1.0, 3.0, 5.0, 7.0, 10.0, *beyond), "year", format_years),
        OfSystem("economics.horizon_years"),
        Field(gt=0, le=MOST_YEARS, title=title, description=description),
    )


def energy_price(description: str, *, own_currency: bool = False) -> About:
    """The kind of input that says what energy costs: dollars, or so many of what the input `currency` names.

    A rupiah is less than a ten-thousandth of a dollar, so that a kWh may cost thousands of a currency.
    """
    shown = (lambda amount: f"{amount:g} a kWh") if own_currency else partial(format_cell, unit="USD/kWh")
    path = "economics.price_usd_per_kwh"
    return (
        Steps((0.05, 0.1, 0.15, 0.2, 0.3, 0.5), "USD/kWh", shown),
        OfSystem(path, money_of="currency", amount=_energy_price_in) if own_currency else OfSystem(path),
        Field(ge=0, le=1e6 if own_currency else 100, title="Price of energy", description=description),
    )


def _energy_price_in(system: System, money: str) -> float:
    return Currency.read(money).of_usd(system.economics.price_usd_per_kwh)


def share_of_reads(description: str) -> About:
    """The kind of input that says how many of the requests read."""
    return (
        Steps(shares(0, 25, 50, 70, 80, 90, 100), "1", lambda share: f"{share:.0%} reads"),
        OfSystem("load.read_share"),
        Field(ge=0, le=1, title="Share of reads", description=description),
    )


WORKLOAD = Annotated[
    str,
    Choice(lambda: ftl.KINDS),
    Field(title="Workload", description="Which pages the host overwrites, one at a time."),
]
HOT_SHARE = Annotated[
    float,
    Steps(shares(5, 10, 20, 30, 40, 50), "1", lambda share: f"{share:.0%} of the pages"),
    Field(gt=0, lt=1, title="Hot pages", description="Share of the pages that is hot (hot and cold only)."),
]
HOT_WRITES = Annotated[
    float,
    Steps(shares(50, 60, 70, 80, 90, 95), "1", lambda share: f"{share:.0%} of the writes"),
    Field(gt=0, lt=1, title="Hot writes", description="Share of the writes that the hot pages get."),
]
PAGES_PER_BLOCK = Annotated[
    int,
    Steps((16, 32, 64, 128, 256), "pages", how_many("pages")),
    From("wang2011 Table 1"),
    Field(ge=4, le=1024, title="Pages per block", description="Pages that are erased together."),
]


def spare(*stops: float, ge: float = 0.05) -> About:
    """The kind of input that says how much of the flash the host never sees."""
    return (
        Steps(stops, "1", percent),
        Field(
            ge=ge,
            le=0.9,
            title="Spare space",
            description="Share of the flash that the host never sees: 1 - logical / physical pages.",
        ),
    )

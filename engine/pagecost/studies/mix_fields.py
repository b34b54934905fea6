"""Inputs that choose a mix of TPC-C: one by its name or as typed, or several, one of them typed."""

from pydantic import Field

from pagecost.studies.fields import About, Choice, Choices, From, Group, OfSystem
from pagecost.workload.tpcc import MIX_TITLES, parts_of

OWN_MIX = "own"
TITLES = {**MIX_TITLES, OWN_MIX: "your own"}
LEAST = "new-order=45,payment=43,order-status=4,delivery=4,stock-level=4"
"""The least shares that the specification asks for (clause 5.2.3), with New-Order as the rest."""


def mixes(most: int, description: str, *about) -> About:
    """The kind of input that names several mixes, one's own among them, whose shares stand in `OWN_SHARES`."""
    return (
        Choices(lambda: TITLES, most=most, noun="mix"),
        OfSystem("load.mix"),
        *about,
        Field(min_length=1, title="Mixes", description=description),
    )


OWN_SHARES: About = (
    Choice(
        lambda: {LEAST: "45, 43, 4, 4, 4 %, as TPC-C asks"},
        free=True,
        typed="new-order=50,payment=50",
        of_file=False,
        such=parts_of,
    ),
    From("lee2009 slide 12"),
    Group("A mix of your own"),
    Field(
        title="Your own mix", description="Percent of each type of transaction; where 'your own' is among the mixes."
    ),
)


def mix(*about) -> About:
    """The kind of input that is one mix, by its name or as typed."""
    return (
        Choice(
            lambda: dict(MIX_TITLES),
            free=True,
            typed="new-order=50,payment=50",
            of_file=False,
            such=parts_of,
            noun="TPC-C mix",
        ),
        OfSystem("load.mix"),
        *about,
    )

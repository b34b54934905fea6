"""How claims on what a response time of the transaction system is made of, and on its growth, are measured."""

from collections.abc import Mapping, Sequence

from pagecost.claims.answers import answer
from pagecost.claims.transaction_measures import transactions
from pagecost.errors import ModelError

RESPONSE = "response_s"


def mostly(
    study: str,
    series: str,
    x: float,
    terms: Sequence[str],
    than: float,
    since: float | None = None,
    set: Mapping | None = None,
) -> str:
    """Whether more than a share `than` of a response time is made of some terms: "mostly" or "not mostly".

    since: of its rise from that x on. Raises ModelError where it does not rise.
    """

    def grown(column: str | Sequence[str]) -> float:
        now = transactions(study, series, x, column, set)
        return now if since is None else now - transactions(study, series, since, column, set)

    whole = grown(RESPONSE)
    if whole <= 0:
        raise ModelError(f"{study}: the response time of {series} does not rise from {since} to {x}")
    return "mostly" if grown(list(terms)) > than * whole else "not mostly"


def steeper(study: str, series: str, than: str, x: float, since: float, set: Mapping | None = None) -> str:
    """Whether a response time rises more from `since` to x than that of another series: "steeper" or "not"."""

    def rise(name: str) -> float:
        return transactions(study, name, x, RESPONSE, set) - transactions(study, name, since, RESPONSE, set)

    return "steeper" if rise(series) > rise(than) else "not"


def largest_gain(
    study: str, x: float, base: str, part: str, whole: str, than: float = 0.5, set: Mapping | None = None
) -> str:
    """Whether `part` alone brings more than a share of what `whole` saves on `base`: "the larger part" or "not"."""
    response_s = {name: transactions(study, name, x, RESPONSE, set) for name in (base, part, whole)}
    gained = response_s[base] - response_s[part]
    return "the larger part" if gained > than * (response_s[base] - response_s[whole]) else "not"


def largest_fall(
    study: str, changes: Mapping[str, Sequence[str]], buffer_pages: int, set: Mapping | None = None
) -> str:
    """The name whose second level loses most hits from its first configuration to its second, of multi_level_hits."""
    lost = {name: hits_between(study, one, other, buffer_pages, set) for name, (one, other) in changes.items()}
    return max(lost, key=lost.__getitem__)


def hits_between(study: str, one: str, other: str, buffer_pages: int, set: Mapping | None = None) -> float:
    """Hits of the second level [points] of one configuration of multi_level_hits less those of another."""
    result = answer(study, values=set)
    found = [result["second_hits"][result.rows(configuration=name, buffer_pages=buffer_pages)] for name in (one, other)]
    return float(100 * (found[0] - found[1])[0])


def order_of_gaps(study: str, gaps: Mapping[str, Sequence[str]], x: float, set: Mapping | None = None) -> str:
    """Names by falling difference of the response times of two series: "disk > ssd > nvem"."""
    difference_s = {
        name: transactions(study, one, x, RESPONSE, set) - transactions(study, other, x, RESPONSE, set)
        for name, (one, other) in gaps.items()
    }
    return " > ".join(sorted(difference_s, key=lambda name: -difference_s[name]))

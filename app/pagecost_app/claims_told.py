"""A claim and its verdict in words: what the report, the app's page and the site say of it, each in its own dress."""

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pagecost import catalogue
from pagecost.claims import KINDS, PAPERS, Claim, Verdict, alternatives, claims, papers
from pagecost.claims.checking import Rival
from pagecost.claims.fitted import choices
from pagecost.provenance import versions
from pagecost.units import UNITS

OUTCOMES = {
    "sound": "holds, and is evidence: predicted, no rival meets it, nothing fitted or assumed decides it",
    "holds": "holds, and is no evidence: put in, arithmetic, a mechanism, fitted or conditional, or said twice",
    "not informative": "holds, and so does a simpler explanation",
    "undecided": "chance does not let it be said",
    "fails": "does not hold",
    "unchecked": "not checked",
}
"""What a line can come to, in the order of worth; a page has a sign for each."""
SIGNS = dict(zip(OUTCOMES, "●•○◐✕–", strict=True))
SCALES = {
    "s": ("year", "s", "ms", "µs", "ns"),
    "B": ("GB", "MiB", "KiB", "B"),
    "B/s": ("MB/s", "kB/s", "B/s"),
    "W": ("W", "mW"),
    "J": ("J", "mJ", "µJ"),
}
DRAWN = ("Fig", "Table")  # how the places begin that a chart can stand beside
EXACT = 1e-6  # a tolerance below this share of the value only forgives rounding
BAND_ROOM = 2.5  # tolerances to each side of the stated value that a picture shows at least
MOST_ROOM = 12.0  # and at most: what lies further out stands at its edge


def outcome(verdict: Verdict) -> str:
    """Which of `OUTCOMES` a verdict is."""
    if verdict.status != "holds":
        return verdict.status
    if verdict.sound:
        return "sound"
    return "not informative" if verdict.kind == "predicted" and not verdict.informative else "holds"


def called(paper: str) -> str:
    """A paper by its first author and year: Rahm 1992."""
    source = catalogue.sources()[paper]
    return f"{source.authors.split(';')[0].split(' (')[0].split()[-1]} {source.year}"


def places(claim: Claim) -> list[str]:
    """Where in its paper a claim stands; the first is where it is listed."""
    return claim.place.split(", ")


def shown_at(claim: Claim) -> str:
    """The figure or table that a claim is about, the first of several; where it names none, its section."""
    found = places(claim)
    return next((place for place in found if place.startswith(DRAWN)), found[0])


def heading(paper: str, place: str) -> str:
    """What the place is called or about; empty where that is not described."""
    return PAPERS[paper].get("places", {}).get(place, "")


def by_place(verdicts: Iterable[Verdict], every: bool = False) -> dict[str, list[Verdict]]:
    """Verdicts of one paper by the first of their places, in the order in which the paper has them.

    every: by each of their places, so that a line of a section stands at its figure as well.
    """
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        for place in places(verdict.claim)[: None if every else 1]:
            found.setdefault(place, []).append(verdict)
    order = list(PAPERS[next(iter(found.values()))[0].claim.paper].get("places", {})) if found else []
    return dict(sorted(found.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order)))


def items(verdicts: Sequence[Verdict]) -> list[Mapping]:
    """The items of the papers that the verdicts are about, each with its paper and the verdicts on its lines."""
    papers = {verdict.claim.paper for verdict in verdicts}
    of_item: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        of_item.setdefault((verdict.claim.paper, verdict.claim.item), []).append(verdict)
    return [
        {"missing": "", **item, "paper": paper, "verdicts": of_item.get((paper, item["id"]), [])}
        for paper in PAPERS
        if paper in papers
        for item in PAPERS[paper].get("item", ())
    ]


def contradictions(asked: Iterable[str]) -> list[Mapping]:
    """Where these papers contradict themselves or each other."""
    known = set(asked)
    return [each for each in papers.contradictions() if known & set(each["papers"])]


def of_patterns(patterns: Iterable[str]) -> list[Claim]:
    """The claims whose ids are meant, * standing for any text."""
    wanted = list(patterns)
    return [claim for claim in claims() if any(fnmatch.fnmatchcase(claim.id, each) for each in wanted)]


@dataclass(frozen=True)
class Reproduced:
    """A place of a paper that a study reproduces, and the claims that ask it."""

    study: str
    paper: str
    place: str
    claims: tuple[Claim, ...]

    def words(self, records: Mapping[str, Mapping]) -> str:
        """How much of it holds, of the verdicts that are kept (`claims.kept`)."""
        found = [records[claim.id]["verdict"]["status"] for claim in self.claims if claim.id in records]
        where = f"{called(self.paper)}, {self.place}"
        lines = f"{len(self.claims)} line{'s' if len(self.claims) > 1 else ''}"
        if not found:
            return f"{where}: {lines}, not checked here yet"
        rest = "" if len(found) == len(self.claims) else f" ({len(self.claims) - len(found)} not checked yet)"
        return f"{where}: {found.count('holds')} of {lines} hold{'s' if len(self.claims) == 1 else ''}{rest}"


def reproduced(study: str) -> list[Reproduced]:
    """What of the papers a study reproduces: figures and tables, then sections of which lines name none; by lines."""
    found: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims():
        if claim.study == study and not claim.repeats:
            found.setdefault((claim.paper, shown_at(claim)), []).append(claim)
    made = [Reproduced(study, paper, place, tuple(lines)) for (paper, place), lines in found.items()]
    return sorted(made, key=lambda each: (not each.place.startswith(DRAWN), -len(each.claims)))


def scale(claim: Claim) -> tuple[float, str]:
    """By what to divide values of a claim, and the unit that they are then in: 5e-05 s are read as 50 µs."""
    if isinstance(claim.used, str) or claim.unit in ("1", "text"):
        return 1.0, ""
    for symbol in SCALES.get(claim.unit, ()):
        if abs(claim.used) >= UNITS[symbol].si:
            return UNITS[symbol].si, "years" if symbol == "year" else symbol
    return 1.0, claim.unit


def value(claim: Claim, found: str | float | None) -> str:
    """A value of a claim, given in its unit, with four digits."""
    if found is None or isinstance(found, str):
        return found or "–"
    size, unit = scale(claim)
    scaled = found / size
    number = f"{scaled:.0f}" if 1e4 <= abs(scaled) < 1e15 else f"{scaled:.4g}"
    return f"{number} {unit}".strip()


def stated(claim: Claim) -> str:
    """What the paper prints; with its unit where a bare number is printed."""
    if isinstance(claim.stated, str):
        return claim.stated
    return f"{claim.stated:g} {claim.unit}" if claim.unit not in ("1", "text") else f"{claim.stated:g}"


def measured(verdict: Verdict) -> str:
    """What came out, with the interval of its mean where chance has a part."""
    claim, found = verdict.claim, value(verdict.claim, verdict.measured)
    if not verdict.seeds or verdict.interval is None or verdict.low == verdict.high:
        return found
    size, (low, high) = scale(claim)[0], verdict.interval
    return f"{found} [{low / size:.4g}, {high / size:.4g}]"


def facts(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """All that is known of a line, as pairs of a name and a sentence."""
    claim = verdict.claim
    yield "stated", stated(claim) + (f", “{claim.anchor}”" if claim.anchor else "")
    if claim.used != claim.stated and claim.measure:
        yield "as used", value(claim, claim.used)
    if verdict.measured is not None:
        of = f", the mean of {len(verdict.seeds)} seeds, with the 95 % interval" if len(verdict.seeds) > 1 else ""
        yield "comes out", measured(verdict) + of
    if claim.tolerance is not None:
        within = f"± {value(claim, claim.tolerance)}" if _has_width(claim) else "equal"
        yield "holds within", f"{within}: {claim.tolerance_reason}"
    yield "verdict", verdict_words(verdict)
    kind = f"{verdict.kind}: {KINDS[verdict.kind]}"
    yield "kind", kind if verdict.kind == claim.kind else f"{kind} (the line calls itself {claim.kind})"
    if verdict.rests_on:
        yield "rests on", "; ".join(_grouped((*_owned(name), _why(name)) for name in verdict.rests_on))
    if verdict.robust_to:
        yield f"{verdict.status} as well", "; ".join(_others(claim, name) for name in verdict.robust_to)
    if verdict.unverified:
        yield "from general knowledge", "; ".join(_grouped((*_owned(name), "") for name in verdict.unverified))
    if verdict.rivals:
        yield "rivals", "; ".join(rival_words(claim, rival) for rival in verdict.rivals)
    elif claim.rivals:
        yield "rivals", "; ".join(map(change, claim.rivals))
    if claim.control:
        yield "must fail", change(claim.control)
    if claim.repeats:
        yield "says the same as", f"{claim.repeats}, which is counted"
    if claim.measure:
        yield "measured by", _measure(claim)
    if claim.note:
        yield "note", claim.note
    if verdict.status != "unchecked":
        yield "with", ", ".join(f"{name} {version}" for name, version in versions().items())


def verdict_words(verdict: Verdict) -> str:
    """The verdict, with what to know of it."""
    what = outcome(verdict)
    if what == "fails":
        return "fails, as is known" if verdict.claim.expected == "fails" else "fails, which was not expected"
    if what == "not informative":
        return "holds, but says little: a rival passes too" if verdict.rivals else "holds, but no rival was tried"
    return {"sound": "holds, and is evidence", "unchecked": "not checked"}.get(what, what)


def read(name: str) -> str:
    """A name of something that a run reads, in words: command_s of mtron-pro-7500."""
    owner, what = _owned(name)
    return f"{what} of {owner}"


def _owned(name: str) -> tuple[str, str]:
    """Whose a thing is that a run read, and what: a device and its number, or a study and its input."""
    kind, _, rest = name.partition(":")
    owner, _, what = rest.partition(".") if kind == "input" else rest.rpartition(".")
    return owner, what.replace("=", " = ")


def _why(name: str) -> str:
    """Whether what was read is fitted or assumed, and why it is."""
    for choice in choices():
        pattern = choice.reads if "=" in choice.reads else f"{choice.reads}*"
        if fnmatch.fnmatchcase(name, pattern):
            return f"{choice.kind}: {choice.reason}"
    return "fitted"


def _others(claim: Claim, name: str) -> str:
    """What was asked in the place of something fitted or assumed, and why that is what it is."""
    asked = " or ".join(map(change, alternatives.of(claim, name)))
    _, is_said, chosen = name.partition("=")
    return asked + (f", not {chosen}" if is_said else "") + f" ({_why(name)})"


def _grouped(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """Owner, thing and reason as few words: everything of one owner that has one reason together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for owner, what, why in found:
        groups.setdefault((owner, why), []).append(what)
    return [f"{', '.join(each)} of {owner}" + (f" ({why})" if why else "") for (owner, why), each in groups.items()]


def rival_words(claim: Claim, rival: Rival) -> str:
    """A simpler explanation, what it gives, and whether it would have passed."""
    named = change(rival.change) if rival.name == "rival" else rival.name
    passes = "which would have passed too" if rival.passes else "which fails"
    return f"{named} gives {value(claim, rival.measured)}, {passes}"


def change(changed: Mapping) -> str:
    """A control or a rival: what is changed."""
    said = []
    if "device" in changed:
        other = f"= {_plain(changed['to'])}" if "to" in changed else f"× {changed['factor']:g}"
        said.append(f"{changed['parameter']} of {changed['device']} {other}")
    said += [f"{name} taken as {_plain(given)}" for name, given in changed.get("constants", {}).items()]
    said += [f"{other} in the place of {name}" for name, other in changed.get("swap", {}).items()]
    if "algorithm_1" in changed:
        said.append(f"the typed-in table × {changed['algorithm_1']:g}")
    said += [f"asked with {name} = {_plain(given)}" for name, given in changed.get("set", {}).items()]
    said += [f"measured with {name} = {_plain(given)}" for name, given in changed.get("arguments", {}).items()]
    if "value" in changed:
        said.append(f"the value {changed['value']}")
    if "tolerance" in changed:
        said.append(f"told within ± {changed['tolerance']:g}")
    said += [name for name, given in changed.items() if given is True]
    words = ", ".join(said)
    return f"{changed['name']}: {words}" if words and "name" in changed else words or changed.get("name", "")


def _plain(given) -> str:
    if isinstance(given, Mapping):
        return ", ".join(f"{name} {each}" for name, each in given.items())
    return ", ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)


def _measure(claim: Claim) -> str:
    arguments = {name: given for name, given in claim.measure.items() if name != "measure"}
    told = ", ".join(f"{name} = {_plain(given)}" for name, given in arguments.items())
    return claim.measure["measure"] + (f" ({told})" if told else "")


def _has_width(claim: Claim) -> bool:
    """Whether the tolerance is more than rounding."""
    return not isinstance(claim.used, str) and (claim.tolerance or 0.0) > EXACT * abs(claim.used)


@dataclass(frozen=True)
class Picture:
    """The numbers of a claim that are drawn, in a readable unit. band: where it holds. rivals: name and value."""

    unit: str
    used: float
    band: tuple[float, float]
    measured: float | None
    interval: tuple[float, float] | None
    rivals: tuple[tuple[str, float], ...]
    start: float
    end: float

    def share(self, found: float) -> float:
        """Where a value stands between start and end, 0 .. 1; at the edge if it is outside."""
        return min(1.0, max(0.0, (found - self.start) / (self.end - self.start)))


def picture(verdict: Verdict) -> Picture | None:
    """What is drawn of a line; None where it is about words."""
    claim = verdict.claim
    if isinstance(claim.used, str) or claim.tolerance is None:
        return None
    size, unit = scale(claim)
    found = verdict.measured if isinstance(verdict.measured, int | float) else None
    least = claim.tolerance if _has_width(claim) else abs(claim.used) / 10 or 1.0
    ends = [end for end in (found, *(verdict.interval or ())) if end is not None]
    half = max([BAND_ROOM * least, *(1.15 * abs(end - claim.used) for end in ends)])
    half = min(half, MOST_ROOM * least)
    return Picture(
        unit=unit,
        used=claim.used / size,
        band=((claim.used - claim.tolerance) / size, (claim.used + claim.tolerance) / size),
        measured=None if found is None else found / size,
        interval=None if verdict.interval is None else (verdict.interval[0] / size, verdict.interval[1] / size),
        rivals=tuple((r.name, r.measured / size) for r in verdict.rivals if isinstance(r.measured, int | float)),
        start=(claim.used - half) / size,
        end=(claim.used + half) / size,
    )

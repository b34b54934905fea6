"""What is a trace like, before any replacement policy runs?"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from pagecost.studies.buffer import buffer_fields
from pagecost.studies.fields import Choice, Group, OfSystem
from pagecost.studies.finding import Finding, found, whole
from pagecost.studies.study import Column, Fact, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_cell, format_seconds, grouped
from pagecost.workload import Insight, Profile, sources, traces
from pagecost.workload.insight import interval_limits
from pagecost.workload.loads import DEBIT_CREDIT

BY_CONTENT = "by-content"
POINTS = 48  # of the curves of windows and ranks
FOLLOWS_ZIPF = 0.05  # the largest distance of a trace's shares from a law that it can be said to follow
KINDS = {"only read": "pages only read", "only written": "pages only written", "read and written": "pages with both"}


class Inputs(StudyInputs):
    """Which trace is looked at, and how a file is understood."""

    trace: Annotated[
        str,
        Choice(sources.titles, free=True),
        OfSystem("load.source"),
        Field(title="Trace", description="A recording or load that comes with pagecost, or the path of a trace file."),
    ] = "sqlite-order-entry"
    trace_format: Annotated[
        str,
        Choice(
            lambda: (
                {BY_CONTENT: "told by its first lines"}
                | {name: f"{format.title} ({name})" for name, format in traces.FORMATS.items()}
            )
        ),
        Group("A trace file of your own"),
        Field(title="Format of a file", description="Only where the first lines of a file of your own do not tell."),
    ] = BY_CONTENT
    page_bytes: buffer_fields.PAGE_BYTES = buffer_fields.AS_THE_TRACE_SAYS

    @model_validator(mode="after")
    def _readable_trace(self):
        pieces(self)
        return self


def pieces(inputs: Inputs, progress=traces.no_progress) -> sources.Pieces:
    """The trace of the inputs, piece by piece."""
    format = None if inputs.trace_format == BY_CONTENT else inputs.trace_format
    return sources.Pieces(inputs.trace, format, inputs.page_bytes or None, progress)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """A table per view and the facts of the whole trace; it is read once, and never held in memory.

    The main table: pages seen and references that write, so far. window: mean pages in so many consecutive references.
    rank: references to the pages by falling popularity, their share so far, and what the fitted Zipf law says.
    interval: references that come back after at most so many references. run: references in runs of so many
    consecutive pages and more, by powers of two. kind: pages and references that only read, only write.
    """
    insight, done, shown = Insight(), 0, 1

    def so_far(share: float) -> None:
        nonlocal shown
        if done < shown:  # drawn at 1, 2, 4, 8 … pieces: to draw costs as much as many pieces
            progress(share, None)
            return
        shown = 2 * done
        growing = _result(insight.profile(), source.page_bytes)  # at once: a profile sees what is counted later
        progress(share, lambda: growing)

    source = pieces(inputs, so_far)
    for piece in source:
        insight.add(piece)
        done += insight.references > 0
    source.refuse_nothing(insight.requests)
    profile = insight.profile()
    return _result(profile, source.page_bytes, _notes(source, insight, profile))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """How often a page comes back, how large its working set is, and how skewed it is, each with its numbers."""
    total = values(result)
    references, distinct, half = total["references"], total["distinct_pages"], total["median_interval"]
    lines = [
        f"{grouped(references)} references to {grouped(distinct)} pages: {grouped(references)} / {grouped(distinct)} = "
        f"{references / distinct:.3g} per page; {total['writes'] / references:.1%} of them write.",
        f"{grouped(distinct)} references, {distinct / references:.1%}, are the first to their page: no buffer, however "
        "large, answers them.",
    ]
    window = result.tables["window"]
    middle = len(window) // 2
    lines.append(
        f"In {grouped(window['references'][middle])} consecutive references there are "
        f"{format_cell(window['pages'][middle], '1')} distinct pages on average, over all windows: distinct pages "
        "less, for each window, those whose interval between two references spans it."
    )
    if np.isfinite(half):
        lines.append(f"Half of the references that come back do so within {grouped(half)} references.")
    lines.append(
        f"The Zipf law that fits best has exponent {total['zipf_exponent']:.3f}; its shares lie up to "
        f"{total['zipf_distance']:.1%} off the trace's"
        + (", so this trace follows no Zipf law." if total["zipf_distance"] > FOLLOWS_ZIPF else ".")
    )
    lines.append(f"{total['sequential_share']:.1%} of the requests begin at the page behind the request before.")
    return lines


def describe(inputs: Inputs, result: Result) -> Finding:
    """The answer in words."""
    half, back = whole(result.facts["median_interval"]), "none comes back"
    if half.number == half.number:
        back = "half of those that come back do so within {half} references"
    return found(f"{{references}} references to {{distinct_pages}} pages: {back}.", half=half, **result.facts)


def values(result: Result) -> Mapping[str, float]:
    """The numbers of the whole trace by name."""
    return {name: fact.number for name, fact in result.facts.items()}


def _result(profile: Profile, page_bytes: int, notes=()) -> Result:
    views = {"window": _window, "rank": _rank, "interval": _interval, "run": _run, "kind": _kind}
    more = {name: view(profile) for name, view in views.items()}
    return Result.of(_growth(profile), notes, facts=_facts(profile, page_bytes), more=more)


def _share(values, label: str) -> Column:
    return Column(np.asarray(values, float), "1", label)


def _growth(profile: Profile) -> dict[str, Column]:
    """At most 128 points, of which the last is the end of the trace."""
    points = profile.growth[:, :: max(profile.growth.shape[1] // 64, 1)]
    end = np.array([[profile.references], [profile.distinct], [profile.writes]])
    references, distinct, writes = np.hstack([points[:, points[0] < profile.references], end])
    return {
        "references": Column(references, "1", "references so far"),
        "distinct_pages": Column(distinct, "1", "distinct pages so far"),
        "write_share": _share(writes / references, "share of writes so far"),
    }


def _window(profile: Profile) -> dict[str, Column]:
    limits = interval_limits()
    wanted = np.geomspace(1, profile.references, POINTS)
    windows = np.unique(limits[np.searchsorted(limits, wanted, side="right") - 1])  # where the formula is exact
    pages = profile.footprint(windows)
    return {
        "references": Column(windows, "1", "window, consecutive references"),
        "pages": Column(pages, "1", "distinct pages in a window, mean"),
        "share": _share(pages / profile.distinct, "of all pages"),
    }


def _rank(profile: Profile) -> dict[str, Column]:
    counts, zipf = profile.popularity(), profile.zipf()
    ranks = np.unique(np.rint(np.geomspace(1, counts.size, POINTS)).astype(np.int64))
    expected = np.arange(1, counts.size + 1, dtype=float) ** -zipf.alpha
    return {
        "rank": Column(ranks, "1", "page, by rank of popularity"),
        "references": Column(counts[ranks - 1], "1", "references to the page"),
        "share": _share(np.cumsum(counts)[ranks - 1] / profile.references, "references to the pages up to it"),
        "fit": Column(profile.references * expected[ranks - 1] / expected.sum(), "1", "by the fitted Zipf law"),
    }


def _interval(profile: Profile) -> dict[str, Column]:
    limits, counts = interval_limits(), profile.intervals
    used = np.flatnonzero(counts)
    buckets = np.arange(used[0], used[-1] + 1) if used.size else used
    so_far = np.cumsum(counts)[buckets] / profile.references
    return {
        "references": Column(limits[buckets + 1] - 1, "1", "references until the page comes back"),
        "count": Column(counts[buckets], "1", "references that come back so late, later than in the row before"),
        "share": _share(so_far, "share of all references"),
    }


def _run(profile: Profile) -> dict[str, Column]:
    used = np.arange(np.flatnonzero(profile.runs).max() + 1)
    names = ["1" if power == 0 else f"{2**power} to {2 ** (power + 1) - 1}" for power in used.tolist()]
    pages = profile.run_pages[used]
    return {
        "pages_in_a_row": Column(np.array(names), "text", "pages in a row"),
        "references": Column(pages, "1", "references"),
        "share": _share(pages / profile.references, "share of the references"),
    }


def _kind(profile: Profile) -> dict[str, Column]:
    kinds = profile.page_kinds()
    pages = np.array([kinds[name] for name in KINDS])
    references = np.array([profile.references - profile.writes, profile.writes])
    shares = np.concatenate([pages / profile.distinct, references / profile.references])
    return {
        "kind": Column(np.array([*KINDS.values(), "reads", "writes"]), "text", "pages and references"),
        "count": Column(np.concatenate([pages, references]), "1", "pages, references"),
        "share": _share(shares, "share of the pages, of the references"),
    }


def _facts(profile: Profile, page_bytes: int) -> dict[str, Fact]:
    zipf = profile.zipf()
    return {
        "requests": Fact(profile.requests, "1", "requests"),
        "references": Fact(profile.references, "1", "page references"),
        "distinct_pages": Fact(profile.distinct, "1", "distinct pages"),
        "footprint_bytes": Fact(profile.distinct * page_bytes, "B", "size of all distinct pages"),
        "writes": Fact(profile.writes, "1", "page references that write"),
        "median_interval": Fact(profile.interval_quantile(0.5), "1", "references until half of the returns are back"),
        "zipf_exponent": Fact(zipf.alpha, "1", "Zipf exponent"),
        "zipf_distance": Fact(zipf.distance, "1", "largest distance of the trace's shares from that law"),
        "sequential_share": Fact(profile.sequential_share, "1", "requests that begin behind the one before"),
    } | buffer_fields.page_facts(page_bytes)


def _notes(source: sources.Pieces, insight: Insight, profile: Profile):
    size = format_bytes(profile.distinct * source.page_bytes)
    span = insight.last_s - insight.first_s
    yield (
        f"{grouped(insight.requests)} requests, {grouped(profile.references)} page references to "
        f"{grouped(profile.distinct)} pages of {grouped(source.page_bytes)} bytes: {size}"
        + (f", over {format_seconds(span)}." if span > 0 else "; no times.")
    )
    yield from source.tally.sentences()
    yield from insight.sentences()
    yield (
        "The Zipf exponent is the most likely one for ranks taken from this very trace; pages that were referenced "
        "only once or twice bias it."
    )
    yield (
        "Requests in order and runs of pages are broken where several clients read at once, even when each of them "
        "reads in order. A request of several pages is a run of its own."
    )


STUDY = Study(
    name="trace_insight",
    title="What is this trace like, before any policy runs?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    describe=describe,
    place="load",
    source="Denning 1968 (working set); Xiang et al. 2013 (footprint); rahm1992 §2",
    presets={
        "PostgreSQL, order entry": {"trace": "postgresql-order-entry"},
        "Debit-Credit of 1992": {"trace": DEBIT_CREDIT},
        "Zipf polluted by scans": {"trace": "scan-polluted"},
        "a locality that moves on": {"trace": "shifting-locality"},
    },
)

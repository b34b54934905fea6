"""What is a trace like, before any replacement policy runs?"""

from typing import Annotated

import numpy as np
from pydantic import Field, field_validator, model_validator

from pagecost.errors import known
from pagecost.studies.buffer import page_sources
from pagecost.studies.fields import Choice, Steps
from pagecost.studies.study import Column, Progress, Result, Study, StudyInputs, no_progress
from pagecost.units import format_bytes, format_seconds
from pagecost.workload import Insight, Profile, traces
from pagecost.workload.insight import interval_limits

BY_CONTENT = "by-content"
POINTS = 48  # of the curves of windows and ranks
KINDS = {"only read": "pages only read", "only written": "pages only written", "read and written": "pages with both"}


class Inputs(StudyInputs):
    """Which trace is looked at, and how a file is understood."""

    trace: Annotated[
        str,
        Choice(page_sources.titles, free=True),
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
        Field(title="Format of a file", description="Only where the first lines of a file of your own do not tell."),
    ] = BY_CONTENT
    page_bytes: Annotated[
        int,
        Steps(tuple(512 << k for k in range(12)), "B", format_bytes),
        Field(
            ge=512,
            le=1 << 30,
            multiple_of=512,
            title="Page size of a file",
            description="Byte addresses are cut into pages of this size; recordings and loads have their own.",
        ),
    ] = 4096

    @field_validator("trace_format")
    @classmethod
    def _known_format(cls, name):
        return known("trace format", name, (BY_CONTENT, *traces.FORMATS))

    @model_validator(mode="after")
    def _readable_trace(self):
        pieces(self)
        return self


def pieces(inputs: Inputs, progress=traces.no_progress) -> page_sources.Pieces:
    """The trace of the inputs, piece by piece."""
    format = None if inputs.trace_format == BY_CONTENT else inputs.trace_format
    return page_sources.Pieces(inputs.trace, format, inputs.page_bytes, progress)


def compute(inputs: Inputs, progress: Progress = no_progress) -> Result:
    """One row per point of a view, told by `view`; the whole trace is read once, and never held in memory.

    growth: pages seen after x references. window: mean pages in x consecutive references. rank: references of the
    x-th most popular page, their share so far, and what the fitted Zipf law says. interval: references that come back
    after at most x references. run: references in runs of x and more consecutive pages, by powers of two. kind: pages
    and references that only read, only write. sum: the numbers of the whole trace.
    """
    insight, done, shown = Insight(), 0, 1

    def so_far(share: float) -> None:
        nonlocal shown
        growing = None
        if done >= shown:  # drawn at 1, 2, 4, 8 … pieces: to draw costs as much as many pieces
            growing, shown = _result(insight.profile()), 2 * done
        progress(share, growing)

    source = pieces(inputs, so_far)
    for piece in source:
        insight.add(piece)
        done += insight.references > 0
    source.refuse_nothing(insight.requests)
    profile = insight.profile()
    return _result(profile, tuple(_notes(source, insight, profile)))


def explain(inputs: Inputs, result: Result) -> list[str]:
    """How often a page comes back, how large its working set is, and how skewed it is, each with its numbers."""
    total = totals(result)
    references, distinct = int(total["references"]), int(total["distinct pages"])
    lines = [
        f"{references} references to {distinct} pages: {references} / {distinct} = {references / distinct:.3g} per "
        f"page; {total['writes'] / references:.1%} of them write.",
        f"{distinct} references, {distinct / references:.1%}, are the first to their page: no buffer, however large, "
        "answers them.",
    ]
    rows = result.rows(view="window")
    middle = rows[rows.size // 2]
    lines.append(
        f"In {result['x'][middle]:.0f} consecutive references there are {result['value'][middle]:,.1f} distinct pages "
        "on average, over all windows: distinct pages less, for each window, those whose interval between two "
        "references spans it."
    )
    half = total["median interval"]
    if np.isfinite(half):
        lines.append(f"Half of the references that come back do so within {half:,.0f} references.")
    lines.append(
        f"The Zipf law that fits best has exponent {total['Zipf exponent']:.3g}; its shares lie up to "
        f"{total['Zipf distance']:.1%} off the trace's"
        + (", so this trace follows no Zipf law." if total["Zipf distance"] > 0.05 else ".")
    )
    lines.append(f"{total['sequential share']:.1%} of the references are to the page behind the one just before.")
    return lines


def totals(result: Result) -> dict[str, float]:
    """The numbers of the whole trace by name."""
    rows = result.rows(view="sum")
    return dict(zip(result["label"][rows].tolist(), result["value"][rows].tolist(), strict=True))


def _result(profile: Profile, notes=()) -> Result:
    views = [
        _growth(profile),
        _window(profile),
        _rank(profile),
        _interval(profile),
        _run(profile),
        _kind(profile),
        _sum(profile),
    ]
    names = ("view", "label", "x", "value", "share", "fit")
    view, label, x, value, share, fit = (np.concatenate([table[name] for table in views]) for name in names)
    columns = {
        "view": Column(view, "text", "view"),
        "label": Column(label, "text", "what"),
        "x": Column(x.astype(float), "1", "x: references, rank or pages"),
        "value": Column(value.astype(float), "1", "pages or references"),
        "share": Column(share, "1", "share"),
        "fit": Column(fit, "1", "by the fitted Zipf law"),
    }
    return Result.of(columns, notes)


def _table(view: str, x, value, share=np.nan, fit=np.nan, label="") -> dict[str, np.ndarray]:
    size = np.size(x)
    columns = {"x": x, "value": value, "share": share, "fit": fit}
    table = {name: np.broadcast_to(np.asarray(column, float), (size,)) for name, column in columns.items()}
    return table | {"view": np.full(size, view), "label": np.broadcast_to(np.asarray(label), (size,))}


def _growth(profile: Profile):
    """At most 128 points, of which the last is the end of the trace."""
    points = profile.growth[:, :: max(profile.growth.shape[1] // 64, 1)]
    end = np.array([[profile.references], [profile.distinct], [profile.writes]])
    references, distinct, writes = np.hstack([points[:, points[0] < profile.references], end])
    return _table("growth", references, distinct, writes / references)


def _window(profile: Profile):
    limits = interval_limits()
    wanted = np.geomspace(1, profile.references, POINTS)
    windows = np.unique(limits[np.searchsorted(limits, wanted, side="right") - 1])  # where the formula is exact
    pages = profile.footprint(windows)
    return _table("window", windows, pages, pages / profile.distinct)


def _rank(profile: Profile):
    counts, zipf = profile.popularity(), profile.zipf()
    ranks = np.unique(np.rint(np.geomspace(1, counts.size, POINTS)).astype(np.int64))
    shares = np.cumsum(counts)[ranks - 1] / profile.references
    expected = np.arange(1, counts.size + 1, dtype=float) ** -zipf.alpha
    fit = profile.references * expected[ranks - 1] / expected.sum()
    return _table("rank", ranks, counts[ranks - 1], shares, fit)


def _interval(profile: Profile):
    limits, counts = interval_limits(), profile.intervals
    used = np.flatnonzero(counts)
    if used.size == 0:
        return _table("interval", np.zeros(0), np.zeros(0))
    buckets = np.arange(used[0], used[-1] + 1)
    return _table("interval", limits[buckets + 1] - 1, counts[buckets], np.cumsum(counts)[buckets] / profile.references)


def _run(profile: Profile):
    used = np.arange(np.flatnonzero(profile.runs).max() + 1)
    length = 2**used
    names = ["1" if power == 0 else f"{2**power} to {2 ** (power + 1) - 1}" for power in used.tolist()]
    pages = profile.run_pages[used]
    return _table("run", length, pages, pages / profile.references, label=names)


def _kind(profile: Profile):
    kinds = profile.page_kinds()
    pages = np.array([kinds[name] for name in KINDS])
    references = np.array([profile.references - profile.writes, profile.writes])
    names = [*(f"{name}" for name in KINDS.values()), "reads", "writes"]
    shares = np.concatenate([pages / profile.distinct, references / profile.references])
    return _table("kind", np.zeros(5), np.concatenate([pages, references]), shares, label=names)


def _sum(profile: Profile):
    zipf = profile.zipf()
    found = {
        "references": profile.references,
        "distinct pages": profile.distinct,
        "writes": profile.writes,
        "median interval": profile.interval_quantile(0.5),
        "Zipf exponent": zipf.alpha,
        "Zipf distance": zipf.distance,
        "sequential share": 1 - profile.runs.sum() / profile.references,
    }
    return _table("sum", np.zeros(len(found)), list(found.values()), label=list(found))


def _notes(source: page_sources.Pieces, insight: Insight, profile: Profile):
    size = format_bytes(profile.distinct * source.page_bytes)
    span = insight.last_s - insight.first_s
    yield (
        f"{insight.requests} requests, {profile.references} page references to {profile.distinct} pages of "
        f"{source.page_bytes} bytes: {size}" + (f", over {format_seconds(span)}." if span > 0 else "; no times.")
    )
    yield from source.tally.notes
    yield from unsorted_sentences(insight)
    yield from rejected_sentences(source.tally)
    yield (
        "The Zipf exponent is the most likely one for ranks taken from this very trace; pages that were referenced "
        "only once or twice bias it."
    )
    yield "Sequential runs are broken where several clients read at once, even when each of them reads in order."


def unsorted_sentences(insight: Insight):
    """What a trace is said of whose requests are not in the order of their times."""
    if insight.unsorted:
        yield (
            f"{insight.unsorted} requests have an earlier time than the one before them; they are looked at in the "
            "order of the file. A replay sorts them."
        )


def rejected_sentences(tally: traces.Tally):
    """What was not understood, by reason, and the first such line."""
    if tally.rejected_lines:
        reasons = "; ".join(f"{count} × {reason}" for reason, count in tally.reasons.items())
        first = tally.rejected[0]
        yield (
            f"{tally.rejected_lines} lines were not understood ({reasons}); the first is line {first.line}: "
            f"{first.text[:60]!r}."
        )


STUDY = Study(
    name="trace_insight",
    title="What is this trace like, before any policy runs?",
    Inputs=Inputs,
    compute=compute,
    explain=explain,
    source="Denning 1968 (working set); Xiang et al. 2013 (footprint); rahm1992 §2",
    presets={
        "PostgreSQL, order entry": {"trace": "postgresql-order-entry"},
        "Debit-Credit of 1992": {"trace": page_sources.DEBIT_CREDIT},
        "Zipf polluted by scans": {"trace": "scan-polluted"},
        "a locality that moves on": {"trace": "shifting-locality"},
    },
)

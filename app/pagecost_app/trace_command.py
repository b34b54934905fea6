"""`pagecost trace`: what a trace file holds, the same requests in another format, and loads that are generated."""

import dataclasses
from collections.abc import Callable

from pagecost.errors import ModelError, known, require
from pagecost.requests import TRIM, WRITE, Requests
from pagecost.units import format_bytes, format_cell, grouped, quantity, so_many, unit_of
from pagecost.workload import PATTERNS, Insight, sources, traces
from pagecost_app.waiting import progress_line

SHOWN = 5
OPERATIONS = {0: "read", int(WRITE): "write", int(TRIM): "trim"}


def inspect(
    file: str,
    trace_format: str | None,
    page_bytes: int | None,
    progress: Callable[[float], None] | None = None,
    most: int | None = None,
) -> dict:
    """Named facts about a trace; damage and lines that say nothing are reported as `problem`, not raised.

    progress(share read) is called between pieces, a line on the terminal where it is not given. most: about so many
    requests are looked at, all where it is not given. Raises ModelError for a file that is not there, and for a format
    or page size that makes no sense.
    """
    try:
        source = sources.Pieces(file, trace_format, page_bytes, progress or progress_line("reading"))
    except ModelError as error:
        if trace_format or not traces.path_of(file).is_file():
            raise
        return {"file": str(traces.path_of(file)), "format": "", "problem": str(error), "requests": 0}
    insight, problem = Insight(), ""
    first: list[dict] = []
    try:
        for piece in source:
            first += _described(piece, SHOWN - len(first))
            insight.add(piece)
            if most is not None and insight.requests >= most:
                source.tally.say(f"Only the first {grouped(insight.requests)} requests were looked at here.")
                break
        source.refuse_nothing(insight.requests)
    except ModelError as error:
        problem = str(error)
    return {
        "file": str(source.path or file),
        "format": source.format,
        "problem": problem,
        "requests": insight.requests,
        **_counts(insight, source.page_bytes),
        "time_span_s": max(insight.last_s - insight.first_s, 0.0) if insight.requests else 0.0,
        "streams": len(insight.streams),
        "stream_names": [{"stream": number, "name": name} for number, name in enumerate(source.tally.streams)],
        "page_bytes": source.page_bytes,
        "trims": insight.trims,
        "unsorted": insight.unsorted,
        "other_lines": source.tally.other_lines,
        "rejected_lines": source.tally.rejected_lines,
        "first_requests": first,
        "reasons": [{"lines": lines, "reason": reason} for reason, lines in source.tally.reasons.items()],
        "rejected": [bad._asdict() for bad in source.tally.rejected],
        "notes": [{"note": note} for note in (*source.tally.notes, *insight.sentences())],
    }


def said(found: dict) -> str:
    """The facts of `inspect` in a sentence."""
    if "read_share" not in found:
        what = "page that is read or written" if found["requests"] else "request that was understood"
        return f"{found['file']} holds no {what}."
    requests, distinct = so_many(found["requests"], "request"), so_many(found["distinct_pages"], "page")
    reads, pages = format_cell(100 * found["read_share"], "1"), format_bytes(found["page_bytes"])
    lines = found["rejected_lines"]
    rejected = f"; {so_many(lines, 'line was', 'lines were')} rejected" if lines else ""
    return (
        f"{requests} ({reads} % of references read) to {distinct} of {pages} "
        f"in {format_cell(found['time_span_s'], 's')}{rejected}."
    )


def said_of_file(found: dict) -> str:
    """The facts of `convert` or `generate` in a sentence."""
    lost = "; not all could be kept, see below" if found["lost"] else ""
    return f"Wrote {so_many(found['requests'], 'request')} as {found['format']} into {found['file']}{lost}."


def convert(file: str, out: str, trace_format: str | None, out_format: str | None, page_bytes: int | None) -> dict:
    """Write a trace, recording or generated load in another format; named facts about what was written and lost."""
    source = sources.Pieces(file, trace_format, page_bytes, progress_line("converting"))
    saved = traces.convert(source, out, out_format)
    return _saved(saved) | {
        "rejected_lines": source.tally.rejected_lines,
        "other_lines": source.tally.other_lines,
        "reasons": [{"lines": lines, "reason": reason} for reason, lines in source.tally.reasons.items()],
        "notes": [{"note": note} for note in source.tally.notes],
    }


def generate(kind: str, out: str, references: int, seed: int, settings: dict[str, str]) -> dict:
    """Write a generated trace; settings are the fields of the pattern."""
    pattern = PATTERNS[known("pattern", kind, PATTERNS)]
    types: dict[str, type] = {field.name: type(field.default) for field in dataclasses.fields(pattern)}
    values = {}
    for name, text in settings.items():
        known(f"setting of {kind}", name, types)
        number = quantity(text, unit_of(name), f"{kind}: {name}")
        whole = types[name] is float or isinstance(number, int)
        require(whole, f"{kind}: {name} must be a whole number; got {text!r}")
        values[name] = types[name](number)
    made = pattern(**values).requests(references, seed)
    return _saved(traces.save([made], out))


def _saved(saved: traces.Saved) -> dict:
    return {
        "file": str(saved.path),
        "format": saved.format,
        "requests": saved.requests,
        "lost": [{"note": sentence} for sentence in saved.lost],
    }


def _described(piece: Requests, count: int) -> list[dict]:
    columns = (piece.arrival_s, piece.op, piece.page, piece.pages, piece.stream)
    return [
        {"arrival_s": arrival_s, "op": OPERATIONS[op], "page": page, "pages": pages, "stream": stream}
        for arrival_s, op, page, pages, stream in zip(*(column[:count].tolist() for column in columns), strict=True)
    ]


def _counts(insight: Insight, page_bytes: int) -> dict:
    if insight.references == 0:
        return {"page_references": 0, "distinct_pages": 0}
    profile = insight.profile()
    return {
        "page_references": profile.references,
        "distinct_pages": profile.distinct,
        "footprint_bytes": profile.distinct * page_bytes,
        "read_share": 1 - profile.writes / profile.references,
        "median_reuse_interval": profile.interval_quantile(0.5) if profile.intervals.any() else None,
        "sequential_share": profile.sequential_share,
        "zipf_exponent": profile.zipf().alpha,
    }

"""Recorded page requests: those that come with pagecost, and files of your own."""

from pagecost.workload.traces.converting import Saved, convert, save
from pagecost.workload.traces.reading import FORMATS, PAGE_BYTES, Reading, Trace, no_progress, not_asked_for, read, warm
from pagecost.workload.traces.rows import Rejected, Tally
from pagecost.workload.traces.shipped import Recording, load, looks_like_a_path, path_of, recordings, with_columns
from pagecost.workload.traces.table_formats import PREFIX, PUBLISHED_LAYOUTS

__all__ = [
    "FORMATS",
    "PAGE_BYTES",
    "PREFIX",
    "PUBLISHED_LAYOUTS",
    "Reading",
    "Recording",
    "Rejected",
    "Saved",
    "Tally",
    "Trace",
    "convert",
    "load",
    "looks_like_a_path",
    "no_progress",
    "not_asked_for",
    "path_of",
    "read",
    "recordings",
    "save",
    "warm",
    "with_columns",
]

"""Recorded page requests: those that come with pagecost, and files of your own."""

from pagecost.workload.traces.reading import FORMATS, Rejected, Trace, read
from pagecost.workload.traces.shipped import Recording, load, recordings

__all__ = ["FORMATS", "Recording", "Rejected", "Trace", "load", "read", "recordings"]

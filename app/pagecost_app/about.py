"""What the program tells of itself: version, licence, what it computes with, and where it keeps what is a person's."""

import platform
from collections.abc import Iterator

import bokeh

from pagecost import device_files, provenance
from pagecost._jit import user_cache
from pagecost._processors import processors
from pagecost_app import logbook
from pagecost_app.workspace.folders import state_folder

LICENCE = "MIT; a package has those of its parts in the folder licences"


def facts() -> Iterator[tuple[str, str]]:
    """Name and words of each, as people read them. The folders need not exist."""
    versions = {**provenance.versions(), "Bokeh": bokeh.__version__, "Python": platform.python_version()}
    yield "version", versions.pop("pagecost")
    yield "licence", LICENCE
    yield "computes with", ", ".join(f"{name} {number}" for name, number in versions.items())
    yield "code and data", provenance.state()
    yield "system", f"{platform.platform()}, {processors()} processors"
    yield "your devices", str(device_files.folder())
    yield "kept for recovery", str(state_folder())
    yield "log", str(logbook.folder() / logbook.FILE)
    yield "cache", str(user_cache())


def to_copy() -> str:
    """All of it as text, for whoever asks what this is."""
    return "\n".join(["pagecost", *(f"{name}: {words}" for name, words in facts())])

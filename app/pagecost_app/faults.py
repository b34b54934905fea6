"""A fault of the program: said in a sentence, told in full for whoever mends it, and logged."""

import json
import platform
import traceback
from collections.abc import Mapping
from dataclasses import dataclass

import bokeh

from pagecost import provenance
from pagecost_app.logbook import LOG, without_secrets


@dataclass(frozen=True)
class Fault:
    """sentence: for the page. details: what was done, the inputs, the versions and the traceback, as text."""

    sentence: str
    details: str


def fault(error: BaseException, doing: str, inputs: Mapping | None = None) -> Fault:
    """What is to be said of an error that nobody expected. doing: "while …", with the name of the question."""
    versions = {**provenance.versions(), "bokeh": bokeh.__version__, "python": platform.python_version()}
    lines = [
        f"pagecost: {type(error).__name__} while {doing}",
        f"inputs: {json.dumps(dict(inputs or {}), default=str)}",
        f"versions: {', '.join(f'{name} {number}' for name, number in versions.items())}",
        f"system: {platform.platform()}",
        "".join(traceback.format_exception(error)).rstrip(),
    ]
    details = without_secrets("\n".join(lines))
    LOG.error("%s", details)
    why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Fault(f"This is a fault of pagecost, not yours, while {doing}: {why}. The other questions go on.", details)

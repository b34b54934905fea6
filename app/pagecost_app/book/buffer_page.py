"""A page of the book: which page leaves the buffer? Two policies in lock-step on a reference string of one's own."""

import base64
import math
from collections.abc import Sequence

from pagecost import catalogue, devices
from pagecost.answers.page_costs import of_pages
from pagecost.buffer import policies
from pagecost.errors import ModelError
from pagecost_app.book import live_kernels, shell
from pagecost_app.book.arguments import BUFFER, FRAMES, LIVE, PAGES, REFERENCES, buffer_arguments
from pagecost_app.book.webassembly import described

TITLE = "Which page leaves the buffer?"
LEAD = (
    "Two replacement policies answer the same references side by side. Both are the engine's own code, compiled for "
    "this page."
)
PAGE_BYTES = 4096
FIRST_DEVICES = ("cheetah-15k5", "fernando-ssd", "mtron-pro-7500")
EXAMPLE = "1 2 3w 4 1 2 5w 1 2 3 4w 5 6 1 2w 7 3 8 1 2 9w 4 1 2"
POLICIES = tuple(name.removeprefix(f"{BUFFER}-") for name in LIVE if name.startswith(BUFFER))


def text(chosen: Sequence[str] = POLICIES) -> str:
    """The page with these policies."""
    modules = live_kernels.modules(f"{BUFFER}-{name}" for name in chosen)
    data = {
        "policies": {name: _policy(name, modules[f"{BUFFER}-{name}"]) for name in chosen},
        "devices": _devices(),
        "pages": PAGES,
        "references": REFERENCES,
        "frames": [FRAMES[0], FRAMES[-1]],
        "example": EXAMPLE,
    }
    return shell.whole(TITLE, LEAD, "buffer_page", data)


def _policy(name: str, module: bytes) -> dict:
    policy = policies.POLICIES[name]
    return {
        "title": policy.title,
        "source": policy.source,
        "module": base64.b64encode(module).decode(),
        "states": {frames: described(buffer_arguments(name, frames)) for frames in FRAMES},
    }


def _devices() -> list[dict]:
    """Those of which it is known how long a random page takes alone; some that differ much come first."""
    found = []
    for name in sorted(catalogue.devices(), key=lambda each: (each not in FIRST_DEVICES, devices.title_of(each))):
        try:
            times = of_pages(name, PAGE_BYTES).alone
        except ModelError:  # too little is known of it
            continue
        if math.isfinite(times.read_s) and math.isfinite(times.write_s):
            found.append({"title": devices.title_of(name), "read_s": times.read_s, "write_s": times.write_s})
    return found

"""A page of the book: what does collecting garbage cost? Flash blocks that are written, die and are collected."""

import base64
import dataclasses
from collections.abc import Sequence

import numpy as np

from pagecost.devices import ftl
from pagecost.devices.ftl import page_map_kernels as page_map
from pagecost.studies.flash import write_amplification as study
from pagecost_app.book import live_kernels, shell
from pagecost_app.book.arguments import FLASH, LIVE, MEASURED, REQUESTS, RESERVE_BLOCKS, SEEN, SPARES, flash_arguments
from pagecost_app.book.webassembly import described

TITLE = "What does collecting garbage cost?"
LEAD = (
    "A page of flash cannot be written over: the new version goes elsewhere, the old one is dead, and before a block "
    "is erased its live pages are copied. The device below is the engine's own page map, compiled for this page."
)
POLICIES = tuple(name.removeprefix(f"{FLASH}-") for name in LIVE if name.startswith(FLASH))
WORKLOADS = {
    "uniform": "all pages alike",
    "hot-cold": "80 % of the writes to 20 % of the pages",
    "sequential": "in order",
}
PLACES = ("HOST_AT", "HOST_END", "HOST", "COPIED", "ERASES", "FREE_BLOCKS")


def text(chosen: Sequence[str] = POLICIES) -> str:
    """The page with these victim policies."""
    modules = live_kernels.modules(f"{FLASH}-{name}" for name in chosen)
    data = {
        "policies": {name: _policy(name, modules[f"{FLASH}-{name}"]) for name in chosen},
        "workloads": WORKLOADS,
        "spares": SPARES,
        "seen": _geometry(SEEN),
        "measured": _geometry(MEASURED),
        "requests": REQUESTS,
        "reserve": RESERVE_BLOCKS,
        "places": {name: getattr(page_map, name) for name in PLACES},
        "states": {"free": int(page_map.FREE), "open": int(page_map.OPEN)},
    }
    return shell.whole(TITLE, LEAD, "flash_page", data)


def _policy(name: str, module: bytes) -> dict:
    def states(geometry: ftl.Geometry) -> list:
        return [described(flash_arguments(name, dataclasses.replace(geometry, spare=spare))) for spare in SPARES]

    return {
        "title": ftl.VICTIMS[name].title,
        "source": ftl.VICTIMS[name].source,
        "module": base64.b64encode(module).decode(),
        "seen": states(SEEN),
        "measured": states(MEASURED),
        "theory": {workload: _theory(name, workload) for workload in WORKLOADS},
    }


def _theory(policy: str, workload: str) -> list[float] | None:
    """Write amplification of the measured device by theory, at each spare space; None where none is known."""
    inputs = study.Inputs(
        policies=(policy,), workload=workload, blocks=MEASURED.blocks, pages_per_block=MEASURED.pages_per_block
    )
    found = [study.by_theory(inputs, policy, spare) for spare in SPARES]
    return found if np.isfinite(found).all() else None


def _geometry(geometry: ftl.Geometry) -> dict:
    logical = [dataclasses.replace(geometry, spare=spare).logical_pages for spare in SPARES]
    return {"blocks": geometry.blocks, "pages_per_block": geometry.pages_per_block, "logical": logical}

"""The catalogue: storage devices, what is known of each, what they cost, and where every number stands.

The project's devices (`pagecost.catalogue_tables`), and behind them those of the user's own (`pagecost.device_files`).

    device("hgst-7k1000-750gb").value("average_seek_read_s")  # 0.0082
"""

import contextlib
import contextvars
import dataclasses
import functools
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType

from pagecost import device_files
from pagecost.catalogue_tables import NEEDS, STATUSES, Catalogue, Device, Parameter, Price, Source, load, project, root

__all__ = ["NEEDS", "STATUSES", "Catalogue", "Device", "Parameter", "Price", "Source", "load", "project", "root"]
__all__ += ["current", "device", "devices", "is_changed", "of_project", "problems", "sources", "unread", "using"]


def current() -> Catalogue:
    """The project's catalogue with the devices of the user's own, as their files are now; within `using` the changed
    one."""
    changed = _changed.get()
    if changed is not None:
        return changed
    own = device_files.load_folder()
    return _with(own) if own.devices else project()


def problems() -> tuple[str, ...]:
    """A sentence for each file among the user's own devices that is left out."""
    return device_files.load_folder().problems


def is_changed() -> bool:
    """Whether `using` has put something in the place of the project's own."""
    changed = _changed.get()
    return changed is not None and changed is not project()


@contextlib.contextmanager
def using(changed: Device) -> Iterator[Catalogue]:
    """Within the block (and this thread or task), `current()` has `changed` in the place of its namesake: "what if"."""
    token = _changed.set(current().with_device(changed))
    try:
        yield current()
    finally:
        _changed.reset(token)


@contextlib.contextmanager
def of_project() -> Iterator[Catalogue]:
    """Within the block (and this thread or task) there are no devices of the user's own; what `using` changed stays."""
    token = _changed.set(_changed.get() or project())
    try:
        yield current()
    finally:
        _changed.reset(token)


def devices() -> Mapping[str, Device]:
    """All devices of the current catalogue by id."""
    return current().devices


def device(name: str) -> Device:
    """One device of the current catalogue. ModelError listing the known ones."""
    return current().device(name)


def sources() -> Mapping[str, Source]:
    """All sources of the current catalogue by id."""
    return current().sources


def unread(device: Device) -> dict[str, list[str]]:
    """Numbers of a device that no model reads, for no device of the project has one of that name: name -> names of the
    catalogue that are written most like it, the nearest first."""
    names = sorted({name for each in project().devices.values() for name in each.parameters})
    return {name: get_close_matches(name, names, n=2) for name in device.parameters if name not in names}


_changed: contextvars.ContextVar[Catalogue | None] = contextvars.ContextVar("changed catalogue", default=None)


@functools.lru_cache(maxsize=1)
def _with(own: device_files.Own) -> Catalogue:
    found, kept = project(), own.devices.values()
    devices = {**found.devices, **{each.device.id: each.device for each in kept}}
    sources = {**found.sources, **{id: source for each in kept for id, source in each.sources.items()}}
    return dataclasses.replace(found, devices=MappingProxyType(devices), sources=MappingProxyType(sources))

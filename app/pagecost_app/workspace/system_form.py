"""A system as a person fills it in: its values under five titles, each with the kind of input that it is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from pagecost import catalogue, devices
from pagecost.buffer import POLICIES
from pagecost.buffer.policies import find, title_of
from pagecost.devices.disk import SCHEDULERS
from pagecost.economics import LEVELS
from pagecost.studies.fields import Choice, Kind, Steps
from pagecost.studies.loop_fields import WRITE_CACHES
from pagecost.studies.loop_loads import TPOX_MAPPINGS, TPOX_MIXES, TPOX_SIZES
from pagecost.studies.shared_fields import per_second, percent, shares, size_or_none
from pagecost.studies.typed import CATALOGUE, typed_prices
from pagecost.system import LAYOUTS, UPDATES, Placement, System
from pagecost.units import format_bytes, format_cell, format_seconds, format_si, format_years, grouped
from pagecost.workload import sources, tpox
from pagecost.workload.tpcc import MIX_TITLES

NO_DEVICE = ""
LOG = "devices.log"
PRICES = "economics.prices"
OWN = "each question's own"
OF_LOADS = {
    "tpc-c": ("load.mix", "load.warehouses"),
    tpox.SOURCE: ("load.tpox_bytes", "load.tpox_mapping", "load.tpox_mix"),
}
"""What is said of one load alone, by what its sources begin with."""


@dataclass(frozen=True)
class Line:
    """One value. path: where it stands in a system. unsaid: what stands here for a value that the system leaves out."""

    path: str
    title: str
    kind: Kind
    unsaid: Any = None

    def value(self, system: System) -> Any:
        """The value as it is entered."""
        found = system.value(self.path)
        if found is None and self.unsaid is None:  # of a place that the system lacks
            return Placement.model_fields[self.path.rpartition(".")[2]].default
        return self.unsaid if found is None else found

    def put(self, system: System, value: Any) -> System:
        """The system with another value here. Raises ModelError for one that breaks a rule."""
        said = None if value == self.unsaid else value
        if self.path == PRICES:
            return system.changed({"economics.price_usd_per_device": {} if said is None else typed_prices(said)})
        if self.path == f"{LOG}.device" and said is None:
            return system.without("log")
        return system.changed({self.path: said})

    def applies(self, system: System) -> bool:
        """Whether there is something to say: of a load only where it is the one, how many devices of the log only where
        it has some."""
        for load, paths in OF_LOADS.items():
            if self.path in paths:
                return system.load.source.startswith(load)
        return not self.path.startswith(LOG) or self.path == f"{LOG}.device" or system.placement("log") is not None

    @property
    def field(self) -> FieldInfo:
        """As a study has its inputs; the meaning is that of the system's own field."""
        made = FieldInfo(default=self.value(System()), title=self.title, description=_meaning(self.path))
        made.metadata = [self.kind]
        return made


def _meaning(path: str) -> str:
    if path == PRICES:
        return "In dollars a device; your own as device=price, device=price."
    part, *_, name = path.split(".")
    model: Any = Placement if part == "devices" else System.model_fields[part].annotation
    return model.model_fields[name].description or ""


def _all_devices() -> dict[str, str]:
    return {name: devices.title_of(name) for name in (*catalogue.devices(), *devices.measurements())}


def _or_own(label: Callable[[float], str], unsaid: float) -> Callable[[float], str]:
    return lambda value: OWN if value == unsaid else label(value)


def _devices_at(place: str, whose: str) -> tuple[Line, Line]:
    counts = Steps((1, 2, 4, 8, 16), "1", str)
    levels = Choice(lambda: {name: level.title for name, level in LEVELS.items()}, noun="RAID level")
    return Line(f"{place}.count", f"{whose}: how many", counts), Line(f"{place}.level", f"{whose}: joined as", levels)


_LOAD = Choice(sources.titles_of_systems, free=True, such=sources.check_of_system, noun="load")
SECTIONS: dict[str, tuple[Line, ...]] = {
    "Load": (
        Line("load.source", "Load", _LOAD),
        Line(
            "load.transaction_rate_hz",
            "Transactions",
            Steps((10.0, 50.0, 100.0, 200.0, 500.0, 1000.0), "1/s", lambda rate: f"{per_second(rate)}/s"),
        ),
        Line(
            "load.rate_hz",
            "Page references",
            Steps((200.0, 1000.0, 4000.0, 20_000.0), "1/s", lambda rate: f"{per_second(rate)}/s"),
        ),
        Line("load.read_share", "Share of reads", Steps(shares(0, 25, 50, 70, 80, 90, 100), "1", percent)),
        Line(
            "load.volume_bytes",
            "Volume",
            Steps((1e10, 1e11, 3e11, 1e12, 3e12, 1e13), "B", lambda size: format_si(size, "B")),
        ),
        Line("load.mix", "Mix of TPC-C", Choice(lambda: dict(MIX_TITLES), noun="TPC-C mix")),
        Line("load.warehouses", "Warehouses", Steps((3, 10, 30, 100, 140), "1", str)),
        Line("load.tpox_bytes", "XML database of TPoX", TPOX_SIZES),
        Line("load.tpox_mapping", "Storage mapping of TPoX", TPOX_MAPPINGS),
        Line("load.tpox_mix", "Mix of TPoX", TPOX_MIXES),
        Line("load.users", "Users", Steps((0, 1, 10, 30, 100, 1000), "1", _or_own(lambda n: grouped(int(n)), 0)), 0),
        Line(
            "load.think_s",
            "Think time",
            Steps((-1.0, 0.0, 0.1, 0.5, 1.0, 5.0), "s", _or_own(format_seconds, -1.0)),
            -1.0,
        ),
    ),
    "Memory": (
        Line(
            "memory.buffer_frames",
            "Buffer",
            Steps((256, 1024, 4096, 16_384, 65_536, 262_144), "frames", lambda n: f"{grouped(int(n))} frames"),
        ),
        Line("memory.page_bytes", "Page", Steps((0, 4096, 8192, 16_384), "B", _or_own(format_bytes, 0)), 0),
        Line(
            "memory.policy",
            "Replacement",
            Choice(
                lambda: {name: title_of(name) for name in POLICIES},
                free=True,
                such=find,
                typed="cflru:window=0.25",
                of_file=False,
            ),
        ),
        Line("memory.page_cache_bytes", "Page cache", Steps((0.0, 2.0**26, 2.0**28, 2.0**30), "B", size_or_none)),
        Line("processors.servers", "Processors", Steps((1, 2, 4, 8, 16), "1", str)),
        Line("processors.transaction_s", "Processor time", Steps((1e-4, 1e-3, 5e-3, 1e-2), "s", format_seconds)),
    ),
    "File system": (
        Line("file_system.layout", "Layout", Choice(lambda: {name: f"{name}: {how}" for name, how in LAYOUTS.items()})),
        Line(
            "log.update_strategy",
            "Update strategy",
            Choice(lambda: {name: f"{name}: {when}" for name, when in UPDATES.items()}),
        ),
        Line("log.group_size", "Group commit", Steps((1, 10, 30, 100), "1", str)),
    ),
    "Devices": (
        Line("devices.database.device", "The database lies on", Choice(_all_devices, noun="device")),
        *_devices_at("devices.database", "Database"),
        Line("devices.database.write_cache_bytes", "Write cache of each device", WRITE_CACHES),
        Line(
            "devices.database.scheduler",
            "Disk scheduler",
            Choice(lambda: {name: each.title for name, each in SCHEDULERS.items()}),
        ),
        Line(
            f"{LOG}.device",
            "The log lies on",
            Choice(lambda: {NO_DEVICE: "the database's devices"} | _all_devices(), noun="device"),
            NO_DEVICE,
        ),
        *_devices_at(LOG, "Log"),
    ),
    "Prices": (
        Line("economics.horizon_years", "Years", Steps((1.0, 3.0, 5.0, 7.0, 10.0), "year", format_years)),
        Line(
            PRICES,
            "Prices",
            Choice(
                lambda: {CATALOGUE: "as in the catalogue"}, free=True, typed="wd800aajs=45, wd400bb=30", of_file=False
            ),
            CATALOGUE,
        ),
        Line(
            "economics.price_usd_per_kwh",
            "Price of energy",
            Steps((0.05, 0.1, 0.15, 0.3), "USD/kWh", partial(format_cell, unit="USD/kWh")),
        ),
        Line("economics.power_usage_effectiveness", "PUE", Steps((1.0, 1.2, 1.5, 2.0), "1", lambda n: f"{n:g}")),
        Line("economics.discount_per_year", "Discount", Steps(shares(0, 3, 5, 10), "1", percent)),
    ),
}
"""Title -> what stands under it. What a system says besides (targets, candidates) stays as its file says it."""
LINES = {line.path: line for lines in SECTIONS.values() for line in lines}


def words(system: System) -> dict[str, str]:
    """A system in a few words, by the titles of `SECTIONS`."""

    def said(path: str) -> str:
        line = LINES[path]
        value = line.value(system)
        return line.kind.label(value) if isinstance(line.kind, Steps) else str(value)

    load = sources.titles_of_systems().get(system.load.source, Path(system.load.source.partition("#")[0]).name)
    places = [
        f"{each.role} on {f'{each.count} × ' if each.count > 1 else ''}{devices.title_of(each.device)}"
        + (f" as {LEVELS[each.level].title.partition(':')[0]}" if each.count > 1 else "")
        for each in system.devices
    ]
    priced = len(system.economics.price_usd_per_device)
    of_own = f", {priced} of your own" if priced else ""
    return {
        "Load": f"{load}, {said('load.transaction_rate_hz')}",
        "Memory": f"{said('memory.buffer_frames')}, {title_of(system.memory.policy)}",
        "File system": system.file_system.layout,
        "Devices": "; ".join(places),
        "Prices": f"{said('economics.horizon_years')} at {said('economics.price_usd_per_kwh')}{of_own}",
    }

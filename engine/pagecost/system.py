"""A system as one value: the load, the memory, the log, the file system, the devices, and for how long at which prices.

A question takes from it what it can. It is a TOML file with a schema version, so that it can be kept, shared and cited:

    mine = system.read("mine.toml")
    mine.device("database")  # the catalogue's id of what the database lies on
"""

import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import tomlkit
from pydantic import AfterValidator, Field, ValidationError, model_validator

from pagecost import catalogue, devices
from pagecost.buffer.policies import find as find_policy
from pagecost.devices.disk import SCHEDULERS
from pagecost.economics import LEVELS, YEAR_S
from pagecost.errors import ModelError, known, require
from pagecost.validation import Checked, sentence
from pagecost.workload import sources

SCHEMA = 1
"""The version of the file's layout that this pagecost writes. Older ones are still read, newer ones refused."""

ROLES = {"database": "the pages of the database", "log": "the log", "cache": "a cache between memory and database"}
UPDATES = {"NOFORCE": "changed pages are written when they are evicted", "FORCE": "changed pages are written at commit"}
LAYOUTS = {"in-place": "a page is written where it was read", "log-structured": "writes go to the end of a log"}


def _one_of(kind: str, options):
    return AfterValidator(lambda name: known(kind, name, options() if callable(options) else options))


def _source(text: str) -> str:
    sources.check(text)
    return text


def _policy(text: str) -> str:
    find_policy(text)
    return text


class Load(Checked):
    """What is asked of the system."""

    source: Annotated[
        str, AfterValidator(_source), Field(description="A load of pagecost, or the path of a trace file.")
    ] = "sqlite-order-entry"
    rate_hz: Annotated[float, Field(gt=0, le=1e9, description="Page references per second [1/s].")] = 1000.0
    transaction_rate_hz: Annotated[float, Field(gt=0, le=1e9, description="Transactions per second [1/s].")] = 200.0
    read_share: Annotated[float, Field(ge=0, le=1, description="Of the requests to the devices, 0..1.")] = 0.7
    volume_bytes: Annotated[float, Field(gt=0, le=1e18, description="Data that are stored [B].")] = 3e11


class Memory(Checked):
    """The caches in main memory."""

    buffer_frames: Annotated[int, Field(ge=1, le=2**31, description="Pages that the database buffer holds.")] = 1024
    policy: Annotated[
        str, AfterValidator(_policy), Field(description="Replacement policy, parameters as in cflru:window=0.25.")
    ] = "lru"
    page_cache_bytes: Annotated[
        float, Field(ge=0, le=1e15, description="Page cache of the operating system [B]; 0: direct I/O.")
    ] = 0.0


class Log(Checked):
    """How changes become durable."""

    update_strategy: Annotated[
        str, _one_of("update strategy", UPDATES), Field(description="NOFORCE or FORCE: when changed pages are written.")
    ] = "NOFORCE"
    group_size: Annotated[int, Field(ge=1, le=10_000, description="Transactions that share a log write.")] = 1


class FileSystem(Checked):
    """How pages lie on the devices."""

    layout: Annotated[str, _one_of("layout", LAYOUTS), Field(description="in-place or log-structured.")] = "in-place"


class Placement(Checked):
    """Devices of one kind, and what lies on them."""

    role: Annotated[str, _one_of("role", ROLES), Field(description="What lies on it: database, log or cache.")]
    device: Annotated[
        str, _one_of("device", lambda: (*catalogue.devices(), *devices.measurements())), Field(description="Its id.")
    ]
    count: Annotated[int, Field(ge=1, le=100_000, description="How many of them.")] = 1
    level: Annotated[
        str, _one_of("RAID level", LEVELS), Field(description="How they are joined: raid-0, raid-1, …")
    ] = "raid-0"
    scheduler: Annotated[
        str, _one_of("scheduler", SCHEDULERS), Field(description="In which order a disk serves what waits.")
    ] = "fcfs"

    @model_validator(mode="after")
    def _enough_devices(self):
        least = LEVELS[self.level].least
        require(self.count >= least, f"{self.level} needs at least {least} devices; got {self.count} × {self.device}")
        return self


class Economics(Checked):
    """For how long, and at which prices."""

    horizon_years: Annotated[float, Field(gt=0, le=100, description="How long the system runs [year].")] = 5.0
    price_usd_per_kwh: Annotated[float, Field(ge=0, le=100, description="Of energy [USD/kWh].")] = 0.15
    power_usage_effectiveness: Annotated[
        float, Field(ge=1, le=10, description="All energy over that of the devices.")
    ] = 1.0
    price_usd_per_device: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1e9)]],
        Field(description="Your prices, device = USD; what is not named has the catalogue's."),
    ] = {}  # noqa: RUF012  pydantic copies it

    @property
    def horizon_s(self) -> float:
        """How long the system runs [s]."""
        return self.horizon_years * YEAR_S

    @model_validator(mode="after")
    def _prices_of_known_devices(self):
        for name in self.price_usd_per_device:
            known("device", name, catalogue.devices())
        return self


class System(Checked):
    """Load, memory, log, file system, devices with counts and places, horizon and prices."""

    name: Annotated[str, Field(min_length=1, max_length=80, description="What it is called in reports.")] = "my system"
    load: Load = Load()
    memory: Memory = Memory()
    log: Log = Log()
    file_system: FileSystem = FileSystem()
    devices: Annotated[tuple[Placement, ...], Field(min_length=1, description="One entry per kind and place.")] = (
        Placement(role="database", device="intel-x25-m-g2-80gb"),
    )
    economics: Economics = Economics()

    @model_validator(mode="after")
    def _one_place_for_each_role(self):
        roles = [placement.role for placement in self.devices]
        twice = sorted({role for role in roles if roles.count(role) > 1})
        require(not twice, f"devices: {' and '.join(twice)} has two places; say where it lies once")
        require("database" in roles, f"devices: none has the role 'database'; roles given: {', '.join(roles)}")
        return self

    def placement(self, role: str) -> Placement | None:
        """Where something lies; None where the system has no such place. Raises ModelError for an unknown role."""
        known("role", role, ROLES)
        return next((placement for placement in self.devices if placement.role == role), None)

    def value(self, path: str):
        """What stands at a path like `memory.policy` or `devices.log.device`; None where there is no such place.

        Raises ModelError for a path that no system has.
        """
        first, *rest = path.split(".")
        found: Any = self
        if first == "devices":
            found, rest = self.placement(rest[0]), rest[1:]
        else:
            rest = [first, *rest]
        for part in rest:
            if found is None:
                return None
            known("part of a system", part, type(found).model_fields)
            found = getattr(found, part)
        return found


def read(path) -> System:
    """The system in a TOML file.

    Raises ModelError, a sentence with the file's name, when it is missing, is not TOML, is of a newer schema, or
    breaks a rule.
    """
    path = Path(path)
    require(path.is_file(), f"system {path}: there is no such file; pagecost system new {path} makes one")
    try:
        content = tomllib.loads(path.read_text("utf8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"system {path}: this is not TOML: {error}") from None
    return of(content, f"system {path}")


def of(content: Mapping, who: str = "system") -> System:
    """The system that a dictionary of the file's layout describes. who: begins the sentence of an error."""
    content = dict(content)
    schema = content.pop("schema", None)
    require(schema is not None, f"{who}: it does not say its schema; the first line of a system is schema = {SCHEMA}")
    require(
        isinstance(schema, int) and not isinstance(schema, bool) and schema >= 1,
        f"{who}: schema must be a whole number from 1; got {schema!r}",
    )
    require(schema <= SCHEMA, f"{who}: it is of schema {schema}; this pagecost reads up to {SCHEMA}: update pagecost")
    try:
        return System.model_validate(content)
    except ValidationError as error:
        place = error.errors()[0]["loc"][:-1]
        raise ModelError(f"{who}: {sentence(error, _names_at(place))}") from None


def text(system: System) -> str:
    """The file's text: every value, each with its meaning as a comment. `read` gives the same system back."""
    document = tomlkit.document()
    document.add(tomlkit.comment("A system of pagecost. Leave out what shall stay at its default."))
    document.add("schema", tomlkit.item(SCHEMA))
    document.add("name", tomlkit.item(system.name))
    for name in System.model_fields:
        part = getattr(system, name)
        if isinstance(part, Checked):
            document.add(tomlkit.nl())
            document.add(name, _described(part))
    placements = tomlkit.aot()
    for placement in system.devices:
        placements.append(_described(placement))
    document.add(tomlkit.nl())
    document.add("devices", placements)
    return tomlkit.dumps(document)


def write(system: System, path) -> None:
    """Write the file whole or not at all. Raises ModelError when it cannot be written; an old file then stays."""
    path = Path(path)
    require(path.parent.is_dir(), f"system {path}: there is no folder {path.parent}")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf8") as file:
            file.write(text(system))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise ModelError(f"system {path}: it cannot be written: {error.strerror}") from None


def _described(part: Checked) -> tomlkit.items.Table:
    table = tomlkit.table()
    for name, field in type(part).model_fields.items():
        value = tomlkit.item(getattr(part, name))
        value.comment(field.description or "")
        table.add(name, value)
    return table


def _names_at(place) -> list[str]:
    """The names that a part of a system has, for a place like ("devices", 0)."""
    model: Any = System
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            inner = model.model_fields[part].annotation
            model = Placement if part == "devices" else inner
    return list(model.model_fields)

"""A system as one value: the load, the memory, the log, the file system, the devices, and for how long at which prices.

A question takes from it what it can. It is a TOML file with a schema version, so that it can be kept, shared and cited:

    mine = system.read("mine.toml")
    mine.value("devices.database.device")  # the catalogue's id of what the database lies on

What it shall reach (`Targets`) and what it may be made of (`Candidates`) is for the planner, `pagecost.planner`.
"""

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import tomlkit
from pydantic import Field, ValidationError, model_validator

from pagecost import catalogue, devices, texts, whole_files
from pagecost.buffer.policies import find as find_policy
from pagecost.devices.disk import SCHEDULERS
from pagecost.economics import LEVELS
from pagecost.errors import ModelError, known, require, require_file
from pagecost.remembering import remembered
from pagecost.system_economics import Economics
from pagecost.validation import Checked, described, one_of, sentence, such
from pagecost.workload import sources, tpox
from pagecost.workload.tpcc import MIXES

SCHEMA = 2
"""The version of the file's layout that this pagecost writes. Older ones are read, newer ones refused. Schema 2 brought
the parts of `SINCE_2`."""

SINCE_2 = ("processors", "targets", "candidates")

ROLES = {"database": "the pages of the database", "log": "the log", "cache": "a cache between memory and database"}
NOFORCE, FORCE = "NOFORCE", "FORCE"
UPDATES = {NOFORCE: "changed pages are written when they are evicted", FORCE: "changed pages are written at commit"}
LAYOUTS = {"in-place": "a page is written where it was read", "log-structured": "writes go to the end of a log"}
PERCENTILES = (50, 90, 95, 99)
PLACEMENTS = {
    "together": "log and all pages on the same devices",
    "log apart": "the log on devices of its own",
    "hot apart": "the hot pages on devices of their own, the log with the rest",
    "log and hot apart": "the log and the hot pages each on devices of their own",
}
NOTHING = "none"
OWN = "own"


def _mappings() -> Iterable[str]:
    from pagecost.xmlstore import MAPPINGS  # late: every command reads systems, few store XML

    return MAPPINGS


class Load(Checked):
    """What is asked of the system."""

    source: Annotated[
        str, such(sources.check_of_system), Field(description="A load of pagecost, or the path of a trace file.")
    ] = "sqlite-order-entry"
    rate_hz: Annotated[float, Field(gt=0, le=1e9, description="Page references per second [1/s].")] = 1000.0
    transaction_rate_hz: Annotated[float, Field(gt=0, le=1e9, description="Transactions per second [1/s].")] = 200.0
    read_share: Annotated[float, Field(ge=0, le=1, description="Of the requests to the devices, 0..1.")] = 0.7
    volume_bytes: Annotated[float, Field(gt=0, le=1e18, description="Data that are stored [B].")] = 3e11
    mix: Annotated[str, one_of("TPC-C mix", MIXES), Field(description="Of TPC-C, where the source is tpc-c.")] = (
        "normal"
    )
    warehouses: Annotated[int, Field(ge=1, le=150, description="Of TPC-C, likewise; 71 MB each.")] = 30
    tpox_bytes: Annotated[float, Field(ge=1e6, le=1e11, description="Of TPoX as text [B], where it is tpox.")] = 1e9
    tpox_mapping: Annotated[
        str, one_of("storage mapping", _mappings), Field(description="Of its nodes: fs, pc, el.")
    ] = "fs"
    tpox_mix: Annotated[str, such(tpox.parts_of), Field(description="Of TPoX, by name or as order=60,place=40.")] = (
        "half writes"
    )
    users: Annotated[
        int | None, Field(ge=1, le=10_000, description="Who wait for answers; left out: each question has its own.")
    ] = None
    think_s: Annotated[
        float | None, Field(ge=0, le=3600, description="Between an answer and the next transaction [s]; likewise.")
    ] = None

    @property
    def write_share(self) -> float:
        """Of the requests to the devices, 0..1: what is not read is written."""
        return round(1 - self.read_share, 12)  # 0.3 and not 0.30000000000000004


class Processors(Checked):
    """Who works on the transactions."""

    servers: Annotated[int, Field(ge=1, le=256, description="Processors of one queue.")] = 2
    transaction_s: Annotated[float, Field(ge=0, le=10, description="Mean processor time of a transaction [s].")] = 5e-3


class Memory(Checked):
    """The caches in main memory."""

    buffer_frames: Annotated[int, Field(ge=1, le=2**31, description="Pages that the database buffer holds.")] = 1024
    policy: Annotated[
        str, such(find_policy), Field(description="Replacement policy, parameters as in cflru:window=0.25.")
    ] = "lru"
    page_cache_bytes: Annotated[
        float, Field(ge=0, le=1e15, description="Page cache of the operating system [B]; 0: direct I/O.")
    ] = 0.0
    page_bytes: Annotated[
        int | None,
        Field(ge=512, le=1 << 30, multiple_of=512, description="Of the database [B]; left out: that of each question."),
    ] = None

    @property
    def database(self) -> str:
        """Whose buffer and pages these are, where a question also knows those of products."""
        return OWN

    @property
    def buffer_bytes(self) -> float | None:
        """The buffer [B]; None where the size of a page is not said."""
        return None if self.page_bytes is None else float(self.buffer_frames * self.page_bytes)


class Log(Checked):
    """How changes become durable."""

    update_strategy: Annotated[
        str, one_of("update strategy", UPDATES), Field(description="NOFORCE or FORCE: when changed pages are written.")
    ] = "NOFORCE"
    group_size: Annotated[int, Field(ge=1, le=10_000, description="Transactions that share a log write.")] = 1


class FileSystem(Checked):
    """How pages lie on the devices."""

    layout: Annotated[str, one_of("layout", LAYOUTS), Field(description="in-place or log-structured.")] = "in-place"


Device = Annotated[
    str, one_of("device", lambda: (*catalogue.devices(), *devices.measurements())), Field(description="Its id.")
]


class Placement(Checked):
    """Devices of one kind, and what lies on them."""

    role: Annotated[str, one_of("role", ROLES), Field(description="What lies on it: database, log or cache.")]
    device: Device
    count: Annotated[int, Field(ge=1, le=100_000, description="How many of them.")] = 1
    level: Annotated[str, one_of("RAID level", LEVELS), Field(description="How they are joined: raid-0, raid-1, …")] = (
        "raid-0"
    )
    scheduler: Annotated[
        str, one_of("scheduler", SCHEDULERS), Field(description="In which order a disk serves what waits.")
    ] = "fcfs"
    write_cache_bytes: Annotated[int, Field(ge=0, le=2**40, description="Of each, for what is written [B].")] = 0

    @model_validator(mode="after")
    def _enough_devices(self):
        least = LEVELS[self.level].least
        require(self.count >= least, f"{self.level} needs at least {least} devices; got {self.count} × {self.device}")
        return self


class Targets(Checked):
    """What a plan must reach. What is left out is not asked for, or taken from the rest of the system."""

    transactions_per_s: Annotated[
        float | None, Field(gt=0, le=1e7, description="That arrive [1/s]; left out: load.transaction_rate_hz.")
    ] = None
    response_s: Annotated[float | None, Field(gt=0, le=1e4, description="Of so many transactions, at most [s].")] = None
    percentile: Annotated[
        int, one_of("percentile", PERCENTILES), Field(description="How many of 100 must answer within response_s.")
    ] = 95
    years: Annotated[
        float | None, Field(gt=0, le=100, description="Of use [year]; left out: economics.horizon_years.")
    ] = None
    lifetime_years: Annotated[
        float | None, Field(gt=0, le=1000, description="Until writes have worn a device out, at least [year].")
    ] = None
    watts: Annotated[
        float | None, Field(gt=0, le=1e9, description="Mean power of all devices in the first year, at most [W].")
    ] = None
    budget: Annotated[
        float | None, Field(gt=0, le=1e15, description="Money for all years, in economics.currency, at most.")
    ] = None
    volume_bytes: Annotated[
        float | None, Field(gt=0, le=1e18, description="Data at the start [B]; left out: load.volume_bytes.")
    ] = None
    growth_per_year: Annotated[
        float, Field(ge=0, le=10, description="Of volume and load; devices are bought as it grows.")
    ] = 0.0

    @property
    def share(self) -> float:
        """How many of the transactions must answer within response_s, 0..1."""
        return self.percentile / 100


class Candidates(Checked):
    """What a plan may be made of: every combination is one plan."""

    devices: Annotated[tuple[Device, ...], Field(description="For the pages of the database.")] = ()
    counts: Annotated[
        tuple[Annotated[int, Field(ge=1, le=10_000)], ...], Field(min_length=1, description="How many of them.")
    ] = (1, 2, 4, 8)
    levels: Annotated[
        tuple[Annotated[str, one_of("RAID level", LEVELS)], ...], Field(min_length=1, description="How they join.")
    ] = ("raid-0", "raid-1")
    placements: Annotated[
        tuple[Annotated[str, one_of("placement", PLACEMENTS)], ...],
        Field(min_length=1, description="What has devices of its own."),
    ] = ("together", "log apart")
    log_devices: Annotated[tuple[Device, ...], Field(description="Left out: as devices.")] = ()
    log_counts: Annotated[
        tuple[Annotated[int, Field(ge=1, le=10_000)], ...], Field(min_length=1, description="How many for the log.")
    ] = (1, 2)
    hot_devices: Annotated[tuple[Device, ...], Field(description="Left out: as devices.")] = ()
    hot_counts: Annotated[
        tuple[Annotated[int, Field(ge=1, le=10_000)], ...], Field(min_length=1, description="How many for hot pages.")
    ] = (1, 2)
    hot_share: Annotated[
        float,
        Field(gt=0, lt=1, description="Of the pages, the most asked for, that are hot; of Debit-Credit BRANCH."),
    ] = 0.1
    buffers: Annotated[
        tuple[Annotated[int, Field(ge=1, le=2**31)], ...], Field(description="Frames; left out: memory.buffer_frames.")
    ] = ()
    page_caches_bytes: Annotated[
        tuple[Annotated[float, Field(ge=0, le=1e15)], ...], Field(description="Left out: memory.page_cache_bytes.")
    ] = ()
    write_buffers: Annotated[
        tuple[Annotated[str, one_of("device", lambda: (NOTHING, *catalogue.devices()))], ...],
        Field(min_length=1, description="What takes written pages before the database's devices do; none: nothing."),
    ] = (NOTHING,)
    write_buffer_bytes: Annotated[float, Field(gt=0, le=1e15, description="Of such a buffer [B].")] = 2**21
    log_bytes: Annotated[float, Field(gt=0, le=1e15, description="Of the log that is kept where it lives [B].")] = 2**27
    memory: Annotated[
        str,
        one_of("main memory", lambda: (NOTHING, *memories())),
        Field(description="Whose price main memory has; none: it costs nothing."),
    ] = "five-minute-memory-2018"
    busy_at_most: Annotated[
        float, Field(gt=0, lt=1, description="Share of the time that a device or processor may work.")
    ] = 0.8
    uncertainty: Annotated[
        float, Field(ge=0, lt=1, description="By which numbers without an interval of their own may be off, 0..1.")
    ] = 0.2

    @model_validator(mode="after")
    def _none_is_named_twice(self):
        for name in type(self).model_fields:
            given = getattr(self, name)
            if isinstance(given, tuple):
                twice = sorted({str(each) for each in given if given.count(each) > 1})
                require(not twice, f"{name}: {' and '.join(twice)} is named twice")
        return self


def memories() -> tuple[str, ...]:
    """Ids of main memories with a price in dollars."""
    known_devices = catalogue.devices().values()
    return tuple(each.id for each in known_devices if each.device_class == "main memory" and each.dollar_prices)


class System(Checked):
    """Load, memory, log, file system, devices with counts and places, horizon and prices."""

    name: Annotated[str, Field(min_length=1, max_length=80, description="What it is called in reports.")] = "my system"
    load: Load = Load()
    processors: Processors = Processors()
    memory: Memory = Memory()
    log: Log = Log()
    file_system: FileSystem = FileSystem()
    devices: Annotated[tuple[Placement, ...], Field(min_length=1, description="One entry per kind and place.")] = (
        Placement(role="database", device="intel-x25-m-g2-80gb"),
    )
    economics: Economics = Economics()
    targets: Targets = Targets()
    candidates: Candidates = Candidates()

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

    @property
    def budget_usd(self) -> float | None:
        """`targets.budget` in dollars; None where there is none."""
        return None if self.targets.budget is None else self.targets.budget * self.economics.usd_per_unit

    def value(self, path: str):
        """What stands at a path like `memory.policy` or `devices.log.device`; None where there is no such place.

        What follows from a part (`memory.buffer_bytes`) has a path too. Raises ModelError for another path.
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
            kind: Any = type(found)
            if part not in kind.model_fields:
                known("part of a system", part, _names(kind))
            found = getattr(found, part)
        return found

    def changed(self, changes: Mapping[str, Any]) -> "System":
        """This system with other values at some paths; a place that it lacks (`devices.log.device`) is added.

        None leaves out what may be left out. Raises ModelError for a path that no system has and a value that breaks
        a rule.
        """
        content: dict[str, Any] = {"schema": SCHEMA} | self.model_dump(mode="json")
        for path, value in changes.items():
            *parts, last = path.split(".")
            here: Any = content
            for number, part in enumerate(parts):
                if number and parts[number - 1] == "devices":
                    continue
                here = here.get(part) if isinstance(here, dict) else None
                if part == "devices" and len(parts) > number + 1:
                    here = _place(here, parts[number + 1])
            require(isinstance(here, dict) and path != "schema", f"a system has no {path}; it has {', '.join(paths())}")
            here[last] = value
        return of(content)

    def without(self, role: str) -> "System":
        """This system without the place of that role. Raises ModelError for the database, which lies somewhere."""
        known("role", role, ROLES)
        kept = [placement for placement in self.devices if placement.role != role]
        return of({"schema": SCHEMA} | self.model_dump(mode="json") | {"devices": [each.model_dump() for each in kept]})


def paths() -> list[str]:
    """The paths of all values that a system's file may have; ROLE stands for one of `ROLES`."""
    names = []
    for name, field in System.model_fields.items():
        if name == "devices":
            names += [f"devices.ROLE.{part}" for part in Placement.model_fields]
        else:
            inner = getattr(field.annotation, "model_fields", None)
            names += [f"{name}.{part}" for part in inner] if inner else [name]
    return names


@remembered
def _names(part: Any) -> tuple[str, ...]:
    """What a part of a system has: its fields, and what follows from them."""
    return (*part.model_fields, *(name for name, value in vars(part).items() if isinstance(value, property)))


def _place(placements, role: str) -> dict:
    found = next((item for item in placements if item["role"] == role), None)
    if found is None:
        found = {"role": role}
        placements.append(found)
    return found


def read(path) -> System:
    """The system in a TOML file.

    Raises ModelError, a sentence with the file's name, when it is missing, cannot be read, is not TOML, is of a newer
    schema, or breaks a rule.
    """
    path = Path(path)
    try:
        require_file(path, f"system {path}", f"there is no such file; pagecost system new {path} makes one")
        content = tomllib.loads(texts.read(path))
    except OSError as error:
        raise ModelError(f"system {path}: it cannot be read: {error.strerror}") from None
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
    newer = [name for name in SINCE_2 if name in content and schema < 2]
    require(not newer, f"{who}: {' and '.join(newer)} came with schema 2; its first line says schema = {schema}")
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
            document.add(name, described(part))
    placements = tomlkit.aot()
    for placement in system.devices:
        placements.append(described(placement))
    document.add(tomlkit.nl())
    document.add("devices", placements)
    return tomlkit.dumps(document)


def write(system: System, path) -> None:
    """Write the file whole or not at all. Raises ModelError when it cannot be written; an old file then stays."""
    path = Path(path)
    require(path.parent.is_dir(), f"system {path}: there is no folder {path.parent}")
    try:
        whole_files.write(path, text(system))
    except OSError as error:
        raise ModelError(f"system {path}: it cannot be written: {error.strerror}") from None


def _names_at(place) -> list[str]:
    """The names that a part of a system has, for a place like ("devices", 0)."""
    model: Any = System
    for part in place:
        if isinstance(part, str) and part in model.model_fields:
            inner = model.model_fields[part].annotation
            model = Placement if part == "devices" else inner
    return list(getattr(model, "model_fields", ()))  # of a table of prices: whatever its keys are

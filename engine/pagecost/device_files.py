"""A device as a file: the user's own devices, from a data sheet or from measurements, in a folder of theirs.

One TOML file is one device, with the names, units and rules of the catalogue's four tables. What stands in the folder
is read by `pagecost.catalogue` behind the project's own devices; a file that breaks a rule is told of and left out.

    kept = read("my-ssd.toml")
    write(kept.device, kept.sources, folder() / "my-ssd.toml")
"""

import dataclasses
import datetime
import functools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import platformdirs
import tomlkit

from pagecost import _private_files, texts, units, whole_files
from pagecost.catalogue_tables import (
    COLUMNS,
    NEEDS,
    Device,
    Parameter,
    Source,
    device_of,
    parameter_of,
    price_of,
    project,
    root,
    source_of,
)
from pagecost.errors import ModelError, require, require_file

SCHEMA = 1
"""The version of the file's layout that this pagecost writes. Older ones are still read, newer ones refused."""

FOLDER_VARIABLE = "PAGECOST_DEVICES"
"""The environment variable that names another folder of own devices."""

LIMIT_BYTES = 2**20
"""A larger file is no device."""

LONGEST_NAME = 80  # characters: what a list can show

_HEAD = ("device", "name", "class", "model", "year", "note")
_PARTS = ("sources", "parameters", "prices")
_WORDS = ("schema", *_HEAD, *_PARTS)
_NUMBERS = ("value", "low", "high", "amount")
_SI = {"time": "s", "bytes": "B", "rate": "B/s", "frequency": "1/s", "power": "W", "energy": "J", "length": "m"}
_SI |= {"area": "m2", "number": "1", "per length": "1/m"}


@dataclass(frozen=True)
class Kept:
    """A device with the sources that its file brings along, by id; what it cites else is the project's."""

    device: Device
    sources: Mapping[str, Source]


@dataclass(frozen=True, eq=False)
class Own:
    """What a folder holds: devices by id in the order of the files, and a sentence for each file that is none."""

    devices: Mapping[str, Kept]
    problems: tuple[str, ...]


def folder() -> Path:
    """Where the user's own devices lie: `PAGECOST_DEVICES`, or else the user's data folder. It need not exist."""
    named = os.environ.get(FOLDER_VARIABLE, "")
    return Path(named).expanduser().absolute() if named else _usual_folder()


@functools.cache
def _usual_folder() -> Path:
    return platformdirs.user_data_path("pagecost", appauthor=False) / "devices"


def load_folder() -> Own:
    """The devices of `folder()` as it is now. Never raises: what cannot be read is a problem, and stays out."""
    try:
        with os.scandir(where := folder()) as entries:
            files = sorted(entry.name for entry in entries if entry.name.endswith(".toml"))
    except (FileNotFoundError, ValueError):  # a name with a zero byte in it
        return _NONE
    except OSError as error:
        return Own(_NONE.devices, (f"own devices: {where} cannot be read: {error.strerror}",))
    return _loaded(where, tuple((name, _stamp(where / name)) for name in files)) if files else _NONE


_NONE = Own(MappingProxyType({}), ())


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


@functools.lru_cache(maxsize=1)
def _loaded(where: Path, stamped: tuple[tuple[str, tuple[int, ...]], ...]) -> Own:
    devices: dict[str, Kept] = {}
    problems: list[str] = []
    names = {device.name for device in project().devices.values()}
    sources: dict[str, Source] = {}
    for name, stamp in stamped:
        try:
            kept = _read_once(where / name, stamp)
            id = kept.device.id
            other = Path(devices[id].device.file).name if id in devices else ""
            require(not other, f"own device {name}: {id!r} stands in {other} already")
        except ModelError as error:
            problems.append(str(error))
            continue
        devices[id] = kept = _apart(kept, names, sources)
        names.add(kept.device.name)
        sources.update(kept.sources)
    return Own(MappingProxyType(devices), tuple(problems))


@functools.lru_cache(maxsize=1024)
def _read_once(path: Path, _stamp: tuple[int, ...]) -> Kept:
    return read(path)


def _apart(kept: Kept, names: set[str], sources: Mapping[str, Source]) -> Kept:
    """The device under a name that no other has, its sources under ids that mean nothing else in other files."""
    device = kept.device
    ids = {id: f"{device.id}-{id}" for id, source in kept.sources.items() if sources.get(id, source) != source}

    def cited(row: Any) -> Any:
        return dataclasses.replace(row, source=ids.get(row.source, row.source))

    device = dataclasses.replace(
        device,
        name=f"{device.name} ({device.id})" if device.name in names else device.name,
        parameters={name: cited(parameter) for name, parameter in device.parameters.items()},
        prices=tuple(map(cited, device.prices)),
    )
    return Kept(
        device,
        {ids.get(id, id): dataclasses.replace(source, id=ids.get(id, id)) for id, source in kept.sources.items()},
    )


def read(path: Path | str) -> Kept:
    """The device in a file. Raises ModelError, a sentence with the file's name, where it is none or breaks a rule."""
    path = Path(path)
    who = f"own device {path.name or path}"
    try:
        require(not path.is_dir(), f"{who}: this is a folder; name the file of a device in it")
        require_file(path, who, f"there is no file {path}; pagecost devices new {path} makes one")
        size = path.stat().st_size
        require(size <= LIMIT_BYTES, f"{who}: it has {units.format_bytes(size)}; a device has at most 1 MiB")
        content = tomllib.loads(texts.read(path))
    except ModelError:
        raise
    except OSError as error:
        raise ModelError(f"{who}: it cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, a number of 5000 digits, brackets without end
        raise ModelError(f"{who}: this is not TOML: {error}") from None
    kept = of(content, who)
    return dataclasses.replace(kept, device=dataclasses.replace(kept.device, file=str(path.absolute())))


def of(content: Mapping[str, Any], who: str = "own device") -> Kept:
    """The device that a dictionary of the file's layout describes. who: begins the sentence of an error."""
    schema: Any = content.get("schema")
    require(schema is not None, f"{who}: it does not say its schema; the first line of a device is schema = {SCHEMA}")
    require(
        isinstance(schema, int) and not isinstance(schema, bool) and schema >= 1,
        f"{who}: schema must be a whole number from 1; got {schema!r}",
    )
    require(schema <= SCHEMA, f"{who}: it is of schema {schema}; this pagecost reads up to {SCHEMA}: update pagecost")
    for name in content:
        require(name in _WORDS, f"{who}: it has no part {name!r}; known: {', '.join(_WORDS)}")
    head = _row(who, _HEAD, {name: value for name, value in content.items() if name in _HEAD})
    id = head["device"]
    require(bool(id), f'{who}: it does not say its id; write device = "my-ssd"')
    require(
        id not in project().devices and id not in _measurements(),
        f"{who}: {id!r} is a device of pagecost's own catalogue; give yours another id",
    )
    require(
        head["name"].isprintable() and len(head["name"]) <= LONGEST_NAME,
        f"{who}: name must be one line of at most {LONGEST_NAME} characters; got {head['name']!r}",
    )
    sources = _sources(who, content)
    all_sources = {**project().sources, **sources}
    parameters = {}
    for name, said in _tables(who, content, "parameters"):
        at = f"{who}, {name}"
        row = _row(at, COLUMNS["parameters.csv"][2:], said, needed=("unit", "status", "source"))
        parameters[name] = parameter_of(at, {"device": id, "parameter": name, **row}, all_sources)
    prices = content.get("prices", [])
    require(isinstance(prices, list), f"{who}: a price begins with [[prices]]")
    needed = ("currency", "per", "date", "status", "source")
    rows = [
        (f"{who}, price {number}", {"device": id} | _row(f"{who}, price {number}", _PRICE, said, needed=needed))
        for number, said in enumerate(prices, 1)
    ]
    device = device_of(who, head, parameters, tuple(price_of(at, row, all_sources) for at, row in rows))
    return Kept(device, sources)


_PRICE = COLUMNS["prices.csv"][1:]


def text(device: Device, sources: Mapping[str, Source]) -> str:
    """The file's text: the device, and those of the sources that it cites and the project does not have.

    `read` gives the same device back, with numbers as they were published. Raises ModelError as `read`, such as for a
    source that is nowhere.
    """
    cited = [parameter.source for parameter in device.parameters.values()] + [price.source for price in device.prices]
    own = {id: sources[id] for id in dict.fromkeys(cited) if id in sources and id not in project().sources}
    document: dict[str, Any] = {"schema": SCHEMA}
    head = (device.id, device.name, device.device_class, device.model, device.year, device.note)
    document |= {name: value for name, value in zip(_HEAD, head, strict=True) if value not in (None, "")}
    columns = COLUMNS["sources.csv"][1:]
    parts: dict[str, Any] = {
        "sources": {id: _said({name: getattr(source, name) for name in columns}) for id, source in own.items()},
        "parameters": {name: _parameter(row) for name, row in device.parameters.items()},
        "prices": [_said({name: getattr(price, name) for name in _PRICE}) for price in device.prices],
    }
    document |= {name: part for name, part in parts.items() if part}
    of(document, f"own device {device.id}")  # what would not be read again is not written
    return "# A device of your own for pagecost: see `pagecost devices check`.\n" + tomlkit.dumps(document)


def write(device: Device, sources: Mapping[str, Source], path: Path | str) -> None:
    """Write the file whole or not at all. Raises ModelError as `text`, or when it cannot be written."""
    write_text(path, text(device, sources))


def write_text(path: Path | str, text: str) -> None:
    """Write what is to be a device's file whole or not at all. Raises ModelError when it cannot be written."""
    _write(Path(path), text.encode())


def add(path: Path | str, *, replace: bool = False) -> Path:
    """Check a file and copy it, as it stands, into `folder()`; where it then lies.

    Raises ModelError as `read`, and for a device that is there already unless it may be replaced.
    """
    kept = read(path)
    there = load_folder().devices.get(kept.device.id)
    place = Path(there.device.file) if there else folder() / f"{kept.device.id}.toml"
    require(
        replace or not place.exists(),
        f"own device {kept.device.id!r}: it is there already, in {place}; --replace puts the new file in its place",
    )
    _write(place, Path(path).read_bytes(), is_own_folder=True)
    return place


def missing_for(device: Device) -> dict[str, list[str]]:
    """What each model of the engine would still need of the device: model -> names, none where it has enough."""
    return {model: _missing(device, needs) for model, needs in NEEDS.items()}


def _missing(device: Device, needs) -> list[str]:
    choices = [(need,) if isinstance(need, str) else need for need in needs]
    return [" or ".join(choice) for choice in choices if all(device.get(name) is None for name in choice)]


def _write(path: Path, content: bytes, *, is_own_folder: bool = False) -> None:
    try:
        if is_own_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        require(path.parent.is_dir(), f"own device {path.name}: there is no folder {path.parent}")
        (_private_files.write if is_own_folder else whole_files.write)(path, content)
    except OSError as error:
        raise ModelError(f"own device {path.name}: {path} cannot be written: {error.strerror}") from None


def _sources(who: str, content: Mapping[str, Any]) -> dict[str, Source]:
    found = {}
    for id, said in _tables(who, content, "sources"):
        at = f"{who}, source {id}"
        require(
            id not in project().sources,
            f"{at}: the project has a source of that id; cite it without a table of your own, or name yours otherwise",
        )
        found[id] = source_of(at, {"source": id} | _row(at, COLUMNS["sources.csv"][1:], said))
    return found


def _tables(who: str, content: Mapping[str, Any], part: str):
    tables = content.get(part, {})
    require(isinstance(tables, dict), f"{who}: {part} are tables, as in [{part}.name]")
    return tables.items()


def _row(at: str, columns: tuple[str, ...], said: Any, *, needed: tuple[str, ...] = ()) -> dict[str, str]:
    """A row of the catalogue's tables, all texts, from what a table of TOML says."""
    require(isinstance(said, dict), f"{at}: a table is needed, of {', '.join(columns)}; got {said!r}")
    for name in said:
        require(name in columns, f"{at}: unknown column {name!r}; known: {', '.join(columns)}")
    row = {name: _cell(at, name, said.get(name, ""), said.get("unit")) for name in columns}
    for name in needed:
        require(row[name] != "", f"{at}: {name} is missing")
    return row


def _cell(at: str, name: str, value: Any, unit: Any) -> str:
    if isinstance(value, datetime.date):
        return value.isoformat()
    if value == "" and isinstance(value, str):
        return ""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name in _NUMBERS and unit != units.TEXT:
        require(is_number, f"{at}: {name} must be a number; got {value!r}")
        return repr(value).removesuffix(".0")
    if name == "year" and is_number:
        return str(value)
    require(isinstance(value, str), f"{at}: {name} must be a text in quotation marks; got {value!r}")
    return value.strip()


def _said(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value not in (None, "")}


def _parameter(row: Parameter) -> dict[str, Any]:
    """A parameter with its numbers in the published unit, or in SI where that would not give the same numbers back."""
    numbers, unit = {name: getattr(row, name) for name in ("value", "low", "high")}, row.unit
    if unit != units.TEXT:
        published = {name: _published(x, unit) for name, x in numbers.items() if x is not None}
        if None in published.values():
            unit = _SI[units.dimension(unit)]
        else:
            numbers = published
    words = {name: getattr(row, name) for name in ("bound", "status", "source", "place", "note")}
    return _said({**numbers, "unit": unit, **words})


def _published(value: float, unit: str) -> float | None:
    """The number in `unit` that is read as `value` [SI]; None where rounding leaves none."""
    near = units.from_si(value, unit)
    return next((x for x in (near, float(f"{near:.15g}")) if units.to_si(x, unit) == value), None)


@functools.cache
def _measurements() -> frozenset[str]:
    """Measurements that come with pagecost stand in the lists of devices, under the names of their files."""
    return frozenset(path.stem for path in (root() / "measurements").glob("*.json"))

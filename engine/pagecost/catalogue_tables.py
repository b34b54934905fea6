"""What the catalogue is made of: a device, a parameter, a price, a source, and the rules for a row of each.

Four tables in `datasets/` (see its README): devices, parameters, prices, sources. Published units are converted to SI
and bytes here, once; everything above this floor sees SI only.
"""

import csv
import dataclasses
import functools
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from pagecost import reads, units
from pagecost.errors import ModelError, known, require

STATUSES = {
    "specified": "data sheet or maker",
    "quoted": "a data sheet as notes quote it, not read here",
    "measured": "measured by the source",
    "bound": "stated only as a bound",
    "announced": "announced, not on sale when stated",
    "stated": "as the source states it, of a class or assumed",
    "derived": "computed from other numbers, the note says how",
    "recalled": "general knowledge, not verified",
    "fitted": "free parameter chosen here, the note says to what",
}
BOUNDS = ("", "<=", ">=")
PER = ("device", "MB", "GB")
MEMORIES = ("main memory", "extended memory", "NVEM", "DRAM-SSD", "disk cache")
"""Classes of devices that are made of memory chips, whose MB and GB are powers of two."""

# What a model class needs; a tuple is a choice of which one is enough.
NEEDS: Mapping[str, tuple[str | tuple[str, ...], ...]] = {
    "hard_disk": ("rotation_hz", "average_seek_read_s", ("outer_media_bytes_per_s", "sequential_read_bytes_per_s")),
    "flash": ("page_bytes", "pages_per_block", "page_read_s", "page_program_s", "block_erase_s"),
    "rated": ("random_read_iops", "random_write_iops", "sequential_read_bytes_per_s", "sequential_write_bytes_per_s"),
    "memory": ("access_s",),
}

# The end of a parameter's name says what it measures. Longest first; any other name is a plain number.
_SUFFIXES = {
    "_bytes_per_s": "rate",
    "_per_m": "per length",
    "_bytes": "bytes",
    "_iops": "frequency",
    "_hz": "frequency",
    "_m2": "area",
    "_s": "time",
    "_w": "power",
    "_j": "energy",
    "_m": "length",
}

# Of each table; a device as a file has the same names.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "devices.csv": ("device", "name", "class", "model", "year", "note"),
    "parameters.csv": (
        *("device", "parameter", "value", "unit", "low", "high", "bound", "status", "source", "place", "note"),
    ),
    "prices.csv": (
        *("device", "amount", "low", "high", "currency", "per", "date", "status", "source", "place", "note"),
    ),
    "sources.csv": ("source", "title", "authors", "publisher", "year", "url", "read_on", "licence", "note"),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number (or text) of one device. value, low, high: SI, None where not stated; `stated`: as published."""

    device: str
    name: str
    value: float | str | None
    low: float | None
    high: float | None
    stated: str
    unit: str
    bound: str
    status: str
    source: str
    place: str
    note: str


@dataclass(frozen=True, slots=True)
class Price:
    """What a device, or a MB or GB of it, cost at a date (ISO, year or longer). amount, low, high: in `currency`."""

    device: str
    amount: float | None
    low: float | None
    high: float | None
    currency: str
    per: str
    date: str
    status: str
    source: str
    place: str
    note: str

    @property
    def middle(self) -> float:
        """The amount, or the middle of the range, in `currency`; nan where there is neither."""
        if self.amount is not None:
            return self.amount
        return math.nan if self.low is None or self.high is None else (self.low + self.high) / 2

    @property
    def stated_amount(self) -> float:
        """The amount, in `currency`. ModelError where only a range is known."""
        if self.amount is None:
            raise ModelError(
                f"{self.device}: its price of {self.date} is known only as a range, {self.low} to {self.high} "
                f"{self.currency}; take its low or high"
            )
        return self.amount


@dataclass(frozen=True, slots=True)
class Source:
    """Where numbers stand. read_on: ISO date or blank; url: blank where not known exactly."""

    id: str
    title: str
    authors: str
    publisher: str
    year: str
    url: str
    read_on: str
    licence: str
    note: str


@dataclass(frozen=True, slots=True)
class Device:
    """A storage device, equal to another of which all the same is known. model: the model class the known numbers are
    enough for (a key of `NEEDS`), or blank. file: of a device of the user's own, the path it was read from.
    """

    id: str
    name: str
    device_class: str
    model: str
    year: int | None
    note: str
    parameters: Mapping[str, Parameter]
    prices: tuple[Price, ...]
    file: str = dataclasses.field(default="", compare=False)

    def __hash__(self) -> int:
        return hash((self.id, self.model, *(parameter.value for parameter in self.parameters.values())))

    def value(self, name: str) -> float:
        """The number `name` in SI; of a bound, the bound. ModelError if unknown, only a range, or a text."""
        parameter = self.parameter(name)
        if parameter.value is None:
            raise ModelError(f"{self.id}: {name} is known only as a range, {parameter.stated}; take its low or high")
        if isinstance(parameter.value, str):
            raise ModelError(f"{self.id}: {name} is a text, {parameter.value!r}, not a number")
        return parameter.value

    def text(self, name: str) -> str:
        """The text `name`, such as the id of another device. ModelError if it is not known or a number."""
        parameter = self.parameter(name)
        if not isinstance(parameter.value, str):
            raise ModelError(f"{self.id}: {name} is a number, {parameter.stated}, not a text")
        return parameter.value

    def get(self, name: str, default=None):
        """The number (SI) or text `name`, or `default` where it is unknown or only a range."""
        parameter = self.parameters.get(name)
        self._note(name)
        return default if parameter is None or parameter.value is None else parameter.value

    def known(self, name: str) -> float:
        """The number `name` in SI; nan where it is unknown, only a range, or only a bound, such as the power asleep."""
        parameter = self.parameters.get(name)
        return math.nan if parameter is not None and parameter.bound else float(self.get(name, math.nan))

    def parameter(self, name: str) -> Parameter:
        """The parameter `name` with unit, range, status and source. ModelError if it is not known."""
        require(
            name in self.parameters,
            f"{self.id}: {name} is not known; known: {', '.join(sorted(self.parameters)) or 'nothing'}",
        )
        self._note(name)
        return self.parameters[name]

    def _note(self, name: str) -> None:
        if name in self.parameters and reads.are_recorded():
            reads.note([f"device:{self.id}.{name}"])

    @property
    def dollar_prices(self) -> tuple[Price, ...]:
        """The prices that are in dollars; of another currency there is no rate here."""
        return tuple(price for price in self.prices if price.currency == "USD")

    @property
    def newest_price(self) -> Price | None:
        """The newest price of one device in dollars; None if there is none."""
        known_prices = [price for price in self.dollar_prices if price.per == "device"]
        return max(known_prices, key=lambda price: price.date, default=None)

    @property
    def price_usd(self) -> float:
        """The newest price of one device in dollars, of a range its middle; nan if there is none."""
        newest = self.newest_price
        return math.nan if newest is None else newest.middle

    def bytes_of(self, price: Price) -> float:
        """Bytes that a price of this device is for: its capacity, or a MB or GB as what it is made of is sold, memory
        of 2^20 or 2^30 bytes, all else of 10^6 or 10^9. ModelError for the price of one whose capacity is not known.
        """
        if price.per == "device":
            known = self.get("capacity_bytes")
            require(bool(known), f"{self.id}: its price is for one device, and its capacity is not known")
            return known
        binary = self.device_class in MEMORIES
        return {"MB": 2**20, "GB": 2**30}[price.per] if binary else {"MB": 1e6, "GB": 1e9}[price.per]

    def replaced(self, name: str, value: float | str) -> "Device":
        """The same device with one known parameter set to `value` [SI, or a text]: "what if". ModelError if it is not
        known, or a text where a number was or the other way round."""
        old = self.parameter(name)
        same = isinstance(value, str) == isinstance(old.value, str)
        require(same, f"{self.id}: {name} is {old.value!r}; {value!r} cannot take its place")
        if not isinstance(value, str):
            value = float(value)
            require(math.isfinite(value) and value >= 0, f"{self.id}: {name} must be finite and >= 0; got {value}")
        new = dataclasses.replace(
            old,
            value=value,
            low=None,
            high=None,
            stated=value if isinstance(value, str) else f"{value} SI",
            bound="",
            status="fitted",
            note=f"what if; the catalogue has {old.stated}",
        )
        return dataclasses.replace(self, parameters={**self.parameters, name: new})


@dataclass(frozen=True, slots=True, eq=False)
class Catalogue:
    """Devices and sources by id, in the order of the files."""

    folder: Path
    devices: Mapping[str, Device]
    sources: Mapping[str, Source]

    def device(self, name: str) -> Device:
        """The device `name`. ModelError listing the known ones."""
        return self.devices[known("device", name, self.devices)]

    def with_device(self, changed: Device) -> "Catalogue":
        """The same catalogue with one device in the place of the one of the same id."""
        known("device", changed.id, self.devices)
        return dataclasses.replace(self, devices=MappingProxyType({**self.devices, changed.id: changed}))


def root() -> Path:
    """The folder of the datasets: `_datasets` beside the package (installed), else `datasets/` of the checkout."""
    package = Path(__file__).resolve().parent
    candidates = (package / "_datasets", package.parents[1] / "datasets")
    for folder in candidates:
        if (folder / "devices.csv").is_file():
            return folder
    raise ModelError(f"the datasets are missing: no devices.csv in {' or '.join(map(str, candidates))}")


def load(folder: Path | str) -> Catalogue:
    """Read and check the four tables in `folder`. ModelError names the file, the line, the rule and the value."""
    folder = Path(folder)
    sources = _read_sources(folder)
    parameters = _read_parameters(folder, sources)
    prices = _read_prices(folder, sources)
    devices = _read_devices(folder, parameters, prices)
    return Catalogue(folder, MappingProxyType(devices), MappingProxyType(sources))


@functools.cache
def project() -> Catalogue:
    """The project's own catalogue, read once."""
    return load(root())


def _read_sources(folder: Path) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for at, row in _rows(folder, "sources.csv"):
        require(row["source"] not in found, f"{at}: source {row['source']!r} stands twice")
        found[row["source"]] = source_of(at, row)
    return found


def source_of(at: str, row: Mapping[str, str]) -> Source:
    """The source that a row of `sources.csv` describes. at: where the row stands, which begins the sentence of an
    error. Raises ModelError.
    """
    _check_id(at, "source", row["source"])
    require(row["title"] != "", f"{at}: source {row['source']!r} needs a title")
    return Source(*(row[column] for column in COLUMNS["sources.csv"]))


def _read_parameters(folder: Path, sources: Mapping[str, Source]) -> dict[str, dict[str, Parameter]]:
    found: dict[str, dict[str, Parameter]] = {}
    for at, row in _rows(folder, "parameters.csv"):
        of_device = found.setdefault(row["device"], {})
        require(row["parameter"] not in of_device, f"{at}: {row['device']} has {row['parameter']} twice")
        of_device[row["parameter"]] = parameter_of(at, row, sources)
    return found


def parameter_of(at: str, row: Mapping[str, str], sources: Mapping[str, Source]) -> Parameter:
    """The number or text that a row of `parameters.csv` states, in SI. Raises ModelError as `source_of`."""
    device, name, unit = row["device"], row["parameter"], row["unit"]
    require(re.fullmatch(r"[a-z][a-z0-9_]*", name) is not None, f"{at}: parameter must be snake_case; got {name!r}")
    _check_evidence(at, row, sources)
    require(row["bound"] in BOUNDS, f"{at}: bound must be blank, <= or >=; got {row['bound']!r}")
    require(row["status"] != "bound" or row["bound"] != "", f"{at}: status 'bound' needs <= or >= in column bound")
    if unit == units.TEXT:
        require(row["value"] != "", f"{at}: the text {name} of {device} is empty")
        value: float | str | None = row["value"]
        low = high = None
    else:
        _check_unit(at, name, unit)
        stated = [_number(at, column, row[column]) for column in ("value", "low", "high")]
        _check_order(at, *stated)
        value, low, high = (None if x is None else units.to_si(x, unit) for x in stated)
    words = (row[column] for column in ("unit", "bound", "status", "source", "place", "note"))
    return Parameter(device, name, value, low, high, _stated(row), *words)


def _read_prices(folder: Path, sources: Mapping[str, Source]) -> dict[str, list[Price]]:
    found: dict[str, list[Price]] = {}
    for at, row in _rows(folder, "prices.csv"):
        found.setdefault(row["device"], []).append(price_of(at, row, sources))
    return found


def price_of(at: str, row: Mapping[str, str], sources: Mapping[str, Source]) -> Price:
    """The price that a row of `prices.csv` states. Raises ModelError as `source_of`."""
    _check_evidence(at, row, sources)
    require(row["per"] in PER, f"{at}: per must be one of {', '.join(PER)}; got {row['per']!r}")
    require(re.fullmatch(r"[A-Z]{3}", row["currency"]) is not None, f"{at}: unknown currency {row['currency']!r}")
    require(
        re.fullmatch(r"\d{4}(-\d\d){0,2}", row["date"]) is not None,
        f"{at}: a price needs a date like 2008 or 2008-12; got {row['date']!r}",
    )
    amount, low, high = (_number(at, column, row[column]) for column in ("amount", "low", "high"))
    _check_order(at, amount, low, high)
    words = (row[column] for column in ("currency", "per", "date", "status", "source", "place", "note"))
    return Price(row["device"], amount, low, high, *words)


def _read_devices(
    folder: Path, parameters: Mapping[str, dict[str, Parameter]], prices: Mapping[str, list[Price]]
) -> dict[str, Device]:
    found: dict[str, Device] = {}
    for at, row in _rows(folder, "devices.csv"):
        name = row["device"]
        require(name not in found, f"{at}: device {name!r} stands twice")
        own = parameters.get(name, {})
        require(
            row["model"] != "rated" or "rated_block_bytes" in own,
            f"{at}: {name} has model 'rated' but no rated_block_bytes, the size of the requests that it is rated for",
        )
        found[name] = device_of(at, row, own, tuple(prices.get(name, ())))
    for table, named in (("parameters.csv", parameters), ("prices.csv", prices)):
        for name in named:
            require(name in found, f"{table}: device {name!r} is not in devices.csv")
    return found


def device_of(
    at: str, row: Mapping[str, str], parameters: Mapping[str, Parameter], prices: tuple[Price, ...]
) -> Device:
    """The device that a row of `devices.csv` names, with all that is known of it. Raises ModelError as `source_of`."""
    name, model, year = row["device"], row["model"], row["year"]
    _check_id(at, "device", name)
    require(row["name"] != "" and row["class"] != "", f"{at}: {name} needs a name and a class")
    require(re.fullmatch(r"(\d{4})?", year) is not None, f"{at}: year must be blank or four digits; got {year!r}")
    _check_model(at, name, model, parameters)
    number = int(year) if year else None
    return Device(name, row["name"], row["class"], model, number, row["note"], parameters, prices)


def _rows(folder: Path, table: str) -> Iterator[tuple[str, dict[str, str]]]:
    """("parameters.csv line 7", row) for each row; blanks around a field are dropped."""
    path, columns = folder / table, COLUMNS[table]
    require(path.is_file(), f"{table} is missing in {folder}")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        require(not missing, f"{table} line 1: column {', '.join(missing)} is missing; needs {', '.join(columns)}")
        for row in reader:
            at = f"{table} line {reader.line_num}"
            require(
                None not in row and None not in row.values(),
                f"{at}: {len(reader.fieldnames or ())} fields are needed, as in line 1",
            )
            yield at, {column: row[column].strip() for column in columns}


def _check_id(at: str, kind: str, name: str) -> None:
    require(
        re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) is not None,
        f"{at}: {kind} must be lower-case words joined by hyphens; got {name!r}",
    )


def _check_evidence(at: str, row: Mapping[str, str], sources: Mapping[str, Source]) -> None:
    require(row["status"] in STATUSES, f"{at}: unknown status {row['status']!r}; known: {', '.join(STATUSES)}")
    require(row["source"] in sources, f"{at}: unknown source {row['source']!r}; add it to sources.csv")
    needs_note = row["status"] in ("derived", "fitted")
    require(not needs_note or row["note"] != "", f"{at}: status {row['status']!r} needs a note that says how")


def _check_unit(at: str, name: str, unit: str) -> None:
    require(unit in units.UNITS, f"{at}: unknown unit {unit!r}; known: {', '.join(units.UNITS)}, {units.TEXT}")
    wanted = next((what for suffix, what in _SUFFIXES.items() if name.endswith(suffix)), "number")
    got = units.dimension(unit)
    require(got == wanted, f"{at}: {name} must be a {wanted}; unit {unit!r} is a {got}")


def _check_order(at: str, value: float | None, low: float | None, high: float | None) -> None:
    given = [x for x in (low, value, high) if x is not None]
    require(len(given) > 0, f"{at}: a number is needed: a value, or low or high")
    require(given == sorted(given), f"{at}: low <= value <= high must hold; got {' / '.join(map(str, given))}")


def _check_model(at: str, name: str, model: str, own: Mapping[str, Parameter]) -> None:
    if model == "":
        return
    require(model in NEEDS, f"{at}: unknown model {model!r}; known: {', '.join(NEEDS)}")
    for need in NEEDS[model]:
        choice = (need,) if isinstance(need, str) else need
        require(
            any(one in own and own[one].value is not None for one in choice),
            f"{at}: {name} has model {model!r} but no {' or '.join(choice)}",
        )


def _number(at: str, column: str, text: str) -> float | None:
    if text == "":
        return None
    try:
        number = float(text)
    except ValueError:
        raise ModelError(f"{at}: {column} is not a number: {text!r}") from None
    require(math.isfinite(number) and number >= 0, f"{at}: {column} must be finite and >= 0; got {text!r}")
    return number


def _stated(row: Mapping[str, str]) -> str:
    """As published: '8.2 ms', '<= 200 1/s', '10–100 µs', '50 µs (10–100 µs)'."""
    unit = "" if row["unit"] in ("1", units.TEXT) else f" {row['unit']}"
    bound = f"{row['bound']} " if row["bound"] else ""
    value = f"{bound}{row['value']}{unit}" if row["value"] else ""
    extent = f"{row['low']}–{row['high']}{unit}" if row["low"] or row["high"] else ""
    return f"{value} ({extent})" if value and extent else value or extent

"""Every number that a plan is judged by, in one value, so that any of them may be moved: devices, prices, load."""

from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import NamedTuple

import numpy as np

from pagecost import catalogue, devices, oltp
from pagecost.answers.device_servers import log_servers_of_model, servers_of_model
from pagecost.answers.oltp_drives import model_of
from pagecost.catalogue import Device
from pagecost.devices.disk import Disk
from pagecost.devices.disk.geometry import SECTOR_BYTES
from pagecost.devices.disk.theory import random_requests
from pagecost.economics import YEAR_S, endurance, hierarchy
from pagecost.errors import ModelError, require
from pagecost.planner import demand
from pagecost.planner.durable import Durable, durable
from pagecost.remembering import remembered
from pagecost.system import FORCE, NOTHING, FileSystem, System

LOG_BLOCK_BYTES = 4096  # a log is written in such blocks
PARTS = np.linspace(0.0, 1.0, 17) ** 4
"""Of a disk, over which its arm may have to move: close where little is in use, for a seek grows with the root."""
DISK_VARIATION = 0.15  # squared, of a hard disk whose arm is not modelled; of one with an arm it is 0.03 to 0.2


class Times(NamedTuple):
    """A device as servers of a queue [s]: `at_once` servers, each busy for read_s or write_s; further delays beside.

    log_s: of a write of the log at the log's end, behind another. turn_s: of the platter, 0 without one; a write that
    comes later finds its place on the way. spared_s: what a page takes less where each of `PARTS` of a disk is in use.
    variation: squared coefficient of variation of a service, by the same parts.
    """

    read_s: float
    write_s: float
    read_delay_s: float
    write_delay_s: float
    at_once: int
    log_s: float
    log_delay_s: float
    turn_s: float
    spared_s: np.ndarray
    variation: np.ndarray


def times_of(device: str, page_bytes: int, log_bytes: int) -> Times:
    """How a device serves pages and log writes. Raises ModelError for one of which too little is known."""
    model, title = model_of(device), devices.title_of(device)
    pages = servers_of_model(model, title, "random", page_bytes)
    log = log_servers_of_model(model, device, title, log_bytes)
    arm = _arm(model, catalogue.devices().get(device), page_bytes)
    log_s = log.write_s / log.at_once * pages.at_once  # on one of the servers for pages, at the log's rate
    return Times(
        pages.read_s,
        pages.write_s,
        pages.read_delay_s,
        pages.write_delay_s,
        pages.at_once,
        log_s,
        max(log.write_s + log.write_delay_s - log_s, 0.0),
        2 * arm.rotation_s,
        arm.spared_s,
        arm.variation,
    )


class _Arm(NamedTuple):
    """Of random accesses to a disk: rotational latency [s]; spared_s, variation of `Numbers`, by parts in use."""

    rotation_s: float
    spared_s: np.ndarray
    variation: np.ndarray


def _arm(model, found: Device | None, page_bytes: int) -> _Arm:
    """A disk with an arm by the exact moments of random requests over each part; any other is the same everywhere.

    A disk that is given by its mean alone has exponential times, as Rahm 1992, Table 3.3, draws them.
    """
    none = np.zeros(PARTS.size)
    if found is None or found.device_class != "hard disk":
        return _Arm(0.0, none, none)
    if found.model == "memory":
        return _Arm(0.0, none, none + 1.0)
    rotation_s = float(model.service("random read", page_bytes).terms.get("rotation_s", 0.0))
    if not oltp.has_arm(found.id):
        return _Arm(rotation_s, none, none + DISK_VARIATION)
    return _Arm(rotation_s, *_moments(found, page_bytes))


@remembered
def _moments(found: Device, page_bytes: int) -> tuple[np.ndarray, np.ndarray]:
    """How much sooner than over all of the disk a page is read [s], and its squared variation, by parts in use."""
    disk, sectors = Disk.of(found), max(1, page_bytes // SECTOR_BYTES)
    spans = np.maximum(PARTS * disk.geometry.sectors, sectors).astype(int)
    moments = [random_requests(disk, span, sectors) for span in spans.tolist()]
    service_s = np.array([each.service_s for each in moments])
    return service_s[-1] - service_s, np.array([each.squared_variation for each in moments])


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """One value per device (arrays in the order of `devices`), and one of everything else. Money in dollars.

    read_s, write_s: with all of a disk in use. spared_s, variation: float64[devices, PARTS], by the part that is
    (`room.page_times`).

    price_usd: of a device, nan where bytes are bought or nothing is known. byte_usd: of a byte, likewise.
    forced: FORCE, whether a transaction writes what it changed before it ends.
    log_spread: whether successive writes of a log go to different devices, as in the hierarchy of Rahm 1992; on the
    path they fill a stripe of one device before the next one's.
    turn_s: of the platter, 0 without one. has_arm: whether requests in a simulation take what arm and platters need
    from where they stand. load_bytes: of all pages of the load. durable_page_bytes, durable_log_bytes: what reaches a
    device for a page and for a log write among pages, with what the file system writes beside them. written_bytes: that
    wear a device out, inf: never, nan: not known. idle_w, active_w: nan where not known.
    """

    devices: tuple[str, ...]
    read_s: np.ndarray
    write_s: np.ndarray
    read_delay_s: np.ndarray
    write_delay_s: np.ndarray
    at_once: np.ndarray
    log_s: np.ndarray
    log_delay_s: np.ndarray
    turn_s: np.ndarray
    spared_s: np.ndarray
    variation: np.ndarray
    capacity_bytes: np.ndarray
    price_usd: np.ndarray
    byte_usd: np.ndarray
    written_bytes: np.ndarray
    idle_w: np.ndarray
    active_w: np.ndarray
    has_arm: np.ndarray
    page_bytes: int
    load_bytes: float
    log_bytes: int
    durable_page_bytes: float
    durable_log_bytes: float
    memory_byte_usd: float
    rate_hz: float
    updates: float
    processors: int
    transaction_s: float
    group_size: int
    forced: bool
    log_spread: bool
    volume_bytes: float
    hot_bytes: float
    log_kept_bytes: float
    write_buffer_bytes: float
    horizon_s: float
    growth_per_year: float
    price_per_kwh: float
    power_usage_effectiveness: float
    discount_per_year: float
    spare_share: float
    failures_per_year: float
    carbon_kg_per_kwh: float

    @property
    def writes_together(self) -> bool:
        """Whether the pages that a transaction writes go at a time: forced ones of a load of many pages."""
        return self.forced and not self.log_spread

    def place(self, device: str) -> int:
        """Of a device among `devices`."""
        return self.devices.index(device)

    @property
    def unpriced(self) -> list[str]:
        """Those of `devices` whose price is not known."""
        prices = zip(self.devices, self.price_usd, self.byte_usd, strict=True)
        return [name for name, each, byte in prices if np.isnan(each) and np.isnan(byte)]


def numbers_of(system: System, of: demand.Asked) -> Numbers:
    """All numbers of a system and its candidates. Raises ModelError where a device cannot be bought or asked for times.

    A device without a price, capacity or times is refused by name with what is missing.
    """
    candidates, targets, economics = system.candidates, system.targets, system.economics
    require(
        bool(candidates.devices),
        "candidates: no devices to choose from; name some, such as devices = ['intel-x25-m-g2-80gb'] in [candidates]",
    )
    names = tuple(
        dict.fromkeys(
            name
            for group in (candidates.devices, candidates.log_devices, candidates.hot_devices, candidates.write_buffers)
            for name in group
            if name != NOTHING
        )
    )
    made = demand.shape(of, candidates.hot_share)
    log_bytes = of.logged.transaction_bytes + of.logged.change_bytes * made.changed
    log_bytes = int(-(-log_bytes // LOG_BLOCK_BYTES) * LOG_BLOCK_BYTES)
    times = [times_of(name, of.page_bytes, log_bytes) for name in names]
    offers = [_offer(system, name) for name in names]
    require(
        any(isfinite(price) or isfinite(byte) for price, byte in offers),
        f"none of the candidates has a price: {', '.join(names)}; give yours in [economics.price_usd_per_device]",
    )
    volume = targets.volume_bytes or system.load.volume_bytes
    exact = of.debit_credit is not None  # the pages of BRANCH and TELLER; else a share of what is stored
    watts = [_watts(name) for name in names]
    through = Durable(of.page_bytes, log_bytes) if exact else _through_files(system, of, log_bytes)

    def column(values) -> np.ndarray:
        return np.array(list(values), float)

    return Numbers(
        devices=names,
        **{name: column(getattr(each, name) for each in times) for name in _TIMES},
        capacity_bytes=column(map(_capacity, names, (byte for _, byte in offers))),
        price_usd=column(price for price, _ in offers),
        byte_usd=column(byte for _, byte in offers),
        written_bytes=column(_written(name) for name in names),
        idle_w=column(idle for idle, _ in watts),
        active_w=column(active for _, active in watts),
        has_arm=np.array([oltp.has_arm(name) for name in names]),
        page_bytes=of.page_bytes,
        load_bytes=float(made.pages * of.page_bytes),
        log_bytes=log_bytes,
        durable_page_bytes=through.page_bytes,
        durable_log_bytes=through.log_bytes,
        memory_byte_usd=0.0 if candidates.memory == NOTHING else _memory_byte_usd(candidates.memory),
        rate_hz=targets.transactions_per_s or system.load.transaction_rate_hz,
        updates=made.updates,
        processors=system.processors.servers,
        transaction_s=system.processors.transaction_s,
        group_size=system.log.group_size,
        forced=system.log.update_strategy == FORCE,
        log_spread=exact,
        volume_bytes=volume,
        hot_bytes=made.hot_pages * of.page_bytes if exact else candidates.hot_share * volume,
        log_kept_bytes=candidates.log_bytes,
        write_buffer_bytes=candidates.write_buffer_bytes,
        horizon_s=(targets.years or economics.horizon_years) * YEAR_S,
        growth_per_year=targets.growth_per_year,
        price_per_kwh=economics.price_usd_per_kwh,
        power_usage_effectiveness=economics.power_usage_effectiveness,
        discount_per_year=economics.discount_per_year,
        spare_share=economics.spare_share,
        failures_per_year=economics.failures_per_year,
        carbon_kg_per_kwh=economics.carbon_kg_per_kwh,
    )


def _through_files(system: System, of: demand.Asked, log_bytes: int) -> Durable:
    """In place little is written beside the pages, and nothing counted."""
    if system.file_system.layout == FileSystem.model_fields["layout"].default:
        return Durable(of.page_bytes, log_bytes)
    frames = min(system.candidates.buffers or (system.memory.buffer_frames,))
    force = system.log.update_strategy == FORCE
    return durable(of, system.file_system.layout, system.memory.policy, frames, force, log_bytes)


_TIMES = (
    *("read_s", "write_s", "read_delay_s", "write_delay_s", "at_once"),
    *("log_s", "log_delay_s", "turn_s", "spared_s", "variation"),
)


def _offer(system: System, name: str) -> tuple[float, float]:
    """(dollars a device, dollars a byte), nan where it is not sold so: the user's, else the catalogue's newest."""
    own = system.economics.price_usd_per_device.get(name)
    if own is not None:
        return own, nan
    device = catalogue.devices().get(name)
    if device is None or not device.dollar_prices:
        return nan, nan
    try:
        offered = hierarchy.offer(device, "middle")
    except ModelError:  # priced apiece, and its capacity is not known
        return device.price_usd, nan
    return (offered.usd, nan) if offered.capacity_bytes else (nan, offered.usd)


def _memory_byte_usd(name: str) -> float:
    return hierarchy.offer(catalogue.device(name), "middle").usd_per_byte


def _capacity(name: str, byte_usd: float) -> float:
    """Bytes of a device; inf where bytes are bought, at a price each, nan where it is not known."""
    if isfinite(byte_usd):
        return inf
    device = catalogue.devices().get(name)
    return nan if device is None else device.get("capacity_bytes") or nan


def _written(name: str) -> float:
    """Bytes that wear it out. Memory and disks are not worn by writes; nan where it is not known."""
    device = catalogue.devices().get(name)
    if device is None:
        return nan
    if device.model == "memory":
        return inf
    found = endurance(device)
    return found.written_bytes if found else nan


def _watts(name: str) -> tuple[float, float]:
    """(idle, at work) of a device in a server; nan where it is not known or only a bound, such as the power asleep."""
    device = catalogue.devices().get(name)
    if device is None:
        return nan, nan
    idle, active = device.known("idle_w"), device.known("active_w")
    return (active if idle != idle else idle), active  # only load known: as if always at work, which a note says

"""The transaction system that a plan of a storage hierarchy makes of a study's inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pagecost.studies.transactions.transaction_inputs import OWN, TransactionInputs
from pagecost.transactions import DiskUnit, Place, TransactionSystem, rahm
from pagecost.transactions.parameters import MAIN_MEMORY, NONVOLATILE, NVEM, REGULAR, SSD, VOLATILE, WRITE_BUFFER
from pagecost.transactions.plans import NVEM_CACHES, UNITS, Plan

_NO_UNIT = {"nvem": NVEM, "main memory": MAIN_MEMORY}
_KINDS = {
    "disk cache write buffer": WRITE_BUFFER,
    "volatile cache": VOLATILE,
    "non-volatile cache": NONVOLATILE,
    "ssd": SSD,
}


def system_of(
    inputs: TransactionInputs,
    plan: Plan,
    *,
    log_disks: int = 50,
    disks: Mapping[str, int] | None = None,
    partitions: Sequence[str] = ("ACCOUNT", "HISTORY", "BRANCH", "TELLER"),
    **computer,
) -> TransactionSystem:
    """The transaction system of a plan; the rest is as the inputs say.

    disks: unit -> number of its disks, where it differs. partitions: of the load; those that are not Debit-Credit's
    live where ACCOUNT does, and are locked like it. `computer` changes what the inputs say of it.
    """
    homes = {name: plan.homes.get(name, plan.account) for name in partitions}
    units = {_unit_name(home): _unit(inputs, plan, home) for home in homes.values() if home not in _NO_UNIT}
    for name, count in (disks or {}).items():
        if name in units:
            units[name] = replace(units[name], disks=count)
    log = _log_unit(inputs, plan, (disks or {}).get(rahm.LOG, log_disks))
    system = TransactionSystem(
        computer=replace(
            inputs.computer,
            buffer_pages=plan.buffer_pages,
            nvem_cache_pages=plan.nvem_cached(),
            nvem_write_buffer_pages=plan.nvem_buffered(),
            **computer,
        ),
        units=(*units.values(), log),
        partitions={name: _place(home, inputs.locking.get(name, inputs.account_locks)) for name, home in homes.items()},
        log=Place(
            home=NVEM if plan.log == "nvem" else rahm.LOG,
            locking="none",
            nvem_write_buffer=plan.log == "NVEM write buffer",
        ),
    )
    return inputs.accessed(system)


def _unit_name(home: str) -> str:
    return UNITS[_KINDS.get(home, REGULAR)]


def _unit(inputs: TransactionInputs, plan: Plan, home: str) -> DiskUnit:
    kind = _KINDS.get(home, REGULAR)
    unit = inputs.database_unit(home, UNITS[kind])
    return _of_kind(unit, kind, inputs.ssd_device, {WRITE_BUFFER: plan.write_buffer_pages}.get(kind, plan.cache_pages))


def _log_unit(inputs: TransactionInputs, plan: Plan, disks: int) -> DiskUnit:
    kind = _KINDS.get(plan.log, REGULAR)
    return _of_kind(inputs.log_unit(plan.log, disks), kind, inputs.ssd_device, plan.write_buffer_pages)


def _of_kind(unit: DiskUnit, kind: str, ssd_device: str, pages: int) -> DiskUnit:
    if kind == SSD and ssd_device != OWN:  # every access goes to the device that stands in
        return unit
    return replace(unit, kind=kind, cache_pages=pages if kind in (WRITE_BUFFER, VOLATILE, NONVOLATILE) else 0)


def _place(home: str, locking: str) -> Place:
    return Place(
        home=_NO_UNIT.get(home) or _unit_name(home),
        locking=locking,
        nvem_caching=NVEM_CACHES.get(home, "none"),
        nvem_write_buffer=home == "NVEM write buffer",
    )

"""The transaction system that a plan of a storage hierarchy makes of a study's inputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pagecost.studies.transactions.transaction_inputs import OWN, TransactionInputs
from pagecost.transactions import Computer, DiskUnit, Place, TransactionSystem, rahm
from pagecost.transactions.parameters import MAIN_MEMORY, NONVOLATILE, NVEM, REGULAR, SSD, VOLATILE, WRITE_BUFFER
from pagecost.transactions.plans import NVEM_CACHES, UNITS, Plan

Made = TypeVar("Made")
_NO_UNIT = {"nvem": NVEM, "main memory": MAIN_MEMORY}
_KINDS = {
    "disk cache write buffer": WRITE_BUFFER,
    "volatile cache": VOLATILE,
    "non-volatile cache": NONVOLATILE,
    "ssd": SSD,
}


def system_of(inputs: TransactionInputs, plan: Plan, **asked) -> TransactionSystem:
    """The transaction system of one plan; `asked` as for `Systems.of`."""
    return Systems(inputs).of(plan, **asked)


class Systems:
    """The transaction systems of plans; the rest is as the inputs say. Plans share units and places: each is made once.

    transactions: of the inputs.
    """

    def __init__(self, inputs: TransactionInputs):
        self.transactions = inputs.transactions
        self._inputs, self._computer, self._locking = inputs, inputs.computer, inputs.locking
        self._made: dict[tuple, Any] = {}

    def of(
        self,
        plan: Plan,
        *,
        log_disks: int = 50,
        disks: Mapping[str, int] | None = None,
        partitions: Sequence[str] = ("ACCOUNT", "HISTORY", "BRANCH", "TELLER"),
        **computer,
    ) -> TransactionSystem:
        """That of a plan.

        disks: unit -> number of its disks, where it differs. partitions: of the load; those that are not
        Debit-Credit's live where ACCOUNT does, and are locked like it. `computer` changes what the inputs say of it.
        """
        homes, locking = {name: plan.homes.get(name, plan.account) for name in partitions}, self._locking
        counts = disks or {}
        units = {
            (name := _unit_name(home)): self._once(self._unit, home, _pages(plan, home), counts.get(name))
            for home in homes.values()
            if home not in _NO_UNIT
        }
        log_pages, count = plan.write_buffer_pages, counts.get(rahm.LOG, log_disks)
        system = TransactionSystem(
            computer=self._once(
                self._computer_with,
                ("buffer_pages", plan.buffer_pages),
                ("nvem_cache_pages", plan.nvem_cached()),
                ("nvem_write_buffer_pages", plan.nvem_buffered()),
                *computer.items(),
            ),
            units=(*units.values(), self._once(self._log_unit, plan.log, log_pages, count)),
            partitions={
                name: self._once(_place, home, locking.get(name, locking["ACCOUNT"])) for name, home in homes.items()
            },
            log=self._once(_log_place, plan.log),
        )
        return self._inputs.accessed(system)

    def _computer_with(self, *changed: tuple[str, Any]) -> Computer:
        return replace(self._computer, **dict(changed))

    def _unit(self, home: str, pages: int, disks: int | None) -> DiskUnit:
        kind = _KINDS.get(home, REGULAR)
        unit = _of_kind(self._inputs.database_unit(home, UNITS[kind]), kind, self._inputs.ssd_device, pages)
        return unit if disks is None else replace(unit, disks=disks)

    def _log_unit(self, home: str, pages: int, disks: int) -> DiskUnit:
        unit, kind = self._inputs.log_unit(home, disks), _KINDS.get(home, REGULAR)
        return _of_kind(unit, kind, self._inputs.ssd_device, pages)

    def _once(self, make: Callable[..., Made], *given) -> Made:
        key = (make, *given)
        if key not in self._made:
            self._made[key] = make(*given)
        return self._made[key]


def _unit_name(home: str) -> str:
    return UNITS[_KINDS.get(home, REGULAR)]


def _pages(plan: Plan, home: str) -> int:
    """Of the cache in front of a unit."""
    return plan.write_buffer_pages if _KINDS.get(home) == WRITE_BUFFER else plan.cache_pages


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


def _log_place(home: str) -> Place:
    return Place(
        home=NVEM if home == "nvem" else rahm.LOG, locking="none", nvem_write_buffer=home == "NVEM write buffer"
    )

"""Stages in a row, in an order that makes sense, and the journey of requests through them."""

from dataclasses import dataclass
from math import nan

from pagecost.errors import require
from pagecost.path.account import Account
from pagecost.requests import Requests

DEVICES = ("disk", "ssd", "flash")
MAY_FOLLOW = {
    "": ("buffer", "page cache", "file system", "scheduler", *DEVICES),
    "buffer": ("page cache", "file system", "scheduler", *DEVICES),
    "page cache": ("file system", "scheduler", *DEVICES),
    "file system": ("scheduler", *DEVICES),
    "scheduler": DEVICES,
    "disk": (),
    "ssd": (),
    "flash": (),
}
"""Which stages may follow which, by name; "" is the load. A path may end anywhere: one stops there and looks."""


@dataclass(frozen=True, eq=False)
class Journey:
    """requests: what came out of the last stage. accounts: of every stage, in order."""

    requests: Requests
    accounts: tuple[Account, ...]

    def __getitem__(self, stage: str) -> Account:
        """The account of a stage by its name."""
        found = {account.stage: account for account in self.accounts}
        require(stage in found, f"this path has no stage {stage!r}; it has {', '.join(found)}")
        return found[stage]

    @property
    def energy_j(self) -> float:
        """Energy of the device [J]; nan where not known or where the path ends before one. Memory's is not counted."""
        return self.accounts[-1].energy_j if self.accounts[-1].stage in DEVICES else nan


class Path:
    """Stages in the order in which requests meet them. Raises ModelError for an order that `MAY_FOLLOW` lacks."""

    def __init__(self, *stages):
        require(len(stages) > 0, "a path needs at least one stage")
        for before, stage in zip(("", *(stage.name for stage in stages)), stages, strict=False):
            allowed = ", ".join(MAY_FOLLOW[before]) or "nothing"
            require(
                stage.name in MAY_FOLLOW[before],
                f"{stage.name} cannot follow {before or 'the load'}; {allowed} can",
            )
        self.stages = stages

    def serve(self, requests: Requests, warm_up: int = 0) -> Journey:
        """Send requests through all stages. Each stage begins afresh. Raises ModelError as the stages do.

        warm_up: how many of the first requests fill caches and wear flash, but are in no account and not in what comes
        out. What they sent on reaches each later stage first, and a device has carried it out before the others.
        """
        require(
            0 <= warm_up <= requests.size, f"0..{requests.size} of the requests can warm the path up; got {warm_up}"
        )
        before = requests.chosen(slice(warm_up)) if warm_up else None
        requests = requests.chosen(slice(warm_up, None))
        accounts = []
        for stage in self.stages:
            passed = stage.serve(requests, before)
            requests, before = passed.requests, passed.warm_up
            accounts.append(passed.account)
        return Journey(requests, tuple(accounts))

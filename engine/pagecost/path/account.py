"""What a stage did: requests and bytes in and out, what it kept from the device, what it added, time, energy, wear."""

from dataclasses import dataclass, fields, replace
from math import nan
from typing import Any

import numpy as np

from pagecost.errors import require
from pagecost.requests import READ, TRIM, WRITE, Requests, sealed


@dataclass(frozen=True, kw_only=True, eq=False)
class Account:
    """The account of one stage over one run. Bytes are of pages, whole ones.

    absorbed_bytes: asked for, and no request of the next stage carries them (hits; writes that met an earlier one
    still waiting; at a device what costs nothing, as trims on a disk). added_bytes: sent on though nobody asked for
    them just then (write-backs, read-ahead, metadata). held_bytes: written to the stage and not yet sent on at the
    end. Conservation, which `check` holds: in - absorbed = out - added.

    time_s: from the first moment to the end of the last request; busy_s: of it, at work; energy_j. Each is nan where
    the stage does not know it. programmed_bytes, copied_bytes, erases: of flash, 0 elsewhere; programmed = written in
    + copied. completion_s: float64[n], aligned with the requests that a device hands back; None elsewhere.
    """

    stage: str
    requests_in: int
    requests_out: int
    read_bytes_in: int
    written_bytes_in: int
    trimmed_bytes_in: int
    read_bytes_out: int
    written_bytes_out: int
    trimmed_bytes_out: int
    absorbed_bytes: int = 0
    added_bytes: int = 0
    held_bytes: int = 0
    time_s: float = nan
    busy_s: float = nan
    energy_j: float = nan
    programmed_bytes: int = 0
    copied_bytes: int = 0
    erases: int = 0
    completion_s: np.ndarray | None = None

    @classmethod
    def of(cls, stage: str, taken: Requests, handed: Requests, **rest) -> "Account":
        """The account of a stage that took some requests and handed on others. Raises ModelError as `check`."""
        sides: dict[str, Any] = {
            f"{name}_bytes_{side}": requests.bytes_of(op)
            for side, requests in (("in", taken), ("out", handed))
            for name, op in (("read", READ), ("written", WRITE), ("trimmed", TRIM))
        }
        made = cls(stage=stage, requests_in=taken.size, requests_out=handed.size, **sides, **rest)
        made.check()
        return made

    @property
    def bytes_in(self) -> int:
        """Bytes of all requests that came in."""
        return self.read_bytes_in + self.written_bytes_in + self.trimmed_bytes_in

    @property
    def bytes_out(self) -> int:
        """Bytes of all requests that went on; of a device, those that it carried out."""
        return self.read_bytes_out + self.written_bytes_out + self.trimmed_bytes_out

    @property
    def write_amplification(self) -> float:
        """Bytes programmed per byte that the host wrote to flash; nan where there are none."""
        return self.programmed_bytes / self.written_bytes_in if self.programmed_bytes else nan

    def check(self) -> None:
        """Raise ModelError unless bytes are conserved."""
        kept, sent = self.bytes_in - self.absorbed_bytes, self.bytes_out - self.added_bytes
        require(
            kept == sent,
            f"{self.stage}: bytes got lost: {self.bytes_in} in, {self.absorbed_bytes} absorbed, "
            f"{self.added_bytes} added, {self.bytes_out} out",
        )
        flash = self.written_bytes_in + self.copied_bytes
        require(
            self.programmed_bytes in ((flash,) if self.copied_bytes or self.erases else (0, flash)),
            f"{self.stage}: programmed {self.programmed_bytes} bytes, host and copies together {flash}",
        )

    def row(self) -> dict[str, float]:
        """The account as plain numbers by name, without the array."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "completion_s"}


@dataclass(frozen=True, eq=False)
class Passed:
    """What a stage hands on, in arrays that cannot be written to, and its account.

    warm_up: what it handed on before, of requests that are in no account; None where there were none.
    """

    requests: Requests
    account: Account
    warm_up: Requests | None = None

    @classmethod
    def of(cls, stage: str, taken: Requests, handed: Requests, *, warm_up: Requests | None = None, **rest) -> "Passed":
        """Seal what is handed on and write the account."""
        account = Account.of(stage, taken, handed, **rest)
        if account.completion_s is not None:
            account = replace(account, completion_s=sealed(account.completion_s))
        return cls(handed.sealed(), account, None if warm_up is None else warm_up.sealed())

    def after(self, before: "Passed", taken: Requests) -> "Passed":
        """What a stage did for `taken`, this being its whole run and `before` its run up to them.

        For stages whose past does not depend on what comes later: what goes on then is the beginning of what goes on
        in all. Pages that were held before and go on now are set off against those that are absorbed now.
        """
        handed = self.requests.chosen(slice(before.requests.size, None))
        absorbed, added = (
            getattr(self.account, name) - getattr(before.account, name) for name in ("absorbed_bytes", "added_bytes")
        )
        return Passed.of(
            self.account.stage,
            taken,
            handed,
            absorbed_bytes=max(absorbed, 0),
            added_bytes=added - min(absorbed, 0),
            held_bytes=self.account.held_bytes,
            warm_up=before.requests,
        )

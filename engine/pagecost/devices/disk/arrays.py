"""Arrays of equal disks, RAID-0, 1, 5 and 10: which requests of the array become which requests of its members.

RAID after Patterson, Gibson and Katz 1988; the parity of RAID-5 moves one disk to the left each row (left-symmetric).
RAID-1 is one mirror of all disks, RAID-10 stripes over mirrored pairs: members 2k and 2k + 1 hold the same.
A write that covers a row of data units as a whole needs no reads. Left out: failed members; a cache in the controller.
"""

from dataclasses import dataclass

import numpy as np

from pagecost.devices.disk import array_kernels as kernels
from pagecost.devices.disk.model import Disk
from pagecost.devices.disk.running import Session
from pagecost.errors import known as known_name
from pagecost.errors import require

LEVELS = {0: "striped", 1: "mirrored", 5: "striped with parity", 10: "striped over mirrored pairs"}
LEAST = {0: 1, 1: 2, 5: 3, 10: 2}
"""Fewest disks that a level can have."""
MIRROR_READS = {
    "in turn": "the members take the reads of a call in turn",
    "by place": "neighbouring striping units are read from different members, wherever they stand in the call",
}
"""Which member of a mirror reads: name -> what it does."""


@dataclass(frozen=True, eq=False)
class MemberRequests:
    """Requests of the members, in order, aligned arrays of shape (m,).

    request: int64, which request of the array caused it. piece: int64, which part of it within one striping unit,
    counted over all requests. member: int64, which disk. lbn, sectors: int64, of that disk. write: bool.
    """

    request: np.ndarray
    piece: np.ndarray
    member: np.ndarray
    lbn: np.ndarray
    sectors: np.ndarray
    write: np.ndarray


@dataclass(frozen=True, eq=False)
class ArrayRun:
    """response_s: float64[n], of each request of the array [s]. busy_s: float64[disks] [s]. elapsed_s: until the last
    member was done. ios: requests of members, in all; member_ios: of each.
    """

    response_s: np.ndarray
    busy_s: np.ndarray
    elapsed_s: float
    ios: int
    member_ios: np.ndarray

    @property
    def utilisation(self) -> float:
        """Share of the time that the busiest member worked, 0..1."""
        return float(self.busy_s.max() / self.elapsed_s)


@dataclass(frozen=True, kw_only=True)
class Array:
    """disks: members, level: a key of `LEVELS`, unit_sectors: neighbouring sectors that lie on one member.

    mirror_reads: a key of `MIRROR_READS`, which member of a mirror, or of a pair, reads.
    """

    disks: int
    level: int
    unit_sectors: int = 128
    mirror_reads: str = "in turn"

    def __post_init__(self):
        known = ", ".join(map(str, LEVELS))
        require(self.level in LEVELS, f"unknown RAID level {self.level!r}; known: {known}")
        known_name("policy of a mirror's reads", self.mirror_reads, MIRROR_READS)
        least = LEAST[self.level]
        require(self.disks >= least, f"RAID-{self.level} needs at least {least} disks; got {self.disks}")
        odd = self.level == 10 and self.disks % 2
        require(not odd, f"RAID-10 needs pairs, an even number of disks; got {self.disks}")
        require(self.unit_sectors >= 1, f"a striping unit needs at least one sector; got {self.unit_sectors}")

    def sectors(self, disk: Disk) -> int:
        """Sectors that the array offers when its members are `disk`."""
        data = {0: self.disks, 1: 1, 5: self.disks - 1, 10: self.disks // 2}[self.level]
        if self.level == 1:
            return disk.geometry.sectors
        return disk.geometry.sectors // self.unit_sectors * self.unit_sectors * data

    def place(self, lbn, sectors, write=None) -> MemberRequests:
        """Requests of the array (first sector, sectors, write flags, shape (n,)) as requests of its members.

        A mirror writes to all and reads from one, as `mirror_reads` says, and so does each pair of RAID-10. A write to
        RAID-5 is four requests: old data and old parity are read, both are written; of a row that it covers as a whole,
        data and parity are written and nothing is read. Raises ModelError for negative sectors or requests of no
        sectors.
        """
        lbn = np.atleast_1d(np.asarray(lbn, np.int64))
        sectors = np.broadcast_to(np.asarray(sectors, np.int64), lbn.shape)
        write = np.zeros(lbn.size, bool) if write is None else np.asarray(write, bool)
        require(lbn.min(initial=0) >= 0, f"a request must not start before sector 0; got {lbn.min(initial=0)}")
        require(sectors.min(initial=1) >= 1, f"a request needs at least one sector; got {sectors.min(initial=1)}")
        request = np.arange(lbn.size)
        if self.level == 1:
            copies = np.where(write, self.disks, 1)
            each = np.repeat(request, copies)
            copy = np.arange(each.size) - np.repeat(np.cumsum(copies) - copies, copies)
            turn = np.cumsum(~write) - 1 if self.mirror_reads == "in turn" else lbn // self.unit_sectors
            member = np.where(write[each], copy, turn[each] % self.disks)
            return MemberRequests(each, each, member, lbn[each], sectors[each], write[each])
        start, end = lbn, lbn + sectors
        request, lbn, sectors = self._pieces(lbn, sectors)
        unit, within = lbn // self.unit_sectors, lbn % self.unit_sectors
        if self.level == 0:
            at = unit // self.disks * self.unit_sectors + within
            piece = np.arange(request.size)
            return MemberRequests(request, piece, unit % self.disks, at, sectors, write[request])
        if self.level == 10:
            return self._paired(request, unit, within, sectors, write[request])
        row, column = unit // (self.disks - 1), unit % (self.disks - 1)
        parity = self.disks - 1 - row % self.disks
        data, at = (parity + 1 + column) % self.disks, row * self.unit_sectors + within
        row_sectors = (self.disks - 1) * self.unit_sectors
        whole = (start[request] <= row * row_sectors) & ((row + 1) * row_sectors <= end[request])
        whole &= write[request]
        ios = np.where(whole, 1 + (column == 0), np.where(write[request], 4, 1))
        each = np.repeat(np.arange(request.size), ios)
        step = np.arange(each.size) - np.repeat(np.cumsum(ios) - ios, ios)
        return MemberRequests(
            request[each],
            each,
            np.where(step % 2 == 0, data[each], parity[each]),
            at[each],
            sectors[each],
            whole[each] | (step >= 2),
        )

    def _paired(self, request, unit, within, sectors, write) -> MemberRequests:
        """Parts within a striping unit each, as requests of mirrored pairs."""
        row, pair = np.divmod(unit, self.disks // 2)
        turn = _reads_before(pair, write) if self.mirror_reads == "in turn" else row
        copies = np.where(write, 2, 1)
        each = np.repeat(np.arange(request.size), copies)
        copy = np.arange(each.size) - np.repeat(np.cumsum(copies) - copies, copies)
        member = 2 * pair[each] + np.where(write[each], copy, turn[each] % 2)
        at = row * self.unit_sectors + within
        return MemberRequests(request[each], each, member, at[each], sectors[each], write[each])

    def _pieces(self, lbn, sectors):
        """(request, first sector, sectors) of the parts that lie within one striping unit each."""
        first, last = lbn // self.unit_sectors, (lbn + sectors - 1) // self.unit_sectors
        count = last - first + 1
        request = np.repeat(np.arange(lbn.size), count)
        unit = first[request] + np.arange(request.size) - np.repeat(np.cumsum(count) - count, count)
        start = np.maximum(lbn[request], unit * self.unit_sectors)
        end = np.minimum((lbn + sectors)[request], (unit + 1) * self.unit_sectors)
        return request, start, end - start

    def serve(self, disk: Disk, arrival_s, lbn, sectors, write=None) -> "ArrayRun":
        """Requests that arrive at given times [s], shape (n,), not falling; every member first come, first served.

        The writes of a RAID-5 write begin when both reads of the same striping unit are done; the array's request is
        done with its last part. Raises ModelError as `place`, for places that the array does not have and for arrivals
        that fall.
        """
        lbn = np.atleast_1d(np.asarray(lbn, np.int64))
        arrival_s = np.array(arrival_s, float)
        require(arrival_s.shape == lbn.shape, f"lbn and arrival_s must have one length; got {lbn.shape}")
        require(bool((np.diff(arrival_s, prepend=0.0) >= 0).all()), "arrivals must not fall and not be negative")
        last, end = self.sectors(disk) - 1, int((lbn + sectors).max(initial=1)) - 1
        require(end <= last, f"requests must lie in sectors 0..{last} of the array; got {end}")
        asked = self.place(lbn, sectors, write)
        reads = np.bincount(asked.piece, ~asked.write)
        second = asked.write & (reads[asked.piece] > 0)
        response_s, busy_s, free_s = np.empty(lbn.size), np.zeros(self.disks), np.zeros(self.disks)
        kernels.serve(
            *(disk.mechanics(), arrival_s, asked.request, asked.piece, asked.member, asked.lbn, asked.sectors),
            *(asked.write.astype(np.int64), second.astype(np.int64)),
            *(np.zeros((self.disks, 2), np.int64), free_s, busy_s, response_s),
        )
        ios = np.bincount(asked.member, minlength=self.disks)
        return ArrayRun(response_s, busy_s, float(free_s.max(initial=0.0)), asked.request.size, ios)

    def ios_per_request(self, write_share: float) -> float:
        """Requests of members that a request within one striping unit becomes, on average: the small-write penalty."""
        per_write = {0: 1, 1: self.disks, 5: 4, 10: 2}[self.level]
        return 1 - write_share + write_share * per_write

    def throughput(self, disk: Disk, lbn, sectors, write=None, scheduler: str = "fcfs", depth: int = 1) -> float:
        """Requests of the array per second when every member always has `depth` of its own requests to do.

        An upper bound: members do not wait for each other. Raises ModelError as `place` and `Session.serve`.
        """
        asked = self.place(lbn, sectors, write)
        longest_s = 0.0
        for member in range(self.disks):
            own = asked.member == member
            if own.any():
                session = Session(disk, scheduler, depth)
                run = session.serve(asked.lbn[own], asked.sectors[own], asked.write[own], last=False)
                longest_s = max(longest_s, run.elapsed_s * np.count_nonzero(own) / max(run.size, 1))
        require(longest_s > 0, "an array needs at least one request")
        return np.atleast_1d(lbn).size / longest_s


def _reads_before(pair, write):
    """How many reads of the same pair stand before each part."""
    order = np.argsort(pair, kind="stable")
    reads = np.cumsum(~write[order]) - ~write[order]
    first = np.searchsorted(pair[order], pair[order])  # where the parts of the same pair begin
    before = np.empty(pair.size, np.int64)
    before[order] = reads - reads[first]
    return before

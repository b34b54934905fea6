"""The mechanics of one disk arm: where a sector lies, how long the arm moves, when the sector comes round.

Angles are in turns, times in seconds. The angle of the platters is a function of absolute time, t · rotation_hz:
rotational waits are computed, never drawn.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_kernel, lean_part

QUEUE, OVERHEAD, SEEK, ROTATION, SWITCH, TRANSFER = range(6)  # columns of the terms of a request
TERMS = 6
GOLDEN_SECTION = 0.6180339887498949  # (√5 - 1) / 2
LINED_UP = 1.0 - 1e-7  # a sector this close (in turns) behind the head is rounding, not a missed turn

FIRST_LBN, LAST_LBN, FIRST_CYLINDER, TRACK_SECTORS, CYLINDER_SECTORS = range(5)  # columns of Mechanics.zone
PER_SECTOR, PER_CYLINDER, TRACK_SKEW, CYLINDER_SKEW = range(4)  # columns of Mechanics.share


class Mechanics(NamedTuple):
    """A disk as plain numbers. share, per zone: 1 / sectors of a track, 1 / sectors of a cylinder, and the skews in
    turns from head to head and from a sector to the same of the next cylinder.
    """

    zone: np.ndarray  # int64[zones, 5]
    share: np.ndarray  # float64[zones, 4]
    zone_of: np.ndarray  # uint8[...]: zone of the first sector of each group of 2^group_bits sectors
    group_bits: int
    seek_s: np.ndarray  # float64[2, cylinders]: by read or write and distance
    heads: int
    rotation_hz: float
    turn_s: float
    head_switch_s: float
    overhead_s: float
    phase: float  # turns that the platters have gone at time 0


class Place(NamedTuple):
    """Where a sector lies. angle: where it starts, in turns, not reduced to 0..1."""

    zone: int
    cylinder: int
    head: int
    sector: int
    angle: float


@lean_part
def locate(disk, lbn):
    """The place of a sector."""
    number = np.uint64(disk.zone_of[np.uint64(lbn >> disk.group_bits)])
    while lbn > disk.zone[number, LAST_LBN]:
        number += np.uint64(1)
    zone, share = disk.zone, disk.share
    within = lbn - zone[number, FIRST_LBN]
    whole = zone[number, CYLINDER_SECTORS]
    cylinder = np.int64(within * share[number, PER_CYLINDER])  # a product, not a division; rounding is mended below
    within -= cylinder * whole
    if within < 0:
        cylinder -= 1
        within += whole
    elif within >= whole:
        cylinder += 1
        within -= whole
    track = zone[number, TRACK_SECTORS]
    head = np.int64(within * share[number, PER_SECTOR])
    sector = within - head * track
    if sector < 0:
        head -= 1
        sector += track
    elif sector >= track:
        head += 1
        sector -= track
    angle = (
        head * share[number, TRACK_SKEW] + cylinder * share[number, CYLINDER_SKEW] + sector * share[number, PER_SECTOR]
    )
    return Place(np.int64(number), zone[number, FIRST_CYLINDER] + cylinder, head, sector, angle)


@lean_part
def turns_until(disk, angle, at_s):
    """Share of a turn, 0 <= share < 1, until `angle` is under the head, seen at time `at_s`."""
    share = angle - disk.phase - at_s * disk.rotation_hz
    share -= np.floor(share)
    return share if share < LINED_UP else 0.0


@lean_part
def ahead_s(disk, member):
    """By how long the platters of a member of an array are ahead of those of its first [s], 0 up to a turn.

    member: 0, 1, … An assumption: nothing keeps the spindles of an array in step, and the golden section spreads any
    number of them evenly over a turn (docs/models/disk.md#arrays).
    """
    return (member * GOLDEN_SECTION % 1.0) * disk.turn_s


@lean_part
def move_s(disk, write, from_cylinder, from_head, cylinder, head):
    """Time of the arm: the longer of seek and head switch, which overlap."""
    seek_s = disk.seek_s[np.uint64(write), np.uint64(abs(cylinder - from_cylinder))]
    return max(seek_s, disk.head_switch_s * (head != from_head))  # a product: no branch to guess wrong


@lean_part
def across_tracks(disk, place, sectors, write, start_s):
    """Transfer of `sectors` from a place at `start_s`, over the ends of tracks.

    Returns (transfer [s], switches with the wait for the skewed first sector [s], cylinder, head at the end).
    """
    zone, cylinder, head, sector = place.zone, place.cylinder, place.head, place.sector
    transfer_s = 0.0
    switch_s = 0.0
    while True:
        here = min(sectors, disk.zone[zone, TRACK_SECTORS] - sector)
        transfer_s += here * disk.share[zone, PER_SECTOR] * disk.turn_s
        sectors -= here
        if sectors == 0:
            return transfer_s, switch_s, cylinder, head
        sector = 0
        if head + 1 < disk.heads:
            head += 1
            moved_s = disk.head_switch_s
        else:
            moved_s = move_s(disk, write, cylinder, head, cylinder + 1, 0)
            head = 0
            cylinder += 1
            if zone + 1 < disk.zone.shape[0] and cylinder >= disk.zone[zone + 1, FIRST_CYLINDER]:
                zone += 1
        within = cylinder - disk.zone[zone, FIRST_CYLINDER]
        angle = head * disk.share[zone, TRACK_SKEW] + within * disk.share[zone, CYLINDER_SKEW]
        moved_s += turns_until(disk, angle, start_s + transfer_s + switch_s + moved_s) * disk.turn_s
        switch_s += moved_s


@lean_part
def position(disk, place, from_cylinder, from_head, write, now_s):
    """From the moment the disk turns to a request until its first sector comes round: (arm, rotation, end) [s]."""
    arm_s = move_s(disk, write, from_cylinder, from_head, place.cylinder, place.head)
    at_s = now_s + (disk.overhead_s + arm_s)
    rotation_s = turns_until(disk, place.angle, at_s) * disk.turn_s
    return arm_s, rotation_s, at_s + rotation_s


@lean_part
def on_one_track(disk, place, sectors):
    """Whether the request ends on the track on which it begins, as nearly all small ones do."""
    return place.sector + sectors <= disk.zone[place.zone, TRACK_SECTORS]


@lean_kernel
def locate_all(disk, lbn, cylinder, head, sector, angle):
    """Fill the place of every sector of `lbn`."""
    for i in range(lbn.size):
        place = locate(disk, lbn[i])
        cylinder[i] = place.cylinder
        head[i] = place.head
        sector[i] = place.sector
        angle[i] = place.angle - np.floor(place.angle)

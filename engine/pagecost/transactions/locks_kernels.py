"""Strict two-phase locking: shared and exclusive locks, first come, first served, with a check for deadlocks.

A request is numbered owner * most + i, i < most requests of one owner (a transaction in its slot).
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import lean_part
from pagecost.transactions.table_kernels import EMPTY, enter, find, strike

SHARED, EXCLUSIVE = 0, 1
GRANTED, WAITING, UPGRADING = 0, 1, 2
LOCKED, WAITS, DEADLOCK = 0, 1, 2  # answers of `acquire`
ENTRY, MODE, STATUS, NEXT, BEFORE, SEEN = range(6)  # columns of Locks.request
FIRST, LAST = 0, 1  # columns of Locks.queue
REQUESTS, DENIED, DEADLOCKS = range(3)  # places in Locks.counts


class Locks(NamedTuple):
    """One entry per locked object, each with the queue of its requests, the granted ones first."""

    key: np.ndarray  # int64[entries]
    queue: np.ndarray  # int64[entries, 2]: first and last request; spare entries are chained by the first column
    table: np.ndarray  # int64, from key to entry
    request: np.ndarray  # int64[owners * most, 6]; SEEN: the check that passed it last, and one more if as exclusive
    held: np.ndarray  # int64[owners]: requests made so far
    waits: np.ndarray  # int64[owners]: the request that an owner waits for, or EMPTY
    visited: np.ndarray  # int64[owners]: number of the check that came by last
    stack: np.ndarray  # int64[owners + 1]
    most: int
    spare: np.ndarray  # int64[2]: first spare entry, twice the number of deadlock checks
    counts: np.ndarray  # int64[3]


def new_locks(owners: int, most: int) -> Locks:
    """No locks yet, for owners that each lock at most `most` objects."""
    entries = owners * most
    queue = np.full((entries, 2), EMPTY, np.int64)
    queue[:, FIRST] = np.arange(1, entries + 1)
    queue[-1, FIRST] = EMPTY
    return Locks(
        np.full(entries, EMPTY, np.int64),
        queue,
        np.full(1 << int(2 * entries).bit_length(), EMPTY, np.int64),
        np.full((entries, 6), EMPTY, np.int64),
        np.zeros(owners, np.int64),
        np.full(owners, EMPTY, np.int64),
        np.zeros(owners, np.int64),
        np.zeros(owners + 1, np.int64),
        most,
        np.zeros(2, np.int64),
        np.zeros(3, np.int64),
    )


@lean_part
def acquire(locks, owner, key, mode):
    """Ask for a lock: LOCKED, WAITS (until a release names the owner) or DEADLOCK (the request is taken back)."""
    request = locks.request
    locks.counts[REQUESTS] += 1
    mask = locks.table.size - 1
    entry = find(locks.table, 0, mask, locks.key, key)
    if entry == EMPTY:
        entry = locks.spare[0]
        locks.spare[0] = locks.queue[entry, FIRST]
        locks.key[entry] = key
        locks.queue[entry, FIRST] = EMPTY
        locks.queue[entry, LAST] = EMPTY
        enter(locks.table, 0, mask, locks.key, entry)
        _append(locks, owner, entry, mode, GRANTED)
        return LOCKED
    own = EMPTY
    others = False  # whether somebody else holds it too
    compatible = mode == SHARED
    at = locks.queue[entry, FIRST]
    while at != EMPTY:
        if at // locks.most == owner:
            own = at
        else:
            others = others or request[at, STATUS] != WAITING
            compatible = compatible and request[at, MODE] == SHARED and request[at, STATUS] == GRANTED
        at = request[at, NEXT]
    if own != EMPTY:
        if request[own, MODE] >= mode:
            return LOCKED
        if not others:
            request[own, MODE] = EXCLUSIVE
            return LOCKED
        request[own, STATUS] = UPGRADING
        waiting = own
    elif compatible:
        _append(locks, owner, entry, mode, GRANTED)
        return LOCKED
    else:
        waiting = _append(locks, owner, entry, mode, WAITING)
    locks.counts[DENIED] += 1
    locks.waits[owner] = waiting
    if _closes_a_circle(locks, owner):
        locks.counts[DEADLOCKS] += 1
        locks.waits[owner] = EMPTY
        return DEADLOCK
    return WAITS


@lean_part
def release_all(locks, owner, ready, count):
    """Give everything back; owners that now have their lock go to ready[count:]. Returns the new count."""
    request = locks.request
    first = owner * locks.most
    for own in range(first, first + locks.held[owner]):
        entry = request[own, ENTRY]
        _take_out(locks, entry, own)
        if locks.queue[entry, FIRST] == EMPTY:
            strike(locks.table, 0, locks.table.size - 1, locks.key, entry)
            locks.queue[entry, FIRST] = locks.spare[0]
            locks.spare[0] = entry
        else:
            count = _grant(locks, entry, ready, count)
    locks.held[owner] = 0
    locks.waits[owner] = EMPTY
    return count


@lean_part
def _append(locks, owner, entry, mode, status):
    """Put a request of an owner at the end of an entry's queue. Returns its number."""
    number = owner * locks.most + locks.held[owner]
    locks.held[owner] += 1
    request = locks.request
    request[number, ENTRY] = entry
    request[number, MODE] = mode
    request[number, STATUS] = status
    request[number, NEXT] = EMPTY
    last = locks.queue[entry, LAST]
    request[number, BEFORE] = last
    if last == EMPTY:
        locks.queue[entry, FIRST] = number
    else:
        request[last, NEXT] = number
    locks.queue[entry, LAST] = number
    return number


@lean_part
def _take_out(locks, entry, number):
    """Take request `number` out of an entry's queue."""
    request = locks.request
    before = request[number, BEFORE]
    behind = request[number, NEXT]
    if before == EMPTY:
        locks.queue[entry, FIRST] = behind
    else:
        request[before, NEXT] = behind
    if behind == EMPTY:
        locks.queue[entry, LAST] = before
    else:
        request[behind, BEFORE] = before


@lean_part
def _grant(locks, entry, ready, count):
    """Grant what has become possible, in the order of the queue; a holder that wants more goes before newcomers."""
    request = locks.request
    granted = 0
    exclusive = False
    upgrading = EMPTY
    at = locks.queue[entry, FIRST]
    while at != EMPTY:
        if request[at, STATUS] != WAITING:
            granted += 1
            exclusive = exclusive or request[at, MODE] == EXCLUSIVE
            if request[at, STATUS] == UPGRADING:
                upgrading = at
        at = request[at, NEXT]
    if upgrading != EMPTY:
        if granted == 1:
            request[upgrading, STATUS] = GRANTED
            request[upgrading, MODE] = EXCLUSIVE
            count = _wake(locks, upgrading, ready, count)
        return count
    at = locks.queue[entry, FIRST]
    while at != EMPTY:
        if request[at, STATUS] == WAITING:
            if exclusive or (granted > 0 and request[at, MODE] == EXCLUSIVE):
                break
            request[at, STATUS] = GRANTED
            granted += 1
            exclusive = request[at, MODE] == EXCLUSIVE
            count = _wake(locks, at, ready, count)
        at = request[at, NEXT]
    return count


@lean_part
def _wake(locks, number, ready, count):
    """The owner of a request waits no longer: put it at `ready[count]`. Returns count + 1."""
    owner = number // locks.most
    locks.waits[owner] = EMPTY
    ready[count] = owner
    return count + 1


@lean_part
def _closes_a_circle(locks, owner):
    """Whether somebody whom `owner` waits for waits, directly or through others, for `owner`.

    Linear in the requests: a walk from a waiting request to the front of its queue ends at the first that an earlier
    walk of this check has SEEN, for all ahead of it have been seen too. Who waits for a shared lock is blocked by fewer
    than who waits for an exclusive one, and so sees less (check, not check + 1).
    """
    request = locks.request
    locks.spare[1] += 2
    check = locks.spare[1]
    locks.stack[0] = owner
    height = 1
    while height > 0:
        height -= 1
        waiting = locks.waits[locks.stack[height]]
        if request[waiting, STATUS] == UPGRADING:
            at = locks.queue[request[waiting, ENTRY], FIRST]  # behind the holders nobody blocks it
            while at != EMPTY and request[at, STATUS] != WAITING:
                if at != waiting:
                    if at // locks.most == owner:
                        return True
                    height = _follow(locks, at // locks.most, check, height)
                at = request[at, NEXT]
        else:
            exclusive = request[waiting, MODE] == EXCLUSIVE
            sees = check + exclusive
            at = request[waiting, BEFORE]
            while at != EMPTY and request[at, SEEN] < sees:
                request[at, SEEN] = sees
                if exclusive or request[at, MODE] == EXCLUSIVE or request[at, STATUS] == UPGRADING:
                    if at // locks.most == owner:
                        return True
                    height = _follow(locks, at // locks.most, check, height)
                at = request[at, BEFORE]
    return False


@lean_part
def _follow(locks, other, check, height):
    """Put one who waits himself, and was not met in this check, on the stack. Returns its height."""
    if locks.waits[other] != EMPTY and locks.visited[other] != check:
        locks.visited[other] = check
        locks.stack[height] = other
        height += 1
    return height

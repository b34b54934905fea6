"""What the devices of a group give those who ask them: waits, services and their variances, one entry per plan."""

from typing import NamedTuple

import numpy as np

from pagecost import cancellation, oltp
from pagecost.economics import LEVELS
from pagecost.planner.numbers import Numbers
from pagecost.planner.room import device_bytes, later_s, page_times
from pagecost.planner.space import LEVEL_NAMES
from pagecost.planner.waits import (
    Array,
    Wait,
    feedback_variation,
    in_line_again,
    longest_wait_beyond,
    mixed,
    servers_wait,
    spared_turn_s,
)

WRITE_READS = np.array([LEVELS[name].write_reads for name in LEVEL_NAMES], float)
WRITE_WRITES = np.array([LEVELS[name].write_writes for name in LEVEL_NAMES], float)
# Of a write: the devices, if they are others each time, as of parities; else as many are together one place
PLACES_TAKEN = np.where(WRITE_READS > 0, WRITE_WRITES, 1.0)
PLACES_OF_COPIES = np.where(WRITE_READS > 0, 1.0, WRITE_WRITES)


class Station(NamedTuple):
    """Equal devices with a queue each. busy: of each, in the long run. wait_s, wait_variance: of a request for a page;
    log_wait_s, log_wait_variance: of a log write. read_s, write_s, log_s: what one takes without a wait, at the level;
    variance likewise. write_steps: waits of a write, in those of a read; write_once_s: of write_s, what
    many writes at a time take once; write_wait_variance, write_variance: of what a write waits, and takes. devices: how
    many of them. service_s: of any of their requests.
    """

    busy: Array
    wait_s: Array
    wait_variance: Array
    log_wait_s: Array
    log_wait_variance: Array
    read_s: Array
    write_s: Array
    log_s: Array
    variance: Array
    write_steps: Array
    write_once_s: Array
    write_wait_variance: Array
    write_variance: Array
    devices: Array
    service_s: Array


class Destaged(NamedTuple):
    """How writes come to devices for which nobody waits, out of a write buffer; arrays of one entry per plan.

    made_room: share of the page reads right before which a page is written, the one that made room. together: page and
    log writes that come at a time when a transaction ends, at least 1; batches_hz: how often they do.
    """

    made_room: Array | float = 0.0
    together: Array | float = 1.0
    batches_hz: Array | float = 0.0


NOT_BUFFERED = Destaged()


def choose(condition: Array, one: Station, other: Station) -> Station:
    """The one where the condition holds, else the other."""
    return Station(*(np.where(condition, a, b) for a, b in zip(one, other, strict=True)))


def each_of(total: Array, count: Array | float) -> Array:
    """What one of so many takes, 0 where there is none."""
    return np.where(np.asarray(count) > 0, total / np.where(np.asarray(count) > 0, count, 1), 0.0)


def station(
    space,
    n: Numbers,
    group: Array,
    over_bytes,
    reads_hz,
    writes_hz,
    logs_hz,
    again,
    between_s,
    *,
    destaged: Destaged = NOT_BUFFERED,
    at_end: bool = False,
) -> Station:
    """The devices of a group under so many page reads, page writes and log writes of the application.

    over_bytes: of data, over which the arms of disks move; inf: over all of them. at_end: the log is alone there; else
    a log write that follows a page is as random as pages are. The log's end is on one device, with its copies or
    parity, until a stripe is full: log writes, and pages that lie there, wait as if that one were all there is, but no
    longer than a stripe takes, for then the next device helps. again: share of the pages after which the same
    transaction waits for another one here, between_s later. destaged: how writes come that leave a write buffer.
    """
    cancellation.point()
    device, count, level = space.groups.of(group)
    old, new = WRITE_READS[level], WRITE_WRITES[level]
    read, write, squared_variation = page_times(n, device, device_bytes(over_bytes, count, space.groups.usable[group]))
    old_of_log = np.where(at_end, 0, old)  # a log alone is written in full stripes
    behind_s = n.log_s[device]
    if not n.log_spread:  # blocks of the file system's own shift pages, so that some lie in two stripes
        behind_s = behind_s - spared_turn_s(logs_hz, behind_s, n.turn_s[device])
        over_two = max(n.page_bytes - oltp.Setup.block_bytes, 0) / oltp.Storage.stripe_bytes
        striped = 1 + np.where(count > PLACES_OF_COPIES[level], over_two, 0)
        reads_hz, writes_hz = striped * reads_hz, striped * writes_hz
    ahead_s, one_server = np.where(old > 0, read, write), n.at_once[device] == 1
    place = np.minimum(new / count, 1.0)  # chance that a write goes to a device
    behind = place * destaged.made_room  # of the reads, those that find the write before them on their device
    comes_back = (1 + (new - 1) * destaged.made_room) / count  # of the next page's places, its copies with it
    together, touched = destaged.together, 1 - (1 - place) ** destaged.together
    pairs_hz, batches_hz = reads_hz / count * behind, destaged.batches_hz
    # on one server what comes at a time makes one service, of the sum: so many fewer, with so much larger a square
    fewer_hz = np.where(one_server, pairs_hz + batches_hz * (place * together - touched), 0)
    of_two = pairs_hz * ahead_s * read + batches_hz * together * (together - 1) / 2 * place**2 * ahead_s**2
    pages = [((reads_hz + old * writes_hz) / count, read), (new * writes_hz / count, write)]

    def served(share: Array) -> tuple[Wait, Array, Array, Array, Array, Array]:
        """Waits for a device that gets this share of the log, the mean service there, that of a log write and of what
        is read before it, the share of log writes that are behind another, and waits to write what was read beside
        others."""
        of_log = (new + old_of_log) * logs_hz * share
        rate = np.sum([hz for hz, _ in pages], axis=0) + of_log
        before = np.where(rate > 0, of_log / rate, 0.0)  # of what was served before, the log's
        after = np.ones_like(before) if at_end else np.zeros_like(before) if n.log_spread else before
        log_read = after * behind_s + (1 - after) * read
        # what was read comes round again in a turn
        log = after * np.where(old_of_log > 0, np.maximum(n.turn_s[device], behind_s), behind_s) + (1 - after) * write
        operations = [*pages, (old_of_log * logs_hz * share, log_read), (new * logs_hz * share, log)]
        mean = np.where(rate > 0, np.sum([hz * s for hz, s in operations], axis=0) / rate, read)
        second = np.where(rate > 0, np.sum([hz * s**2 for hz, s in operations], axis=0) / rate, read**2)
        units_hz = rate - fewer_hz
        unit_s = np.where(rate > 0, mean * each_of(rate, units_hz), mean)
        second = each_of(rate * second * (1 + squared_variation) + np.where(one_server, 2 * of_two, 0), units_hz)
        variation = np.where(rate > 0, second / unit_s**2 - 1, squared_variation)
        of_old = old * (writes_hz / count) + old_of_log * logs_hz * share
        used = np.minimum(rate * mean / n.at_once[device], 1)
        # a log write alone comes as the next page does; nobody waits behind the forced pages of his own transaction
        follows = again * comes_back + each_of(np.where(together > 1, 0, batches_hz * touched), rate)
        at_once = follows * each_of(mean, mean + (1 - used) * (between_s + n.read_delay_s[device]))
        variation = feedback_variation(variation, np.minimum(at_once * unit_s / mean, 1))
        first, then = in_line_again(rate * mean / n.at_once[device], of_old / rate, variation)
        wait = servers_wait(units_hz, unit_s, n.at_once[device], variation)
        wait = wait._replace(wait_s=first * wait.wait_s, wait_variance=first**2 * wait.wait_variance)
        return wait, mean, log, log_read, after, then

    even, mean, log, log_read, after, then = served(1 / count)
    at_log, of_pages = even, even
    if not n.log_spread:
        ends = np.minimum(new / count, 1.0)  # of the devices, where the log's end is
        one, _, log, log_read, after, _ = served(1 / new)
        full_s = even.wait_s + oltp.Storage.stripe_bytes / n.log_bytes * log
        none, *_ = served(np.zeros_like(new))
        at_log = one._replace(wait_s=np.minimum(one.wait_s, full_s))
        at_log = at_log._replace(wait_variance=np.where(one.wait_s <= full_s, one.wait_variance, full_s**2))
        of_pages = mixed(ends, at_log, none)
    steps = 1.0 + (old > 0) * then
    own = squared_variation * mean**2
    # who waits long to read what is old finds so many more before him when he comes to write
    waited = np.where(old > 0, 1 + 2 * even.busy + then**2, 1.0) * of_pages.wait_variance
    # of several servers at once they find the last one, if at all
    stands_s = ahead_s / n.at_once[device] * np.minimum(even.busy, 1) ** (n.at_once[device] - 1)
    wait_s = of_pages.wait_s + behind * stands_s
    wait_variance = of_pages.wait_variance + behind * stands_s**2 * (1 - behind + squared_variation)
    read_s = read + n.read_delay_s[device]
    # a read goes to the copy with less to do, so that copies are about as busy; of data and parity one waits longer,
    # which the hierarchy of Debit-Credit does not know: there a page and its parity have one queue
    longer = (old > 0) & (not n.log_spread)
    old_s, later_write_s = (
        np.hypot(later_s(s, squared_variation, places), np.where(longer, longest_wait_beyond(of_pages, places), 0))
        for s, places in ((read, old), (write, new))
    )
    old_log_s = np.where(old > 0, log_read + n.read_delay_s[device] + (1 - after) * old_s, 0)
    old_s = np.where(old > 0, read_s + old_s, 0)
    return Station(
        even.busy,
        wait_s,
        wait_variance,
        at_log.wait_s,
        at_log.wait_variance,
        read_s,
        write + n.write_delay_s[device] + later_write_s + old_s,
        log + (1 - after) * later_write_s + (n.log_delay_s[device] if at_end else n.write_delay_s[device] + old_log_s),
        own,
        np.ones_like(steps) if at_end else steps,
        later_write_s + n.write_delay_s[device] + np.where(old > 0, old_s - read, 0),
        waited,
        np.where(old > 0, 2, 1) * own,
        count + 0.0,
        mean,
    )

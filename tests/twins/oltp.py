"""A slow, readable system in SimPy: users, processors, locks, buffer, checkpoints, page cache, log, file system,
devices.

It runs in a closed loop, or transactions come by themselves.

Each part is written from its rule and shares with the engine only the load's arrays: the buffer is one ordered
dictionary that users touch in the order of time, the log writer takes whoever waits, the devices serve in order. A file
system is the plain twin of one (`twins.filesystem`).
"""

import random
from collections import OrderedDict

import numpy as np
import simpy

from twins.filesystem import READ, WRITE
from twins.write_cache import CachedDevice

BATCH = 64  # pages of a checkpoint that are written together


class Lru:
    """Pages by their last use; touch(page, write) says what must be done."""

    def __init__(self, frames):
        self.frames, self.pages = frames, OrderedDict()

    def touch(self, page, write):
        """(whether it is here, the changed page that leaves or None)"""
        if page in self.pages:
            self.pages[page] |= write
            self.pages.move_to_end(page)
            return True, None
        leaving = None
        if len(self.pages) == self.frames:
            victim, changed = self.pages.popitem(last=False)
            leaving = victim if changed else None
        self.pages[page] = bool(write)
        return False, leaving


class Twin:
    """`run(transactions, warm_up)` gives (transactions per second, response times [s])."""

    def __init__(
        self,
        load,
        *,
        users,
        think_s=0.0,
        rate_hz=0.0,
        processors=1,
        transaction_s=5e-3,
        frames=100,
        cache_pages=0,
        devices=1,
        copies=1,
        parities=0,
        read_s=1e-3,
        write_s=2e-3,
        log_s=1e-3,
        group_size=1,
        force=False,
        checkpoint_s=0.0,
        file_system=None,
        cache_blocks=0,
        bus_s=0.0,
        fill=0,
        seed=1,
    ):
        self.env, self.random = simpy.Environment(), random.Random(seed)
        self.load, self.think_s, self.read_s, self.write_s, self.log_s = load, think_s, read_s, write_s, log_s
        self.references = [
            list(zip(*(column[start:end].tolist() for column in (load.page, load.write, load.lock)), strict=True))
            for start, end in zip(load.first, load.first[1:], strict=False)
        ]
        bursts = np.diff(load.first) + 1  # of a type they take as long together as those of another
        of_kind = {kind: transaction_s / bursts[load.kind == kind].mean() for kind in np.unique(load.kind)}
        self.burst_s = [of_kind[kind] for kind in load.kind]
        self.cpus = simpy.Resource(self.env, processors)
        if cache_blocks:
            made = (CachedDevice(self.env, cache_blocks, read_s, write_s, bus_s) for _ in range(devices))
        else:
            made = (simpy.Resource(self.env, 1) for _ in range(devices))
        self.devices = list(made)
        self.copies, self.parities = copies, parities
        self.buffer, self.cache = Lru(frames), Lru(cache_pages) if cache_pages else None
        self.locks, self.group_size, self.force = {}, group_size, force
        self.file_system = file_system
        self.served, self.replacing = {READ: 0, WRITE: 0}, 0  # by the devices of the pages; reads before writes
        self.waiting, self.log_busy = [], False
        self.next, self.done, self.ends = fill, [], []
        for number in range(fill):  # fill the caches without time
            for page, write, _ in self.references[number]:
                here, leaving = self.buffer.touch(page, write)
                if self.cache and leaving is not None:
                    self.cache.touch(leaving, False)
                if self.cache and not here:
                    self.cache.touch(page, False)
        if checkpoint_s:
            self.env.process(self.checkpoints(checkpoint_s))
        if rate_hz:
            self.env.process(self.arrivals(rate_hz, simpy.Resource(self.env, users)))
        else:
            for _ in range(users):
                self.env.process(self.user())

    def run(self, transactions, warm_up=0):
        """Run until so many are complete after the warm-up."""
        self.wanted, self.finished = transactions + warm_up, self.env.event()
        self.env.run(until=self.finished)
        return transactions / (self.ends[-1] - (self.ends[warm_up - 1] if warm_up else 0.0)), np.array(
            self.done[warm_up:]
        )

    def user(self):
        if self.think_s:
            yield self.env.timeout(self.random.expovariate(1 / self.think_s))
        while True:
            number = self.take()
            if self.load.think_s is not None:
                yield self.env.timeout(float(self.load.think_s[number]))
            yield from self.answer(number, self.env.now)
            if self.think_s:
                yield self.env.timeout(self.random.expovariate(1 / self.think_s))

    def arrivals(self, rate_hz, connections):
        """Transactions come by themselves, and each waits for a connection."""
        while True:
            yield self.env.timeout(self.random.expovariate(rate_hz))
            self.env.process(self.arrived(connections))

    def arrived(self, connections):
        came = self.env.now
        with connections.request() as connection:
            yield connection
            yield from self.answer(self.take(), came)

    def take(self):
        number, self.next = self.next, self.next + 1
        return number

    def answer(self, number, began):
        yield from self.transaction(self.references[number], self.burst_s[number])
        self.done.append(self.env.now - began)
        self.ends.append(self.env.now)
        if len(self.done) == self.wanted:
            self.finished.succeed()

    def transaction(self, references, burst_s):
        held, changed = {}, []
        for page, write, lock in references:
            yield from self.compute(burst_s)
            if lock >= 0 and lock not in held:
                place = self.locks.setdefault(lock, simpy.Resource(self.env, 1))
                held[lock] = place, place.request()
                yield held[lock][1]
            changed += [page] if write else []
            here, leaving = self.buffer.touch(page, write)
            if leaving is not None:
                if self.cache:
                    self.cache.touch(leaving, False)
                yield from self.store(leaving)
            if here or (self.cache and self.cache.touch(page, False)[0]):
                continue
            if self.file_system:
                yield from self.carry_out(self.file_system.read(page))
            else:
                copies = self.keep(page)[: self.copies]
                chosen = min(copies, key=lambda each: each.count + len(each.queue))
                yield from self.serve(chosen, self.read_s, READ, page)
        yield from self.compute(burst_s)
        if changed:
            yield self.commit()
        if self.force:
            yield self.env.all_of([self.env.process(self.store(page)) for page in self.taken(changed)])
        for lock, (place, request) in held.items():
            place.release(request)
            if not place.users and not place.queue:
                del self.locks[lock]

    def taken(self, changed):
        """Those of the changed pages that nobody has written since; they need not be written when they leave."""
        for page in dict.fromkeys(changed):
            if self.buffer.pages.get(page):
                self.buffer.pages[page] = False
                if self.cache:
                    self.cache.touch(page, False)
                yield page

    def compute(self, burst_s):
        with self.cpus.request() as cpu:
            yield cpu
            yield self.env.timeout(self.random.expovariate(1 / burst_s))

    def keep(self, page):
        """The devices that keep a page: its copies, or its data and then its parities, one step on in each row."""
        columns = len(self.devices) // self.copies - self.parities
        row, column = divmod(page, columns)
        if not self.parities:
            return self.devices[column * self.copies : (column + 1) * self.copies]
        turned = self.devices[row % len(self.devices) :] + self.devices[: row % len(self.devices)]
        return [turned[column], *turned[columns:]]

    def checkpoints(self, every_s):
        """All changed pages by their places, some at a time; one that takes longer than the interval goes on."""
        due_s = every_s
        while True:
            yield self.env.timeout(max(0.0, due_s - self.env.now))
            page = -1
            while changed := sorted(
                each for each, is_changed in self.buffer.pages.items() if is_changed and each > page
            ):
                pages = list(self.taken(changed[:BATCH]))
                page = pages[-1]
                if self.file_system:
                    yield from self.carry_out(self.written(pages))
                else:
                    yield self.env.all_of([self.env.process(self.store(each)) for each in pages])
            due_s += every_s * max(1, int((self.env.now - due_s) / every_s) + 1)

    def written(self, pages):
        """What the file system asks for when these are written with one sync."""
        requests = [request for page in pages for request in self.file_system.write(page)]
        return [*requests, *self.file_system.sync()]

    def carry_out(self, requests):
        """One phase after the other: what the next is about is known when the one before is answered."""
        phases = [[]]
        for request in requests:
            before = phases[-1][-1:]
            if before and (request[0] != before[0][0] or (request[0] == READ and request[3] != before[0][3])):
                phases.append([])
            phases[-1].append(request)
        for phase in phases:
            if self.parities:
                old = [part for request in phase for part in self.replaced(*request[:3])]
                self.replacing += len(old)
                yield from self.all_served(old, READ)
            for op in (READ, WRITE):  # trims take no time
                yield from self.all_served(
                    [part for request in phase if request[0] == op for part in self.parts(*request[:3])], op
                )

    def all_served(self, devices, op):
        time_s = {READ: self.read_s, WRITE: self.write_s}[op]
        yield self.env.all_of([self.env.process(self.serve(device, time_s, op)) for device in devices])

    def rows(self, op, block, blocks):
        """The rows of blocks that a request lies in: (its blocks there, whether it writes all of the row)."""
        columns = len(self.devices) // self.copies - self.parities
        rows = {}
        for each in range(block, block + blocks):
            rows.setdefault(each // columns, []).append(each)
        return [(each, op == WRITE and len(each) == columns) for each in rows.values()]

    def replaced(self, op, block, blocks):
        """What is read before a write: old data and parities of rows that it does not write as a whole."""
        rows = self.rows(op, block, blocks) if op == WRITE else []
        return [device for row, whole in rows if not whole for each in row for device in self.keep(each)]

    def parts(self, op, block, blocks):
        """The device of each block, and those of the parities that are written with it: once for a whole row."""
        if len(self.devices) == 1:
            return self.devices
        if op == READ:
            return [self.keep(each)[0] for each in range(block, block + blocks)]
        rows = self.rows(op, block, blocks)
        written = [self.keep(each)[: 1 if whole and i else None] for row, whole in rows for i, each in enumerate(row)]
        return [device for devices in written for device in devices]

    def store(self, page):
        if self.file_system:
            yield from self.carry_out(self.written([page]))
            return
        for time_s, op in ((self.read_s, READ), (self.write_s, WRITE)) if self.parities else ((self.write_s, WRITE),):
            yield self.env.all_of([self.env.process(self.serve(each, time_s, op, page)) for each in self.keep(page)])

    def serve(self, device, time_s, op=READ, page=0):
        self.served[op] += 1
        if isinstance(device, CachedDevice):
            yield from device.serve(op == WRITE, page // (len(self.devices) // self.copies - self.parities))
            return
        with device.request() as served:
            yield served
            yield self.env.timeout(time_s)

    def commit(self):
        written = self.env.event()
        self.waiting.append(written)
        if not self.log_busy:
            self.log_busy = True
            self.env.process(self.write_log())
        return written

    def write_log(self):
        while self.waiting:
            group, self.waiting = self.waiting[: self.group_size], self.waiting[self.group_size :]
            yield self.env.timeout(self.log_s)
            for written in group:
                written.succeed()
        self.log_busy = False

"""A slow, readable transaction system in SimPy, written from Rahm 1992, §3, for Debit-Credit under NOFORCE.

Disks for database and log, or everything in NVEM. It shares only the load's arrays with the engine.
"""

import random
from collections import OrderedDict

import numpy as np
import simpy

MIPS, BUFFER = 50e6, 2000


class Twin:
    """Run with `responses(transactions)`; where: "disk" or "nvem"."""

    def __init__(self, load, where, rate_hz, seed=1):
        self.env = simpy.Environment()
        self.random = random.Random(seed)
        self.load, self.where, self.rate_hz = load, where, rate_hz
        self.cpus = simpy.Resource(self.env, 4)
        self.nvem = simpy.Resource(self.env, 1)
        self.controllers = simpy.Resource(self.env, 100)
        self.disks = simpy.Resource(self.env, 400)
        self.log_disks = simpy.Resource(self.env, 50)
        self.buffer = OrderedDict()
        self.locks = {}
        self.history = 0
        self.done = []

    def responses(self, transactions):
        """Response times [s] of the transactions after the first 2000, by completion."""
        self.wanted = transactions
        self.finished = self.env.event()
        for number in range(self.load.transactions):  # fill the buffer without time
            for page in self.pages(number):
                self.touch(page)
            if len(self.buffer) == BUFFER:
                break
        self.env.process(self.source(number + 1))
        self.env.run(until=self.finished)
        return np.array(self.done[2000:])

    def source(self, number):
        while True:
            yield self.env.timeout(self.random.expovariate(self.rate_hz))
            self.env.process(self.transaction(number))
            number += 1

    def pages(self, number):
        account, _, branch, _ = self.load.page[4 * number : 4 * number + 4]
        self.history += 1
        return int(account), -(self.history // 20) - 1, int(branch), int(branch)

    def touch(self, page):
        """(hit, whether another page must go first)"""
        if page in self.buffer:
            self.buffer.move_to_end(page)
            return True, False
        full = len(self.buffer) == BUFFER
        if full:
            self.buffer.popitem(last=False)
        self.buffer[page] = True
        return False, full

    def transaction(self, number):
        arrived = self.env.now
        held = []
        yield from self.compute(40_000)
        for page in self.pages(number % self.load.transactions):
            yield from self.compute(40_000)
            if page >= 0 and page not in held:
                lock = self.locks.setdefault(page, simpy.Resource(self.env, 1))
                request = lock.request()
                yield request
                held.append(page)
                held.append((lock, request))
            hit, replaces = self.touch(page)
            if replaces:
                yield from self.access(self.disks, 15e-3)
            if not hit:
                yield from self.access(self.disks, 15e-3)
        yield from self.compute(50_000)
        yield from self.access(self.log_disks, 5e-3)
        for page, (lock, request) in zip(held[::2], held[1::2], strict=True):
            lock.release(request)
            if not lock.users and not lock.queue:
                del self.locks[page]
        self.done.append(self.env.now - arrived)
        if len(self.done) == 2000 + self.wanted:
            self.finished.succeed()

    def compute(self, instructions):
        with self.cpus.request() as cpu:
            yield cpu
            yield self.env.timeout(self.random.expovariate(MIPS / instructions))

    def access(self, disks, disk_s):
        if self.where == "nvem":
            with self.cpus.request() as cpu:
                yield cpu
                yield self.env.timeout(self.random.expovariate(MIPS / 300))
                with self.nvem.request() as server:
                    yield server
                    yield self.env.timeout(50e-6)
            return
        yield from self.compute(3000)
        with self.controllers.request() as controller:
            yield controller
            yield self.env.timeout(self.random.expovariate(1e3))
        yield self.env.timeout(0.4e-3)
        with disks.request() as disk:
            yield disk
            yield self.env.timeout(self.random.expovariate(1 / disk_s))


class ClosedTwin:
    """The central-server model in SimPy: terminals think, then alternate between processors and disks."""

    def __init__(self, terminals, processors, processor_s, disks, disk_s, again, think_s, seed=1):
        self.env = simpy.Environment()
        self.random = random.Random(seed)
        self.cpus = simpy.Resource(self.env, processors)
        self.disks = [simpy.Resource(self.env, 1) for _ in range(disks)]
        self.processor_s, self.disk_s, self.again, self.think_s = processor_s, disk_s, again, think_s
        self.services = 0
        for _ in range(terminals):
            self.env.process(self.terminal())

    def terminal(self):
        draw = self.random.expovariate
        while True:
            yield self.env.timeout(draw(1 / self.think_s))
            while True:
                yield from self.serve(self.cpus, self.processor_s)
                if self.random.random() > self.again:
                    break
                yield from self.serve(self.disks[int(self.random.random() * len(self.disks))], self.disk_s)

    def serve(self, station, mean_s):
        with station.request() as request:
            yield request
            yield self.env.timeout(self.random.expovariate(1 / mean_s))
        self.services += 1


class OpenTwin:
    """M/M/c in SimPy."""

    def __init__(self, rate_hz, service_s, servers, seed=1):
        self.env = simpy.Environment()
        self.random = random.Random(seed)
        self.station = simpy.Resource(self.env, servers)
        self.rate_hz, self.service_s = rate_hz, service_s
        self.customers = 0
        self.env.process(self.source())

    def source(self):
        while True:
            yield self.env.timeout(self.random.expovariate(self.rate_hz))
            self.env.process(self.customer())

    def customer(self):
        with self.station.request() as request:
            yield request
            yield self.env.timeout(self.random.expovariate(1 / self.service_s))
        self.customers += 1

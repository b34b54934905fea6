"""A slow, readable device with a write cache in SimPy: blocks are a set, the device one process that picks the next."""

from collections import deque

import simpy


class CachedDevice:
    """`serve(write, block)` is over when the request is answered. One block at a time comes; what lies side by side
    goes back in one piece, which takes as long as one block. `queue` and `count`: as those of a simpy.Resource."""

    def __init__(self, env, limit, read_s, write_s, bus_s):
        self.env, self.limit, self.bus_s = env, limit, bus_s
        self.times_s = {"read": read_s, "write": write_s}
        self.held, self.leaving, self.at, self.count = set(), 0, 0, 0
        self.queue, self.stalled = deque(), deque()
        self.bus, self.wake = simpy.Resource(env, 1), env.event()
        self.destaged = self.read_hits = self.stalls = 0
        env.process(self.work())

    def serve(self, write, block):
        if write and (self.stalled or not self.room(block)):
            self.stalls += 1
            yield from self.wait(self.stalled, block)
        elif write:
            self.held.add(block)
            self.rouse()
        elif block in self.held:
            self.read_hits += 1
        else:
            yield from self.wait(self.queue, block)
            return
        with self.bus.request() as bus:
            yield bus
            yield self.env.timeout(self.bus_s)

    def wait(self, line, block):
        over = self.env.event()
        line.append((block, over))
        self.rouse()
        yield over

    def room(self, block):
        return len(self.held) + self.leaving < self.limit

    def rouse(self):
        if not self.wake.triggered:
            self.wake.succeed()

    def work(self):
        while True:
            if self.held and (self.stalled or not self.queue):
                yield from self.destage()
            elif self.queue:
                _, over = self.queue.popleft()
                self.count = 1
                yield self.env.timeout(self.times_s["read"])
                self.count = 0
                over.succeed()
            else:
                self.wake = self.env.event()
                yield self.wake

    def destage(self):
        first = min((block for block in self.starts() if block >= self.at), default=min(self.held))
        piece = []
        while first + len(piece) in self.held:
            piece.append(first + len(piece))
        self.held -= set(piece)
        self.leaving, self.count, self.at = len(piece), 1, piece[-1] + 1
        self.destaged += 1
        yield self.env.timeout(self.times_s["write"])
        self.leaving = self.count = 0
        while self.stalled and self.room(self.stalled[0][0]):
            block, over = self.stalled.popleft()
            self.held.add(block)
            over.succeed()

    def starts(self):
        return [block for block in self.held if block - 1 not in self.held]

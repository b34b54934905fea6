"""A slow SSD in plain Python: one heap of events, one small object per thing, written from the rules and not from the
kernel. Units are pages and lie on dies in turn; a die does one thing at a time; channels and interface serve in order
of asking.
"""

import heapq
import math
from collections import Counter, deque


class Work:
    """One unit's read or write with the collection that comes before it."""

    def __init__(self, request, copies, erases):
        self.request, self.copies, self.erases = request, copies, erases


class Request:
    def __init__(self, number, write, arrival):
        self.number, self.write, self.arrival, self.left = number, write, arrival, 0
        self.answered = False


class Twin:
    def __init__(self, ssd, request_bytes, depth):
        self.p = ssd.params(request_bytes, depth, True, True)
        self.ssd, self.depth = ssd, depth
        asked = [0.0 if math.isnan(s) else s for s in (ssd.chip.read_command_s, ssd.chip.program_command_s)]
        data_s = ssd.unit_bytes / ssd.channel_bytes_per_s
        self.read_s, self.written_s = asked[0] + data_s, asked[1] + data_s
        self.copied_s = self.read_s + self.written_s if not ssd.copy_back else sum(asked)
        self.reads_first = ssd.order != "fifo"
        self.dies = [{"busy": False, "reads": deque(), "rest": deque(), "now": None} for _ in range(ssd.dies)]
        self.channel_free = [0.0] * (ssd.channels // ssd.lockstep)
        self.interface_free = 0.0
        self.heap, self.sequence, self.now = [], 0, 0.0
        self.responses = {}
        self.cached, self.before_the_cache = 0, deque()
        self.held, self.read_hits = Counter(), 0  # unit -> writes of it in the cache

    def later(self, when, rank, what, *arguments):
        self.sequence += 1
        heapq.heappush(self.heap, (when, rank, self.sequence, what, arguments))

    def run(self, first, write, blame, arrival=None):
        """blame: (programs, erases), each [request][unit]. Returns response times by request."""
        self.todo = deque(range(len(first)))
        self.first, self.write, self.blame, self.arrival = first, write, blame, arrival
        self.inside = 0
        self.issue()
        while self.heap:
            self.now, _, _, what, arguments = heapq.heappop(self.heap)
            what(*arguments)
            self.issue()
        return [self.responses[number] for number in range(len(first))]

    def issue(self):
        while self.todo and self.inside < self.depth:
            number = self.todo[0]
            if self.arrival is not None and self.arrival[number] > self.now:
                if not any(entry[3] == self.wake for entry in self.heap):
                    self.later(self.arrival[number], 10**6, self.wake)
                return
            self.todo.popleft()
            self.inside += 1
            request = Request(number, self.write[number], self.now if self.arrival is None else self.arrival[number])
            ready = (self.over_interface() if request.write else self.now) + self.p.overhead_s
            if ready > self.now:
                self.later(ready, 10**5 + request.write, self.come, request)
            else:
                self.come(request)

    def wake(self):
        pass

    def over_interface(self):
        self.interface_free = max(self.interface_free, self.now) + self.p.interface_s
        return self.interface_free

    def over_channel(self, die, seconds):
        channel = die % len(self.channel_free)
        self.channel_free[channel] = max(self.channel_free[channel], self.now) + seconds
        return self.channel_free[channel]

    def come(self, request):
        if request.write and self.p.cache_units:
            self.before_the_cache.append(request)
            self.fill_cache()
        elif not request.write and all(self.held[unit] for unit in self.units_of(request)):
            self.read_hits += 1
            self.hand_out(request)
        else:
            self.enter(request)

    def units_of(self, request):
        first = int(self.first[request.number])
        return range(first, first + self.p.units)

    def hand_out(self, request):
        if self.p.interface_s == 0:
            self.finish(request)
        else:
            self.later(self.over_interface(), 10**5 + 2, self.finish, request)

    def fill_cache(self):
        while self.before_the_cache and (not self.cached or self.cached + self.p.units <= self.p.cache_units):
            request = self.before_the_cache.popleft()
            self.cached += self.p.units
            self.held.update(self.units_of(request))
            request.answered = True
            self.finish(request)
            self.enter(request)

    def enter(self, request):
        programs, erases = self.blame
        request.left = self.p.units
        for unit in range(self.p.units):
            die = (int(self.first[request.number]) + unit) % self.ssd.dies
            n = request.number
            work = Work(request, int(programs[n][unit]) * request.write, int(erases[n][unit]) * request.write)
            first = self.reads_first and not request.write
            self.dies[die]["reads" if first else "rest"].append(work)
            if not self.dies[die]["busy"]:
                self.dies[die]["busy"] = True
                self.next(die)

    def next(self, die):
        own = self.dies[die]
        if own["reads"]:
            return self.start(die, own["reads"].popleft())
        if not own["rest"]:
            own["busy"] = False
            return None
        work = own["rest"][0]
        if work.copies > 0:
            work.copies -= 1
            return self.later(self.now + self.p.read_s, die, self.copy_out, die)
        if work.erases > 0:
            end = self.now + work.erases * self.p.erase_s
            work.erases = 0
            return self.later(end, die, self.next, die)
        return self.start(die, own["rest"].popleft())

    def copy_out(self, die):
        end = (self.over_channel(die, self.copied_s) if self.copied_s else self.now) + self.p.program_s
        self.later(end, die, self.next, die)

    def start(self, die, work):
        if work.request.write:
            end = self.over_channel(die, self.written_s) + self.p.program_s
            self.later(end, die, self.done, die, work)
        else:
            self.later(self.now + self.p.read_s, die, self.read_out, die, work)

    def read_out(self, die, work):
        self.later(self.over_channel(die, self.read_s), die, self.done, die, work)

    def done(self, die, work):
        request = work.request
        request.left -= 1
        if request.answered:
            if request.left == 0:
                self.cached -= self.p.units
                self.held.subtract(self.units_of(request))
                self.fill_cache()
                self.issue()
        elif request.left == 0:
            if request.write:
                self.finish(request)
            else:
                self.hand_out(request)
            self.issue()
        self.next(die)

    def finish(self, request):
        self.responses[request.number] = self.now - request.arrival
        self.inside -= 1

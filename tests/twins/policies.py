"""Slow, readable twins of the replacement policies: plain Python, written from the definitions."""

from collections import Counter, OrderedDict, deque


class Twin:
    """A policy as a class: `hit`, `victims` (pages that leave, in order) and `load`; `dirty` maps resident pages."""

    def __init__(self, pages, frames, **options):
        self.trace, self.frames, self.dirty = pages, frames, {}
        self.__dict__.update(options)
        self.start()

    def start(self):
        self.order = OrderedDict()

    def admits(self, page, write):
        return True

    def hit(self, page, write, at):
        pass

    def run(self, writes):
        """(hits, write-backs, dirty pages left, pages written back in order).

        Afterwards `found` says of each reference whether it hit, `gone` how many pages had been written back by then.
        """
        hits, written = 0, []
        self.found, self.gone = [], []
        for at, (page, write) in enumerate(zip(self.trace, writes, strict=True)):
            self.found.append(page in self.dirty)
            if page in self.dirty:
                hits += 1
                self.dirty[page] |= bool(write)
                self.hit(page, write, at)
            elif self.admits(page, write):
                if len(self.dirty) == self.frames:
                    for victim in self.victims(page, at):
                        if self.dirty.pop(victim):
                            written.append(victim)
                self.dirty[page] = bool(write)
                self.load(page, write, at)
            self.gone.append(len(written))
        return hits, len(written), sum(self.dirty.values()), written


def pop(queue):
    return queue.popitem(last=False)[0]


def first(queue):
    return next(iter(queue))


class Fifo(Twin):
    def load(self, page, write, at):
        self.order[page] = True

    def victims(self, page, at):
        return [pop(self.order)]


class Lru(Fifo):
    def hit(self, page, write, at):
        self.order.move_to_end(page)


class Mru(Lru):
    def victims(self, page, at):
        return [self.order.popitem()[0]]


class Clock(Twin):
    def start(self):
        self.ring, self.used = deque(), {}

    def hit(self, page, write, at):
        self.used[page] = True

    def load(self, page, write, at):
        self.ring.append(page)
        self.used[page] = bool(self.bit)

    def victims(self, page, at):
        while self.used[self.ring[0]]:
            self.used[self.ring[0]] = False
            self.ring.rotate(-1)
        return [self.ring.popleft()]


class Lfu(Twin):
    def start(self):
        self.count, self.last = Counter(), {}

    def hit(self, page, write, at):
        self.count[page] += 1
        self.last[page] = at

    load = hit

    def victims(self, page, at):
        victim = min(self.dirty, key=lambda page: (self.count[page], self.last[page]))
        del self.count[victim]
        return [victim]


class Lru2(Twin):
    def start(self):
        self.uses = {}

    def hit(self, page, write, at):
        self.uses.setdefault(page, []).append(at)

    load = hit

    def victims(self, page, at):
        def key(page):
            uses = self.uses[page]
            return (uses[-2] if len(uses) > 1 else -1, uses[-1])

        return [min(self.dirty, key=key)]


class TwoQ(Twin):
    def start(self):
        self.a1in, self.a1out, self.am = OrderedDict(), OrderedDict(), OrderedDict()

    def hit(self, page, write, at):
        if page in self.am:
            self.am.move_to_end(page)

    def victims(self, page, at):
        self.remembered = page in self.a1out
        if len(self.a1in) > int(self.kin * self.frames) or not self.am:
            victim = pop(self.a1in)
            if len(self.a1out) == max(1, int(self.kout * self.frames)):
                pop(self.a1out)
            self.a1out[victim] = True
            return [victim]
        return [pop(self.am)]

    def load(self, page, write, at):
        if len(self.dirty) == self.frames and getattr(self, "remembered", False):
            self.a1out.pop(page, None)
            self.am[page] = True
            self.remembered = False
        else:
            self.a1in[page] = True


class Arc(Twin):
    def start(self):
        self.t1, self.t2, self.b1, self.b2 = (OrderedDict() for _ in range(4))
        self.p = 0.0

    def hit(self, page, write, at):
        self.t1.pop(page, None)
        self.t2.pop(page, None)
        self.t2[page] = True

    def replace(self, in_b2):
        if self.t1 and ((in_b2 and len(self.t1) == self.p) or len(self.t1) > self.p):
            victim = pop(self.t1)
            self.b1[victim] = True
        else:
            victim = pop(self.t2)
            self.b2[victim] = True
        return [victim]

    def victims(self, page, at):
        c = self.frames
        if page in self.b1:
            self.p = min(c, self.p + max(len(self.b2) / len(self.b1), 1))
            return self.replace(False)
        if page in self.b2:
            self.p = max(0, self.p - max(len(self.b1) / len(self.b2), 1))
            return self.replace(True)
        if len(self.t1) + len(self.b1) == c:
            if len(self.t1) == c:
                return [pop(self.t1)]
            pop(self.b1)
        elif sum(map(len, (self.t1, self.t2, self.b1, self.b2))) == 2 * c:
            pop(self.b2)
        return self.replace(False)

    def load(self, page, write, at):
        again = self.b1.pop(page, False) or self.b2.pop(page, False)
        (self.t2 if again else self.t1)[page] = True


class Lirs(Twin):
    def start(self):
        self.stack, self.queue, self.lir = OrderedDict(), OrderedDict(), set()
        self.most = self.frames - max(1, int(self.hir * self.frames))
        self.most_gone = min(self.ghosts * self.frames, len(set(self.trace)))

    def prune(self):
        while self.stack and first(self.stack) not in self.lir:
            pop(self.stack)

    def promote(self, page):
        self.lir.add(page)
        self.to_top(page)
        if len(self.lir) > self.most:
            self.prune()
            bottom = pop(self.stack)
            self.lir.remove(bottom)
            self.queue[bottom] = True

    def to_top(self, page):
        self.stack[page] = True
        self.stack.move_to_end(page)

    def hit(self, page, write, at):
        if page in self.lir:
            self.to_top(page)
        elif page in self.stack:
            del self.queue[page]
            self.promote(page)
        else:
            self.to_top(page)
            self.queue.move_to_end(page)
        self.prune()

    def victims(self, page, at):
        """The victim stays in the stack as a ghost; of too many ghosts the oldest is forgotten."""
        victim = pop(self.queue)
        gone = [known for known in self.stack if known not in self.dirty or known == victim]
        if len(gone) > int(self.most_gone):
            del self.stack[gone[0]]
        return [victim]

    def load(self, page, write, at):
        if page in self.stack or len(self.lir) < self.most:
            self.promote(page)
        else:
            self.to_top(page)
            self.queue[page] = True
        self.prune()


class Sieve(Twin):
    def start(self):
        self.queue, self.visited, self.hand = [], {}, None  # oldest first

    def hit(self, page, write, at):
        self.visited[page] = True

    def load(self, page, write, at):
        self.queue.append(page)
        self.visited[page] = False

    def victims(self, page, at):
        place = 0 if self.hand is None else self.queue.index(self.hand)
        while self.visited[self.queue[place]]:
            self.visited[self.queue[place]] = False
            place = (place + 1) % len(self.queue)
        victim = self.queue.pop(place)
        self.hand = self.queue[place] if place < len(self.queue) else None
        return [victim]


class S3Fifo(Twin):
    def start(self):
        self.small_queue, self.main, self.ghosts, self.uses = deque(), deque(), OrderedDict(), {}
        self.limit = max(1, int(self.small * self.frames))
        self.evicted = self.remembered = False

    def hit(self, page, write, at):
        self.uses[page] = min(3, self.uses[page] + 1)

    def victims(self, page, at):
        self.evicted = True
        if self.ghost_first:
            self.remembered = self.ghosts.pop(page, False)
        if len(self.small_queue) >= self.limit:
            while self.small_queue:
                victim = self.small_queue.popleft()
                if self.uses[victim] < 2:
                    if len(self.ghosts) == max(1, self.frames - self.limit):
                        pop(self.ghosts)
                    self.ghosts[victim] = True
                    return [victim]
                self.uses[victim] = 0
                self.main.append(victim)
        while self.uses[self.main[0]]:
            self.uses[self.main[0]] -= 1
            self.main.rotate(-1)
        return [self.main.popleft()]

    def load(self, page, write, at):
        self.uses[page] = 0
        again = self.ghosts.pop(page, False) or self.remembered
        fills = self.main_fills and not self.evicted and len(self.small_queue) >= self.limit
        self.remembered = False
        (self.main if again or fills else self.small_queue).append(page)


class Min(Twin):
    def start(self):
        self.next = {}

    def hit(self, page, write, at):
        later = [i for i in range(at + 1, len(self.trace)) if self.trace[i] == page]
        self.next[page] = later[0] if later else float("inf")

    load = hit

    def victims(self, page, at):
        farthest = max(self.next[page] for page in self.dirty)
        return [min(page for page in self.dirty if self.next[page] == farthest)]


TWINS = {
    "fifo": Fifo,
    "clock": Clock,
    "lru": Lru,
    "mru": Mru,
    "lfu": Lfu,
    "lru-2": Lru2,
    "2q": TwoQ,
    "arc": Arc,
    "lirs": Lirs,
    "sieve": Sieve,
    "s3-fifo": S3Fifo,
    "min": Min,
}

"""Slow, readable twins of the flash-aware replacement policies and of W-TinyLFU, written from the definitions."""

from collections import Counter, OrderedDict
from fractions import Fraction
from itertools import pairwise

from twins.policies import Lru, Twin, first, pop


class Cflru(Lru):
    def victims(self, page, at):
        window = list(self.order)[: round(self.window * self.frames)]
        victim = next((page for page in window if not self.dirty[page]), first(self.order))
        del self.order[victim]
        return [victim]


class LruWsr(Lru):
    def start(self):
        self.order, self.cold = OrderedDict(), set()

    def hit(self, page, write, at):
        self.order[page] = True
        self.order.move_to_end(page)
        self.cold.discard(page)

    load = hit

    def victims(self, page, at):
        while True:
            victim = pop(self.order)
            if not self.dirty[victim] or victim in self.cold:
                return [victim]
            self.cold.add(victim)
            self.order[victim] = True


class CcfLru(Twin):
    def start(self):
        self.clean, self.mixed, self.cold = OrderedDict(), OrderedDict(), set()

    def hit(self, page, write, at):
        self.clean.pop(page, None)
        self.mixed.pop(page, None)
        self.mixed[page] = True
        self.cold.discard(page)

    def load(self, page, write, at):
        if write:
            self.hit(page, write, at)
        else:
            self.clean[page] = True
            self.cold.add(page)

    def victims(self, page, at):
        while not self.clean:
            oldest = pop(self.mixed)
            if oldest in self.cold:
                return [oldest]
            self.cold.add(oldest)
            (self.mixed if self.dirty[oldest] else self.clean)[oldest] = True
        return [pop(self.clean)]


class AdLru(Twin):
    def start(self):
        self.cold, self.hot, self.spared = OrderedDict(), OrderedDict(), set()

    def hit(self, page, write, at):
        self.cold.pop(page, None)
        self.hot[page] = True
        self.hot.move_to_end(page)
        self.spared.discard(page)

    def load(self, page, write, at):
        self.cold[page] = True
        self.spared.discard(page)

    def victims(self, page, at):
        queue = self.cold if len(self.cold) > int(self.min_cold * self.frames) or not self.hot else self.hot
        victim = next((page for page in queue if not self.dirty[page]), None)
        while victim is None:
            if first(queue) in self.spared:
                victim = first(queue)
            else:
                self.spared.add(first(queue))
                queue.move_to_end(first(queue))
        del queue[victim]
        return [victim]


class Casa(Twin):
    def start(self):
        self.clean, self.soiled, self.tau = OrderedDict(), OrderedDict(), self.frames / 2

    def hit(self, page, write, at):
        c_read, c_write = 1 / (1 + self.write_cost), self.write_cost / (1 + self.write_cost)
        ratio = len(self.soiled) / len(self.clean) if self.clean else None
        if page in self.clean and write:
            del self.clean[page]
            self.soiled[page] = True
        elif page in self.clean:
            self.tau = min(self.tau + c_read * ratio, self.frames)
            self.clean.move_to_end(page)
        else:
            if write:
                self.tau = max(self.tau - c_write * (len(self.clean) / len(self.soiled)), 0)
            self.soiled.move_to_end(page)

    def load(self, page, write, at):
        (self.soiled if write else self.clean)[page] = True

    def victims(self, page, at):
        return [pop(self.clean if (len(self.clean) > self.tau or not self.soiled) and self.clean else self.soiled)]


class Ref(Lru):
    def start(self):
        self.order, self.blocks = OrderedDict(), []

    def block(self, page):
        return page // int(self.block_pages)

    def victims(self, page, at):
        window = list(self.order)[: round(self.window * self.frames)]
        victim = next((page for page in window if self.block(page) in self.blocks), None)
        if victim is None:
            victim = first(self.order)
            if self.block(victim) not in self.blocks:
                self.blocks = [*self.blocks, self.block(victim)][-int(self.log_blocks) :]
        del self.order[victim]
        return [victim]


class Cfdc(Twin):
    def start(self):
        self.work, self.queue, self.clusters, self.stamp = OrderedDict(), OrderedDict(), {}, {}
        self.time, self.victim = 0, None

    def cluster(self, page):
        return page // int(self.cluster_pages)

    def priority(self, cluster):
        pages = self.clusters[cluster]
        distance = sum(abs(a - b) for a, b in pairwise(pages)) if len(pages) > 1 else 1
        age = max(1, self.time - self.stamp[cluster])
        return Fraction(distance, len(pages) ** 2 * age), self.stamp[cluster], cluster

    def leave(self, page):
        cluster = self.cluster(page)
        self.clusters[cluster].remove(page)
        if not self.clusters[cluster]:
            del self.clusters[cluster]
            if self.victim == cluster:
                self.victim = None

    def load(self, page, write, at):
        self.work[page] = True
        if len(self.work) <= self.frames - round(self.window * self.frames):
            return
        aged = pop(self.work)
        if not self.dirty[aged]:
            self.queue[aged] = True
            return
        if self.cluster(aged) not in self.clusters:
            self.clusters[self.cluster(aged)] = []
            self.stamp[self.cluster(aged)] = self.time
        self.time += 1
        self.clusters[self.cluster(aged)].append(aged)

    def hit(self, page, write, at):
        if page in self.work:
            self.work.move_to_end(page)
            return
        if page in self.queue:
            del self.queue[page]
        else:
            self.leave(page)
            self.stamp[self.cluster(page)] = self.time
        self.load(page, write, at)

    def victims(self, page, at):
        if self.queue:
            return [pop(self.queue)]
        if not self.clusters:
            return [pop(self.work)]
        if self.victim is None:
            self.victim = min(self.clusters, key=self.priority)
        victim = self.clusters[self.victim][0]
        self.leave(victim)
        return [victim]


class Fab(Twin):
    def start(self):
        self.used = {}

    def block(self, page):
        return page // int(self.block_pages)

    def hit(self, page, write, at):
        self.used[self.block(page)] = at

    load = hit

    def victims(self, page, at):
        held = Counter(self.block(page) for page in self.dirty)
        block = max(held, key=lambda block: (held[block], -self.used[block]))
        return sorted(page for page in self.dirty if self.block(page) == block)


class Bplru(Twin):
    def start(self):
        self.order, self.in_order = OrderedDict(), {}

    def block(self, page):
        return page // int(self.block_pages)

    def admits(self, page, write):
        return write

    def hit(self, page, write, at):
        if not write:
            return
        block = self.block(page)
        if block not in self.order:
            self.in_order[block] = []
        self.in_order[block].append(page % int(self.block_pages))
        self.order[block] = True
        whole = self.in_order[block] == list(range(int(self.block_pages)))
        self.order.move_to_end(block, last=not whole)

    load = hit

    def victims(self, page, at):
        block = pop(self.order)
        return sorted(page for page in self.dirty if self.block(page) == block)


class FdBuffer(Twin):
    def start(self):
        self.pools = [OrderedDict(), OrderedDict()]
        self.left = [OrderedDict(), OrderedDict()]
        self.lost, self.misses, self.split = [0.0, 0.0], 0, self.frames // 2

    def hit(self, page, write, at):
        was = page in self.pools[1]
        del self.pools[was][page]
        self.pools[was or bool(write)][page] = True

    def victims(self, page, at):
        self.remembered = [page in left for left in self.left]
        which = len(self.pools[1]) > self.split
        which = which if self.pools[which] else not which
        victim = pop(self.pools[which])
        if len(self.left[which]) == max(1, self.frames // 4):
            pop(self.left[which])
        self.left[which][victim] = True
        return [victim]

    def load(self, page, write, at):
        for which in (0, 1):
            if self.left[which].pop(page, False):
                self.lost[which] += 1 + (self.write_cost if which and write else 0)
        self.pools[bool(write)][page] = True
        self.misses += 1
        if self.misses >= self.frames:
            step = max(1, self.frames // 64)
            if self.lost[1] > self.lost[0]:
                self.split = min(self.split + step, self.frames)
            elif self.lost[1] < self.lost[0]:
                self.split = max(self.split - step, 0)
            self.lost, self.misses = [0.0, 0.0], 0


class MultiBuffer(Twin):
    def start(self):
        self.locals, self.left = ([OrderedDict() for _ in range(4)] for _ in range(2))
        self.updates, self.lost, self.misses = Counter(), [0.0] * 4, 0
        self.shares = [self.frames // 4 + (number < self.frames % 4) for number in range(4)]

    def place(self, page, write):
        self.updates[page] += bool(write)
        self.locals[(0, 1, 2, 2, 3)[min(self.updates[page], 4)]][page] = True

    def hit(self, page, write, at):
        for local in self.locals:
            local.pop(page, None)
        self.place(page, write)

    def victims(self, page, at):
        held = [number for number in range(4) if self.locals[number]]
        which = max(held, key=lambda number: (len(self.locals[number]) - self.shares[number], -number))
        victim = pop(self.locals[which])
        if len(self.left[which]) == max(1, self.frames // 4):
            pop(self.left[which])
        self.left[which][victim] = True
        return [victim]

    def load(self, page, write, at):
        for number, left in enumerate(self.left):
            if left.pop(page, False):
                self.lost[number] += 1 + number
        self.place(page, write)
        self.misses += 1
        if self.misses < self.frames:
            return
        giver = min((number for number in range(4) if self.shares[number]), key=lambda number: self.lost[number])
        taker = self.lost.index(max(self.lost))
        if self.lost[taker] > self.lost[giver]:
            step = min(max(1, self.frames // 64), self.shares[giver])
            self.shares[giver] -= step
            self.shares[taker] += step
        self.lost, self.misses = [0.0] * 4, 0


class WTinyLfu(Twin):
    def start(self):
        self.most_in_window = max(1, int(self.frames * self.window))
        self.most_protected = int((self.frames - self.most_in_window) * self.protected)
        self.new, self.probation, self.safe = OrderedDict(), OrderedDict(), OrderedDict()
        self.width = max(64, 1 << (self.frames - 1).bit_length())
        self.counters, self.sample = Counter(), 0
        self.number = {page: number for number, page in enumerate(dict.fromkeys(self.trace))}

    def places(self, page):
        """Where the page is counted: (row, slot) of four rows, by bits of a hash of its number."""
        every_bit = 2**64 - 1
        mixed = (self.number[page] + 1) * 0x9E3779B97F4A7C15 & every_bit
        mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 & every_bit
        return [(row, (mixed >> 12 * row) % self.width) for row in range(4)]

    def count(self, page):
        for place in self.places(page):
            self.counters[place] = min(self.counters[place] + 1, 15)
        self.sample += 1
        if self.sample == 10 * self.frames:
            self.sample //= 2
            self.counters = Counter({place: uses // 2 for place, uses in self.counters.items()})

    def estimate(self, page):
        return min(self.counters[place] for place in self.places(page))

    def hit(self, page, write, at):
        self.count(page)
        if page not in self.probation:
            (self.new if page in self.new else self.safe).move_to_end(page)
            return
        del self.probation[page]
        self.safe[page] = True
        if len(self.safe) > self.most_protected:
            self.probation[pop(self.safe)] = True

    def load(self, page, write, at):
        self.count(page)
        self.new[page] = True
        if len(self.new) > self.most_in_window:
            self.probation[pop(self.new)] = True

    def victims(self, page, at):
        candidate = pop(self.new)
        main = self.probation or self.safe
        if not main or self.estimate(candidate) <= self.estimate(first(main)):
            return [candidate]
        victim = pop(main)
        self.probation[candidate] = True
        return [victim]


FLASH_TWINS = {
    "cflru": Cflru,
    "lru-wsr": LruWsr,
    "ccf-lru": CcfLru,
    "ad-lru": AdLru,
    "casa": Casa,
    "ref": Ref,
    "cfdc": Cfdc,
    "fab": Fab,
    "bplru": Bplru,
    "fd-buffer": FdBuffer,
    "multi-buffer": MultiBuffer,
    "w-tinylfu": WTinyLfu,
}

"""Slow plain-Python twins of the page map and of BAST, on flash that refuses what NAND flash cannot do."""


class Chip:
    """Blocks of pages. A page is programmed once after an erase, in ascending order, and holds (logical, version)."""

    def __init__(self, blocks, pages):
        self.pages = pages
        self.blocks = [[] for _ in range(blocks)]
        self.programs = self.erases = 0

    def program(self, block, content):
        assert len(self.blocks[block]) < self.pages, "a full block was programmed"
        self.blocks[block].append(content)
        self.programs += 1
        return block, len(self.blocks[block]) - 1

    def erase(self, block):
        self.blocks[block] = []
        self.erases += 1

    def read(self, place):
        return self.blocks[place[0]][place[1]]


class PageMapTwin:
    """One frontier; greedy (ties: first to fall to the count), FIFO, windowed greedy, cost-benefit, cost-age-times."""

    def __init__(self, blocks, pages, logical, reserve, policy, window=1):
        self.chip, self.policy, self.reserve, self.window = Chip(blocks, pages), policy, reserve, window
        self.written, self.changed, self.erases = 0, {}, [0] * blocks
        self.place = {}
        self.free = list(range(blocks))
        self.closed = {}  # block -> when it was listed under its count of live pages
        self.frontier, self.clock, self.copied = None, 0, 0

    def live(self, block):
        return [at for at, page in enumerate(self.chip.blocks[block]) if self.place.get(page) == (block, at)]

    def list_block(self, block):
        self.clock += 1
        self.closed[block] = self.clock
        self.changed[block] = self.written

    def full(self):
        return self.frontier is None or len(self.chip.blocks[self.frontier]) == self.chip.pages

    def open(self):
        if self.frontier is not None and self.frontier not in self.closed:
            self.list_block(self.frontier)
        self.frontier = self.free.pop(0)

    def collect(self):
        if self.policy == "greedy":
            victim = min(self.closed, key=lambda block: (len(self.live(block)), self.closed[block]))
        elif self.policy in ("fifo", "windowed-greedy"):
            oldest = sorted(self.closed, key=self.closed.get)[: 1 if self.policy == "fifo" else self.window]
            victim = min(oldest, key=lambda block: len(self.live(block)))
        else:
            victim = max(sorted(self.closed), key=self.benefit)
        pages = [self.chip.read((victim, at)) for at in self.live(victim)]
        del self.closed[victim]
        was_frontier = victim == self.frontier
        for page in pages:
            if self.full():
                if was_frontier:
                    self.frontier, was_frontier = None, False
                self.open()
            self.place[page] = self.chip.program(self.frontier, page)
            self.copied += 1
        if was_frontier and victim == self.frontier:
            self.frontier = None
        self.chip.erase(victim)
        self.erases[victim] += 1
        self.free.append(victim)

    def benefit(self, block):
        live = len(self.live(block))
        if live == 0:
            return float("inf")
        times = 1 + self.erases[block] if self.policy == "cost-age-times" else 1
        age = self.written - self.changed[block] + 1
        return age * (self.chip.pages - live) / (2.0 * live) / times

    def forget(self, page):
        place = self.place.pop(page, None)
        if place is not None:
            self.changed[place[0]] = self.written
        if place is not None and place[0] in self.closed and self.policy == "greedy":
            self.list_block(place[0])

    def write(self, page):
        if self.full():
            if self.frontier is not None and self.frontier not in self.closed:
                self.list_block(self.frontier)
            while self.full():
                if len(self.free) > self.reserve:
                    self.open()
                else:
                    self.collect()
        self.forget(page)
        self.place[page] = self.chip.program(self.frontier, page)
        self.written += 1

    def trim(self, page):
        self.forget(page)


class BastTwin:
    """Log blocks in the order in which they were given out; FILLER where a merge has nothing to copy."""

    FILLER = None

    def __init__(self, blocks, pages, logical, log_blocks):
        self.chip, self.pages, self.logical = Chip(blocks, pages), pages, logical
        self.place = {}
        self.free = list(range(blocks))
        self.data = {}
        self.log_blocks, self.logs = log_blocks, {}  # logical block -> physical block, the oldest first
        self.merged = self.switches = self.partials = self.fulls = self.unused = 0

    def release(self, block):
        assert not [p for p, place in self.place.items() if place[0] == block], "a live page was erased"
        self.unused += self.pages - len(self.chip.blocks[block])
        self.chip.erase(block)
        self.free.append(block)

    def pages_of(self, logical_block):
        return min(self.pages, self.logical - logical_block * self.pages)

    def complete(self, logical_block, block):
        first = logical_block * self.pages
        wanted = [page for page in range(first, min(first + self.pages, self.logical)) if page in self.place]
        end = wanted[-1] - first + 1 if wanted else 0
        for offset in range(len(self.chip.blocks[block]), end):
            page = first + offset
            place = self.chip.program(block, page if page in self.place else self.FILLER)
            if page in self.place:
                self.place[page] = place
            self.merged += 1
        old = self.data.get(logical_block)
        self.data[logical_block] = block
        if old is not None:
            self.release(old)

    def merge(self, logical_block):
        log = self.logs.pop(logical_block)
        offsets = [page - logical_block * self.pages for page in self.chip.blocks[log]]
        if offsets == list(range(len(offsets))):
            if len(offsets) == self.pages_of(logical_block):
                self.switches += 1
            else:
                self.partials += 1
            self.complete(logical_block, log)
        else:
            self.fulls += 1
            self.complete(logical_block, self.free.pop(0))
            self.release(log)

    def write(self, page):
        logical_block, offset = divmod(page, self.pages)
        log = self.logs.get(logical_block)
        if log is not None and len(self.chip.blocks[log]) == self.pages:
            self.merge(logical_block)
            log = None
        if log is None:
            if logical_block not in self.data and offset == 0:
                self.data[logical_block] = self.free.pop(0)
            block = self.data.get(logical_block)
            if block is not None and len(self.chip.blocks[block]) == offset:
                self.place[page] = self.chip.program(block, page)
                return
            if len(self.logs) == self.log_blocks:
                self.merge(next(iter(self.logs)))
            log = self.logs[logical_block] = self.free.pop(0)
        self.place[page] = self.chip.program(log, page)
        content = self.chip.blocks[log]
        first = logical_block * self.pages
        if content == list(range(first, first + self.pages_of(logical_block))):
            self.merge(logical_block)

    def trim(self, page):
        self.place.pop(page, None)

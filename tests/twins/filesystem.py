"""File systems in plain Python, from what is written about them and not from the kernels: dictionaries and lists.

A log keeps what a crash needs in another way than the engine: copies of all maps at every checkpoint, and the list of
partial segments since. `disk` holds for every block what was written there last.
"""

from collections import OrderedDict
from dataclasses import dataclass, field

READ, WRITE, TRIM = range(3)
DATA, METADATA, SUMMARY, CHECKPOINT, CLEANING_READ, CLEANING_WRITE, LOG, DELETED = range(8)


@dataclass
class Shape:
    """parent, leaf: the tree of nodes. translated: nodes below it have an entry in the translation (0: there is none),
    which begins at node `first` with `entries` entries a block."""

    blocks: int
    pages: int
    page_blocks: int
    leaf: list
    parent: list
    limit: int
    translated: int = 0
    first: int = 0
    entries: int = 1


class Requests(list):
    """[op, block, blocks, cause, stream]; one that goes on where the last of the verb ended is part of it."""

    def add(self, op, block, blocks, cause, stream=0):
        if self and self[-1][0] == op and self[-1][3:] == [cause, stream] and sum(self[-1][1:3]) == block:
            self[-1][2] += blocks
        else:
            self.append([op, block, blocks, cause, stream])


@dataclass
class Common:
    shape: Shape
    streams: int = 1
    trim: bool = False
    address: dict = field(default_factory=dict)  # page -> first block
    place: dict = field(default_factory=dict)  # node -> block
    memory: OrderedDict = field(default_factory=OrderedDict)
    changed: list = field(default_factory=list)
    version: dict = field(default_factory=dict)  # of each page, the newest that was handed over

    def above(self, node):
        chain = [node]
        while self.shape.parent[chain[-1]] >= 0:
            chain.append(self.shape.parent[chain[-1]])
        return chain

    def hold(self, node):
        known = node in self.memory
        self.memory[node] = True
        self.memory.move_to_end(node)
        while not known and len(self.memory) > self.shape.limit:
            free = [each for each in self.memory if each not in self.changed]  # changed ones stay until written
            if not free:
                break
            for each in list(self.memory)[: list(self.memory).index(free[0])]:
                self.memory.move_to_end(each)  # those that were passed over are as new as this one
            if free[0] == node:
                break
            del self.memory[free[0]]

    def walk(self, node, out, translated=False):
        for each in reversed(self.above(node)):
            if each not in self.memory and each not in self.changed and each in self.place:
                if translated:
                    self.walk(self.translation(self.shape.pages * self.shape.page_blocks + each), out)
                out.add(READ, self.place[each], 1, METADATA, self.streams - 1)
            self.hold(each)

    def translation(self, entry):
        return self.shape.first + entry // self.shape.entries

    def find(self, page, out):
        self.walk(self.shape.leaf[page], out, translated=self.shape.translated > 0)
        if self.shape.translated:
            self.walk(self.translation(page * self.shape.page_blocks), out)

    def change(self, nodes):
        self.changed = list(dict.fromkeys([*self.changed, *nodes]))

    def waits(self, page):
        return False

    def read(self, page):
        out = Requests()
        if page in self.address and not self.waits(page):
            self.find(page, out)
            out.add(READ, self.address[page], self.shape.page_blocks, DATA)
        return out


@dataclass
class InPlaceTwin(Common):
    home: dict = field(default_factory=dict)
    bitmap: dict = field(default_factory=dict)  # page -> node of its group's bitmap
    named: set = field(default_factory=set)  # pages that the metadata on the device name
    touched: list = field(default_factory=list)

    def write(self, page, version=0):
        out = Requests()
        self.find(page, out)
        self.version[page] = version
        if page not in self.address:
            self.address[page] = self.home[page]
            self.touched.append(page)
            self.change([self.shape.leaf[page], self.bitmap[page]])
        self.change(self.above(self.shape.leaf[page])[-1:])
        out.add(WRITE, self.home[page], self.shape.page_blocks, DATA)
        return out

    def delete(self, page, pages=1):
        out = Requests()
        for each in range(page, page + pages):
            if each in self.address:
                self.find(each, out)
                top = self.above(self.shape.leaf[each])[-1]
                self.change([self.shape.leaf[each], top, self.bitmap[each]])
                del self.address[each]
                self.touched.append(each)
        return out

    def sync(self):
        out = Requests()
        for node in sorted(self.changed, key=lambda node: (self.place[node], node)):
            out.add(WRITE, self.place[node], 1, METADATA, self.streams - 1)
        self.changed.clear()
        for page in dict.fromkeys(self.touched):
            if self.trim and page not in self.address and page in self.named:
                out.add(TRIM, self.home[page], self.shape.page_blocks, DELETED)
        self.touched.clear()
        self.named = set(self.address)
        return out

    def crash(self, lost=0):
        self.address = {page: self.home[page] for page in self.named}
        self.memory.clear()
        self.changed.clear()
        self.touched.clear()


@dataclass
class LogTwin(Common):
    segment_blocks: int = 8
    segments: int = 8
    summary: tuple = (0, 0)  # bytes, and for each block
    block_bytes: int = 4096
    checkpoint_blocks: int = 0
    per_checkpoint: int = 1
    per_clean: int = 1
    selection: str = "greedy"
    by_age: bool = False
    whole: bool = False
    pending: list = field(default_factory=list)
    syncs: int = 0
    due: bool = False
    written: int = 0
    head: dict = field(default_factory=dict)  # stream -> segment
    cursor: int = 0
    disk: dict = field(default_factory=dict)  # block -> (kind, number, version)
    born: dict = field(default_factory=dict)
    parts: list = field(default_factory=list)  # (written at its end, [(kind, number, block)])
    snapshots: list = field(default_factory=list)  # (written, address, place)

    def __post_init__(self):
        self.used = [0] * self.segments
        self.state = ["clean"] * self.segments
        self.youngest = [0] * self.segments
        self.began = [0] * self.segments
        self.snapshots = [(0, {}, {})]

    def waits(self, page):
        return page in self.pending

    def size(self, item):
        return self.shape.page_blocks if item[0] == "page" else 1

    def summary_of(self, blocks):
        return -(-(self.summary[0] + self.summary[1] * blocks) // self.block_bytes) if self.summary[0] else 0

    def write(self, page, version=0):
        out = Requests()
        self.version[page] = version
        self.born[page] = self.written
        if page in self.pending:
            return out
        self.find(page, out)
        self.pending.append(page)
        if len(self.pending) * self.shape.page_blocks >= self.segment_blocks or len(self.pending) == self.shape.pages:
            self.flush(False, out)
        return out

    def moved(self, page, tree=True):
        if tree:
            self.change(self.above(self.shape.leaf[page]))
        if self.shape.translated:
            for entry in range(page * self.shape.page_blocks, (page + 1) * self.shape.page_blocks):
                self.change(self.above(self.translation(entry)))

    def flush(self, checkpoint, out):
        items = [("page", page) for page in self.pending]
        for page in self.pending:
            self.moved(page)
        self.pending.clear()
        if not checkpoint:
            self.append(items, 0, LOG, out)
            return
        if self.streams > 1 and items:
            self.append(items, 0, LOG, out)
            items = []
        self.append(items + self.changed_nodes(), self.streams - 1, LOG, out)
        self.checkpointed()

    def changed_nodes(self):
        for node in list(self.changed):
            if node < self.shape.translated:
                self.change(self.above(self.translation(self.shape.pages * self.shape.page_blocks + node)))
        nodes, self.changed = self.changed, []
        for node in nodes:
            self.hold(node)
        return [("node", node) for node in nodes] + [("checkpoint", 0)] * self.checkpoint_blocks

    def checkpointed(self):
        self.snapshots.append((self.written, dict(self.address), dict(self.place)))
        self.due, self.syncs = False, 0

    def append(self, items, stream, cause, out):
        items = list(items)
        while items:
            segment = self.head.get(stream)
            room = self.segment_blocks - self.used[segment] if segment is not None else 0
            part, blocks = [], 0
            for item in items:
                grown = blocks + self.size(item)
                if self.summary_of(grown) + grown > room:
                    break
                part.append(item)
                blocks = grown
            if not part:
                if segment is not None:
                    self.state[segment] = "used"
                while self.state[self.cursor] != "clean":
                    self.cursor = (self.cursor + 1) % self.segments
                segment = self.head[stream] = self.cursor
                self.cursor = (self.cursor + 1) % self.segments
                self.state[segment], self.used[segment], self.youngest[segment] = "open", 0, 0
                for block in self.blocks_of(segment):
                    self.disk.pop(block, None)
                continue
            del items[: len(part)]
            block = self.blocks_of(segment).start + self.used[segment]
            whole = self.summary_of(blocks) + blocks
            self.written += whole
            if self.used[segment] == 0:
                self.began[segment] = self.written
            out.add(WRITE, block, whole, cause, stream)
            self.used[segment] += whole
            block += whole - blocks
            log = []
            for kind, number in part:
                if kind == "page":
                    self.youngest[segment] = max(self.youngest[segment], self.born[number])
                    version = self.version[number] if cause == LOG else self.disk[self.address[number]][2]
                    for at in range(self.shape.page_blocks):
                        self.disk[block + at] = ("page", number, version, at)
                    self.address[number] = block
                elif kind == "node":
                    self.youngest[segment] = max(self.youngest[segment], self.written)
                    self.disk[block] = ("node", number, self.written, 0)
                    self.place[number] = block
                log.append((kind, number, block))
                block += self.size((kind, number))
            self.parts.append((self.written, log))

    def blocks_of(self, segment):
        return range(segment * self.segment_blocks, (segment + 1) * self.segment_blocks)

    def sync(self):
        out = Requests()
        self.syncs += 1
        self.flush(self.syncs >= self.per_checkpoint or self.due, out)
        return out

    def delete(self, page, pages=1):
        out = Requests()
        for each in range(page, page + pages):
            if each in self.pending:
                self.pending.remove(each)
            if each in self.address:
                self.find(each, out)
                self.moved(each)
                del self.address[each]
                self.due = True
        return out

    def living(self, segment):
        """[(block, kind, number)] of what lives in a segment, in order of its blocks."""
        here = self.blocks_of(segment)
        pages = [(block, "page", page) for page, block in self.address.items() if block in here]
        return sorted(pages + [(block, "node", node) for node, block in self.place.items() if block in here])

    def live(self, segment):
        return sum(self.size(item[1:]) for item in self.living(segment))

    def worth(self, segment):
        share = self.live(segment) / self.segment_blocks
        if self.selection == "greedy":
            return self.live(segment)
        if self.selection == "timestamp":
            return self.began[segment]
        return -(1 - share) * (self.written - self.youngest[segment]) / (1 + share)

    def clean(self):
        out = Requests()
        choice = [at for at in range(self.segments) if self.state[at] == "used" and self.live(at) < self.segment_blocks]
        victims = sorted(choice, key=lambda at: (self.worth(at), at))[: self.per_clean]
        if not victims:
            return 0, out
        pages, nodes = [], []
        for victim in victims:
            living = self.living(victim)
            if self.whole and living:
                out.add(READ, victim * self.segment_blocks, self.segment_blocks, CLEANING_READ)
            for block, kind, number in living:
                if not self.whole:
                    out.add(READ, block, self.size((kind, number)), CLEANING_READ)
                (pages if kind == "page" else nodes).append((kind, number))
        if self.by_age:
            pages.sort(key=lambda item: (self.born[item[1]], item[1]))
        for _, page in pages:
            self.moved(page, tree=self.shape.translated == 0)
        if self.streams > 2 and pages:
            self.append(pages, 1, CLEANING_WRITE, out)
            pages = []
        checkpoint = self.shape.translated > 0 or self.due
        for kind, node in nodes:
            if self.shape.translated and node >= self.shape.translated:
                self.change(self.above(node))
            elif not checkpoint or node not in self.changed:
                pages.append((kind, node))
                if self.shape.translated:
                    entry = self.shape.pages * self.shape.page_blocks + node
                    self.change(self.above(self.translation(entry)))
        if checkpoint:
            pages += self.changed_nodes()
        self.append(pages, self.streams - 1, CLEANING_WRITE, out)
        if checkpoint:
            self.checkpointed()
        for victim in victims:
            self.state[victim] = "clean"
            if self.trim:
                out.add(TRIM, victim * self.segment_blocks, self.segment_blocks, CLEANING_WRITE)
        return len(victims), out

    def crash(self, lost=0):
        """Last complete checkpoint, then every complete partial segment behind it."""
        complete = self.written - lost
        self.written = complete
        self.snapshots = [snapshot for snapshot in self.snapshots if snapshot[0] <= complete]
        self.parts = [part for part in self.parts if part[0] <= complete]
        since, address, place = self.snapshots[-1]
        self.address, self.place = dict(address), dict(place)
        forward = []
        for end, log in self.parts:
            for kind, number, block in log if end > since else []:
                if kind == "page":
                    self.address[number] = block
                    forward.append(number)
                elif kind == "node":
                    self.place[number] = block
        self.pending.clear()
        self.changed.clear()
        self.memory.clear()
        self.head.clear()
        self.syncs, self.due = 0, False
        for segment in range(self.segments):
            alive = self.live(segment) > 0
            self.state[segment] = "used" if alive else "clean"
            self.used[segment] = self.segment_blocks if alive else 0
        for page in sorted(set(forward)):
            self.moved(page)
            self.due = True

"""A translation layer at work, told operation by operation: its own kernel, run as plain Python for a listener.

told = Told(LAYERS["fast"](geometry, Options()))
told.serve("w", 3)
told.happenings[-1], told.instants[-1]
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pagecost.devices.ftl import bast_kernels, dftl_kernels, fast_kernels, heat_kernels, nand_kernels, page_map_kernels
from pagecost.devices.ftl.layers import Bast, BlockMap, Dftl, Fast, Layer, PageMap
from pagecost.devices.ftl.page_map_kernels import NOWHERE, READ, TRIM
from pagecost.errors import ModelError
from pagecost.interpreted import Interpreter
from pagecost.lists_kernels import newest_first

FREE, FILLER = -1, -2  # what a physical page holds besides a logical one: nothing since its erase, or no data

REQUEST, HOST_READ, TRIMMED, OPEN, PROGRAM = "request", "read", "trim", "open", "program"
COLLECT, MERGE, COPY, FILL, ERASE = "collect", "merge", "copy", "fill", "erase"
MAP_READ, MAP_WRITE = "map read", "map write"
KINDS = (REQUEST, HOST_READ, TRIMMED, OPEN, PROGRAM, COLLECT, MERGE, COPY, FILL, ERASE, MAP_READ, MAP_WRITE)
"""What can happen. COLLECT and MERGE say what begins; the copies and the erases that it takes follow."""

VERBS = {"w": 0, "r": int(READ), "t": int(TRIM)}
FRONTIERS = {
    page_map_kernels.HOST_AT: "open",
    page_map_kernels.GC_AT: "open for copies",
    page_map_kernels.MAP_AT: "open for the map",
}


class Happening(NamedTuple):
    """One operation. request: number of the request because of which it happens, counted from 0.

    page: the logical page, -1 where there is none; a page of DFTL's map has a number behind those of the host. block:
    the physical block that it happens in. place: page in that block, -1 for a whole block. origin: (block, page) where
    the data was before, or None. what: of OPEN, what for; of COLLECT and MERGE, "switch", "partial" or "full" and the
    logical block, or how many pages of the block live; of REQUEST, its verb.
    """

    kind: str
    request: int
    page: int = -1
    block: int = -1
    place: int = -1
    origin: tuple[int, int] | None = None
    what: str = ""


class Instant(NamedTuple):
    """The flash after a happening. Arrays are not written to.

    holds: int32[blocks, pages]: the logical page programmed there, FREE or FILLER. alive: bool, likewise: whether it is
    the newest version. roles: what each block is, in words. erases: int64[blocks]. cached: DFTL's cached map entries,
    (page, dirty), the last used first; None for other layers.
    """

    holds: np.ndarray
    alive: np.ndarray
    roles: tuple[str, ...]
    erases: np.ndarray
    cached: tuple[tuple[int, bool], ...] | None


class Told:
    """A layer from now on. `happenings[n]` is what happened, `instants[n]` the state after n of them, from 0 on.

    The layer is changed as if it had served the requests itself; this is some 1000 times slower.
    """

    def __init__(self, layer: Layer):
        self.layer = layer
        self.happenings: list[Happening] = []
        self._pages = layer.geometry.pages_per_block
        self._request = -1
        mapped, owner = layer.whereabouts()
        shape = (layer.geometry.blocks, self._pages)
        self._alive = (owner >= 0).reshape(shape)
        programmed = np.arange(self._pages) < layer.written_pages()[:, None]
        self._holds = np.where(self._alive, owner.reshape(shape), np.where(programmed, FILLER, FREE)).astype(np.int32)
        self.place_of = mapped
        self._listener: _PageMapListener | _BlockMapListener
        if isinstance(layer, PageMap):
            self._listener = _PageMapListener(self, layer)
        elif isinstance(layer, BlockMap):
            self._listener = _BlockMapListener(self, layer)
        else:
            raise ModelError(f"{layer.name}: nobody listens to this kind of translation layer yet")
        self._kernel = Interpreter(self._listener.told()).entry(layer.kernel)
        self.instants = [self._instant()]

    def serve(self, verb: str, page: int) -> None:
        """Serve a request: "w" writes, "r" reads, "t" trims. Raises ModelError for a page that there is not."""
        request = self.layer._requests([page], VERBS[verb])
        self._request += 1
        self.note(REQUEST, page=page, what=verb)
        self.layer.serve(request, kernel=self._kernel)
        self._listener.flush()
        where = int(self.place_of[page])
        if verb == "r":
            block, place = divmod(where, self._pages) if where >= 0 else (-1, -1)
            self.note(HOST_READ, page=page, block=block, place=place)

    @property
    def request(self) -> tuple[str, int]:
        """(verb, page) of the request that is served."""
        last = next(one for one in reversed(self.happenings) if one.kind == REQUEST)
        return last.what, last.page

    def fill(self) -> None:
        """Write every page once, in order; what is told begins after it."""
        pages = self.layer.geometry.logical_pages
        self.layer.serve(self.layer._requests(np.arange(pages), 0), kernel=self._kernel)
        self._listener.flush()
        self._request, self.happenings, self.instants = -1, [], [self._instant()]

    def note(self, kind: str, **values) -> None:
        """Something happened; the flash is as it is now."""
        self.happenings.append(Happening(kind, self._request, **values))
        self.instants.append(self._instant())

    def programmed(self, kind: str, page: int, block: int, place: int) -> None:
        """A physical page was programmed with a logical one, or with filler where that is NOWHERE."""
        if page == NOWHERE:
            self._holds[block, place], self._alive[block, place] = FILLER, False
            self.note(FILL, block=block, place=place)
            return
        origin = self._die(page)
        self._holds[block, place], self._alive[block, place] = page, True
        self.place_of[page] = block * self._pages + place
        self.note(kind, page=page, block=block, place=place, origin=origin)

    def trimmed(self, page: int) -> None:
        """The newest version of a page died, and none came in its place."""
        origin = self._die(page)
        self.note(TRIMMED, page=page, origin=origin)

    def erased(self, block: int) -> None:
        """A block was erased."""
        self._holds[block], self._alive[block] = FREE, False
        self.note(ERASE, block=block)

    def _die(self, page: int) -> tuple[int, int] | None:
        if self.place_of[page] < 0:
            return None
        block, place = divmod(int(self.place_of[page]), self._pages)
        self._alive[block, place] = False
        self.place_of[page] = -1
        return block, place

    def _instant(self) -> Instant:
        return Instant(
            holds=self._holds.copy(),
            alive=self._alive.copy(),
            roles=self._listener.roles(),
            erases=self.layer.erase_counts.astype(np.int64),
            cached=self._listener.cached(),
        )


class _PageMapListener:
    """Hears the page map and DFTL. What they program they do not call: it is seen in the map, before the next call."""

    def __init__(self, told: Told, layer: PageMap):
        self.teller, self.layer = told, layer
        self.flash = layer.flash
        self.shift = int(self.flash.scalars[page_map_kernels.SHIFT])
        self.mapped = self.flash.mapped.copy()
        self.moving: list[int] = []  # blocks that are being collected
        self.map_reads = self._map_reads()

    def told(self) -> dict[Callable, Callable]:
        """Part -> what wraps it."""
        return {
            page_map_kernels.open_block: self._opens,
            page_map_kernels.relocate: self._collects,
            heat_kernels.relocate_by_heat: self._collects,
            page_map_kernels.erase: self._erases,
            dftl_kernels.put: self._puts,
        }

    def _opens(self, inner):
        def open_block(flash, frontier):
            self.flush()
            inner(flash, frontier)
            block = int(flash.scalars[frontier]) >> self.shift
            self.teller.note(OPEN, block=block, what=FRONTIERS[int(frontier)])

        return open_block

    def _collects(self, inner):
        def relocate(flash, *rest):  # the victim is the last of them
            victim = int(rest[-1])
            self.flush()
            self.moving.append(victim)
            self.teller.note(COLLECT, block=victim, what=str(int(flash.valid[victim])))
            return inner(flash, *rest)

        return relocate

    def _erases(self, inner):
        def erase(flash, block):
            self.flush()
            inner(flash, block)
            self.moving.remove(int(block))
            self.teller.erased(int(block))

        return erase

    def _puts(self, inner):
        def put(flash, state, page):
            self.flush()
            inner(flash, state, page)
            self.flush()

        return put

    def flush(self) -> None:
        """Note what was programmed since the last time: copies in the order of their old places, then the rest."""
        while self._map_reads() > self.map_reads:
            self.map_reads += 1
            self.teller.note(MAP_READ)
        now, before = self.flash.mapped[:-1], self.mapped[:-1]
        changed = np.flatnonzero(now != before)
        for page in sorted(changed.tolist(), key=lambda page: (not self._moves(page), self.mapped[page])):
            moves = self._moves(page)
            self.mapped[page] = to = self.flash.mapped[page]
            if to == NOWHERE:
                self.teller.trimmed(page)
                continue
            own = MAP_WRITE if page >= self.layer.geometry.logical_pages else PROGRAM
            block, place = int(to) >> self.shift, int(to) & ((1 << self.shift) - 1)
            self.teller.programmed(COPY if moves else own, page, block, place)

    def _moves(self, page: int) -> bool:
        old = self.mapped[page]
        return old != NOWHERE and int(old) >> self.shift in self.moving

    def _map_reads(self) -> int:
        cache = getattr(self.layer, "cache", None)
        return int(cache.scalars[dftl_kernels.MAP_READS]) if cache else 0

    def roles(self) -> tuple[str, ...]:
        """What each block is."""
        words = {page_map_kernels.FREE: "free", page_map_kernels.OPEN: "open", page_map_kernels.CLOSED: "full"}
        words[page_map_kernels.LEAVING] = "collected"
        roles = [words[status] for status in self.flash.status]
        for frontier, what in FRONTIERS.items():
            end = int(self.flash.scalars[frontier + 1])
            block = (end - 1) >> self.shift
            if end > 0 and self.flash.status[block] == page_map_kernels.OPEN:
                roles[block] = what
        for block in self.moving:
            roles[block] = "collected"
        return tuple(roles)

    def cached(self) -> tuple[tuple[int, bool], ...] | None:
        """DFTL's cached map entries."""
        if not isinstance(self.layer, Dftl):
            return None
        cache = self.layer.cache
        slots = newest_first(cache.links, cache.links.shape[0] - 1)
        return tuple((int(cache.page[slot]), bool(cache.dirty[slot])) for slot in slots)


class _BlockMapListener:
    """Hears the block map, BAST and FAST, whose programs and erases are calls."""

    def __init__(self, told: Told, layer: BlockMap):
        self.teller, self.layer = told, layer
        self.nand = layer.nand
        self.completed: list[int] = []  # the host's page, or NOWHERE, of the completions that go on
        self.merged: list[int] = []  # log blocks that are being merged

    def told(self) -> dict[Callable, Callable]:
        """Part -> what wraps it."""
        return {
            nand_kernels.take_free: self._opens,
            nand_kernels.program: self._programs,
            nand_kernels.complete: self._completes,
            nand_kernels.rebuild: self._rebuilds,
            nand_kernels.erase: self._erases,
            bast_kernels.merge: self._merges,
            fast_kernels.reclaim: self._reclaims,
            fast_kernels.close_sequential: self._closes,
        }

    def flush(self) -> None:
        """Note what is seen only afterwards: a page that was trimmed."""
        for page in np.flatnonzero((self.nand.where == NOWHERE) & (self.teller.place_of >= 0)).tolist():
            self.teller.trimmed(page)

    def _opens(self, inner):
        def take_free(nand):
            block = inner(nand)
            self.teller.note(OPEN, block=int(block))
            return block

        return take_free

    def _programs(self, inner):
        def program(nand, block, at, page):
            inner(nand, block, at, page)
            from_host = not self.completed or page == self.completed[-1]
            self.teller.programmed(PROGRAM if from_host else COPY, int(page), int(block), int(at))

        return program

    def _completes(self, inner):
        def complete(nand, logical_block, block, host_page):
            self.completed.append(int(host_page))
            inner(nand, logical_block, block, host_page)
            self.completed.pop()

        return complete

    def _rebuilds(self, inner):
        def rebuild(nand, logical_block, host_page):
            old = nand.data[logical_block]
            block = int(old) if old != NOWHERE else -1
            self.teller.note(MERGE, block=block, what=f"full {int(logical_block)}")
            inner(nand, logical_block, host_page)

        return rebuild

    def _erases(self, inner):
        def erase(nand, block):
            inner(nand, block)
            if int(block) in self.merged:
                self.merged.remove(int(block))
            self.teller.erased(int(block))

        return erase

    def _merges(self, inner):
        def merge(nand, logs, slot):
            log, logical_block = int(logs.block[slot]), int(logs.of[slot])
            way = self._way(nand, log, logical_block) if logs.in_order[slot] else "full"
            self.merged.append(log)
            self.teller.note(COLLECT, block=log, what=f"{way} {logical_block}")
            inner(nand, logs, slot)
            if log in self.merged:
                self.merged.remove(log)

        return merge

    def _reclaims(self, inner):
        def reclaim(nand, logs):
            log = int(logs.shared[logs.scalars[fast_kernels.OLDEST]])
            self.merged.append(log)
            self.teller.note(COLLECT, block=log, what="full -1")
            inner(nand, logs)

        return reclaim

    def _closes(self, inner):
        def close_sequential(nand, logs):
            log, logical_block = int(logs.scalars[fast_kernels.SEQUENTIAL]), logs.scalars[fast_kernels.SEQUENTIAL_OF]
            if log >= 0:
                self.teller.note(COLLECT, block=log, what=f"{self._way(nand, log, logical_block)} {int(logical_block)}")
            inner(nand, logs)

        return close_sequential

    def _way(self, nand, log: int, logical_block: int) -> str:
        return "switch" if nand.written[log] == nand_kernels.pages_of(nand, logical_block) else "partial"

    def roles(self) -> tuple[str, ...]:
        """What each block is."""
        nand, layer = self.nand, self.layer
        roles = ["new"] * layer.geometry.blocks
        head, free = (int(nand.scalars[place]) for place in (nand_kernels.FREE_HEAD, nand_kernels.FREE_BLOCKS))
        for at in range(free):
            roles[nand.free[(head + at) % nand.free.size]] = "free"
        for logical, block in enumerate(nand.data.tolist()):
            if block != NOWHERE:
                roles[block] = f"data {logical}"
        if isinstance(layer, Bast):
            for block, of in zip(layer.logs.block.tolist(), layer.logs.of.tolist(), strict=True):
                if of != NOWHERE and block != NOWHERE and roles[block] == "new":  # not what the slot held before
                    roles[block] = f"log of {of}"
        elif isinstance(layer, Fast):
            scalars, shared = layer.logs.scalars.tolist(), layer.logs.shared
            for at in range(scalars[fast_kernels.USED]):
                roles[shared[(scalars[fast_kernels.OLDEST] + at) % shared.size]] = "shared log"
            if scalars[fast_kernels.SEQUENTIAL] >= 0:
                roles[scalars[fast_kernels.SEQUENTIAL]] = f"sequential log of {scalars[fast_kernels.SEQUENTIAL_OF]}"
        for block in self.merged:
            roles[block] = "log, merged"
        return tuple(roles)

    def cached(self) -> None:
        """The whole map is in RAM."""
        return None

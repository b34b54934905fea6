"""Slow, readable twins of the replacement policies: plain Python, written from the definitions."""

from collections import OrderedDict, deque


def fifo(pages, writes, frames):
    queue, dirty = deque(), {}

    def load(page):
        queue.append(page)

    return _run(pages, writes, frames, dirty, lambda page, at: None, lambda page, at: load(page), queue.popleft)


def clock(pages, writes, frames):
    ring, dirty = deque(), {}
    referenced = {}

    def hit(page, at):
        referenced[page] = True

    def load(page, at):
        ring.append(page)
        referenced[page] = False

    def victim():
        while referenced[ring[0]]:
            referenced[ring[0]] = False
            ring.rotate(-1)
        return ring.popleft()

    return _run(pages, writes, frames, dirty, hit, load, victim)


def lru(pages, writes, frames):
    order, dirty = OrderedDict(), {}

    def touch(page, at):
        order[page] = True
        order.move_to_end(page)

    return _run(pages, writes, frames, dirty, touch, touch, lambda: order.popitem(last=False)[0])


def min(pages, writes, frames):
    resident, dirty = {}, {}

    def next_use(page, after):
        later = [i for i in range(after + 1, len(pages)) if pages[i] == page]
        return later[0] if later else float("inf")

    def touch(page, at):
        resident[page] = next_use(page, at)

    def victim():
        farthest = max(resident.values())
        page = sorted(page for page, use in resident.items() if use == farthest)[0]
        del resident[page]
        return page

    return _run(pages, writes, frames, dirty, touch, touch, victim)


TWINS = {"fifo": fifo, "clock": clock, "lru": lru, "min": min}


def _run(pages, writes, frames, dirty, hit, load, victim):
    """(hits, write-backs, dirty pages left) of demand paging with the given three decisions."""
    hits = write_backs = 0
    for at, (page, write) in enumerate(zip(pages, writes, strict=True)):
        if page in dirty:
            hits += 1
            hit(page, at)
            dirty[page] |= write
            continue
        if len(dirty) == frames:
            write_backs += dirty.pop(victim())
        load(page, at)
        dirty[page] = write
    return hits, write_backs, sum(dirty.values())

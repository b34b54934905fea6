"""A slow twin of the caches of an operating system, written from the description, not from the kernels."""

from collections import Counter, OrderedDict

LAYERS = ("buffer", "page", "inode", "mapping", "block", "device")


class Lru(OrderedDict):
    """At most `size` keys; `put` returns the key that had to leave."""

    def __init__(self, size):
        super().__init__()
        self.size = size

    def put(self, key):
        if self.size == 0:
            return None
        self[key] = True
        self.move_to_end(key)
        return self.popitem(last=False)[0] if len(self) > self.size else None


def file_of(pages, pointers):
    """(block of each page, indirect blocks to each page), allocating as a file grows."""
    block, blocks, chains, made = 1, [], [], {}
    for page in range(pages):
        needed = []
        rest = page - 12
        if rest >= 0:
            if rest < pointers:
                needed = ["single"]
            elif rest < pointers + pointers**2:
                needed = ["double", ("double", (rest - pointers) // pointers)]
            else:
                deep = rest - pointers - pointers**2
                needed = ["triple", ("triple", deep // pointers**2), ("triple", 0, deep // pointers)]
        for name in needed:
            if name not in made:
                made[name] = block
                block += 1
        chains.append([made[name] for name in needed])
        blocks.append(block)
        block += 1
    return blocks, chains


class Twin:
    """Takes a `Host` apart into plain Python."""

    def __init__(self, host, file_pages, pointers=1024):
        self.host = host
        self.blocks, self.chains = file_of(file_pages, pointers)
        self.page_at = {block: page for page, block in enumerate(self.blocks)}
        self.volume = self.blocks[-1] + 1
        sizes = (host.buffer_pages, host.page_cache_pages, int(host.inode_cache), host.mapping_blocks)
        sizes += (host.block_cache_pages, host.device_cache_pages)
        self.layers = {name: Lru(size) for name, size in zip(LAYERS, sizes, strict=True)}
        self.caching = host.page_cache_pages > 0 and not host.direct
        self.hits, self.asked, self.work = Counter(), Counter(), Counter()
        self.dirty_buffer, self.dirty_page = set(), set()
        self.changed = {}  # block -> when it was changed since it was written, oldest first
        self.marks, self.fresh = set(), set()
        self.window = None  # (start, size, left)
        self.previous, self.head, self.now = -1, None, 0
        self.prefetched = self.prefetch_used = 0
        self.log = []  # (block, write, page request from 0) of what the device does

    def expire(self):
        for block, since in list(self.changed.items()):
            if self.now - since < self.host.expires:
                break
            self.write_out(block, "behind")

    def serve(self, pages, writes):
        """Past the buffer, straight to the operating system."""
        for page, write in zip(pages, writes, strict=True):
            self.now += 1
            self.expire()
            if write:
                self.write(page)
            else:
                self.read(page)
        return self

    def run(self, pages, writes):
        for page, write in zip(pages, writes, strict=True):
            self.now += 1
            self.expire()
            block = self.blocks[page]
            if not self.look("buffer", block, 0):
                self.read(page)
                gone = self.layers["buffer"].put(block)
                if gone in self.dirty_buffer:
                    self.dirty_buffer.discard(gone)
                    self.write(self.page_at[gone])
                elif gone is not None and self.host.exclusive and self.caching:
                    self.to_page_cache(gone)
            if write:
                if self.host.force:
                    self.write(page)
                else:
                    self.dirty_buffer.add(block)
        return self

    def look(self, layer, block, metadata):
        self.asked[layer, metadata] += 1
        if block not in self.layers[layer]:
            return False
        self.hits[layer, metadata] += 1
        self.layers[layer].move_to_end(block)
        return True

    def device_read(self, block, metadata, how):
        if self.look("device", block, metadata):
            self.work[how, "cached read"] += 1
            return
        self.work[how, "next read" if block == self.head else "random read"] += 1
        self.log.append((block, False, self.now - 1))
        self.head = block + 1
        if self.layers["device"].size:
            for near in range(block, min(block + self.host.device_ahead + 1, self.volume)):
                self.layers["device"].put(near)

    def block_read(self, block, metadata, how):
        if self.host.direct and not metadata:
            self.device_read(block, metadata, how)
        elif not self.look("block", block, metadata):
            self.device_read(block, metadata, how)
            self.layers["block"].put(block)

    def translate(self, page, how):
        for layer, block in [("inode", 0)] + [("mapping", block) for block in self.chains[page]]:
            if not self.look(layer, block, 1):
                self.block_read(block, 1, how)
                self.layers[layer].put(block)

    def fetch(self, page, how):
        self.translate(page, how)
        self.block_read(self.blocks[page], 0, how)

    def to_page_cache(self, block):
        gone = self.layers["page"].put(block)
        if gone is not None:
            self.marks.discard(gone)
            self.fresh.discard(gone)
            if gone in self.dirty_page:
                self.write_out(gone, "behind")

    def write_out(self, block, how):
        self.dirty_page.discard(block)
        self.changed.pop(block, None)
        if not self.host.direct:
            self.layers["block"].put(block)
        self.layers["device"].put(block)
        if self.host.device_writes_back and self.layers["device"].size:
            self.work[how, "cached write"] += 1
            how = "behind"
        self.work[how, "random write"] += 1
        self.log.append((block, True, self.now - 1))
        self.head = block + 1

    def grown(self, size):
        largest = self.host.read_ahead_pages
        return min(largest, size * (4 if size < largest // 16 else 2))

    def decide(self, page, marked):
        host, largest = self.host, self.host.read_ahead_pages
        if largest == 0 or (page == 0 and not marked and not host.first_block):
            return None
        if page and self.window and (marked or host.synchronous):
            start, size, left = self.window
            if page in (start + size, start + size - left):
                size_now = self.grown(size)
                return start + size, size_now, size_now
        if marked:
            hole = page + 1
            while hole < len(self.blocks) and self.blocks[hole] in self.layers["page"]:
                hole += 1
                if hole - page > largest:
                    return None
            size = self.grown(hole - page + 1)
            return hole, size, size
        if page - self.previous not in (0, 1) or (page and not host.synchronous):
            return None
        size = 4 if largest >= 32 else 2 if largest >= 4 else largest
        return page, size, max(size - 1, 1)

    def read_window(self, asked, how):
        start, size, left = self.window
        self.head = None
        for page in range(start, min(start + size, len(self.blocks))):
            block = self.blocks[page]
            if block in self.layers["page"]:
                continue
            self.fetch(page, how)
            self.to_page_cache(block)
            if page != asked:
                self.fresh.add(block)
                self.prefetched += 1
            self.marks.discard(block)
            if self.host.asynchronous and page == start + size - left:
                self.marks.add(block)

    def read(self, page):
        block, cache = self.blocks[page], self.layers["page"]
        self.head = None
        if not self.caching:
            self.fetch(page, "waited")
        elif self.look("page", block, 0):
            self.prefetch_used += block in self.fresh
            self.fresh.discard(block)
            if block in self.marks:
                self.marks.discard(block)
                if decided := self.decide(page, True):
                    self.window = decided
                    self.read_window(page, "behind")
        else:
            if decided := self.decide(page, False):
                self.window = decided
                self.read_window(page, "waited")
            if block not in cache:
                self.fetch(page, "waited")
                self.to_page_cache(block)
        self.previous = page
        if self.host.exclusive and block not in self.dirty_page:
            cache.pop(block, None)
            self.layers["block"].pop(block, None)
            self.marks.discard(block)

    def write(self, page):
        block = self.blocks[page]
        self.translate(page, "waited")
        if self.caching:
            self.to_page_cache(block)
        if self.host.sync or not self.caching:
            self.write_out(block, "waited")
        else:
            self.dirty_page.add(block)
            self.changed.setdefault(block, self.now)

"""In-page logging on flash: the sectors in the log region of each unit, and the merge when it is full."""

from pagecost._jit import lean_kernel

SECTORS, MERGES, DATA_READS, LOG_READS = range(4)
COUNTS = 4
NONE = -1


@lean_kernel
def serve(evicted, sectors, page, owner, used, per_unit, per_flash_page, counts):
    """Write the log sectors of each page that leaves (NONE: none), then read the page that comes.

    evicted, page: int64[n], page numbers; sectors: int64[n], that the leaving page writes. owner: int64[units, sectors
    of a log region], whose sector it is; used: int64[units]. per_unit: pages of data in a unit; per_flash_page: sectors
    that a flash page holds. counts: int64[COUNTS], added to; LOG_READS are flash pages.
    """
    room = owner.shape[1]
    for i in range(page.size):
        leaving = evicted[i]
        if leaving != NONE:
            unit = leaving // per_unit
            for _ in range(sectors[i]):
                if used[unit] == room:
                    used[unit] = 0
                    counts[MERGES] += 1
                owner[unit, used[unit]] = leaving
                used[unit] += 1
                counts[SECTORS] += 1
        if page[i] == NONE:
            continue
        unit = page[i] // per_unit
        counts[DATA_READS] += 1
        last = -1
        for at in range(used[unit]):
            if owner[unit, at] == page[i] and at // per_flash_page != last:
                last = at // per_flash_page
                counts[LOG_READS] += 1

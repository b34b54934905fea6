"""CFDC, clean first, dirty clustered: dirty pages leave cluster by cluster, so that the device sees writes in runs."""

import numpy as np

from pagecost.buffer.blocks_kernels import number_blocks
from pagecost.buffer.policies.cfdc_kernels import TIME, VICTIM, State, replay
from pagecost.buffer.policy import Picture, Policy
from pagecost.buffer.standings_kernels import PAGES, new_standings
from pagecost.lists_kernels import new_lists, newest_first
from pagecost.registry import Parameter


def start(case):
    frames = case.frames.page_in.size
    size = case.options["cluster_pages"]
    cluster_of = number_blocks(case, size)
    clusters = int(cluster_of.max()) + 1
    region = round(frames * case.options["window"])
    return State(
        links=new_lists(frames, 2 + clusters),
        page_in=case.frames.page_in,
        dirty=case.frames.dirty,
        place=np.zeros(frames, np.uint8),
        home_of=np.column_stack([cluster_of, (case.ids % size).astype(np.uint32)]),
        home_in=np.zeros((frames, 2), np.uint32),
        standings=new_standings(clusters, size),
        scalars=np.array([0, frames - region, 0, -1]),
        reason=np.zeros(1, np.int64),
    )


def describe(pool, state):
    frames = pool.page_in.size
    work, queue = ([(int(pool.page_in[f]), "") for f in newest_first(state.links, frames + k)] for k in (0, 1))
    dirty = []
    for cluster in np.flatnonzero(state.standings.clusters[:, PAGES]):
        pages, since, span = state.standings.clusters[cluster].tolist()
        age = max(1, state.scalars[TIME] - since)
        distance = span if pages > 1 else 1
        priority = 0.0 if cluster == state.scalars[VICTIM] else distance / (pages**2 * age)
        members = newest_first(state.links, frames + 2 + cluster)
        dirty += [(priority, int(pool.page_in[frame]), f"cluster P = {priority:.3g}") for frame in members]
    dirty.sort(key=lambda entry: -entry[0])
    lists = {"working region": work, "clean queue": queue, "dirty clusters": [entry[1:] for entry in dirty]}
    return Picture(lists, {}, {"time, in dirty pages": int(state.scalars[TIME])})


REASONS = (
    "the priority region is empty: the least recently used page leaves",
    "it is the least recently used page of the clean queue",
    "no clean page waits: this is the first page of the cluster of lowest priority",
)
PARAMETERS = (
    Parameter("window", 0.5, 0.0, 1.0, "share of the frames in the priority region"),
    Parameter("cluster_pages", 16, 1, 256, "neighbouring pages that form a cluster", whole=True),
)


SOURCE = "Ou, Härder and Jin 2009, 2010"


POLICY = Policy("cfdc", "CFDC", start, replay, SOURCE, describe, REASONS, PARAMETERS, flash_aware=True, foreknows=True)

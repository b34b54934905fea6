"""Clusters of pages by priority, distance / (square x age): which is the lowest? (CFDC)

Clusters of one distance and number of pages form a class, in which the oldest stamp is lowest for good: a heap. The
oldest of each class play the tournament, which so stays small and changes seldom. A cluster whose priority rose stays
where it stands, lower than it is, until it comes to the front; only one that fell moves at once.
New clusters are single pages with the latest stamp: they stand in a list by age beside the heaps.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, lean_part
from pagecost.buffer.heaps_kernels import join, new_nodes, without
from pagecost.buffer.replay_kernels import ABSENT
from pagecost.buffer.tournament_kernels import (
    DISTANCE,
    NONE,
    NUMBER,
    SQUARE,
    STAMP,
    Tournament,
    change,
    enter,
    is_before,
    leave,
    lowest,
    new_tournament,
)
from pagecost.lists_kernels import new_lists, newest, oldest, push, ring, unlink

PAGES, SINCE, SPAN = range(3)  # columns of Standings.clusters
AMONG_SINGLES = np.uint32(0xFFFFFFFE)


class Standings(NamedTuple):
    clusters: np.ndarray  # int64[clusters, 3]: pages, time of the stamp, sum of the distances in order of entry
    keys: np.ndarray  # int64[clusters]: stamp under which the cluster stands, never later than its own
    standing: np.ndarray  # uint32[clusters]: slot of its class, AMONG_SINGLES, or ABSENT
    nodes: np.ndarray  # of the heaps, one for each class
    singles: np.ndarray  # one list over the clusters
    slot_of: np.ndarray  # uint32[pages of a cluster, distances]: 1 + slot of the class in the tournament, 0 for none
    class_in: np.ndarray  # int64[slots, 2]: pages - 1 and distance of the class
    classes: Tournament


def new_standings(clusters: int, cluster_pages: int) -> Standings:
    """Nobody stands yet."""
    slot_of = np.zeros((cluster_pages, (cluster_pages - 1) ** 2 + 2), np.uint32)
    most = min(clusters, slot_of.size) + 1
    return Standings(
        clusters=np.zeros((clusters, 3), np.int64),
        keys=np.zeros(clusters, np.int64),
        standing=np.full(clusters, ABSENT),
        nodes=new_nodes(clusters),
        singles=new_lists(clusters, 1),
        slot_of=slot_of,
        class_in=np.zeros((most, 2), np.int64),
        classes=new_tournament(most),
    )


@inline_part
def distance_of(standings, cluster):
    """A single page counts as a distance of 1."""
    return standings.clusters[cluster, SPAN] if standings.clusters[cluster, PAGES] > 1 else np.int64(1)


@lean_part
def stand(standings, cluster, time):
    """The cluster, which stands nowhere, takes its place."""
    pages, since = standings.clusters[cluster, PAGES], standings.clusters[cluster, SINCE]
    standings.keys[cluster] = since
    if pages == 1:
        end = ring(standings.singles, 1, 0)
        last = newest(standings.singles, end)
        if last == end or is_before(standings.keys[last], last, since, cluster):
            standings.standing[cluster] = AMONG_SINGLES
            push(standings.singles, end, cluster)
            return
    distance = distance_of(standings, cluster)
    slot = np.int64(standings.slot_of[pages - 1, distance]) - 1
    root = np.uint32(cluster)
    if slot < 0:
        slot = enter(standings.classes, distance, pages * pages)
        standings.slot_of[pages - 1, distance] = slot + 1
        standings.class_in[slot, 0], standings.class_in[slot, 1] = pages - 1, distance
    else:
        root = join(standings.nodes, standings.keys, np.uint32(standings.classes.players[slot, NUMBER]), root)
    standings.standing[cluster] = slot
    if root == cluster:
        change(standings.classes, slot, since, np.int64(root), time)


@lean_part
def withdraw(standings, cluster, time):
    """The cluster stands nowhere any more."""
    slot = standings.standing[cluster]
    standings.standing[cluster] = ABSENT
    if slot == AMONG_SINGLES:
        unlink(standings.singles, cluster)
        return
    before = np.uint32(standings.classes.players[slot, NUMBER])
    root = without(standings.nodes, standings.keys, before, cluster)
    if root == ABSENT:
        standings.slot_of[standings.class_in[slot, 0], standings.class_in[slot, 1]] = 0
        leave(standings.classes, np.int64(slot), time)
    elif root != before:
        change(standings.classes, np.int64(slot), standings.keys[root], np.int64(root), time)


@inline_part
def change_of_weight(standings, cluster):
    """Distance / square of the cluster beside that under which it stands: below 0 lighter, 0 the same."""
    slot = standings.standing[cluster]
    pages, key_distance, key_square = standings.clusters[cluster, PAGES], np.int64(1), np.int64(1)
    if slot != AMONG_SINGLES:
        key_distance, key_square = standings.classes.players[slot, DISTANCE], standings.classes.players[slot, SQUARE]
    return distance_of(standings, cluster) * key_square - key_distance * pages * pages


@lean_part
def changed(standings, cluster, time):
    """The cluster has other pages or a later stamp."""
    if standings.clusters[cluster, PAGES] == 0:
        return
    if standings.standing[cluster] != ABSENT:
        if change_of_weight(standings, cluster) >= 0:
            return
        withdraw(standings, cluster, time)
    stand(standings, cluster, time)


@lean_part
def take_lowest(standings, time):
    """The cluster of lowest priority, or NONE; it stands nowhere any more."""
    classes = standings.classes
    while True:
        slot, end = lowest(classes, time), ring(standings.singles, 1, 0)
        single = oldest(standings.singles, end)
        if slot == NONE and single == end:
            return NONE
        cluster = np.uint32(classes.players[slot, NUMBER]) if slot != NONE else single
        if slot != NONE and single != end:
            player = classes.players[slot]
            since = standings.keys[single]
            one = player[DISTANCE] * max(time - since, 1)
            other = player[SQUARE] * max(time - player[STAMP], 1)
            if one > other or (one == other and is_before(since, single, player[STAMP], cluster)):
                cluster = single
        pages = standings.clusters[cluster, PAGES]
        as_it_stands = (pages and standings.keys[cluster] == standings.clusters[cluster, SINCE]) and change_of_weight(
            standings, cluster
        ) == 0
        withdraw(standings, cluster, time)
        if as_it_stands:
            return np.int64(cluster)
        if pages:
            stand(standings, cluster, time)

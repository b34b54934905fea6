"""The cluster of lowest priority while all priorities fall with time: a tournament whose results know when they expire.

P(c) = IPD / (n^2 x age), age = max(1, time - stamp(c)) (CFDC). Two clusters change places at one moment at most, so a
match is played again only when somebody asks for the lowest and it must be.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part as part

NONE = np.int64(-1)
NEVER = np.int64(1 << 62)
DUE = np.int64(-1)


class Tournament(NamedTuple):
    distance: np.ndarray  # int64[clusters]: IPD, 1 or more
    pages: np.ndarray  # int64[clusters]: n
    stamp: np.ndarray  # int64[clusters]
    winner: np.ndarray  # int64[2 x leaves]: node k plays the winners of 2k and 2k + 1; leaves last
    expires: np.ndarray  # int64[2 x leaves]: time at which a match of the node or below it must be played again
    path: np.ndarray  # int64[64]


def new_tournament(clusters: int) -> Tournament:
    """No cluster takes part yet."""
    leaves = 1 << max(clusters - 1, 1).bit_length()
    return Tournament(
        np.ones(clusters, np.int64),
        np.zeros(clusters, np.int64),
        np.zeros(clusters, np.int64),
        np.full(2 * leaves, NONE),
        np.full(2 * leaves, NEVER),
        np.zeros(64, np.int64),
    )


@part
def play(t, node, time):
    left, right = t.winner[2 * node], t.winner[2 * node + 1]
    winner, ends = left, NEVER
    if left == NONE:
        winner = right
    elif right != NONE:
        a = t.distance[left] * t.pages[right] * t.pages[right]
        b = t.distance[right] * t.pages[left] * t.pages[left]
        # the left one wins while a (time - stamp(right)) <= b (time - stamp(left)); ties go to the lower number
        gain = a * min(t.stamp[right], time - 1) - b * min(t.stamp[left], time - 1)
        if (a - b) * time <= gain:
            if a > b:
                ends = gain // (a - b) + 1
        else:
            winner = right
            if b > a:
                ends = -(gain // (b - a))
        if max(t.stamp[left], t.stamp[right]) == time:
            ends = time + 1  # an age of 0 counts as 1: it stands still once
    t.winner[node] = winner
    t.expires[node] = min(ends, min(t.expires[2 * node], t.expires[2 * node + 1]))


@part
def renew(t, cluster):
    """A cluster's priority changed: its matches are due. One without pages takes no part."""
    node = (t.winner.size >> 1) + np.int64(cluster)
    t.winner[node] = cluster if t.pages[cluster] else NONE
    node >>= 1
    while node and t.expires[node] != DUE:  # a match that is due has its later rounds due too
        t.expires[node] = DUE
        node >>= 1


@part
def lowest(t, time):
    """The cluster of lowest priority, or NONE."""
    depth = 0
    t.path[0] = 1
    while depth >= 0 and t.expires[1] <= time:
        node = t.path[depth]
        if t.expires[2 * node] <= time:
            depth += 1
            t.path[depth] = 2 * node
        elif t.expires[2 * node + 1] <= time:
            depth += 1
            t.path[depth] = 2 * node + 1
        else:
            play(t, node, time)
            depth -= 1
    return t.winner[1]

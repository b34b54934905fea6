"""CFDC, clean first, dirty clustered: dirty pages leave cluster by cluster, so that the device sees writes in runs.

Pages that leave the working region go to a queue of clean pages or to the cluster of their neighbours on the device.
Clean pages leave first, then the cluster of lowest priority, page by page, until it is empty.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part, prefetch
from pagecost.buffer.replay_kernels import Hooks, entry
from pagecost.buffer.standings_kernels import PAGES, SINCE, SPAN, Standings, changed, take_lowest
from pagecost.buffer.tournament_kernels import NONE
from pagecost.lists_kernels import NEWER, OLDER, oldest, push, unlink
from pagecost.lists_kernels import renew as renew_page

IN_WORK, IN_QUEUE, IN_CLUSTER = range(3)


WORKING, LIMIT, TIME, VICTIM = range(4)  # places in State.scalars


HOME, PLACE = 0, 1  # columns of State.home_of and State.home_in


class State(NamedTuple):
    links: np.ndarray  # working region, clean queue, and one list per cluster, over the frames
    page_in: np.ndarray  # the buffer's own array
    dirty: np.ndarray  # the buffer's own array
    place: np.ndarray  # uint8[frames]
    home_of: np.ndarray  # uint32[pages, 2]: cluster of the page, and its place there
    home_in: np.ndarray  # uint32[frames, 2]: the same of the page in the frame
    standings: Standings
    scalars: np.ndarray  # int64[4]
    reason: np.ndarray  # int64[1]


@inline_part
def closing_of(state, which):
    """The closing row of a list: 0 working region, 1 clean queue, 2 + c cluster c."""
    return np.uint32(state.place.size + which)


@inline_part
def distance(state, one, other):
    """Pages of the cluster between two frames' pages on the device; 0 where one of them closes the list."""
    if one >= state.place.size or other >= state.place.size:
        return np.int64(0)
    return abs(np.int64(state.home_in[one, PLACE]) - np.int64(state.home_in[other, PLACE]))


@inline_part
def join_cluster(state, frame):
    """Make a dirty frame the newest of its cluster, whose standing changes with it."""
    cluster = state.home_in[frame, HOME]
    end = closing_of(state, 2 + cluster)
    clusters = state.standings.clusters
    if clusters[cluster, PAGES] == 0:
        clusters[cluster, SINCE] = state.scalars[TIME]  # a cluster is made before its first page is counted
    else:
        clusters[cluster, SPAN] += distance(state, state.links[end, OLDER], frame)
    state.scalars[TIME] += 1
    clusters[cluster, PAGES] += 1
    push(state.links, end, frame)
    if cluster != state.scalars[VICTIM]:
        changed(state.standings, cluster, state.scalars[TIME])


@inline_part
def leave_cluster(state, frame, promoted):
    """Take a frame out of its cluster; promoted: it goes back to the working region, not out of the buffer."""
    cluster = state.home_in[frame, HOME]
    clusters = state.standings.clusters
    if clusters[cluster, PAGES] > 1:
        older, newer = state.links[frame, OLDER], state.links[frame, NEWER]
        clusters[cluster, SPAN] += (
            distance(state, older, newer) - distance(state, older, frame) - distance(state, frame, newer)
        )
    clusters[cluster, PAGES] -= 1
    unlink(state.links, frame)
    if promoted:
        clusters[cluster, SINCE] = state.scalars[TIME]
    if cluster != state.scalars[VICTIM]:
        changed(state.standings, cluster, state.scalars[TIME])
    elif clusters[cluster, PAGES] == 0:
        state.scalars[VICTIM] = NONE


@inline_part
def enter_work(state, frame):
    """Make a frame the newest of the working region; what does not fit any more leaves for the queue or its cluster."""
    push(state.links, closing_of(state, 0), frame)
    state.place[frame] = IN_WORK
    state.scalars[WORKING] += 1
    if state.scalars[WORKING] > state.scalars[LIMIT]:
        aged = oldest(state.links, closing_of(state, 0))
        unlink(state.links, aged)
        state.scalars[WORKING] -= 1
        following = oldest(state.links, closing_of(state, 0))  # ages next
        if following < state.place.size:
            prefetch(state.standings.clusters, state.home_in[following, HOME])
        if state.dirty[aged]:
            state.place[aged] = IN_CLUSTER
            join_cluster(state, aged)
        else:
            state.place[aged] = IN_QUEUE
            push(state.links, closing_of(state, 1), aged)


@inline_part
def on_load(state, frame, slot, write, at):
    cluster, place = state.home_of[state.page_in[frame]]
    state.home_in[frame, HOME] = cluster
    state.home_in[frame, PLACE] = place
    enter_work(state, frame)


@inline_part
def on_hit(state, frame, write, at):
    place = state.place[frame]
    if place == IN_WORK:
        renew_page(state.links, closing_of(state, 0), frame)
        return
    if place == IN_CLUSTER:
        leave_cluster(state, frame, True)
    else:
        unlink(state.links, frame)
    enter_work(state, frame)


@inline_part
def victim(state, slot, at):
    frame = oldest(state.links, closing_of(state, 1))
    if frame != closing_of(state, 1):
        state.reason[0] = IN_QUEUE
        unlink(state.links, frame)
        return frame
    if state.scalars[VICTIM] == NONE:
        state.scalars[VICTIM] = take_lowest(state.standings, state.scalars[TIME])
    if state.scalars[VICTIM] == NONE:
        state.reason[0] = IN_WORK
        frame = oldest(state.links, closing_of(state, 0))
        unlink(state.links, frame)
        state.scalars[WORKING] -= 1
        return frame
    state.reason[0] = IN_CLUSTER
    frame = oldest(state.links, closing_of(state, 2 + state.scalars[VICTIM]))
    leave_cluster(state, frame, False)
    return frame


@inline_part
def foresee(state, page, at):
    prefetch(state.home_of, page)


HOOKS = Hooks(victim, on_hit, on_load, foresee=foresee)
replay = entry(__name__, HOOKS)

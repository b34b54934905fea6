"""The lowest of priorities that all fall with time: a tournament whose results know when they expire.

A player's priority is distance / (square x age), age = max(1, time - stamp) (CFDC). Two players change places at one
moment at most, so a match is played again only when a player changed, or somebody asks for the lowest after the result
expired. Equal priorities go by the older stamp, then by the lower number.
"""

from typing import NamedTuple

import numpy as np

from pagecost._jit import inline_part

NONE = np.int64(-1)
NEVER = np.int64(1 << 62)
DISTANCE, SQUARE, STAMP, NUMBER = range(4)  # columns of Tournament.players
WINNER, EXPIRES = 0, 1  # columns of Tournament.matches


class Tournament(NamedTuple):
    players: np.ndarray  # int64[slots, 4]
    matches: np.ndarray  # int64[2 x leaves, 2]: node k plays the winners of 2k and 2k + 1; leaves last
    spare: np.ndarray  # int64[1 + slots]: free slots as a stack, whose first element is its height
    path: np.ndarray  # int64[64]


def new_tournament(most: int) -> Tournament:
    """Nobody takes part yet; `most` may at a time."""
    leaves = 1 << max(most - 1, 1).bit_length()
    matches = np.full((2 * leaves, 2), NEVER)
    matches[:, WINNER] = NONE
    spare = np.arange(most, -1, -1)
    spare[0] = most
    return Tournament(players=np.zeros((most, 4), np.int64), matches=matches, spare=spare, path=np.zeros(64, np.int64))


@inline_part
def is_before(stamp, number, other_stamp, other_number):
    """Whether the first comes before the second where priorities are equal."""
    return stamp < other_stamp or (stamp == other_stamp and number < other_number)


@inline_part
def play(t, node, time):
    """Whether anything above must know of it: another winner, or the result lasts shorter or longer."""
    left, right = t.matches[2 * node, WINNER], t.matches[2 * node + 1, WINNER]
    winner, ends = left, NEVER
    if left == NONE:
        winner = right
    elif right != NONE:
        one, other = t.players[left], t.players[right]
        a = one[DISTANCE] * other[SQUARE]
        b = other[DISTANCE] * one[SQUARE]
        # the left one wins while a (time - stamp(right)) <= b (time - stamp(left)), "<" where the right one has ties
        gain = a * min(other[STAMP], time - 1) - b * min(one[STAMP], time - 1)
        gain -= is_before(other[STAMP], other[NUMBER], one[STAMP], one[NUMBER])
        if (a - b) * time <= gain:
            if a > b:
                ends = gain // (a - b) + 1
        else:
            winner = right
            if b > a:
                ends = -(gain // (b - a))
        if max(one[STAMP], other[STAMP]) == time:
            ends = time + 1  # an age of 0 counts as 1: it stands still once
    ends = min(ends, min(t.matches[2 * node, EXPIRES], t.matches[2 * node + 1, EXPIRES]))
    changed = t.matches[node, WINNER] != winner or t.matches[node, EXPIRES] != ends
    t.matches[node, WINNER] = winner
    t.matches[node, EXPIRES] = ends
    return changed


@inline_part
def play_from(t, slot, time):
    """Play the matches of a slot upwards, as far as its change may matter."""
    node = ((t.matches.shape[0] >> 1) + slot) >> 1
    while node and (play(t, node, time) or t.matches[node, WINNER] == slot):
        node >>= 1


@inline_part
def enter(t, distance, square):
    """The slot of a new player, whose stamp and number `change` must give next."""
    slot = t.spare[t.spare[0]]
    t.spare[0] -= 1
    t.players[slot, DISTANCE] = distance
    t.players[slot, SQUARE] = square
    t.matches[(t.matches.shape[0] >> 1) + slot, WINNER] = slot
    return slot


@inline_part
def change(t, slot, stamp, number, time):
    """Give the player of a slot another stamp and number, and play its matches again; time: now."""
    t.players[slot, STAMP] = stamp
    t.players[slot, NUMBER] = number
    play_from(t, slot, time)


@inline_part
def leave(t, slot, time):
    """The player of a slot leaves; the slot is free."""
    t.spare[0] += 1
    t.spare[t.spare[0]] = slot
    t.matches[(t.matches.shape[0] >> 1) + slot, WINNER] = NONE
    play_from(t, slot, time)


@inline_part
def lowest(t, time):
    """The slot of the player of lowest priority, or NONE."""
    depth = 0
    t.path[0] = 1
    while depth >= 0 and t.matches[1, EXPIRES] <= time:
        node = t.path[depth]
        if t.matches[2 * node, EXPIRES] <= time:
            depth += 1
            t.path[depth] = 2 * node
        elif t.matches[2 * node + 1, EXPIRES] <= time:
            depth += 1
            t.path[depth] = 2 * node + 1
        else:
            play(t, node, time)
            depth -= 1
    return t.matches[1, WINNER]

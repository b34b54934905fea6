"""The replacement policies as pseudo-code: (line, what must have happened for it to have run), see `lines.lit`.

The frame of it is the buffer's and the same for all; why a victim leaves are the policy's own reasons. What a policy
does with a page that is hit or read in stands in `HIT` and `LOAD`; one that is not named there only keeps its lists.
"""

from pagecost.buffer.policies import find, title_of

NEWEST = (("    p becomes the newest of its list", "hit"),)
HIT: dict[str, tuple[tuple[str, str], ...]] = {
    "fifo": (("    nothing changes: the order is that of loading", "hit"),),
    "lru": NEWEST,
    "mru": NEWEST,
    "lru-wsr": (("    p becomes the newest and is not cold", "hit"),),
    "min": (("    p moves to the place of its next use", "hit"),),
    "clock": (("    set p's reference bit", "hit"),),
    "sieve": (("    p is visited; it stays where it stands", "hit"),),
    "lfu": (("    count one use of p more", "hit"),),
    "lru-2": (("    keep the last two uses of p", "hit"),),
    "2q": (
        ("    in Am: p becomes its newest", "hit&from Am, recency"),
        ("    in A1in: nothing changes", "hit&from A1in, queue"),
    ),
    "arc": (
        ("    in T1: p goes to T2, it was seen again", "hit&from T1, seen once"),
        ("    in T2: p becomes its newest", "hit&from T2, seen again"),
    ),
    "lirs": (
        ("    in LIR: p becomes the newest of S; prune S", "hit&from LIR pages, recency"),
        ("    in Q and in S: p becomes LIR, the oldest LIR goes to Q", "hit&from Q, HIR pages&in LIR pages, recency"),
        ("    in Q alone: p goes to the end of Q and to S", "hit&from Q, HIR pages&in Q, HIR pages"),
    ),
    "s3-fifo": (("    count a hit of p, three at most", "hit"),),
    "w-tinylfu": (
        ("    count one use of p more in the sketch", "hit|loaded"),
        ("    in window or protected: p becomes the newest", "hit&from window|hit&from protected"),
        ("    on probation: p is protected", "hit&from probation"),
    ),
    "cflru": (("    p becomes the newest of the working region", "hit"),),
    "ccf-lru": (("    p becomes the newest of the mixed list, not cold", "hit"),),
    "ad-lru": (("    p goes to the hot queue, spared no more", "hit"),),
    "casa": (
        ("    clean and read: the clean list's target grows", "hit&target of the clean list up"),
        ("    dirty and written: the target shrinks", "hit&target of the clean list down"),
        ("    p becomes the newest; written, of the dirty list", "hit"),
    ),
    "cfdc": (("    p becomes the newest of the working region", "hit"),),
    "ref": (("    p becomes the newest of the working region", "hit"),),
    "fab": (("    p's block becomes the newest of those with as many pages", "hit"),),
    "bplru": (
        ("    written: p's block becomes the newest,", "hit&write"),
        ("      or the oldest, if it is whole and in order", "hit&write"),
    ),
    "fd-buffer": (("    p becomes the newest of its pool", "hit"),),
    "multi-buffer": (("    p becomes the newest of the buffer of its class", "hit"),),
}
LOAD: dict[str, tuple[tuple[str, str], ...]] = {
    "2q": (
        ("    p goes to Am if A1out remembered it,", "loaded&ghost"),
        ("      else to A1in", "loaded&in A1in, queue"),
    ),
    "arc": (
        ("    p goes to T2 if B1 or B2 remembered it,", "loaded&ghost"),
        ("      else to T1", "loaded&in T1, seen once"),
    ),
    "s3-fifo": (
        ("    p goes to the main queue if it was remembered,", "loaded&ghost&in main queue"),
        (
            "      else to the small one (to main while that fills)",
            "loaded&in small queue|loaded&no ghost&in main queue",
        ),
    ),
    "lirs": (
        ("    p becomes LIR if S remembered it, or LIR has room,", "loaded&in LIR pages, recency"),
        ("      else HIR, at the end of Q", "loaded&in Q, HIR pages"),
    ),
    "w-tinylfu": (("    p goes to the window; what falls out, on probation", "loaded"),),
    "cflru": (("    p enters the working region; its oldest, the window", "loaded"),),
    "cfdc": (
        ("    p enters the working region; its oldest goes to", "loaded"),
        ("      the clean queue or to its cluster", "loaded&others moved"),
    ),
    "ref": (("    p enters the working region; its oldest, the window", "loaded"),),
    "ad-lru": (("    p goes to the cold queue, clean or dirty", "loaded"),),
    "ccf-lru": (
        ("    written: to the mixed list", "loaded&write"),
        ("    read: to the cold clean list", "loaded&read"),
    ),
    "casa": (
        ("    written: to the dirty list", "loaded&write"),
        ("    read: to the clean list", "loaded&read"),
    ),
    "lru-2": (("    its last two uses, if remembered, say where", "loaded&ghost"),),
}
GHOSTS = {
    "arc": (
        ("    B1 remembered it: T1's target grows", "miss&target p of T1 up"),
        ("    B2 remembered it: T1's target shrinks", "miss&target p of T1 down"),
    ),
}
"""What a policy does with the memory of a page that left, before it makes room."""


def code_of(policy: str) -> list[tuple[str, str]]:
    """The lines of a policy, by its name with or without parameters. Raises ModelError for an unknown one."""
    rule, _ = find(policy)
    why = [(f"      {_short(reason)}", f"victim&reason {number}") for number, reason in enumerate(rule.reasons)]
    remembers = [("      its id is remembered", "remembered")] if rule.name in REMEMBERING else []
    passes = [("    a page that is only read gets no frame", "bypass")] if rule.bypasses else []
    return [
        ("refer to page p:", "hit|miss"),
        ("  if p is in a frame:  # a hit", "hit"),
        *HIT.get(rule.name, NEWEST),
        ("  else:  # a miss", "miss"),
        *passes,
        *GHOSTS.get(rule.name, ()),
        ("    if no frame is free, a victim leaves:", "victim"),
        *why,
        ("      dirty: write it to the device", "victim dirty"),
        ("      clean: drop it", "victim clean"),
        *remembers,
        ("    read p into the free frame", "loaded"),
        *LOAD.get(rule.name, ()),
        ("  if it is a write: p is dirty now", "write&held"),
    ]


REMEMBERING = ("2q", "arc", "lirs", "lru-2", "s3-fifo", "fd-buffer", "multi-buffer")


def _short(reason: str) -> str:
    """A reason as a line: the pronoun stands for the victim."""
    return f"v: {reason}"


def heading_of(policy: str) -> str:
    """What stands above the lines."""
    return f"{title_of(policy)}, as it works"

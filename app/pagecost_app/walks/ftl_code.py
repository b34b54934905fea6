"""The translation layers as pseudo-code: (line, what must have happened for it to have run), see `lines.lit`."""

from pagecost.devices.ftl import VICTIMS

COLLECTING = (
    ("  collect, until enough blocks are free:", "collect"),
    ("    victim ← {victim}", "collect"),
    ("    for each live page of the victim:", "copy"),
    ("      copy it behind the last page written", "copy"),
    ("    erase the victim", "erase"),
)
READING = (
    ("read page p: read the place in map[p]", "read|request r"),
    ("trim page p: its version dies, map[p] ← nothing", "trim|request t"),
)
FULL_MERGE = (
    ("    take a free block for b", "open&merge full"),
    ("    for each page of b, in order:", "copy&merge full|fill&merge full|program&merge full"),
    ("      copy its newest version; fill a gap", "copy&merge full|fill&merge full"),
)

CODE: dict[str, tuple[tuple[str, str], ...]] = {
    "page": (
        ("write page p:", "request w"),
        ("  if the open block is full:", "collect|copy&making room|erase|open"),
        *((f"  {line}", when) for line, when in COLLECTING),
        ("    open the block that was erased longest ago", "open"),
        ("  program p there; its old version dies", "program"),
        ("  map[p] ← where it lies now", "program"),
        *READING,
    ),
    "block": (
        ("write page p, offset o of logical block b:", "request w"),
        ("  if b has no block: take a free one", "open&for data"),
        ("  if nothing lies at o or behind it:", "program&in data|fill&in data"),
        ("    fill the pages before it, program p at o", "program&in data|fill&in data"),
        ("  else move the block (a full merge):", "merge full"),
        *FULL_MERGE,
        ("      of p itself: program what the host sent", "program&merge full"),
        ("    erase the old block of b", "erase"),
        *READING,
    ),
    "bast": (
        ("write page p, offset o of logical block b:", "request w"),
        ("  if b's log block is full: merge it", "collect"),
        ("  if b has no log block:", "open&for data|open&for log|program&in data"),
        ("    if o is next in its data block (o = 0: a free one):", "open&for data|program&in data"),
        ("      program p there and be done", "program&in data"),
        ("    if no log block is left: merge the oldest", "collect"),
        ("    give b a free log block", "open&for log"),
        ("  append p to b's log block", "program&in log"),
        ("merge a log block of b:", "collect"),
        ("  full and in order: it becomes the data block", "collect&collect switch"),
        (
            "  in order: copy the rest of b behind it",
            "collect&collect partial|copy&collect partial|fill&collect partial",
        ),
        ("  else a full merge:", "merge full|collect&collect full"),
        *FULL_MERGE,
        ("  erase b's old data block, and its log block", "erase"),
        *READING,
    ),
    "fast": (
        ("write page p, offset o of logical block b:", "request w"),
        ("  if o is next in b's data block (o = 0: a free one):", "program&in data|open&for data&plain"),
        ("    program p there and be done", "program&in data"),
        ("  if o = 0: close the sequential log", "collect&collect switch|collect&collect partial"),
        ("    and take a free block for a new one of b", "open&for sequential"),
        ("  if p is next in the sequential log: append it", "program&in sequential"),
        ("  else append p to the last shared log block;", "program&in shared"),
        ("    it is full: take a free block;", "open&for shared"),
        ("    there are enough of them: reclaim the oldest", "collect&collect full"),
        ("close the sequential log of b:", "collect&collect switch|collect&collect partial"),
        ("  full: it becomes b's data block", "collect&collect switch"),
        (
            "  else: copy the rest of b behind it first",
            "collect&collect partial|copy&collect partial|fill&collect partial",
        ),
        ("  erase b's old data block", "erase&collect switch|erase&collect partial"),
        ("reclaim: for each b with a live page in the log:", "collect&collect full|merge"),
        *FULL_MERGE,
        ("    erase b's old data block", "erase&merge full"),
        ("    and its sequential log, whose pages moved too", "erase&collect full&was sequential"),
        ("  erase the log block", "erase&was log,"),
        *READING,
    ),
    "dftl": (
        ("request for page p:", "request"),
        ("  if the map entry of p is not cached:", "map read|map write"),
        ("    drop the entry that was used least recently", "map read|map write"),
        ("      dirty: write its page of the map", "map write"),
        ("    read p's page of the map, if it was ever written", "map read"),
        ("  a write: program p in the open block,", "program"),
        ("    the cached entry is dirty now", "program"),
        ("  a read: read the place in the entry", "read"),
        ("  a trim: its version dies; the entry is dirty now", "trim"),
        ("  write the pages of the map that wait", "map write"),
        ("where the open block is full:", "collect|open|copy|erase"),
        *COLLECTING[:-1],
        ("      its cached entry is dirty; if it is not cached,", "copy"),
        ("        its page of the map waits to be written", "copy"),
        *COLLECTING[-1:],
        ("  open the block that was erased longest ago", "open"),
    ),
}


def code_of(layer: str, policy: str) -> list[tuple[str, str]]:
    """The lines of a layer; policy: by which the page map chooses a victim."""
    name = policy.split(":")[0]
    rules = {"greedy": "the full block with fewest live pages", "fifo": "the block that was filled longest ago"}
    victim = rules.get(name if layer == "page" else "greedy", f"the full block that {VICTIMS[name].title} says")
    return [(line.replace("{victim}", victim), when) for line, when in CODE[layer]]

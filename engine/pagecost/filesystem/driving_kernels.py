"""The entry into a volume from Python: a list of verbs."""

import numpy as np

from pagecost._jit import lean_kernel
from pagecost.filesystem import verbs_kernels as verbs
from pagecost.filesystem.state_kernels import FAILED, ROWS, SEGMENTS

READ, WRITE, DELETE, SYNC, CLEAN = range(5)  # the first three are those of `requests`
KEEP, CLEAN_FIRST, SYNC_EVERY, UNSYNCED = range(4)  # places in options; the last: writes since a sync
OPTIONS = 4


@lean_kernel
def drive(fs, plan, verb, page, pages, now_s, of, returned, options, start, room):
    """Do the verbs from number `start` on until `room` rows are left in the plan; where to go on.

    verb, page, pages, now_s: aligned, of each verb; pages: of a deletion. of: for each row of the plan its verb's
    number. returned: int64[n], what `clean` gave, or how many rounds of it had to come first. options: int64[OPTIONS];
    KEEP: rows stay in the plan, else nobody wants them; CLEAN_FIRST: a write or sync waits until the cleaner has made
    room; SYNC_EVERY: a sync behind so many writes and
    deletions, 0: none. Stops where cleaning frees nothing, with -1 there.
    """
    for number in range(start, verb.size):
        if options[KEEP] == 0:
            plan.count[ROWS] = 0
        if plan.request.shape[0] - plan.count[ROWS] < room:
            return np.int64(number)
        fs.clock[0] = now_s[number]
        before = plan.count[ROWS]
        kind = verb[number]
        if options[CLEAN_FIRST] > 0 and kind in (WRITE, SYNC):
            while verbs.must_clean(fs):
                if options[KEEP] == 0:
                    plan.count[ROWS] = 0
                elif plan.request.shape[0] - plan.count[ROWS] < room:
                    of[before : plan.count[ROWS]] = number
                    return np.int64(number)
                rounds = 2 * fs.setting[SEGMENTS] + 8  # by then every segment has been cleaned
                if returned[number] == rounds or verbs.clean(fs, now_s[number], plan) < 0:
                    returned[number] = -1
                    return np.int64(number)
                returned[number] += 1
        if options[KEEP] > 0 and plan.request.shape[0] - plan.count[ROWS] < room:
            of[before : plan.count[ROWS]] = number
            return np.int64(number)
        if kind == READ:
            verbs.read(fs, page[number], plan)
        elif kind == DELETE:
            verbs.delete(fs, page[number], pages[number], plan)
        elif kind == CLEAN:
            returned[number] = verbs.clean(fs, now_s[number], plan)
        elif kind == WRITE:
            verbs.write(fs, page[number], plan)
        if kind in (WRITE, DELETE):
            options[UNSYNCED] += 1
        if kind == SYNC or (
            options[SYNC_EVERY] > 0 and kind in (WRITE, DELETE) and options[UNSYNCED] == options[SYNC_EVERY]
        ):
            verbs.sync(fs, plan)
            options[UNSYNCED] = 0
        if options[KEEP] > 0:
            of[before : plan.count[ROWS]] = number
        if fs.at[FAILED] > 0:
            return np.int64(number)
    return np.int64(verb.size)

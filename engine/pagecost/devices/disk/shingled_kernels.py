"""A shingled disk: random writes are appended to a cache on the platter, until bands are written anew to make room."""

from typing import NamedTuple

import numpy as np

from pagecost._jit import kernel

HEAD, TAIL, CLEANED = range(3)  # places in Log.at: entries ever appended, the oldest kept, bands written anew


class Log(NamedTuple):
    """The media cache, a ring. An entry is live while its band was not written anew since."""

    band: np.ndarray  # int64[entries]: of each entry
    since: np.ndarray  # int64[entries]: how often its band had been written when it came
    written: np.ndarray  # int64[bands]: how often a band was written anew
    at: np.ndarray  # int64[3]


@kernel
def append(log, band, append_s, clean_s, took_s):
    """Append writes to their bands; fill how long [s] each took. A full cache writes the oldest entry's band anew."""
    entries, at = log.band.size, log.at
    for i in range(band.size):
        took_s[i] = append_s
        while at[HEAD] - at[TAIL] == entries:
            oldest = log.band[at[TAIL] % entries]
            log.written[oldest] += 1
            at[CLEANED] += 1
            took_s[i] += clean_s
            while at[TAIL] < at[HEAD]:
                slot = at[TAIL] % entries
                if log.since[slot] == log.written[log.band[slot]]:
                    break
                at[TAIL] += 1
        slot = at[HEAD] % entries
        log.band[slot], log.since[slot] = band[i], log.written[band[i]]
        at[HEAD] += 1

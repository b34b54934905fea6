"""Random: collect any block. The memoryless case, with write amplification 1 / (share of spare space)."""

from pagecost.devices.ftl.sampling_kernels import new_bag
from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.random_kernels import serve, serve_by_heat


def start(flash, seed, options):
    return new_bag(flash.status.size, seed, 1)


POLICY = Policy("random", "Random", start, serve, "Van Houdt 2013, d = 1", serve_by_heat)

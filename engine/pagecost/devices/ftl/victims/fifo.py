"""First in, first out: collect the block that was filled longest ago, whatever it holds."""

import numpy as np

from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.fifo_kernels import State, serve, serve_by_heat


def start(flash, seed, options):
    end = flash.status.size
    return State(np.full((end + 1, 2), end, np.uint32))


POLICY = Policy("fifo", "FIFO", start, serve, "Desnoyers 2012; Xiang and Kurkoski 2012", serve_by_heat)

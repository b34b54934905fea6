"""First in, first out: collect the block that was filled longest ago, whatever it holds."""

from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.fifo_kernels import State, serve, serve_by_heat
from pagecost.lists_kernels import new_lists


def start(flash, seed, options):
    return State(new_lists(flash.status.size, 1))


POLICY = Policy("fifo", "FIFO", start, serve, "Desnoyers 2012; Xiang and Kurkoski 2012", serve_by_heat)

"""Windowed greedy: of the w blocks that were filled longest ago, collect the one with the fewest live pages."""

import numpy as np

from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims import fifo
from pagecost.devices.ftl.victims.windowed_greedy_kernels import State, serve, serve_by_heat
from pagecost.registry import Parameter


def start(flash, seed, options):
    return State(fifo.start(flash, seed, {}).links, np.array([options["window"]], np.int64))


PARAMETERS = (Parameter("window", 2, 1, 1_000_000, "blocks looked at, those filled longest ago", whole=True),)
POLICY = Policy("windowed-greedy", "Windowed greedy", start, serve, "Hu et al. 2009", serve_by_heat, PARAMETERS)

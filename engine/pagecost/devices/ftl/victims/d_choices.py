"""d choices: draw d blocks at random (with replacement) and collect the one with the fewest live pages."""

from pagecost.devices.ftl.sampling_kernels import new_bag
from pagecost.devices.ftl.victim_policy import Policy
from pagecost.devices.ftl.victims.d_choices_kernels import serve, serve_by_heat
from pagecost.registry import Parameter


def start(flash, seed, options):
    return new_bag(flash.status.size, seed, options["choices"])


PARAMETERS = (Parameter("choices", 2, 1, 1_000_000, "blocks drawn", whole=True),)
POLICY = Policy("d-choices", "d choices", start, serve, "Van Houdt 2013", serve_by_heat, PARAMETERS)

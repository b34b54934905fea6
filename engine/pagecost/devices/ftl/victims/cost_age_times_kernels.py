"""Cost-age-times: cost-benefit over the times a block was erased, so that worn blocks are spared."""

from pagecost._jit import lean_part
from pagecost.devices.ftl.ages_kernels import keep, most_beneficial, touch
from pagecost.devices.ftl.heat_kernels import entries
from pagecost.devices.ftl.page_map_kernels import Hooks


@lean_part
def times(flash, block):
    """The times that a block was erased, as a weight of its cost."""
    return 1.0 + flash.erases[block]


@lean_part
def victim(state, flash, now):
    return most_beneficial(state, flash, now, times)


HOOKS = Hooks(victim, touch, keep, touch)
serve, serve_by_heat = entries(__name__, HOOKS)

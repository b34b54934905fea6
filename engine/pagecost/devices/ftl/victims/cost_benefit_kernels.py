"""Cost-benefit: collect the block with the largest age · (1 - u) / 2u, u its share of live pages."""

from pagecost._jit import lean_part
from pagecost.devices.ftl.ages_kernels import keep, most_beneficial, touch
from pagecost.devices.ftl.heat_kernels import entries
from pagecost.devices.ftl.page_map_kernels import Hooks


@lean_part
def alike(flash, block):
    """Every block weighs the same, however worn."""
    return 1.0


@lean_part
def victim(state, flash, now):
    return most_beneficial(state, flash, now, alike)


HOOKS = Hooks(victim, touch, keep, touch)
serve, serve_by_heat = entries(__name__, HOOKS)

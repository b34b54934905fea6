"""Random: collect any block. The memoryless case, with write amplification 1 / (share of spare space)."""

from pagecost._jit import lean_part
from pagecost.devices.ftl.heat_kernels import entries
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.sampling_kernels import draw, put, take


@lean_part
def victim(state, flash, now):
    return draw(state)


HOOKS = Hooks(victim, put, take)
serve, serve_by_heat = entries(__name__, HOOKS)

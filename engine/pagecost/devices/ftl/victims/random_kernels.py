"""Random: collect any block. The memoryless case, with write amplification 1 / (share of spare space)."""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template
from pagecost.devices.ftl.sampling_kernels import draw, put, take


@lean_part
def victim(state, flash, now):
    return draw(state)


HOOKS = Hooks(victim, put, take)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)

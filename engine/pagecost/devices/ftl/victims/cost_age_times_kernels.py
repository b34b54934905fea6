"""Cost-age-times: cost-benefit over the times a block was erased, so that worn blocks are spared."""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.ages_kernels import keep, most_beneficial, touch
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template


@lean_part
def times(flash, block):
    return 1.0 + flash.erases[block]


@lean_part
def victim(state, flash, now):
    return most_beneficial(state, flash, now, times)


HOOKS = Hooks(victim, touch, keep, touch)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)

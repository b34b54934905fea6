"""d choices: draw d blocks at random (with replacement) and collect the one with the fewest live pages."""

from pagecost._jit import lean_kernel, lean_part
from pagecost.devices.ftl.heat_kernels import serve_by_heat as heat_template
from pagecost.devices.ftl.page_map_kernels import Hooks
from pagecost.devices.ftl.page_map_kernels import serve as serve_template
from pagecost.devices.ftl.sampling_kernels import draw, put, take


@lean_part
def victim(state, flash, now):
    best = draw(state)
    for _ in range(1, state.size[1]):
        other = draw(state)
        if flash.valid[other] < flash.valid[best]:
            best = other
    return best


HOOKS = Hooks(victim, put, take)


@lean_kernel
def serve(requests, blame, flash, state):
    serve_template(requests, blame, flash, state, HOOKS)


@lean_kernel
def serve_by_heat(requests, blame, flash, state, heat):
    heat_template(requests, blame, flash, state, HOOKS, heat)

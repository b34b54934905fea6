"""d choices: draw d blocks at random (with replacement) and collect the one with the fewest live pages."""

from pagecost._jit import lean_part
from pagecost.devices.ftl.heat_kernels import entries
from pagecost.devices.ftl.page_map_kernels import Hooks
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
serve, serve_by_heat = entries(__name__, HOOKS)

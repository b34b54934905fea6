"""Most recently used: the page used last leaves, which suits a scan that comes round again."""

import numpy as np

from pagecost._jit import inline_part, lean_kernel
from pagecost.buffer.policies.lru_kernels import on_hit, on_load
from pagecost.buffer.replay_kernels import Hooks
from pagecost.buffer.replay_kernels import replay as replay_template
from pagecost.lists_kernels import newest, ring, unlink


@inline_part
def victim(state, slot, at):
    frame = newest(state.links, ring(state.links, 1, 0))
    unlink(state.links, frame)
    return np.uint32(frame)


HOOKS = Hooks(victim, on_hit, on_load)


@lean_kernel
def replay(pages, writes, at, pool, state):
    replay_template(pages, writes, at, pool, state, HOOKS)

"""A closed queue before interface, dies and channels, point by point: what `theory.closed_rate` asks for."""

from pagecost._jit import lean_kernel, lean_part

HALVINGS = 45  # of the interval of a rate: beyond what a float64 can tell apart
HALF = 0.5  # of the interface's queue: what the dies answer comes in no bursts, as a constant service does


@lean_part
def wait_s(rate, others, service_s, servers):
    """Mean wait for one of several equal servers, chosen by lot, of constant service."""
    load = min(others * rate * service_s / servers, 1 - 1e-9)
    return service_s * load / 2 / (1 - load)


@lean_kernel
def closed_rates(front_s, delay_s, array_s, transfer_s, dies, channels, units, depth, rates):
    """Fill `rates` [1/s]; all arrays float64[n]."""
    for at in range(rates.size):
        transfer = transfer_s[at]
        page_s = array_s[at] + transfer
        per_channel = max(dies[at] / channels[at], 1.0)
        rounds = max(units[at] / dies[at], 1.0)
        die_groups = max(dies[at] / units[at], 1.0)
        channel_groups = max(channels[at] / units[at], 1.0)
        lanes = min(max(units[at] / channels[at], 1.0), per_channel)
        die_s = rounds * page_s
        channel_s = max(units[at] / channels[at], 1.0) * transfer
        later_s = (rounds - 1) * max(page_s, per_channel * transfer)
        alone = front_s[at] + delay_s[at] + array_s[at] + lanes * transfer + later_s
        bound = 1 / max(front_s[at], die_s / die_groups, channel_s / channel_groups)
        by_chance = 1 - 1 / die_groups**2
        rivals = (1 - lanes / per_channel) * (1 - 1 / channel_groups**2)
        others = (depth[at] - 1) / depth[at]
        low, high = 0.0, min(depth[at] / alone, bound)
        for _ in range(HALVINGS):
            rate = (low + high) / 2
            response = alone + by_chance * wait_s(rate, others, die_s, die_groups)
            response += by_chance * HALF * wait_s(rate, others, front_s[at], 1.0)
            response += rivals * wait_s(rate, others, channel_s, channel_groups)
            if rate * response > depth[at]:
                high = rate
            else:
                low = rate
        rates[at] = (low + high) / 2

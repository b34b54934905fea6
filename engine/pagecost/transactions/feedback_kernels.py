"""Mean waits at one queue to which customers come back, each a linear function of all of them; and Erlang's chance."""

from pagecost._jit import lean_kernel

NOTHING_WRONG, NEGATIVE, NOT_LATER, OVER_ONE, TOO_OFTEN = range(5)
"""What can be wrong with the bursts of one queue."""


@lean_kernel
def wrong_with(rate, follows, fresh):
    """Which of the rules of `feedback_waits_s` its rates and shares break; writes those that follow none to `fresh`.

    rate [1/s], fresh [1/s]: float64[k]; follows: float64[k, k]. Returns one of the constants above.
    """
    size, most = rate.size, 0.0
    for at in range(size):
        if not rate[at] >= 0:
            return NEGATIVE
        most = max(most, rate[at])
        fresh[at] = rate[at]
    for at in range(size):
        total = 0.0
        for other in range(size):
            share = follows[at, other]
            if not share >= 0 or (share > 0 and other <= at):
                return NOT_LATER
            total += share
            fresh[other] -= rate[at] * share
        if not total <= 1 + 1e-9:
            return OVER_ONE
    for at in range(size):
        if not fresh[at] >= -1e-9 * most:
            return TOO_OFTEN
    return NOTHING_WRONG


@lean_kernel
def waits_at_once(rate, mean, second, follows, fresh, behind, before, waits):
    """Write the mean wait before each kind of burst to `waits`; before one that nobody asks for, that at any time.

    A row of k + 1 numbers is a mean: its part without the unknown waits, then its coefficient of each of them. rate
    [1/s], mean [s], second [s²]: float64[k], follows: float64[k, k], as in `feedback_waits_s`; fresh: float64[k], those
    that follow none [1/s]. before: float64[k, k + 1] and
    behind: float64[k, k, k + 1] are written over: who was ahead of, or came behind, those of a kind, at its next burst.
    """
    size = rate.size
    for at in range(size):
        before[:] = 0.0
        for other in range(at):
            share = follows[other, at]
            if share > 0:
                for kind in range(size):
                    for part in range(size + 1):
                        before[kind, part] += share * behind[other, kind, part]
        # of all who come to this kind, from outside and from the kinds before: what they wait for
        waits[at] = 0.0
        for kind in range(size):
            waits[at, 0] += fresh[at] * rate[kind] * second[kind] / 2
            waits[at, kind + 1] += fresh[at] * mean[kind] * rate[kind]
            for part in range(size + 1):
                waits[at, part] += mean[kind] * before[kind, part]
        # who was ahead of them, in the queue or in service, or came meanwhile, at their next burst
        for kind in range(size):
            before[kind, 0] += fresh[at] * rate[kind] * mean[kind]
            before[kind, kind + 1] += fresh[at] * rate[kind]
        for kind in range(size):
            for part in range(size + 1):
                behind[at, kind, part] = fresh[kind] * waits[at, part]
            behind[at, kind, 0] += fresh[kind] * rate[at] * mean[at]
            for other in range(kind):
                share = follows[other, kind]
                if share > 0:
                    for part in range(size + 1):
                        behind[at, kind, part] += share * before[other, part]
    for at in range(size):
        if rate[at] > 0:
            for part in range(size + 1):
                waits[at, part] /= rate[at]
        else:
            waits[at, 0] = 0.0
            for kind in range(size):
                waits[at, 0] += rate[kind] * second[kind] / 2
                waits[at, kind + 1] = rate[kind] * mean[kind]


@lean_kernel
def without_length(mean, follows):
    """Let what comes before a burst that takes no time be followed by what comes after it, in `follows` itself.

    mean [s]: float64[k]; follows: float64[k, k], as in `feedback_waits_s`.
    """
    size = mean.size
    for at in range(size):
        if mean[at] == 0:
            for before in range(at):
                for after in range(at + 1, size):
                    follows[before, after] += follows[before, at] * follows[at, after]
            follows[:, at] = 0.0
            follows[at] = 0.0


@lean_kernel
def erlang_b(servers, load):
    """Share of the customers, 0 .. 1, that find all servers busy where nobody waits: Erlang's B formula.

    servers: int64, at least 1; load: float64, arrival rate times service time, at least 0. By the usual recursion over
    the servers, which does not overflow as powers and factorials do.
    """
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = load * blocked / (number + load * blocked)
    return blocked

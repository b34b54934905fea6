"""The order in which users' references meet in the buffer, when nothing is known of times yet."""

from pagecost._jit import lean_kernel


@lean_kernel
def interleave(first, users, active, order):
    """Fill `order` with the references in turn: each user makes one reference, then the next user.

    first: int64[transactions + 1], as in `Load`. active: int64[users, 2], scratch. Who has finished takes the next
    transaction.
    """
    transactions = first.size - 1
    following = 0
    for user in range(users):
        active[user, 0] = 0
        active[user, 1] = 0
    done = 0
    while done < order.size:
        for user in range(users):
            while active[user, 0] == active[user, 1] and following < transactions:
                active[user, 0] = first[following]
                active[user, 1] = first[following + 1]
                following += 1
            if active[user, 0] < active[user, 1]:
                order[done] = active[user, 0]
                active[user, 0] += 1
                done += 1

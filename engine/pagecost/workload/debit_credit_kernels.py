"""The page references of Debit-Credit transactions."""

import numpy as np

from pagecost._jit import kernel


@kernel
def references(seed, branches, tellers_per_branch, accounts_per_branch, factors, local_share, clustered, first, page):
    """Fill page (int64, four per transaction: ACCOUNT, HISTORY, BRANCH, TELLER).

    factors: records per page of BRANCH, TELLER, ACCOUNT, HISTORY. first: first page of the same four partitions.
    """
    np.random.seed(seed)
    for transaction in range(page.size // 4):
        branch = np.random.randint(0, branches)
        teller = branch * tellers_per_branch + np.random.randint(0, tellers_per_branch)
        home = branch
        if branches > 1 and np.random.random() >= local_share:
            home = np.random.randint(0, branches - 1)
            home += home >= branch
        account = home * accounts_per_branch + np.random.randint(0, accounts_per_branch)
        at = 4 * transaction
        page[at] = first[2] + account // factors[2]
        page[at + 1] = first[3] + transaction // factors[3]
        page[at + 2] = first[0] + branch // factors[0]
        page[at + 3] = page[at + 2] if clustered else first[1] + teller // factors[1]

"""Debit-Credit: each transaction changes one ACCOUNT, appends to HISTORY, and changes its BRANCH and TELLER."""

from dataclasses import dataclass, replace

import numpy as np

from pagecost.errors import require
from pagecost.requests import WRITE, Requests
from pagecost.workload import debit_credit_kernels


@dataclass(frozen=True, kw_only=True, slots=True)
class DebitCredit:
    """The load of Rahm 1992, §3.1, with the settings of his Table 4.1 as defaults.

    A transaction touches ACCOUNT, HISTORY, BRANCH, TELLER in this order (the order that gives his 95 % BRANCH and
    100 % TELLER hits, footnote 5), all four for writing. `local_share` (K) of the accounts belong to the teller's
    own branch. `clustered` puts a branch's tellers on its page. HISTORY grows by one record per transaction.
    """

    branches: int = 500
    tellers_per_branch: int = 10
    accounts_per_branch: int = 100_000
    branch_factor: int = 1
    teller_factor: int = 10
    account_factor: int = 10
    history_factor: int = 20
    local_share: float = 0.85
    clustered: bool = True
    page_bytes: int = 4096

    def __post_init__(self):
        for name in self.__slots__:
            if name not in ("local_share", "clustered"):
                value = getattr(self, name)
                require(value >= 1, f"Debit-Credit: {name} must be at least 1; got {value}")
        require(0 <= self.local_share <= 1, f"Debit-Credit: local_share must be 0..1; got {self.local_share}")

    def on_pages(self, page_bytes: int) -> "DebitCredit":
        """The same rows on pages of another size [B]: in larger ones lie more accounts, tellers and records of history.

        A branch keeps a page for itself.
        """

        def rows(factor: int) -> int:
            return max(1, factor * page_bytes // self.page_bytes)

        return replace(
            self,
            teller_factor=rows(self.teller_factor),
            account_factor=rows(self.account_factor),
            history_factor=rows(self.history_factor),
            page_bytes=page_bytes,
        )

    def pages_of(self) -> dict[str, int]:
        """Pages of each partition that does not grow."""
        return {
            "BRANCH": -(-self.branches // self.branch_factor),
            "TELLER": 0 if self.clustered else -(-self.branches * self.tellers_per_branch // self.teller_factor),
            "ACCOUNT": -(-self.branches * self.accounts_per_branch // self.account_factor),
        }

    def requests(self, transactions: int, seed: int = 1) -> Requests:
        """Page requests of `transactions` transactions, four each; streams 0 ACCOUNT, 1 HISTORY, 2 BRANCH, 3 TELLER.

        Raises ModelError unless transactions >= 1.
        """
        require(transactions >= 1, f"Debit-Credit needs at least one transaction; got {transactions}")
        sizes = self.pages_of()
        first = np.cumsum([0, sizes["BRANCH"], sizes["TELLER"], sizes["ACCOUNT"]])
        factors = np.array([self.branch_factor, self.teller_factor, self.account_factor, self.history_factor])
        page = np.empty(4 * transactions, np.int64)
        debit_credit_kernels.references(
            seed,
            self.branches,
            self.tellers_per_branch,
            self.accounts_per_branch,
            factors,
            float(self.local_share),
            bool(self.clustered),
            first,
            page,
        )
        return Requests(
            arrival_s=np.zeros(page.size),
            op=np.full(page.size, WRITE),
            page=page,
            pages=np.ones(page.size, np.int32),
            stream=np.tile(np.arange(4, dtype=np.int16), transactions),
            page_bytes=self.page_bytes,
        )

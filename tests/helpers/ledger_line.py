"""A line of the ledger as tests make one."""

from pagecost.claims.ledger import Claim

RATE = {"measure": "parameter", "device": "intel-x25-e", "name": "random_read_iops"}


def line(**fields) -> Claim:
    """A line of the ledger that holds: a number of a data sheet."""
    usual = {
        **{"id": "X01", "paper": "wang2011", "place": "Table 2", "statement": "s", "stated": 35000, "used": 35000.0},
        **{"unit": "1/s", "tolerance": 1.0, "tolerance_reason": "a copied number", "kind": "predicted"},
        **{"measure": RATE, "control": {"device": "intel-x25-e", "parameter": "random_read_iops", "factor": 2.0}},
    }
    rival = fields.pop("rival", None)
    return Claim(**{**usual, **({"rivals": (rival,)} if rival else {}), **fields})

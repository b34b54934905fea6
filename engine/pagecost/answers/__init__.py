"""What several questions share, computed once: replays, page costs, runs of devices, costs of transactions.

Plain Python between the models below and the studies above. What is remembered, and for how long, is settled in
`pagecost.remembering` alone.
"""

from pagecost.remembering import LIMIT_BYTES, MEMORY, remembered

__all__ = ["LIMIT_BYTES", "MEMORY", "remembered"]

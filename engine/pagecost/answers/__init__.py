"""What several questions share, computed once: replays, page costs, runs of devices, costs of transactions.

Plain Python between the models below and the studies above. What is remembered, and for how long, is settled in
`pagecost.answers.memory` alone.
"""

from pagecost.answers.memory import LIMIT_BYTES, MEMORY, remembered

__all__ = ["LIMIT_BYTES", "MEMORY", "remembered"]

"""What a program's writes become: recorded calls, page cache, file system (docs/models/programs.md#the-recording)."""

from pagecost.programs.events import Recording
from pagecost.programs.ledger import CAUSES, KEPT_BACK
from pagecost.programs.recorder import record, why_not
from pagecost.programs.strace import read
from pagecost.programs.wear import FILE_SYSTEMS, OF_LINUX, Settings, Wear, wear

__all__ = [
    "CAUSES",
    "FILE_SYSTEMS",
    "KEPT_BACK",
    "OF_LINUX",
    "Recording",
    "Settings",
    "Wear",
    "read",
    "record",
    "wear",
    "why_not",
]

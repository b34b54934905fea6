"""Runs first in a packaged program on Linux: its kernels are machine code that was compiled ahead.

The small package has no Qt. PyInstaller's own hook would look for it all the same, and PySide6 print that it lacks.
"""

import sys
from pathlib import Path

from pagecost import _ahead

_ahead.stand_in()
if not (Path(sys._MEIPASS) / "PySide6").is_dir():
    sys.modules["PySide6"] = sys.modules["shiboken6"] = None  # an import raises ModuleNotFoundError

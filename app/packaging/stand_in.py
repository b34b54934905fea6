"""Runs first in a packaged program on Linux: its kernels are machine code that was compiled ahead."""

from pagecost import _ahead

_ahead.stand_in()

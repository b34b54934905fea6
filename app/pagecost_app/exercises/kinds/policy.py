"""A learner's replacement policy is run in a process of its own, with little time and memory, and counted."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextvars import ContextVar
from pathlib import Path

from pagecost.errors import ModelError, require
from pagecost_app.exercises.exercise import Field
from pagecost_app.exercises.kinds import policy_runner

SECONDS = 2  # of processor
CLOCK_S = 10  # more, because other programs run as well
BYTES = 256 * 2**20
LINES = 10
RUNNER = Path(policy_runner.__file__)
EXAMPLE = "def victim(pages):  # the least recently used first\n    return pages[0]"


may_run: ContextVar[bool] = ContextVar("may_run", default=True)
"""Whether a learner's code is run: whoever reads what others wrote can set it False, and gets `NotRun`."""


class NotRun(Exception):
    """A learner's code was to be run where none may."""


def policy_field() -> Field:
    """The field for a policy of ten lines."""
    label = (
        "victim(pages) returns the page that leaves. pages: all in the buffer, the least recently used first; each "
        f"has number, dirty, uses, loaded, used. At most {LINES} lines, no import"
    )
    return Field("policy", "text", label, lines=LINES + 2, example=EXAMPLE)


def replayed(code: str, references: Sequence[tuple[int, bool]], frames: int) -> dict[str, int]:
    """Misses and write-backs of a learner's policy. references: (page, whether it is written).

    Raises ModelError, one sentence, for code that is too long, is no policy, fails, or takes too much time or memory;
    NotRun where `may_run` forbids it.
    """
    if not may_run.get():
        raise NotRun
    lines = [line for line in code.splitlines() if line.strip() and not line.strip().startswith("#")]
    require(len(lines) <= LINES, f"the policy has {len(lines)} lines; at most {LINES} are allowed")
    asked = {"code": code, "references": references, "frames": frames, "seconds": SECONDS, "bytes": BYTES}
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-S", "-B", RUNNER],
            input=json.dumps(asked).encode(),
            capture_output=True,
            timeout=CLOCK_S,
            env=kept,
        )
    except subprocess.TimeoutExpired:
        raise ModelError(f"the policy did not end within {CLOCK_S} s; does it loop for ever?") from None
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        raise ModelError(f"the policy was ended: it took more than {SECONDS} s or {BYTES >> 20} MiB") from None
    require("error" not in found, found.get("error", ""))
    return found


def own_replayed(code: str, references: Sequence[tuple[int, bool]], frames: int) -> dict[str, int]:
    """Misses and write-backs of a policy that an exercise itself wrote, at once and in this process."""
    return policy_runner.replayed(policy_runner.compiled(code), references, frames)

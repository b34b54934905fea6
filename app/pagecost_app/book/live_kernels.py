"""The modules of the kernels that run in the book's pages, made by a process of their own.

That process compiles without optimising (see `webassembly`), and so may keep nothing that others would load. A module
that was made from the same source is taken from the user's cache.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numba

from pagecost import _jit
from pagecost._stamps import signature_stamp, stamp
from pagecost.errors import require
from pagecost_app.book.arguments import LIVE


def modules(names: Iterable[str]) -> dict[str, bytes]:
    """The module of each name of `LIVE`. Raises ModelError for one that a page cannot run."""
    wanted = {name: _kept(name) for name in names}
    missing = [name for name, path in wanted.items() if not path.exists()]
    if missing:
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"NUMBA_OPT": "0", "PAGECOST_KERNEL_CACHE": folder}
            pairs = [part for name in missing for part in (name, str(wanted[name]))]
            made = subprocess.run(
                [sys.executable, "-m", __name__, *pairs],
                env=environment,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        require(made.returncode == 0, f"no WebAssembly of {', '.join(missing)}: {made.stderr.strip()[-300:]}")
    return {name: path.read_bytes() for name, path in wanted.items()}


def _kept(name: str) -> Path:
    """Where a module is kept: a name that says from what source it was made."""
    kernel, arguments = LIVE[name]
    types = signature_stamp(tuple(map(numba.typeof, arguments)))
    source = hashlib.sha256("\0".join((stamp(kernel), types, numba.__version__)).encode()).hexdigest()
    return _jit.user_cache() / "webassembly" / f"{name}-{source[:24]}.wasm"


def main(arguments: Sequence[str]) -> None:
    """Make modules: a name and where its module shall be, again and again."""
    from pagecost_app.book import webassembly

    for name, place in zip(arguments[::2], arguments[1::2], strict=True):
        made = webassembly.module(*LIVE[name])
        path = Path(place)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(made)
        unfinished.replace(path)


if __name__ == "__main__":
    main(sys.argv[1:])

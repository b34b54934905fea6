"""What the machine code of a package needs beyond answering every study once.

`compile_kernels.py compile FOLDER PART PARTS`: compile for another processor level what one level has. FOLDER is that
level's kernel cache. Its signatures are compiled for the level and into the cache that the environment names, without
answering anything again; PARTS processes share them.

`compile_kernels.py tidy FOLDER`: keep in a kernel cache's level what the studies' kernels of today find there, and
let every user of the package read it. What a machine that runs the tests has compiled besides is of no use.
"""

import sys
from pathlib import Path

import pagecost.studies  # noqa: F401 (imports every kernel that a study uses)
from pagecost import _jit


def of_studies(folder: Path) -> dict:
    """The files of machine code that a kernel of the studies would load, and that kernel's cache."""
    caches = {cache.stem(): cache for cache in _jit.kernels().values()}
    files = sorted(folder.glob(f"*{_jit.ENDING}"))
    return {path: caches[stem] for path in files if (stem := path.name.rpartition("-")[0]) in caches}


def compile_again(folder: Path, part: int, parts: int) -> None:
    for path, cache in list(of_studies(folder).items())[part::parts]:
        if kept := _jit.read_kept(path):
            cache.kernel.compile(kept.signature)


def tidy(folder: Path) -> None:
    needed = of_studies(folder)
    for path in folder.iterdir():
        if path in needed:
            path.chmod(0o644)
        else:
            path.unlink()
    folder.chmod(0o755)


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:]
    if command == "tidy":
        tidy(Path(folder))
    else:
        compile_again(Path(folder), *map(int, rest))

"""Compile for another processor level what one level has: `compile_kernels.py FOLDER PART PARTS`.

FOLDER is a kernel cache that answering all studies has filled. Its signatures are compiled for the level and into the
cache that the environment names, without answering anything again; PARTS processes share the kernels. What a machine
that runs the tests has compiled besides is of no use to the package.
"""

import sys
from pathlib import Path

from numba.core import caching

import pagecost.studies  # noqa: F401 (imports every kernel that a study uses)
from pagecost import _jit

INDEX = ".nbi"


def main(folder: Path, part: int, parts: int) -> None:
    kernels = {kernel._cache._impl.filename_base: kernel for kernel in _jit._KERNELS}
    names = sorted({path.name.removesuffix(INDEX) for path in folder.glob(f"*{INDEX}")} & kernels.keys())
    for name in names[part::parts]:
        index = caching.IndexDataCacheFile(str(folder), name, _jit.kernel_digest())._load_index()
        for signature, *_ in index:
            kernels[name].compile(signature)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

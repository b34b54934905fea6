"""Compile for another processor level what one level has: `compile_kernels.py FOLDER PART PARTS`.

FOLDER is a kernel cache that answering all studies has filled. Its signatures are compiled for the level and into the
cache that the environment names, without answering anything again; PARTS processes share the kernels.
"""

import sys
from pathlib import Path

from numba.core import caching

from pagecost import _jit, studies

INDEX = ".nbi"


def main(folder: Path, part: int, parts: int) -> None:
    kernels = {kernel._cache._impl.filename_base: kernel for kernel in _jit._KERNELS}
    names = sorted(path.name.removesuffix(INDEX) for path in folder.glob(f"*{INDEX}"))
    unknown = [name for name in names if name not in kernels]
    if unknown:
        raise SystemExit(f"{folder}: these kernels are imported by none of {len(studies.STUDIES)} studies: {unknown}")
    for name in names[part::parts]:
        index = caching.IndexDataCacheFile(str(folder), name, _jit.kernel_digest())._load_index()
        for signature, *_ in index:
            kernels[name].compile(signature)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

"""What an answer was made with: versions of what computes, and a digest of code and data that tells one state from
another."""

import functools
import hashlib
from pathlib import Path

import pagecost
from pagecost import catalogue
from pagecost._stamps import VERSIONS


@functools.cache
def versions() -> dict[str, str]:
    """Of pagecost and of what compiles and computes, by name."""
    return {"pagecost": pagecost.__version__, **VERSIONS}


@functools.cache
def state() -> str:
    """Digest (32 hexadecimal digits) of the code and the data that an answer depends on.

    Of the version only where the code is not there as text.
    """
    package = Path(__file__).resolve().parent
    digest = hashlib.sha256()
    digest.update(repr(versions()).encode())
    for folder, kinds in ((package, (".py",)), (catalogue.root(), (".csv", ".toml", ".parquet", ".json"))):
        for path in sorted(folder.rglob("*")):
            if path.suffix in kinds:
                digest.update(str(path.relative_to(folder)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:32]

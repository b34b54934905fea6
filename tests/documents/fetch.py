"""Real XML documents for the round-trip tests, out of Debian packages: `python tests/documents/fetch.py`.

They are downloaded with apt and unpacked beside this file, into `real/`, which is not committed. The tests of
`test_xml_real_documents.py` take whatever lies there, and documents that Python packages bring along in any case.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent / "real"
PACKAGES = {  # what is taken of each
    "unicode-cldr-core": "usr/share/unicode/cldr/common",  # locale data: attributes, comments, mixed depth
    "iso-codes": "usr/share/xml/iso-codes",  # lists: attributes only
    "shared-mime-info": "usr/share/mime/packages",  # a DOCTYPE with a DTD inside, text in many languages
    "xkb-data": "usr/share/X11/xkb/rules",  # elements only
}


def main() -> int:
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        print("This takes apt-get and dpkg-deb: run it on Debian or Ubuntu.", file=sys.stderr)
        return 2
    failed = [name for name, folder in PACKAGES.items() if not fetch(name, folder)]
    print(f"{len(list(HERE.rglob('*.xml')))} documents in {HERE}")
    if failed:
        print(f"Not fetched: {', '.join(failed)}. Try `apt-get update` first.", file=sys.stderr)
    return int(bool(failed))


def fetch(package: str, folder: str) -> bool:
    """Download one package and keep its XML files; whether that could be done."""
    with tempfile.TemporaryDirectory() as place:
        for command in (["apt-get", "download", "-q", package], ["dpkg-deb", "-x", f"{package}.deb", "."]):
            for found in Path(place).glob(f"{package}_*.deb"):
                found.rename(Path(place) / f"{package}.deb")
            if subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL).returncode:
                return False
        source, target = Path(place) / folder, HERE / package
        shutil.rmtree(target, ignore_errors=True)
        for path in source.rglob("*.xml"):
            if path.is_file() and not path.is_symlink():
                kept = target / path.relative_to(source)
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, kept)
    return target.is_dir()


if __name__ == "__main__":
    sys.exit(main())

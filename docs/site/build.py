"""`make docs`: the site in dist/site, without a network. `--only NAME …` answers these questions, `--quick` none."""

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

import site_pages
from pagecost import claims, studies
from pagecost_app import charts

ROOT = Path(__file__).parents[2]
SOURCE, SITE = ROOT / "build" / "site", ROOT / "dist" / "site"


def write(folder: Path, names: list[str], *, checked: bool) -> None:
    """The source of the site: pages, pictures of the questions named, and the verdicts on the claims if `checked`."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / "house.svg").write_text(site_pages.house_picture(), "utf8")
    shutil.copy(ROOT / "docs" / "pictures" / "app-buffer.png", folder / "pictures")
    lines = {}
    for number, name in enumerate(names, 1):
        print(f"{number} of {len(names)}: {name}", file=sys.stderr)
        study = studies.find(name)
        inputs = study.inputs()
        result = study.compute(inputs)
        charts.save(study, inputs, result, folder / "pictures" / f"{name}.svg")
        lines[name] = study.explain(inputs, result)
    verdicts = {verdict.claim.id: verdict for verdict in claims.check_all()} if checked else {}
    for path, text in site_pages.pages(lines, verdicts).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf8")
    shutil.copy(Path(__file__).parent / "conf.py", folder)


def main(arguments: list[str]) -> int:
    """Exit code of Sphinx."""
    some = "--quick" in arguments or "--only" in arguments
    named = arguments[arguments.index("--only") + 1 :] if "--only" in arguments else []
    write(SOURCE, named if some else list(studies.STUDIES), checked=not some)
    shutil.rmtree(SITE, ignore_errors=True)
    return build_main(["-q", "-b", "html", str(SOURCE), str(SITE)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

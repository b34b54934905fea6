"""The pages of the site as text, made from what is registered: nothing here lists a study, a policy or a device.

`pages()` returns Markdown (and for the API reStructuredText) by path; `build.py` adds what takes time: the pictures of
the studies and the verdicts on the claims.
"""

import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pagecost
import pagecost_app
from house_map import ENGINE, drawing, rooms
from pagecost import buffer, catalogue, claims, studies
from pagecost.devices import disk, ftl
from pagecost.studies import Study
from pagecost.studies.fields import Choice, Choices, FilePath, Steps, group_of, kind_of, source_of
from pagecost_app import claims_told as told

ROOT = Path(__file__).parents[2]
FAMILIES = {
    "buffer": ("Replacement policies", buffer.POLICIES, "models/buffer.md"),
    "translation": ("Translation layers", ftl.LAYERS, "models/flash.md"),
    "victims": ("Victims of garbage collection", ftl.VICTIMS, "models/flash.md"),
    "write-buffers": ("Write buffers", ftl.WRITE_POLICIES, "models/flash.md"),
    "schedulers": ("Disk schedulers", disk.SCHEDULERS, "models/disk.md"),
}
"""Every registry of policies: its title, what it holds, and the page of the models that it belongs to."""


def text(value: object) -> str:
    """A value as plain text in a Markdown table."""
    return re.sub(r"([\\`*_\[\]<>#|~$])", r"\\\1", " ".join(str(value).split()))


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table; cells that are Markdown already begin with `[` or a backtick and are left alone."""
    head = list(head)
    lines = [head, ["---"] * len(head)]
    lines += [[_cell(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


class Markdown(str):
    """A cell that is Markdown already."""


def _cell(value: object) -> str:
    return str(value) if isinstance(value, Markdown) else text(value)


def link(title: str, path: str) -> Markdown:
    """A link to another page of the site, from a page one folder deep."""
    return Markdown(f"[{text(title)}](../{path})")


def contents(title: str, lead: str, paths: Iterable[str]) -> str:
    """A page that leads to others."""
    listed = "\n".join(paths)
    return f"# {title}\n\n{lead}\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"


def pages(lines: Mapping[str, list[str]] | None = None, verdicts: Mapping | None = None) -> dict[str, str]:
    """Every page by its path. lines: study -> how it was computed; verdicts: claim id -> what came out."""
    made = {"index.md": _index()}
    for part in (_studies(lines), _policies(), _devices(), _claims(verdicts or {}), _written(), _house(), _api()):
        made |= part
    return made


def _index() -> str:
    readme = (ROOT / "README.md").read_text("utf8")
    opening, _, rest = readme.partition("\n## ")
    answers = re.search(r"^## What it answers[^\n]*\n\n.*?\n(?=\n)", f"## {rest}", re.M | re.S)
    assert answers, "README.md has no section of what it answers"
    lead = opening.partition("\n")[2].strip().replace("docs/pictures/", "pictures/") + f"\n\n{answers[0]}"
    parts = ("questions", "policies", "devices", "claims", "models", "api", "house")
    return contents("pagecost", lead, [f"{part}/index" for part in parts])


def _studies(lines: Mapping[str, list[str]] | None) -> dict[str, str]:
    made = {f"questions/{name}.md": study_page(study, lines) for name, study in studies.STUDIES.items()}
    lead = f"{len(studies.STUDIES)} questions, the same in the app, the notebooks and on the command line."
    return {"questions/index.md": contents("Questions", lead, studies.STUDIES), **made}


def study_page(study: Study, lines: Mapping[str, list[str]] | None = None) -> str:
    """One question: its picture and formula where `lines` has it, its inputs, presets and source."""
    told = f"# {text(study.title)}\n\n`pagecost run {study.name}` · {text(study.source)}\n\n"
    if lines and study.name in lines:
        told += f"![The answer with the defaults](../pictures/{study.name}.svg)\n\n## How it is computed\n\n"
        told += "".join(f"- {text(line)}\n" for line in lines[study.name]) + "\n"
    told += "## Inputs\n\n" + table(("name", "input", "default", "unit or choice", "range", "from"), _inputs(study))
    if study.presets:
        told += "\n## Presets\n\n" + table(
            ("preset", "sets"),
            (
                (name, ", ".join(f"{key} = {value}" for key, value in values.items()))
                for name, values in _presets(study)
            ),
        )
    return told


def _presets(study: Study):
    return [(name, dict(values)) for name, values in study.presets.items()]


def _inputs(study: Study):
    for name, field in study.Inputs.model_fields.items():
        meaning = f"{field.title}: {field.description}" + (f" ({group_of(field)})" if group_of(field) else "")
        yield Markdown(f"`{name}`"), meaning, field.get_default(), _unit(field), _range(field), source_of(field)


def _unit(field) -> str:
    kind = kind_of(field)
    if isinstance(kind, Steps):
        return "a number" if kind.unit == "1" else kind.unit
    if isinstance(kind, FilePath):
        return f"a file: {kind.of}"
    count = len(kind.options())
    some = "some" if isinstance(kind, Choices) else "one"
    return f"{some} of {count}" + (f", or {kind.typed}" if isinstance(kind, Choice) and kind.free else "")


def _range(field) -> str:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
    limits = [
        f"{sign} {limit:g}"
        for item in field.metadata
        for name, sign in signs.items()
        if isinstance(limit := getattr(item, name, None), int | float)
    ]
    return ", ".join(limits)


def _policies() -> dict[str, str]:
    made, order = {}, []
    for family, (title, registry, model) in FAMILIES.items():
        order.append(f"{family}/index")
        made[f"policies/{family}/index.md"] = contents(title, f"The formulas: [models](../../{model}).", registry)
        for name, policy in registry.items():
            made[f"policies/{family}/{name}.md"] = policy_page(policy)
    return {"policies/index.md": contents("Policies", "What decides, where there is a choice.", order), **made}


def policy_page(policy) -> str:
    """One policy: its idea as its file tells it, its source, its parameters and its reasons, where it has any."""
    told = f"# {text(policy.title)}\n\n`{policy.name}`" + (f" · {text(policy.source)}" if _of(policy, "source") else "")
    told += f"\n\n{_paragraphs(idea(policy))}\n"
    if parameters := _of(policy, "parameters"):
        rows = (
            (Markdown(f"`{p.name}`"), p.meaning, f"{p.default:g}", f"{p.least:g} to {p.most:g}") for p in parameters
        )
        told += "\n## Parameters\n\n" + table(("name", "meaning", "default", "range"), rows)
    if reasons := _of(policy, "reasons"):
        told += "\n## Why a page leaves\n\n" + "".join(f"- {text(reason)}\n" for reason in reasons)
    return told


def _of(policy, name: str):
    return getattr(policy, name, "")


def _paragraphs(told: str) -> str:
    return "\n\n".join(text(part) for part in told.split("\n\n"))


def idea(policy) -> str:
    """What a policy does, in the words of the file (or class) that it stands in."""
    if inspect.isclass(policy):
        return inspect.getdoc(policy) or ""
    functions = [getattr(value, "py_func", value) for value in policy if callable(value)]
    modules = [inspect.getmodule(function) for function in functions]
    own = [module for module in modules if module and policy.name.replace("-", "_") in module.__name__]
    return inspect.getdoc((own or modules)[0]) or ""


def _devices() -> dict[str, str]:
    made = {f"devices/{name}.md": device_page(device) for name, device in catalogue.project().devices.items()}
    rows = (
        (source.title, source.authors, source.publisher, source.year, source.url, source.read_on)
        for source in catalogue.project().sources.values()
    )
    sources = "# Sources\n\n" + table(("title", "authors", "publisher", "year", "address", "read on"), rows)
    lead = "What is known of each device, and who says so. What is not stated stays blank."
    index = contents("Devices", lead, [*catalogue.project().devices, "sources"])
    return {"devices/index.md": index, "devices/sources.md": sources, **made}


def device_page(device: catalogue.Device) -> str:
    """One device: every number as it was published, with status, source and place, and its prices."""
    told = f"# {text(device.name)}\n\n`{device.id}` · {text(device.device_class)}"
    told += f" · {device.year}" if device.year else ""
    told += f"\n\n{text(device.note)}\n\n" + table(
        ("parameter", "as stated", "status", "source", "place", "note"),
        (
            (Markdown(f"`{p.name}`"), p.stated, p.status, _title(p.source), p.place, p.note)
            for p in device.parameters.values()
        ),
    )
    if device.prices:
        rows = (
            (p.date, p.amount if p.amount is not None else f"{p.low} to {p.high}", p.currency, p.per, _title(p.source))
            for p in device.prices
        )
        told += "\n## Prices\n\n" + table(("date", "amount", "currency", "per", "source"), rows)
    return told


def _title(source: str) -> str:
    return catalogue.sources()[source].title if source in catalogue.sources() else source


def _claims(verdicts: Mapping) -> dict[str, str]:
    """verdicts: of all claims, or none."""
    known = [verdicts.get(claim.id) or _unchecked(claim) for claim in claims.claims()]
    of_paper = {paper: [each for each in known if each.claim.paper == paper] for paper in claims.PAPERS}
    made = {f"claims/{paper}.md": _paper(paper, found) for paper, found in of_paper.items()}
    made["claims/contradictions.md"] = _contradictions()
    made["claims/missing.md"] = _missing(known)
    lead = f"What {len(claims.PAPERS)} papers state, and what comes out here.\n\n"
    if verdicts:
        lead += f"{text(claims.counts(known).headline)}.\n\n"
    lead += table(("kind", "lines", "hold", "means"), _kinds(known, checked=bool(verdicts)))
    return {"claims/index.md": contents("Claims", lead, [*claims.PAPERS, "contradictions", "missing"]), **made}


def _unchecked(claim: claims.Claim) -> claims.Verdict:
    return claims.Verdict(claim, None, "unchecked", claim.kind)


def _kinds(known: Sequence[claims.Verdict], *, checked: bool):
    for kind, (lines, hold) in claims.counts(known).by_kind.items():
        yield kind, lines, hold if checked and kind != "context" else "–", claims.KINDS[kind]


def _paper(paper: str, found: Sequence[claims.Verdict]) -> str:
    source = catalogue.sources()[paper]
    made = f"# {text(told.called(paper))}\n\n{text(source.authors)}: {text(source.title)}. {text(source.publisher)}\n"
    if all(each.status != "unchecked" or not each.claim.measure for each in found):
        made += f"\n{text(claims.counts(found).headline)}.\n"
    for place, lines in told.by_place(found).items():
        made += f"\n**{text(place)}** {text(told.heading(paper, place))}\n"
        made += "".join(_line(each) for each in lines)
    return made


def _line(verdict: claims.Verdict) -> str:
    claim = verdict.claim
    made = f"\n## {text(claim.id)}\n\n{text(claim.statement)} ({text(claim.place)})\n\n"
    made += "".join(f"- *{name}*: {text(words)}\n" for name, words in told.facts(verdict))
    if claim.study in studies.STUDIES:
        made += f"- *answered by*: {link(studies.find(claim.study).title, f'questions/{claim.study}.md')}\n"
    return made


def _contradictions() -> str:
    made = "# Contradictions\n\nWhere the papers contradict themselves or each other, and what is done about it.\n"
    for each in told.contradictions(claims.PAPERS):
        papers = ", ".join(told.called(paper) for paper in each["papers"])
        made += f"\n## {text(each['id'])}\n\n{text(papers)}, {text(each['where'])}: {text(each['what'])}\n\n"
        lines = ", ".join(claim.id for claim in told.of_patterns(each.get("lines", ())))
        made += f"{text(each.get('treatment', ''))} {text(lines or each.get('status', ''))}\n"
    return made


def _missing(known: Sequence[claims.Verdict]) -> str:
    rows = (
        (told.called(item["paper"]), item["id"], item["what"], item["status"], item["missing"])
        for item in told.items(known)
        if item["status"] != "checked"
    )
    lead = "# Not yet, in part, or only cited\n\n"
    return lead + table(("paper", "item", "is about", "status", "what is missing"), rows)


def _written() -> dict[str, str]:
    """The pages that people wrote: models, decisions, and how to add to the project."""
    made = {}
    for folder, title in (("models", "Models"), ("decisions", "Decisions")):
        found = sorted((ROOT / "docs" / folder).glob("*.md"))
        for path in found:
            name = "overview.md" if path.name == "README.md" else path.name
            made[f"{folder}/{name}"] = _inside(path.read_text("utf8"))
        names = sorted(
            (Path(path).stem for path in made if path.startswith(folder)), key=lambda n: (n != "overview", n)
        )
        made[f"{folder}/index.md"] = contents(title, "", names)
    made["house/contributing.md"] = _inside((ROOT / "CONTRIBUTING.md").read_text("utf8"))
    return made


def _overview_first(name: str) -> tuple[bool, str]:
    return name != "overview", name


def _inside(written: str) -> str:
    """Links to files that are no page of the site become their names."""

    def keep(found: re.Match) -> str:
        title, target = found.groups()
        own = re.fullmatch(r"[\w-]+\.md(#[\w-]+)?|#[\w-]+", target) and not target.startswith("README")
        if target.startswith("http") or own:
            return found[0]
        models = re.fullmatch(r"(?:\.\./)*docs/(models/[\w-]+\.md(?:#[\w-]+)?)", target)
        return f"[{title}](../{models[1].replace('README', 'overview')})" if models else f"{title}"

    return re.sub(r"(?<!!)\[([^]]+)\]\(([^)\s]+)\)", keep, written)


def _members(module: str) -> str:
    """A package hands on what its modules define: it is described there, once."""
    is_package = (ENGINE / Path(*module.split(".")[1:])).is_dir()
    return "   :no-members:\n" if is_package else "   :members:\n"


def _house() -> dict[str, str]:
    found = rooms()
    rows = (
        (Markdown(f"`{name}`"), room.says, ", ".join(sorted(room.imports)), ", ".join(sorted(room.imported_by)))
        for name, room in found.items()
    )
    told = "# The map of the house\n\nMade from the imports: a room stands above all that it imports.\n\n"
    told += "![Rooms by floor](../pictures/house.svg)\n\n" + table(("room", "is", "imports", "imported by"), rows)
    lead = "How the project is built, and how to add to it."
    order = ("map", "contributing", "../decisions/index")
    return {"house/index.md": contents("The house", lead, order), "house/map.md": told}


def house_picture() -> str:
    """The map of the house as SVG."""
    return drawing(rooms())


def _api() -> dict[str, str]:
    """A page for each room of the engine: its public modules, by their docstrings."""
    made: dict[str, str] = {}
    for name in rooms():
        path = ENGINE / name
        modules = [f"pagecost.{name}"]
        if path.is_dir():
            modules += [found.name for found in pkgutil.walk_packages([str(path)], f"pagecost.{name}.")]
        shown = [module for module in modules if not re.search(r"_kernels$|\._|\.studies\..+\.", module)]
        body = "".join(f"{m}\n{'-' * len(m)}\n\n.. automodule:: {m}\n{_members(m)}\n" for m in shown)
        made[f"api/{name}.rst"] = f"{name}\n{'=' * len(name)}\n\n{body}"
    names = sorted((Path(path).stem for path in made), key=lambda name: name.startswith("_"))  # what is private last
    lead = f"`import pagecost` (version {pagecost.__version__}); the faces are in `{pagecost_app.__name__}`."
    return {"api/index.md": contents("Library", lead, names), **made}

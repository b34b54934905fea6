"""Answers as one HTML page that works offline: of a question, of a comparison, of a project.

Each answer stands with its question, every input and where it differs, the live chart, all tables, how it was computed,
the line that computes it again, and the versions that did.
"""

import contextlib
import datetime
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path

from pagecost import provenance, studies, whole_files
from pagecost.errors import ModelError, require
from pagecost.studies.fields import source_of
from pagecost.studies.study import Table
from pagecost.units import so_many
from pagecost_app import bokeh_scripts, report_look
from pagecost_app.charts import CHARTS, embedding, recolouring
from pagecost_app.charts.scales import share_scales
from pagecost_app.workspace import answers as kept
from pagecost_app.workspace import comparison, settings, side_by_side
from pagecost_app.workspace.answers import Answer
from pagecost_app.workspace.project_file import Project
from pagecost_app.workspace.settings import Setting

SHEET = (
    side_by_side.SHEET
    + """
.head { display: flex; justify-content: space-between; gap: 16px; align-items: start; }
#theme { white-space: nowrap; }
.drawn { background: var(--ground); color: var(--ink); border-radius: 8px; padding: 8px; margin: 16px 0; }
pre { background: var(--panel); border-radius: 8px; padding: 10px 14px; white-space: pre-wrap; overflow-wrap: anywhere;
  font-size: 12.5px; }
/* what is wider than the page scrolls below its head and beside its first column; a shade says where there is more */
.scroll { overflow: auto; max-height: 70vh; background:
  linear-gradient(to right, var(--ground) 40%, transparent) left / 36px 100% no-repeat local,
  linear-gradient(to left, var(--ground) 40%, transparent) right / 36px 100% no-repeat local,
  linear-gradient(to right, var(--muted), transparent) left / 10px 100% no-repeat scroll,
  linear-gradient(to left, var(--muted), transparent) right / 10px 100% no-repeat scroll; }
.scroll th { position: sticky; top: 0; z-index: 1; background: var(--ground); }
.scroll td:first-child, .scroll th:first-child { position: sticky; left: 0; max-width: 40vw;
  background: var(--ground); }
.scroll th:first-child { z-index: 2; }
ul { padding-left: 20px; max-width: 90ch; }
summary { list-style: revert; font-weight: 600; margin: 10px 0 4px; }
summary::-webkit-details-marker { display: initial; }
.inputs td:nth-child(2) { font-variant-numeric: tabular-nums; } .changed td:nth-child(2) { font-weight: 600; }
@media print { #theme { white-space: nowrap; }
.drawn { break-inside: avoid; } .sides, .scroll { max-height: none; overflow: visible; }
.scroll { background: none; font-size: 7pt; } .scroll th, .scroll td { position: static; padding-right: 5px;
  overflow-wrap: anywhere; max-width: none; } }
"""
)
Progress = Callable[[float], None]
Refused = Callable[[str], None]
"""refused(sentence): what of a project is not in the report, or not as it was set, by its name and with the reason"""
OTHER_VERSION = "It was computed by pagecost {}, and this version cannot {} it."


def of_answer(answer: Answer) -> str:
    """The report of one question's answer."""
    return _page(studies.find(answer.study).title, "", [answer])


def of_comparison(answers: Sequence[Answer]) -> str:
    """The report of answers to one question side by side. Raises ModelError as `comparison.check`."""
    comparison.check(answers)
    return _page(studies.find(answers[0].study).title, _compared(answers), answers)


def of_project(
    project: Project, progress: Progress = lambda share: None, refused: Refused = lambda sentence: None
) -> str:
    """The report of a project: answers that were kept, compared where there are several to a question, and an answer
    to every question that was set, which is computed now unless it was kept.

    What cannot be answered is said in it, and to `refused`. Raises ModelError where nothing is left to report.
    """
    missing: list[str] = []
    answers = answers_of(project, progress, missing.append)
    for sentence in missing:
        refused(sentence)
    asked = dict.fromkeys(answer.study for answer in answers)
    several = [[answer for answer in answers if answer.study == name][: comparison.MOST] for name in asked]
    compared = "".join(
        f"<h2>{escape(studies.find(each[0].study).title)}, side by side</h2>{_compared(each)}"
        for each in several
        if len(each) > 1
    )
    said = f"<h2>Not answered, or not as it was set</h2>{_list(missing)}" if missing else ""
    return _page(project.name, f"{said}{compared}", answers, named=True)


def answers_of(project: Project, progress: Progress, refused: Refused) -> list[Answer]:
    """What a project reports: kept answers, then those to settings that no kept answer has.

    Raises ModelError where there is none.
    """
    said: list[str] = []
    found: list[Answer] = []
    for record in project.state.get("answers", []):
        with _refusals(f"the kept answer {_name_of(record)}", said):
            found.append(kept.of_record(record))
    there = [answer.setting for answer in found]
    waiting: list[Setting] = []
    for name, record in project.state.get("questions", {}).items():
        with _refusals(_title_of(name), said):
            setting, left_out = settings.of_record(name, record)
            said += [f"{_title_of(name)}: {each}" for each in left_out]
            waiting += [setting] if setting not in there else []
    for done, setting in enumerate(waiting):
        progress(done / len(waiting))
        with _refusals(_title_of(setting.study), said):
            found.append(_answered(setting))
    if not found and said:
        raise ModelError(f"project {project.name}: nothing of it can be answered: {'; '.join(said)}")
    if not found:
        raise ModelError(f"project {project.name}: it keeps no answer and sets no question; there is nothing to report")
    for sentence in said:
        refused(sentence)
    return found


@contextlib.contextmanager
def _refusals(who: str, said: list[str]) -> Iterator[None]:
    """Note what is refused inside, by the name of who was asked, and go on behind it."""
    try:
        yield
    except ModelError as error:
        said.append(f"{who}: {error}")


def _title_of(name: str) -> str:
    """What people call a study; of one that is gone its name."""
    return studies.find(name).title if name in studies.STUDIES else name


def _name_of(record: object) -> str:
    return str(record.get("name", ""))[: kept.MOST_NAME] if isinstance(record, dict) else ""


def _answered(setting: Setting) -> Answer:
    study, inputs = studies.find(setting.study), setting.inputs()
    result = study.compute(inputs)
    return Answer.of(study, setting.preset, inputs, result, study.describe(inputs, result))


def can_be_written(path: Path, what: str = "report") -> None:
    """Raise ModelError for a page that could not be written, before minutes of work. what: people call it."""
    require(path.suffix.lower() in (".html", ".htm"), f"{what}: it is written as .html; got {path.name!r}")
    require(path.absolute().parent.is_dir(), f"{what} {path}: there is no folder {path.parent}")
    require(not path.is_dir(), f"{what} {path}: that is a folder")


def write(page: str, path: Path, what: str = "report") -> None:
    """Write such a page. Raises ModelError when it cannot be written."""
    try:
        whole_files.write(path, page)
    except OSError as error:
        raise ModelError(f"{what} {path}: it cannot be written: {error.strerror}") from None


def _page(title: str, before: str, answers: Sequence[Answer], named: bool = False) -> str:
    drawn, charts = [], []
    for answer in answers:
        try:
            chart = CHARTS[answer.study]()
            chart.update(answer.inputs, answer.result)
            chart.root.sizing_mode = "stretch_width"
            charts.append(chart)
            drawn.append(len(charts) - 1)
        except Exception:  # of an answer of another version; one of this version must be drawn
            if not answer.is_of_another_version:
                raise
            drawn.append(-1)
    for name in dict.fromkeys(answer.study for answer in answers):
        alike = [place for answer, place in zip(answers, drawn, strict=True) if answer.study == name and place >= 0]
        share_scales([charts[place].root for place in alike])
    script, places = embedding.parts([chart.root for chart in charts]) if charts else ("", [])
    body = "".join(
        _section(number, answer, places[place] if place >= 0 else "", named or len(answers) > 1)
        for number, (answer, place) in enumerate(zip(answers, drawn, strict=True), start=1)
    )
    now = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    head = (
        f"<header class=head><div><p class=muted>pagecost {escape(provenance.versions()['pagecost'])} · {now}</p>"
        f"<h1>{escape(title)}</h1></div>"
        '<button type="button" id="theme">Light or dark</button></header>'
    )
    return report_look.page(
        f"{title}: pagecost",
        f"{head}{before}{body}{_provenance(answers)}",
        sheet=SHEET,
        script=recolouring.script(charts),
        head=bokeh_scripts.inline().render() + script if charts else "",
    )


def _compared(answers: Sequence[Answer]) -> str:
    offered = comparison.columns(answers)
    tables = "".join(
        side_by_side.numbers(answers, comparison.numbers(answers, table, column))
        for table, columns in offered.items()
        for column in list(columns)[:1]
    )
    return f"{side_by_side.asked(answers)}{side_by_side.found(answers)}{tables}"


def _section(number: int, answer: Answer, drawn: str, several: bool) -> str:
    study = studies.find(answer.study)
    title = f"{number}. {answer.name}" if several else "The answer"
    question = f"<h3>{escape(study.title)}</h3>" if several else ""
    facts = "".join(
        f"<tr><th>{escape(fact.label)}<td class=number>{escape(fact.cell)}" for fact in answer.result.facts.values()
    )
    tables = "".join(_folded(name, table) for name, table in answer.result.tables.items())
    picture = f'<div class="drawn">{drawn}</div>' if drawn else f"<p>{_other_version(answer, 'draw')}</p>"
    return (
        f"<section><h2>{escape(title)}</h2>{question}<p class=headline>{escape(answer.headline)}</p>{picture}"
        f"<h3><b>What was asked</b></h3>{_inputs(answer)}"
        f"<h3><b>The numbers</b></h3>{f'<table>{facts}</table>' if facts else ''}{tables}"
        f"<h3><b>How was this computed?</b></h3>{_reasons(answer)}"
        f"<h3><b>Compute it again</b></h3><pre>{escape(answer.setting.command())}</pre></section>"
    )


def _inputs(answer: Answer) -> str:
    study, setting = studies.find(answer.study), answer.setting
    start = settings.of_preset(study, setting.preset)
    rows = ""
    for name, field in study.Inputs.model_fields.items():
        if name not in answer.values:
            continue
        value = answer.values[name]
        source = source_of(field)
        if value != start[name]:
            mark = f"changed from {settings.shown(study, name, start[name])}"
        else:
            mark = f"default from {source}" if source else "default"
            mark = "of the preset" if setting.preset and name in study.presets[setting.preset] else mark
        rows += (
            f"<tr{' class=changed' if value != start[name] else ''}><td>{escape(field.title or name)}"
            f"<td>{escape(settings.shown(study, name, value))}<td class=muted>{escape(mark)}"
        )
    preset = f"<p>Preset: {escape(setting.preset)}.</p>" if setting.preset else ""
    return f'{preset}<table class="inputs"><tr><th>input<th>value<th>where it is from{rows}</table>'


def _reasons(answer: Answer) -> str:
    study = studies.find(answer.study)
    try:
        lines = study.explain(answer.inputs, answer.result)
    except Exception:  # as for the chart
        if not answer.is_of_another_version:
            raise
        lines = [_other_version(answer, "explain")]
    notes = _list(answer.result.notes)
    return (
        f"{_list(lines)}{f'<p>To know before using these numbers:</p>{notes}' if notes else ''}"
        f"<p class=muted>The question is from: {escape(study.source)}</p>"
    )


def _list(sentences: Sequence[str]) -> str:
    lines = "".join(f"<li>{escape(each)}" for each in sentences)
    return f"<ul>{lines}</ul>" if lines else ""


def _other_version(answer: Answer, what: str) -> str:
    return escape(OTHER_VERSION.format(answer.version, what))


def _named(table: str) -> str:
    return "The table" if table == "main" else escape(table)


def _folded(name: str, table: Table) -> str:
    """A table that can be folded, in a part of the page that scrolls by itself, with the keyboard, too."""
    region = f'class=scroll tabindex="0" role="region" aria-label="{_named(name)}"'
    summary = f"<summary>{_named(name)}: {so_many(len(table), 'row')}</summary>"
    return f"<details{' open' if len(table) <= 12 else ''}>{summary}<div {region}>{_table(table)}</div></details>"


def _table(table: Table) -> str:
    head = "".join(f"<th>{escape(column.label)}" for column in table.columns.values())
    cells = [column.cells() for column in table.columns.values()]
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}" for cell in row) for row in zip(*cells, strict=True))
    return f"<table><tr>{head}{rows}</table>"


def _provenance(answers: Sequence[Answer]) -> str:
    made = {(answer.made_at[:16], tuple(answer.versions.items())) for answer in answers}
    lines = [
        f"computed {when.replace('T', ' ')} UTC by {', '.join(f'{name} {number}' for name, number in versions)}"
        for when, versions in sorted(made)
    ]
    state = f"Code and data of this pagecost: {provenance.state()}."
    return f"<section><h2>Where it comes from</h2>{_list(lines)}<p class=muted>{escape(state)}</p></section>"

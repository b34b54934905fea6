"""`pagecost studies`, `run` and `sweep`, as they are typed."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pagecost.errors import known
from pagecost_app import completing, stdin
from pagecost_app.command_parts import Output, Preset, Sets, StudyName, loading, printed
from pagecost_app.waiting import moving


@printed
def studies(
    output: Output,
    name: Annotated[
        str | None,
        typer.Argument(metavar="STUDY", help="All about this one.", autocompletion=completing.studies),
    ] = None,
):
    """The questions, or the inputs and presets of one of them."""
    from pagecost_app import studies_command

    studies_command.show(name, output)


@printed
def run(
    output: Output,
    study: StudyName,
    sets: Sets = [],  # noqa: B006  Typer copies it
    preset: Preset = None,
    system: Annotated[
        Path | None,
        typer.Option(metavar="FILE", callback=stdin.given, help="Take from this system what the study can take."),
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="Only this table of the answer.")] = None,
    chart: Annotated[
        list[Path], typer.Option(metavar="FILE", help="Also draw the chart: .html, .svg or .png; may be repeated.")
    ] = [],  # noqa: B006  Typer copies it
    export: Annotated[
        list[Path], typer.Option(metavar="FILE", help="Also write the answer: .csv or .json; may be repeated.")
    ] = [],  # noqa: B006  Typer copies it
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write all of it as one HTML page that works offline.")
    ] = None,
):
    """Answer a question, with its numbers.

    First the answer, then the numbers, then what to know before they are used.
    """
    with loading():
        from pagecost import studies
        from pagecost_app import printing, run_command, system_command

    chosen = studies.find(study)
    if preset is not None:
        known("preset", preset, chosen.presets)
    run_command.require_endings(chart, export, report)
    given = stdin.in_inputs(printing.assignments(sets), printing.files_of(chosen))
    with given as typed, moving(f"answering {study}", study) as progress:
        values = printing.split_lists(chosen, typed)
        taken = None if system is None else system_command.taken(chosen, system, preset, values)
        inputs = chosen.inputs(values, preset, taken)
        result = chosen.compute(inputs, progress)
    answered = run_command.Answered(chosen, inputs, result, output)
    run_command.write(answered, chart, export, table)
    if report is not None:
        run_command.write_report(answered, preset, report)
    run_command.show(answered, table)


@printed
def sweep(
    output: Output,
    study: StudyName,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUE,…",
            help="Take each of these; repeated: every combination; a,b;c for lists.",
            autocompletion=completing.inputs,
        ),
    ],
    sets: Sets = [],  # noqa: B006  Typer copies it
    preset: Preset = None,
    system: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take from this system what the study can take.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The DuckDB file of the answers (default: STUDY.duckdb)."),
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the results: .parquet or .csv.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes (default: one per processor).")] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use a Dask cluster, such as tcp://127.0.0.1:8786.")
    ] = None,
):
    """Answer a question for every combination of inputs.

    What was stopped goes on where it was.
    """
    with loading():
        from pagecost import studies
        from pagecost_app import printing, sweep_command, system_command

    chosen, values = studies.find(study), printing.assignments(sets)
    taken = None if system is None else system_command.taken(chosen, system, preset, values)
    points = sweep_command.asked(study, over, sets, preset, taken)
    file = store or Path(f"{study}.duckdb")
    try:
        with moving(f"sweeping {len(points)} points") as progress:
            found, said = sweep_command.answer(
                study, points, file, sweep_command.executor(scheduler, workers), export, progress
            )
    except KeyboardInterrupt:
        print(f"pagecost: stopped; what was finished is in {file}, the same command goes on there", file=sys.stderr)
        raise typer.Exit(130) from None
    if found:
        printing.records(found, output, printing.typed(output))
    print(said, file=sys.stderr)

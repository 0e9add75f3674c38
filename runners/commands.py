"""The commands of the runners: ask, look, and take outputs in and out."""

from pathlib import Path
from typing import Annotated

import typer
import yaml

from analysis.errors import DataError
from analysis.items.file_formats import Layout
from analysis.text import visible
from runners import cache, importers, selection, status, transfer
from runners import repair as repairs
from runners.spec import Benchmark, Described, RunSpec, Selection, assignments, takes

app = typer.Typer()  # whose commands `polyexam` takes

_Plan = Annotated[
    Path | None,
    typer.Argument(
        help="A plan of many runs (YAML), instead of one benchmark and model; see docs/scaling.md."
    ),
]


class Outputs(Described):
    """Which cached outputs."""

    benchmark: Benchmark = ""
    """Only this benchmark."""
    model: list[str] = []
    """Only this model; may be given several times."""


@app.command("run")
@takes()
def run_(spec: RunSpec, plan: _Plan = None) -> int:
    """Ask a model every question of a benchmark that has no answer in the cache yet.

    May be stopped at any time, and run again: it goes on where it was, and asks again only what
    failed.
    """
    from runners import plan as plans
    from runners import run

    if plan:
        return plans.carry_out(plan, spec.again, spec.dry_run)
    return run.carry_out(spec)


@app.command("status")
@takes()
def status_(chosen: Outputs) -> None:
    """Show how many requests were answered, cut off, refused or failed: a line a benchmark, model,
    setting and repeated run.

    The digest tells settings apart whose name is the same, such as two temperatures. Expected is
    the number of items, or of their turns, where the benchmark's files are at hand. How far a plan
    is, `polyexam run PLAN --dry-run` says.
    """
    table = status.table(chosen.benchmark, chosen.model or None)
    shown = table.dropna(axis="columns", how="all").to_string(index=False, max_colwidth=80)
    print(visible(shown))


class _Export(Outputs):
    """What is exported, and whereto."""

    to: Path
    """A file: .parquet or .csv; or a folder, with --records."""
    records: str | None = None
    """Records of every_eval_ever (aggregate and samples) in a folder, by who ran them."""


@app.command()
@takes(benchmark=..., to=...)
def export(chosen: _Export) -> None:
    """Write the outputs of a benchmark as one file, each request once; or what was right, as
    records of every_eval_ever.
    """
    if chosen.records:
        from runners import exchange

        files = exchange.write(chosen.benchmark, chosen.to, chosen.records)
        print(f"{len(files)} files in {chosen.to}")
        return
    n = transfer.export(chosen.benchmark, chosen.model or None, chosen.to)
    print(f"{n} outputs in {chosen.to}")


@app.command()
def merge(
    sources: Annotated[
        list[str],
        typer.Argument(help="Cache folders."),
    ],
) -> None:
    """Add the outputs of other caches to this one: a union of requests; answers are kept, none is
    doubled.
    """
    for path, added in transfer.merge(sources).items():
        print(f"{added} added to {path}")


@app.command()
def check() -> int:
    """Look through the cached outputs: damaged lines, keys that are not those of their requests,
    files that are none of ours; status 1 where there is one.
    """
    wrong = False
    for path, good, problems in repairs.check():
        for problem in problems:
            print(visible(str(problem)))
        if good:
            print(visible(f"{path}: {good:,} good lines, {len(problems)} problems"))
        wrong |= bool(problems)
    return int(wrong)


@app.command()
def repair() -> None:
    """Take damaged lines out of the cached outputs into the folder .quarantine; nothing is
    deleted.
    """
    for path, bad, taken in repairs.repair():
        print(visible(f"{path}: {bad} lines are in {taken} now"))


class Import(Described):
    """What logs do not say themselves."""

    benchmark: Benchmark = ""
    """For logs that do not say; or another name, or a description's path."""
    model: str | None = None
    """For logs that do not say; or another name."""
    setting: str | None = None
    """Such as 5-shot; tells runs of the same items apart."""
    item_id: str | None = None
    """The item's id from fields of the log, such as {subject}/{row}."""
    map: list[str] = []
    """field=column, field={template} or field==constant; choice, correct, score: the log's own."""
    rows: str | None = None
    """Where in a JSON document the list of rows is, such as data.examples."""
    records: str | None = None
    """For plain text: a regular expression with named groups, a match a row."""
    items: bool = False
    """Keep the questions that the logs carry, as the benchmark's items."""
    samples: bool = False
    """The same item again, with the same settings, is a further sample."""
    results: Path | None = None
    """A CSV file for aggregate records of every_eval_ever, which have scores and no samples."""

    def log(self) -> importers.Log:
        """What an importer needs."""
        columns = assignments(self.map, str)
        for name in ("benchmark", "model", "setting"):
            if value := getattr(self, name):
                columns[name] = f"={value}"
        if self.item_id:
            columns["item_id"] = self.item_id
        layout = Layout(rows=self.rows, records=self.records)
        return importers.Log(columns, layout=layout, samples=self.samples)


@app.command("import")
@takes()
def import_(
    given: Import,
    sources: Annotated[
        list[Path],
        typer.Argument(
            help="Files or folders; before them the format, where it is not to be told by "
            f"them: {', '.join(importers.FORMATS)}.",
            metavar="[FORMAT] LOGS",
        ),
    ],
) -> None:
    """Take the logs of another program into the cache, raw as they are, with what they know
    themselves.

    First they are looked through: ids that are no item's or collide, and logs without rows, are
    errors, and nothing is written.
    """
    from runners import importing

    if given.results:
        from runners import exchange

        table = exchange.results(sources)
        table.to_csv(given.results, index=False)
        print(f"{len(table)} results in {given.results}")
        return
    form = str(sources[0]) if str(sources[0]) in importers.FORMATS else None
    logs = sources[bool(form) :]
    if not logs:
        raise DataError(f"name the {form} logs")
    for line in importing.take(logs, given.log(), given.items, form):
        print(visible(line))


class _Look(Import):
    """What is shown of logs, and where it is written."""

    method: str | None = None
    """How responses are read; the one that reads most."""
    html: Path | None = None
    """Write one page that needs no other."""
    to: Path | None = None
    """Write the tables: .csv, .xlsx, .tex or .md."""


@app.command("look")
@takes("items results")
def look_(
    given: _Look,
    sources: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="LOGS")],
) -> None:
    """Show what logs say, where they are: leaderboard, comparison, what was not read.

    Nothing is written but what --html and --to ask for; `polyexam import` keeps the outputs.
    """
    from runners import look

    looks = look.look(sources, given.log(), method=given.method)
    for one in looks:
        print(one.text())
    if given.html:
        given.html.write_text(look.page(looks), "utf-8")
    if given.to:
        look.write(looks, given.to)


class _Gallery(Import):
    """What is said of published logs."""

    pattern: str = ""
    """A regular expression that reads responses as the publisher does, its first group a label."""
    named: str = "pattern"
    """The name of the method that --pattern is, such as a peer's."""


@app.command("gallery")
@takes("items results samples")
def gallery_(
    given: _Gallery,
    words: Annotated[list[Path], typer.Argument(metavar="add LOGS")],
) -> None:
    """Write the facts of published logs to data/gallery: who chose which option, and no texts.

    By every method that reads them; --benchmark names the entry. Further runs join those that are
    there. docs/gallery.md says what about.yaml needs.
    """
    from runners import gallery

    if str(words[0]) != "add" or not words[1:]:
        raise DataError("say what to do: polyexam gallery add LOGS")
    for folder in gallery.add(words[1:], given.log(), given.pattern, given.named):
        print(f"made {folder}")


@app.command()
@takes("subjects limit shard", benchmark=...)
def compact(chosen: Selection) -> None:
    """Write the baselines' answers to data/baselines/BENCHMARK.csv: choices and right or wrong, no
    question text.
    """
    from runners import baseline

    items = selection.read(chosen.benchmark, chosen.split, chosen.skip_bad)
    print(baseline.compact(chosen.benchmark, items))


class _Judging(Described):
    """Who judges whom, and how."""

    judged: list[str] = []
    """Only this model's answers; by default all but the judge's."""
    prompts: str = "judge,judge_turn_2"
    """Templates of data/prompts, or text files, for turn 1, 2, ...; commas between."""


@app.command()
@takes("weights score shots system prompt kind logprobs", benchmark=..., model=...)
def judge(spec: RunSpec, judging: _Judging) -> int:
    """Let a model judge the cached answers of others; its texts go to BENCHMARK-judgments."""
    from runners import judge as judges
    from runners import prompt, run

    outputs = cache.read(spec.benchmark, judging.judged or None)
    if not judging.judged:
        outputs = outputs[outputs["model"] != spec.model]
    target = run.target(spec)
    base = target.base(spec.kind, spec.params) | {"sample": spec.sample}
    names = judging.prompts.split(",")
    templates = [prompt.template(name) for name in names]
    asked = judges.conversations(selection.chosen(spec), outputs, base, templates, names[0])
    if not asked:
        raise DataError("no answers are left to judge of this choice")
    return run.complete(asked, target, spec, judges.SUFFIX)


class _Items(Described):
    """How the questions of a benchmark are had."""

    split: str | None = None
    """Split of the benchmark; its test questions by default."""
    name: str | None = None
    """describe: what the benchmark is to be called."""
    set: list[str] = []
    """describe: a field in YAML, such as language=fa or answer='{place: key, as: index}'."""


@app.command("items")
@takes()
def items_(
    given: _Items,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Benchmarks to fetch (without any, they are listed); or check NAME; or "
            "describe FILE."
        ),
    ] = None,
) -> int | None:
    """Fetch the files of benchmarks from where their owners publish them, at a pinned state,
    checked by SHA-256.

    `items check NAME` (a name, or the path of a description, its folder or its only file) says what
    its items are and names every row that cannot be read; status 1 where there is one. `items
    describe FILE --name NAME` makes a benchmark of a file with a question a row, as its columns
    say; what is guessed can be corrected in benchmark.yaml.
    """
    from analysis.items import doctor
    from runners import items

    match names or []:
        case ["check", name]:
            report, bad = doctor.items(name, given.split)
            print(report)
            return int(bad > 0)
        case ["describe", file]:
            if not given.name:
                raise DataError("name the benchmark with --name")
            try:
                fields = assignments(given.set, yaml.safe_load)
            except yaml.YAMLError as error:
                raise DataError(f"is not YAML: {error}", field="set") from None
            print(doctor.described(Path(file), given.name, fields))
        case []:
            for name, source in items.sources().items():
                print(f"{name:18} {source.get('absent') or source['homepage']}")
        case _:
            for name in names:
                items.fetch(name)

"""The command `polyexam ranking`."""

from typing import Annotated, Literal

import typer
from pydantic import Field

from analysis.items import prompts
from runners import prompt, run, selection
from runners.prompt import Single
from runners.ranking import questions
from runners.spec import Described, RunSpec, takes

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Rank options by probability.",
)


class _Drawing(Described):
    """How options are drawn, and asked for."""

    options: Annotated[int, Field(ge=2, le=50)] = 50
    """Options a question, its own among them."""
    rule: str = "paper"
    """How options are drawn: as the paper says, or by the released code."""
    language: Literal["zh", "en"] = "zh"
    """Language of the prompt: zh or en."""


@app.command()
@takes(
    "split prompt system kind temperature logprobs param score weights batch_size sample "
    "keep_reply",
    benchmark=...,
    model=...,
    runner="local",
    seed=42,
)
def rank(spec: RunSpec, drawing: _Drawing) -> int:
    """Rank the options of every question of BENCHMARK that is not in the cache yet: by a local
    model's probabilities, or with --runner openai by asking a server's model in words.
    """
    # so that the cache tells runs apart, too
    sampling = {"options": drawing.options, "rule": drawing.rule, "seed": spec.seed}
    drawn = selection.read(spec.benchmark, None, spec.skip_bad, questions.items, **sampling)
    items, answerer = selection.part(drawn, spec), run.target(spec)
    if spec.runner == "openai":
        template = prompts.template(f"xiezhi_rank_{drawing.language}")
        base = answerer.base("chat", spec.params) | {"sampling": sampling}
        asked = prompt.conversations(items, template, base)
    else:
        template = prompts.template(f"xiezhi_{drawing.language}")
        base = answerer.base("completions", {}) | {"sampling": sampling}
        solved = questions.examples(spec.benchmark, **sampling) if spec.shots else None
        requests = questions.requests(items, template, base, solved, spec.shots)
        shown = {"setting": f"{spec.shots}-shot"}
        asked = [Single(one, (one["prompt"],), columns=shown) for one in requests]
    return run.complete(asked, answerer, spec)


@app.command()
def baselines() -> None:
    """Rank Xiezhi's questions by every baseline and write data/baselines/ranking*:
    ranks, no question text.
    """
    from analysis.papers.xiezhi import ranking_baselines

    parts = ("xiezhi_specialty", "xiezhi_interdiscipline")
    for path in ranking_baselines.write(parts, questions.items):
        print(path)

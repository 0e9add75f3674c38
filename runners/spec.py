"""One run as data: its fields are the options of `polyexam run`, the keys of a plan's entries and,
where they are `Sent`, the parameters of the request.
"""

import functools
import inspect
import json
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer
from pydantic import (
    AfterValidator,
    BeforeValidator,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
)

from analysis.errors import DataError
from analysis.items import finding
from analysis.written import Written, check

Sent = object()  # marks a field that goes into the request's parameters under its own name

# What --param may not name: how requests are made, for which there are other options
_RESERVED = "n best_of stream model messages prompt logprobs top_logprobs".split()


def assignments(
    given: typing.Iterable[str], read: Callable[[str], Any] = json.loads
) -> dict[str, Any]:
    """Values by name of `name=value` texts; what `read` refuses is text."""
    values = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (equals and name) or name in values:
            raise DataError(f"{text!r} is not name=value, each name once")
        try:
            values[name] = read(value)
        except ValueError:
            values[name] = value
    return values


def _parameters(given: object) -> object:
    """The parameters of --param: a mapping, one `name=value`, or a list of them."""
    given = [given] if isinstance(given, str) else given
    values = assignments(given) if isinstance(given, list) else given
    for name in values if isinstance(values, dict) else ():
        if name in _RESERVED:
            reason = "one request has one answer, and options of its own say what is asked"
            raise DataError(f"{reason}: see --prompt, --logprobs, --sample", field=name)
    return values


class Described(Written, use_attribute_docstrings=True):
    """Base whose fields are explained by the text below them, which the command line shows."""


Benchmark = Annotated[str, AfterValidator(finding.known)]


class Selection(Described):
    """Which items a run takes."""

    benchmark: Benchmark = ""
    """A benchmark, such as cmmlu; or the path of a description, its folder or its file."""
    split: str | None = None
    """Split of the benchmark; its test questions by default."""
    skip_bad: bool = False
    """Leave out rows that cannot be read, and say how many."""
    subjects: str | None = None
    """Only these subjects, with commas between."""
    limit: PositiveInt | None = None
    """Only the first so many items, after the other choices."""
    shard: str | None = None
    """Only part i of n, such as 1/4; merged parts equal one run."""


class RunSpec(Selection):
    """One run: a model is asked the items of a benchmark in one setting."""

    # how items are asked
    shots: NonNegativeInt = 0
    """Solved examples before each question, from its subject's dev items."""
    prompt: str | None = None
    """A template of data/prompts, or the path of a text file."""
    system: str | None = None
    """System prompt; none by default, as some models have none."""
    kind: Literal["chat", "completions"] = "chat"
    """chat (laid out by the model's template) or completions (as it is)."""
    max_tokens: Annotated[PositiveInt, Sent] = 1024
    """Longest answer, in tokens."""
    temperature: Annotated[NonNegativeFloat, Sent] = 0.0
    """0: always the most likely token."""
    logprobs: NonNegativeInt = 0
    """Keep log-probabilities of this many alternatives a token."""
    param: Annotated[dict[str, Any], BeforeValidator(_parameters)] = {}
    """More of the request, such as top_p=0.9 or stop=["Q:"]."""
    score: Literal["labels", "options"] | None = None
    """Local: how likely each label or option is, instead of writing."""
    seed: int = 0
    """Decides every random draw of a baseline."""

    # who is asked, and with how much at once
    model: str = ""
    """baseline/<name>, or a model's name as its server or hub spells it."""
    runner: Literal["baseline", "openai", "local"] | None = None
    """A baseline by its name, else openai: a server."""
    revision: str | None = None
    """Which state of the model: a commit of the hub, a date, a snapshot's name."""
    base_url: str | None = None
    """An OpenAI-compatible server; by default OPENAI_BASE_URL, or OpenAI's own."""
    key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that has the key."""
    concurrency: PositiveInt = 8
    """Requests in flight at once."""
    retries: NonNegativeInt = 6
    """Attempts after the first, with growing pauses."""
    timeout: PositiveFloat = 600.0
    """Seconds for one attempt."""
    max_requests: PositiveInt | None = None
    """Stop after so many attempts at a server."""
    max_tokens_total: PositiveInt | None = None
    """Stop after so many tokens, as the server counts them; what is in flight comes on top."""
    max_minutes: PositiveFloat | None = None
    """Begin no request later than so many minutes after the first."""
    price_in: NonNegativeFloat = 0.0
    """What a million tokens of prompts cost, so that the cost is shown."""
    price_out: NonNegativeFloat = 0.0
    """What a million tokens of answers cost."""
    max_cost: PositiveFloat | None = None
    """Stop once the tokens cost so much; what is in flight comes on top."""
    keep_reply: bool = False
    """Keep each reply of a server as it came, in the record's usage."""
    weights: str | None = None
    """Local: folder or hub name of the weights, where the model has another name."""
    batch_size: PositiveInt = 8
    """Local: prompts or options at once."""
    dtype: str | None = None
    """Local: bfloat16, float32, ...; the checkpoint's on a GPU."""
    device: str | None = None
    """Local: cuda, mps or cpu; the best there is."""
    engine: Literal["ray"] | None = None
    """Spread a local model over the workers of a Ray cluster."""
    address: str | None = None
    """Of a Ray cluster, such as auto; without it one is started on this machine."""
    workers: PositiveInt | None = None
    """At most so many workers; by default as many as the cluster has room for."""
    gpus_per_worker: NonNegativeFloat = 0.0
    """GPUs that a worker takes; 0: a processor core."""

    # which of several runs
    sample: NonNegativeInt = 0
    """Number of a repeated run of the same requests."""
    again: bool = False
    """Ask once more what a filter, a refusal or a limit of the model stopped; else left alone."""
    dry_run: bool = False
    """Show the first prompt, the number of requests and tokens; send none."""

    @property
    def answered_by(self) -> str:
        """The runner that is named, or else meant."""
        baseline = self.model.startswith("baseline/")
        return self.runner or ("baseline" if baseline else "openai")

    @property
    def prices(self) -> tuple[float, float]:
        """Of a million tokens of prompts and of answers, in any currency; zeros where unknown."""
        return self.price_in, self.price_out

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of each request."""
        fields = type(self).model_fields.items()
        sent = {name for name, field in fields if Sent in field.metadata}
        params = self.model_dump(include=sent, exclude_none=True)
        if self.logprobs and self.kind == "chat":
            params |= {"logprobs": True, "top_logprobs": self.logprobs}
        elif self.logprobs:
            params["logprobs"] = self.logprobs
        return params | self.param


def takes(left_out: str = "", **usual: object) -> Callable:
    """Give a command the fields of its models as options: a parameter that is annotated with a
    `Written` receives one.

    Parameters
    ----------
    left_out : str
        Names of fields that are no options of this command, with spaces between.
    **usual
        Other defaults than the fields' own; ``...`` for none, so that the option must be given.
    """

    def decorated(command: Callable) -> Callable:
        signature = inspect.signature(command)
        models = {}
        parameters = []
        for parameter in signature.parameters.values():
            model = parameter.annotation
            if not hasattr(model, "model_fields"):
                parameters.append(parameter)
                continue
            models[parameter.name] = model
            names = [name for name in model.model_fields if name not in left_out.split()]
            parameters += [_option(model, name, usual.get(name)) for name in names]

        @functools.wraps(command)
        def called(**given):
            for parameter, model in models.items():
                values = {name: given.pop(name) for name in model.model_fields if name in given}
                values = {k: v for k, v in values.items() if v not in (None, "", [])}
                given[parameter] = check(values, model)
            return command(**given)

        parameters.sort(key=lambda one: one.kind)  # options are keywords
        called.__signature__ = signature.replace(parameters=parameters)
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return decorated


def _option(model: type[Written], name: str, usual: object) -> inspect.Parameter:
    field = model.model_fields[name]
    flag = typer.Option("--" + name.replace("_", "-"), help=field.description)
    default = field.default if usual is None else usual
    if default in ({}, [], ""):  # typer shows none then
        default = None
    hint = Annotated[_typed(field.annotation), flag]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _typed(hint: object) -> object:
    """A flag, a list or text, as typer reads it; what a text may be is the model's business."""
    if hint is bool:
        return bool
    return (list[str] if typing.get_origin(hint) in (list, dict) else str) | None

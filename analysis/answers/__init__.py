"""Raw outputs -> answers: one choice a response, or none and why; with the baselines' answers."""

import os
from collections.abc import Mapping, Sequence

import pandas as pd
import yaml

from analysis import outputs as cached
from analysis import schemas
from analysis.answers.baselines import ANY
from analysis.answers.counting import coverage, matching
from analysis.answers.frame import answers_frame
from analysis.answers.methods import METHODS, Method, about, label
from analysis.answers.run_names import RUN, once, pooled, runs
from analysis.errors import DataError, refuse_unknown
from analysis.items import Description, describe, with_items
from analysis.items import read as read_items
from analysis.items.grouping import clusters

# what this module hands on; what it defines itself needs no mention
__all__ = ["ANY", "RUN", "coverage", "label", "matching", "pooled"]

VARIABLE = "POLYEXAM_EXTRACTION"  # in YAML, as `extraction` in a description; goes before it
_OPTION = "option of the methods"
FACTS = "options answer language subject category metadata".split()

# a method, several, or several with options of their own
Asked = str | Sequence[str] | Mapping[str, Mapping | None]


def extract(
    outputs: pd.DataFrame, items: pd.DataFrame, method: Asked | None = None, **options: object
) -> pd.DataFrame:
    """Answers by one extraction method, by several, or by every one that these outputs allow.

    Parameters
    ----------
    outputs : DataFrame
        `benchmark`, `item_id`, `model`, `response`; `setting`, `scores`, `given` and `error` where
        there are any.
    items : DataFrame
    method : str, sequence or mapping, optional
        Of `METHODS`; a mapping gives each its options: ``{"da": {"exclude": ["Answer"]}, "caa":
        None}``. Left out: each that applies (see `applicable`) and needs no option which is not
        given.
    **options
        Of all these methods, such as ``exclude=["Answer"]`` (``da``, ``caa``),
        ``pattern=r"#(\\w)"``, ``rule="per_byte"`` (``likelihood``).

    Returns
    -------
    DataFrame
        Answers of each method, one below the other, with the items' `subject` and `category` (and
        `weight` where they have any). Outputs that a method does not read (items without options,
        outputs without scores, ...) have no row of that method; no rows at all where no method
        applies.

    Raises
    ------
    DataError
        For an unknown method or option, a named method that reads none of the outputs, an output
        without its item, or two outputs to one item of one run.
    """
    methods = chosen(method, options)
    frame = schemas.check(extracted(outputs, items, methods), "answers")
    missing = methods.keys() - set(frame["method"])
    if missing and method is not None:
        raise reads_nothing(min(missing))
    return frame


def extracted(
    outputs: pd.DataFrame, items: pd.DataFrame, methods: Mapping[str, Mapping]
) -> pd.DataFrame:
    """Answers, unchecked, by those of the methods, with their options, that read any of the
    outputs.
    """
    carried = [name for name in ("subject", "category", "cluster") if name in items]
    keys = outputs[["benchmark", "item_id"]].reset_index(drop=True)
    of_items = with_items(keys, items, [*dict.fromkeys(FACTS + carried)])
    weights = of_items["metadata"].map(lambda metadata: metadata.get("weight"))
    if weights.notna().any():
        of_items, carried = of_items.assign(weight=weights), [*carried, "weight"]
    orders = _shown(of_items, outputs["given"]) if "given" in outputs else pd.Series()
    reordered = orders.notna().any()
    deciding = about(outputs, of_items)
    frames = []
    for name, options in methods.items():
        rows = METHODS[name].rows(outputs, deciding)
        if rows.any():
            part, facts = (outputs, of_items) if rows.all() else (outputs[rows], of_items[rows])
            facts = facts.reset_index(drop=True)
            frame = answers_frame(METHODS[name], part, facts, options)
            if reordered:
                choices = [*map(_of_item, frame["choice"], orders[rows])]
                frame["choice"] = pd.Series(choices, dtype="str")
            frames.append(frame.join(facts[carried]))
    if frames:
        return pd.concat(frames, ignore_index=True)
    return schemas.check(
        pd.DataFrame(columns=[*schemas.columns("answers"), "subject", "category"], dtype="str"),
        "answers",
    )


def _shown(facts: pd.DataFrame, logs: pd.Series) -> pd.Series:
    """Put options and key of each row in the order in which its log says that they were shown, and
    return the item's labels by those shown; None where the order is the item's.
    """
    orders = logs.map(lambda log: log.get("order") if isinstance(log, dict) else None, "ignore")
    orders = orders.reset_index(drop=True)
    for row, order in orders.dropna().items():
        labels = schemas.labels(len(order))
        texts, key = facts.loc[row, ["options", "answer"]]
        facts.at[row, "options"] = [texts[labels.index(label)] for label in order]
        facts.at[row, "answer"] = key and labels[order.index(key)]
        orders.at[row] = dict(zip(labels, order, strict=True))
    return orders


def _of_item(choice: object, labels: Mapping | None) -> object:
    """A choice by the labels shown as one by the item's."""
    if not (isinstance(choice, str) and isinstance(labels, Mapping)):
        return choice
    return ",".join(sorted(labels.get(part, part) for part in choice.split(",")))


def chosen(method: Asked | None, options: Mapping) -> dict[str, dict]:
    """Methods by name, each with its options; each that can work with these where none is named.

    Raises
    ------
    DataError
        For an unknown method, or an option that none of them takes or one of them lacks.
    """
    if method is None:
        method = [name for name, one in METHODS.items() if one.required <= options.keys()]
    given = [method] if isinstance(method, str) else method
    given = given if isinstance(given, Mapping) else dict.fromkeys(given)
    refuse_unknown("method", sorted(METHODS), *given)
    taken = {option for name in given for option in METHODS[name].options}
    refuse_unknown(_OPTION, sorted(taken), *options)
    return {name: _with_options(METHODS[name], own or {}, options) for name, own in given.items()}


def _with_options(method: Method, own: Mapping, options: Mapping) -> dict:
    """The options of one method among those of all."""
    refuse_unknown(_OPTION, sorted(method.options), *own)
    taken = dict(own) | {name: options[name] for name in options.keys() & method.options.keys()}
    if missing := method.required - taken.keys():
        raise DataError(f"{method.label} needs the option {min(missing)}", field="method")
    return taken


def reads_nothing(name: str) -> DataError:
    """The error that a named method reads none of the outputs."""
    reason = f"reads none of these outputs: it needs {METHODS[name].needs}"
    return DataError(f"{METHODS[name].label} {reason}", field="method")


def read(benchmark: str, method: Asked | None = None, **options: object) -> pd.DataFrame:
    """Answers to a benchmark: of the recorded baselines and of the cached outputs.

    Parameters
    ----------
    benchmark : str
    method : optional
        As in `extract`; left out, as the benchmark's description says (`usual`). The baselines'
        letters (method "any") are the same answer under every method and always there.
    **options
        Of the methods, such as ``exclude=["Answer"]``.

    Raises
    ------
    DataError
        For an unknown benchmark, method or option, with the nearest one.

    Examples
    --------
    >>> from analysis import answers
    >>> answers.read("cmmlu").query("model == 'baseline/always-A'")["correct"].sum()
    np.int64(2926)
    """
    from analysis.answers import stored

    return stored.texts_as("str", stored.read(benchmark, None, method, **options))


def usual(description: Description) -> dict[str, dict]:
    """The methods of a benchmark where a call names none: those of the environment, else of its
    description; empty for all that apply.
    """
    asked = os.environ.get(VARIABLE)
    return chosen(yaml.safe_load(asked) if asked else description.extraction, {})


def own(benchmark: str, **options: object) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Items, cached outputs and their answers by every method that they allow, each run a model of
    its own; `options` are those of `extract`.

    Raises
    ------
    DataError
        Where no outputs of `benchmark` are cached, with the command that caches some.
    """
    outputs = once(cached.own(benchmark))
    if outputs.empty:
        reason = f"nothing is cached: polyexam run --benchmark {benchmark} --model NAME"
        raise DataError(reason, field="benchmark")
    outputs, items = outputs.assign(model=runs(outputs)), read_items(benchmark)
    return items, outputs, with_clusters(extract(outputs, items, **options), items)


def with_clusters(frame: pd.DataFrame, items: pd.DataFrame, by: str | None = None) -> pd.DataFrame:
    """Answers (or items) with a column `cluster`, where items belong together (see
    `items.grouping.clusters`); else as they are.

    Raises
    ------
    DataError
        Where a named field groups no items.
    """
    groups = clusters(items, by)
    if groups is not None:
        return frame.assign(cluster=frame["item_id"].map(groups).fillna(frame["item_id"]))
    if by is not None:
        raise DataError("no two items share it", field=by)
    return frame

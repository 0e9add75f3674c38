"""Answers read rightly: `final_answer` and other people's rules on the same labelled responses, and
against what each log read itself.

The labels (`tests/data/labelled_answers.csv`) are of our own reading, before and without any
extractor; `-` says that the response names no single option, and is rightly read where it is left
unread. Rules were improved on the first part (749 responses, of which the first form of the rules
read 96.0 % rightly); the part that was held out (134) was read by us and by the rules once. The
part "other languages" (232: Japanese, Korean, Portuguese) was read by us before the rules, which at
first read 90.7, 13.9 and 98.3 % of it rightly; what they read now is after repairs. Its logs lie in
public repositories: `--repositories` names a folder of their clones (`repositories`).

Peers are not part of the project. Each is optional: a path to its repository, and
lm-evaluation-harness (`lm-eval=.`) where it is installed:

    python -m bench.reading DATA --peer OpenCompass=R1 --peer simple-evals=R2 --peer MMLU-Pro=R3
"""

import ast
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from analysis.answers import final_answer as final
from analysis.answers.labelled import NONE
from analysis.errors import DataError
from analysis.limits import within
from bench import logs, repositories
from bench.repositories import shown

LABELS = Path(__file__).parent.parent / "tests" / "data" / "labelled_answers.csv"
KEYS = ["set", "model", "item_id"]
LETTERS = "ABCDEFGHIJ"
# after which a response stays unread: some patterns take a time that grows as its square
SECONDS = 2
Read = Callable[[str, list[str]], str | None]


def labelled(folder: Path, more: Path | None = None) -> pd.DataFrame:
    """The labelled responses with their texts and options, those of the repositories only where
    these are named; `want` is the label, or `-`.
    """
    labels, texts = pd.read_csv(LABELS, dtype=str), logs.read(folder)
    if more:
        rows = (row for log in repositories.LOGS for row in log(more))
        texts = pd.concat([texts, logs.frame(rows)])
    texts = texts.drop(columns="language").drop_duplicates(KEYS)
    frame = labels.merge(texts, on=KEYS, validate="1:1", how="left" if more else "inner")
    single = (frame["label"].str.len() == 1) | (frame["gold"].str.len() > 1)
    return frame.assign(want=frame["label"].where(single, NONE))


def ours(frame: pd.DataFrame) -> pd.DataFrame:
    """What `final_answer` reads (letters, or `-`), the rule, and whether it names one answer."""
    texts, options = frame["text"].fillna("").tolist(), frame["options"].tolist()
    readings = final.final_answer(texts, options, metadata=[{"answer_type": "set"}] * len(frame))
    said = [(one.choice or "").replace(",", "") for one in readings]
    said, rule = pd.Series(said, frame.index), pd.Series([one.why for one in readings], frame.index)
    rule = rule.str.partition(":")[0]
    kept = (said.str.len() == 1) | ((said.str.len() > 1) & (frame["gold"].str.len() > 1))
    several = rule.isin([final.SEVERAL, final.NO_OPTION]) | (said.str.len() > 1)
    return pd.DataFrame({"said": said.where(kept, NONE), "rule": rule, "one": kept | ~several})


def shares(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """How rightly responses are read: `want` (their labels) against `said` (what was read), by
    groups.

    Returns
    -------
    DataFrame
        Indexed by `by`: `n`; `right` (% read rightly; a response that names none is rightly left
        unread), `recall` (% of those that name an option), `precision` (% of those in which a
        choice was found).
    """
    right = 100.0 * (frame["want"] == frame["said"])
    columns = {
        "n": 1,
        "right": right,
        "recall": right.where(frame["want"] != NONE),
        "precision": right.where(frame["said"] != NONE),
    }
    groups = frame.assign(**columns).groupby(by, sort=False)
    return groups[["n"]].sum().join(groups[["right", "recall", "precision"]].mean())


def functions(source: str, *names: str, **scope: object) -> list:
    """Functions and constants of a module, made without running the rest of it."""
    kept = []
    for node in ast.parse(source).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node]
        if {getattr(one, "id", getattr(one, "name", None)) for one in targets} & set(names):
            kept.append(node)
    space = {"re": re, **scope}
    exec(compile(ast.Module(kept, []), "peer", "exec"), space)
    return [space[name] for name in names]


def opencompass(repository: Path) -> Read:
    registry = types.SimpleNamespace(register_module=lambda *_a, **_k: lambda function: function)
    source = shown(repository, "opencompass/utils/text_postprocessors.py")
    (first,) = functions(source, "first_option_postprocess", TEXT_POSTPROCESSORS=registry)
    return lambda text, options: first(text, LETTERS[: len(options)]) or None


def simple_evals(repository: Path) -> Read:
    expressions, template, tidy = functions(
        shown(repository, "common.py"),
        "MULTILINGUAL_ANSWER_REGEXES",
        "MULTILINGUAL_ANSWER_PATTERN_TEMPLATE",
        "normalize_extracted_answer",
    )
    patterns = [re.compile(template.format(one)) for one in expressions]

    def read(text: str, _: list[str]) -> str | None:
        match = next(filter(None, (pattern.search(text) for pattern in patterns)), None)
        return tidy(match[1]) if match else None

    return read


def mmlu_pro(repository: Path) -> Read:
    names = ("extract_answer", "extract_again", "extract_final")
    extract, *_ = functions(shown(repository, "compute_accuracy.py"), *names)
    return lambda text, _: extract(text, "l2")


def harness(_: Path) -> Read:
    from lm_eval.filters.extraction import MultiChoiceRegexFilter

    rule = MultiChoiceRegexFilter(
        regex_pattern=r"(\([A-Z]\))", group_select=-1, ignore_case=True, ignore_punctuation=True
    )

    def read(text: str, options: list[str]) -> str | None:
        ((said, *_),) = rule.apply([[text]], [{"choices": options}])
        letter = re.fullmatch(r"\(?([A-Za-z])\)?", said)
        return letter[1].upper() if letter else None

    return read


PEERS = {
    "OpenCompass": opencompass,
    "simple-evals": simple_evals,
    "MMLU-Pro": mmlu_pro,
    "lm-eval": harness,
}


def by_rule(rule: Read, frame: pd.DataFrame) -> list[str]:
    """What another rule reads."""
    said = []
    for text, options in zip(frame["text"].fillna(""), frame["options"], strict=True):
        try:
            with within(SECONDS, "rule"):
                said.append(rule(text, list(options)) or NONE)
        except DataError:
            said.append(NONE)
    return said


def main(
    folder: Annotated[Path, typer.Argument(help="The shared data.")],
    peer: Annotated[list[str] | None, typer.Option(help="NAME=REPOSITORY, of `PEERS`.")] = None,
    more: Annotated[
        Path | None, typer.Option("--repositories", help="Clones whose logs are labelled, too.")
    ] = None,
    whole: Annotated[bool, typer.Option(help="Also every log against its own reading.")] = False,
) -> None:
    """Print the tables."""
    frame = labelled(folder, more)
    read = frame.assign(**ours(frame), all="all")
    for by in ("part", "language", "set", "all"):
        print(shares(read, [by]).round(2).to_string(), end="\n\n")
    print(shares(read[read["said"] != NONE], ["rule"]).round(2).to_string())
    table = read[["language"]].assign(final_answer=100.0 * (read["said"] == read["want"]))
    for name, _, place in (one.partition("=") for one in peer or ()):
        table[name] = 100.0 * (read["want"] == by_rule(PEERS[name](Path(place)), frame))
    print("\nread rightly (%), by language\n", table.groupby("language").mean().round(1))
    print(table.drop(columns="language").mean().round(1).to_string())
    if whole:
        print("\nagainst what each log read itself\n", against_own(logs.read(folder)).to_string())


def against_own(frame: pd.DataFrame) -> pd.DataFrame:
    """Recall and precision against the logs' own extraction, and both accuracies, by set and model.

    Recall is told for all that the log read, and without responses that say several answers, one
    after the other or together, or that no option is right: of those the authors' scripts take the
    first or the last letter.
    """
    read, own = ours(frame), frame["own"].notna()
    flags = frame[["set", "model"]].assign(n=1, named=own, hit=read["said"] == frame["own"])
    flags = flags.assign(one=own & read["one"], told=own & (read["said"] != NONE))
    flags = flags.assign(own=frame["own"] == frame["gold"], ours=read["said"] == frame["gold"])
    flags["model"] = flags["model"].mask(flags["set"] == "thai_exam", "102 models")
    table = flags.groupby(["set", "model"]).sum().query("n >= 30")
    return pd.DataFrame(
        {
            "n": table["n"],
            "recall": 100 * table["hit"] / table["named"],
            "where one is named": 100 * table["hit"] / table["one"],
            "precision": 100 * table["hit"] / table["told"],
            "accuracy of the log": 100 * table["own"] / table["n"],
            "accuracy": 100 * table["ours"] / table["n"],
        }
    ).round(2)


if __name__ == "__main__":
    typer.run(main)

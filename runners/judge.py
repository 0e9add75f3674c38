"""A chat model judges the cached answers of others; its texts are outputs like any, under
`<benchmark>-judgments`.

Each record's `judged` is the model whose answer was shown, its `turn` that answer's turn. Scores
are read from the texts later, offline.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.errors import DataError, unknown
from analysis.items import prompts
from analysis.items.descriptions import Spec
from analysis.items.rows import rows
from analysis.items.values import text_of
from runners.prompt import Conversation

SUFFIX = "-judgments"
USUAL = ("judge", "judge_turn_2")  # templates of data/prompts for the first and the second turn
NO_REFERENCE = "(none)"
NO_ASPECTS = "whether it is right, complete and of use"
SAMPLE = ("sample", "params", "revision")  # what tells several answers to one item apart

_NAME, _TEMPLATE = Spec(place="name"), Spec(place="prompt_template")


@dataclass(frozen=True)
class Prompts:
    """What the judge is asked at each turn.

    Attributes
    ----------
    templates : list of (str, str or None)
        Message and system prompt for the first turn, the second, ...; the last one serves all later
        turns.
    name : str
        Kept as `setting`.
    """

    templates: list[tuple[str, str | None]]
    name: str = "judge"

    @classmethod
    def load(cls, file: Path | None = None, names: list[str] | None = None) -> "Prompts":
        """The usual ones, or those called `names` in a JSON Lines file as FastChat and SeaBench
        have them: with `name`, `prompt_template` and `system_prompt`.
        """
        if file is None:
            return cls([(prompts.template(name), None) for name in USUAL])
        templates = {
            text_of(row, _NAME): (text_of(row, _TEMPLATE), row.find("system_prompt"))
            for row in rows(Path(file))
        }
        if not names:
            there = ", ".join(templates)
            raise DataError(f"say which prompts judge the turns; there are: {there}", file=file)
        if wrong := [name for name in names if name not in templates]:
            raise unknown("judge prompt", wrong[0], templates)
        return cls([templates[name] for name in names], names[0])

    def fill(self, turn: int, fields: Mapping[str, str]) -> tuple[str, str | None]:
        """The judge's message and system prompt about turn `turn` (1, 2, ...)."""
        template, system = self.templates[min(turn, len(self.templates)) - 1]
        try:
            return template.format_map(fields), system
        except KeyError as error:
            reason = f"the judge prompt wants {{{error.args[0]}}}"
            raise DataError(f"{reason}; there are: {', '.join(sorted(fields))}") from None


def conversations(
    items: pd.DataFrame, outputs: pd.DataFrame, base: dict, prompts: Prompts
) -> list[Conversation]:
    """One conversation of one turn for each answer.

    Parameters
    ----------
    items : items
        `metadata` may have `turns`, `references` (a text a turn) and `aspects`.
    outputs : outputs
        Answers to be judged; failures, and items that `items` has not, are passed over.
    base : dict
        What the judge's requests have; see `Conversation`.
    """
    questions = {item["item_id"]: item for item in items.to_dict("records")}
    answers = outputs[outputs["response"].notna() & outputs["error"].isna()]
    answers = answers[answers["item_id"].isin(questions.keys())]
    asked = answers["request"].map(lambda request: str([request.get(name) for name in SAMPLE]))
    talks = answers.assign(sample=asked + answers["setting"].fillna(""))
    talks["turn"] = talks["turn"].fillna(1).astype(int)
    judgments = []
    for (model, item_id, _), talk in talks.groupby(["model", "item_id", "sample"], sort=False):
        item, texts = questions[item_id], dict(zip(talk["turn"], talk["response"], strict=True))
        about = {"benchmark": item["benchmark"] + SUFFIX, "item_id": item_id, "judged": model}
        for turn, key in zip(talk["turn"], talk["key"], strict=True):
            text, system = prompts.fill(turn, _fields(item, model, texts, turn))
            columns = {"judged": model, "turn": turn, "setting": prompts.name}
            request = base | about | {"judged_key": key}
            judgments.append(Conversation(request, (text,), system, columns))
    return judgments


def _fields(item: dict, model: str, answers: Mapping[int, str], turn: int) -> dict[str, str]:
    """What a template may name: our templates, and upstream's."""
    metadata = item["metadata"]
    questions = list(metadata.get("turns") or [item["question"]])
    if turn > len(questions):
        raise DataError(f"has no turn {turn}", field=item["item_id"])
    references = [*(metadata.get("references") or ()), *[None] * turn]
    aspects = metadata.get("aspects") or NO_ASPECTS
    fields = {"aspects": aspects, "priority_aspect": aspects}
    for number in range(1, turn + 1):
        if number not in answers:
            reason = f"{model} has no answer to turn {number}, only to turn {turn}"
            raise DataError(reason, field=item["item_id"])
        fields["question"] = fields[f"question_{number}"] = questions[number - 1]
        fields["answer"] = fields[f"answer_{number}"] = answers[number]
        fields["reference"] = references[number - 1] or NO_REFERENCE
        fields[f"ref_answer_{number}"] = fields["reference"]
    return fields

"""A chat model judges the cached answers of others; its texts are outputs like any, under
`<benchmark>-judgments`.

Each record's `judged` is the model whose answer was shown, its `turn` that answer's turn. Scores
are read from the texts later, offline.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.errors import DataError
from analysis.schemas import SUFFIX
from runners.prompt import Conversation

NO_REFERENCE = "(none)"
NO_ASPECTS = "whether it is right, complete and of use"
_SAMPLE = ("sample", "params", "revision")  # what tells several answers to one item apart


def conversations(
    items: pd.DataFrame, outputs: pd.DataFrame, base: dict, templates: Sequence[str], name: str
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
    templates : sequence of str
        What the judge is asked about the first turn, the second, ...; the last one serves all later
        turns.
    name : str
        Kept as `setting`.
    """
    questions = {item["item_id"]: item for item in items.to_dict("records")}
    talks = defaultdict(dict)  # of each the answer by turn
    for answer in outputs[outputs["error"].isna()].to_dict("records"):
        if answer["item_id"] in questions and answer["response"] is not None:
            sample = [answer["setting"], *(answer["request"].get(name) for name in _SAMPLE)]
            turn = 1 if pd.isna(answer["turn"]) else answer["turn"]
            talks[answer["model"], answer["item_id"], str(sample)][turn] = answer
    judgments = []
    for (model, item_id, _), talk in talks.items():
        item = questions[item_id]
        about = {"benchmark": item["benchmark"] + SUFFIX, "item_id": item_id, "judged": model}
        for turn, answer in talk.items():
            template = templates[min(turn, len(templates)) - 1]
            text = _filled(template, _fields(item, model, talk, turn))
            columns = {"judged": model, "turn": turn, "setting": name}
            request = base | about | {"judged_key": answer["key"]}
            judgments.append(Conversation(request, (text,), None, columns))
    return judgments


def _filled(template: str, fields: Mapping[str, str]) -> str:
    try:
        return template.format_map(fields)
    except KeyError as error:
        there = ", ".join(sorted(fields))
        raise DataError(f"the judge prompt wants {{{error.args[0]}}}; there are: {there}") from None


def _fields(item: dict, model: str, answers: Mapping[int, dict], turn: int) -> dict[str, str]:
    """What a template may name: our templates, and upstream's."""
    metadata = item["metadata"]
    questions = list(metadata.get("turns") or [item["question"]])
    references = [*(metadata.get("references") or ()), *[None] * turn]
    aspects = metadata.get("aspects") or NO_ASPECTS
    fields = {"aspects": aspects, "priority_aspect": aspects}
    for number in range(1, turn + 1):
        if number not in answers or number > len(questions):
            reason = f"{model} has no answer to turn {number}, or the item has no such turn"
            raise DataError(reason, field=item["item_id"])
        fields["question"] = fields[f"question_{number}"] = questions[number - 1]
        fields["answer"] = fields[f"answer_{number}"] = answers[number]["response"]
        fields["reference"] = references[number - 1] or NO_REFERENCE
        fields[f"ref_answer_{number}"] = fields["reference"]
    return fields

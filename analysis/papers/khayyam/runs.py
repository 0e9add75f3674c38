"""Own cached outputs in the reports: extracted by every method that they allow, on any benchmark."""

import pandas as pd

from analysis.answers import letters, likelihood, persian
from analysis.errors import DataError
from analysis.items import metadata
from analysis.items import read as read_items

NONE = "no cached outputs of {0}: cache some with  python -m runners run --benchmark {0} --model NAME"


def answers(items: pd.DataFrame, outputs: pd.DataFrame, embed: likelihood.Embedder | None = None) -> pd.DataFrame:
    """Answers by every method that the outputs allow.

    Persian responses go through Persian patterns (`regex_patterns`), and with an embedder to the nearest option where these find
    nothing (`regex`, the paper's method); others through Direct Answer and Concern All Answer. Where scores are cached, single token and
    full answer come beside them.
    """
    frames = []
    spoken = outputs[outputs["response"].notna() | outputs["scores"].isna()] if "scores" in outputs else outputs
    if len(spoken) and items["language"].eq("fa").all():
        frames.append(persian.extract(spoken, items))
        if embed:
            frames.append(likelihood.complete(frames[0], spoken, items, embed))
    elif len(spoken):
        frames += [letters.extract(spoken, items, method) for method in letters.METHODS]
    if "scores" in outputs:
        kinds = {"labels": "single_token", "top": "single_token", "options": "full_answer"}
        for method in dict.fromkeys(kinds.values()):
            names = [kind for kind, used in kinds.items() if used == method]
            rows = outputs["scores"].map(lambda s, names=names: isinstance(s, dict) and any(_full(s.get(name)) for name in names))
            if rows.any():
                frames.append(likelihood.extract(outputs[rows], items, method))
    if not frames:
        raise DataError("the outputs hold neither responses nor scores", field="response")
    return pd.concat(frames, ignore_index=True)


def _full(value) -> bool:
    return bool(value) and not (isinstance(value, list) and isinstance(value[0], float))


def own(
    benchmark: str, outputs: pd.DataFrame | None, embed: likelihood.Embedder | None = None
) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Items and answers of own outputs; None, with a line that says what to do, where there are none."""
    if outputs is None or outputs.empty:
        print(NONE.format(benchmark))
        return None
    items = read_items(benchmark)
    return items, answers(items, outputs, embed)


def wants(items: pd.DataFrame, *names: str) -> bool:
    """Whether the items carry all of this metadata; where not, a line says what they lack."""
    try:
        metadata.columns(items, list(names))
    except DataError as error:
        print(f"left out: {error.reason}")
        return False
    return True


def own_texts(items: pd.DataFrame, outputs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Texts whose lengths may be compared: responses, questions, and explanations where the items carry them; and their names."""
    facts = items[["benchmark", "item_id", "question"]]
    names = ["response", "question"]
    if metadata.has(items, "explanation"):
        facts = facts.assign(explanation=metadata.columns(items, ["explanation"])["explanation"].astype("str"))
        names.append("explanation")
    return outputs[["benchmark", "item_id", "model", "response"]].merge(facts, on=["benchmark", "item_id"]), names

"""Own cached outputs in the reports, on any benchmark."""

import pandas as pd

from analysis.answers import extract, likelihood
from analysis.errors import DataError
from analysis.items import metadata
from analysis.items import read as read_items

NONE = "no cached outputs of {0}: cache some with  polyexam run --benchmark {0} --model NAME"


def own(
    benchmark: str, outputs: pd.DataFrame | None, embed: likelihood.Embedder | None = None
) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Items and answers of own outputs; None, with a line that says what to do, where there are none."""
    if outputs is None or outputs.empty:
        print(NONE.format(benchmark))
        return None
    items = read_items(benchmark)
    return items, extract(outputs, items, **({"embed": embed} if embed else {}))


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

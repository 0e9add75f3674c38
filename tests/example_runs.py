"""The made-up benchmark of `items.example` as files, with its runs in the cache."""

from collections.abc import Mapping

from analysis.items import derived, example
from runners import cache, transfer


def write_run(model: str, responses: Mapping[str, str], benchmark: str = "example") -> None:
    """Cache a run: item id -> response."""
    request = {"benchmark": benchmark, "model": model, "revision": "1", "runner": "test"}
    records = [
        cache.record(request | {"item_id": item_id}, response=text)
        for item_id, text in responses.items()
    ]
    transfer.take(records)


def responses(model: str) -> dict[str, str]:
    """What a made-up model wrote: item id -> response."""
    outputs = example.outputs().query("model == @model").dropna(subset="response")
    return outputs.set_index("item_id")["response"].to_dict()


def write() -> None:
    """Write the items and the runs of both made-up models."""
    derived.write("example", example.items().to_dict("records"))
    for model in example.outputs()["model"].unique():
        write_run(model, responses(model))

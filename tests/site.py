"""A small real site for tests: one report built from its notebook, a cached run of hostile
responses to a benchmark of the test's own.
"""

import json
from pathlib import Path

import pandas as pd

from analysis import catalog, paths
from analysis.items import derived
from reports import notebook_run, runs, site
from runners import cache, transfer
from tests import frames, hostile

MODEL = 'evil/<script>"&\u202emodel'
REPORTS = ("tlue/averages", "tlue/scale_ti_safetybench")


def items() -> pd.DataFrame:
    """A question for each hostile response; the question is as hostile."""
    names = list(hostile.OUTPUTS)
    return frames.items(
        len(names),
        benchmark="hostile",
        item_id=[f"s/{name}" for name in names],
        question=[_utf8(hostile.OUTPUTS[name][:500]) + "?" for name in names],
        subject="<b>s</b>",
        options=[["one", "<i onclick=x>two</i>"]] * len(names),
    )


def _utf8(text: str) -> str:
    """Files of benchmarks are UTF-8, without lone surrogates and NUL; responses may have both."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def plant() -> None:
    """Cache the hostile responses, each to its question, and one failure."""
    request = {
        "benchmark": "hostile",
        "model": MODEL,
        "revision": "1",
        "runner": "openai",
        "params": {"temperature": 0, "x": "<script>"},
    }
    records = [
        cache.record(request | {"item_id": f"s/{name}"}, response=text)
        for name, text in hostile.OUTPUTS.items()
    ]
    records.append(
        cache.record(
            request | {"item_id": "s/script", "sample": 1},
            error=f"server: {hostile.OUTPUTS['script']}",
        )
    )
    transfer.take(records)


def build(folder: Path, monkeypatch) -> Path:
    """The site of two built reports and the hostile run; every other report counts as failed."""
    monkeypatch.setenv("POLYEXAM_OUTPUTS", str(folder / "outputs"))
    monkeypatch.setenv("POLYEXAM_FIGURES", str(folder / "figures"))
    monkeypatch.setattr(paths, "SITE", folder / "reports")
    monkeypatch.setattr(paths, "BUILD", folder / "build")
    monkeypatch.setattr(runs, "SHOWN", len(hostile.OUTPUTS))  # every response is shown
    monkeypatch.setenv("POLYEXAM_DATA", str(folder / "data"))
    derived.write("hostile", items().to_dict("records"))
    for name in REPORTS:
        notebook_run.build(catalog.report(name))
    plant()
    plan = {
        "models": [MODEL],
        "benchmarks": ["hostile"],
        "settings": [{"system": hostile.OUTPUTS["script"]}],
    }
    (folder / "outputs" / "runs.yaml").write_text(json.dumps(plan))
    return site.write()

import pandas as pd
import pytest

from analysis import paths
from analysis.answers import baselines
from runners import baseline, cache, selection
from runners.journal import Journal
from runners.progress import Progress
from runners.spec import RunSpec
from tests.conftest import refused
from tests.runners import singles


@pytest.fixture
def items() -> pd.DataFrame:
    rows = [
        {
            "item_id": f"{subject}/{i}",
            "subject": subject,
            "options": ["one", "twenty-two", "3"][: 2 + i % 2],
            "answer": "B",
        }
        for subject in ("s", "r")
        for i in (10, 9, 1)
    ]
    rows[0]["answer"] = None
    frame = pd.DataFrame(rows)
    return frame.assign(
        benchmark="own",
        language="en",
        category=None,
        question="how many?",
        metadata=[{}] * len(rows),
    )


def write(items, model, seed=0) -> Progress:
    runner = baseline.Baseline(model, seed)
    return singles.run(runner.requests(items), Journal(cache.file("own", model)), runner, model)


@pytest.fixture(autouse=True)
def folders(home, monkeypatch):
    monkeypatch.setattr(paths, "BASELINES", home / "baselines")


def test_a_second_run_asks_nothing_and_another_seed_everything(items):
    assert write(items, "baseline/uniform-random").finished == 6
    assert write(items, "baseline/uniform-random").attempts == 0
    assert write(items, "baseline/uniform-random", seed=1).finished == 6
    outputs = cache.read("own")
    assert len(outputs) == 12
    assert outputs["item_id"].nunique() == 6
    expected = baselines.answer(items, "baseline/uniform-random", 0)
    assert outputs["response"].iloc[:6].tolist() == expected["choice"].tolist()
    assert outputs["scores"].iloc[0] == {"options": list(expected["scores"].iloc[0])}


def test_compact_form(items, monkeypatch):
    names = ("baseline/longest-option", "baseline/always-A")
    chosen = {name: baselines.BASELINES[name] for name in names}
    monkeypatch.setattr(baselines, "BASELINES", chosen)
    file = baseline.compact("own", items)
    assert file.read_text().splitlines() == [
        "item_id,subject,category,n_options,baseline/always-A,baseline/longest-option",
        "r/1,r,,3,A-,B+",
        "r/9,r,,3,A-,B+",
        "r/10,r,,2,A-,B+",
        "s/1,s,,3,A-,B+",
        "s/9,s,,3,A-,B+",
        "s/10,s,,2,A,B",
    ]
    before = file.read_bytes()
    assert baseline.compact("own", items.iloc[::-1]).read_bytes() == before


def test_shards_make_up_the_whole(items):
    parts = [selection.part(items, RunSpec(shard=f"{i}/4")) for i in range(1, 5)]
    assert sorted(pd.concat(parts)["item_id"]) == sorted(items["item_id"])
    assert selection.part(items, RunSpec(subjects="r", limit=2))["item_id"].tolist() == [
        "r/10",
        "r/9",
    ]
    for shard in ("0/4", "5/4", "1", "a/b", "1/0"):
        with refused("a shard is i/n"):
            selection.part(items, RunSpec(shard=shard))
    with refused("no such subject 'q'"):
        selection.part(items, RunSpec(subjects="q,r"))

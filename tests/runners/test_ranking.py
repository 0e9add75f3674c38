"""The ranking runner: every way of sharing the prompt against one option at a time, on real tiny
models.
"""

import json

import pandas as pd
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


from analysis import schemas  # noqa: E402
from analysis.errors import DataError  # noqa: E402
from analysis.papers.xiezhi import option_scores  # noqa: E402
from runners.local import Local  # noqa: E402
from runners.ranking import questions, shared_prefix  # noqa: E402
from runners.ranking.shared_prefix import Question  # noqa: E402
from runners.spec import RunSpec  # noqa: E402
from tests.runners import loopback, models, shell  # noqa: E402

pytestmark = pytest.mark.slow  # torch

EQUAL = 1e-4
SHAPE = {"vocab_size": 300, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
SHAPE |= {"initializer_range": 0.3}
GATED = SHAPE | {"intermediate_size": 64}
MAKES = {  # class of transformers -> its sizes, the way that shares its prompts
    "Llama": (GATED | {"num_key_value_heads": 2}, "packed"),
    "GPTNeoX": (GATED, "packed"),
    "Bloom": (SHAPE, "plain"),
    "Falcon": (SHAPE | {"alibi": True}, "plain"),
    "Mistral": (GATED | {"num_key_value_heads": 2, "sliding_window": 16}, None),
}
QUESTIONS = [
    Question([5, 17, 42, 9, 23, 8, 11], [[7, 8], [7, 8, 9], [7], [200, 3], [7, 9, 9, 9, 9]]),
    Question([11, 12, 13], [[40], [41, 42, 43]]),
    Question(list(range(20, 60)), [[5, 6], [6, 5]]),
]
TEMPLATE = "### 问题: '''{question}'''\n### 选项: '''{options}'''\n### 答案: '''"


def make(name: str):
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**MAKES[name][0])
    return getattr(transformers, f"{name}ForCausalLM")(config).eval()


def one_at_a_time(model, question: Question) -> tuple[list, list]:
    """Log-probabilities from the whole text of prompt and option, unshared and unpadded."""
    shifted, unshifted = [], []
    for option in question.options:
        ids = torch.tensor([question.prompt + option])
        with torch.inference_mode():
            table = model(input_ids=ids).logits[0].log_softmax(-1)
        n = len(question.prompt)
        shifted.append([table[n - 1 + i, token].item() for i, token in enumerate(option)])
        unshifted.append([table[n + i, token].item() for i, token in enumerate(option)])
    return shifted, unshifted


def close(found: list[list[float]], exact: list[list[float]]) -> bool:
    return [len(o) for o in found] == [len(o) for o in exact] and all(
        abs(a - b) <= EQUAL
        for x, y in zip(found, exact, strict=True)
        for a, b in zip(x, y, strict=True)
    )


@pytest.mark.parametrize("name", MAKES)
def test_scores_are_those_of_one_option_at_a_time(name):
    model, expected = make(name), MAKES[name][1]
    way = shared_prefix.pick(model)
    for question, scores in zip(QUESTIONS, shared_prefix.score(model, QUESTIONS, way), strict=True):
        shifted, unshifted = one_at_a_time(model, question)
        assert close(scores.tokens, shifted)
        assert close(scores.unshifted, unshifted)
    if expected:
        assert way == expected == shared_prefix.pick(model.to(torch.bfloat16))


# The runner


@pytest.fixture(scope="module")
def sample() -> pd.DataFrame:
    sets = [
        ["一", "一二", "一二三"],
        ["é", "e\u0301", "🙂", "a b"],
        ["Right", "right"],
        ["甲\n乙", "丙 "],
        [" 丁", "戊"],
    ]
    rows = {"item_id": [str(i) for i in range(len(sets))], "options": sets}
    items = pd.DataFrame(rows).assign(benchmark="sample", language="zh", subject="s", category="c")
    items["question"] = "问题" + items["item_id"] + "？"
    items["metadata"] = [{"labels": ["x", "y"]}] * len(items)
    return schemas.check(items.assign(answer="A"), "items")


@pytest.fixture(scope="module", params=["llama", "neox"])
def folder(request, tmp_path_factory) -> str:
    return models.save(tmp_path_factory.mktemp(request.param), request.param)


def exact_scores(scorer: Local, request: dict) -> list[float]:
    """Log-probability of each option as one text with its prompt, from the model itself."""
    found = []
    prompt = scorer.tokenizer(request["prompt"])["input_ids"]
    for option in request["candidates"]:
        whole = scorer.tokenizer(request["prompt"] + option)["input_ids"]
        border = next(
            (i for i, (a, b) in enumerate(zip(prompt, whole, strict=False)) if a != b), len(prompt)
        )
        with torch.inference_mode():
            table = scorer.model(input_ids=torch.tensor([whole])).logits[0].log_softmax(-1)
        found.append(sum(table[i - 1, whole[i]].item() for i in range(border, len(whole))))
    return found


@pytest.mark.parametrize("way", ["packed", "plain"])
def test_records_hold_the_probability_of_every_option(folder, sample, way):
    scorer = Local(RunSpec(model=folder))
    scorer.way = way
    requests = questions.requests(sample, TEMPLATE, scorer.base("completions", {}), None)
    records = {record["item_id"]: record for part in scorer.run(requests) for record in part}
    for request in requests:
        record = records[request["item_id"]]
        assert record["error"] is None
        assert [option["text"] for option in record["scores"]["options"]] == request["candidates"]
        sums = [sum(option["logprobs"]) for option in record["scores"]["options"]]
        assert sums == pytest.approx(exact_scores(scorer, request), abs=EQUAL)


def test_small_memory_takes_fewer_questions(folder, sample, monkeypatch):
    scorer = Local(RunSpec(model=folder))
    requests = questions.requests(sample, TEMPLATE, scorer.base("completions", {}), None)
    real, sizes, _ = shared_prefix.score, [], scorer.way

    def little(model, questions, way):
        sizes.append(len(questions))
        if sizes[-1] > 1 or len(questions[0].options) > 3:
            raise torch.OutOfMemoryError("no memory")
        return real(model, questions, way)

    monkeypatch.setattr(shared_prefix, "score", little)
    errors = {r["item_id"]: r["error"] for part in scorer.run(requests) for r in part}
    failed = [name for name, error in errors.items() if error]
    assert max(sizes) > 1
    assert failed == ["1"]
    assert errors["1"].startswith("memory: ")


def test_solved_examples_stand_before_the_question_with_their_answers(sample):
    made = questions.requests(
        sample.iloc[:1], TEMPLATE, {}, sample.iloc[1:3].reset_index(drop=True), shots=2
    )
    prompt = made[0]["prompt"]
    assert prompt.count("### 答案: '''") == 3
    assert "### 答案: '''é'''\n\n" in prompt
    assert prompt.endswith(
        "### 问题: '''问题0？'''\n### 选项: '''一\n一二\n一二三'''\n### 答案: '''"
    )


def test_a_chat_model_ranks_real_questions_in_words(native):
    call = "ranking rank --runner openai --benchmark ceval --model model --options 8"
    call += " --subjects law --limit 3 --skip-bad"
    with loopback.serving(key=loopback.KEY, reply=lambda prompt: "H, A, H, Z") as server:
        shell.command(f"{call} --base-url {server.url} --key-env LOOPBACK_KEY")
    asked = questions.items("ceval", 8, problems=[])
    ranked = option_scores.ranked(asked, questions.outputs("ceval"))
    assert len(ranked) == 3
    answers = asked.set_index("item_id").loc[ranked["item_id"], "answer"]
    expected = [{"H": (0, 0), "A": (1, 0)}.get(answer, (2, 5)) for answer in answers]
    assert list(zip(ranked["better"], ranked["tied"], strict=True)) == expected


def test_rankings_by_command_are_cached_once_and_read_under_every_rule(folder, native):
    assert questions.by_rule("ceval", 4).empty
    call = "ranking rank --benchmark ceval --options 4 --limit 12 --skip-bad --model"
    for status in (1, 0):  # what has no room fails for good
        shell.command(call, folder, status=status)
    (file,) = native.rglob("*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert len({record["key"] for record in records}) == len(records) == 12
    assert all(record["setting"] == "0-shot" for record in records)
    table = questions.by_rule("ceval", 4)
    done = questions.outputs("ceval")["error"].isna().sum()
    assert set(table["setting"]) == {f"0-shot, {rule}" for rule in option_scores.RULES}
    assert (table["n"] == done).all()
    assert table["value"].between(0, 1).all()


@pytest.mark.parametrize("benchmark", ["xiezhi_specialty", "xiezhi_specialty_en"])
def test_examples_come_from_the_training_part_in_the_questions_language(benchmark, native):
    train = questions.examples(benchmark, 8, "paper", 42)
    assert train["language"].unique() == ["en" if benchmark.endswith("_en") else "zh"]
    assert (train["options"].map(len) == 8).all()
    with pytest.raises(DataError, match="labelled examples"):
        questions.examples("mmlu", 8, "paper", 42)

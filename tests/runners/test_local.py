"""Local models of three architectures through everything the runner does, against literal
computations.
"""

import json
import shutil

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from analysis.errors import DataError  # noqa: E402
from runners import local, prompt  # noqa: E402
from runners.journal import Journal  # noqa: E402
from runners.request import key  # noqa: E402
from runners.run import rounds  # noqa: E402
from runners.spec import RunSpec  # noqa: E402
from tests.runners import models, singles  # noqa: E402

pytestmark = pytest.mark.slow  # torch

DECODERS = ("llama", "neox")
KINDS = (*DECODERS, "t5")
PROMPTS = ["Which is right?", "བོད་ཡིག", "A. one B. two C. three D. four\nAnswer:", "中文问题 " * 9]


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    return {kind: models.save(tmp_path_factory.mktemp(kind), kind) for kind in KINDS}


@pytest.fixture(scope="session")
def loaded(folders):
    return {
        kind: local.Local(RunSpec(model=folder, batch_size=3)) for kind, folder in folders.items()
    }


def requests(runner, kind="completions", prompts=PROMPTS, **more) -> list[dict]:
    params = more.pop("params", {"max_tokens": 6, "temperature": 0})
    base = runner.base(kind, params) | {"benchmark": "b"} | more
    asked = [{"messages": [{"role": "user", "content": text}]} for text in prompts]
    if kind == "completions":
        asked = [{"prompt": text} for text in prompts]
    return [base | {"item_id": str(i)} | one for i, one in enumerate(asked)]


def answers(runner, asked) -> list[dict]:
    found = {record["key"]: record for records in runner.run(asked) for record in records}
    return [found[key(request)] for request in asked]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["completions", "chat"])
def test_generation_in_batches_equals_one_at_a_time(loaded, kind, form):
    runner = loaded[kind]
    asked = requests(runner, form)
    together = answers(runner, asked)
    for request, record in zip(asked, together, strict=True):
        written = literal_greedy(runner, runner.split(request).tokens, 6)
        assert record["response"] == runner.tokenizer.decode(written, skip_special_tokens=True)
        assert record["error"] is None
        assert record["finish_reason"] in ("stop", "length")
        assert record["usage"]["completion_tokens"] == len(written)


@torch.inference_mode()
def following(runner, tokens: list[int], written: list[int]) -> torch.Tensor:
    """Log-probabilities of the next token: no cache, no padding, no generate()."""
    model = runner.model
    if model.config.is_encoder_decoder:
        target = torch.tensor([[model.config.decoder_start_token_id, *written]])
        logits = model(input_ids=torch.tensor([tokens]), decoder_input_ids=target).logits
    else:
        logits = model(input_ids=torch.tensor([[*tokens, *written]])).logits
    return logits[0, -1].log_softmax(-1)


def literal_greedy(runner, tokens: list[int], n: int) -> list[int]:
    """Argmax, appended, n times."""
    written: list[int] = []
    for _ in range(n):
        best = following(runner, tokens, written).argmax().item()
        if best == runner.tokenizer.eos_token_id:
            break
        written.append(best)
    return written


@pytest.mark.parametrize("kind", DECODERS)
@pytest.mark.parametrize("form", ["completions", "chat"])
def test_label_probabilities_equal_one_prompt_at_a_time(loaded, kind, form):
    runner = loaded[kind]
    texts = ["Which is right?", "A. one B. two C. three D. four\nAnswer:", "中文问题。"]
    asked = requests(runner, form, texts, score="labels", candidates=["A", "B", "C", "D"])
    for request, record in zip(asked, answers(runner, asked), strict=True):
        scores = following(runner, runner.split(request).tokens, [])
        expected = {label: scores[runner.tokenizer.encode(label)[0]].item() for label in "ABCD"}
        assert record["scores"]["labels"] == pytest.approx(expected, abs=1e-4)


def test_an_encoder_decoder_is_not_scored(loaded):
    with pytest.raises(DataError, match="an encoder-decoder writes"):
        answers(loaded["t5"], requests(loaded["t5"], score="labels", candidates=["A", "B"]))


def test_a_score_that_is_no_number_is_one_failure(loaded, tmp_path, monkeypatch):
    runner, journal = loaded["llama"], Journal(tmp_path / "b" / "m.jsonl")
    asked = requests(runner, score="labels", candidates=["A", "B"])
    kept = local.Local._kept
    first = iter([{"A": float("nan")}])
    monkeypatch.setattr(
        local.Local, "_kept", lambda self, *given: next(first, None) or kept(self, *given)
    )
    tally = singles.run(asked, journal, runner)
    assert (tally.finished, tally.failed) == (len(PROMPTS) - 1, 1)


def test_code_that_comes_with_weights_is_not_run(folders, tmp_path):
    folder, ran = tmp_path / "weights", tmp_path / "ran"
    shutil.copytree(folders["llama"], folder)
    (folder / "own.py").write_text(
        f"open({str(ran)!r}, 'w').close()\nfrom transformers import LlamaConfig\nclass "
        "Own(LlamaConfig):\n    model_type = 'own'\n"
    )
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(
        json.dumps(config | {"model_type": "own", "auto_map": {"AutoConfig": "own.Own"}})
    )
    with pytest.raises(DataError, match="cannot be loaded"):
        local.Local(RunSpec(model=str(folder)))
    assert not ran.exists()


def test_a_draw_belongs_to_its_request(loaded):
    runner = loaded["llama"]
    params = {"max_tokens": 8, "temperature": 1.5}
    asked = requests(runner, params=params)
    first, again = answers(runner, asked), answers(runner, asked[::-1])[::-1]
    assert [r["response"] for r in first] == [r["response"] for r in again]
    other = answers(runner, [request | {"sample": 1} for request in asked])
    assert [r["response"] for r in first] != [r["response"] for r in other]


def test_stop_strings_and_length(loaded):
    runner, params = loaded["llama"], {"max_tokens": 12, "temperature": 0}
    (free,) = answers(runner, requests(runner, prompts=PROMPTS[:1], params=params))
    assert free["finish_reason"] == "length"
    assert free["usage"]["completion_tokens"] == 12
    letters = [c for c in free["response"][1:] if c.isascii() and c.isprintable()]
    params |= {"stop": letters[0]}
    (cut,) = answers(runner, requests(runner, prompts=PROMPTS[:1], params=params))
    assert cut["finish_reason"] == "stop"
    assert len(cut["response"]) < len(free["response"])


def test_conversations_and_resume(loaded, tmp_path):
    runner, journal = loaded["llama"], Journal(tmp_path / "m.jsonl")
    base = runner.base("chat", {"max_tokens": 3, "temperature": 0}) | {"benchmark": "b"}
    plans = [
        prompt.Conversation(
            base | {"item_id": str(i)}, (text, "And then?"), None, {"setting": "0-shot"}
        )
        for i, text in enumerate(PROMPTS)
    ]
    assert rounds(plans, journal, runner, "m").finished == 8
    assert rounds(plans, journal, runner, "m").attempts == 0
    answered = prompt.answered(plans[0], journal)
    record = journal.answer(key(plans[0].request(answered[:1])))
    assert record["turn"] == 2
    assert record["setting"] == "0-shot"
    assert record["request"]["messages"][1] == {"role": "assistant", "content": answered[0]}


def test_the_request_tells_models_tokenizers_and_templates_apart(folders, loaded, tmp_path):
    base = loaded["llama"].base("chat", {})
    assert base["revision"].startswith("digest-")
    assert base["revision"] != loaded["neox"].revision
    other = local.Local(RunSpec(model=models.save(tmp_path / "other", "llama", models.NO_SYSTEM)))
    assert other.base("chat", {})["template"] != base["template"]
    assert other.base("chat", {})["tokenizer"] == base["tokenizer"]
    asked = {"kind": "chat", "messages": [{"role": "system", "content": "Be brief."}]}
    assert "Be brief." in loaded["llama"].text(asked)
    with pytest.raises(DataError, match="the chat template refuses: no system"):
        other.text(asked)
    assert local.Local(RunSpec(model=folders["llama"])).revision == base["revision"]


def test_what_cannot_be_is_named_or_a_failure_of_its_item_alone(loaded, tmp_path):
    runner = loaded["llama"]
    asked = requests(runner, score="options", candidates=[" one", " two"])
    asked[1]["candidates"] = [" one", ""]
    assert [bool(record["error"]) for record in answers(runner, asked)] == [0, 1, 0, 0]
    short, long = answers(runner, requests(runner, prompts=["short", "word " * 300]))
    assert short["error"] is None
    assert long["error"].startswith("too_long: ")
    plain = local.Local(RunSpec(model=models.save(tmp_path / "plain", "llama", None)))
    with pytest.raises(DataError, match="no chat template: take --kind completions"):
        plain.base("chat", {})
    with pytest.raises(DataError, match="cannot be loaded"):
        local.Local(RunSpec(model=str(tmp_path)))

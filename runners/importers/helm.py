"""HELM: a run's folder with `run_spec.json` and `scenario_state.json`."""

from collections.abc import Iterator
from pathlib import Path

from runners.importers.base import Log, Row, decoded, files, moment

KNOWN = {"instance", "reference_index", "request_mode", "train_trial_index", "output_mapping", "request", "result"}
KNOWN |= {"num_train_instances", "prompt_truncated", "num_conditioning_tokens", "annotations"}
PARAMS = ("temperature", "max_tokens", "top_p", "top_k_per_token", "num_completions", "stop_sequences", "random")


def read(source: Path, log: Log) -> Iterator[dict]:
    """One record a completion; the setting is the number of examples in the prompt, the sample the training trial.

    Where HELM scores each reference by itself, a record's `judged` names the reference.
    """
    for file in files(source, "scenario_state.json"):
        state = decoded(file.read_bytes(), file)
        named = file.with_name("run_spec.json")
        spec = decoded(named.read_bytes(), named) if named.exists() else {}
        name = str(spec.get("name") or file.parent.name)
        for number, part in enumerate(Row(state, file).need("request_states", list), start=1):
            row = Row(part, file, number)
            log.note(part, KNOWN)
            request = row.need("request", dict)
            reference = row.get("reference_index")
            model = row.get("request.model") or (spec.get("adapter_spec") or {}).get("model")
            common = dict(
                benchmark=name.split(":")[0],
                prompt=row.get("request.prompt"),
                messages=_messages(request),
                params={"run": name} | {p: request[p] for p in PARAMS if request.get(p) is not None},
                setting=f"{row.get('num_train_instances', 0)}-shot",
                judged=None if reference is None else f"reference {reference} {row.get('request_mode') or ''}".strip(),
                time=moment(row.get("result.request_datetime")),
            )
            for answer in _answers(row):
                yield log.record("helm", row, row.need("instance.id"), model, **common, **answer)


def _messages(request: dict) -> list | None:
    sent = request.get("messages")
    return sent if isinstance(sent, list) and sent else None


def _answers(row: Row) -> list[dict]:
    """The completions of a request, or its failure."""
    result = row.get("result") or {}
    completions = result.get("completions")
    if not result.get("success", True) or not completions:
        return [{"error": f"imported: {result.get('error') or 'the log holds no answer'}"[:500]}]
    return [_completion(one) for one in completions]


def _completion(said: dict) -> dict:
    tokens = said.get("tokens") or []
    scores = {"tokens": [t.get("text") for t in tokens], "logprobs": [t.get("logprob") for t in tokens]} if tokens else None
    thinking, reason = (said.get("thinking") or {}).get("text"), (said.get("finish_reason") or {}).get("reason")
    return {"response": said.get("text", ""), "finish_reason": reason, "scores": scores, "reasoning": thinking}

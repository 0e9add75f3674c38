"""Inspect: logs as one `.json`, or as `.eval` (a zip of JSON parts, deflated or, in newer releases, with Zstandard)."""

import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from analysis.errors import DataError
from runners.importers.base import Log, Row, decoded, files

KNOWN = {"id", "epoch", "input", "choices", "target", "messages", "output", "scores", "metadata", "store", "events"}
KNOWN |= {"model_usage", "role_usage", "started_at", "completed_at", "total_time", "working_time", "uuid", "error"}
KNOWN |= {"error_retries", "attachments", "events_data", "turn_count", "sandbox", "files", "setup", "limit", "description"}
ZSTANDARD = 93
FINISH = {"max_tokens": "length", "model_length": "length"}


def read(source: Path, log: Log) -> Iterator[dict]:
    """One record a sample and epoch; benchmark is the task, unless named."""
    for file in files(source, "*.eval", "*.json"):
        head, samples = _eval(file) if file.suffix == ".eval" else _json(file)
        run = Row(head, file).need("eval", dict)
        for number, sample in enumerate(samples, start=1):
            row = Row(sample, file, number)
            log.note(sample, KNOWN)
            yield log.record(
                "inspect",
                row,
                row.need("id"),
                run.get("model"),
                benchmark=run.get("task"),
                revision=(run.get("model_args") or {}).get("revision"),
                params=dict(run.get("model_generate_config") or {}) | {"epoch": row.get("epoch", 1)},
                time=row.get("completed_at") or run.get("created"),
                **_input(row),
                **_output(row),
            )


def _input(row: Row) -> dict:
    """The messages before the model's first answer; else the sample's input."""
    sent = []
    for message in row.get("messages", []):
        if message.get("role") == "assistant":
            break
        sent.append({"role": message.get("role"), "content": _text(message.get("content"))})
    if sent:
        return {"messages": sent}
    given = row.need("input", (str, list))
    if isinstance(given, str):
        return {"prompt": given}
    return {"messages": [{"role": m.get("role"), "content": _text(m.get("content"))} for m in given]}


def _output(row: Row) -> dict:
    output = row.get("output", {})
    choices = output.get("choices") or []
    error = row.get("error") or ({"message": output["error"]} if output.get("error") else None)
    if error or not choices:
        said = error.get("message") if isinstance(error, dict) else error
        return {"error": f"imported: {str(said or 'the log holds no answer')[:500]}"}
    stop = choices[0].get("stop_reason")
    content = choices[0].get("message", {}).get("content")
    reasoning = [p.get("reasoning") for p in content if p.get("type") == "reasoning"] if isinstance(content, list) else []
    found = {"response": _text(content), "finish_reason": FINISH.get(stop, stop), "usage": output.get("usage")}
    found |= {"reasoning": "\n".join(filter(None, reasoning)) or None, "scores": _scores(choices[0].get("logprobs"))}
    return found | ({"error": "content_filter: imported"} if stop == "content_filter" else {})


def _scores(logprobs: dict | None) -> dict | None:
    if not logprobs:
        return None
    content = logprobs.get("content") or []
    top = [{t["token"]: t["logprob"] for t in token.get("top_logprobs") or ()} for token in content]
    return {"tokens": [t["token"] for t in content], "logprobs": [t["logprob"] for t in content], "top": top}


def _text(content) -> str:
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if part.get("type") == "text")
    return content or ""


def _json(file: Path) -> tuple[dict, list]:
    log = decoded(file.read_bytes(), file)
    if not isinstance(log, dict) or "eval" not in log:
        raise DataError("is not an Inspect log: no `eval`", file=file)
    return log, log.get("samples") or []


def _eval(file: Path) -> tuple[dict, Iterator[dict]]:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"is not an Inspect log: {error}", file=file) from None
    names = archive.namelist()
    head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
    if head is None:
        raise DataError("is not an Inspect log: no header.json in it", file=file)
    samples = (name for name in names if name.startswith("samples/") and name.endswith(".json"))
    return decoded(_member(archive, head, file), file), (decoded(_member(archive, n, file), file) for n in samples)


def _member(archive: zipfile.ZipFile, name: str, file: Path) -> bytes:
    """A part of the archive; the standard library knows Zstandard only from Python 3.14 on."""
    info = archive.getinfo(name)
    try:
        if info.compress_type != ZSTANDARD:
            return archive.read(info)
        archive.fp.seek(info.header_offset)
        header = archive.fp.read(30)
        archive.fp.seek(info.header_offset + 30 + sum(struct.unpack("<HH", header[26:30])))
        raw = archive.fp.read(info.compress_size)
        return pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read()
    except (zipfile.BadZipFile, NotImplementedError, OSError, pa.ArrowException, struct.error) as error:
        raise DataError(f"the part {name} cannot be read: {error}", file=file) from None

"""Keys stay out of the cache, logs and messages."""

import json
import re

HIDDEN = "[hidden]"
# characters: what is shorter is a placeholder, such as EMPTY, and a word that answers may hold
_SHORTEST = 8
_PATTERNS = [
    r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}",
    r"(?i)\b((?:api[-_]?key|authorization|x-api-key|token)[\"']?\s*[:=]\s*[\"']?)[^\s\"',}]{6,}",
    r"\b(?:sk|hf|pk|gsk|xai|AIza)[-_][\w*-]{6,}",
    r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",
]


def scrub(text: str, key: str | None = None) -> str:
    """`text` without `key`, and without anything that looks like a key, an authorisation header or
    a password in a URL.
    """
    if _counts(key):
        text = text.replace(key, HIDDEN)
    for pattern in _PATTERNS:
        text = re.sub(pattern, HIDDEN, text)
    return text


def clean(record: dict, key: str | None) -> dict:
    """A record without the very key; raw answers stay else as they are. Where it was written a
    token at a time, scores go.
    """
    if not _counts(key):
        return record
    text = json.dumps(record)
    if key in text:
        record = json.loads(text.replace(key, HIDDEN))
    tokens = (record.get("scores") or {}).get("tokens") or ()
    return record | {"scores": None} if key in "".join(map(str, tokens)) else record


def _counts(key: str | None) -> bool:
    return len(key or "") >= _SHORTEST

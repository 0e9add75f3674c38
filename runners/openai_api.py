"""Any server that speaks OpenAI's protocol: chat and plain completions, with the log-probabilities
it gives.

One request is one attempt here; when to wait and try again is `runners.flow`'s business.
"""

import asyncio
import json
import os
import re
import socket
import ssl

import openai

from analysis.errors import DataError
from runners import transport
from runners.failure import Failure
from runners.secret import scrub
from runners.spec import RunSpec
from runners.status import CUT

# The client's own `post`: its typed methods walk every message through its type hints, which costs
# more than the sending.
_PATHS = {"chat": ("/chat/completions", "messages"), "completions": ("/completions", "prompt")}
_ACCOUNT = {401: "authentication", 402: "quota", 403: "authentication", 404: "not_found"}
_AGAIN = {408: "timeout", 409: "conflict", 425: "server", 429: "rate_limit"}  # and all from 500 on
# What servers say of an account under a status that else means the request
_OF_ACCOUNT = (
    r"(?i)api[ _-]?key|access token|unauthorized|authenticat|billing|payment"
    r"|insufficient.{0,20}(balance|quota|credit|fund)"
)
# Reasons to finish that make a text an answer; no reason at all does as well.
_FINISHED = {None, *CUT}
_FINISHED |= set("stop eos eos_token end_turn stop_sequence tool_calls function_call".split())
_NAMES = ("model", "system_fingerprint", "id")  # of a reply, kept beside its usage


class Server:
    """A model behind a server; use as an asynchronous context.

    Parameters
    ----------
    spec : RunSpec
        Of it: the model as the server calls it, which state of it, the address (by default
        ``OPENAI_BASE_URL``, or OpenAI's own), the name of the environment variable with the key (a
        server without keys needs none), seconds for one attempt, however slowly its bytes drip in,
        and whether replies are kept as they came, in the record's `usage`.
    """

    def __init__(self, spec: RunSpec):
        self.spec = spec
        self.key = os.environ.get(spec.key_env)
        self.base_url = spec.base_url or os.environ.get("OPENAI_BASE_URL")
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            reason = "a base URL begins with http:// or https://, not"
            raise DataError(f"{reason} {scrub(self.base_url, self.key)!r}")

    def base(self, kind: str, params: dict) -> dict:
        """What every request to this model has; not the address, as a model may move from one
        server to another.
        """
        return {
            "runner": "openai",
            "model": self.spec.model,
            "revision": self.spec.revision or "unspecified",
            "kind": kind,
            "params": params,
        }

    async def __aenter__(self):
        if not (self.key or self.base_url):
            raise DataError(
                f"no key: set the environment variable {self.spec.key_env}, or name a server with "
                "--base-url; say --runner local for a model on this machine"
            )
        self.client = openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self.key or "none",
            max_retries=0,
            timeout=None,  # of the parts of an attempt; `ask` limits all of it
            # A redirect would carry prompts, and the headers that name an organization, to a
            # server that nobody named.
            http_client=openai.DefaultAsyncHttpxClient(
                headers={"Accept-Encoding": "identity"},
                event_hooks={"response": [transport.guard]},
                follow_redirects=False,
            ),
        )
        return self

    async def __aexit__(self, *_):
        await self.client.close()

    async def ask(self, request: dict) -> dict:
        """Fields of the record that answers `request`: response, scores, finish_reason, usage,
        reasoning.

        Raises
        ------
        Failure
        """
        path, prompt = _PATHS[request["kind"]]
        body = {"model": request["model"], prompt: request[prompt], **request["params"]}
        try:
            async with asyncio.timeout(self.spec.timeout):
                content = await self.client.post(path, body=body, cast_to=bytes)
        except TimeoutError:
            reason = f"no answer in {self.spec.timeout:g} s"
            raise Failure("timeout", reason, again=True) from None
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except openai.APIConnectionError as error:
            detail = self._clean(error.__cause__ or error)
            if _nobody_there(error):
                detail = f"{detail} ({self._clean(self.base_url)})"
                raise Failure("address", detail, scope="address") from None
            raise Failure("connection", detail, again=True) from None
        except UnicodeEncodeError:
            raise Failure("unsendable", "the prompt holds half of a surrogate pair") from None
        try:
            reply = json.loads(content)
            fields = _accepted(request, _parsed(reply))
        except Failure:
            raise
        except Exception as error:  # odd replies raise all kinds
            detail = self._clean(f"{type(error).__name__} in {content[:200]!r}")
            raise Failure("malformed", detail, again=True) from None
        if self.spec.keep_reply:
            fields["usage"]["reply"] = reply
        return fields

    def _refused(self, error: openai.APIStatusError) -> Failure:
        status, headers = error.status_code, error.response.headers
        message = error.body.get("message") if isinstance(error.body, dict) else None
        reply = error.response.content[:2000].decode("utf-8", "replace")
        detail = self._clean(f"{status} {message or reply}")
        words = f"{error.code} {detail}"
        if 300 <= status < 400:
            where = self._clean(headers.get("location", "nowhere"))
            detail = f"{status} to {where}; if that is right, name it with --base-url"
            return Failure("redirect", detail, scope="account")
        if "content_filter" in words:
            return Failure("content_filter", detail)
        unpaid = error.code == "insufficient_quota" or (
            status == 400 and re.search(_OF_ACCOUNT, words)
        )
        if unpaid or status in _ACCOUNT:
            return Failure(_ACCOUNT.get(status, "account"), detail, scope="account")
        if status in _AGAIN or status >= 500:
            kind = _AGAIN.get(status, "server")
            return Failure(kind, detail, again=True, wait=_retry_after(headers))
        # a limit of the server before the model: another one may take it
        return Failure("too_large" if status == 413 else "bad_request", detail)

    def _clean(self, text: object) -> str:
        return " ".join(scrub(str(text), self.key).split())[:500]


def _nobody_there(error: BaseException | None) -> bool:
    """Whether a host has no such name, or a certificate of somebody else: waiting mends neither."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        if isinstance(error, socket.gaierror):
            return error.errno != socket.EAI_AGAIN
        error = error.__cause__ or error.__context__
    return False


def _retry_after(headers) -> float:
    """Seconds that `Retry-After` asks to wait; 0 where it is no number."""
    try:
        return max(0.0, float(headers.get("retry-after", 0)))
    except ValueError:
        return 0.0


def _parsed(reply: dict) -> dict:
    """The only choice of a server's reply as fields of a record, or the model's refusal."""
    (choice,) = reply["choices"]
    if reply.get("error") or choice.get("error"):
        raise ValueError("an error beside the answer")
    message = choice.get("message") or {"content": choice.get("text")}
    content = message["content"]
    if isinstance(content, list):  # parts, as some servers send them
        content = "".join(part.get("text") or "" for part in content)
    thoughts = message.get("reasoning_content") or message.get("reasoning")
    about = {name: reply[name] for name in _NAMES if isinstance(reply.get(name), str)}
    fields = {
        "response": content,
        "reasoning": thoughts if isinstance(thoughts, str) else None,
        "finish_reason": choice.get("finish_reason") or None,
        "scores": _scores(choice.get("logprobs") or {}),
        "usage": dict(reply.get("usage") or {}) | about,
    }
    if refusal := message.get("refusal"):
        raise Failure("refusal", str(refusal)[:500], answer=fields)
    return fields


def _accepted(request: dict, fields: dict) -> dict:
    """`fields`, or the failure that an answer without a finished text is."""
    reason, text = fields["finish_reason"], fields["response"] or ""
    if reason == "content_filter":
        raise Failure("content_filter", "the server's filter stopped the answer", answer=fields)
    if reason not in _FINISHED:
        raise Failure("unfinished", f"the answer ended with {reason[:80]!r}", again=True)
    # cut off without text: all tokens went into hidden reasoning, a fact about the model
    if not (text.strip("\0 \t\r\n") or reason in CUT):
        raise Failure("empty", "the answer holds no text", again=True, answer=fields)
    if text and request["params"].get("logprobs") and not fields["scores"]:
        detail = "the server ignored the wish for log-probabilities; leave --logprobs out"
        raise Failure("no_logprobs", detail, scope="account", answer=fields)
    return fields | {"response": text}


def _scores(logprobs: dict) -> dict | None:
    """Tokens and their alternatives, in the form of chats (which llama.cpp has for completions,
    too) or of OpenAI's completions.
    """
    if tokens := logprobs.get("content"):
        chosen = [_token(one) for one in tokens]
        top = [[_token(other) for other in one.get("top_logprobs") or ()] for one in tokens]
    elif texts := logprobs.get("tokens"):
        values = map(_number, logprobs["token_logprobs"])
        chosen = list(zip(texts, values, strict=True))
        top = [list(map(list, (one or {}).items())) for one in logprobs.get("top_logprobs") or ()]
    else:
        return None
    # bytes of those tokens whose text does not say them
    exact = {str(place): one[2] for place, one in enumerate(chosen) if len(one) > 2}
    scores = {
        "tokens": [one[0] for one in chosen],
        "logprobs": [one[1] for one in chosen],
        "top": top,
    }
    if exact:
        scores["bytes"] = exact
    return scores


def _token(one: dict) -> list:
    """Text and log-probability of a token, and its bytes where the text does not say them, as of
    parts of a character.
    """
    text, exact = one["token"], one.get("bytes")
    same = exact is None or text.encode("utf-8", "replace") == bytes(exact)
    return [text, _number(one["logprob"])] + ([] if same else [exact])


def _number(value: object) -> float | None:
    return None if value is None else float(value)

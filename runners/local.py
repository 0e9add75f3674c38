"""Models on this machine, through transformers: generation, probabilities of labels and options.

Decoder-only and, for generation, encoder-decoder models. A request of kind `chat` is laid out by
the tokenizer's chat template, one of kind `completions` goes in as it is. Where a request has
`score`, the model writes nothing: it is asked how likely each of the request's `candidates` is,
token by token, and every normalisation of that stays an offline choice.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from os.path import commonprefix
from pathlib import Path

import jinja2
import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    GenerationConfig,
    PreTrainedModel,
    set_seed,
)

from analysis.errors import DataError, refuse_unknown
from runners import cache
from runners.failure import Failure
from runners.ranking import shared_prefix
from runners.ranking.shared_prefix import Question, Scores
from runners.request import key
from runners.spec import RunSpec

_SAMPLED = 1 << 20  # bytes at the end of a weight file that tell local models apart
_WINDOW = 256  # requests that are sorted by length together


@dataclass(frozen=True)
class Prompt:
    """A request as token ids.

    Attributes
    ----------
    question : Question or None
        Where texts are scored: what they share, and each text's own tokens.
    lead : list of int
        Of each text, how many of its own tokens are still the prompt's.
    """

    request: dict
    tokens: list[int]
    question: Question | None
    lead: Sequence[int]


class Local:
    """A model and its tokenizer.

    Parameters
    ----------
    spec : RunSpec
        Of it: the model's name on the Hugging Face hub or its folder (`weights`, where it has
        another name in the cache), a branch, tag or commit (a branch becomes the commit it stands
        for, a folder a digest of its files), prompts at once where the model writes, and its type
        of numbers and device: by default what the checkpoint has on a GPU and float32 on a CPU; the
        first GPU there is.
    """

    def __init__(self, spec: RunSpec):
        self.name, self.weights = spec.model, spec.weights or spec.model
        self.batch_size = spec.batch_size
        best = "cuda" if torch.cuda.is_available() else "cpu"
        self.device = torch.device(spec.device or best)
        on_cpu = self.device.type == "cpu"
        self.tokens = 2048 if on_cpu else 16384  # in one forward pass, where texts are scored
        folder, revision = Path(self.weights), spec.revision or "main"  # of a folder there is none
        self.options = {"trust_remote_code": False, "revision": revision}
        self.config = self._loaded(AutoConfig)
        self.tokenizer = self._loaded(AutoTokenizer)
        self.dtype = spec.dtype or ("float32" if on_cpu else self.config.dtype or "float32")
        if self.tokenizer.pad_token_id is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token or self.tokenizer.unk_token
        self.tokenizer.padding_side = "left"
        commit = getattr(self.config, "_commit_hash", None) or revision
        self.revision = _digest(folder) if folder.is_dir() else commit
        self.longest = getattr(self.config.get_text_config(), "max_position_embeddings", None)

    def _loaded(self, kind: type, **options):
        """The config, tokenizer or model of these weights."""
        try:
            return kind.from_pretrained(self.weights, **options, **self.options)
        except (OSError, ValueError, KeyError) as error:
            reason = str(error).strip().split("\n")[0][:300]
            raise DataError(f"the model cannot be loaded: {reason}", file=self.weights) from None

    @cached_property
    def model(self) -> PreTrainedModel:
        """The model itself, loaded when it is first asked: keys need its tokenizer alone."""
        encodes = self.config.is_encoder_decoder
        kind = AutoModelForSeq2SeqLM if encodes else AutoModelForCausalLM
        return self._loaded(kind, dtype=self.dtype).to(self.device).eval()

    @cached_property
    def way(self) -> str:
        """How prompts are shared among the texts that are scored."""
        return shared_prefix.pick(self.model)

    @cached_property
    def ends(self) -> list[int]:
        """Tokens that end a text."""
        tokens = self.model.generation_config.eos_token_id
        tokens = tokens if isinstance(tokens, list) else [tokens]
        return sorted({*tokens, self.tokenizer.eos_token_id} - {None})

    def base(self, kind: str, params: dict) -> dict:
        """What every request to this model has, with digests of the tokenizer and, for chats, of
        its template.
        """
        vocabulary = sorted(self.tokenizer.get_vocab().items())
        base = {
            "runner": "local",
            "model": self.name,
            "revision": self.revision,
            "kind": kind,
            "dtype": str(self.dtype).removeprefix("torch."),
            "params": params,
            "tokenizer": _short(repr(vocabulary)),
        }
        if kind != "chat":
            return base
        if not self.tokenizer.chat_template:
            raise DataError("has no chat template: take --kind completions", file=self.name)
        return base | {"template": _short(str(self.tokenizer.chat_template))}

    def text(self, request: dict) -> str:
        """The prompt as the model gets it.

        Raises
        ------
        DataError
            Where the chat template refuses a message, or has no place for a system prompt.
        """
        if request["kind"] == "completions":
            return request["prompt"]
        messages = request["messages"]
        try:
            text = self.tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True
            )
        except jinja2.TemplateError as error:
            raise DataError(f"the chat template refuses: {error}", file=self.name) from None
        if messages[0]["content"].strip() not in text:
            raise DataError("the chat template has no place for a system prompt", file=self.name)
        return text

    def split(self, request: dict) -> Prompt:
        """A request as token ids, with the labels or options that it wants scored.

        Raises
        ------
        Failure
            Where the model has no room for it, or a text has no token of its own.
        """
        # a chat template brings its own special tokens
        tokenize = partial(self.tokenizer, add_special_tokens=request["kind"] != "chat")
        text = self.text(request)
        tokens = tokenize(text)["input_ids"]
        length = len(tokens) + request["params"].get("max_tokens", 0)
        question, lead = None, ()
        if request.get("score"):
            if self.config.is_encoder_decoder:
                raise DataError("an encoder-decoder writes: --score is for decoder-only models")
            # Tokenized with its prompt, as a token may span the border: it counts to the option
            # then, and the other options share one token less with each other.
            joined = tokenize([text + option for option in request["candidates"]])["input_ids"]
            borders = [len(commonprefix([tokens, ids])) for ids in joined]  # noqa: RUF071 (lists)
            shared = min(borders)
            if not shared or any(len(ids) <= n for ids, n in zip(joined, borders, strict=True)):
                raise Failure("unscorable", "an option, or the prompt, has no token of its own")
            question = Question(tokens[:shared], [ids[shared:] for ids in joined])
            lead = [border - shared for border in borders]
            length = question.length
        if self.longest and length > self.longest:
            raise Failure("too_long", f"{length} tokens of {self.longest}")
        return Prompt(request, tokens, question, lead)

    def run(self, pending: Iterable[dict]) -> Iterator[list[dict]]:
        """Yield records of the answered requests, a batch at a time; requests of one run are asked
        in the same way.
        """
        pending = iter(pending)
        while window := list(islice(pending, _WINDOW)):
            prompts = []
            for request in window:
                try:
                    prompts.append(self.split(request))
                except Failure as failure:
                    yield [cache.record(request, error=str(failure))]
            for batch in self._batches(prompts):
                yield self._answered(batch)

    def _batches(self, prompts: list[Prompt]) -> Iterator[list[Prompt]]:
        """Prompts of like length together; where texts are drawn, each alone."""
        questions = [prompt.question for prompt in prompts if prompt.question]
        if questions:
            vocabulary = self.model.get_output_embeddings().weight.shape[0]
            for batch in shared_prefix.fit(questions, vocabulary, self.tokens):
                yield [prompts[place] for place in batch]
            return
        prompts = sorted(prompts, key=lambda prompt: len(prompt.tokens))
        size = 1 if prompts and _drawn(prompts[0].request) else self.batch_size
        for start in range(0, len(prompts), size):
            yield prompts[start : start + size]

    def _answered(self, batch: list[Prompt]) -> list[dict]:
        """Records of a batch; of halves of it where memory does not suffice."""
        try:
            return self._scored(batch) if batch[0].question else self._generated(batch)
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
        middle = len(batch) // 2
        if middle:
            return self._answered(batch[:middle]) + self._answered(batch[middle:])
        return [cache.record(batch[0].request, error="memory: one prompt alone does not fit")]

    def _scored(self, batch: list[Prompt]) -> list[dict]:
        scored = shared_prefix.score(self.model, [one.question for one in batch], self.way)
        return [
            cache.record(
                prompt.request,
                scores=self._kept(prompt, scores),
                usage={"prompt_tokens": len(prompt.tokens)},
            )
            for prompt, scores in zip(batch, scored, strict=True)
        ]

    def _kept(self, prompt: Prompt, scores: Scores) -> dict:
        """What is kept of the scored labels; of options also what each token has under the
        distribution one place later, which some rules of ranking need.
        """
        texts, ids = prompt.request["candidates"], prompt.question.options
        rows = zip(texts, ids, prompt.lead, scores.tokens, scores.unshifted, strict=True)
        options = [
            {
                "text": text,
                "tokens": self.tokenizer.convert_ids_to_tokens(own[lead:]),
                "logprobs": logprobs[lead:],
                "unshifted": unshifted[lead:],
            }
            for text, own, lead, logprobs, unshifted in rows
        ]
        if prompt.request["score"] == "labels":
            return {"labels": {option["text"]: sum(option["logprobs"]) for option in options}}
        return {"options": options}

    @torch.inference_mode()
    def _generated(self, batch: list[Prompt]) -> list[dict]:
        first = batch[0].request
        tokens = {"input_ids": [prompt.tokens for prompt in batch]}
        padded = self.tokenizer.pad(tokens, return_tensors="pt").to(self.device)
        if _drawn(first):  # a draw belongs to its request, whatever else was asked before
            set_seed(int(key(first)[:8], 16))
        written = self.model.generate(
            **padded,
            generation_config=self._config(**first["params"]),
            tokenizer=self.tokenizer,
        )
        start = 1 if self.config.is_encoder_decoder else padded["input_ids"].shape[1]
        rows = written[:, start:].tolist()
        return [self._record(prompt, row) for prompt, row in zip(batch, rows, strict=True)]

    def _record(self, prompt: Prompt, row: list[int]) -> dict:
        end = next((place for place, token in enumerate(row) if token in self.ends), None)
        row = row[:end]
        while end is None and row and row[-1] == self.tokenizer.pad_token_id:
            row = row[:-1]  # a stop string ended it earlier
        stopped = end is not None or len(row) < prompt.request["params"]["max_tokens"]
        return cache.record(
            prompt.request,
            response=self.tokenizer.decode(row, skip_special_tokens=True),
            finish_reason="stop" if stopped else "length",
            usage={"prompt_tokens": len(prompt.tokens), "completion_tokens": len(row)},
        )

    def _config(
        self, max_tokens: int, temperature: float = 0, stop: list | str | None = None, **more
    ) -> GenerationConfig:
        """Greedy, or drawn at a temperature: the request says it all, and nothing of the model's
        own settings is mixed in.
        """
        refuse_unknown("parameter of a local model", GenerationConfig().to_dict(), *more)
        if temperature > 0:
            more |= {"do_sample": True, "temperature": temperature}
        given = self.model.generation_config
        return GenerationConfig(
            max_new_tokens=max_tokens,
            stop_strings=stop,
            bos_token_id=given.bos_token_id,
            decoder_start_token_id=given.decoder_start_token_id,
            eos_token_id=self.ends or None,
            pad_token_id=self.tokenizer.pad_token_id,
            **more,
        )


def _drawn(request: dict) -> bool:
    return request["params"].get("temperature", 0) > 0


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _digest(folder: Path) -> str:
    """Tells local models apart: names, sizes and ends of the files that decide the answers."""
    parts = []
    for file in sorted(folder.iterdir()):
        if file.suffix in (".json", ".safetensors", ".bin", ".model"):
            size = file.stat().st_size
            with open(file, "rb") as handle:
                handle.seek(max(0, size - _SAMPLED))
                parts.append(f"{file.name} {size} {hashlib.sha256(handle.read()).hexdigest()}")
    return "digest-" + _short("\n".join(parts))

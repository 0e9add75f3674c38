"""Log-probabilities of many continuations of one prompt, with the prompt computed once.

Two ways give the same numbers. `packed`: the prompt and a tree of the continuations' tokens in
one sequence; each token sees the prompt and its own predecessors, and positions restart at the
prompt's end. `plain`: each continuation with its prompt. A model whose positions or attention
cannot take the first (ALiBi, recurrent states, ...) is told by a trial (`pick`), never by its name.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

_TOLERANCE = 1e-4  # largest difference of a log-probability between two ways, in float32
_LOGITS = 2**28  # numbers that a batch may have in its logits: 1 GiB in float32
_DIGITS = 5  # of a log-probability
_PADDING = 1.05  # most places of a batch for each that is needed


@dataclass(frozen=True)
class Question:
    """A prompt and its continuations as token ids; none is empty."""

    prompt: list[int]
    options: list[list[int]]

    @property
    def length(self) -> int:
        """Tokens of the prompt with its longest continuation."""
        return len(self.prompt) + max(map(len, self.options))


_TRIAL = Question([5, 9, 7, 11, 6], [[8, 10], [8, 10, 12], [13], [8, 7, 7, 5]])


@dataclass(frozen=True)
class Scores:
    """Natural log-probabilities, a list an option, a number a token.

    Attributes
    ----------
    tokens : list of list of float
        Each token after the prompt and the tokens before it.
    unshifted : list of list of float
        Each token under the distribution that the model gives one place later, where that token is
        visible already: what Xiezhi's published evaluator sums.
    """

    tokens: list[list[float]]
    unshifted: list[list[float]]


@dataclass(frozen=True)
class Tree:
    """Continuations as one tree, so that what they share at their beginning is computed once.

    Attributes
    ----------
    tokens, parents : list of int
        A node a token; the parent's node, -1 for the prompt. Parents come before children.
    paths : list of list of int
        The nodes of each continuation.
    """

    tokens: list[int]
    parents: list[int]
    paths: list[list[int]]


def _tree(options: Sequence[Sequence[int]]) -> Tree:
    """The tree of the continuations' tokens."""
    nodes = {}  # parent and token -> number of the node
    paths = []
    for option in options:
        path, node = [], -1
        for token in option:
            node = nodes.setdefault((node, token), len(nodes))
            path.append(node)
        paths.append(path)
    return Tree([token for _, token in nodes], [parent for parent, _ in nodes], paths)


def _ancestors(parents: Sequence[int]) -> torch.Tensor:
    """Which token sees which, shape (tokens, tokens): itself and what leads to it from the first,
    whose parent is -1.
    """
    sees = np.eye(len(parents), dtype=bool)  # row by row much faster than a tensor
    for token, parent in enumerate(parents):
        if parent >= 0:
            sees[token] |= sees[parent]
    return torch.from_numpy(sees)


def packed(model, questions: Sequence[Question]) -> list[Scores]:
    """One forward pass for all questions: prompts end, and trees begin, at the same place of the
    padded batch.
    """
    trees = [_tree(question.options) for question in questions]
    border = max(len(question.prompt) for question in questions)
    after = max(len(nodes.tokens) for nodes in trees)
    ids = torch.zeros(len(questions), border + after, dtype=torch.long)
    # padding sees itself: no empty softmax
    sees = torch.eye(border + after, dtype=torch.bool).repeat(len(questions), 1, 1)
    for row, (question, nodes) in enumerate(zip(questions, trees, strict=True)):
        n = len(question.prompt)
        taken = slice(border - n, border + len(nodes.tokens))
        ids[row, taken] = torch.tensor(question.prompt + nodes.tokens)
        # a chain, then the tree, whose beginnings follow the prompt's last token
        parents = [*range(-1, n - 1), *(n + parent for parent in nodes.parents)]
        sees[row, taken, taken] = _ancestors(parents)
    positions = sees.sum(dim=-1) - 1  # of each token: how many lead to it
    mask = torch.zeros(sees.shape, dtype=model.dtype)
    mask.masked_fill_(~sees, torch.finfo(model.dtype).min)
    inputs = {"input_ids": ids, "attention_mask": mask[:, None], "position_ids": positions}
    logits = _logits(model, after + 1, **inputs)
    return [_along(row, nodes) for row, nodes in zip(logits, trees, strict=True)]


def _logits(model, keep: int, **inputs: torch.Tensor) -> torch.Tensor:
    """Logits of the last `keep` tokens."""
    inputs = {name: tensor.to(model.device) for name, tensor in inputs.items()}
    with torch.inference_mode():
        return model(**inputs, use_cache=False, logits_to_keep=keep).logits[:, -keep:]


def _along(logits: torch.Tensor, nodes: Tree) -> Scores:
    """Scores from the logits of the prompt's last place and of every node, shape (1 + nodes or
    more, vocabulary).
    """
    table = logits[: len(nodes.tokens) + 1].float().log_softmax(-1)

    def values(rows: list[int]) -> list[list[float]]:
        logprobs = table[rows, nodes.tokens].tolist()
        return [[round(logprobs[node], _DIGITS) for node in path] for path in nodes.paths]

    before = [parent + 1 for parent in nodes.parents]
    return Scores(values(before), values([*range(1, len(table))]))


def plain(model, question: Question) -> Scores:
    """Each continuation with its prompt: slow, and right for every causal model."""
    scores = Scores([], [])
    for option in question.options:
        ids = torch.tensor([question.prompt + option])
        (logits,) = _logits(model, len(option) + 1, input_ids=ids)
        one = _along(logits, _tree([option]))
        scores.tokens.extend(one.tokens)
        scores.unshifted.extend(one.unshifted)
    return scores


def pick(model) -> str:
    """`packed`, if it agrees with `plain` on a small copy of this model's architecture.

    Two layers with random weights in float32: small weights would hide a wrong position, half
    precision would drown it.
    """
    try:
        trial = _copy(model)
        exact, shared = (_flat(score(trial, [_TRIAL], way)) for way in ("plain", "packed"))
    except Exception:  # of all kinds, where it cannot be built anew, or called so
        return "plain"
    return "packed" if (shared - exact).abs().max() <= _TOLERANCE else "plain"


def _copy(model):
    config = copy.deepcopy(model.config)
    config.num_hidden_layers, config.vocab_size = min(2, config.num_hidden_layers), 64
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[: config.num_hidden_layers]
    for name in ("bos_token_id", "eos_token_id", "pad_token_id"):
        setattr(config, name, 0)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        small = type(model)(config)
        for weights in small.parameters():
            if weights.dim() > 1:
                weights.data.normal_(std=weights.shape[-1] ** -0.5)
    return small.float().to(model.device).eval()


def _flat(scores: list[Scores]) -> torch.Tensor:
    return torch.tensor([value for one in scores for row in one.tokens for value in row])


def score(model, questions: Sequence[Question], way: str) -> list[Scores]:
    """Scores of a batch of questions.

    Parameters
    ----------
    model : transformers causal language model, in evaluation mode
    questions : sequence of Question
    way : {"packed", "plain"}
        Batches with a question longer than a sliding window are always scored `plain`.
    """
    config = model.config.get_text_config()
    window = getattr(config, "sliding_window", None)
    slides = window and getattr(config, "use_sliding_window", True)
    fits = not slides or max(question.length for question in questions) <= window
    if way == "packed" and fits:
        return packed(model, questions)
    return [plain(model, question) for question in questions]


def fit(questions: Sequence[Question], vocabulary: int, tokens: int) -> list[list[int]]:
    """Indices of `questions` in batches of similar length, so that little is padding.

    A batch has at most `tokens` places and `_LOGITS` numbers in its logits, unless a single
    question has more.
    """
    sizes = [(len(one.prompt), len(_tree(one.options).tokens)) for one in questions]
    batches = []
    for i in sorted(range(len(sizes)), key=sizes.__getitem__):
        batch = [*batches[-1], i] if batches else [i]
        prompts, options = zip(*(sizes[j] for j in batch), strict=True)
        size = len(batch) * (max(prompts) + max(options))
        logits = len(batch) * (max(options) + 1) * vocabulary
        needed = sum(prompts) + sum(options)
        if batches and size <= min(tokens, _PADDING * needed) and logits <= _LOGITS:
            batches[-1] = batch
        else:
            batches.append([i])
    return batches

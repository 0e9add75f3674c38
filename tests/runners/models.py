"""Tiny random models with a tokenizer trained on the spot: real architectures, weights that know
nothing.
"""

from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer, Tokenizer
from transformers import (
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}
CORPUS = [
    "Which of the following is right? A. one B. two C. three D. four Answer: A",
    "བོད་ཡིག་གི་དྲི་བ། ไทย คำถาม فارسی پرسش 中文问题 选项",
] * 20
TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    + TEMPLATE
)


def tokenizer(template: str | None = TEMPLATE, texts=CORPUS, size=400) -> PreTrainedTokenizerFast:
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, size, special_tokens=["<pad>", "<s>", "</s>"])
    fast = Tokenizer.from_str(trained.to_str())
    made = PreTrainedTokenizerFast(
        tokenizer_object=fast, bos_token="<s>", eos_token="</s>", pad_token="<pad>"
    )
    made.chat_template = template
    return made


def save(folder: Path, kind: str, template: str | None = TEMPLATE) -> str:
    """A seeded model in `folder`, its weights spread so widely that its answers differ."""
    torch.manual_seed(0)
    tokens = tokenizer(template)
    ids = {"vocab_size": len(tokens), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    if kind == "llama":
        model = LlamaForCausalLM(
            LlamaConfig(**SMALL, **ids, max_position_embeddings=256, initializer_range=0.3)
        )
    elif kind == "neox":
        model = GPTNeoXForCausalLM(
            GPTNeoXConfig(**SMALL, **ids, max_position_embeddings=256, initializer_range=0.3)
        )
    else:
        sizes = {"d_model": 32, "d_ff": 64, "d_kv": 8, "num_layers": 2, "num_heads": 4}
        model = T5ForConditionalGeneration(
            T5Config(**sizes, **ids, decoder_start_token_id=0, initializer_factor=2.0)
        )
    model.save_pretrained(folder)
    tokens.save_pretrained(folder)
    return str(folder)

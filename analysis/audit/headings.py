"""Words of headings and row names that tell what the columns and rows of a result table are."""

import re
from typing import Literal

ColumnRole = Literal[
    "label",
    "block",
    "text",
    "part",
    "average",
    "total",
    "n",
    "rank",
    "change",
    "spread",
    "interval",
    "p",
    "size",
    "other",
    "empty",
]
RowRole = Literal[
    "data",
    "section",
    "average",
    "total",
    "n",
    "human",
    "random",
    "change",
    "spread",
    "other",
]
_NOT_AVERAGE = (
    r"(?!.*\b(rank|reciprocal|iou|error|abs|squared|len(gth)?|time|tokens?|cost|latency|turns?|"
    r"steps?|words|price|speed|f1|precision|recall|ap)\b)"
)
AVERAGE = re.compile(
    rf"(?i)^\W*{_NOT_AVERAGE}(((macro|micro|weighted|arith\w*|geo\w*|overall|total|category|task|"
    r"grand|global|final)[- ]?)*(avg|ave|average|averaged|mean|averages)\b\.?|overall\b|"
    r"(macro|micro)([- ]?all)?$|all$|aggregate|"
    r"(总)?平均(分数?|值|得分|成绩|准确率|正确率)?(?![\u4e00-\u9fff])|综合|总体|全部|总分|均值|"
    r"mitte|moyenne|media$|promedio|среднее)"
)
ROW_AVERAGE = re.compile(rf"{AVERAGE.pattern}|^[^(]*\w[ _-](avg|average|mean)[ .]*$")
TOTAL = re.compile(
    r"(?i)^\W*(grand |sub)?(total|sum|all|合计|总计|总数)\b\W*"
    r"(count|number|questions|items|samples)?\W*$"
)
_ITEMS = (
    r"(questions?|samples?|items?|examples?|instances?|prompts?|problems?|queries|sentences?|"
    r"documents?|docs|tests? (set|size|items|questions)|cases|q|ex\.?)"
)
SIZES = re.compile(
    rf"(?i)^\W*(n|n\s*=.*|#\s*(test |of )?{_ITEMS}|num(ber)?\.? ?(of )?(test )?{_ITEMS}|"
    rf"no\. of {_ITEMS}|counts?|{_ITEMS}( count)?|support|数量|题数|题目数|样例数|样本数)\W*$"
)
CHANGE = re.compile(
    r"(?i)(Δ|∆|\bdelta\b(?!-?\d)|\bdiff(erence)?\.?\b|\bgains?\b|\bimprov\w*|"
    r"(?-i:\b[Dd]rop\b)|\bgap\b|\bchange\b|\bdecline\b|\brel\.? |↗|\bvs\.? base)"
)
ROW_CHANGE = re.compile(r"\w.* [-−–] \(?\w")
RANK = re.compile(r"(?i)^\W*(#|rank(ing)?|no\.?|place|pos\.?|排名|名次|序号|idx|index|id)\W*$")
SPREAD = re.compile(
    r"(?i)^std |^(.* (?=std|sd$|stderr|sem$|var$)|\W*)(±|std|sd|s\.?d\.?|se|s\.?e\.?m?\.?|"
    r"std\.? ?(dev|err)\.?|stderr|standard (deviation|error)|σ|variance|var)\W*$"
)
BOUND = re.compile(
    r"(?i)\b(ci|conf\w*|bound|9\d ?%?) .*(low|high|upper|lo$|hi$)|"
    r"\b(lower|upper) .*(ci|bound|conf|9\d)|\bci ?\d* ?[lu][lb]?\b"
)
P_VALUE = re.compile(r"(?i)^\W*((?-i:\$?p\$?)|p[- ]?val(ue)?s?|p_?adj\w*|q[- ]?value)\W*$")
SIZE = re.compile(r"(?i)(#?\s*param|\bsize\b|参数|#p\b|\(b\)$)")
OTHER = re.compile(
    r"(?i)(\bcost|\$|price|\btime\b|latency|\btokens?\b|\bdate\b|year|speed|throughput|memory|"
    r"\bgpu|flops|\bcontext\b|length|epochs?|layers?|\bdim\b|batch|release|\bmb\b|\bgb\b|"
    r"(?<=[\s(\[])ms\b|\bbits?\b|\bbpw\b|hours?|\bseed|#\s*shots?\b|^\W*shots?\W*$|\belo\b|votes|"
    r"downloads|stars|\bversion\b)"
)
LABEL = re.compile(
    r"(?i)^\W*(model|method|system|approach|name|algorithm|llm|team|submission|language|lang|task|"
    r"benchmark|dataset|subject|category|comparison|setting|metric|模型|方法|语言)s?\b"
)
MODELS = re.compile(
    r"(?i)^\W*(model|method|system|approach|llm|team|submission|algorithm|模型|方法)"
)
GROUPS = re.compile(
    r"(?i)^\W*(language|lang|task|benchmark|dataset|subject|category|metric|domain|discipline|"
    r"test set|语言|学科)"
)
MODEL_NAME = re.compile(
    r"(?i)(gpt|llama|qwen|claude|gemini|gemma|mistral|mixtral|bert|bloom|aya|phi-?\d|falcon|"
    r"deepseek|glm|baichuan|yi-|palm|o[134]-|o[134]$|t5|opt-|command|vicuna|alpaca|internlm|"
    r"minicpm|nllb|mt5|xlm|\d+(\.\d+)?[bm]\b|-instruct|-chat)"
)
RANDOM = re.compile(r"(?i)\b(random(ly)?|chance|guess(ing)?|随机)\b|随机")
HUMAN = re.compile(
    r"(?i)^\W*(avg\.? |average |best |expert |native |non-?expert )?"
    r"((humans?|annotators?|experts?|participants?|examinees?)\b|人类)"
)
ATTRIBUTE = re.compile(
    r"(?i)^\W*(link|url|source|paper|code|date|released?|org(ani[sz]ation)?|license|licence|type|"
    r"access|affiliation|submitter|contact|creator|open|weights|year|来源|日期|机构|"
    r"sig(nificant|nificance|nif|\.)?\??)\W*$"
)
LOWER = re.compile(
    r"(?i)(↓|\blower\b|\bwer\b|\bcer\b|\bter\b|perplexity|\bppl\b|\bloss\b|\berrors?\b|\bece\b|"
    r"brier|\bmae\b|\brmse\b|\bmse\b|\bfid\b|hallucination rate|latency|\bbpb\b|\bnll\b|"
    r"mean rank)"
)
HIGHER = re.compile(
    r"(?i)(↑|\bhigher\b|accuracy|\bacc\b|\bf1\b|bleu|rouge|chrf|comet|\bauroc\b|\bauc\b|pass@|"
    r"hit[s@]|\bmrr\b|ndcg|recall|precision|\bem\b|exact match|\bmap\b|win rate|score|mmlu)"
)
CODE_OF_A_LANGUAGE = re.compile(
    r"(?!avg|acc|std|sum|all|max|min|num|ppl|wer|cer|map|mrr|em$|f1)[a-z]{2,3}$"
)
METRICS = {
    "pass@1": r"pass@1\b",
    "other": r"\bmrr\b|reciprocal rank|mean rank|\bhits?\s*@|\brecall\s*@|\bR@|pass@",
    "response_rate": r"(response|answer|valid|coverage)\w*\s*rate|\bcoverage\b",
    "conditional_accuracy": (
        r"conditional acc|acc\w*\s*(\||given|on answered|of answered)|selective acc"
    ),
    "f1": r"\bf-?1\b",
    "precision": r"\bprecision\b",
    "recall": r"\brecall\b",
    "accuracy": r"\bacc(uracy)?\b|准确率",
}
_SIZE_IN_HEAD = re.compile(
    r"(?i)(?:\bn\s*=\s*|#\s*=\s*)([\d,]+)|\(([\d,]+)\s*(?:questions|items|examples|samples|q)\)"
)
SIZE_IN_TEXT = re.compile(
    r"(?i)([\d,]{2,}\d)\s+(?:\w+ )?(questions|items|examples|samples|instances|problems|documents|"
    r"sentences|test cases|queries)\b(?!\W+(?:per|each|for each|in each|from each)\b)"
)


def direction(*words: str) -> str:
    """Which is better by the words of a head: "lower", "higher" or, where none says it, empty."""
    if any(LOWER.search(text) for text in words):
        return "lower"
    return "higher" if HIGHER.search(" ".join(words)) else ""


def size_in(text: str) -> int | None:
    """The n that a head or name says: "(n = 400)"."""
    match = _SIZE_IN_HEAD.search(text)
    digits = (match[1] or match[2]).replace(",", "") if match else ""
    return int(digits or 0) or None

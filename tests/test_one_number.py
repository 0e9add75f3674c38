"""One quantity has one number: what README, docs, the site's findings and claims say of it agrees
with what the library computes.

A quantity is computed once (`quantities`); `SENTENCES` says which sentences of which file name it.
A file that says another number of the same thing, or no longer says it, fails.
"""

import re
from functools import cache

import pytest

from analysis import claims, papers, paths
from analysis.papers import counts, published
from analysis.papers.khayyam import audit as khayyam
from analysis.papers.khayyam import humans
from analysis.papers.seaexam_seabench import votes
from analysis.papers.tlue import audit as tlue
from analysis.papers.xiezhi import ranking_baselines

NUMBER = r"(−?\d[\d,]*(?:\.\d+)?)"
WORDS = {"five": 5, "six": 6, "seven": 7, "none": 0, "no": 0}
# quantity -> (file, pattern whose first group is the number)
SENTENCES = {
    "ranker, paper's rule, Specialty": [
        ("README.md", f"reciprocal rank of {NUMBER} on Specialty"),
        ("docs/findings.md", f"MRR of {NUMBER} on Specialty"),
        ("docs/xiezhi.md", f"MRR of {NUMBER} on Specialty"),
    ],
    "ranker, paper's rule, Interdiscipline": [
        ("README.md", f"on Specialty and {NUMBER} on Interdiscipline; GPT-4"),
        ("docs/findings.md", f"on Specialty and {NUMBER} on Interdiscipline; GPT-4"),
        ("docs/xiezhi.md", rf"and {NUMBER} on\s+Interdiscipline \(n"),
    ],
    "ranker, released rule, Specialty": [
        ("README.md", f"the same ranker has {NUMBER} and"),
        ("docs/findings.md", f"the same ranker has {NUMBER} and"),
        ("docs/xiezhi.md", f"the same ranker has {NUMBER} and"),
    ],
    "ranker, released rule, Interdiscipline": [
        ("docs/findings.md", rf"the same ranker has [\d.]+ and {NUMBER}, below"),
        ("docs/xiezhi.md", rf"the same ranker has [\d.]+ and {NUMBER}, below"),
    ],
    "GPT-4, Specialty": [
        ("README.md", f"GPT-4 has {NUMBER} and"),
        ("docs/findings.md", f"GPT-4 has {NUMBER} and"),
        ("docs/xiezhi.md", f"GPT-4 has {NUMBER} and"),
    ],
    "GPT-4, Interdiscipline": [
        ("README.md", rf"GPT-4 has [\d.]+ and {NUMBER} in"),
        ("docs/findings.md", rf"GPT-4 has [\d.]+ and {NUMBER} in"),
        ("docs/xiezhi.md", rf"GPT-4 has [\d.]+ and {NUMBER} in"),
    ],
    "Qwen2.5-72B, printed": [
        ("README.md", rf"Qwen2.5-72B \(CAA\) has {NUMBER} in"),
        ("docs/findings.md", rf"Qwen2.5-72B \(CAA\) has {NUMBER} in"),
        ("docs/tlue.md", f"Qwen2.5-72B, CAA: {NUMBER} in"),
        ("claim tlue-39", f"12 print {NUMBER};"),
    ],
    "Qwen2.5-72B, categories from Table 15": [
        ("docs/tlue.md", f"the text, {NUMBER} from Table 15"),
        ("claim tlue-39", f"give {NUMBER} as mean of categories"),
    ],
    "Qwen2.5-72B, subjects of Table 15": [
        ("README.md", f"subjects of Table 15 give {NUMBER}"),
        ("docs/findings.md", f"the text, {NUMBER} in the per-subject Table 15"),
        ("claim tlue-39", f"and {NUMBER} as mean of subjects"),
    ],
    "category means that fit": [
        ("docs/findings.md", f"All other {NUMBER} category means"),
        ("docs/tlue.md", f": {NUMBER} of 130 come out"),
    ],
    "questions of Ti-MMLU": [
        ("docs/findings.md", rf"Ti-MMLU has {NUMBER} questions"),
        ("docs/tlue.md", f"Ti-MMLU has CMMLU's {NUMBER} questions"),
        ("claim tlue-09", f"sizes that sum to {NUMBER}"),
    ],
    "per-subject percentages": [
        ("docs/findings.md", f"all {NUMBER} per-subject percentages"),
        ("docs/tlue.md", f"all {NUMBER} per-subject percentages"),
        ("claim tlue-09", f"All {NUMBER} printed per-subject"),
    ],
    "random baselines under another heading": [
        ("docs/findings.md", "wrong headings\\*\\* in (\\w+) of seven"),
        ("docs/tlue.md", "its header: (\\w+) of seven numbers"),
    ],
    "kept by the margin": [
        ("docs/findings.md", f"on {NUMBER} % of the pairs that the margin keeps"),
        ("docs/seaexam_seabench.md", rf"keeps 675 of 736 \({NUMBER} %\)"),
    ],
    "dropped by the margin": [
        ("docs/findings.md", f"keeps, on {NUMBER} % of those that it drops"),
        ("docs/seaexam_seabench.md", rf"on 156 of 221 \({NUMBER} %"),
    ],
    "four guessing pupils, text": [
        ("docs/findings.md", f"to about {NUMBER} % with four"),
        ("docs/khayyam.md", f"25 % but {NUMBER} % with four pupils"),
    ],
    "ten guessing pupils, text": [
        ("docs/findings.md", f"with four and {NUMBER} % with ten"),
        ("docs/khayyam.md", f"question, {NUMBER} % with ten"),
    ],
    "GPT-4's drop at traps": [
        ("README.md", rf"traps\*\* loses {NUMBER} points"),
        ("docs/findings.md", rf"traps\*\* loses {NUMBER} points"),
        ("docs/khayyam.md", f"GPT-4 loses {NUMBER} points"),
        ("claim khayyam-45", f"; {NUMBER} from those without"),
    ],
    "GPT-4's drop at traps, low": [
        ("docs/findings.md", rf"points \({NUMBER} to [\d.]+ with the rounding"),
        ("docs/khayyam.md", rf"points \({NUMBER} to [\d.]+ with the rounding"),
    ],
    "people's drop at traps": [
        ("README.md", f"people lose 61 to {NUMBER},"),
        ("docs/findings.md", rf"people lose \(61 to {NUMBER},"),
        ("docs/khayyam.md", f"Humans lose {NUMBER} if"),
    ],
    "impossible MRRs": [
        ("docs/findings.md", r"\*\*(\w+) MRRs of Xiezhi"),
        ("docs/xiezhi.md", r"\*\*(\w+) MRRs of Tables 7-10 are impossible"),
        ("claim xiezhi-43", r"\((\w+) with the mean rank"),
    ],
    "claims": [
        ("README.md", f"{NUMBER} claims with their verdicts"),
        ("docs/findings.md", f"{NUMBER} claims of five papers"),
        ("docs/reconciliation.md", rf"\| claims \| 275 \| 306 \| 315 \| {NUMBER}"),
    ],
}


def _of_xiezhi() -> dict[str, float]:
    table = ranking_baselines.by_option_count()
    rankers = table[table["model"].eq("baseline/combined") & table["metric"].eq("mrr")]
    rankers = rankers[rankers["n_options"] == 50].set_index(["setting", "benchmark"])["value"]
    bounds = published.results("xiezhi", metric="mrr", model="GPT-4").set_index("artifact")["value"]
    parts = {"Specialty": "xiezhi_specialty", "Interdiscipline": "xiezhi_interdiscipline"}
    found = {
        f"ranker, {rule}, {part}": rankers[setting, name]
        for rule, setting in (("paper's rule", "paper"), ("released rule", "released"))
        for part, name in parts.items()
    }
    return found | {
        "GPT-4, Specialty": bounds["table_09"],
        "GPT-4, Interdiscipline": bounds["table_10"],
        "impossible MRRs": 6,  # test_xiezhi: worked by hand
    }


def _of_tlue() -> dict[str, float]:
    row = {"model": "Qwen2.5-72B", "setting": "caa", "group_by": "average"}
    printed = published.select(published.results("tlue", benchmark="ti_mmlu"), **row)
    counted = published.select(claims.evidence.evidence("tlue"), artifact="counts", **row)
    fits = tlue.audit_averages()
    fits = fits[fits["artifact"].eq("table_01") & fits["kind"].eq("Ti-MMLU category")]
    fits = fits[fits["definition"] == "over subjects, Table 18 printed"]
    random = tlue.random_audit()
    return {
        "Qwen2.5-72B, printed": printed.set_index("artifact")["value"]["table_01"],
        "Qwen2.5-72B, subjects of Table 15": printed.set_index("artifact")["value"]["table_15"],
        "Qwen2.5-72B, categories from Table 15": counted.set_index("benchmark")["value"]["ti_mmlu"],
        "category means that fit": fits["agrees"].sum(),
        "questions of Ti-MMLU": papers.read("tlue")
        .sizes.query("benchmark == 'ti_mmlu'")["n"]
        .sum(),
        "per-subject percentages": len(counts.cells("tlue", "ti_mmlu")),
        "random baselines under another heading": (random["Fits"] != random["Category"]).sum(),
    }


@cache
def quantities() -> dict[str, float]:
    """Every quantity, computed from printed numbers, recorded ranks and counts."""
    judged = votes.decomposition(votes.exact(published.results("seaexam_seabench")), 600)
    pairs = votes.margin_pairs(judged).query("group == 'all'").set_index("model").loc["GPT-4o"]
    drops = khayyam.drops().set_index("model")
    gpt = drops.loc["GPT-4"]
    return {
        **_of_xiezhi(),
        **_of_tlue(),
        "kept by the margin": pairs["kept_value"],
        "dropped by the margin": pairs["value"],
        "four guessing pupils, text": 100 * float(humans.chance(4, 4, "exceeds")),
        "ten guessing pupils, text": 100 * float(humans.chance(10, 4, "exceeds")),
        "GPT-4's drop at traps": gpt["drop"],
        "GPT-4's drop at traps, low": gpt["ci_low"] - gpt["rounding"],
        "people's drop at traps": drops.loc["Human", "drop"],
        "claims": len(claims.ledger()),
    }


def text_of(place: str) -> str:
    if place.startswith("claim "):
        ledger = claims.ledger().set_index("id")
        return ledger.loc[place.removeprefix("claim "), "note"]
    return (paths.ROOT / place).read_text(encoding="utf-8")


def agrees(said: str, value: float) -> bool:
    """Whether a number in a text is `value`, rounded as it is written."""
    if said.lower() in WORDS:
        return WORDS[said.lower()] == value
    number = said.replace(",", "").replace("−", "-")
    return abs(float(number) - value) <= 0.5 * 10.0 ** -len(number.partition(".")[2]) + 1e-9


@pytest.mark.parametrize("quantity", SENTENCES)
def test_every_sentence_about_a_quantity_says_its_number(quantity):
    value = quantities()[quantity]
    for place, pattern in SENTENCES[quantity]:
        said = re.findall(pattern, text_of(place))
        assert len(said) == 1, f"{place} says {quantity} in another way: {pattern}"
        assert agrees(said[0], value), f"{place}: {said[0]}, computed {value}"


def test_another_number_is_not_the_same():
    assert agrees("12.3", 12.299)
    assert agrees("Six", 6)
    assert agrees("11,582", 11_582)
    assert not agrees("12.4", 12.299)
    assert not agrees("0.55", 0.544)
    assert not agrees("five", 6)

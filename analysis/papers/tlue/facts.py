"""What TLUE is made of: sizes, licences, categories, curation, and an example prompt of our own."""

import pandas as pd

from analysis.papers.tlue.arithmetic import BENCHMARKS, CATEGORIES, FILE_NAME, PRINTED_NAME, category_sizes, mapping, questions
from analysis.plots import style
from analysis.results import published
from analysis.tables import MARK

CURATION = [
    ("Source", "CMMLU,\nSafetyBench\n(Chinese)"),
    ("Translation", "by machine:\nClaude 3.5\nSonnet"),
    ("Filtering", "by rules: syntax,\nstructure"),
    ("Revision", "2 specialists,\n15 annotators"),
    ("Domain check", "experts: law,\nmedicine,\nscience"),
    ("TLUE", "Ti-MMLU,\nTi-SafetyBench"),
]


def size_table() -> pd.DataFrame:
    """Printed and counted numbers of questions."""
    text = published.facts("tlue", "text").query("quantity == 'questions'").set_index("benchmark")["value"]
    table = published.table("tlue", 3).set_index("benchmark")
    counted = {name: int(category_sizes(name)["printed"]) for name in CATEGORIES}
    rows = [
        (
            BENCHMARKS[name],
            table.loc[name, "samples"],
            text[name],
            counted[name],
            counted[name] - int(text[name].replace(",", "")),
            table.loc[name, "licence"],
        )
        for name in CATEGORIES
    ]
    total = sum(counted.values())
    rows.append(("TLUE", "–", text["tlue"], total, total - int(text["tlue"].replace(",", "")), "–"))
    return pd.DataFrame(rows, columns=["Benchmark", "Table 3", "Section 3", "Counted", "Difference", "Licence as printed"])


def abbreviation_table() -> pd.DataFrame:
    """Table 4 with the size of each category."""
    table = published.table("tlue", 4)
    sizes = category_sizes("ti_safetybench")
    return pd.DataFrame(
        {"Abbreviation": table["abbreviation"], "Category": table["category"], "Questions": table["abbreviation"].map(sizes)}
    )


def mapping_table() -> pd.DataFrame:
    """Table 18 in its printed order with the size of each subject."""
    table = published.table("tlue", 18)
    sizes = published.select(questions(), benchmark="ti_mmlu").set_index("group")["n"]
    subject = table["subject"].replace({PRINTED_NAME: FILE_NAME})
    shown = table["subject"].where(table["subject"] != PRINTED_NAME, f"{PRINTED_NAME}{MARK} ({FILE_NAME})")
    return pd.DataFrame({"Category": table["category"], "Subject": shown, "Questions": subject.map(sizes)})


def composition() -> pd.DataFrame:
    """Questions of each category: `benchmark`, `group`, `n`, `subjects`."""
    subjects = mapping("corrected").value_counts()
    names = published.table("tlue", 4).set_index("abbreviation")["category"]
    rows = [
        (BENCHMARKS[benchmark], names.get(group, group), n, int(subjects.get(group, 1)))
        for benchmark in CATEGORIES
        for group, n in category_sizes(benchmark).drop("printed").items()
    ]
    return pd.DataFrame(rows, columns=["benchmark", "group", "n", "subjects"])


def finding_overview(sizes: pd.DataFrame) -> str:
    """The composition in words."""
    parts = []
    for benchmark, part in sizes.groupby("benchmark", sort=False):
        top = part.loc[part["n"].idxmax()]
        parts.append(f"{benchmark}: {part['n'].sum():,} questions, most in {top['group']} ({top['n']:,})")
    return "; ".join(parts) + "."


def example_prompt() -> list[tuple[str, str]]:
    """A question of our own in Tibetan with its English reading, line by line: (as the model sees it, in English).

    Where the fonts cannot draw Tibetan, the first is romanized (Wylie).
    """
    lines = [
        ("བོད་ཡིག་ལ་གསལ་བྱེད་དུ་ཡོད།", "bod yig la gsal byed du yod/", "How many consonants has the Tibetan alphabet?"),
        ("A. ༢༠", "A. 20", "A. 20"),
        ("B. ༣༠", "B. 30", "B. 30"),
        ("C. ༤༠", "C. 40", "C. 40"),
        ("D. ༥༠", "D. 50", "D. 50"),
    ]
    return [(style.label(native, romanized), english) for native, romanized, english in lines]


def caption_prompt() -> str:
    """The caption of the example, which says what to install where Tibetan could not be drawn."""
    missing = style.missing_fonts().get("Tibetan")
    note = f" Tibetan is romanized here: install {missing} to see it." if missing else ""
    return f"A zero-shot multiple-choice question in Ti-MMLU's form: an example of our own, not one of the benchmark's.{note}"

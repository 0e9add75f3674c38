"""The audit of printed tables: planted errors are found by cell, clean tables raise no alarm, each
check on a known answer.
"""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.audit import noise, printed, report
from analysis.errors import DataError
from analysis.statistics.printed_counts import chance_to_pass
from reports import audit_file
from tests import hostile
from tests.audit import seeded


@pytest.fixture
def audited(tmp_path):
    """A function of a text: its audit."""

    def audit_of(text: str, name: str = "t.md", n: int | None = None):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return printed.check(printed.read([path], n))

    return audit_of


def found(audit, check: str, *levels: str) -> list:
    return [
        one for one in audit.findings if one.check == check and (not levels or one.level in levels)
    ]


def serious(audit) -> list:
    return [one for one in audit.findings if one.level != "look"]


def markdown(head: str, *rows: str) -> str:
    """A table of rows whose cells are apart by blanks."""
    lines = [head.split(), ["---"] * len(head.split()), *map(str.split, rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@pytest.mark.parametrize("kind", seeded.KINDS)
def test_planted_errors_are_found_by_cell(audited, kind):
    rng, hits, planted = np.random.default_rng(11), 0, 0
    while planted < 5:
        made = seeded.plant(seeded.clean(rng), kind, rng)
        if made is None:
            continue
        planted += 1
        text, name = (made.latex(), "t.tex") if planted % 2 else (made.markdown(), "t.md")
        audit = audited(text, name)
        hits += bool({(i, j - 1) for one in serious(audit) for i, j in one.cells} & made.cells)
    assert hits >= 4


def test_clean_tables_raise_no_alarm(audited):
    rng = np.random.default_rng(5)
    audits = [audited(seeded.clean(rng).markdown()) for _ in range(10)]
    alarms = [one for audit in audits for one in serious(audit)]
    assert len(alarms) <= 2, alarms


ONE = (0, 0, "rows")
AVERAGE = (0, 1, "rows")
# file -> each table (rows, columns, rows of averages, columns of averages, where models are), what
# the averages are, and findings that are errors or questions: each is true of the printed numbers
PUBLISHED = {
    "african_table_A1.csv": (
        [(18, 13, *AVERAGE)],
        "18 of 18 are the sum of the 11 columns times 0.00247439",
        {},
    ),
    "ceval_readme.md": (
        [(11, 6, *AVERAGE), (11, 6, *AVERAGE), (11, 3, *ONE), (11, 3, *ONE)],
        "Average: cannot tell",
        {},
    ),
    "cmmlu_readme.md": (
        [(48, 7, *AVERAGE), (48, 7, *AVERAGE)],
        "",
        {"bold": 1},
    ),
    "embedders_category_scores.tex": (
        [(5, 6, 0, 0, "columns")],
        "5 of 5 are Gemini 3.1 Pro - Best Emb.",
        {},
    ),
    "mathvista_test.html": (
        [(10, 18, *AVERAGE)],
        "cannot tell",
        {},
    ),
    "mldoc_mbert.md": ([(8, 2, 1, 0, "columns")] * 2, "", {"average": 1}),
    "simple_evals_mmmlu.md": (
        [(15, 11, 1, 0, "columns")],
        "10 of 10 are the mean of the 14 rows",
        {},
    ),
    "embedders_significance.tex": ([(8, 5, *ONE)], "", {}),
    "verbal_calibration.tex": ([(13, 9, *ONE)], "", {}),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables(benchmark_files, name):
    """None needs a correction of its reading."""
    file = benchmark_files / "printed_tables" / name
    if not file.is_file():
        pytest.skip("no printed tables there")
    shapes, definition, findings = PUBLISHED[name]
    source = printed.read([file])
    tables = source.tables
    assert shapes == [
        (len(t.rows), len(t.columns), len(t.rows_of("average")), len(t.cols("average")), t.models)
        for t in tables
    ]
    audit = printed.check(source)
    checks = [one.check for one in serious(audit)]
    assert {check: checks.count(check) for check in checks} == findings
    assert definition in " ".join(one.says for one in audit.coverage)


@given(st.integers(0, 2**31))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_table_breaks_the_audit(audited, seed):
    """Odd names, few rows, empty cells: every check ends."""
    rng = np.random.default_rng(seed)
    names = ["M", "Random", "Human", "Average", "Total", "n", "Δ", "std", "", "A - B", "Rank", "%"]
    texts = ["", "-", "1", "0", "12.5", "+3.1", "-0.2", "x", "5 (+1.0)", "[1, 2]", "99.0%", "1e-3"]
    rows, columns = rng.integers(2, 7, 2)
    lines = [rng.choice(names, columns), *(rng.choice(texts, columns) for _ in range(rows))]
    for line in lines[1:]:
        line[0] = rng.choice(names)
    lines.append(np.array(["M2", *["12.5"] * (columns - 1)]))
    lines.append(np.array(["M3", *["2.5"] * (columns - 1)]))
    text = f"| {' | '.join(lines[0])} |\n|{'---|' * columns}\n"
    text += "".join(f"| {' | '.join(line)} |\n" for line in lines[1:])
    with contextlib.suppress(DataError):
        report.Report(printed.Source(), audited(text + "\nM2 is 2.5 points better than M3.")).text()


def test_integer_counts_by_column(audited):
    text = markdown(
        "Model Accuracy(n=60)", *(f"M{k} {100 * k / 60:.2f}" for k in (17, 23, 31, 12, 40, 28, 35))
    )
    audit = audited(text.replace("28.33", "28.53"))
    (one,) = found(audit, "integer count")
    assert (one.level, one.expected, one.cells) == ("question", "17 of 60", ((0, 1),))
    audit = audited(text.replace("(n=60)", ""), n=2_000_000)
    assert any("probability 0" in one.sees for one in audit.coverage)
    assert chance_to_pass(3, 0) == 4 / 101
    assert chance_to_pass(1000, 1) == 1
    assert chance_to_pass(100, 4) == 101 / 1_000_001


def test_totals(audited):
    text = (
        "Subject,dev,test,Total\nMaths,10,120,130\nLaw,12,98,110\nArt,7,203,210\nTotal,29,421,450\n"
    )
    assert not found(audited(text, "t.csv"), "total")
    audit = audited(text.replace("210", "201"), "t.csv")
    assert (2, 3) in {one.cells[0] for one in found(audit, "total", "error")}


@pytest.mark.parametrize("role, printed", [("Total", (606, 660, 500)), ("Avg", (202, 220, 250))])
def test_a_lone_total_or_average_that_is_a_slip_away(audited, role, printed):
    """Right, a slip away, far away."""
    for shown, expected in zip(printed, (0, 1, 0), strict=True):
        text = f"Kind,Failures\nNames,168\nDates,77\nPlaces,361\n{role},{shown}\n"
        findings = found(audited(text, "t.csv"), "total", "question")
        findings += found(audited(text, "t.csv"), "average", "question")
        assert [one.expected for one in findings] == [str(printed[0])] * expected


def test_bold_by_block_underline_and_lower_is_better(audited):
    text = r"""\begin{tabular}{lccc}\toprule Model & Acc & F1 & WER $\downarrow$ \\ \midrule
A & \textbf{71.0} & \underline{60.0} & \textbf{5.0} \\
B & \underline{70.0} & \textbf{61.0} & \underline{6.0} \\
C & 65.0 & 59.0 & 7.0 \\
D & 62.0 & 58.0 & 8.0 \\
\midrule E & \textbf{81.0} & \underline{75.0} & 3.5 \\
F & 79.0 & \textbf{76.0} & \textbf{2.0} \\
G & \underline{80.0} & 74.0 & \underline{3.0} \\
H & 70.0 & 71.0 & 9.0 \\
\bottomrule\end{tabular}"""
    assert not serious(audited(text, "t.tex"))
    wrong = text.replace(r"\textbf{2.0}", "2.0").replace("9.0", r"\textbf{9.0}")
    (one,) = found(audited(wrong, "t.tex"), "bold", "error", "question")
    assert one.where == "H / WER ↓"
    assert one.expected == "2.0"
    again = text.replace("H & 70.0", r"H & \textbf{70.0}")
    (one,) = found(audited(again, "t.tex"), "bold", "question")
    assert one.where == "H / Acc"
    several = again.replace("74.0", r"\textbf{74.0}")
    assert not serious(audited(several, "t.tex"))


def test_differences_beside_the_numbers_and_relative_ones(audited):
    text = (
        "| Model | a | b |\n|---|---|---|\n| Base | 60.0 | 50.0 |\n| + x | 62.5 (+2.5) | "
        "51.0 (+1.0) |\n| + y | 65.0 (+5.0) | 49.0 (-1.0) |\n| + z | 61.0 (+1.0) | 55.5 (+5.5) |\n"
    )
    assert not found(audited(text), "change")
    audit = audited(text.replace("62.5 (+2.5)", "62.5 (+5.2)"))
    (one,) = found(audit, "change", "error", "question")
    assert one.where == "+ x / a"
    assert one.expected == "2.5"
    pairs = zip("ABCDE", (40, 55, 30, 70, 20), (50, 60, 33, 63, 31), strict=True)
    rows = [f"{m} {a}.0 {b}.0 {100 * (b - a) / a:.1f}" for m, a, b in pairs]
    audit = audited(markdown("Model before after gain(%)", *rows))
    assert not found(audit, "change")
    assert any("(after - before) / before in %" in one.says for one in audit.coverage)


RELATED = {  # heads -> numbers of a row by two random integers, and the level of a wrong one
    "Right Wrong Both": (lambda a, b: (a, b, a + b), "question"),
    "P R F1": (lambda a, b: (a, b, round(2 * a * b / (a + b), 1)), "question"),
    "Correct Items Solved": (lambda a, b: (a, a + b, round(100 * a / (a + b), 1)), "question"),
    "A B C": (lambda a, b: (a / 10, b / 10, round(100 - a / 10 - b / 10, 1)), "look"),
    "Score Solved": (lambda a, b: (f"{a / (a + b):.1%}", f"{a}/{a + b}"), "error"),
}


@pytest.mark.parametrize("heads", RELATED)
def test_relations_by_arithmetic(audited, heads):
    numbers, level = RELATED[heads]
    pairs = np.random.default_rng(3).integers(100, 400, (10, 2))
    pairs[:, 1] = np.where("Score" in heads, 500 - pairs[:, 0], pairs[:, 1])
    rows = [[f"M{k}", *map(str, numbers(*pair))] for k, pair in enumerate(pairs.tolist())]
    body = [" ".join(row) for row in rows]
    assert not found(audited(markdown(f"Model {heads}", *body)), "relation")
    rows[4][1] = f"{float(rows[4][1].strip('%')) + 7:.1f}" + "%" * ("%" in rows[4][1])
    (one,) = found(audited(markdown(f"Model {heads}", *map(" ".join, rows))), "relation")
    assert one.level == level
    assert (4, 1) in one.cells


def test_columns_of_zeros_are_no_differences(audited):
    rows = [f"M{k} {40 + k}.1 {50 - k}.2 0.0 0.0 {0 if k % 5 else 5.7:+.1f}" for k in range(12)]
    assert not found(audited(markdown("Model a b c d gain", *rows)), "change")


# the last is a model, though other tables call changes so
TEXT = "# R\n\n" + markdown(
    "Model QA NLI Avg", "Alpha 70.0 60.0 65.0", "Beta 66.8 63.0 64.9", "Omega 50.0 41.0 45.5"
)


PAPER = r"""\begin{document}\begin{table}
\begin{tabular}{lrr} Model & QA & NLI \\ GPT-4o-mini & 71.3 & 60.4 \\
Ours & 72.8 & 61.5 \end{tabular}\caption{A}\label{a}\end{table}
\begin{table}
\begin{tabular}{lrr} Model & QA & NLI \\ GPT-4o-mini & 81.7 & 50.9 \\
Ours & 82.6 & 52.2 \end{tabular}\caption{B}\label{b}\end{table}

"""


@pytest.mark.parametrize(
    "sentence",
    [
        "Alpha outperforms Beta on QA by 3.2 points.",
        "Alpha achieves the best QA score of 70.0.",
        "Alpha outperforms Beta on one of two tasks.",
        "On QA, Beta is 33.6% better than Omega.",
        "Beta reaches 66.8% on qa and 63.0 on NLI.",
    ],
)
def test_a_sentence_that_the_table_confirms(audited, sentence):
    audit = audited(TEXT + f"\n{sentence}\n")
    assert not found(audit, "text")
    assert any(one.kind == "text" for one in audit.coverage)


@pytest.mark.parametrize(
    "sentence, printed_text, expected",
    [
        ("Alpha outperforms Beta on QA by 4.2 points.", "4.2", "3.2"),
        ("Alpha outperforms Beta on all tasks.", "outperforms", "1 of 2"),
        ("Omega achieves the best QA score.", "the best", "Alpha (70.0)"),
        ("Omega reaches the highest score of 70.0.", "the highest score", "Alpha (70.0)"),
        ("Beta reaches 66.3 on QA.", "66.3", "66.8"),
        ("Omega has 50.0 on QA, but 14.0 on NLI.", "14.0", "41.0"),
        (r"In Table~\ref{b}, GPT4o mini reaches 87.1 on QA.", "87.1", "81.7"),
        (r"By \cref{a}, our method scores 62.5 on NLI.", "62.5", "61.5"),
        (r"\emph{The} gap is clear (40.1 vs. 50.3, a 10.5 pp gap).", "10.5", "10.2"),
    ],
)
def test_a_sentence_that_the_table_contradicts(audited, sentence, printed_text, expected):
    text, name = (PAPER, "t.tex") if "\\" in sentence else (TEXT, "t.md")
    audit = audited(f"{text}\n{sentence}\n", name)
    (one,) = found(audit, "text", "question")
    assert (one.printed, one.expected, one.line) == (printed_text, expected, 9)


@pytest.mark.parametrize(
    "sentence",
    [
        "Gemini 2.5 and Alpha 3.1 were run with a temperature of 0.7 on 12.5 GB.",
        "Alpha Pro reaches 99.9 on QA.",
        "Alpha does not outperform Beta on NLI.",
        "Among small models, Omega achieves the best QA score.",
        "Alpha-based systems outperform Beta on NLI.",
        "Alpha and Omega reach about 51.4 on QA, and 57% (171 of 300) are right.",
    ],
)
def test_a_sentence_that_is_not_decided(audited, sentence):
    audit = audited(TEXT + f"\n{sentence}\n")
    assert not found(audit, "text", "error", "question")


def test_numbers_that_no_table_has_are_counted_and_folded(audited, tmp_path):
    audit = audited(TEXT + "\nBeta and Omega gain 17.3 points on QA.\n")
    (one,) = found(audit, "text", "look")
    assert one.printed == "17.3"
    shown = report.Report(printed.Source(printed.tables(tmp_path / "t.md")), audit)
    assert "1 numbers in the text that no table has" in shown.text().splitlines()[0]
    assert "17.3" not in shown.text()
    assert "17.3" in shown.text(verbose=True)


def test_gaps(tmp_path):
    (tmp_path / "t.md").write_text(
        markdown("Model Avg", "A 80.0", "B 79.9", "C 60.0", "D 55.0"), "utf-8"
    )
    (table,) = printed.read([tmp_path / "t.md"], 1000).tables
    gaps = noise.gaps(table, 1000)
    assert [gap.verdict for gap in gaps] == ["impossible", "certain", "undetermined"]
    assert all(gap.low < gap.difference < gap.high and gap.p_low <= gap.p_high for gap in gaps)
    (sentence,) = noise.sentences(gaps, table)
    assert "n = 1000" in sentence
    assert "1 are not significant" in sentence


def test_the_page_escapes_and_marks(audited, tmp_path):
    texts = [
        text.replace('"', "'").replace("\n", " ")
        for text in hostile.OUTPUTS.values()
        if "\ud83d" not in text and len(text) < 1000
    ]
    rows = [f'"{text}",10.{k},20.{k},15.{k}' for k, text in enumerate(texts[:10])]
    rows += [f"M{i},{10 + i}.0,{21 + 2 * i}.0,{(31 + 3 * i) / 2:.1f}" for i in range(6)]
    audit = audited("\n".join(["Model,a,b,Avg", *rows, "Bad,30.0,40.0,37.0"]), "t.csv")
    page = audit_file.page(
        report.Report(printed.Source(printed.tables(tmp_path / "t.csv")), audit), "t"
    )
    page = page[page.index("<h1>Audit") :]
    tags = ("img", "script", "svg", "iframe", "form", "a ", "base")
    assert not any(f"<{tag}" in page for tag in tags)
    assert "&lt;img" in page
    assert '<td class="error">37.0<sup> 1</sup></td>' in page


def test_sarif_names_file_line_and_level(audited, tmp_path):
    audit = audited(seeded.BAD)
    (run,) = json.loads(report.Report(printed.Source(), audit).sarif(tmp_path))["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {one["ruleId"] for one in run["results"]} == rules
    assert run["tool"]["driver"]["version"]
    first = run["results"][0]
    assert (first["level"], first["ruleId"]) == ("error", "average")
    assert first["partialFingerprints"]
    place = {"artifactLocation": {"uri": "t.md"}, "region": {"startLine": 9}}
    assert first["locations"] == [{"physicalLocation": place}]


def test_nothing_is_lost_silently(tmp_path):
    table = r"""\begin{tabular}{lcc} M & a & b \\ \hline
A & 1.0 & 2.0 \\
B & 2.5 & 3.0 \\
\end{tabular}"""
    (tmp_path / "paper").mkdir()
    (tmp_path / "tables").mkdir()
    for name in ("one", "two"):
        (tmp_path / "tables" / f"{name}.tex").write_text(table)
    (tmp_path / "paper" / "main.tex").write_text(
        r"\newcommand{\cell}[1]{{$$#1}} \begin{document} \input{../tables/one} "
        r"\IfFileExists{../tables/two.tex}{\input{../tables/two.tex}}{} \input{gone} "
        + table.replace("1.0", r"\cell{1.0}")
        + "\n\n\\emph{Text.}"
    )
    source = printed.read([tmp_path])
    assert str(source) == "4 tables in the source, 3 read, 1 not read"
    assert source.paragraphs[-1].line == 6
    audit = printed.check(source)
    (lost,) = found(audit, "not read")
    assert "\\input{gone}" in lost.why
    (tmp_path / "paper" / "s").mkdir()
    (tmp_path / "paper" / "s" / "a.tex").write_text(r"\input{t}")
    (tmp_path / "paper" / "t.tex").write_text(table)
    for name in ("one", "two"):
        (tmp_path / "paper" / f"{name}.tex").write_text(r"\begin{document}\input{s/a}")
    assert str(printed.read([tmp_path / "paper"])) == "5 tables in the source, 2 read, 3 not read"
    deep = tmp_path / "deep.tex"
    deep.write_text("{" * 3000 + table + "}" * 3000)
    with pytest.raises(DataError, match="nested too deeply"):
        printed.tables(deep)

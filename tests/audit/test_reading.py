"""The same table in every format is read alike, with what is bold, beside a number, or spans."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from analysis.audit import html_tables, printed, printed_numbers
from tests.conftest import refused

MARKDOWN = """# Leaderboard

| Model | ar | hi | Avg |
|---|:-:|--:|---|
| [A](http://a) | **71.2** | 60.1 | **65.7** |
| B | 70.0 | **61.0** | 65.5 |
| Human | 90.0 | 92.0 | 91.0 |
| Random | 25.0 | 25.0 | 25.0 |
"""
LATEX = r"""\documentclass{article}
\newcommand{\best}[1]{\textbf{#1}} \newcommand{\model}{A}
\begin{document}
\section{Leaderboard}
\begin{table}\small % a comment & with marks \\
\begin{tabular}{l|cc|c}
\toprule
Model & ar & hi & Avg \\ \midrule
\model{} & \best{71.2} & 60.1 & {\bfseries 65.7} \\
\rowcolor{grey} B & 70.0 & \cellcolor{red!20}$\mathbf{61.0}$ & 65.5 \\
\cmidrule(lr){2-3}
Human & 90.0 & 92.0 & 91.0 \\
Random & 25.0 & 25.0 & 25.0 \\ \bottomrule
\end{tabular}
\end{table}
\end{document}
"""
HTML = """<h1>Leaderboard</h1><style>td {color: red}</style>
<table><thead><tr><th>Model</th><th>ar</th><th>hi</th><th>Avg</th></tr></thead>
<tbody><tr><th>A</th><td style="font-weight: bold">71.2</td><td>60.1</td><td><b>65.7</b></td></tr>
<tr><th>B</th><td>70.0</td><td style="font-weight:700">61.0</td><td>65.5</td></tr>
<tr><th>Human</th><td>90.0</td><td>92.0</td><td>91.0</td></tr>
<tr><th>Random</th><td>25.0</td><td>25.0</td><td>25.0</td></tr></tbody></table>
<script>alert(1)</script>"""
PLAIN = """Model,ar,hi,Avg
A,71.2,60.1,65.7
B,70.0,61.0,65.5
Human,90.0,92.0,91.0
Random,25.0,25.0,25.0
"""
BOLD = {(0, 1), (0, 3), (1, 2)}
FORMATS = {
    "md": MARKDOWN,
    "tex": LATEX,
    "html": HTML,
    "csv": PLAIN,
    "tsv": PLAIN.replace(",", "\t"),
}


@pytest.fixture
def only(tmp_path):
    """A function of a text and a file's name: its only table."""

    def table_of(text: str, name: str):
        (tmp_path / name).write_text(text, "utf-8")
        (table,) = printed.tables(tmp_path / name)
        return table

    return table_of


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_reads_alike(only, suffix):
    table = only(FORMATS[suffix], f"table.{suffix}")
    assert [row.label for row in table.rows] == ["A", "B", "Human", "Random"]
    assert [row.role for row in table.rows] == ["data", "data", "human", "random"]
    assert [column.role for column in table.columns] == ["label", "part", "part", "average"]
    numbers_shown = [[float(text) for text in line.split(",")[1:]] for line in PLAIN.split()[1:]]
    assert np.array_equal(table.values[:, 1:], numbers_shown)
    assert (table.decimals[:, 1:] == 1).all()
    assert np.isnan(table.values[:, 0]).all()
    if suffix in ("csv", "tsv"):
        assert not table.bold[:, 1:].any()
    else:
        assert (
            set(map(tuple, np.argwhere(table.bold).tolist())) - {(i, 0) for i in range(4)} == BOLD
        )
        assert table.heading == "Leaderboard"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("−0.35", {"value": -0.35, "decimals": 2}),
        ("71.20%", {"value": 71.2, "decimals": 2, "percent": True}),
        ("20,805", {"value": 20805, "decimals": 0}),
        ("65.3±0.4†", {"value": 65.3, "spread": True}),
        ("65.3 (+2.1)", {"value": 65.3, "change": 2.1, "change_decimals": 1}),
        ("65.3 ↓1.0", {"value": 65.3, "change": -1.0}),
        ("65.3 (0.4)", {"value": 65.3, "change": None}),
        ("65.3 [63.1, 67.4]", {"value": 65.3}),
        ("65.3 (63.1-67.4)", {"value": 65.3}),
        ("12/50 [14.3, 37.4]%", {"value": 24, "right": 12, "of": 50}),
        ("98.5% (197/200)", {"value": 98.5, "right": 197, "of": 200}),
        ("~9,300", {"value": 9300, "rough": True}),
        ("7.6B", {"value": 7.6, "magnitude": "B"}),
        (".832", {"value": 0.832, "decimals": 3}),
        ("۶۵٫۳", {"value": 65.3, "decimals": 1}),
        ("1.2e-3", {"value": 0.0012}),
    ],
)
def test_a_cell(text, expected):
    found = printed_numbers.parse(text)
    assert {name: getattr(found, name) for name in expected} == pytest.approx(expected)


def test_tables_in_blocks_of_code(tmp_path):
    rows = "| M | a | b |\n|---|---|---|\n| A | 1.5 | 2.5 |\n| B | 2.5 | 3.5 |\n"
    drawn = "```\n| A | 1.5 |\n| B | 2.5 |\n| C | 3.5 |\n```\n"
    (tmp_path / "t.md").write_text(f"Text\n\n```\n{rows}```\n\n{drawn}")
    source = printed.read([tmp_path / "t.md"])
    assert [row.line for row in source.tables[0].rows] == [6, 7]
    assert [(one.why, one.line) for one in source.unread] == [("a table in a block of code", 10)]


def test_colours_and_columns_of_a_csv(only):
    table = only(
        r"""\begin{tabular}{lrr}\rowcolor{gray!10} M & \color{teal} a & Diff \\ \midrule
A & \cellcolor[HTML]{00FF00}1.5 & \bfseries \color{teal} 8.1 \\ B & 2.5 & 3.5\end{tabular}""",
        "t.tex",
    )
    assert table.values[:, 1:].tolist() == [[1.5, 8.1], [2.5, 3.5]]
    assert table.bold[0, 2]
    heads = "model,mean_accuracy,mean_accuracy_ci_low,mean_accuracy_ci_high,accuracy_std,score"
    table = only(f"{heads}\nA,.5,.4,.6,.1,.2\nB,.6,.5,.7,.1,.1\n", "t.csv")
    roles = ["label", "part", "interval", "interval", "spread", "part"]
    assert [column.role for column in table.columns] == roles


def test_no_number():
    texts = "|-|n/a|5-shot|3 runs each|2024-09-04|GPT-4|2/128 (Tiny)|45.2 / 67.1|v1.2.3|12:30|3D AP"
    assert not [text for text in texts.split("|") if printed_numbers.parse(text) is not None]


def test_latex_spans_inputs_and_blocks(tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "main.tex").write_text(
        r"""\begin{table*}\resizebox{\textwidth}{!}{%
\begin{tabular}{@{}llcccc@{}}\toprule
& & \multicolumn{2}{c}{Dev} & \multicolumn{2}{c}{Test} \\ \cmidrule(lr){3-4}\cmidrule(lr){5-6}
& Model & Acc.\,$\uparrow$ & ECE $\downarrow$ & Acc.\,$\uparrow$ & ECE $\downarrow$ \\ \midrule
\multirow{2}{*}{\rotatebox{90}{Open}} & Qwen & 71.2$_{\pm 0.3}$ & 5.1 & \underline{70.1} & 6.0 \\
& Llama\textsuperscript{$\dagger$} & 70.0 & 4.0 & 1{,}070.0 & 6.1 \\ \midrule
\multicolumn{6}{l}{\emph{Closed}} \\
& GPT & 80.0 & 3.0 & 80.5 & 3.1 \\ \bottomrule
\end{tabular}}\caption{Results on 1,250 questions.}\end{table*}""",
        encoding="utf-8",
    )
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\begin{document}Text. \\input{tables/main}\\end{document}",
        encoding="utf-8",
    )
    (table,) = printed.tables(tmp_path)
    names = [column.name for column in table.columns[2:]]
    assert names == ["Dev: Acc. ↑", "Dev: ECE ↓", "Test: Acc. ↑", "Test: ECE ↓"]
    assert [column.better for column in table.columns[2:]] == ["higher", "lower"] * 2
    assert [row.role for row in table.rows] == ["data", "data", "section", "data"]
    assert [row.group for row in table.rows] == ["Open", "Open", "", "Closed"]
    assert table.rows[1].section == ""
    assert table.rows[3].section == "Closed"
    assert table.rows[0].block != table.rows[3].block
    assert table.numbers[0][2].spread
    assert table.values[1, 4] == 1070
    assert table.underline[0, 4]
    assert table.n == 1250
    assert table.caption == "Results on 1,250 questions."


def test_names_that_another_file_defines_are_kept(only):
    rows = [rf"\textbf{{\Ours{{}}}} & {k}.0 & 2.0 \\" for k in range(3)]
    text = "\\begin{tabular}{lcc} M & a & b \\\\ \\hline " + " ".join(rows) + "\\end{tabular}"
    assert [row.label for row in only(text, "t.tex").rows] == ["Ours"] * 3


TABLE = """<table>
<tr><th>M</th><th>a</th><th>b</th></tr>
<tr><td>A</td><td>1.0</td><td>2.0</td></tr>
<tr><td>B</td><td>1.0</td><td>2.0</td></tr>
</table>
"""
MAIN = r"""\documentclass{article}% a & b
\newcommand{\x}{1}
\begin{document}
\input{part}
\end{document}"""
PART = r"""% a comment & more
\begin{tabular}{lcc}
 M & a & b \\ \hline
 A & 1.0 & \x.0 \\
 B & 2.0 & 3.0 \\
\end{tabular}
"""
LINED = {  # file -> its text, where the table is, line of the first row
    "t.tex": (MAIN, "part.tex", 4),
    "t.html": ("<html>\n<p>x</p>\n" + TABLE, "t.html", 5),
    "t.md": ("---\na: b\n---\n\n" + TABLE, "t.md", 7),
}


@pytest.mark.parametrize("name", LINED)
def test_a_row_has_its_line_and_file(only, tmp_path, name):
    text, file, line = LINED[name]
    (tmp_path / "part.tex").write_text(PART)
    table = only(text, name)
    assert [row.line for row in table.rows] == [line, line + 1]
    assert table.file.endswith(file)


def test_an_input_outside_its_folder_is_not_read(tmp_path):
    (tmp_path / "secret.tex").write_text(
        r"\begin{tabular}{lc} A & 1.0 \\ B & 2.0 \\ C & 3.0 \end{tabular}"
    )
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "main.tex").write_text(r"\input{../secret} \input{main}")
    with refused("no table of numbers in it"):
        printed.tables(tmp_path / "paper" / "main.tex")


def test_shorthands_that_grow_without_end(only):
    bombs = ""
    for name, following in pairwise("abcdefghi"):
        inner = 300 * rf"\b{following}"
        bombs += rf"\newcommand{{\b{name}}}{{{inner}}}"
    table = r"\begin{tabular}{lc} A & 1.0 \\ B & 2.0 \\ C & 3.0 \\ D & 4.0 \end{tabular}"
    assert len(only(bombs + table + r"\ba", "t.tex").rows) >= 3


def test_decimal_commas(only):
    text = "| Modell | en | fr |\n|---|---|---|\n| A | 61,2 | 55,0 |\n| B | 59,8 | 54,1 |\n"
    table = only(text, "t.md")
    assert table.values[0, 1:].tolist() == [61.2, 55.0]


def test_one_row_a_number(only):
    head = "benchmark,model,setting,group_by,group,metric,value,suspect"
    groups = ("all", "average", 15, ""), ("x", "subject", 10, ""), ("z", "subject", 1, "true")
    lines = [
        f"b,{model},{setting},{by},{group},accuracy,{value + k}.0,{suspect}"
        for setting in ("da", "caa")
        for k, model in enumerate("ABC")
        for group, by, value, suspect in groups
    ]
    table = only("\n".join([head, *lines]), "t.csv")
    assert table.heading == "b"
    assert [(row.label, row.group) for row in table.rows[2:4]] == [("C", "da"), ("A", "caa")]
    roles = [column.role for column in table.columns]
    assert roles == ["label", "block", "part", "average"]
    assert table.columns[3].over == (2,)
    assert table.values[1, 2:].tolist() == [11, 16]
    assert table.numbers[0][2].line == 3  # every number has a line of its own


@pytest.mark.parametrize("write", ["to_html", "to_latex", "to_csv"])
def test_data_frames_with_levels(only, write):
    index = pd.MultiIndex.from_product([["Open", "Closed"], ["A", "B"]], names=["kind", "model"])
    columns = pd.MultiIndex.from_product([["Dev", "Test"], ["acc", "f1"]])
    frame = pd.DataFrame(np.arange(16.0).reshape(4, 4) + 0.5, index, columns)
    suffix = write.removeprefix("to_").replace("latex", "tex")
    table = only(getattr(frame, write)(), f"t.{suffix}")
    names = [column.name for column in table.columns]
    assert names == ["kind", "model", "Dev: acc", "Dev: f1", "Test: acc", "Test: f1"]
    assert [(row.group, row.label) for row in table.rows] == list(index)
    assert np.array_equal(table.values[:, 2:], frame.to_numpy())


def test_models_in_columns_and_sizes_in_a_row(only):
    text = "Task,GPT-4,Llama-3-8B,n\nQA,71.0,65.0,200\nNLI,80.5,70.0,400\nAverage,75.8,67.5,\n"
    table = only(text, "t.csv")
    assert table.models == "columns"
    assert table.rows[2].role == "average"
    assert [row.n for row in table.rows] == [200, 400, None]


def test_corrections(only, tmp_path):
    text = "Name,x,y,z\nA,10.0,20.0,15.0\nB,30.0,40.0,35.0\nC,11.0,12.0,11.5\n"
    correction = tmp_path / "t.audit.yaml"
    correction.write_text(
        "tables:\n  1:\n    columns: {z: average, x: {better: lower}}\n"
        "    rows: {C: {role: human}}\n    n: 200\n",
        encoding="utf-8",
    )
    table = only(text, "t.csv")
    assert (table.columns[3].role, table.rows[2].role) == ("average", "human")
    assert table.size(0, 1) == 200
    assert table.columns[1].better == "lower"
    for wrong, reason in (
        ("tables: {1: {columns: {zz: average}}}", "no such column 'zz': did you mean z"),
        ("tables: {1: {rows: {A: avrage}}}", "did you mean average"),
        ("tables: {7: {}}", "no such table '7'"),
        ("[1]", "valid dictionary"),
    ):
        correction.write_text(wrong, "utf-8")
        with refused(reason):
            only(text, "t.csv")


def test_files_that_hold_no_table_end_quickly_with_a_sentence(only, tmp_path):
    for name, content, reason in (
        ("a.md", "# Text", "no table of numbers in it"),
        ("a.docx", "x", "cannot read .docx"),
        ("a.md", "| a | b |\n|---|---|\n| x | y |\n", "no table of numbers"),
        ("t.html", "<div>" * 50_000 + TABLE + "</div>" * 50_000, "nested too deeply"),
        ("t.csv", (",2.0" * 4_999 + "\n") * 2, "300 columns"),
        ("t.csv", "1,2.0\n" * 60_000, "100,000 cells"),
    ):
        with refused(reason):
            only(content, name)
    with refused("no such file"):
        printed.tables(tmp_path / "absent.md")


def test_span_of_millions_is_no_attack():
    document = html_tables.read(
        "<table><tr><td "
        "colspan='999999999'>x</td><td>1</td></tr><tr><td>a</td><td>2</td></tr></table>"
    )
    (grid,) = document.grids
    assert len(grid.rows[0]) <= 2 * html_tables.MAX_SPAN

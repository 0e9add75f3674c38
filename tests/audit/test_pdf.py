"""Tables of PDFs that pdflatex makes are read as their LaTeX source is."""

import shutil
import subprocess
import sys

import numpy as np
import pytest

from analysis.audit import layout, printed
from tests.conftest import refused

SOURCE = r"""\documentclass[twocolumn]{article}\usepackage{booktabs}\begin{document}
\section{Results} As Table 1 shows, words that stand in the same lines as a table
do not belong to it, and a column of text lies beside it.
\begin{table}[h]\centering\small\begin{tabular}{llcccc}\toprule
& & \multicolumn{2}{c}{Dev} & \multicolumn{2}{c}{Test} \\ \cmidrule(lr){3-4}\cmidrule(lr){5-6}
Size & Model & Acc. & F1 & Acc. & F1 \\ \midrule
7B & Qwen 2.5 & 71.2 & 65.1 & \textbf{70.1} & 66.0 \\
7B & Llama 3 & \textbf{73.0} & 64.0 & 69.0 & 66.1 \\ \midrule
\multicolumn{6}{l}{\emph{Closed models}} \\
-- & GPT-4o & 80.0 & \underline{63.0} & 80.5 & 63.1 \\
-- & Claude & 81.5$_{\pm0.3}$ & 73.0 & 79.5 & 70.1 \\ \bottomrule
\end{tabular}\caption{Results on 1,250 questions.}\end{table}
\begin{table*}[b]\centering\begin{tabular}{lrrrr}\hline
Language model & Arabic & Hindi & Swahili & Average \\ \hline
GPT-4o & 71.2 & 60.1 & 55.5 & 62.3 \\
Llama 3.1 70B & 70.0 & 61.0 & 50.0 & 60.3 \\
Aya 23 & 60.0 & 51.0 & 40.0 & 50.3 \\
Gemma 2 9B & 58.0 & 49.0 & 37.0 & 48.0 \\
Mistral & 48.0 & 39.0 & 27.0 & 39.0 \\
Random & 25.0 & 25.0 & 25.0 & 25.0 \\ \hline
\end{tabular}\caption{Main results.}\end{table*}\end{document}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    pytest.importorskip("pdfplumber", reason="the extra pdf is not installed")
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex")
    folder = tmp_path_factory.mktemp("pdf")
    (folder / "t.tex").write_text(SOURCE)
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", "t.tex"], cwd=folder, check=True, capture_output=True
    )
    return folder


def test_a_pdf_reads_as_its_source(made):
    """Tables of wide gaps are; blocks of fewer than three rows are no table."""
    _, source = printed.tables(made / "t.tex")
    (read,) = printed.tables(made / "t.pdf")
    assert [row.label for row in read.rows] == [row.label for row in source.rows]
    assert np.array_equal(read.values, source.values, equal_nan=True)


def test_what_is_wrong_is_found_and_the_reading_says_that_it_is_unsure(made):
    tables = printed.tables(made / "t.pdf")
    (wrong,) = [
        one for one in printed.check(printed.Source(tables)).findings if one.level == "error"
    ]
    assert wrong.where == "Mistral / Average"
    assert wrong.expected == "38.00"
    assert "give the source" in layout.explain(tables[0])


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pdfplumber", None)
    (tmp_path / "t.pdf").write_bytes(b"%PDF-1.4")
    with refused(r"polyexam\[pdf\]"):
        printed.tables(tmp_path / "t.pdf")


def test_no_pdf(tmp_path):
    pytest.importorskip("pdfplumber", reason="the extra pdf is not installed")
    (tmp_path / "t.pdf").write_bytes(b"not a PDF")
    with refused("not a PDF"):
        printed.tables(tmp_path / "t.pdf")

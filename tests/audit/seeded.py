"""Tables made for a test of the audit: clean ones, and each kind of error planted into them.

An error counts as one that arithmetic can detect where it breaks a relation that the clean table
keeps beyond rounding; the generator decides that from the numbers it made, not with the audit's
code.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

MODELS = (
    "GPT-4o Claude-3.5-Sonnet Llama-3.1-70B Qwen2.5-72B Gemma-2-9B Mistral-7B Phi-3-mini "
    "Aya-23-8B BLOOMZ-7B Yi-34B Falcon-40B GLM-4 DeepSeek-V3 InternLM2-20B Command-R "
    "OLMo-7B mT5-XXL Vicuna-13B StableLM-3B Baichuan2-13B"
).split()
GROUPS = ("Arabic Bengali Hindi Swahili Thai Yoruba Korean Telugu Urdu Zulu").split()


ROWS = "".join(
    f"| M{i} | {10 + 3 * i}.0 | {21 + 2 * i}.0 | {(31 + 5 * i) / 2:.1f} |\n" for i in range(6)
)
GOOD = "| Model | a | b | Avg |\n|---|---|---|---|\n" + ROWS
BAD = GOOD + "| Bad | 30.0 | 40.0 | 37.0 |\n"


@dataclass
class Made:
    """A table by its numbers: models in rows; groups, their average, perhaps a difference.

    `change` is the pair of groups that the last column subtracts, `cells` what was planted.
    """

    models: list[str]
    columns: list[str]
    printed: list[list[str]]
    decimals: int
    groups: int
    change: tuple[int, int] | None = None
    bold: set[tuple[int, int]] = field(default_factory=set)
    cells: set[tuple[int, int]] = field(default_factory=set)

    def __post_init__(self):
        self.bold = self.bold or self.best()
        self.values = np.array(self.printed, float)
        self.unit = 10.0**-self.decimals

    def best(self) -> set[tuple[int, int]]:
        scores = np.array(self.printed, float)[:, : self.groups + 1]
        return set(zip(*map(np.ndarray.tolist, np.nonzero(scores == scores.max(0))), strict=True))

    def _rows(self, mark: str) -> list[list[str]]:
        """Head and body, bold numbers put into `mark`."""
        marks = [
            [mark if (i, j) in self.bold else "{}" for j in range(len(self.columns))]
            for i in range(len(self.models))
        ]
        body = [
            [model, *(one.format(text) for one, text in zip(row_marks, row, strict=True))]
            for model, row_marks, row in zip(self.models, marks, self.printed, strict=True)
        ]
        return [["Model", *self.columns], *body]

    def markdown(self) -> str:
        head, *body = self._rows("**{}**")
        lines = [head, ["---"] * len(head), *body]
        return "# Results\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def latex(self) -> str:
        head, *body = [" & ".join(row) + r" \\" for row in self._rows(r"\textbf{{{}}}")]
        begin = r"\begin{table}\begin{tabular}{l" + "c" * len(self.columns) + r"}\toprule"
        end = r"\bottomrule\end{tabular}\caption{Results.}\end{table}"
        return "\n".join([begin, head, r"\midrule", *body, end]).replace("Δ", r"$\Delta$")


def clean(rng: np.random.Generator) -> Made:
    """A table without errors."""
    models, groups = int(rng.integers(8, 20)), int(rng.integers(4, 9))
    decimals = int(rng.choice([1, 2]))
    skill, ease = rng.normal(0.3, 0.8, (models, 1)), rng.normal(0, 0.5, groups)
    parts = 100 / (1 + np.exp(-(skill + ease + rng.normal(0, 0.15, (models, groups)))))
    values = np.column_stack([parts, parts.mean(axis=1)])
    values = values[np.argsort(-values[:, -1])]
    printed = [[f"{value:.{decimals}f}" for value in row] for row in values]
    columns, change = [*GROUPS[:groups], "Average"], None
    if rng.random() < 0.5:
        a, b = change = tuple(rng.choice(groups, 2, replace=False).tolist())
        columns.append("Δ")
        for row, value in zip(printed, values, strict=True):
            row.append(f"{value[a] - value[b]:+.{decimals}f}")
    names = rng.permutation(MODELS)[:models].tolist()
    return Made(names, columns, printed, decimals, groups, change)


def _average_is_wrong(made: Made, i: int) -> bool:
    """Whether a row's average is not that of its parts, to rounding."""
    parts, average = made.values[i, : made.groups], made.values[i, made.groups]
    return abs(parts.mean() - average) > made.unit + 1e-9


def _change_is_wrong(made: Made, i: int) -> bool:
    a, b = made.change
    row = made.values[i]
    return abs(row[a] - row[b] - row[-1]) > 1.5 * made.unit + 1e-9


# each changes cells of row `i` and gives their places


def _transpose(made, rows, i, rng):
    j = int(rng.integers(made.groups + 1))
    text = rows[i][j]
    pairs = [
        k for k in range(len(text) - 1) if text[k : k + 2].isdigit() and text[k] != text[k + 1]
    ]
    if pairs:
        k = int(rng.choice(pairs))
        rows[i][j] = text[:k] + text[k + 1] + text[k] + text[k + 2 :]
    return {(i, j)}


def _move(made, rows, i, rng, behind, least, most, sign=""):
    """A number of a column behind those of the groups, that much away."""
    j = made.groups + behind
    off = rng.choice([-1, 1]) * rng.uniform(least, most)
    rows[i][j] = f"{made.values[i, j] + off:{sign}.{made.decimals}f}"
    return {(i, j)}


def _exceed(made, rows, i, rng):
    j = int(rng.integers(made.groups))
    rows[i][j] = f"{rng.uniform(101, 190):.{made.decimals}f}"
    return {(i, j)}


def _shift(made, rows, i, rng):
    end = made.groups + 1
    rows[i][:end] = np.roll(rows[i][:end], rng.choice([-1, 1])).tolist()
    return {(i, j) for j in range(end)}


PLANTS = {  # kind -> how it changes the rows, and whether the row's numbers then contradict it
    "transposed digits": (_transpose, _average_is_wrong),
    "wrong average": (partial(_move, behind=0, least=0.3, most=5), _average_is_wrong),
    "wrong delta": (partial(_move, behind=1, least=0.4, most=4, sign="+"), _change_is_wrong),
    "impossible percentage": (_exceed, None),
    "shifted row": (_shift, _average_is_wrong),
}
KINDS = (*PLANTS, "moved bold")


def plant(made: Made, kind: str, rng: np.random.Generator) -> Made | None:
    """The table with one error; None where arithmetic cannot detect the one that was drawn."""
    i = int(rng.integers(len(made.models)))
    if kind == "moved bold":
        j = int(rng.integers(made.groups + 1))
        best = {cell for cell in made.bold if cell[1] == j}
        return (
            None
            if (i, j) in best
            else replace(made, bold=made.bold - best | {(i, j)}, cells={(i, j)})
        )
    if kind == "wrong delta" and made.change is None:
        return None
    change, contradicts = PLANTS[kind]
    rows = [list(row) for row in made.printed]
    cells = change(made, rows, i, rng)
    planted = replace(made, printed=rows, bold=set(), cells=cells)
    return planted if contradicts is None or contradicts(planted, i) else None


def real(folder: Path) -> list[Made]:
    """Published tables whose average is a plain mean."""
    from analysis.audit import printed as read

    table = read.tables(folder / "embedders_main_results.tex")[0]
    rows, columns = table.rows_of("data"), range(3, 9)
    names = [table.rows[i].label for i in rows]
    heads = [*(table.columns[j].label for j in columns[:-1]), "Average"]
    printed = [[table.numbers[i][j].printed for j in columns] for i in rows]
    return [Made(names, heads, printed, int(table.usual[rows[0], 7]), 5)]

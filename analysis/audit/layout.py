"""Which row and column is what: heads, models, groups, averages, n, settings, human and random rows. A reading, to be shown and corrected."""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from analysis.audit import numbers
from analysis.audit.grids import Cell, Grid
from analysis.audit.numbers import Number
from analysis.errors import DataError, unknown

COLUMN_ROLES = ("label", "block", "text", "part", "average", "total", "n", "rank", "change", "spread", "interval", "p", "verdict", "size", "other", "empty")  # fmt: skip
ROW_ROLES = ("data", "section", "average", "total", "n", "human", "random", "change", "spread", "other")
NOT_AVERAGE = r"(?!.*\b(rank|reciprocal|iou|error|abs|squared|len(gth)?|time|tokens?|cost|latency|turns?|steps?|words|price|speed|f1|precision|recall|ap)\b)"
AVERAGE = re.compile(rf"(?i)^\W*{NOT_AVERAGE}(((macro|micro|weighted|arith\w*|geo\w*|overall|total|category|task|grand|global|final)[- ]?)*(avg|ave|average|averaged|mean|averages)\b\.?|overall\b|(macro|micro)([- ]?all)?$|all$|aggregate|(总)?平均|综合|总体|全部|总分|均值|mitte|moyenne|media$|promedio|среднее)")  # fmt: skip
TOTAL = re.compile(r"(?i)^\W*(grand |sub)?(total|sum|all|合计|总计|总数)\b\W*(count|number|questions|items|samples)?\W*$")
ITEMS = r"(questions?|samples?|items?|examples?|instances?|prompts?|problems?|queries|sentences?|documents?|docs|tests? (set|size|items|questions)|cases|q|ex\.?)"
SIZES = re.compile(
    rf"(?i)^\W*(n|n\s*=.*|#\s*(test |of )?{ITEMS}|num(ber)?\.? ?(of )?(test )?{ITEMS}|no\. of {ITEMS}|counts?|{ITEMS}( count)?|support|数量|题数|题目数)\W*$"
)
CHANGE = re.compile(
    r"(?i)(Δ|∆|\bdelta\b|\bdiff(erence)?\.?\b|\bgains?\b|\bimprov\w*|(?-i:\b[Dd]rop\b)|\bgap\b|\bchange\b|\bdecline\b|\brel\.? |↗|\bvs\.? base)"
)
RANK = re.compile(r"(?i)^\W*(#|rank(ing)?|no\.?|place|pos\.?|排名|名次|序号|idx|index|id)\W*$")
SPREAD = re.compile(
    r"(?i)^\W*(±|std|sd|s\.?d\.?|se|s\.?e\.?m?\.?|std\.? ?(dev|err)\.?|stderr|standard (deviation|error)|σ|variance|var)\W*$"
)
INTERVAL = re.compile(r"(?i)(\b9\d ?%? ?(ci|conf)|\bci\b|confidence|interval)")
P_VALUE = re.compile(r"(?i)^\W*(\$?p\$?|p[- ]?val(ue)?s?|p_?adj\w*|q[- ]?value)\W*$")
VERDICT = re.compile(r"(?i)^\W*(sig(nificant|nificance|nif|\.)?\??)\W*$")
SIZE = re.compile(r"(?i)(#?\s*param|\bsize\b|参数|#p\b|\(b\)$)")
OTHER = re.compile(r"(?i)(\bcost|\$|price|\btime\b|latency|\btokens?\b|\bdate\b|year|speed|throughput|memory|\bgpu|flops|\bcontext\b|length|epochs?|layers?|\bdim\b|batch|release|\bmb\b|\bgb\b|\bms\b|\bbits?\b|\bbpw\b|hours?|\bseed|#\s*shots?\b|^\W*shots?\W*$|\belo\b|votes|downloads|stars)")  # fmt: skip
LABEL = re.compile(
    r"(?i)^\W*(model|method|system|approach|name|algorithm|llm|team|submission|language|lang|task|benchmark|dataset|subject|category|comparison|setting|metric|模型|方法|语言)s?\b"
)
MODELS = re.compile(r"(?i)^\W*(model|method|system|approach|llm|team|submission|algorithm|模型|方法)")
GROUPS = re.compile(
    r"(?i)^\W*(language|lang|task|benchmark|dataset|subject|category|metric|domain|discipline|test set|语言|学科)"
)
MODEL_NAME = re.compile(r"(?i)(gpt|llama|qwen|claude|gemini|gemma|mistral|mixtral|bert|bloom|aya|phi-?\d|falcon|deepseek|glm|baichuan|yi-|palm|o[134]-|o[134]$|t5|opt-|command|vicuna|alpaca|internlm|minicpm|nllb|mt5|xlm|\d+(\.\d+)?[bm]\b|-instruct|-chat)")  # fmt: skip
RANDOM = re.compile(r"(?i)\b(random(ly)?|chance|guess(ing)?|随机)\b|随机")
HUMAN = re.compile(
    r"(?i)^\W*(avg\.? |average |best |expert |native |non-?expert )?(human|annotator|expert|participants?|examinee|人类)"
)
ATTRIBUTE = re.compile(
    r"(?i)^\W*(link|url|source|paper|code|date|released?|org(ani[sz]ation)?|license|licence|type|access|affiliation|submitter|contact|creator|open|weights|year|来源|日期|机构)\W*$"
)
LOWER = re.compile(
    r"(?i)(↓|\blower\b|\bwer\b|\bcer\b|\bter\b|perplexity|\bppl\b|\bloss\b|\berrors?\b|\bece\b|brier|\bmae\b|\brmse\b|\bmse\b|\bfid\b|hallucination rate|latency|\bbpb\b|\bnll\b|mean rank|\bmr\b$|toxicity|refusal)"
)
HIGHER = re.compile(
    r"(?i)(↑|\bhigher\b|accuracy|\bacc\b|\bf1\b|bleu|rouge|chrf|comet|\bauroc\b|\bauc\b|pass@|hit[s@]|\bmrr\b|ndcg|recall|precision|\bem\b|exact match|\bmap\b|win rate|score|mmlu|\bavg|average|overall)"
)
METRICS = {
    "mrr": r"\bmrr\b|mean reciprocal rank", "mean_rank": r"^mr$|mean rank", "hit": r"\bhits?\s*@\s*(\d+)|\brecall\s*@\s*(\d+)|\bR@(\d+)", "pass": r"pass@(\d+)",
    "response_rate": r"(response|answer|valid|coverage)\w*\s*rate|\bcoverage\b", "conditional_accuracy": r"conditional acc|acc\w*\s*(\||given|on answered|of answered)|selective acc",
    "f1": r"\bf-?1\b", "precision": r"\bprecision\b", "recall": r"\brecall\b", "accuracy": r"\bacc(uracy)?\b|准确率",
}  # fmt: skip
SIZE_IN_HEAD = re.compile(r"(?i)(?:\bn\s*=\s*|#\s*=?\s*)([\d,]+)|\(([\d,]+)\s*(?:questions|items|examples|samples|q)\)")
COUNT_IN_HEAD = re.compile(r"\((\d[\d,]*)\)\s*$")
SIZE_IN_TEXT = re.compile(
    r"(?i)([\d,]{2,}\d)\s+(?:\w+ )?(questions|items|examples|samples|instances|problems|documents|sentences|test cases|queries)"
)
SCALE = re.compile(
    r"(?i)(\d+)\s*(?:-|–|to)\s*(\d+)\s*(?:point\w*)?\s*(?:likert|scale|rating)|scale\s*(?:of|from|is)?\s*(\d+)\s*(?:-|–|to)\s*(\d+)|out of (\d+)"
)


@dataclass
class Column:
    """A column of the body. `top` is the head that spans it with others; `n` its size if the head says one, `count` a bare "(8)"."""

    index: int
    label: str
    top: str = ""
    role: str = "part"
    metric: str = ""
    better: str = ""  # "higher", "lower" or unknown
    n: int | None = None
    count: int | None = None


@dataclass
class Row:
    """A row of the body. `block` counts the stretches between rules or section rows; `group` is a label that spans rows."""

    index: int
    label: str
    role: str = "data"
    block: int = 0
    section: str = ""
    group: str = ""
    n: int | None = None
    line: int = 0
    better: str = ""


@dataclass
class Table:
    """A table as it was read: its body as arrays of shape (rows, columns), NaN where no number stands."""

    name: str
    file: str
    heading: str
    caption: str
    text: list[str]
    grid: Grid
    head: int
    columns: list[Column]
    rows: list[Row]
    models: str  # "rows" or "columns"
    numbers: list[list[Number | None]]
    n: int | None = None
    guess: int | None = None
    scale: tuple[float, float] | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self):
        def array(get, kind=float):
            return np.array([[get(one) if one is not None else np.nan for one in row] for row in self.numbers], kind).reshape(len(self.rows), len(self.columns))  # fmt: skip

        self.values = array(lambda one: one.value)
        self.decimals = array(lambda one: one.decimals)
        self.usual = self._usual()
        self.half = 0.5 * 10.0 ** -np.fmax(self.decimals, self.usual)
        self.bold = self._marks("bold")
        self.underline = self._marks("underline")

    def _usual(self) -> np.ndarray:
        """Decimals that most numbers of the same metric have, shape (rows, columns): authors drop trailing zeros."""
        shown = self.decimals if self.models == "rows" else self.decimals.T
        usual = np.array([_mode(line[~np.isnan(line)]) for line in shown.T])
        return np.broadcast_to(usual, shown.shape) if self.models == "rows" else np.broadcast_to(usual, shown.shape).T

    def _marks(self, name: str) -> np.ndarray:
        return np.array([[getattr(self.grid.rows[r.index][c.index], name) for c in self.columns] for r in self.rows], bool).reshape(len(self.rows), len(self.columns))  # fmt: skip

    def cols(self, *roles: str) -> list[int]:
        """Positions of the columns with one of the roles."""
        return [j for j, column in enumerate(self.columns) if column.role in roles]

    def rows_of(self, *roles: str) -> list[int]:
        """Positions of the rows with one of the roles."""
        return [i for i, row in enumerate(self.rows) if row.role in roles]

    def where(self, i: int, j: int) -> str:
        """A cell in words."""
        row, column = self.rows[i], self.columns[j]
        same = sum(other.label == row.label and other.role != "section" for other in self.rows) > 1
        name = row.label or f"row {i + 1}"
        if same:
            name += f" ({row.section or row.group or f'row {i + 1}'})"
        return f"{name} / {column_name(column)}"

    def records(self) -> list[dict]:
        """The numbers, one dict each, in the long `results` shape, with where they stand and how they are printed."""
        made = []
        swap = self.models == "columns"
        for i, row in enumerate(self.rows):
            for j, column in enumerate(self.columns):
                one = self.numbers[i][j]
                if (
                    one is None
                    or column.role in ("rank", "n", "size", "other", "text", "p", "interval", "verdict", "empty")
                    or row.role == "n"
                ):
                    continue
                model, group = (column_name(column), row.label) if swap else (row.label, column.label)
                average = "average" in (row.role, column.role)
                made.append({
                    "artifact": self.name, "benchmark": self.heading or self.name, "model": model, "setting": row.section or row.group or (column.top if not swap else "") or "printed",
                    "group_by": "average" if average else "change" if "change" in (row.role, column.role) else "column" if not swap else "row", "group": "printed" if average else group,
                    "metric": metric_name(self, i, j), "value": one.value, "unit": "points" if "change" in (row.role, column.role) else unit(self, i, j), "n": self.size(i, j), "source": "published", "printed": one.printed,
                    "decimals": one.decimals, "row": i, "column": j, "bold": bool(self.bold[i, j]), "underline": bool(self.underline[i, j]), "kind": row.role,
                })  # fmt: skip
        return made

    def size(self, i: int, j: int) -> int | None:
        """How many questions the number is of, where the table says so."""
        return self.rows[i].n or self.columns[j].n or self.guess


def column_name(column: Column) -> str:
    """A column's label with the head above it."""
    return (
        f"{column.top}: {column.label}"
        if column.top and column.top != column.label
        else column.label or f"column {column.index + 1}"
    )


def metric_name(table: Table, i: int, j: int) -> str:
    """The metric in the words of the `results` shape; without a name, a share is an accuracy and anything else a score."""
    return table.columns[j].metric.replace("@", "_at_") or (
        "accuracy" if unit(table, i, j) in ("percent", "proportion") else "score"
    )


def unit(table: Table, i: int, j: int) -> str:
    """ "percent", "proportion" or "score": what the number's scale is, by sign, name, or the range of all that stand with it."""
    one, column = table.numbers[i][j], table.columns[j]
    words = f"{column.label} {column.top} {table.rows[i].label if table.models == 'columns' else ''}"
    if (one is not None and one.percent) or "%" in words:
        return "percent"
    kept = [k for k in table.cols("part", "average") if table.columns[k].metric == column.metric]
    shown = table.values[np.ix_(table.rows_of("data", "human", "random", "average"), kept or [j])]
    shown = shown[~np.isnan(shown)]
    if table.scale:
        return "score"
    if shown.size and shown.min() >= 0 and np.quantile(shown, 0.9) <= 1 and (table.usual[i, j] >= 2):
        return "proportion"
    if shown.size and np.quantile(shown, 0.1) >= 0 and np.quantile(shown, 0.9) <= 100 and np.median(shown) > 10:
        return "percent"
    return "score"


def _mode(values: np.ndarray) -> float:
    if not len(values):
        return 0.0
    found, counts = np.unique(values, return_counts=True)
    return float(found[len(counts) - 1 - counts[::-1].argmax()])


def read(grid: Grid, correction: dict | None = None, n: int | None = None) -> Table | None:
    """The reading of a grid, or None where it holds no numbers to speak of.

    Parameters
    ----------
    grid : Grid
    correction : dict, optional
        What the YAML file beside the table says of it (see docs/audit.md).
    n : int, optional
        Questions behind every number (``--n``).
    """
    correction = correction or {}
    if correction.get("skip"):
        return None
    grid = _parted(grid)
    comma = _decimal_comma(grid)
    head = correction.get("header_rows")
    head = _head(grid, comma) if head is None else int(head)
    parsed = [[numbers.parse(cell.text, comma) for cell in row] for row in grid.rows]
    if sum(one is not None for row in parsed[head:] for one in row) < 3:
        return None
    columns = _columns(grid, head, parsed)
    rows = _rows(grid, head, columns, parsed)
    models = correction.get("models") or _models(grid, head, columns, rows)
    body = [[parsed[row.index][column.index] if column.role not in ("label", "block", "text", "verdict") else None for column in columns] for row in rows]  # fmt: skip
    for row, cells in zip(rows, body, strict=True):  # a section's title may hold numbers
        if row.role == "section":
            cells[:] = [None] * len(cells)
    table = Table(grid.name, grid.file, grid.heading, grid.caption, grid.text, grid, head, columns, rows, models, body)
    _sizes(table, n)
    _totals(table)
    if table.cols("change"):  # beside signed columns a column of nothing but negative numbers is one too
        for j in table.cols("part"):
            shown = table.values[:, j][~np.isnan(table.values[:, j])]
            if len(shown) and (shown <= 0).all() and (shown < 0).any():
                table.columns[j].role = "change"
    _directions(table)
    if found := SCALE.search(" ".join([table.caption, *table.text])):
        ends = [float(part) for part in found.groups() if part]
        table.scale = (ends[0], ends[1]) if len(ends) == 2 and ends[0] < ends[1] and ends[1] != 100 else None
    if correction:
        _correct(table, correction)
    return table


def _parted(grid: Grid) -> Grid:
    """Columns of pairs ("45.2 / 67.1") as two columns."""
    rows = grid.rows
    for j in reversed(range(len(rows[0]))):
        present = [row[j].text for row in rows if row[j].text and not numbers.absent(row[j].text) and not row[j].copy]
        pairs = [text for text in present if numbers.pair(text)]
        if len(pairs) < 3 or len(pairs) < 0.6 * len(present):
            continue
        rows = [row[:j] + _two(row[j]) + row[j + 1 :] for row in rows]
    return replace(grid, rows=rows) if rows is not grid.rows else grid


def _two(cell: Cell) -> list[Cell]:
    parts = numbers.pair(cell.text)
    if parts is None:
        named = cell.text.split("/")
        whole = len(named) == 2 and named[0].count("(") == named[0].count(")")
        parts = (
            (named[0].strip(), named[1].strip()) if whole else (f"{cell.text} (1)", f"{cell.text} (2)") if cell.text else ("", "")
        )
        return [replace(cell, text=part) for part in parts]
    return [replace(cell, text=part) for part in parts]


def _decimal_comma(grid: Grid) -> bool:
    """Whether a comma parts the decimals: numbers such as 65,3 and none such as 65.3."""
    texts = [numbers.clean(cell.text) for row in grid.rows for cell in row]
    comma = sum(bool(re.match(r"^[-+]?\d{1,3},\d{1,2}(?!\d)", text)) for text in texts)
    point = sum(bool(re.match(r"^[-+]?\d*\.\d+", text)) for text in texts)
    return comma >= 3 and point == 0


def _is_section(row: list[Cell]) -> bool:
    shown = [cell for cell in row if cell.text and not cell.copy]
    return (
        len(shown) == 1
        and numbers.parse(shown[0].text) is None
        and (row[0] is shown[0] or sum(cell.copy for cell in row) >= len(row) - 2)
    )


def _numeric_share(row: list[Cell], comma: bool) -> float:
    shown = [cell for cell in row[1:] if cell.text and not cell.copy]
    return sum(numbers.parse(cell.text, comma) is not None for cell in shown) / len(shown) if shown else 0.0


def _head(grid: Grid, comma: bool) -> int:
    """How many rows are heads: all th, or above the first rule, or those before the first row of numbers."""
    rows = grid.rows
    heads = 0
    while heads < len(rows) - 1 and all(cell.head or not cell.text for cell in rows[heads]):
        heads += 1
    if heads:
        second = any(cell.copy or not cell.text for cell in rows[0][1:]) or len({cell.text for cell in rows[0]}) < len(rows[0])
        while second and heads < len(rows) - 1 and not _is_section(rows[heads]) and _numeric_share(rows[heads], comma) == 0 and any(c.text and not numbers.absent(c.text) for c in rows[heads][1:]) and not rows[heads][0].text:  # fmt: skip
            heads += 1
        return heads
    first = next((i for i, row in enumerate(rows) if _numeric_share(row, comma) >= 0.5), 1)
    ruled = min((rule for rule in grid.rules if 0 < rule <= 4), default=None)
    if ruled is not None and ruled < len(rows) and ruled >= first and _years(rows[first:ruled]):
        return ruled
    while first > 1 and _is_section(rows[first - 1]) and not all(_is_section(row) for row in rows[:first]):
        first -= 1
    return first


def _years(rows: list[list[Cell]]) -> bool:
    """Whether rows of whole numbers are heads: years, shots, ranks."""
    return all(re.fullmatch(r"(19|20)\d\d|\d{1,2}", cell.text) for row in rows for cell in row[1:] if cell.text)


def _columns(grid: Grid, head: int, parsed: list[list[Number | None]]) -> list[Column]:
    body = [i for i in range(head, len(grid.rows)) if not _is_section(grid.rows[i])]
    columns = []
    for j in range(len(grid.rows[0])):
        titles = list(dict.fromkeys(row[j].text for row in grid.rows[:head] if row[j].text and not _title(row)))
        spanning = [row[j].text for row in grid.rows[:head] if row[j].text and not _title(row) and _spans(row, j)]
        top = spanning[0] if spanning and titles and spanning[0] != titles[-1] else ""
        column = Column(j, titles[-1] if titles else "", top)
        shown = [i for i in body if not numbers.absent(grid.rows[i][j].text)]
        found = [parsed[i][j] for i in shown if parsed[i][j] is not None]
        column.role = _column_role(column, len(found), len(shown), found)
        _name(column)
        columns.append(column)
    _labels(grid, body, columns)
    return columns


def _title(row: list[Cell]) -> bool:
    shown = [cell for cell in row if cell.text and not cell.copy]
    return len(shown) == 1 and sum(cell.copy for cell in row) >= len(row) - 1


def _spans(row: list[Cell], j: int) -> bool:
    """Whether a head stands over several columns: spanned, or repeated as in a CSV file."""
    return row[j].copy or any(0 <= k < len(row) and row[k].text == row[j].text for k in (j - 1, j + 1))


def _column_role(column: Column, found: int, shown: int, values: list[Number]) -> str:
    name = column.label
    if VERDICT.match(name):
        return "verdict"
    if not shown:
        return "empty"
    if found < 0.6 * shown:
        return "text"
    if INTERVAL.search(name) and any(one.low is not None for one in values):
        return "interval"
    if P_VALUE.match(name):
        return "p"
    whole = all(one.decimals == 0 for one in values)
    if not name and column.index == 0 and [one.value for one in values] in (list(range(found)), list(range(1, found + 1))):
        return "other"  # the index of a data frame
    if RANK.match(name) and whole and all(1 <= one.value <= shown + 5 for one in values):
        return "rank"
    if SPREAD.match(name):
        return "spread"
    if CHANGE.search(name):
        return "change"
    if SIZE.search(name) or (values and sum(bool(one.magnitude) for one in values) > len(values) / 2):
        return "size"
    if SIZES.match(name) and whole:
        return "n"
    if OTHER.search(name) and not HIGHER.search(name):
        return "other"
    if AVERAGE.match(name):
        return "average"
    if TOTAL.match(name):
        return "total"
    if column.index > 0 and all(one.signed or one.value <= 0 for one in values) and any(one.signed for one in values):
        return "change"
    return "part"


def _name(column: Column) -> None:
    """Metric, direction and size, from the head's words."""
    words = f"{column.label} {column.top}"
    for metric, pattern in METRICS.items():
        if found := re.search(f"(?i){pattern}", column.label) or re.search(f"(?i){pattern}", words):
            k = next((part for part in found.groups() if part and part.isdigit()), "")
            column.metric = f"{metric}@{k}" if k else metric
            break
    column.better = (
        "lower" if LOWER.search(column.label) or LOWER.search(column.top) else "higher" if HIGHER.search(words) else ""
    )
    if found := SIZE_IN_HEAD.search(words):
        column.n = int((found[1] or found[2]).replace(",", "") or 0) or None
    elif found := COUNT_IN_HEAD.search(column.label):
        column.count = int(found[1].replace(",", ""))


def _labels(grid: Grid, body: list[int], columns: list[Column]) -> None:
    """Which text column names the rows, and which only parts them into blocks."""
    texts = [c for c in columns if c.role == "text" and not ATTRIBUTE.match(c.label)]
    if not texts:
        first = next((c for c in columns if c.role != "empty"), None)
        if (
            first is not None
            and first.index == 0
            and not AVERAGE.match(first.label)
            and (LABEL.match(first.label) or not first.label)
        ):
            first.role = "label"
        return
    numeric = [c.index for c in columns if c.role not in ("text", "empty", "verdict")]
    early = [c for c in texts if not numeric or c.index < max(numeric)] or texts

    def filled(column: Column) -> float:
        return (
            np.mean([bool(grid.rows[i][column.index].text) and not grid.rows[i][column.index].copy for i in body])
            if body
            else 0.0
        )

    def distinct(column: Column) -> int:
        return len({grid.rows[i][column.index].text for i in body})

    named = [c for c in early if MODELS.match(c.label) and filled(c) > 0.6]
    label = (
        named[0] if named else max(early, key=lambda c: (filled(c) > 0.6, distinct(c) > 0.8 * len(body), -c.index, distinct(c)))
    )
    label.role = "label"
    for column in texts:
        if column is not label and column.index < label.index and filled(column) < 0.6:
            column.role = "block"
        elif column is not label and (
            not numeric or column.index < min((k for k in numeric if columns[k].role in ("part", "average")), default=0)
        ):
            column.role = "block" if distinct(column) <= max(1, len(body) // 2) else "text"


def _rows(grid: Grid, head: int, columns: list[Column], parsed: list[list[Number | None]]) -> list[Row]:
    label = next((c.index for c in columns if c.role == "label"), None)
    blocks = [c.index for c in columns if c.role == "block"]
    rows, section, block, above = [], "", 0, {}
    for i in range(head, len(grid.rows)):
        cells = grid.rows[i]
        if i in grid.rules and i > head:
            block += 1
        for j in blocks:
            if cells[j].text and not cells[j].copy and cells[j].text != above.get(j):
                above[j] = cells[j].text
        line = grid.lines[i] if i < len(grid.lines) else 0
        if _is_section(cells):
            section = next(cell.text for cell in cells if cell.text)
            block += 1
            rows.append(Row(i, section, "section", block, section, line=line))
            continue
        name = cells[label].text if label is not None else ""
        group = ", ".join(above[j] for j in blocks if above.get(j))
        own = [
            one
            for one, column in zip(parsed[i], columns, strict=True)
            if one is not None and column.role not in ("label", "text", "block")
        ]
        row = Row(i, name, _row_role(name, own), block, section, group, line=line)
        if not name and blocks and cells[blocks[-1]].text:
            row.role = _row_role(cells[blocks[-1]].text, own)
            row.label = cells[blocks[-1]].text
        if found := SIZE_IN_HEAD.search(name):
            row.n = int((found[1] or found[2]).replace(",", "") or 0) or None
        row.better = "lower" if LOWER.search(name) else "higher" if HIGHER.search(name) else ""
        rows.append(row)
    _sized(grid, columns, rows)
    return rows


def _sized(grid: Grid, columns: list[Column], rows: list[Row]) -> None:
    """Rows of the same name ("Llama 2" three times) are told apart by a column of sizes."""
    size = next((c.index for c in columns if c.role == "size"), None)
    keys = [(row.label, row.section, row.group) for row in rows]
    for row, key in zip(rows, keys, strict=True):
        if size is not None and keys.count(key) > 1 and row.role == "data" and grid.rows[row.index][size].text:
            row.label = f"{row.label} {grid.rows[row.index][size].text}".strip()


def _row_role(name: str, values: list[Number]) -> str:
    if not values:
        return "other"
    whole = all(one.decimals == 0 for one in values)
    if RANDOM.search(name):
        return "random"
    if HUMAN.match(name):
        return "human"
    if SIZES.match(name) and whole:
        return "n"
    if SPREAD.match(name):
        return "spread"
    if (CHANGE.search(name) or re.search(r"\w.* [-−–] \(?\w", name)) and not MODEL_NAME.fullmatch(name):
        return (
            "change"
            if CHANGE.search(name) or any(one.signed or one.value < 0 for one in values) or re.search(r"\([^()]* - ", name)
            else "data"
        )
    if AVERAGE.match(name):
        return "average"
    if TOTAL.match(name):
        return "total"
    return (
        "other"
        if (OTHER.search(name) or SIZE.search(name)) and not HIGHER.search(name) and not MODEL_NAME.search(name)
        else "data"
    )


def _models(grid: Grid, head: int, columns: list[Column], rows: list[Row]) -> str:
    """Whether the models stand in rows or in columns."""
    title = next((c.label for c in columns if c.role == "label"), "")
    if MODELS.match(title):
        return "rows"
    across = np.mean([bool(MODEL_NAME.search(c.label)) for c in columns if c.role in ("part", "average")] or [0])
    down = np.mean([bool(MODEL_NAME.search(r.label)) for r in rows if r.role == "data"] or [0])
    if GROUPS.match(title):
        return "columns" if down < 0.5 else "rows"
    return "columns" if across > 0.3 and across > 2 * down else "rows"


def _sizes(table: Table, n: int | None) -> None:
    """Sizes: a row or column of n, ``--n``, and (for averages only) what the caption says."""
    for i in table.rows_of("n"):
        for j, column in enumerate(table.columns):
            if not np.isnan(table.values[i, j]) and table.values[i, j] >= 1:
                column.n = column.n or int(table.values[i, j])
    sized = table.cols("n")
    if len(sized) == 1:
        for i, row in enumerate(table.rows):
            if not np.isnan(table.values[i, sized[0]]) and table.values[i, sized[0]] >= 1:
                row.n = row.n or int(table.values[i, sized[0]])
    table.guess = n
    found = SIZE_IN_TEXT.search(table.caption) or next((m for m in map(SIZE_IN_TEXT.search, table.text[:3]) if m), None)
    table.n = n or (int(found[1].replace(",", "")) if found else None)


def _totals(table: Table) -> None:
    """ "All" and "Total" are sums where they lie nearer to the sum of the parts than to their mean."""
    data, parts = table.rows_of("data"), table.cols("part")
    shown = table.values[np.ix_(data, parts)]
    for one in (*table.columns, *table.rows):
        if one.role not in ("total", "average") or not TOTAL.match(one.label):
            continue
        if isinstance(one, Column):
            whole, values = table.values[data, table.columns.index(one)], shown
        else:
            whole, values = table.values[table.rows.index(one), parts], shown.T
        if not values.size or np.isnan(values).all() or np.isnan(whole).all():
            continue
        total, count = np.nansum(values, axis=1), np.maximum((~np.isnan(values)).sum(axis=1), 1)
        one.role = "total" if np.nanmedian(np.abs(whole - total)) < np.nanmedian(np.abs(whole - total / count)) else "average"
    if len(table.cols("average")) > 1 and not table.cols("part"):
        for j in table.cols("average")[:-1]:
            table.columns[j].role = "part"


def _directions(table: Table) -> None:
    """A caption that says "lower is better" speaks for all."""
    words = table.caption.lower()
    if "lower is better" in words or "lower the better" in words:
        for column in table.columns:
            column.better = column.better if column.better == "higher" and "↑" in column.label else "lower"


def _correct(table: Table, correction: dict) -> None:
    """Put in what the correction file says; names are those that ``--explain`` shows."""
    known = {"skip", "header_rows", "models", "columns", "rows", "n", "scale", "better", "name"}
    for key in correction:
        if key not in known:
            raise unknown("key of a correction", key, sorted(known))
    table.name = correction.get("name", table.name)
    if "n" in correction and not isinstance(correction["n"], dict):
        for column in table.columns:
            column.n = int(correction["n"])
    if "scale" in correction:
        table.scale = tuple(float(end) for end in correction["scale"])
    for kind, parts, roles in (("columns", table.columns, COLUMN_ROLES), ("rows", table.rows, ROW_ROLES)):
        for name, said in (correction.get(kind) or {}).items():
            said = {"role": said} if isinstance(said, str) else said
            chosen = [part for part in parts if str(name) in (part.label, column_name(part) if kind == "columns" else part.label)]
            if not chosen:
                raise unknown(kind[:-1], name, [part.label for part in parts])
            for part in chosen:
                for key, value in said.items():
                    if key not in ("role", "n", "count", "better", "metric", "label", "section"):
                        raise DataError(f"no such key {key!r} for a {kind[:-1]}", field=str(name))
                    if key == "role" and value not in roles:
                        raise unknown("role", value, roles)
                    setattr(part, key, value)
    if "better" in correction:
        for part in (*table.columns, *table.rows):
            part.better = correction["better"]


def explain(table: Table) -> str:
    """The reading in words: what each column and row was taken for."""
    lines = [
        f"{table.name}: {len(table.rows)} rows x {len(table.columns)} columns, {table.head} head row(s); models in {table.models}"
    ]
    if table.caption:
        lines.append(f"  caption: {table.caption[:160]}")
    for column in table.columns:
        said = [column.role]
        said += [column.metric] if column.metric and column.role in ("part", "average") else []
        said += [f"{column.better} is better"] if column.better and column.role in ("part", "average") else []
        said += [f"n = {column.n}"] if column.n else []
        said += [f"({column.count})"] if column.count else []
        lines.append(f"  column {column.index + 1:>2}  {column_name(column)[:44]:<44}  {', '.join(said)}")
    special = [row for row in table.rows if row.role != "data"]
    for row in special:
        lines.append(f"  row    {row.index + 1:>2}  {row.label[:44]:<44}  {row.role}" + (f", n = {row.n}" if row.n else ""))
    data = table.rows_of("data")
    blocks = len({table.rows[i].block for i in data})
    shown = [table.rows[i].label for i in data]
    lines.append(
        f"  {len(data)} data rows"
        + (f" in {blocks} blocks" if blocks > 1 else "")
        + ": "
        + ", ".join(shown[:4])
        + (" …" if len(shown) > 4 else "")
    )
    groups = list(dict.fromkeys(table.rows[i].group for i in data if table.rows[i].group))
    if groups:
        lines.append(f"  groups of rows: {', '.join(groups[:6])}")
    marked = [f"{int(mask.sum())} {name}" for mask, name in ((table.bold, "bold"), (table.underline, "underlined")) if mask.any()]
    if marked:
        lines.append(f"  cells {' and '.join(marked)}")
    if table.n:
        lines.append(f"  n of the whole table: {table.n}")
    return "\n".join(lines)

"""The audit of a paper's printed tables: their numbers, ranks, totals and category mappings."""

import pandas as pd

from analysis import papers
from analysis.audit.results import findings, joined, run
from analysis.results import published
from analysis.results.sizes import Sizes

TOTALS = ("total", "all", "Sum")


def ranks(paper: str) -> pd.DataFrame:
    """Models stand in the order of their scores where a table prints ranks."""
    frames = []
    for file in sorted(papers.folder(paper).glob("table_*.csv")):
        table = published.facts(paper, file.stem)
        if not {"rank", "value", "metric"} <= set(table):
            continue
        table = table[table["rank"].notna() & table["suspect"].ne("true") & table["model"].ne("Random")]
        for (_, metric, _), part in table.groupby(["benchmark", "metric", "group"], sort=False):
            part = part.assign(value=part["value"].astype(float), rank=part["rank"].astype(int), artifact=file.stem).sort_values(
                "rank"
            )
            sign = -1 if metric == "mean_rank" else 1
            before = part["value"].shift()
            ok = before.isna() | (sign * part["value"] <= sign * before + 1e-9)
            frames.append(findings(part, "order of ranks", before.fillna(part["value"]), ok, "not better than the rank above"))
    return joined(frames)


def totals(paper: str) -> pd.DataFrame:
    """Totals of a paper's count tables are the sums of their parts."""
    frames = []
    for file in sorted(papers.folder(paper).glob("table_*.csv")):
        table = published.facts(paper, file.stem)
        value = next((c for c in ("questions", "queries") if c in table), None)
        keys = [c for c in table if c not in (value, "suspect", "note", "benchmark")]
        marked = [c for c in keys if table[c].isin(TOTALS).any()] if value else []
        if not marked:
            continue
        number = pd.to_numeric(table[value].str.replace(",", ""))
        for column in marked:
            others = [c for c in keys if c != column]
            for key, part in table.assign(_n=number).groupby(others or (lambda _: 0), sort=False):
                whole = part[part[column].isin(TOTALS)]
                if len(whole) != 1 or len(part) < 3:
                    continue
                total, parts = float(whole["_n"].iloc[0]), float(part.loc[~part[column].isin(TOTALS), "_n"].sum())
                where = " ".join(key) if isinstance(key, tuple) else str(key) if others else ""
                row = pd.DataFrame(
                    [
                        {
                            "artifact": file.stem,
                            "benchmark": paper,
                            "model": "",
                            "setting": "",
                            "group": f"{column} {where}".strip(),
                            "metric": value,
                            "value": total,
                        }
                    ]
                )
                frames.append(findings(row, "total", parts, total == parts, f"sum over {column}"))
    return joined(frames)


def mappings(paper: str, results: pd.DataFrame) -> pd.DataFrame:
    """Every subject with results stands in a table of categories, and the other way round."""
    subjects = set(results.loc[(results["group_by"] == "subject") & ~results["suspect"], "group"])
    frames = []
    for file in sorted(papers.folder(paper).glob("*.csv")) if subjects else ():
        table = published.facts(paper, file.stem)
        if not {"subject", "category"} <= set(table) or not set(table["subject"]) & subjects:
            continue
        named = set(table["subject"])
        for name in sorted(named | subjects):
            row = pd.DataFrame(
                [
                    {
                        "artifact": file.stem,
                        "benchmark": paper,
                        "model": "",
                        "setting": "",
                        "group": name,
                        "metric": "mapped",
                        "value": float(name in named),
                    }
                ]
            )
            why = "has results" if name in subjects else "has no results"
            frames.append(findings(row, "category mapping", float(name in subjects), name in named and name in subjects, why))
    return joined(frames)


def of_paper(paper: str) -> pd.DataFrame:
    """The audit of one paper's printed tables: `run` with what is known of its sizes, its category mappings, ranks and totals.

    Rows on a sample of their own are left out: neither the paper's sizes nor its other tables apply to them.
    """
    told = papers.read(paper)
    results = published.results(paper)
    results = results[~told.own_sample(results)]
    sizes = told.sizes.set_index(["benchmark", "group"])["n"].astype(float)
    definitions = {name: _definitions(told, name) for name in told.benchmarks}
    options = {name: described.options for name, described in told.benchmarks.items() if described.options}
    numbers = run(results, sizes if len(sizes) else None, _chance(told, results), definitions, options)
    found = [numbers, mappings(paper, results), ranks(paper), totals(paper)]
    return joined(found).sort_values("ok", kind="stable", ignore_index=True)


def _definitions(told: papers.Paper, benchmark: str) -> dict[str, pd.Series | None]:
    """What an average of the benchmark may be: as the paper averages, and as it does not; weights of its groups, None for equal ones."""
    over, sizes = told.benchmarks[benchmark].average, Sizes(told)
    ways = {over: sizes.weights(benchmark, over)} if over in ("subjects", "questions") else {over: None}
    ways |= {other: sizes.weights(benchmark, other) for other in ("subjects", "questions") if other != over}
    return {f"over {name}": by for name, by in ways.items() if by is not None or name not in ("subjects", "questions")}


def _chance(told: papers.Paper, results: pd.DataFrame) -> pd.Series | None:
    """What guessing gets (%) in each group of each benchmark whose printed guessing is a percentage."""
    rows = results[
        results["model"].eq("Random") & results["unit"].eq("percent") & results["benchmark"].isin(list(told.benchmarks))
    ]
    rows = rows.drop_duplicates(["benchmark", "group"])
    chance = [100 * told.benchmarks[b].chance_of(g) for b, g in zip(rows["benchmark"], rows["group"], strict=True)]
    return pd.Series(chance, pd.MultiIndex.from_frame(rows[["benchmark", "group"]])) if len(rows) else None

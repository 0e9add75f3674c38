"""The audit of a paper's printed tables: their numbers, ranks, totals and category mappings."""

from collections.abc import Mapping

import pandas as pd

from analysis.audit.results import findings, joined, run
from analysis.errors import unknown
from analysis.results import published

# Rows on another sample of questions than the rest of their paper: neither its sizes nor its other tables apply to them.
OWN_SAMPLE = {"khayyam": {"artifact": ["table_06", "table_07"], "setting": ["regex, trapped questions"], "model": ["Human"]}}
TOTALS = ("total", "all", "Sum")


def ranks(paper: str) -> pd.DataFrame:
    """Models stand in the order of their scores where a table prints ranks."""
    frames = []
    for file in sorted((published.paths.PUBLISHED / paper).glob("table_*.csv")):
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
    for file in sorted((published.paths.PUBLISHED / paper).glob("table_*.csv")):
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
    for file in sorted((published.paths.PUBLISHED / paper).glob("*.csv")) if subjects else ():
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


def _by_benchmark(found: Mapping[str, pd.Series]) -> pd.Series:
    return pd.concat({benchmark: series for benchmark, series in found.items()})


def of_paper(paper: str) -> pd.DataFrame:
    """The audit of one paper's printed tables: `run` with what is known of its sizes, its category mappings, ranks and totals."""
    if paper not in published.papers():
        raise unknown("paper", paper, published.papers())
    sizes = expected = None
    if paper == "tlue":
        from analysis.papers.tlue import arithmetic

        known = arithmetic.questions().set_index(["benchmark", "group"])["n"].astype(float)
        sizes = pd.concat([known, _by_benchmark({"safetybench": known["ti_safetybench"]})])
        expected = _by_benchmark({name: arithmetic.random_baseline(name) for name in arithmetic.CATEGORIES})
    elif paper == "khayyam":
        table = published.facts(paper, "questions")
        sizes = table.astype({"n": float}).set_index(["benchmark", "group"])["n"]
    results = published.results(paper)
    for column, names in OWN_SAMPLE.get(paper, {}).items():
        results = results[~results[column].isin(names)]
    found = [run(results, sizes, expected), mappings(paper, results), ranks(paper), totals(paper)]
    return joined(found).sort_values("ok", kind="stable", ignore_index=True)

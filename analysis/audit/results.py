"""Consistency of results with themselves: what must hold between numbers whoever made them.

Each check takes a `results` frame and returns findings (`COLUMNS`), one row a tested number, `ok` False where it cannot be right beside
the others. They run on the papers' printed tables (`of_paper`) and on a user's own results (`run`).
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from analysis.audit.averages import common_weights
from analysis.results import counts, ranking

KEYS = ["artifact", "benchmark", "model", "setting", "group"]
COLUMNS = ["check", *KEYS, "metric", "value", "expected", "difference", "allowed", "ok", "why"]
RANGES = {"percent": (0, 100), "proportion": (0, 1), "p": (0, 1)}
METRIC_RANGES = {"mrr": (0, 1), "hit_at_1": (0, 1), "hit_at_4": (0, 1), "mean_rank": (0, 1), "score": (0, 10)}
AVERAGED = ["accuracy", "score", "conditional_accuracy", "agreement", "votes"]
OVER = {"subjects": "subject", "categories": "category", "languages": "language"}  # what an average is over -> its groups


def _half(results: pd.DataFrame) -> np.ndarray:
    """Half a unit of the last printed digit; 0 where nothing was rounded. Papers drop trailing zeros: a table's longest number counts."""
    if "decimals" not in results:
        return np.zeros(len(results))
    decimals = results.groupby(["artifact", "metric"])["decimals"].transform("max").astype(float)
    read_off = results["source"] == "digitized"
    return np.where(read_off, (results["ci_high"] - results["value"]).astype(float), 0.5 * 10.0**-decimals)


def prepared(results: pd.DataFrame) -> pd.DataFrame:
    """Numbers that can be tested: present, not damaged in transmission."""
    frame = results.assign(half=_half(results))
    if "suspect" in frame:
        frame = frame[~frame["suspect"]]
    return frame[frame["value"].notna()]


def findings(
    frame: pd.DataFrame, check: str, expected: object, ok: object, why: str | list, allowed: object = 0.0
) -> pd.DataFrame:
    """Rows of results as findings of one check, in `COLUMNS`."""
    out = frame[[*KEYS, "metric", "value"]].assign(check=check, expected=expected, allowed=allowed, ok=ok, why=why)
    return out.assign(difference=out["value"] - out["expected"])[COLUMNS]


def ranges(results: pd.DataFrame) -> pd.DataFrame:
    """Values lie where their unit or metric allows."""
    frames = []
    for column, known in (("unit", RANGES), ("metric", METRIC_RANGES)):
        for name, (low, high) in known.items():
            part = results[results[column] == name]
            if part.empty or (column == "metric" and part["unit"].isin(RANGES).all()):
                continue
            frames.append(
                findings(
                    part,
                    "range",
                    part["value"].clip(low, high),
                    part["value"].between(low, high),
                    f"{name} lies in [{low}, {high}]",
                )
            )
    return joined(frames)


def twice(results: pd.DataFrame) -> pd.DataFrame:
    """A quantity that stands in several tables has one value. An average may differ in what it is over: that is no quantity twice."""
    keys = ["benchmark", "model", "setting", "group_by", "group", "metric"]
    printed = results[results["source"] == "published"].copy()
    over = printed.groupby(["artifact", "benchmark"])["group_by"].transform(lambda s: "/".join(sorted(set(s) - {"average"})))
    printed["over"] = over.where((printed["group_by"] == "average") & ~printed["group"].eq("questions"), "")
    same = printed.groupby([*keys, "over"], sort=False)
    again = (same["artifact"].transform("nunique") > 1) & (same.cumcount() > 0)
    first, rest = same[["artifact", "value", "half"]].transform("first")[again], printed[again]
    allowed = rest["half"] + first["half"]
    ok = (rest["value"] - first["value"]).abs() <= allowed + 1e-9
    return joined([findings(rest, "printed twice", first["value"], ok, list("also in " + first["artifact"]), allowed)])


def averages(
    results: pd.DataFrame, sizes: pd.Series | None = None, definitions: Mapping[str, Mapping[str, pd.Series | None]] | None = None
) -> pd.DataFrame:
    """A printed average is the mean of its table's groups: plain, weighted by their sizes, or as the paper says that it averages.

    Where the weights are unknown they are sought: one set for all models of a table. If there is none that most follow, only an average
    outside its groups can be told. If most averages of a table are plain means, all of them have to be. An average that follows another definition than the one told is a finding of its own.

    Parameters
    ----------
    sizes : Series, optional
        Index (benchmark, group) -> number of questions; the groups' own `n` if left out.
    definitions : Mapping, optional
        Benchmark -> (name of a definition -> weight of each group, None for equal ones), the paper's own first.
    """
    tested = results[results["metric"].isin(AVERAGED) & (results["source"] != "digitized")]
    made = []
    for (_, benchmark, *_), part in tested.groupby(["artifact", "benchmark", "model", "setting", "metric"], sort=False):
        for row in part[part["group_by"] == "average"].to_dict("records"):
            groups = _groups(part, row["group"])
            if len(groups) > 1:
                found = _average(row, groups, _weights(groups, benchmark, sizes), (definitions or {}).get(benchmark, {}))
                made += [{name: row[name] for name in (*KEYS, "metric", "value")} | found] if found else []
    if not made:
        return joined([])
    found = pd.DataFrame(made)
    plain = (found["value"] - found["plain"]).abs() <= found["allowed"] + 1e-9
    most = plain.groupby([found["artifact"], found["benchmark"], found["metric"], found["group"]]).transform("mean") > 0.8
    found.loc[found["loose"] & most, "ok"] = False
    found.loc[found["loose"] & most, "expected"] = found["plain"]
    found = _by_common_weights(found, tested)
    return found.assign(difference=found["value"] - found["expected"])[COLUMNS]


def _by_common_weights(found: pd.DataFrame, tested: pd.DataFrame) -> pd.DataFrame:
    """Averages whose weights nobody tells: one set of weights for all models of a table, or nothing can be told and none is tested."""
    drop = found.index[found["loose"] & found["ok"]]
    for _, rows in found.loc[drop].groupby(["artifact", "benchmark", "metric"], sort=False):
        keys = ["model", "setting"]
        first = rows.iloc[0]
        groups = tested[
            (tested[["artifact", "benchmark", "metric"]] == first[["artifact", "benchmark", "metric"]]).all(axis=1)
            & (tested["group_by"] != "average")
        ]
        wide = groups.drop_duplicates([*keys, "group"]).pivot(index=keys, columns="group", values=["value", "half"]).astype(float)
        wide = wide.reindex(pd.MultiIndex.from_frame(rows[keys]))
        half = wide["half"].max(axis=1).to_numpy()
        made = common_weights(
            wide["value"].to_numpy(), rows["value"].to_numpy(), wide["half"].to_numpy(), rows["allowed"].to_numpy(float) - half
        )
        if made is None or not made.believed:
            continue
        drop = drop.difference(rows.index[made.tested])
        found.loc[rows.index, "expected"], found.loc[rows.index, "ok"] = made.expected, made.fits
        found.loc[rows.index, "why"] = f"one set of weights for {wide['value'].shape[1]} groups"
    return found.drop(index=drop).reset_index(drop=True)


def _groups(part: pd.DataFrame, over: str) -> pd.DataFrame:
    """The groups that an average is over: those that its name says, or the only ones that there are."""
    groups = part[part["group_by"] != "average"]
    named = groups[groups["group_by"] == OVER.get(over)]
    if len(named):
        return named
    levels = groups["group_by"].unique()
    return groups[groups["group_by"] == levels[0]] if len(levels) == 1 or (len(levels) and over == "questions") else groups[:0]


def _weights(groups: pd.DataFrame, benchmark: str, sizes: pd.Series | None) -> np.ndarray | None:
    if sizes is None:
        found = groups["n"].to_numpy(float, na_value=np.nan)
    else:
        found = sizes.reindex([(benchmark, g) for g in groups["group"]]).to_numpy(float)
    return None if np.isnan(found).any() or not found.sum() else found


def _average(row: Mapping, groups: pd.DataFrame, weights: np.ndarray | None, definitions: Mapping) -> dict | None:
    """What one printed average is beside the definitions that its groups allow; None where there is none."""
    values, readings = groups["value"], {}
    for name, by_group in definitions.items() if row["group"] == "printed" else ():
        by = np.ones(len(groups)) if by_group is None else by_group.reindex(groups["group"]).to_numpy(float)
        if not np.isnan(by).any() and by.sum():
            readings[name] = float(np.average(values, weights=by))
    own = next(iter(readings), None)
    if row["group"] != "questions":
        readings.setdefault("plain", float(values.mean()))
    if row["group"] in ("questions", "printed") and weights is not None and (pd.isna(row["n"]) or row["n"] == weights.sum()):
        readings["by questions"] = float(np.average(values, weights=weights))  # an average over a sample has other weights
    if not readings:
        return None
    allowed = row["half"] + groups["half"].max()
    check, loose = "average", False
    name, expected = min(readings.items(), key=lambda reading: abs(reading[1] - row["value"]))
    ok = abs(expected - row["value"]) <= allowed + 1e-9
    if own and abs(readings[own] - row["value"]) <= allowed + 1e-9:
        name, expected, ok = own, readings[own], True
    elif own and ok:
        check, ok, name = "average by another definition", False, f"{name}; the others are {own}"
    elif own:
        name, expected = own, readings[own]
    elif not ok and weights is None and not own and row["group"] == "printed":
        loose, name, expected = True, "weights unknown", float(np.clip(row["value"], values.min(), values.max()))
        ok = abs(expected - row["value"]) <= allowed
    why = f"mean of {len(groups)} groups, {name}"
    return {
        "check": check,
        "expected": expected,
        "allowed": allowed,
        "ok": ok,
        "why": why,
        "plain": float(values.mean()),
        "loose": loose,
    }


def repeats(results: pd.DataFrame, least: int = 4) -> pd.DataFrame:
    """Two models, or two settings of one, do not get the very same printed numbers in `least` groups or more.

    Where every model of a table repeats its numbers of one other setting, it is that setting printed again.
    """
    printed = results[results["source"].eq("published") & results["metric"].isin(AVERAGED) & results["model"].ne("Random")]
    printed = printed[printed["unit"] != "count"]
    keys = ["artifact", "benchmark", "model", "setting", "metric"]
    rows = printed.sort_values([*keys, "group_by", "group"]).groupby(keys, sort=False)
    told = rows.agg(cells=("group", "size"), group=("group", tuple), value=("value", tuple)).reset_index()
    told = told[told["cells"] >= least].drop_duplicates(["benchmark", "model", "setting", "metric", "group", "value"])
    first = told.groupby(["benchmark", "metric", "group", "value"])[["artifact", "model", "setting"]].transform("first")
    same = (first["model"] == told["model"]) & (first["setting"] == told["setting"])
    copied = same | ((first["model"] == told["model"]) & (first["artifact"] != told["artifact"]))
    block = [told["artifact"], told["benchmark"], told["setting"], told["metric"]]
    same |= copied.groupby(block).transform("all") & first["setting"].groupby(block).transform("nunique").eq(1)
    why = "same numbers as " + first["model"] + ", " + first["setting"] + " in " + first["artifact"]
    made = told.assign(group="all", value=told["cells"].astype(float))
    return findings(made, "row of its own", made["value"], same, list(why.where(~same, "no other row has its numbers")))


def responses(results: pd.DataFrame) -> pd.DataFrame:
    """Accuracy is at most the response rate; conditional accuracy is their ratio (of the same average)."""
    wide = _wide(results, ["accuracy", "response_rate", "conditional_accuracy"])
    if not {"accuracy", "response_rate"} <= set(wide.columns.get_level_values(1)):
        return joined([])
    frames = []
    accuracy, rate = wide["value", "accuracy"], wide["value", "response_rate"]
    half = wide["half"].max(axis=1)
    known = accuracy.notna() & rate.notna()
    base = wide.index.to_frame(index=False)
    frames.append(findings(base.assign(metric="accuracy", value=accuracy.to_numpy())[known.to_numpy()], "accuracy at most response rate", rate[known].to_numpy(),
                            (accuracy <= rate + 2 * half + 1e-9)[known].to_numpy(), "a right answer is an answer"))  # fmt: skip
    if "conditional_accuracy" in wide["value"]:
        printed = wide["value", "conditional_accuracy"]
        ratio = 100 * accuracy / rate
        allowed = half + ratio * (half / accuracy + half / rate)
        over = wide.index.get_level_values("group")
        macro = np.isin(over, ["subjects", "categories", "languages"])  # a mean of ratios is not the ratio of means
        known = ratio.notna() & printed.notna() & ~macro
        frames.append(findings(base.assign(metric="conditional_accuracy", value=printed.to_numpy())[known.to_numpy()], "conditional accuracy", ratio[known].to_numpy(),
                                ((printed - ratio).abs() <= allowed + 1e-9)[known].to_numpy(), "accuracy over response rate", allowed[known].to_numpy()))  # fmt: skip
    return joined(frames)


def methods(results: pd.DataFrame, narrow: str = "da", wide: str = "caa") -> pd.DataFrame:
    """What the wider extraction method accepts includes what the narrower accepts, so on the same outputs it is never less accurate."""
    keys = ["benchmark", "model", "group_by", "group", "metric"]
    part = results[results["metric"].isin(["accuracy", "response_rate"]) & results["setting"].isin([narrow, wide])]
    pairs = part.drop_duplicates([*keys, "setting"])
    both = pairs[pairs["setting"] == wide].merge(pairs[pairs["setting"] == narrow], on=keys, suffixes=("", "_narrow"))
    ok = both["value"] >= both["value_narrow"] - both["half"] - both["half_narrow"] - 1e-9
    return findings(
        both, f"{wide} at least {narrow}", both["value_narrow"], ok, f"{wide.upper()} accepts what {narrow.upper()} accepts"
    )


def hits(results: pd.DataFrame, options: Mapping[str, int] | None = None) -> pd.DataFrame:
    """Hit@1 is at most Hit@4, and the mean reciprocal rank lies within what they allow, given the benchmarks' numbers of options."""
    wide = _wide(results, ["mrr", "hit_at_1", "hit_at_4"])
    if not {"mrr", "hit_at_1", "hit_at_4"} <= set(wide.columns.get_level_values(1)):
        return joined([])
    wide = wide.dropna()
    base = wide.index.to_frame(index=False)
    one, four, mrr = (wide["value", name].to_numpy() for name in ("hit_at_1", "hit_at_4", "mrr"))
    half = wide["half"].max(axis=1).to_numpy()
    known = base["benchmark"].map(lambda name: (options or {}).get(name))
    cells = zip(one, four, half, known, strict=True)
    bounds = np.array([ranking.mrr_bounds({1: a, 4: b}, n, half=h) for a, b, h, n in cells]).reshape(-1, 2)
    inside = (mrr >= bounds[:, 0] - half - 1e-9) & (mrr <= bounds[:, 1] + half + 1e-9)
    told = [
        f"Hit@1 {a:g} and Hit@4 {b:g} allow {low:.3f} to {high:.3f}" for a, b, (low, high) in zip(one, four, bounds, strict=True)
    ]
    return joined([
        findings(base.assign(metric="hit_at_1", value=one), "hit@1 at most hit@4", four, one <= four + 2 * half + 1e-9, "nested"),
        findings(base.assign(metric="mrr", value=mrr), "mrr within its hits", np.clip(mrr, bounds[:, 0], bounds[:, 1]), inside, told),
    ])  # fmt: skip


def integers(results: pd.DataFrame, sizes: pd.Series) -> pd.DataFrame:
    """A percentage of a known number of questions is an integer count."""
    part = results[
        (results["unit"] == "percent")
        & (results["metric"] == "accuracy")
        & (results["group_by"] != "average")
        & (results["model"] != "Random")
    ]
    part = part[part["source"] != "digitized"]
    n = sizes.reindex(pd.MultiIndex.from_frame(part[["benchmark", "group"]])).to_numpy(float)
    part, n = part[~np.isnan(n)], n[~np.isnan(n)]
    if part.empty:
        return joined([])
    decimals = -np.log10(2 * part["half"].to_numpy(float))
    low, high = counts.integer_counts(part["value"], n, np.round(decimals))
    nearest = 100 * np.rint(part["value"].to_numpy() * n / 100) / n
    return findings(part, "integer count", nearest, low <= high, [f"of {int(size)}" for size in n], part["half"])


def baselines(results: pd.DataFrame, expected: pd.Series, tolerance: float = 1.5) -> pd.DataFrame:
    """Printed random baselines are what guessing gets, given the numbers of options.

    Parameters
    ----------
    expected : Series
        Index (benchmark, group) -> expectation, in the results' unit.
    """
    part = results[results["model"] == "Random"]
    value = expected.reindex(pd.MultiIndex.from_frame(part[["benchmark", "group"]])).to_numpy(float)
    part, value = part[~np.isnan(value)], value[~np.isnan(value)]
    return findings(
        part,
        "random baseline",
        value,
        np.abs(part["value"] - value) <= tolerance + part["half"],
        "expectation of guessing",
        tolerance,
    )


def _wide(results: pd.DataFrame, metrics: list[str]) -> pd.DataFrame:
    part = results[results["metric"].isin(metrics)].drop_duplicates([*KEYS, "metric"])
    return part.pivot(index=KEYS, columns="metric", values=["value", "half"]).astype(float)


def joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Findings below each other, with the types of `COLUMNS`; none where there are none."""
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return pd.DataFrame(columns=COLUMNS)
    out = pd.concat(frames, ignore_index=True)
    return out.astype({"ok": bool, "value": float, "expected": float, "difference": float})


CHECKS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "range": ranges, "twice": twice, "repeats": repeats, "responses": responses, "methods": methods,
}  # fmt: skip


def run(
    results: pd.DataFrame,
    sizes: pd.Series | None = None,
    expected: pd.Series | None = None,
    definitions: Mapping | None = None,
    options: Mapping[str, int] | None = None,
) -> pd.DataFrame:
    """Every check that the columns allow, on any `results` frame.

    Parameters
    ----------
    results : DataFrame
        From `published.results`, `metrics.score` or `metrics.runs`.
    sizes, expected : Series, optional
        (benchmark, group) -> questions, and what guessing gets: more checks.
    definitions : Mapping, optional
        How the averages are made, see `averages`.
    options : Mapping, optional
        Benchmark -> options of a question.

    Returns
    -------
    DataFrame
        `COLUMNS`, the numbers that fail first.
    """
    frame = prepared(results)
    found = [check(frame) for check in CHECKS.values()] + [hits(frame, options), averages(frame, sizes, definitions)]
    if sizes is not None:
        found.append(integers(frame, sizes))
    if expected is not None:
        found.append(baselines(frame, expected))
    return joined(found).sort_values("ok", kind="stable", ignore_index=True)


def summary(findings: pd.DataFrame) -> pd.DataFrame:
    """Numbers tested and failing, by check."""
    made = findings.groupby("check", sort=False)["ok"].agg(tested="size", failing=lambda ok: int((~ok).sum()))
    return made.reset_index()

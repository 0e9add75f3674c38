"""Accuracy against model size, a line a family."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from analysis.answers import label
from analysis.plots import style

DASHES = {"da": (0, (2, 1.5)), "caa": "-"}


def scale(
    results: pd.DataFrame, printed: pd.DataFrame | None = None, reference: float | None = None, ax: Axes | None = None
) -> Axes:
    """Draw families of models over their size.

    Parameters
    ----------
    results : DataFrame
        `results` with `family` and `parameters_b` (10^9 parameters): `setting`, `value`, `ci_low`, `ci_high`.
    printed : DataFrame, optional
        The same columns; drawn hollow.
    reference : float, optional
        The random baseline.
    """
    style.need(results, "family", "parameters_b", "setting", "value", "ci_low", "ci_high")
    ax = style.axes(ax, 4.6, 3.2)
    for (family, setting), part in results.sort_values("parameters_b").groupby(["family", "setting"], sort=False):
        color = style.color(family)
        ax.plot(part["parameters_b"], part["value"], color=color, ls=DASHES.get(setting, "-"), zorder=2)
        error = [part["value"] - part["ci_low"], part["ci_high"] - part["value"]]
        ax.errorbar(part["parameters_b"], part["value"], yerr=error, fmt="o", ms=4, color=color, lw=1.1, zorder=3)
    ends = results.sort_values("parameters_b").groupby(["family", "setting"], sort=False).tail(1)
    for (_, row), y in zip(ends.iterrows(), style.apart(ends["value"], 0.045 * results["ci_high"].max()), strict=True):
        text = f"{row['family']} {label(row['setting'])}"
        ax.annotate(
            text,
            (row["parameters_b"] * 1.15, y),
            va="center",
            fontsize=7,
            color=style.color(row["family"]),
            annotation_clip=False,
        )
    if printed is not None:
        ax.plot(
            printed["parameters_b"], printed["value"], "o", ms=7.5, mfc="none", mec=style.INK, mew=0.6, ls="none", label="printed"
        )
        ax.legend(loc="lower right")
    if reference is not None:
        ax.axhline(reference, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
        ax.annotate("random", (0, reference), (2, 2), xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=7)
    ax.set_xscale("log")
    ax.set_xticks(*_ticks(sorted(results["parameters_b"].unique())))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.tick_params(axis="x", which="minor", length=0)
    ax.grid(axis="y")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("parameters (billions)")
    ax.set_ylabel("accuracy (%)")
    return ax


def _ticks(sizes: list[float]) -> tuple[list[float], list[str]]:
    """One tick for sizes that would overprint each other: 70 and 72 become 70–72."""
    groups: list[list[float]] = []
    for size in sizes:
        if groups and size / groups[-1][0] < 1.25:
            groups[-1].append(size)
        else:
            groups.append([size])
    return [(g[0] * g[-1]) ** 0.5 for g in groups], [f"{g[0]:g}" if len(g) == 1 else f"{g[0]:g}–{g[-1]:g}" for g in groups]

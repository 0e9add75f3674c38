"""One question put to several benchmarks: a panel each, rows of their own, one scale."""

import pandas as pd
from matplotlib.figure import Figure

from analysis.plots import style


def differences(frame: pd.DataFrame, label: str) -> Figure:
    """Draw a panel below another, each with its rows; an interval and a mark a row, a line at zero.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `row`, `model` (for the colour), `value`, `ci_low`, `ci_high` (missing: no interval), in order.
    label : str
        Of the common x axis, with the unit.
    """
    style.need(frame, "panel", "row", "model", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    parts = [(name, part.iloc[::-1].reset_index(drop=True)) for name, part in frame.groupby("panel", sort=False)]
    heights = [len(part) + 1.2 for _, part in parts]
    figure, axes = plt.subplots(
        len(parts), 1, figsize=(5.6, 0.5 + 0.19 * sum(heights)), sharex=True, squeeze=False, height_ratios=heights
    )
    for ax, (name, part) in zip(axes[:, 0], parts, strict=True):
        for y, row in part.iterrows():
            color = style.color(row["model"])
            ax.plot([row["ci_low"], row["ci_high"]], [y, y], color=color, lw=1.3, solid_capstyle="butt")
            ax.plot(row["value"], y, "o", ms=3.6, color=color, mfc="none" if pd.isna(row["ci_low"]) else color)
            ax.annotate(style.signed(row["value"]), (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=6.5)
        ax.axvline(0, color=style.INK, lw=0.8)
        ax.set_yticks(range(len(part)), part["row"])
        ax.set_ylim(-0.6, len(part) - 0.4)
        ax.set_title(name, fontsize=8)
    axes[-1, 0].set_xlabel(label)
    return figure


SIZES = [0.5, 1, 3, 10, 30, 100, 400]


def families(frame: pd.DataFrame, label: str) -> Figure:
    """Above-chance accuracy over size, a panel a benchmark, a line a family with more than one size.

    Parameters
    ----------
    frame : DataFrame
        `panel`, `family`, `parameters_b`, `value`, `ci_low`, `ci_high`.
    """
    style.need(frame, "panel", "family", "parameters_b", "value", "ci_low", "ci_high")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(frame["panel"]))
    rows = -(-len(names) // 2)
    figure, axes = plt.subplots(rows, 2, figsize=(style.TEXT, 0.4 + 2.3 * rows), sharex=True, sharey=True, squeeze=False)
    for ax, name in zip(axes.flat, names, strict=False):
        part = frame[frame["panel"] == name]
        ends = {}
        for family, line in part.groupby("family", sort=False):
            color, many = style.color(str(family)), len(line) > 1
            error = [line["value"] - line["ci_low"], line["ci_high"] - line["value"]]
            ax.errorbar(
                line["parameters_b"],
                line["value"],
                yerr=error,
                fmt="o-" if many else "o",
                ms=2.8,
                lw=1,
                elinewidth=0.9,
                color=color,
            )
            ends |= {str(family): line.iloc[-1]} if many else {}
        for (family, end), y in zip(ends.items(), style.apart([e["value"] for e in ends.values()], 4.5), strict=True):
            ax.annotate(family, (end["parameters_b"] * 1.2, y), va="center", fontsize=6.5, color=style.color(family))
        ax.axhline(0, color=style.INK, lw=0.8, ls=(0, (4, 3)))
        ax.set_title(name, fontsize=8)
        ax.grid(axis="y")
    axes[0, 0].set_xscale("log")
    axes[0, 0].set_xticks(SIZES, [f"{size:g}" for size in SIZES])
    axes[0, 0].minorticks_off()
    for ax in axes[:, 0]:
        ax.set_ylabel(label)
    figure.supxlabel("parameters (billions)", fontsize=8)
    return figure


def spreads(frame: pd.DataFrame) -> Figure:
    """Standard deviation across models with interval, and the noise share written beside it.

    Parameters
    ----------
    frame : DataFrame
        From `across.spreads`.
    """
    style.need(frame, "benchmark", "sd", "sd_low", "sd_high", "noise", "models")
    ax = style.axes(None, 5.4, 0.7 + 0.22 * len(frame))
    for y, row in frame.iloc[::-1].reset_index(drop=True).iterrows():
        ax.plot([row["sd_low"], row["sd_high"]], [y, y], color=style.BLUE, lw=1.3, solid_capstyle="butt")
        ax.plot(row["sd"], y, "o", ms=3.6, color=style.BLUE)
        told = f"{row['models']} models, noise {row['noise']:.1f} %"
        ax.annotate(told, (1.01, y), xycoords=("axes fraction", "data"), va="center", fontsize=6.5)
    ax.set_yticks(range(len(frame)), frame["benchmark"].iloc[::-1])
    ax.set_xlim(left=0)
    ax.set_xlabel("standard deviation across models (points above chance)")
    return ax.get_figure()


def responses(frame: pd.DataFrame) -> Figure:
    """Accuracy over response rate, a panel a benchmark, models named at the right at their own height; the diagonal is where every answer
    is right. Labels that end in DA are drawn hollow.

    Parameters
    ----------
    frame : DataFrame
        From `across.responses`.
    """
    style.need(frame, "panel", "label", "model", "x", "y", "x_low", "x_high", "y_low", "y_high")
    from matplotlib import pyplot as plt

    names = list(dict.fromkeys(frame["panel"]))
    figure, axes = plt.subplots(1, len(names), figsize=(style.TEXT + 0.6, 3.0), sharex=True, sharey=True, squeeze=False)
    for ax, name in zip(axes[0], names, strict=True):
        part = frame[frame["panel"] == name]
        for row in part.itertuples():
            color = style.color(row.model)
            error = {"xerr": [[row.x - row.x_low], [row.x_high - row.x]], "yerr": [[row.y - row.y_low], [row.y_high - row.y]]}
            ax.errorbar(
                row.x, row.y, **error, fmt="o", ms=3.4, lw=0.9, color=color, mfc="white" if row.label.endswith(" DA") else color
            )
        named = part.groupby("model", sort=False).tail(1)
        for row, y in zip(named.itertuples(), style.apart(named["y"], 2.6), strict=True):
            ax.annotate(row.model, (1.0, y), (2, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
                        fontsize=6, color=style.color(row.model), annotation_clip=False)  # fmt: skip
        ax.plot([0, 100], [0, 100], color=style.GREY, lw=0.7)
        ax.plot([0, 100], [0, 25], color=style.GREY, lw=0.7, ls=(0, (4, 3)))
        ax.set_title(name, fontsize=8)
        ax.set_xlim(0, 104)
        ax.set_ylim(0, 60)
    axes[0, 0].set_ylabel("accuracy (%)")
    figure.supxlabel("response rate (%)", fontsize=8)
    return figure

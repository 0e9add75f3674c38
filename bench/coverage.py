"""How often intervals hold the truth and tests reject a true hypothesis, by simulation: `python -m
bench.coverage` writes docs/coverage.md.

Each row is one situation at 10, 30, 100 and 1,000 questions (or what the row names). Intervals are
to hold 95 % of the time, tests to reject 5 %.
"""

from functools import cache, partial
from zlib import crc32

import numpy as np
import pandas as pd
from scipy import special

from analysis import paths
from analysis.errors import DataError
from analysis.results import languages, loss_sentences
from analysis.results.linked import Cube
from analysis.statistics import choice_bias, intervals, multiple, pairing, reliability
from analysis.statistics.power import Plan
from bench.simulations import INTERVALS, NORMAL, Simulation, covered, items, pair, studied, two
from tests.made_logs import OWN, drawn, planted

SIZES = {f"n = {n:,}": n for n in (10, 30, 100, 1000)}


def _rejects(test: Simulation, runs: int = 800) -> Simulation:
    def run(rng, n):
        return float(np.mean([test(rng, n) < 0.05 for _ in range(runs)]))

    return run


# ----------------------------------------------------------------------------------------- tests


def _comparable(rng, n):
    """Called comparable within ten points, where they are ten points apart."""
    drawn = np.transpose(two(rng, n, np.full(2000, 0.55), np.full(2000, 0.45)))
    return float(np.mean([multiple.equivalence(*one, 0.1) < 0.05 for one in drawn]))


def _planned(rng, n):
    """Detected at the difference that n questions are said to show with a power of 80 %."""
    gap = Plan(0.6, 0.5).detectable(n)
    if np.isnan(gap):
        raise DataError("no difference")
    better, worse = 0.6 + gap / 2, 0.6 - gap / 2
    deviations = np.sqrt(better * (1 - better) * worse * (1 - worse))
    both = min(better * worse + 0.5 * deviations, worse)
    cells = [better - both, worse - both, 1 - better - worse + 2 * both]
    only_first, only_second, _ = rng.multinomial(n, cells, 20_000).T
    p = pairing.mcnemar_p(only_first - only_second, only_first + only_second)
    return float(np.mean(p < 0.05))


def _independent(rng, n):
    same = np.full(20_000, 0.4)
    return float(np.mean(intervals.interval_p(*two(rng, n, same, same)) < 0.05))


def _certain(rng, n):
    """Called certain under every pairing, though the models are equal."""
    a, b = (sum(part) for part in pair(rng, n))
    return 0.0 if pairing.over_pairings(a, b, n).verdict == pairing.CERTAIN else 1.0


def _all_pairs(rng, n):
    alarms = []
    for seed in range(400):
        right = rng.random((n, 6)) < rng.beta(3, 2, (n, 1))
        alarms.append((pairing.all_pairs(right, seed=seed, draws=399).p < 0.05).any())
    return float(np.mean(alarms))


def _copies(rng, n):
    right = np.repeat(rng.random((n, 2)) < rng.beta(3, 2, (n, 1)), 5, axis=0)
    return pairing.paired(*right.T, np.repeat(np.arange(n), 5)).p


def _equal_models(rng, n):
    right = rng.random((8, n)) < rng.beta(3, 2, n)
    return reliability.reliability(right).p if right.sum() else 1.0


def _most(rng, n, independent):
    p = rng.random(12)
    p[:6] = 1e-9
    return multiple.at_least(p, 7, independent=independent)


def guesser(rng, n):
    key, selected = (np.bincount(rng.integers(4, size=n), minlength=4) for _ in range(2))
    return choice_bias.homogeneity(key, selected)[1]


# ------------------------------------------------------------------------ from language to language

SITUATIONS = {f"{n:,} x {count}": (n, count) for n in (30, 300, 3000) for count in (2, 8, 42)}


@cache
def _logs(n: int, count: int) -> tuple:
    """Of logs of n questions in some languages, how often each of `LOSSES` is so. Runs a and b are
    equal; c loses more in half of the languages.
    """
    levels = np.linspace(1, 0, count)[:, None] * np.ones(3)
    levels[-(count // 2) :, 2] -= 1
    spread = np.hypot(1, OWN) * NORMAL
    accuracy = special.expit(levels[..., None] + spread).mean(-1)
    names = pd.MultiIndex.from_product(
        [[*"abc"], map(str, range(count))], names=["run", "language"]
    )
    lost = pd.Series(100 * (accuracy[0] - accuracy).T.ravel(), names, name="truth")
    more = lost["a"] - lost["c"]
    rng, hits = np.random.default_rng([n, count]), []
    for _ in range(300):
        right = drawn(rng, n, levels).transpose(0, 2, 1).reshape(n, -1)
        right = pd.DataFrame(right, columns=names, dtype=float)
        cube = Cube(right, right.mean(), np.arange(n), np.zeros(n), n)
        losses = languages._losses(cube, "0").join(lost, on=names.names)
        pairs = languages._pairs(cube, "0", cube.others("0")).join(more, on="language")
        pairs["truth"] *= pairs["second"] == "c"
        ends = pairs.query("first == 'a' and second == 'c'")[["ci_low", "ci_high"]]
        widest = ends.abs().max(axis=None)
        counts = loss_sentences.counts_of(pairs).items()
        false = any(k > count // 2 * (pair[1] == "c") for pair, k in counts)
        inside = [
            covered(one["ci_low"], one["ci_high"], one["truth"]) == 1 for one in (losses, pairs)
        ]
        hits.append([*inside, false, widest <= more.abs().max()])
    return *np.mean(hits, 0), *planted(n, count, 16)


LOSSES = (
    "all losses of three runs hold (max-T)",
    "all differences of their losses hold (max-T)",
    "a run is said to lose less in more languages than it does (Holm, both directions)",
    "two runs that are the margin apart are said to lose the same",
    "2 % wrong keys in a language: suspected, by 16 runs",
    "of those suspected: without fault",
)
TESTS = {
    "two equal models, same questions (paired)": _rejects(
        lambda rng, n: pairing.paired(*pair(rng, n)).p
    ),
    "two equal models, independent counts (end of the interval)": _independent,
    "two equal models, only totals known: called certain": _rejects(_certain),
    "some pair of six equal models (max-T)": _all_pairs,
    "two equal models, each of n questions five times, as clusters": _rejects(_copies, 400),
    "eight equal models (Cochran's Q)": _rejects(_equal_models),
    "choice bias of a guesser, counts only (two samples)": _rejects(guesser),
    "at least 7 of 12 where 6 are true (partial conjunction, Fisher)": _rejects(
        partial(_most, independent=True), 4000
    ),
    "at least 7 of 12 where 6 are true (partial conjunction, Bonferroni)": _rejects(
        partial(_most, independent=False), 4000
    ),
    "comparable within 10 points, where they are 10 apart (two one-sided tests)": _comparable,
}
OTHERS = {
    "detected by the paired test, planned for 0.8 (accuracy 0.6, correlation 0.5)": _planned,
    "mean within half of the width 0.1, planned by a pilot of n items x 5 prompts": studied,
    "fitted over true slope of 40 items, n models (Rasch, true slope 1.6)": items("rasch", True),
    "fitted over true slopes, geometric mean (two-parameter)": items("2pl", True),
}
HEAD = """# How well the intervals and tests keep their promise

Made by `python -m bench.coverage` (simulation, fixed seed). Intervals should contain the truth in
95 of 100 cases; tests should reject a true hypothesis in 5. A cell moves by one or two hundredths,
those of slow simulations by up to four.

Below their level are
- shares over two or three clusters by the bootstrap (scores use `clustered`);
- agreement of two judges by up to 0.11;
- distances of fewer than a hundred choices from the key by up to 0.05;
- C-Dist by up to 0.03 (of two conversations 0.09);
- simultaneous ranks at ten questions where the answers are unknown;
- studies planned by a pilot with five prompts, by 0.05 (of 30 or ten questions by 0.2 to 0.4).

Cautious are paired tests and equivalence of few questions or clusters. So are the planner below a
thousand questions, accuracy corrected by few labels, and spreads of fixed models. "refused" is a
`DataError`: item parameters of fewer than twenty models, spreads within the noise of questions.
"""


def _cell(simulation: Simulation, name: str, n: int) -> str:
    try:
        return f"{simulation(np.random.default_rng([crc32(name.encode()), *np.ravel(n)]), n):.3f}"
    except DataError:
        return "refused"


def table(title: str, rows: dict, sizes: dict = SIZES) -> str:
    lines = [f"## {title}", "", f"| | {' | '.join(sizes)} |", "|---|" + "---:|" * len(sizes)]
    for name, simulation in rows.items():
        cells = [_cell(simulation, name, n) for n in sizes.values()]
        print(name, *cells)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    losses = {name: lambda _, size, k=k: _logs(*size)[k] for k, name in enumerate(LOSSES)}
    parts = [
        HEAD,
        table("Intervals: share that contains the truth", INTERVALS),
        table("Tests: share of true hypotheses rejected", TESTS),
        table("From language to language: questions x languages", losses, SITUATIONS),
        table("Planned and fitted", OTHERS),
    ]
    (paths.ROOT / "docs" / "coverage.md").write_text("\n".join(parts), encoding="utf-8")

"""How many planted wrong keys are suspected: `python -m bench.translations`."""

import numpy as np

from analysis.statistics.translations import suspects

PLANTED = 0.02


QUESTIONS, LANGUAGES = 600, 5


def cube(models: int, own: float, rng: np.random.Generator) -> np.ndarray:
    """Right answers; easiness varies by question (sd 1) and by question and language (sd `own`)."""
    logit = rng.normal(0, 1, (QUESTIONS, 1, 1)) + rng.normal(0, own, (QUESTIONS, LANGUAGES, 1))
    logit = logit + rng.normal(1, 0.7, models)
    chance = 0.25 + 0.75 / (1 + np.exp(-logit))
    return (rng.random(chance.shape) < chance).astype(float)


def planted(models: int, own: float) -> tuple[float, float, float]:
    """Share of wrong keys that are suspected, of those suspected that are false, and of the top of
    the list that is right.
    """
    hits = listed = top = total = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        correct = cube(models, own, rng)
        wrong = rng.choice(QUESTIONS, int(PLANTED * QUESTIONS), replace=False)
        correct[wrong, 1] = rng.random((len(wrong), models)) < 0.08
        result = suspects(correct, np.full(QUESTIONS, 0.25))
        suspected = result.p_adjusted < 0.05
        hits += suspected[wrong, 1].sum()
        listed += suspected.sum()
        top += np.isin(np.argsort(result.p[:, 1])[: len(wrong)], wrong).sum()
        total += len(wrong)
    return hits / total, (listed - hits) / max(listed, 1), top / total


def main() -> None:
    print("| runs | sd by language | suspected of planted | false of suspected | top right |")
    print("|--:|--:|--:|--:|--:|")
    for models in (4, 8, 16, 30):
        for own in (0.3, 0.7):
            shares = [f"{share:.2f}" for share in planted(models, own)]
            print("|", " | ".join([str(models), str(own), *shares]), "|")


if __name__ == "__main__":
    main()

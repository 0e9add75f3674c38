"""Xiezhi: what its printed numbers and its released questions carry."""


def checks() -> tuple:
    """Checks for claims of this paper alone."""
    from analysis.papers.xiezhi.claims import CHECKS

    return CHECKS

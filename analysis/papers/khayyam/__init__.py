"""Khayyam Challenge (PersianMMLU): its arithmetic and its audit."""


def checks() -> tuple:
    """Checks for claims of this paper alone."""
    from analysis.papers.khayyam.claims import CHECKS

    return CHECKS

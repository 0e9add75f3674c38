"""SeaExam and SeaBench: printed scores as counts, runs, public data where none is published."""


def checks() -> tuple:
    """Checks for claims of this paper alone."""
    from analysis.papers.seaexam_seabench.claims import CHECKS

    return CHECKS

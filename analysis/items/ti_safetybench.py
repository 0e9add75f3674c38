"""Ti-SafetyBench: TLUE's Tibetan translation of SafetyBench. No question files are known, so there is nothing to read yet.

The paper gives it SafetyBench's 11,435 questions and categories: `safetybench.keys` counts them.
"""

from pathlib import Path

import pandas as pd

from analysis import paths
from analysis.errors import DataError


def read(folder: Path | str | None = None, *, problems: list | None = None) -> pd.DataFrame:
    """Refuse: without a file of its owners the format is not known.

    Raises
    ------
    DataError
        Always.
    """
    where = Path(folder) if folder is not None else paths.benchmarks() / "ti_safetybench"
    raise DataError(
        "Ti-SafetyBench cannot be read: no question file of its owners (https://github.com/Vicentvankor/TLUE) is known, "
        "so neither is its format; see the paper's tables, and safetybench.keys() for the number of questions",
        file=where,
    )

"""Which of a million texts contain something, in any case."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.errors import DataError


def containing(chunks: Sequence[pa.Array], text: str, regex: bool) -> np.ndarray:
    """Which texts contain `text`, or what fits it as an expression (RE2).

    Parameters
    ----------
    chunks : sequence of Array
        UTF-8, of `mapped.as_bytes`.

    Raises
    ------
    DataError
        For an expression that is none.
    """
    match = pc.match_substring_regex if regex else pc.match_substring
    text = text.encode("utf-8", "surrogatepass")
    try:
        # one after the other: threads would take twice the time of the processor
        hits = [match(chunk.view(pa.large_string()), text, ignore_case=True) for chunk in chunks]
    except pa.ArrowInvalid as error:
        reason = str(error).partition(". ")[0]
        raise DataError(f"is no regular expression: {reason}", field="text") from None
    return pa.chunked_array(hits).fill_null(False).to_numpy()

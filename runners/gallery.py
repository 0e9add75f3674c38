"""Facts of published leaderboards from their logs: what `polyexam gallery add` writes."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from analysis import answers, whole
from analysis.errors import DataError
from analysis.outputs.json_lines import slug
from analysis.results import gallery
from runners import look
from runners.importers import Log


def add(sources: list[Path], log: Log, pattern: str = "", named: str = "pattern") -> Iterator[Path]:
    """Write the facts of logs to `data/gallery/<benchmark>`; further runs join those there.

    Parameters
    ----------
    log : Log
        What the caller says of the logs.
    pattern : str, optional
        A regular expression that reads responses as the publisher, or a peer, does.
    named : str
        The method as which answers by `pattern` are kept.

    Yields
    ------
    Path
        The folder of each benchmark.

    Raises
    ------
    DataError
        For logs that cannot be read, and for a question or an answer that differs from the one
        there; what is there stays as it is.
    """
    options = {"pattern": pattern} if pattern else {}
    for name, _, outputs, items in look.parts(sources, log, "gallery add"):
        folder = gallery.FOLDER / slug(name)
        read = answers.extract(answers.once(outputs), items, **options)
        read = read.replace({"method": {"pattern": named}})
        if read.empty:
            raise DataError(f"{name}: no method reads these outputs")
        joined = {}
        for kind, frame in gallery.facts(read, items).items():
            file = folder / f"{kind}.parquet"
            if file.is_file():
                frame = pd.concat([pd.read_parquet(file), frame])
            frame = frame[~frame.astype(str).duplicated()]
            keys = gallery.KEYS[kind]
            again = frame.duplicated(keys)
            if again.any():
                row = frame.loc[again, keys].iloc[0]
                raise DataError(f"{', '.join(row)} is there, and differs", file=file)
            joined[file] = frame
        for file, frame in joined.items():
            with whole.writing(file) as handle:
                frame.to_parquet(handle, index=False, compression="zstd")
        yield folder

"""What is wrong with a benchmark's files, before anything is run on them."""

from pathlib import Path

from analysis import whole
from analysis.errors import DataError
from analysis.items import describe, descriptions, finding, inference
from analysis.items import file_formats as formats
from analysis.items import read as read_items


def items(benchmark: str, split: str | None = None) -> tuple[str, int]:
    """What the items of a benchmark are, and which rows cannot be read.

    Parameters
    ----------
    benchmark : str
        A name, or the path of a description, its folder, or its only file.
    split : str, optional
        The test questions by default.

    Returns
    -------
    tuple
        The report, and the number of bad rows.

    Raises
    ------
    DataError
        For what spoils a whole file, or an unknown benchmark.
    """
    description, problems = describe(benchmark), []
    options = {"split": split} if split else {}
    frame = read_items(benchmark, problems=problems, **options)
    lines = [
        f"{description.name}: {len(frame)} items, {len(problems)} bad rows",
        f"  described in {description.file or 'its own columns: see `items describe`'}",
        *(f"bad: {error}" for error in problems[:20]),
    ]
    several = frame["metadata"].str.get("answers")
    for values in (frame["language"], frame["answer"].combine_first(several).astype(str)):
        lines.append(f"  {values.name}: {values.value_counts(dropna=False).head(8).to_dict()}")
    return "\n".join(lines), len(problems)


def described(file: Path, name: str, given: dict) -> str:
    """Write down what the columns of `file` say as the benchmark `name`, and report on it; the file
    stays where it is.

    Parameters
    ----------
    given : dict
        Fields of the description that are not to be guessed.

    Raises
    ------
    DataError
        Where the columns do not say it, or the benchmark has another description.
    """
    values = {"name": name, **inference.guessed(file, **given)}
    values["folder"] = str(file.absolute().parent)
    target, text = finding.folder(name) / descriptions.FILE, inference.text(values)
    if target.is_file() and formats.text(target) != text:
        raise DataError("describes this benchmark otherwise; edit it, or name another", file=target)
    descriptions.described(values, target)
    whole.write(target, text.encode())
    return f"written to {target}:\n{text}\n{items(name)[0]}"

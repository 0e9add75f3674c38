"""Runs: a model asked in one way (its setting), and repeated samples of one."""

import pandas as pd

from analysis import schemas

RUN = ["model", "setting"]
KEYS = ["item_id", *RUN]
_SAMPLE = r"(?:^|, )sample (\d+)$"


def once(outputs: pd.DataFrame) -> pd.DataFrame:
    """The first output of each item and run (of each item and model, where `outputs` have no
    setting): of a conversation its first turn.
    """
    keys = ["benchmark", *(key for key in KEYS if key in outputs)]
    return outputs.drop_duplicates(keys).reset_index(drop=True)


def runs(frame: pd.DataFrame) -> pd.Series:
    """The run of each row of `frame` in words: the model, with its setting where it has several.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["a", "b", "b"], "setting": ["0-shot", "0-shot", "5-shot"]})
    >>> runs(frame).tolist()
    ['a', 'b (0-shot)', 'b (5-shot)']
    """
    if "setting" not in frame or frame["setting"].nunique() < 2:
        return frame["model"]
    model, setting = (frame[name].astype("str") for name in RUN)  # which may be categories
    several = setting.groupby(model).transform("nunique").gt(1)
    return model.mask(several, model + " (" + setting + ")")


def pooled(answers: pd.DataFrame) -> pd.DataFrame:
    """Repeated samples as one run: the sample's number moves from `setting` to the column `sample`.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": "m", "setting": ["0-shot, sample 1", "0-shot, sample 2"]})
    >>> pooled(frame).values.tolist()
    [['m', '0-shot', '1'], ['m', '0-shot', '2']]
    """
    names = pd.Series(answers["setting"].unique(), dtype="str")
    if "sample" in answers or names.str.extract(_SAMPLE)[0].isna().all():
        return answers
    number = answers["setting"].str.extract(_SAMPLE)[0]
    bare = answers["setting"].str.replace(_SAMPLE, "", regex=True).replace("", schemas.NO_SETTING)
    return answers.assign(setting=bare, sample=number.fillna("1"))

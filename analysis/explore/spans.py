"""Where in a response its choice was read: the parts that the item browser marks."""

from collections.abc import Sequence

from analysis.answers import METHODS

_Spans = tuple[tuple[int, int], ...]

# methods that know the place of a choice
_MARKED = ("final_answer", "da", "caa")


def found(
    texts: Sequence[str | None],
    options: Sequence[str],
    methods: Sequence[str],
    models: Sequence[str],
) -> list[tuple[str | None, _Spans]]:
    """What a method read of each response to an item, and the parts that decided: the first of
    `methods` that knows them.

    Parameters
    ----------
    texts : sequence of str or None
        Raw responses.
    options : sequence of str
        Texts of the item's options.
    methods : sequence of str
    models : sequence of str
        Choose the reasoning filter.

    Returns
    -------
    list of (str or None, tuple of (int, int))
        Text without the intermediate steps of a reasoning model; of the label or text that
        `final_answer` read, or of the letters that are left (one of them is a choice, several are
        none).

    Examples
    --------
    >>> found(["Of A, C, B and D I take C."], ["a", "b", "c", "d"], ["caa"], [""])[0][1]
    ((24, 25),)
    """
    chosen = next((METHODS[name] for name in methods if name in _MARKED), None)
    if chosen is None:
        return [(text, ()) for text in texts]
    final = [chosen.final(text or "", model) for text, model in zip(texts, models, strict=True)]
    if chosen.together:
        readings = chosen.read(final, [options] * len(final), metadata=[{}] * len(final))
    else:
        readings = [chosen.read(text, options) for text in final]
    return [
        (text and read, reading.places(read))
        for text, read, reading in zip(texts, final, readings, strict=True)
    ]

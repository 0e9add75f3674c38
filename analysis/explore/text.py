"""Text from models and data, made safe to look at: escaped, invisible controls made visible, each text in its own direction."""

import unicodedata
from collections.abc import Iterable
from html import escape

from analysis.text import visible

LONGEST = 20_000  # characters shown of one text
MORE = "… {:,} more characters"


def direction(text: str) -> str:
    """`rtl` where most of the text's letters are written from right to left, else `ltr`.

    Examples
    --------
    >>> direction("گزینه B"), direction("Answer: ب"), direction("12")
    ('rtl', 'ltr', 'ltr')
    """
    kinds = [unicodedata.bidirectional(c) for c in text[:2000]]
    right = sum(kind in ("R", "AL") for kind in kinds)
    return "rtl" if right > sum(kind == "L" for kind in kinds) else "ltr"


def to_html(text: str | None, spans: Iterable[tuple[int, int]] = (), longest: int = LONGEST) -> str:
    """`text` as HTML that shows every character and does nothing.

    Parameters
    ----------
    text : str or None
        None is shown as missing.
    spans : iterable of (int, int)
        Parts to mark: begin and end, which do not overlap.
    longest : int
        Characters shown; what follows is counted.

    Examples
    --------
    >>> to_html("<b>B</b>", [(3, 4)])
    '<bdi dir="ltr">&lt;b&gt;<mark>B</mark>&lt;/b&gt;</bdi>'
    """
    if not isinstance(text, str):
        return '<em class="missing">no response</em>'
    shown, parts, last = text[:longest], [], 0
    for begin, end in sorted(spans):
        if begin < last or end > len(shown):
            continue
        parts += [_plain(shown[last:begin]), f"<mark>{_plain(shown[begin:end])}</mark>"]
        last = end
    parts.append(_plain(shown[last:]))
    more = f' <em class="missing">{MORE.format(len(text) - longest)}</em>' if len(text) > longest else ""
    return f'<bdi dir="{direction(shown)}">{"".join(parts)}</bdi>{more}'


def _plain(text: str) -> str:
    return escape(visible(text), quote=True).replace("\n", "<br>")

"""Text from models and data, made safe to look at: escaped, invisible controls made visible, each text in its own direction."""

import unicodedata
from collections.abc import Iterable
from html import escape

LONGEST = 20_000  # characters shown of one text
MORE = "… {:,} more characters"

# Pictures for the ASCII controls that do something in a terminal; the line feed and the tab stay what they are.
CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: "\u2421"}
# Characters that reorder or hide what stands around them. Joiners (U+200C, U+200D) and the marks U+200E and U+200F stay: Persian needs
# them, and they move nothing but themselves.
HIDING = [
    *range(0x80, 0xA0),
    0x00AD,
    0x061C,
    0x180E,
    0x200B,
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
]
SHOWN = CONTROLS | {code: f"⟨U+{code:04X}⟩" for code in [*HIDING, *range(0xE0000, 0xE0080)]}


def visible(text: str) -> str:
    """`text` with controls, direction overrides, invisible characters and lone surrogates written out.

    Examples
    --------
    >>> visible("a\\x1b[2Jb")
    'a␛[2Jb'
    >>> visible("\\u202eabc")
    '⟨U+202E⟩abc'
    """
    return "".join(f"⟨U+{ord(c):04X}⟩" if "\ud800" <= c <= "\udfff" else c for c in text.translate(SHOWN))


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

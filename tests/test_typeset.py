"""Tables as HTML: what is a number, what is text; nothing of the data is markup."""

import re

import pandas as pd

from analysis import typeset


def cells(html: str) -> list[list[str]]:
    return [
        re.findall(r"<t[dh][^>]*>.*?</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)
    ]


def test_numbers_are_aligned_and_text_is_escaped():
    columns = pd.MultiIndex.from_tuples([("Model", ""), ("<i>", "5-shot"), ("95 % CI", "")])
    frame = pd.DataFrame([["<b>", -1234.5, "1.0 to −2.5"], ["7B", None, "–"]], columns=columns)
    heads, first, second = cells(typeset.html(frame))
    assert heads == [
        '<th scope="col" class="text">Model</th>',
        '<th scope="col">&lt;i&gt; 5-shot</th>',
        '<th scope="col">95 % CI</th>',
    ]
    assert first == ['<th scope="row">&lt;b&gt;</th>', "<td>−1,234.50</td>", "<td>1.0 to −2.5</td>"]
    assert second == ['<th scope="row">7B</th>', "<td>–</td>", "<td>–</td>"]

"""Text that does nothing, in its own direction, with the part marked that decided."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from analysis.answers import letters
from analysis.explore import safe_text as shown_text
from analysis.explore import spans as span_finder
from analysis.explore.mapped import as_bytes, containing


class _Reader(HTMLParser):
    """Text and tags of a piece of HTML, as a browser's parser sees them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", set()

    def handle_data(self, data):
        self.text += data

    def handle_starttag(self, tag, attrs):
        self.tags.add((tag, *sorted(name for name, _ in attrs)))
        self.text += "\n" if tag == "br" else ""


@given(st.text(st.characters(codec=None), max_size=200), st.integers(0, 200), st.integers(0, 200))
def test_any_text_is_shown_whole_and_makes_no_element(text, a, b):
    begin, end = min(a, b, len(text)), min(max(a, b), len(text))
    page = shown_text.to_html(text, [(begin, end)])
    reader = _Reader()
    reader.feed(page)
    assert reader.text.replace("\r", "") == shown_text.visible(text)
    assert reader.tags <= {("bdi", "dir"), ("mark",), ("br",)}
    assert not any(
        0x202A <= ord(c) <= 0x202E or 0x2066 <= ord(c) <= 0x2069 or c in "\x00\x1b\x07\x9b"
        for c in page
    )


def test_long_text_is_cut_and_counted():
    page = shown_text.to_html("x" * 50, longest=20)
    assert page.count("x") == 20
    assert "30 more characters" in page


LETTERY = st.text("ABCDE xy.\n", max_size=30)


@given(LETTERY, st.sampled_from(["da", "caa"]), st.integers(2, 5))
def test_marked_letters_are_those_that_decide(text, method, n_options):
    [(read, spans)] = span_finder.found([text], range(n_options), [method], [""])
    marked = {read[begin:end] for begin, end in spans}
    rule = letters.direct_answer if method == "da" else letters.concern_all_answer
    choice = rule(text, range(n_options)).choice
    assert marked == {choice} if choice else len(marked) != 1


def test_reasoning_is_not_marked():
    for method in ("da", "final_answer"):
        texts = ["<think>A</think>C"]
        assert span_finder.found(texts, "wxyz", [method], ["DeepSeek-R1"]) == [("C", ((0, 1),))]


@given(st.lists(st.text("aAbBé\n* \ud800")), st.text("aAbBé* \ud800", min_size=1, max_size=9))
def test_a_search_agrees_with_a_slow_reading(texts, wanted):
    hits = containing([as_bytes(texts)], wanted, regex=False)
    assert hits.tolist() == [wanted.lower() in text.lower() for text in texts]

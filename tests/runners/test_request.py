import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import DataError
from analysis.outputs.json_lines import slug
from runners import request as requests

ODD_TEXT = "བོད་ไทย فارسی中文 \x00 \ud800 \u202e\u2028\x85 <script>alert(1)</script> 👩‍🔬\r\n\\"
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_key_ignores_order_and_spelling_of_numbers():
    one = {"model": "m", "params": {"temperature": 0.0, "n": np.int64(3)}, "messages": ("a", "b")}
    other = {"messages": ["a", "b"], "params": {"n": 3.0, "temperature": 0}, "model": "m"}
    assert requests.key(one) == requests.key(other)


@pytest.mark.parametrize(
    "change", [{"model": "M"}, {"extra": None}, {"text": "é"}, {"text": "e\u0301"}, {"n": True}]
)
def test_any_change_changes_the_key(change):
    before = {"model": "m", "text": "e", "n": 1}
    assert requests.key(before | change) != requests.key(before)


def test_key_is_stable_across_releases():
    assert requests.canonical({"b": 1.0, "a": "བ"}) == '{"a":"\\u0f56","b":1}'
    assert (
        requests.key({"b": 1.0, "a": "བ"}) == hashlib.sha256(b'{"a":"\\u0f56","b":1}').hexdigest()
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {"deep": [set()]}])
def test_what_json_cannot_hold_is_refused(value):
    with pytest.raises(DataError, match=r"request.* has no JSON form"):
        requests.key({"x": value})


@given(JSON)
def test_lines_hold_everything_and_no_line_end(value):
    raw = requests.line({"value": value})
    assert raw.endswith(b"\n")
    assert len(raw.decode("utf-8").splitlines()) == 1
    assert json.loads(raw.decode("utf-8")) == {"value": value}


@pytest.mark.parametrize(
    "name", ["..", "../../etc/passwd", ".hidden", "a/b", "a:b", "模型" * 60, "con\x00", "\ud800"]
)
def test_slugs_stay_in_their_folder(tmp_path, name):
    path = tmp_path / f"{slug(name)}.jsonl"
    path.write_text("x")
    assert path.resolve().parent == tmp_path.resolve()
    assert not path.name.startswith(".")


def test_slugs_are_readable_and_differ():
    assert slug("Qwen/Qwen2-7B-Instruct") == "Qwen__Qwen2-7B-Instruct"
    names = [*"a b|a_b|a%20b|a/b|a__b|a_/b|a//b|a%5Fb".split("|"), "模型" * 60, "模型" * 61]
    assert len(set(map(slug, names))) == 10

"""The sentences of an audit: each is used, and says its facts."""

from analysis.audit import sentences


def test_a_finding_says_its_facts_and_hints():
    facts = {"parts": 3, "fits": 4, "tested": 5, "hints": ["parts"]}
    why = "not the sum of its 3 parts; overlapping parts, or parts that are not shown?"
    assert (sentences.why("total", facts), sentences.sure("total", facts)) == (
        why,
        "4 of 5 sums fit",
    )


def test_braces_in_facts_are_text():
    assert sentences.why("not read", {"why": "{evil.__class__}"}) == "{evil.__class__}"

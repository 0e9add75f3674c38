"""The files of claims: complete, readable, and refused with the place where they are not."""

import pytest

from analysis import claims, papers
from analysis.claims import book, verdict_sentences, verdicts
from analysis.claims.evidence import evidence
from analysis.claims.terms import Numbers
from tests.conftest import refused


def test_every_paper_has_its_claims(ledger):
    assert set(ledger["paper"]) == set(papers.names())


def test_each_claim_has_its_place_and_its_words(ledger):
    assert not ledger["id"].duplicated().any()
    assert set(ledger["verdict"]) <= set(claims.VERDICTS)
    checked = ledger[ledger["verdict"] != verdicts.NOT_CHECKABLE]
    words = [ledger[["claim", "section"]], checked[["found", "tolerance"]]]
    assert all((frame != "").all(axis=None) for frame in words)
    assert all(verdict_sentences.claim(row)[0] for row in claims.records(ledger))


def test_rows_are_printed_numbers(ledger):
    row = ledger.set_index("id").loc["tlue-18"]
    assert row["rows"][0]["artifact"] == "table_01"
    assert row["rows"][0]["printed"] == "35.63"
    assert row["value"] == pytest.approx(10.63)
    assert row["ci_low"] < 10.63 < row["ci_high"]


def test_known_verdicts(ledger):
    verdict = ledger.set_index("id")["verdict"]
    assert verdict["tlue-39"] == "contradicted"  # 16.50 printed, 11.87 counted
    # chain of thought in the humanities
    assert verdict["khayyam-30"] == "reproduced, not significant"


def test_claims_that_rest_on_one_misprint_are_one_finding(ledger):
    table = claims.counts(ledger)
    wrong = ledger[ledger["verdict"].isin(verdicts.UNTRUE)]
    assert table.loc["all", "findings"] == table.drop(index="all")["findings"].sum() < len(wrong)
    both = wrong.set_index("id").loc[["tlue-08", "tlue-09", "tlue-12"], "misprint"]
    assert both.nunique() == 1
    assert "11,528" in both.iloc[0]


@pytest.mark.parametrize(
    "spec, message",
    [
        ({"facts": "table_18", "where": {"category": "Humanites"}}, "did you mean Humanities"),
        ({"facts": "table_18", "distinct": "subjects"}, "did you mean subject"),
        ({"facts": "table_81", "distinct": "subject"}, "did you mean table_"),
        ({"facts": "table_18", "summ": "subject"}, "did you mean sum"),
        ({"facts": "table_18", "among": {"subject": "questions.groups"}}, "did you mean group"),
    ],
)
def test_a_wrong_name_in_facts_is_an_error(spec, message):
    with refused(message):
        Numbers(evidence("tlue"), "tlue").term(spec)


GOOD = "- {id: a, section: s, claim: c, kind: fact, needs: [], needs_data: x}\n"


@pytest.mark.parametrize(
    "text, message",
    [
        ("- {id: a\n", "is not YAML"),
        (GOOD.replace("kind: fact", "kind: rumour"), "there are: numeric"),
        (GOOD.replace("needs_data", "need_data"), "did you mean needs_data"),
        (GOOD.replace(", needs_data: x", ""), "either a check or needs_data"),
        (GOOD.replace("[]", "[tabel_01]"), "did you mean table_01"),
    ],
)
def test_files_that_are_refused(tmp_path, monkeypatch, text, message):
    monkeypatch.setattr(book.paths, "CLAIMS", tmp_path)
    file = tmp_path / "tlue.yaml"
    file.write_text(text, "utf-8")
    with refused(message) as caught:
        book.load("tlue")
    assert caught.value.file == file


@pytest.mark.parametrize(
    "check, message",
    [
        ({"equals": {}}, "no such check"),
        ({"value": {"term": 1}}, "missing"),
        ({"value": {"term": 1, "stated": 1, "colour": 2}}, "value takes term, stated, .*'colour'"),
        ({"compare": {}, "value": {}}, "one name"),
    ],
)
def test_checks_that_are_refused(check, message):
    claim = book.Claim.model_construct(paper="tlue", id="tlue-00", check=check)
    with refused(message) as caught:
        book.examine(claim, book.Numbers(book.evidence("tlue"), "tlue"))
    assert caught.value.field == "tlue-00"

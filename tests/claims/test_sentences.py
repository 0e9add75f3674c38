"""Claims in sentences: known claims, known words."""

from analysis.claims import sentences

ROW = {
    "stated": "five",
    "found": "4",
    "verdict": "contradicted",
    "note": "",
    "why": "",
    "rows": [{"artifact": "table_03"}],
}


def test_a_number_stands_beside_the_papers_and_says_where_it_is_from():
    assert sentences.claim(ROW) == ("The paper says five; its Table 3 gives 4.", "")
    tables = [
        {"artifact": "table_08"},
        {"artifact": "table_09"},
        {"artifact": "figure_03a"},
        {"artifact": "table_08"},
    ]
    assert (
        sentences.claim(ROW | {"rows": tables})[0]
        == "The paper says five; its Tables 8 and 9 and Figure 3a give 4."
    )
    assert sentences.claim(ROW | {"rows": []})[0] == "The paper says five; recomputed, it is 4."
    reproduced = ROW | {"verdict": "reproduced"}
    assert sentences.claim(reproduced | {"stated": "four"})[0] == "Its Table 3 gives 4."
    assert sentences.claim(reproduced | {"stated": "42"})[0] == "Counted: 4."


def test_the_finding_leads_where_the_note_has_no_number():
    row = ROW | {"found": "869 of 871 comparisons say so", "why": "The claim needs all of them."}
    reason, detail = sentences.claim(row | {"note": "It cannot be lower."})
    assert (
        reason == "869 of 871 comparisons say so. The claim needs all of them. It cannot be lower."
    )
    assert detail == ""
    reason, detail = sentences.claim(row | {"note": "Two of 871 are lower."})
    assert reason == "Two of 871 are lower."
    assert detail == "869 of 871 comparisons say so. The claim needs all of them."

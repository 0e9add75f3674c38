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
    names = ("table_08", "table_09", "figure_03a", "table_08")
    several = ROW | {"rows": [{"artifact": name} for name in names]}
    assert "its Tables 8 and 9 and Figure 3a give 4" in sentences.claim(several)[0]
    assert "recomputed, it is 4" in sentences.claim(ROW | {"rows": []})[0]
    reproduced = ROW | {"verdict": "reproduced", "stated": "four"}
    assert sentences.claim(reproduced)[0] == "Its Table 3 gives 4."


def test_the_finding_leads_where_the_note_has_no_number():
    row = ROW | {"found": "869 of 871 say so", "why": "The claim needs all."}
    reason, detail = sentences.claim(row | {"note": "It cannot be lower."})
    assert (reason, detail) == ("869 of 871 say so. The claim needs all. It cannot be lower.", "")
    counted = sentences.claim(row | {"note": "Two of 871 are lower."})
    assert counted == ("Two of 871 are lower.", "869 of 871 say so. The claim needs all.")

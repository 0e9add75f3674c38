"""Claims in sentences: known claims, known words."""

from analysis.claims import verdict_sentences

ROW = {
    "stated": "five",
    "found": "4",
    "verdict": "contradicted",
    "note": "",
    "why": "",
    "rows": [{"artifact": "table_03"}],
}


def test_a_number_stands_beside_the_papers():
    assert verdict_sentences.claim(ROW) == ("Stated: five. Computed: 4.", "")
    assert (
        verdict_sentences.claim(ROW | {"stated": "", "note": "A note."})[0]
        == "Computed: 4. A note."
    )


def test_the_finding_leads_where_the_note_has_no_number():
    row = ROW | {"found": "869 of 871 say so", "why": "The claim needs all."}
    reason, detail = verdict_sentences.claim(row | {"note": "It cannot be lower."})
    assert (reason, detail) == ("869 of 871 say so. The claim needs all. It cannot be lower.", "")
    counted = verdict_sentences.claim(row | {"note": "Two of 871 are lower."})
    assert counted == ("Two of 871 are lower.", "869 of 871 say so. The claim needs all.")

"""The findings on the site are those of docs/findings.md, and their numbers are the artifacts'."""

import re

import pytest
import yaml

from analysis import catalog, claims, paths
from reports import finding_pages, templates
from tests.conftest import refused

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
WORDS = "no one two three four five six seven eight nine ten".split()


def page() -> str:
    return (paths.ROOT / "docs" / "findings.md").read_text("utf-8")


def items() -> list[str]:
    return re.split(r"^\d+\. ", page(), flags=re.MULTILINE)[1:]


def test_the_page_counts_the_claims_as_the_ledger_does(ledger):
    counts = claims.counts(ledger).loc["all"]
    stated = {int(number) for number in NUMBER.findall(page().partition("\nReproduced means")[0])}
    assert {int(counts[name]) for name in (*claims.VERDICTS, "claims", "findings")} == stated
    sentence = f"{counts['reproduced']} are reproduced and {counts['contradicted']} contradicted"
    assert sentence in (paths.ROOT / "README.md").read_text("utf-8")


def test_every_finding_of_the_page_is_there_with_its_numbers(ledger):
    found = finding_pages.load(ledger)
    assert len(found) == len(items())
    if not all(finding["made"] for finding in found):
        pytest.skip("the artifacts are not made here: make reports")
    for finding, text in zip(found, items(), strict=True):
        words = [number.replace(",", "") for number in NUMBER.findall(text)]
        words += [str(n) for n, word in enumerate(WORDS) if re.search(rf"\b{word}\b", text.lower())]
        values = {k: n["value"] for k, n in finding["numbers"].items() if n["rule"].printed}
        for name, value in values.items():
            assert any(f"{value:.{len(word.partition('.')[2])}f}" == word for word in words), (
                finding["id"],
                name,
                value,
            )


def test_every_finding_leads_somewhere(ledger):
    made = catalog.load()
    for finding in finding_pages.load(ledger):
        assert finding["figure"] in made[finding["paper"]].artifacts
        assert set(finding["claims"]) <= set(ledger["id"])
    assert 6 <= sum(finding["card"] for finding in finding_pages.load(ledger)) <= 8


def test_what_is_not_made_says_so(ledger, home):
    found = {finding["id"]: finding for finding in finding_pages.load(ledger)}
    assert not found["options"]["made"]
    assert found["options"]["text"] == ""
    assert found["files"]["made"]


def put_table(home, text: str) -> None:
    """A table of a paper of the test's own."""
    (home / "figures" / "p").mkdir(parents=True)
    (home / "figures" / "p" / "t.csv").write_text(text)


def test_a_rule_that_does_not_fit_is_told(ledger, home, monkeypatch):
    put_table(home, "model,value\na,1\na,-2.5\n")
    file = home / "findings.yaml"
    monkeypatch.setattr(finding_pages, "_FILE", file)
    entry = {"id": "x", "paper": "p", "headline": "H", "text": "{one}", "figure": "f"}

    def read(rule: dict) -> str:
        file.write_text(yaml.safe_dump([entry | {"numbers": {"one": {"artifact": "t"} | rule}}]))
        return finding_pages.load(ledger)[0]["text"]

    assert read({"where": {"value": -2.5}, "decimals": 1}) == "−2.5"
    assert read({"count": "value > 0"}) == "1"
    with refused("2 rows"):
        read({"where": {"model": "a"}})
    with refused("did you mean model"):
        read({"where": {"modle": "a"}})


def test_the_number_of_a_card_is_a_cell_of_the_page_that_it_leads_to(ledger, home, monkeypatch):
    put_table(home, "model,value,low,high\na,12.34,10,15\nb,20,18,22\n")
    number = {"artifact": "t", "where": {"model": "a"}, "low": "low", "high": "high"}
    entry = {
        **{"id": "x", "paper": "p", "headline": "H", "text": "{one}", "figure": "t", "card": True},
        **{"shown": "one", "chart": "points", "not_shown": "Why."},
        "numbers": {
            "one": number | {"decimals": 1, "label": "A"},
            "two": number | {"where": {"model": "b"}, "label": "B", "hollow": True},
        },
        "behind": {"artifact": "t", "columns": {"model": "Model", "value": "Points"}},
    }
    file = home / "findings.yaml"
    file.write_text(yaml.safe_dump([entry]))
    monkeypatch.setattr(finding_pages, "_FILE", file)
    listed = finding_pages.load(ledger)
    artifact = {"id": "t", "page": "p-t.html", "made": False, "alt": "", "files": {}}
    paper = {"name": "p", "short": "P", "page": "p.html", "cite": "", "artifacts": [artifact]}
    finding_pages.place(listed, [paper], [], home)
    assert (home / listed[0]["picture"]).is_file()
    pages = templates.environment()
    shared = {"here": "", "menu": []}
    page = pages.get_template("finding.html.j2").render(f=listed[0], **shared)
    card = str(pages.get_template("macros.html.j2").module.cards(listed))
    assert '<a href="finding-x.html">H</a>' in card
    assert "<strong>12.3</strong>" in card
    assert '<td>12.3</td><td class="ci">10.0 to 15.0</td>' in page
    assert "<td>20.0</td>" in page
    assert "What it does not show" in page
    assert "Cite this" in page

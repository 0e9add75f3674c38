"""An executed notebook as one HTML page: sanitized, without scripts, loading nothing from anywhere."""

from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from nbconvert.preprocessors.sanitize import SanitizeHTML
from traitlets.config import Config

TEMPLATES = Path(__file__).parent / "template"

TAGS = (
    "a abbr b bdi blockquote br caption code col colgroup dd details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i "
    "img li mark ol p pre s section small span strong sub summary sup table tbody td tfoot th thead tr ul"
).split()
ATTRIBUTES = {
    "*": ["class", "id", "title", "lang", "dir"],
    "a": ["href"],
    "img": ["src", "alt", "width", "height"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan", "scope", "valign"],
}


def to_html(executed: Path, output: Path, title: str) -> None:
    """Write the notebook at `executed` as a page at `output`.

    Cell outputs are hostile until proven otherwise: HTML passes an allow-list of tags and attributes; scripts, styles and event
    handlers go; a content-security policy in the page's head backs it up.
    """
    notebook = nbformat.read(executed, as_version=4)
    for cell in notebook.cells:
        for made in cell.get("outputs", []):
            data = made.get("data", {})
            for kind in set(data) - {"text/html", "text/plain", "image/png"}:
                del data[kind]
            if "text/html" in data:
                data.pop("text/plain", None)
        if "outputs" in cell:
            cell["outputs"] = [made for made in cell["outputs"] if made.get("data", True)]
    config = Config()
    config.SanitizeHTML.enabled = True
    config.SanitizeHTML.tags = TAGS
    config.SanitizeHTML.attributes = ATTRIBUTES
    config.SanitizeHTML.safe_output_keys = {"image/png", "text/plain"}
    config.SanitizeHTML.sanitized_output_types = {"text/html", "text/markdown"}
    config.HTMLExporter.preprocessors = [_Sanitize]
    exporter = HTMLExporter(config=config, template_name="page", extra_template_basedirs=[str(TEMPLATES)])
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    resources = {"metadata": {"name": title}, "css": (TEMPLATES / "style.css").read_text(encoding="utf-8")}
    page, _ = exporter.from_notebook_node(notebook, resources=resources)
    output.write_text("\n".join(line.rstrip() for line in page.splitlines()) + "\n", encoding="utf-8")


class _Sanitize(SanitizeHTML):
    """nbconvert's sanitizer with `data:` images allowed: figures lie inside the page."""

    def sanitize_html_tags(self, html_str: str) -> str:
        from bleach import ALLOWED_PROTOCOLS, clean

        return clean(
            html_str, tags=self.tags, attributes=self.attributes, strip=self.strip, strip_comments=self.strip_comments,
            protocols=[*ALLOWED_PROTOCOLS, "data"],
        )  # fmt: skip

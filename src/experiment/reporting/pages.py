"""What every page has in common: templates that escape all they are given, drawings inside HTML, text made visible."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from experiment.reporting.drawing import INK
from experiment.reporting.samples import Sample
from experiment.reporting.table import Table

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Picture:
    """A figure in the page: its SVG, what it shows, and the file it was also saved as."""

    svg: str
    title: str
    text: str
    file: str


@dataclass(frozen=True)
class Section:
    """All about one corpus, direction and model; or one table or figure of a paper."""

    anchor: str
    name: str
    title: str = ""
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    signatures: Sequence[tuple[str, str]] = ()
    files: Sequence[str] = ()
    samples: Mapping[str, list[Sample]] = field(default_factory=dict)
    seed: int = 0
    source: str = ""
    target: str = ""


class Further(TypedDict, total=False):
    """What a page can have besides its sections: variables of report.html."""

    description: str | None
    url: str
    banner: str
    corpora: Mapping[str, Mapping[str, str]]
    took: Sequence[tuple[str, str]]
    signatures: Sequence[tuple[str, str]]
    provenance: Sequence[tuple[str, str]]
    commands: Sequence[str]
    checks: Sequence[str]
    folded_title: str
    folded_text: str
    script: str


def page(title: str, facts: Sequence[str], sections: Sequence[Section], **further: Unpack[Further]) -> str:
    """Return a report's HTML. What is not given is left out."""
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    variables = {"title": title, "facts": facts, "sections": sections, "style": style, **further}
    empty = dict.fromkeys(Further.__annotations__, "")
    return environment(TEMPLATES).get_template("report.html").render(empty | variables)


def environment(*folders: Path) -> Environment:
    """Return where templates of these folders are rendered; names that a template lacks are errors."""
    import jinja2

    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"visible": visible, "link": web_address}
    found.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    return found


def inline_svg(text: str, prefix: str, label: str) -> str:
    """Return an SVG file's drawing for use inside HTML: own ids, the page's text colour, a label for screen readers."""
    from markupsafe import escape

    drawing = text[text.index("<svg") :]
    drawing = re.sub(r'\bid="', f'id="{prefix}', drawing)
    drawing = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{prefix}", drawing)
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    drawing = drawing.replace(INK, "currentColor")
    head, _, rest = drawing.partition(">")
    width = re.search(r'width="([\d.]+)pt"', head)
    head = re.sub(r' (?:width|height)="[\d.]+pt"', "", head)
    size = f'style="max-width: {float(width[1]) * 4 / 3:.0f}px"' if width else ""
    return f'{head} role="img" aria-label="{escape(label)}" {size}>{rest}'


_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if code != 0x09} | {0x7F: "\u2421"}
_CONTROLS |= {
    code: f"\N{LEFT-POINTING ANGLE BRACKET}U+{code:04X}\N{RIGHT-POINTING ANGLE BRACKET}"
    for code in (*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


def visible(text: str) -> str:
    """Return text whose control characters (also those that turn the direction of writing) are shown, not obeyed."""
    return text.translate(_CONTROLS)


def web_address(text: Any) -> str:
    """Return `text` when it is a web address, else nothing: only http and https become links."""
    return str(text) if re.match(r"https?://[^\s\"'<>]+$", str(text)) else ""

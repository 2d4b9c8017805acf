"""A hook of mkdocs: pages that lie beside what they describe, and links that work in the repository and on the site.

mkdocs takes pages from docs/ alone. This adds the pages that `nav` names outside of it (README.md, papers/*/README.md).
A link in a page is a path in the repository and becomes a path on the site. Other files that pages link to
(configuration, code) are copied to the site, so that these links work, too.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DOCS = "docs/"
#: A link or an image of Markdown, ](target#anchor), but for those to other hosts and to the page itself.
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of `nav` that are not in docs/, and every other file that a page links to."""
    for uri in _named(config.nav):
        if not files.get_file_from_path(uri):
            files.append(File.generated(config, uri, abs_src_path=str(ROOT / uri)))
    for page in list(files.documentation_pages()):
        text = Path(page.abs_src_path or "").read_text(encoding="utf-8")
        for target in LINK.findall(text):
            path = _in_repository(page, target)
            on_site = path.removeprefix(DOCS)
            if (ROOT / path).is_file() and not files.get_file_from_path(on_site):
                files.append(File.generated(config, on_site, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn paths in the repository into paths on the site; a folder's page is its README.md."""

    def rewritten(match: re.Match[str]) -> str:
        path = _in_repository(page.file, match[0])
        if (ROOT / path / "README.md").is_file():
            path = f"{path}/README.md"
        return posixpath.relpath(path.removeprefix(DOCS), posixpath.dirname(page.file.src_uri) or ".")

    return LINK.sub(rewritten, markdown)


def _named(nav: Any) -> Iterator[str]:
    """Yield every page that `nav` names."""
    if isinstance(nav, str):
        yield nav
    else:
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from _named(part)


def _in_repository(file: File, target: str) -> str:
    """Return the path in the repository of what a page links to."""
    source = posixpath.relpath(Path(file.abs_src_path or "").as_posix(), ROOT.as_posix())
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))

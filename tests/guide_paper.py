"""The invented paper of docs/new-paper.md, for tests that run it."""

from __future__ import annotations

import re
from pathlib import Path


def write_files_of_the_page(root: Path, folder: Path) -> list[str]:
    """Write every file that the page shows under its name; return the names."""
    page = (root / "docs" / "new-paper.md").read_text(encoding="utf-8")
    shown = re.findall(r"`(papers/letters/[^`]+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL)
    for name, content in shown:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return [name for name, _ in shown]

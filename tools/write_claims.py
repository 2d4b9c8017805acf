"""Write the table of claims in papers/*/README.md: each sentence, the rule for it, and what the printed numbers say."""

from __future__ import annotations

from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.table_formats import escape_markdown
from replication.claims import Runs
from replication.measurements import together
from replication.paper import FOLDER, Paper, read
from subwords.errors import InputError
from subwords.files import write_whole

BEGIN, END = "<!-- claims: written by tools/write_claims.py -->\n", "<!-- end of claims -->\n"
SAME = "the same"


def claims_table(paper: Paper) -> str:
    """Return a paper's claims as Markdown, with their verdicts on the published numbers."""
    printed = together(paper.printed.values())
    lines, above = ["| claim | the paper | rule | published numbers |", "|---|---|---|---|"], ""
    for name, claim in paper.claims.items():
        finding = claim(Runs(printed))
        sentence = f"{claim.title} ({claim.where})"
        cells = [SAME if sentence == above else sentence, claim.rule, f"{finding.state}: {finding.reason}"]
        lines.append(f"| `{name}` | {' | '.join(map(escape_markdown, cells))} |")
        above = sentence
    return "\n".join(lines) + "\n"


def with_claims(text: str, paper: Paper) -> str:
    """Return a README with its table of claims made again. Raises InputError where the two marks are not there."""
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (begun and ended):
        raise InputError(f"the README of {paper.name} lacks {BEGIN.strip()} or {END.strip()}", next_step="add both")
    return f"{before}{BEGIN}{claims_table(paper)}{END}{after}"


@program
def main(argv: list[str] | None = None) -> None:
    command_line(__doc__).parse_args(argv)
    for experiment in sorted(FOLDER.glob("*/experiment.yaml")):
        page = Path(experiment).with_name("README.md")
        text = with_claims(page.read_text(encoding="utf-8"), read(experiment))
        write_whole(page, text)


if __name__ == "__main__":
    raise SystemExit(main())

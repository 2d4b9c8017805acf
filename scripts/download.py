"""Download one file and check its SHA-256: retries, resumes, shows progress, and can take it from a mirror folder.

With --mtdata, what an id of mtdata's index names is fetched into a folder of downloads, as {host}/{path}.
"""

from __future__ import annotations

from pathlib import Path

from experiment.corpora.download import fetch
from experiment.programs import command_line, program


@program
def main(argv: list[str] | None = None) -> None:
    command = command_line(__doc__)
    command.add_argument("--url", help="https, http or file")
    command.add_argument("--mtdata", metavar="ID", help="instead of a URL; --output is then the folder of downloads")
    command.add_argument("--sha256", help="expected checksum in hexadecimal")
    command.add_argument("--mirror", type=Path, metavar="DIR", help="take DIR/{host}/{path} instead of the network")
    command.add_argument("--output", type=Path, required=True, metavar="PATH", help="where the file goes")
    args = command.parse_args(argv)
    if (args.url is None) == (args.mtdata is None):
        command.error("one of --url and --mtdata is required")
    if args.mtdata:
        from experiment.corpora.mtdata_parts import fetch_entry, find_entries

        for entry in find_entries([args.mtdata]):
            fetch_entry(entry, args.output, args.mirror)
    else:
        fetch(args.url, args.output, sha256=args.sha256, mirror=args.mirror)


if __name__ == "__main__":
    raise SystemExit(main())

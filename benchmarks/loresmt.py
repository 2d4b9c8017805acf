"""The LoResMT 2021 en-ga training texts, on which the measurements of docs/algorithms were made."""

from __future__ import annotations

import argparse
from pathlib import Path

from speed.texts import default_mirror, find

LANGUAGES = ("en", "ga")


def training_texts(description: str | None) -> dict[str, list[Path]]:
    """Read the command line (`--mirror DIR`) and return the files of each text: "en", "ga", and "joint" for both."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, metavar="DIR", default=default_mirror(), help="folder with the corpus")
    mirror = parser.parse_args().mirror
    patterns = [f"loresmt-2021/*/data/en_ga/train.{language}" for language in LANGUAGES]
    files = find(patterns, mirror) if mirror else []
    if not files:
        parser.error(f"no folder below --mirror {mirror} has {' and '.join(patterns)}")
    return {language: [file] for language, file in zip(LANGUAGES, files, strict=True)} | {"joint": files}

"""The LoResMT 2021 en-ga training texts, on which the measurements of these pages were made."""

from __future__ import annotations

import argparse
from pathlib import Path


def training_texts(description: str | None) -> dict[str, list[Path]]:
    """Read the command line (`--mirror DIR`) and return the files of each text: "en", "ga", and "joint" for both."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, metavar="DIR", required=True, help="folder with the corpus")
    mirror = parser.parse_args().mirror
    found = {name: sorted(mirror.glob(f"**/loresmt-2021/*/data/en_ga/train.{name}"))[:1] for name in ("en", "ga")}
    if not all(found.values()):
        parser.error(f"no folder below --mirror {mirror} has loresmt-2021/*/data/en_ga/train.en and train.ga")
    return found | {"joint": found["en"] + found["ga"]}

"""Names, texts, archives and models that are out to do harm: refused with a message, or without effect."""

from __future__ import annotations

import copy
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_comet import make_tiny_comet
from workflow.conftest import TINY, Workplace

from experiment.config import Experiment
from experiment.scoring.comet_model import _check_content, load_comet_model
from subwords.errors import InputError

NAMES = [
    "a;touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "a b",
    "a'b",
    'a"b',
    "<script>alert(1)</script>",
    "../../outside",
    "/etc/passwd",
    "..",
    ".",
    "-rf",
    "--help",
    "{seed}",
    "a\nb",
    "a\n",
    "a\x00b",
    "a|b",
    "*",
    "",
    "\u202eabc",
]


def renamed(kind: str, name: str) -> dict[str, Any]:
    """Return the tiny experiment in which one thing has another name."""
    settings = copy.deepcopy(TINY)
    if kind == "experiment":
        settings["experiment"] = name
    elif kind == "test set":
        settings["testsets"] = [name]
    elif kind == "language":
        settings["corpora"]["mini"]["languages"] = ["en", name]
        settings["directions"] = [f"en-{name}"]
    else:
        settings[kind] = {name: next(iter(settings[kind].values()))}
        settings["baseline"] = next(iter(settings["segmentations"]))
    return settings


def test_the_names_are_refused_for_what_they_are() -> None:
    for kind in ("experiment", "segmentations", "models", "corpora"):
        Experiment(renamed(kind, "plain-name.1"), where="test")


@pytest.mark.parametrize("kind", ["experiment", "corpora", "segmentations", "models", "test set", "language"])
@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_that_a_shell_or_a_page_could_read_otherwise_are_refused(kind: str, name: str) -> None:
    with pytest.raises(InputError):
        Experiment(renamed(kind, name), where="test")


HOSTILE_LINES = [
    "$(touch pwned) `touch pwned` ; touch pwned | touch pwned && touch pwned",
    "'; touch pwned; echo '",
    '"; touch pwned; echo "',
    "<script>alert(1)</script> <img src=x onerror=alert(1)> </td></table>",
    "<unk> <s> </s> <pad> <mask> @@ ▁ ##x <<unk>>",
    "\\input{/etc/passwd} \\write18{touch pwned} % & _ # { } ~ ^",
    "{params.job} {wildcards.seed} {{x}} %s %(x)s ${HOME} __import__('os').system('touch pwned')",
    "../../../etc/passwd | file:///etc/passwd",
    "=cmd|'/C calc'!A1 +1+1 @SUM(1) -2",
    "\u202e right to left \u202c \u0000 null \u001b[31m red \x07",
]


class Hostile:
    """Creates a file where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, (f"touch {self.mark}",)


@pytest.mark.slow
def test_nothing_in_a_foreign_comet_model_is_run(tmp_path: Path) -> None:
    import torch

    checkpoint = make_tiny_comet(tmp_path / "comet")
    load_comet_model(str(checkpoint))
    state = torch.load(checkpoint, weights_only=True)
    torch.save(state | {"callbacks": Hostile(tmp_path / "mark")}, checkpoint)
    with pytest.raises(InputError, match="cannot be loaded"):
        load_comet_model(str(checkpoint))
    assert not (tmp_path / "mark").exists()


def test_a_comet_model_of_another_hash_is_refused(tmp_path: Path) -> None:
    """The hub's cache keeps a file under its SHA-256, and a link to it in the snapshot."""
    content = b"a model"
    blob = tmp_path / "blobs" / hashlib.sha256(content).hexdigest()
    blob.parent.mkdir()
    blob.write_bytes(content)
    checkpoint = tmp_path / "model.ckpt"
    checkpoint.symlink_to(blob)
    _check_content(checkpoint)
    blob.write_bytes(b"a modem")
    with pytest.raises(InputError, match=f"is damaged, or another one(.|\n)*delete {blob} and run again"):
        _check_content(checkpoint)


@pytest.mark.deployment
@pytest.mark.slow
def test_hostile_texts_titles_and_paths_do_nothing(workplaces: Callable[[str], Workplace]) -> None:
    """They go through every step, into the report as text, and no shell, page or template reads them otherwise."""
    place = workplaces("hostile")
    folder = place.folder / "my $(touch pwned) data; touch pwned '<B>'"
    folder.mkdir()
    plain = [f"word{number} in a sentence of number {number} ." for number in range(60)]
    for split, lines in (("train", plain * 2 + HOSTILE_LINES * 3), ("dev", HOSTILE_LINES), ("test", HOSTILE_LINES)):
        for language in ("en", "cs"):
            text = "".join(f"{line} {language} {split} {n}\n" for n, line in enumerate(lines))
            (folder / f"{split}.{language}").write_text(text, encoding="utf-8")
    files = {
        split: {lang: str(folder / f"{split}.{lang}") for lang in ("en", "cs")} for split in ("train", "dev", "test")
    }
    corpus = {"languages": ["en", "cs"], "train": files["train"], "dev": files["dev"], "tests": {"test": files["test"]}}
    experiment = copy.deepcopy(TINY) | {"corpora": {"mine": corpus}, "directions": ["en-cs"]}
    experiment |= {"title": "<script>alert(1)</script>", "description": "$(touch pwned) <script>alert(2)</script>"}
    place.write(experiment)
    place.run()
    assert not list(place.folder.rglob("pwned"))
    page = (place.results / "tiny" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(" not in page
    assert "onerror=alert(1)>" not in page
    assert "&lt;script&gt;alert(1)" in page
    (clean,) = place.results.glob("corpora/*/*/test.en")
    assert clean.read_text(encoding="utf-8").count("\n") == len(HOSTILE_LINES)

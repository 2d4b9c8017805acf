"""Real text of other scripts and languages: Amharic, Hindi, Irish, Lithuanian, Marathi, Ojibwe, German.

What learning and encoding give is held against the public programs, models go both ways, and text comes back.
"""

from __future__ import annotations

import gzip
import io
from functools import cache
from pathlib import Path

import pytest

from subwords import registry
from subwords.segmenter import Segmenter

pytestmark = [pytest.mark.shared, pytest.mark.slow]

FILES = {
    "am": "hftoks-eval/*/data/am/train/train.am",
    "hi": "hftoks-eval/*/data/hi/train/train.hi",
    "lt": "hftoks-eval/*/data/lt/train/train.lt",
    "mr": "loresmt-2021/*/data/en_mr/train.mr",
    "ojb": "hftoks-eval/*/data/ojb/train/train.ojb",
    "de": "dataset/*/data/task1/raw/train.de.gz",
}
LINES = 1000
#: Lines of one language that are encoded with the model of the one before it: characters and words never seen.
FOREIGN = dict(zip(FILES, [*list(FILES)[1:], "am"], strict=True))
SIZE = 600
#: These learn for seconds from so many lines: they learn from a fifth of them, and segment all.
SLOW_LEARNERS = ("morfessor", "pathpiece")

every_language = pytest.mark.parametrize("language", FILES)


@cache
def lines(mirror: Path, language: str) -> tuple[str, ...]:
    """Return the first lines of a language, words between single spaces."""
    path = next(mirror.glob(f"**/{FILES[language]}"))
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        return tuple(" ".join(next(stream).decode("utf-8").split()) for _ in range(LINES))


@pytest.fixture
def text(shared: Path, tmp_path: Path, language: str) -> Path:
    path = tmp_path / f"text.{language}"
    path.write_text("".join(f"{line}\n" for line in lines(shared / "mirror", language)), "utf-8", newline="\n")
    return path


@pytest.fixture
def foreign(shared: Path, language: str) -> tuple[str, ...]:
    return lines(shared / "mirror", FOREIGN[language])


@every_language
def test_codes_and_pieces_are_those_of_subword_nmt(text: Path, foreign: tuple[str, ...], tmp_path: Path) -> None:
    """Models go both ways: ours reads their codes, theirs reads ours."""
    from subword_nmt.apply_bpe import BPE as Published
    from subword_nmt.learn_bpe import learn_bpe

    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    with open(text, encoding="utf-8", newline="\n") as source, open(theirs, "w", encoding="utf-8") as codes:
        learn_bpe(source, codes, SIZE)
    registry.find("bpe").learn([text], SIZE).save(ours)
    assert ours.read_bytes() == theirs.read_bytes()
    model = registry.find("bpe").load(theirs)
    applied = Published(io.StringIO(ours.read_text("utf-8")))
    assert model.encode_batch(foreign) == [applied.process_line(line) for line in foreign]


@every_language
@pytest.mark.parametrize("name", ["sbpe", "random-bpe", "volt", "muv"])
def test_apply_bpe_reads_every_codes_file(name: str, text: Path, foreign: tuple[str, ...], tmp_path: Path) -> None:
    from subword_nmt.apply_bpe import BPE as Published

    model = learned(name, text)
    model.save(tmp_path / "codes")
    applied = Published(io.StringIO((tmp_path / "codes").read_text("utf-8")))
    assert model.encode_batch(foreign) == [applied.process_line(line) for line in foreign]


@every_language
def test_tokenizers_encodes_with_our_wordpieces(text: Path, tmp_path: Path) -> None:
    from tokenizers import models

    model = learned("wordpiece", text)
    model.save(tmp_path / "vocabulary")
    pieces = (tmp_path / "vocabulary").read_text("utf-8").split("\n")
    words = sorted(set(text.read_text("utf-8").split()))[:500]
    theirs = models.WordPiece(
        {piece: number for number, piece in enumerate(filter(None, pieces))},
        unk_token="[UNK]",
        max_input_chars_per_word=10_000,
    )
    assert [model.encode(word) for word in words] == [" ".join(t.value for t in theirs.tokenize(w)) for w in words]


#: Those that learn from text alone, without a model or gold morphemes from elsewhere.
FROM_TEXT = [name for name in registry.names() if not any(p.required for p in registry.find(name).parameters)]


@every_language
@pytest.mark.parametrize("name", FROM_TEXT)
def test_lines_come_back(name: str, text: Path, foreign: tuple[str, ...]) -> None:
    """Those that learning has read, and, unless unknown words are lost, those of another language."""
    model = learned(name, text)
    known = text.read_text("utf-8").split("\n")[:-1]
    given = known if registry.find(name).lossy else [*known, *foreign]
    encoded = model.encode_batch(given)
    assert [model.decode(pieces) for pieces in encoded] == [" ".join(line.split()) for line in given]
    streamed = io.BytesIO()
    model.encode_stream(io.BytesIO("".join(f"{line}\n" for line in given).encode("utf-8")), streamed)
    assert streamed.getvalue().decode("utf-8").split("\n")[:-1] == encoded


def learned(name: str, text: Path) -> Segmenter:
    algorithm = registry.find(name)
    if name in SLOW_LEARNERS:
        few = text.read_text("utf-8").split("\n")[: LINES // 5]
        text = text.with_name(f"few.{text.name}")
        text.write_text("".join(f"{line}\n" for line in few), "utf-8", newline="\n")
    size = len(set(text.read_text("utf-8").split())) if name == "word" else SIZE
    return algorithm.learn([text], None if algorithm.chooses_size or not algorithm.size_counts else size)

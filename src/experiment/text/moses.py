"""Moses text: tokenized and truecased by sacremoses, and back.

Tokens keep their characters: nothing is escaped (`&` stays `&`), quotes and punctuation stay what they are. The
truecaser learns the usual form of each word from the train side alone, leaving out sentence starts, where every word
has a capital. Each line is treated by itself, so the result depends neither on the number of workers nor on how lines
are distributed to them.
"""

from __future__ import annotations

import re
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from experiment.text.lines import rewrite
from subwords.errors import InputError, check_known
from subwords.files import read_lines, write_whole

if TYPE_CHECKING:
    from sacremoses import MosesTokenizer, MosesTruecaser

#: The forms of text that segmentations read.
FORMS = ("raw", "moses")
LINES_PER_CHUNK = 2000
#: Languages that write d'X and l'X, and whose apostrophes sacremoses does not treat as Moses' tokenizer.perl does: as
#: French and Italian ones. (French itself would not do here: its question marks follow a space.)
ELIDING = {"ga": "it", "ca": "it"}


@cache
def has_rules(language: str) -> bool:
    """Return whether Moses has rules of its own for a language."""
    from sacremoses.corpus import NonbreakingPrefixes

    return base_language(language) in (*NonbreakingPrefixes().available_langs.values(), "ja", "ko")


def rules_for(language: str) -> str:
    """Return the language whose Moses rules are used for `language`: its own, without region, or English.

    English rules keep apostrophes attached to one side, and so lose less than sacremoses' treatment of unknown
    languages.

    >>> rules_for("pt-BR"), rules_for("qmo")
    ('pt', 'en')
    """
    return base_language(language) if has_rules(language) else "en"


def base_language(language: str) -> str:
    """Return the code of a language without its region: zh for zh_cn."""
    return language.replace("_", "-").split("-")[0]


def tokenize(line: str, language: str) -> str:
    """Return the tokens of a line, separated by single spaces; an empty line stays empty."""
    return _tokenizer(rules_for(language)).tokenize(line, return_str=True, escape=False)


def truecase(line: str, model: str) -> str:
    """Return a tokenized line with the usual form of each word, by the truecasing model in the file `model`.

    As in Moses' truecase.perl, a form that was seen in train is left as it is, except at the start of a sentence:
    German `Tritt` (a noun) does not become `tritt` (a verb) because that is more frequent.
    """
    return _truecaser(model).truecase(line, return_str=True, use_known=True)


def detokenizer(language: str) -> Callable[[str], str]:
    """Return the function that makes plain text of a truecased, tokenized line: the inverse of the two above.

    Sentences start with a capital again (for Moses, also after a colon). What tokenization does not keep (the side of
    a straight quote, an apostrophe within a German word, `&` written as an entity) is restored by Moses' rules of
    thumb, and not always as it was.
    """
    from sacremoses import MosesDetokenizer, MosesDetruecaser

    rules = rules_for(language)
    detruecase = MosesDetruecaser().detruecase
    # Nothing was escaped, so nothing may be unescaped: `&amp;` in a text is these five characters.
    detokenize = partial(MosesDetokenizer(lang=ELIDING.get(rules, rules)).detokenize, unescape=False)
    return lambda line: detokenize(detruecase(line))


def to_text(form: str, language: str) -> Callable[[str], str]:
    """Return the function from a line of this form (raw or moses) to plain text."""
    check_known("form of text", [form], FORMS)
    return str if form == "raw" else detokenizer(language)


def learn_truecaser(tokenized: Iterable[str], model: Path) -> None:
    """Learn a truecasing model (Moses' format) from tokenized lines."""
    from sacremoses import MosesTruecaser

    truecaser = MosesTruecaser()
    casing: dict[str, Counter[str]] = {}
    # In batches, because sacremoses keeps every token of what it is given in memory.
    tokenized = iter(tokenized)
    while lines := list(islice(tokenized, LINES_PER_CHUNK)):
        for lower, forms in truecaser.train([line.split(" ") for line in lines])["casing"].items():
            casing.setdefault(lower, Counter()).update(forms)
    truecaser.model = {"casing": casing}
    with tempfile.TemporaryDirectory() as folder:
        truecaser.save_model(f"{folder}/model")  # readable for its owner alone, hence the copy
        write_whole(model, Path(folder, "model").read_bytes())


def write_text(language: str, source: Path, output: Path, splits: Sequence[str], *, workers: int = 1) -> None:
    """Write the Moses tokens of SOURCE/{split}.{language} as OUTPUT/{split}.{language}, one line for each line.

    The truecasing model is OUTPUT/truecase.{language}, learned from the train split.
    """
    if "train" not in splits:
        raise InputError("the truecaser has nothing to learn from", allowed="splits with train among them")
    names = [f"{split}.{language}" for split in splits]
    output.mkdir(parents=True, exist_ok=True)
    model = output / f"truecase.{language}"
    with (
        tempfile.TemporaryDirectory(dir=output, prefix=".tokens.") as folder,
        _lines_mapper(workers, source / f"train.{language}") as map_lines,
    ):
        tokens = Path(folder)
        for name in names:
            rewrite(source / name, tokens / name, partial(map_lines, partial(tokenize, language=language)))
        learn_truecaser(read_lines(tokens / f"train.{language}"), model)
        for name in names:
            rewrite(tokens / name, output / name, partial(map_lines, partial(truecase, model=str(model))))


def tokenize_like(model: Path, language: str, source: Path, output: Path) -> None:
    """Write the Moses tokens of a text that came after the others, with their truecasing model."""
    rewrite(source, output, lambda lines: (truecase(tokenize(line, language), str(model)) for line in lines))


@contextmanager
def _lines_mapper(
    workers: int, largest: Path
) -> Iterator[Callable[[Callable[[str], str], Iterable[str]], Iterator[str]]]:
    """Yield a `map` that keeps the order of lines, on `workers` processes where the largest text has several chunks."""
    if workers <= 1 or next(islice(read_lines(largest), LINES_PER_CHUNK, None), None) is None:
        yield map
        return
    from multiprocessing import get_context

    # spawn: a fork of a process with threads can hang, and the caller may have some.
    with get_context("spawn").Pool(workers) as pool:
        yield partial(pool.imap, chunksize=LINES_PER_CHUNK)


@cache
def _tokenizer(language: str) -> MosesTokenizer:
    from sacremoses import MosesTokenizer

    tokenizer = MosesTokenizer(lang=language)
    # Combining marks and joiners belong to the letter before them. sacremoses, like Moses, makes a token of each that
    # Unicode does not call alphabetic, which tears Marathi, Persian and every letter without a composed form apart.
    tokenizer.PAD_NOT_ISALNUM = (re.compile(rf"([^{tokenizer.IsAlnum}{_marks()}\s\.'\`\,\-])"), r" \1 ")
    if language in ELIDING:
        tokenizer.lang = ELIDING[language]
    return tokenizer


@cache
def _marks() -> str:
    every = map(chr, range(sys.maxunicode + 1))
    return "\u200c\u200d" + "".join(c for c in every if unicodedata.category(c) in ("Mn", "Mc", "Me"))


@cache
def _truecaser(model: str) -> MosesTruecaser:
    from sacremoses import MosesTruecaser

    return MosesTruecaser(model)

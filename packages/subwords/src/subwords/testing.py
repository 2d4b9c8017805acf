"""What every segmenter must hold, as checks that anyone can run on a class of their own.

On the command line, `subwords check mine.py:Mine`. In Python:

    from subwords.testing import check_contract
    assert check_contract(Mine) == []

Under pytest, with a test for each check:

    import pytest
    from subwords.testing import CHECKS, Trial

    @pytest.fixture(scope="module")
    def trial(tmp_path_factory):
        return Trial(Mine, tmp_path_factory.mktemp("contract"))

    @pytest.mark.parametrize("check", CHECKS)
    def test_contract(trial, check):
        CHECKS[check](trial)

The class is learned on a small artificial text, with the size and options that its `trial_arguments` returns. Random
texts are drawn by a fixed seed. A check raises AssertionError, which says what was expected and what came.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from inspect import getsourcefile
from pathlib import Path
from random import Random
from typing import Any

from subwords.errors import InputError, Shortfall
from subwords.segmenter import LINES_PER_BATCH, Segmenter

STEMS = ["baro", "keli", "mino", "tuva", "sade", "ropi", "vane", "lugo", "fipa", "dose", "nari", "heku", "zole", "pami"]
ENDINGS = ["", "ko", "ri", "sem", "tuna", "lipa", "vo"]
#: 98 word types over 19 letters.
WORDS = [stem + ending for stem in STEMS for ending in ENDINGS]
LINES = [" ".join(WORDS[(n * k + k) % len(WORDS)] for k in range(1, 3 + n % 7)) for n in range(400)]
#: word -> its two morphs, for algorithms that learn from gold morphemes.
MORPHS = {stem + ending: [stem, ending] if ending else [stem] for stem in STEMS for ending in ENDINGS}

#: Lines that have broken segmenters before.
AWKWARD = [
    "",
    "a",
    "?",
    "the cat sat on the mat",
    "aaaa aaa aa a",
    "naïve café, coöperate",
    "cafe\u0301 e\u0301\u0301",
    "hello 👋🏽 family 👨‍👩‍👧‍👦 flags 🇨🇿🇮🇪",
    "שלום עולם مرحبا بالعالم",
    "मराठी भाषा क्‍ष",
    "日本語の文章 東京",
    "a\u00a0b\u2003c\u3000d",
    "line\u2028separator para\u2029graph next\x85line \x0b\x0c\x1c",
    "nul\x00byte",
    "<unk> <s> </s> <pad> @@ @@ a@@ b </w> ▁ ▁▁ ␠ ␀ ¦ # ##x",
    "ALL CAPS, Title Case, mIxEd NATO-led 3.14 1,000,000 e-mail",
    "\ud7ff\uffff\U0010ffff",
    "x" * 5000,
]

#: What algorithms use as marks, and a few letters: words made of these are where escapes fail.
MARKS = [
    *("@@", "@", "##", "#", "▁", "Ġ", "</w>", "<unk>", "<unk-a>", "<UNK>", "<s>", "</s>", "[UNK]", "␠", "␀", "¦", "𐋇"),
    *("ba", "ko", "B", "9", "-"),
]

#: How many random texts of a kind are tried.
TEXTS = 100


@dataclass
class Trial:
    """A class on trial, with the small text that it is learned from; files are written into `folder`.

    `options`, if given, replace those of the class's own `trial_arguments`; the size stays.
    """

    cls: type[Segmenter]
    folder: Path
    options: dict[str, Any] | None = None

    @cached_property
    def text(self) -> Path:
        path = self.folder / "text"
        path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
        return path

    @cached_property
    def arguments(self) -> tuple[int | str | None, dict[str, Any]]:
        """The size and the options."""
        size, options = self.cls.trial_arguments(self.text)
        return size, options if self.options is None else self.options

    def learn(self, text: Path | None = None) -> Segmenter:
        size, options = self.arguments
        with warnings.catch_warnings(action="ignore"):
            return self.cls.learn([text or self.text], size, **options)

    @cached_property
    def model(self) -> Segmenter:
        return self.learn()

    @cached_property
    def saved(self) -> Path:
        path = self.folder / "saved"
        self.model.save(path)
        return path


Check = Callable[[Trial], None]
#: The checks by name, in the order in which they run.
CHECKS: dict[str, Check] = {}


def check_contract(cls: type[Segmenter], checks: Iterable[str] = ()) -> list[str]:
    """Return what a class fails, as "check: reason", one text for each failed check; of all checks, or of those named.

    An exception other than AssertionError fails a check, too.
    """
    with tempfile.TemporaryDirectory(prefix="subwords-check-") as folder:
        trial = Trial(cls, Path(folder))
        reasons = ((name, failure(CHECKS[name], trial)) for name in checks or CHECKS)
        return [f"{name}: {reason}" for name, reason in reasons if reason]


def failure(check: Check, trial: Trial) -> str:
    """Return why a check fails, or the empty string where it holds."""
    try:
        check(trial)
    except Exception as error:
        return str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
    return ""


def _check(function: Check) -> Check:
    CHECKS[function.__name__] = function
    return function


def _equal(found: Any, expected: Any, what: str) -> None:
    if found != expected:
        raise AssertionError(f"{what}: expected {expected!r:.300}, got {found!r:.300}")


def _true(holds: object, what: str) -> None:
    if not holds:
        raise AssertionError(what)


def _refused(run: Callable[[], Any], what: str, *names: str) -> None:
    """Check that `run` raises InputError whose message has one of `names` (where any are given)."""
    try:
        run()
    except InputError as error:
        named = not names or any(name in str(error) for name in names)
        _true(named, f"{what}: the error names none of {names}: {error}")
    except Exception as error:
        raise AssertionError(f"{what}: expected InputError, got {type(error).__name__}: {error}") from error
    else:
        raise AssertionError(f"{what}: expected InputError, but nothing was raised")


def _comes_back(trial: Trial, line: str) -> None:
    if not trial.cls.lossy:
        pieces = trial.model.encode(line)
        what = f"decode(encode({line!r:.100})), by {pieces!r:.200}"
        _equal(trial.model.decode(pieces), trial.cls.comes_back_as(line), what)


@_check
def it_says_what_it_is(trial: Trial) -> None:
    """A name, a summary of one line, the text it reads; parameters of different names with a stage each."""
    cls = trial.cls
    _true(cls.algorithm and not set(cls.algorithm) & set(" \t\n:./"), f"algorithm={cls.algorithm!r} is no plain name")
    _true(cls.summary and "\n" not in cls.summary, "summary is not one line")
    _true(cls.reads in ("raw", "moses"), f"reads={cls.reads!r}, not 'raw' or 'moses'")
    names = [parameter.name for parameter in cls.parameters]
    _equal(sorted(set(names)), sorted(names), "names of parameters")
    for parameter in cls.parameters:
        _true(parameter.stage in ("learn", "encode", "both"), f"{parameter.name}: stage={parameter.stage!r}")
        _true(parameter.help and "\n" not in parameter.help, f"{parameter.name}: help is not one line")


@_check
def awkward_lines_come_back(trial: Trial) -> None:
    for line in AWKWARD:
        _comes_back(trial, line)


@_check
def every_learned_line_comes_back(trial: Trial) -> None:
    trial.model.counts()
    _equal([trial.model.decode(pieces) for pieces in trial.model.encode_lines(LINES)], LINES, "the learned text")
    _equal(trial.model.counts(), {}, "counts(): nothing of the learned text is unknown")


@_check
def words_made_of_marks_come_back(trial: Trial) -> None:
    draw = Random("marks")
    for _ in range(TEXTS):
        words = ["".join(draw.choices(MARKS, k=draw.randint(1, 4))) for _ in range(draw.randint(0, 6))]
        _comes_back(trial, " ".join(words))


@_check
def any_words_come_back(trial: Trial) -> None:
    """Words of any letters, marks, digits and symbols of Unicode."""
    draw = Random("Unicode")
    for _ in range(TEXTS):
        words = ["".join(_character(draw) for _ in range(draw.randint(1, 8))) for _ in range(draw.randint(0, 6))]
        _comes_back(trial, " ".join(words))


def _character(draw: Random) -> str:
    while True:
        character = chr(draw.randrange(0x21, draw.choice([0x7F, 0x800, 0x10000, 0x110000])))
        if character.isprintable():
            return character


@_check
def words_that_are_lost_are_counted(trial: Trial) -> None:
    if trial.cls.lossy:
        trial.model.counts()
        trial.model.encode(f"{WORDS[1]} qqq {WORDS[2]} qqq")
        _equal(list(trial.model.counts().values()), [2], "counts() after two unknown words")
        _equal(trial.model.counts(), {}, "counts() a second time")


@_check
def one_line_out_per_line_in(trial: Trial) -> None:
    lines = ["", *LINES[:3], "", "", *LINES[3:5], ""]
    encoded = list(trial.model.encode_lines(iter(lines)))
    _equal([bool(pieces) for pieces in encoded], [bool(line) for line in lines], "which lines have pieces")
    _true(not any("\n" in pieces for pieces in encoded), "a line of pieces has a line feed")
    many = LINES_PER_BATCH + 1
    _equal(sum(1 for _ in trial.model.encode_lines(LINES[n % 400] for n in range(many))), many, "lines of two batches")


@_check
def the_batch_does_not_matter(trial: Trial) -> None:
    together = list(trial.model.encode_lines(LINES))
    _equal(together, [trial.model.encode(line) for line in LINES], "lines encoded one by one")
    streamed = io.BytesIO()
    trial.model.encode_stream(io.BytesIO("".join(f"{line}\n" for line in LINES).encode()), streamed)
    _equal(streamed.getvalue().decode().split("\n")[:-1], together, "lines encoded as a stream")


@_check
def pieces_are_separated_by_single_spaces(trial: Trial) -> None:
    for line, pieces in zip(LINES, trial.model.encode_lines(LINES), strict=True):
        _equal(pieces.split(), pieces.split(" "), f"pieces of {line!r}")


@_check
def other_white_space_is_no_space(trial: Trial) -> None:
    _comes_back(trial, "baro\u00a0ko mi\u2028no tu\x85va s\x1ca")


@_check
def a_saved_model_is_the_same(trial: Trial) -> None:
    model, path = trial.model, trial.folder / "new" / "model"
    model.save(path)
    again = trial.cls.load(path)
    _equal(again.model_bytes(), path.read_bytes(), "the bytes of a model saved and loaded")
    _equal(model.model_bytes(), path.read_bytes(), "model_bytes()")
    _equal(list(again.encode_lines(LINES)), list(model.encode_lines(LINES)), "pieces of a model saved and loaded")
    _equal(again.signature(), model.signature(), "signature() of a model saved and loaded")
    with suppress(InputError):  # a model may have no list of pieces
        _equal(list(again.vocab), list(model.vocab), "vocab, with its ids, of a model saved and loaded")
    _equal(sorted(entry.name for entry in path.parent.iterdir()), ["model", "model.json"], "files that save() leaves")


@_check
def the_size_is_what_was_asked_or_less(trial: Trial) -> None:
    asked, reached = trial.arguments[0], trial.model.reached()
    if trial.cls.size_counts:
        _true(reached is not None, "reached() is None, but there is a size")
    _true(reached is None or reached > 0, f"reached() is {reached}")
    _true(reached is None or not isinstance(asked, int) or reached <= asked, f"reached() is {reached}, asked {asked}")


@_check
def wrong_sizes_are_refused(trial: Trial) -> None:
    wrong: tuple[Any, ...] = (0, -1, "many", 2.5, True, "9" * 5000)
    for size in wrong:
        options = trial.arguments[1]
        _refused(lambda: trial.cls.learn([trial.text], size, **options), f"size={size!r:.20}", "size")  # noqa: B023


@_check
def a_size_beyond_the_text_is_refused_or_warned_of(trial: Trial) -> None:
    if not trial.cls.size_counts:
        return
    for size in (10_000, 20_000_000, 10**11):
        try:
            with warnings.catch_warnings(record=True, action="always") as said:
                reached = trial.cls.learn([trial.text], size, **trial.arguments[1]).reached()
        except InputError as error:
            _true("allowed" in str(error), f"size={size}: the error does not say what is allowed: {error}")
        else:
            _true(reached is not None and reached < size, f"size={size}, and reached() is {reached}")
            warned = any(issubclass(warning.category, Shortfall) for warning in said)
            _true(warned, f"size={size}, reached() is {reached}, and warn_of_fewer was not called")


@_check
def a_size_is_left_to_the_algorithm_only_where_it_says_so(trial: Trial) -> None:
    cls, options = trial.cls, trial.arguments[1]
    if cls.chooses_size:
        if "interval" in {parameter.name for parameter in cls.parameters}:
            options = options | {"interval": 20, "maximum": 60}
        chosen = cls.learn([trial.text], None, **options)
        _true((chosen.reached() or 0) > 0, f"reached() is {chosen.reached()}")
        _equal(cls.learn([trial.text], "auto", **options).model_bytes(), chosen.model_bytes(), "the model of size auto")
        return
    _refused(lambda: cls.learn([trial.text], "auto", **options), "size='auto'", "size")
    if cls.size_counts:
        _refused(lambda: cls.learn([trial.text], None, **options), "no size", "size")


@_check
def an_unknown_option_is_named(trial: Trial) -> None:
    size, options = trial.arguments
    _refused(lambda: trial.cls.learn([trial.text], size, **options, nonsense=1), "learn with nonsense=1", "nonsense")
    _refused(lambda: trial.cls.load(trial.saved, nonsense=1), "load with nonsense=1", "nonsense")


@_check
def an_option_takes_only_its_choices(trial: Trial) -> None:
    size, options = trial.arguments
    for parameter in trial.cls.parameters:
        if parameter.choices:
            wrong = {**options, parameter.name: "no such choice"}
            what = f"{parameter.name}='no such choice'"
            _refused(lambda: trial.cls.learn([trial.text], size, **wrong), what, parameter.name)  # noqa: B023


@_check
def a_required_option_is_asked_for(trial: Trial) -> None:
    size, options = trial.arguments
    for parameter in trial.cls.parameters:
        if parameter.required and parameter.stage in ("learn", "both"):
            given = {name: value for name, value in options.items() if name != parameter.name}
            _refused(lambda: trial.cls.learn([trial.text], size, **given), f"no {parameter.name}", parameter.name)  # noqa: B023


@_check
def text_that_cannot_be_learned_from_is_refused(trial: Trial) -> None:
    if not trial.cls.learns_from_text:
        return
    for content, said in ((b"", "text|word"), (b"\n\n", "text|word"), (b"caf\xe9 au lait\n", "UTF-8")):
        path = trial.folder / "unusable"
        path.write_bytes(content)
        _refused(lambda: trial.learn(path), f"learn from {content!r}", *said.split("|"))  # noqa: B023


@_check
def a_file_that_is_no_model_is_refused(trial: Trial) -> None:
    path = trial.folder / "no-model"
    path.write_bytes(b"\xff\xfe\x00 this is no model\n\x80")
    _refused(lambda: trial.cls.load(path), "load a file of random bytes")
    _refused(lambda: trial.cls.load(trial.folder / "none"), "load a file that is not there", "cannot read")


@_check
def stretches_of_a_word_make_the_word(trial: Trial) -> None:
    for word in WORDS[:40]:
        stretches = trial.model.surfaces(trial.model.encode(word).split(" "))
        _true(stretches is None or "".join(stretches).strip().casefold() == word, f"surfaces of {word!r}: {stretches}")


@_check
def samples_are_drawn_by_their_seed(trial: Trial) -> None:
    """The same for the same seed, others for another, and all of them segmentations of the same text."""
    model, lines = trial.model, LINES * 15  # more than a batch
    if not trial.cls.samples:
        _refused(lambda: list(model.sample_lines(LINES, 1)), "sample_lines")
        return
    before = list(model.encode_lines(LINES))
    first, again, other = (list(model.sample_lines(lines, seed)) for seed in (1, 1, 2))
    _equal(again, first, "samples of the same seed")
    _true(other != first, "samples of two seeds are the same")
    _equal([model.decode(pieces) for pieces in first], lines, "the text of samples")
    _true(len(set(first[:: len(LINES)])) > 1, "the same line is always sampled alike")
    _equal(list(model.encode_lines(LINES)), before, "encode_lines after sampling")


_IN_ANOTHER_PROCESS = """
import json, sys
from pathlib import Path
from subwords import registry
from subwords.testing import LINES, Trial
model = Trial(registry.find(sys.argv[1]), Path(sys.argv[2])).model
print(json.dumps([model.signature(), list(model.encode_lines(LINES))]))
"""


@_check
def another_process_learns_the_same(trial: Trial) -> None:
    """Another hash seed and another process do not matter: nothing depends on the order of a set."""
    if trial.options is not None:
        return
    model, cls = trial.model, trial.cls
    ours = cls.__module__.startswith("subwords.")  # the signature of any other class has a digest of its file
    name = cls.algorithm if ours else f"{getsourcefile(cls)}:{cls.__qualname__}"
    folder = trial.folder / "process"
    folder.mkdir(exist_ok=True)
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _IN_ANOTHER_PROCESS, name, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    _equal(done.returncode, 0, f"status of another process ({done.stderr.strip()[-500:]})")
    found = json.loads(done.stdout.splitlines()[-1])
    _equal(found, [model.signature(), list(model.encode_lines(LINES))], "signature and pieces in another process")


def write_gold(text: Path) -> Path:
    """Write the morphs of the small text's words beside it, as `word<TAB>morph morph`, and return the path."""
    path = text.with_name("gold")
    with suppress(FileExistsError), open(path, "x", encoding="utf-8") as stream:
        stream.writelines(f"{word}\t{' '.join(morphs)}\n" for word, morphs in MORPHS.items())
    return path

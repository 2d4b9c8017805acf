"""`subwords.learn` and `subwords.load`."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from subwords import description, registry
from subwords.errors import InputError
from subwords.files import open_text, same_file, standard_input
from subwords.segmenter import Segmenter, changed_options, checked, read_options
from subwords.threads import use

#: A file, several files, or lines.
Texts = str | Path | list[str] | list[Path] | tuple[str | Path, ...] | Iterable[str]


def learn(
    algorithm: str, texts: Texts, size: int | str | None = None, *, threads: int = 1, **options: Any
) -> Segmenter:
    """Return a model of an algorithm (`subwords list` names them) that is learned from texts.

    `texts` is a file, a list or tuple of files, or any other iterable of lines: a generator, an open file,
    `iter(lines)`, `iter(dataset["text"])` of a Hugging Face dataset (a column may be a list). A file is a path, or "-"
    for standard input; gzip is recognized. What can be read only once is kept in a temporary file. `size` counts what
    `subwords list` says. `threads` is how many the algorithm may use (char and spm-bpe, for instance, learn with one).
    No result depends on it, but for unigram's, whose sums SentencePiece adds up by thread.

    Raises InputError for texts, sizes and options that cannot be used.
    """
    cls = registry.find(algorithm)
    given = read_options(cls, options)
    with as_files(texts) as files, use(threads):
        read = [*files, *(given[p.name] for p in cls.parameters if p.is_file and given[p.name])]
        for name in (p.name for p in cls.parameters if p.is_output and given[p.name]):
            if any(same_file(given[name], file) for file in read):
                raise InputError(f"{name}={given[name]} is a file to learn from", next_step=f"another {name}")
        model = cls.learn(files, size, **options)
    model.options = changed_options(cls, given)
    return model


def load(path: str | Path, algorithm: str | None = None, **options: Any) -> Segmenter:
    """Return the model in a file. Its description, FILE.json, says of which algorithm it is; else name that.

    Raises InputError when the file cannot be read, or is a model of another algorithm or of other options.
    """
    if algorithm is None:
        described = description.read(Path(path))
        if described is None:
            raise InputError(
                f"{path} does not say of which algorithm it is (there is no {description.path_of(Path(path))})",
                allowed=", ".join(registry.names()),
                next_step=f"subwords.load({str(path)!r}, 'bpe')",
            )
        own = described.get("file")  # as seen from the model's folder
        algorithm = str(own or described["algorithm"])
        folder = description.folder_with(Path(path), algorithm.rpartition(":")[0]) if own else None
        return registry.find(algorithm, folder).load(path, **options)
    return registry.find(algorithm).load(path, **options)


@contextmanager
def as_files(texts: Texts) -> Iterator[list[Path]]:
    """Give the paths of files that hold the texts. What can be read only once is copied into a temporary folder.

    Errors name where a copy comes from. Raises InputError for a file that is not there, and for what is no text.
    """
    if not isinstance(texts, Iterable | Path):
        raise InputError(f"no text to learn from: {texts!r:.60}", allowed="a file, several files, or lines")
    if isinstance(texts, str | Path):
        texts = [Path(texts)]
    with tempfile.TemporaryDirectory(prefix="subwords-") as folder:
        if isinstance(texts, list | tuple):
            sources = {str(Path(folder, f"{number}.text")): _named(Path(text)) for number, text in enumerate(texts)}
            files = [_file(text, Path(copy)) for copy, text in sources.items()]
            names = {copy: "/dev/stdin" if str(text) == "-" else str(text) for copy, text in sources.items()}
        else:
            files = [_written(texts, Path(folder) / "lines")]
            names = {str(files[0]): "the lines given"}
        try:
            yield files
        except InputError as error:
            for copy, name in names.items():
                error.args = (str(error).replace(copy, name),)
            raise


def _named(text: Path) -> Path:
    # Path's own methods raise where a name is too long, as a line of text given for one can be.
    if str(text) != "-" and (os.path.isdir(text) or not os.path.exists(text)):  # noqa: PTH110, PTH112
        raise InputError(
            f"no such text: {str(text)[:200]}",
            allowed="files, or an iterator of lines",
            next_step="check the path, or give lines as iter(LINES)",
        )
    return text


def _file(text: Path, copy: Path) -> Path:
    if text.is_file() and str(text) != "-":
        return text
    pipe: AbstractContextManager[IO[bytes]] = nullcontext(standard_input()) if str(text) == "-" else open_text(text)
    with pipe as source, open(copy, "wb") as sink:
        shutil.copyfileobj(source, sink)
    return copy


def _written(lines: Iterable[str], path: Path) -> Path:
    with open(path, "w", encoding="utf-8", newline="\n") as sink:
        for line in lines:
            if not isinstance(line, str):
                raise InputError(f"a text to learn from is no string: {line!r:.60}", allowed="lines of text")
            sink.write(checked([line.removesuffix("\n")])[0] + "\n")
    return path

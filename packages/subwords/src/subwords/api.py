"""`subwords.learn` and `subwords.load`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from subwords import description, registry
from subwords.errors import InputError
from subwords.segmenter import Segmenter, changed_options, read_options
from subwords.texts import Texts, as_files
from subwords.threads import use


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

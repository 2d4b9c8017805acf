"""The command line: learn, encode, decode, stats, compare, list.

Text goes in and out as UTF-8 bytes whose only line end is LF. What is the user's to mend is said on standard error
without a traceback, with status 2; what encoding could not do (unknown words, ...) is counted there, too.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from subwords import __version__, registry
from subwords.errors import InputError
from subwords.files import decode_lines, whole_file
from subwords.segmenter import Segmenter

if TYPE_CHECKING:
    from subwords import compare

BROKEN_PIPE = 141  # 128 + SIGPIPE, as the shell reports it


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 2 for what the user can mend."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    arguments = _parser().parse_args(argv)
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except InputError as error:
        print(f"subwords: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has left; nothing is wrong. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        print(f"subwords: cannot read or write{where}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="subwords", description="Subword segmentation: learn, apply, undo, compare.")
    parser.add_argument("--version", action="version", version=f"subwords {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    learn = commands.add_parser("learn", help="learn a model from text")
    learn.add_argument("algorithm", metavar="ALGORITHM", help="see `subwords list`")
    learn.add_argument("texts", metavar="TEXT", nargs="+", type=Path, help="text files, learned from together")
    learn.add_argument("--size", metavar="N", help="size of the model; `subwords list` says what it counts")
    learn.add_argument("--model", metavar="FILE", type=Path, required=True, help="where to write the model")
    _add_options(learn)
    learn.set_defaults(run=_learn)

    for name, run, help_ in (("encode", _encode, "text to pieces"), ("decode", _decode, "pieces to text")):
        command = commands.add_parser(name, help=help_)
        command.add_argument("algorithm", metavar="ALGORITHM")
        command.add_argument("--model", metavar="FILE", type=Path, required=True)
        command.add_argument("-i", "--input", metavar="FILE", default="-", help="standard input if absent")
        command.add_argument("-o", "--output", metavar="FILE", default="-", help="standard output if absent")
        _add_options(command)
        command.set_defaults(run=run)

    stats = commands.add_parser("stats", help="frequencies, lengths, unknown rates and boundaries of segmented text")
    stats.add_argument("pieces", metavar="PIECES", type=Path, help="a segmented file")
    stats.add_argument("--reference", metavar="PIECES2", type=Path, help="segmented training text: what is known")
    stats.add_argument("--text", metavar="TEXT", type=Path, help="the text that was segmented: adds figures per word")
    stats.add_argument("--algorithm", metavar="ALGORITHM", help="with --model: adds words kept whole and a histogram")
    stats.add_argument("--model", metavar="FILE", type=Path)
    stats.add_argument("--gold", metavar="FILE", type=Path, help="word<TAB>morph morph ...: adds boundary scores")
    stats.add_argument("--alpha", metavar="A", type=float, help="order of the Rényi entropy (2.5)")
    stats.add_argument("--json", action="store_true")
    _add_options(stats)
    stats.set_defaults(run=_stats)

    compare = commands.add_parser("compare", help="every algorithm on one text, side by side")
    compare.add_argument("text", metavar="TEXT", type=Path)
    compare.add_argument("--size", metavar="N", required=True, help="for every algorithm that takes a size")
    compare.add_argument("--algorithms", metavar="NAME", nargs="+", help="these only (default: all)")
    compare.add_argument("--gold", metavar="FILE", type=Path, help="word<TAB>morph morph ...: adds boundary F1")
    compare.add_argument("--moses", metavar="LANG", help="tokenize first for algorithms that read tokenized text")
    compare.add_argument("--set", metavar="ALGORITHM.KEY=VALUE", dest="options", action="append", default=[])
    form = compare.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true")
    form.add_argument("--json", action="store_true")
    compare.set_defaults(run=_compare)

    listing = commands.add_parser("list", help="every algorithm, its parameters, defaults, paper, variants")
    listing.add_argument("algorithm", metavar="ALGORITHM", nargs="?")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    return parser


def _add_options(command: argparse.ArgumentParser) -> None:
    help_ = "a parameter of the algorithm (several times)"
    command.add_argument("--set", metavar="KEY=VALUE", dest="options", action="append", default=[], help=help_)


def read_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """Return KEY=VALUE texts as a dictionary. Raises InputError for a text without "=" and for a key given twice."""
    options: dict[str, str] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise InputError(f"--set {assignment!r} has no value", allowed="--set KEY=VALUE", next_step="subwords list")
        if key in options:
            raise InputError(f"--set {key} is given twice: {options[key]!r} and {value!r}")
        options[key] = value
    return options


def _learn(arguments: argparse.Namespace) -> None:
    algorithm = registry.find(arguments.algorithm)
    options = read_assignments(arguments.options)
    for text in arguments.texts:
        if not text.is_file():
            raise InputError(f"no such text: {text}", next_step="check the path")
    model = algorithm.learn(arguments.texts, arguments.size, **options)
    model.save(arguments.model)
    _report(model)


def _load(arguments: argparse.Namespace) -> Segmenter:
    algorithm = registry.find(arguments.algorithm)
    options = read_assignments(arguments.options)
    if not arguments.model.is_file():
        raise InputError(
            f"no such model: {arguments.model}", next_step=f"subwords learn {algorithm.algorithm} --model FILE TEXT"
        )
    return algorithm.load(arguments.model, **options)


def _encode(arguments: argparse.Namespace) -> None:
    model = _load(arguments)
    with _source(arguments.input) as source, _sink(arguments.output) as sink:
        model.encode_stream(source, sink, _name(arguments.input))
    _report(model)


def _decode(arguments: argparse.Namespace) -> None:
    model = _load(arguments)
    _convert(arguments, lambda lines: map(model.decode, lines))
    _report(model)


def _convert(arguments: argparse.Namespace, convert: Callable[[Iterable[str]], Iterator[str]]) -> None:
    """Write each line of the input, converted, to the output."""
    with _source(arguments.input) as source, _sink(arguments.output) as sink:
        lines = decode_lines(source, _name(arguments.input))
        sink.writelines(line.encode("utf-8") + b"\n" for line in convert(lines))


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


@contextmanager
def _source(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = open(path, "rb")  # noqa: SIM115 (closed below; only the opening may be reported as the user's)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step="check the path") from error
    with stream:
        yield stream


@contextmanager
def _sink(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole_file(path, "wb") as stream:
        yield stream


def _report(model: Segmenter) -> None:
    for what, count in model.counts().items():
        print(f"subwords: {model.algorithm}: {what}: {count}", file=sys.stderr)


def _stats(arguments: argparse.Namespace) -> None:
    from subwords import statistics

    if (arguments.algorithm is None) != (arguments.model is None):
        raise InputError("--algorithm and --model belong together", allowed="both or neither")
    if arguments.gold and not arguments.model:
        raise InputError("--gold needs a model to segment its words", next_step="add --algorithm NAME --model FILE")
    segmenter = _load(arguments) if arguments.model else None
    segmented = statistics.Segmented(arguments.pieces, arguments.text)
    alpha = statistics.ALPHA if arguments.alpha is None else arguments.alpha
    figures = statistics.describe(segmented, segmenter=segmenter, gold=arguments.gold, alpha=alpha)
    if arguments.reference:
        _, known = statistics.count_pieces(arguments.reference)
        figures["unknown"] = statistics.unknown_rates(segmented, known, segmenter)
    if arguments.json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
    else:
        print("\n".join(f"{name}\t{_figure(value)}" for name, value in _flat(figures)))


def _flat(figures: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the figures under one name each: {"a": {"b": 1}} as ("a.b", 1)."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _figure(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _compare(arguments: argparse.Namespace) -> None:
    from subwords import compare

    if not (arguments.size.isascii() and arguments.size.isdigit() and int(arguments.size)):
        raise InputError(f"--size {arguments.size!r}", allowed="a whole number, at least 1")
    options: dict[str, dict[str, str]] = {}
    for key, value in read_assignments(arguments.options).items():
        algorithm, dot, parameter = key.partition(".")
        if not dot:
            raise InputError(f"--set {key} names no algorithm", allowed="--set ALGORITHM.KEY=VALUE")
        options.setdefault(algorithm, {})[parameter] = value
    rows = compare.compare(
        arguments.text,
        int(arguments.size),
        algorithms=arguments.algorithms,
        gold=arguments.gold,
        moses=arguments.moses,
        options=options,
        done=_show_progress,
    )
    if arguments.json:
        print(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=2))
        return
    print(compare.table(rows, markdown=arguments.markdown))
    if not arguments.moses:
        print("\nThe text was taken as it is, also by algorithms that read tokenized text (reads: moses); --moses LANG")
        print("tokenizes it for them.")


def _show_progress(row: compare.Row) -> None:
    if sys.stderr.isatty():
        print(f"{row.algorithm}: {row.reason or 'done'}", file=sys.stderr)


def _list(arguments: argparse.Namespace) -> None:
    from subwords import listing

    names = [arguments.algorithm] if arguments.algorithm else registry.names()
    described = [listing.describe_algorithm(registry.find(name)) for name in names]
    if arguments.json:
        print(json.dumps(described, ensure_ascii=False, indent=2))
    else:
        print("\n\n".join(map(listing.as_text, described)))

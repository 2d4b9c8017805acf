"""The command line: learn, encode, decode, export, vocabulary, signature, stats, compare, list, new, check.

Text goes in and out as UTF-8 bytes whose only line end is LF. Errors that the user can mend go to standard error
without a traceback, with status 2; warnings, and what encoding could not do (unknown words, ...), go there, too.
"""

from __future__ import annotations

import argparse
import gc
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from keyword import iskeyword
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from subwords import __version__, api, description, registry
from subwords.errors import InputError
from subwords.files import (
    STANDARD_INPUT,
    decode_lines,
    decompressed,
    open_text,
    place_for_model,
    same_file,
    standard_input,
    whole_file,
    whole_lines,
    write_whole,
)
from subwords.segmenter import Segmenter, read_options, whole_number
from subwords.threads import use

if TYPE_CHECKING:
    from subwords import compare

#: What `export --to` can write.
FORMATS = ("huggingface", "sentencepiece", "fairseq", "marian")
#: New objects between two searches for garbage: a model has hundreds of thousands, and none of them is garbage.
YOUNG = 100_000
BROKEN_PIPE = 141  # 128 + SIGPIPE, as the shell reports it


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, or 2 for what the user can mend."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115 (closed, and print would take standard output)
    gc.set_threshold(YOUNG)
    arguments = _parser().parse_args(argv)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _say  # type: ignore[assignment]
            arguments.run(arguments)
        if sys.stdout is not None:
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


def _say(message: Warning | str, *_: object) -> None:
    print(f"subwords: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="subwords", description="Subword segmentation: learn, apply, undo, compare.")
    parser.add_argument("--version", action="version", version=f"subwords {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    options, model, streams, threads = (argparse.ArgumentParser(add_help=False) for _ in range(4))  # what some share
    help_ = "a parameter of the algorithm (several times)"
    options.add_argument("--set", metavar="KEY=VALUE", dest="options", action="append", default=[], help=help_)
    model.add_argument("algorithm", metavar="ALGORITHM")
    model.add_argument("--model", metavar="FILE", type=Path, required=True)
    streams.add_argument("-i", "--input", metavar="FILE", default="-", help="standard input if absent")
    streams.add_argument("-o", "--output", metavar="FILE", default="-", help="standard output if absent")
    help_ = "how many the algorithm may use (1); the result does not depend on it, but for what unigram learns"
    threads.add_argument("--threads", metavar="N", type=int, default=1, help=help_)

    learn = commands.add_parser("learn", parents=[threads, options], help="learn a model from text")
    learn.add_argument("algorithm", metavar="ALGORITHM", help="see `subwords list`; or a class of yours, FILE.py:CLASS")
    learn.add_argument("texts", metavar="TEXT", nargs="+", help="files, learned from together (- is standard input)")
    learn.add_argument("--size", metavar="N", help="size of the model; `subwords list` says what it counts")
    learn.add_argument("--model", metavar="FILE", type=Path, required=True, help="where to write the model")
    learn.set_defaults(run=_learn)

    encode = commands.add_parser("encode", parents=[model, streams, threads, options], help="text to pieces")
    help_ = "segment at random, by this seed (subword regularization); several draws have several seeds"
    encode.add_argument("--sample", metavar="SEED", type=int, help=help_)
    encode.set_defaults(run=_encode)

    decode = commands.add_parser("decode", parents=[model, streams, options], help="pieces to text")
    decode.set_defaults(run=_decode)

    export = commands.add_parser("export", parents=[model, options], help="a model in another program's format")
    export.add_argument("--to", choices=FORMATS, required=True)
    export.add_argument("-o", "--output", metavar="FILE", required=True)
    export.set_defaults(run=_export)

    help_ = "the pieces of segmented text with their counts (get-vocab)"
    vocabulary = commands.add_parser("vocabulary", parents=[streams], help=help_)
    vocabulary.set_defaults(run=_vocabulary)

    help_ = "what identifies a segmentation, to be named with every score"
    signature = commands.add_parser("signature", parents=[model, options], help=help_)
    signature.set_defaults(run=lambda arguments: print(_load(arguments).signature()))

    help_ = "frequencies, lengths, unknown rates and boundaries of segmented text"
    stats = commands.add_parser("stats", parents=[options], help=help_)
    stats.add_argument("pieces", metavar="PIECES", type=Path, help="a segmented file")
    stats.add_argument("--reference", metavar="PIECES2", type=Path, help="segmented training text: what is known")
    stats.add_argument("--text", metavar="TEXT", type=Path, help="the text that was segmented: adds figures per word")
    stats.add_argument("--algorithm", metavar="ALGORITHM", help="with --model: adds words kept whole and a histogram")
    stats.add_argument("--model", metavar="FILE", type=Path)
    stats.add_argument("--gold", metavar="FILE", type=Path, help="word<TAB>morph morph ...: adds boundary scores")
    stats.add_argument("--alpha", metavar="A", type=float, help="order of the Rényi entropy (2.5)")
    stats.add_argument("--json", action="store_true")
    stats.set_defaults(run=_stats)

    compare = commands.add_parser("compare", help="every algorithm on one text, side by side")
    compare.add_argument("text", metavar="TEXT", type=Path)
    compare.add_argument("--size", metavar="N", required=True, help="for every algorithm that takes a size")
    compare.add_argument("--algorithms", metavar="NAME", nargs="+", help="these only (default: all)")
    help_ = "word<TAB>morph morph ...: boundary F1, and the oracle"
    compare.add_argument("--gold", metavar="FILE", type=Path, help=help_)
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

    new = commands.add_parser("new", help="write NAME.py: an algorithm of your own to start from, which runs as it is")
    new.add_argument("name", metavar="NAME")
    new.set_defaults(run=_new)

    check = commands.add_parser("check", help="run the contract that every algorithm must hold on a class")
    check.add_argument("algorithm", metavar="FILE.py:CLASS", help="or any other algorithm")
    check.set_defaults(run=_check)
    return parser


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
    options = read_assignments(arguments.options)
    given = [Path(text) for text in arguments.texts]
    path = place_for_model(arguments.model)
    description.check_place(path)
    cls = registry.find(arguments.algorithm)
    named = {name: value for name, value in read_options(cls, options).items() if value is not None}
    read = [*given, *(named[p.name] for p in cls.parameters if p.is_file and p.name in named)]
    if any(same_file(path, file) for file in read):
        raise InputError(f"{path} is a file to learn from", next_step="another --model")
    for name in (p.name for p in cls.parameters if p.is_output and p.name in named):
        if any(same_file(named[name], file) for file in (path, description.path_of(path))):
            raise InputError(f"{name}={named[name]} is the model or its description", next_step=f"another {name}")
    model = api.learn(arguments.algorithm, given, arguments.size, threads=arguments.threads, **options)
    model.save(path)
    print(f"subwords: {model.signature(path.read_bytes())}", file=sys.stderr)
    _report(model)


def _load(arguments: argparse.Namespace) -> Segmenter:
    """Return the model. Raises InputError where the output would take its place, or that of a file that it names."""
    model = registry.find(arguments.algorithm).load(arguments.model, **read_assignments(arguments.options))
    read = [arguments.model, description.path_of(arguments.model), *(file.path for file in model.files_read.values())]
    output = getattr(arguments, "output", "-")
    if output != "-" and any(same_file(output, path) for path in read):
        raise InputError(
            f"{output} is the model, its description, or a file that it names", next_step="another --output"
        )
    return model


def _encode(arguments: argparse.Namespace) -> None:
    model = _load(arguments)
    if arguments.sample is None:
        _check_no_draws(model, arguments.options)
    with _streams(arguments) as (source, name, sink), use(arguments.threads):
        if arguments.sample is None:
            model.encode_stream(source, sink, name)
        else:
            model.sample_stream(source, sink, arguments.sample, name)
    _report(model)


def _check_no_draws(model: Segmenter, options: Sequence[str]) -> None:
    """Raise InputError for options of random segmentations."""
    in_draws = {parameter.name for parameter in model.parameters if parameter.draws}
    if idle := in_draws & read_assignments(options).keys():
        raise InputError(
            f"{', '.join(sorted(idle))} does nothing here", next_step="encode ... --sample SEED, or leave it out"
        )


def _decode(arguments: argparse.Namespace) -> None:
    model = _load(arguments)
    _check_no_draws(model, arguments.options)
    with _streams(arguments) as (source, name, sink):
        number, feeds = 1, 0
        for block in whole_lines(source):
            for line in decode_lines(block.split(b"\n")[:-1], name, number):
                text = model.decode(line)
                feeds += text.count("\n")  # a piece may stand for one: no line of text has it, but a model may write it
                sink.write(text.replace("\n", " ").encode("utf-8") + b"\n")
            sink.flush()
            number += block.count(b"\n")
    _report(model)
    if feeds:
        _say(f"{model.algorithm}: line feeds inside a line, written as spaces: {feeds}")


@contextmanager
def _streams(arguments: argparse.Namespace) -> Iterator[tuple[IO[bytes], str, IO[bytes]]]:
    """Give an input, what errors call it, and an output. Raises InputError where the two are one file."""
    given, output = arguments.input, arguments.output
    if output != "-" and same_file("/dev/stdin" if given == "-" else given, output):
        raise InputError(f"{output} is the input, too", next_step="another --output")
    if output == "-" and sys.stdout is None:
        raise InputError("standard output is closed", next_step="--output FILE")
    with (
        nullcontext(decompressed(standard_input(), STANDARD_INPUT)) if given == "-" else open_text(given) as source,
        nullcontext(sys.stdout.buffer) if output == "-" else whole_file(output, "wb") as sink,
    ):
        yield source, STANDARD_INPUT if given == "-" else given, sink


def _export(arguments: argparse.Namespace) -> None:
    from subwords import export

    export.write(_load(arguments), arguments.to, Path(arguments.output))


def _vocabulary(arguments: argparse.Namespace) -> None:
    from subwords.vocabulary import count_pieces

    with _streams(arguments) as (source, name, sink):
        _, counts = count_pieces(decode_lines(source, name))
        ranked = counts.most_common()  # of equally frequent pieces the first seen first, as in get-vocab
        sink.writelines(f"{piece} {count}\n".encode() for piece, count in ranked)


def _report(model: Segmenter) -> None:
    for what, count in model.counts().items():
        print(f"subwords: {model.algorithm}: {what}: {count}", file=sys.stderr)


def _stats(arguments: argparse.Namespace) -> None:
    from subwords import statistics

    if (arguments.algorithm is None) != (arguments.model is None):
        raise InputError("--algorithm and --model belong together", allowed="both or neither")
    if arguments.gold and not arguments.model:
        raise InputError("--gold needs a model to segment its words", next_step="add --algorithm NAME --model FILE")
    if arguments.options and not arguments.model:
        raise InputError("--set does nothing without a model", next_step="add --algorithm NAME --model FILE")
    segmenter = _load(arguments) if arguments.model else None
    given = {name: path for name in ("pieces", "text", "reference", "gold") if (path := getattr(arguments, name))}
    with api.as_files(list(given.values())) as files:  # some are read twice, and may be pipes
        read = dict(zip(given, files, strict=True))
        segmented = statistics.Segmented(read["pieces"], read.get("text"))
        alpha = statistics.ALPHA if arguments.alpha is None else arguments.alpha
        figures = statistics.describe(segmented, segmenter=segmenter, gold=read.get("gold"), alpha=alpha)
        if "reference" in read:
            _, known = statistics.count_pieces(read["reference"])
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

    if not (size := whole_number(arguments.size)):
        raise InputError(f"--size {arguments.size!r:.60} cannot be used", allowed="a whole number, at least 1")
    options: dict[str, dict[str, str]] = {}
    for key, value in read_assignments(arguments.options).items():
        algorithm, dot, parameter = key.rpartition(".")  # FILE.py:CLASS has a dot, too
        if not dot:
            raise InputError(f"--set {key} names no algorithm", allowed="--set ALGORITHM.KEY=VALUE")
        options.setdefault(algorithm, {})[parameter] = value
    rows = compare.compare(
        arguments.text,
        size,
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
    described = []
    for name in [arguments.algorithm] if arguments.algorithm else registry.names():
        try:
            described.append(_described(registry.find(name)))
        except InputError as error:
            if arguments.algorithm:
                raise
            _say(str(error))  # a package's algorithm that cannot be imported is no reason to hide the others
    if arguments.json:
        print(json.dumps(described, ensure_ascii=False, indent=2))
    else:
        print("\n\n".join(map(_as_text, described)))


def _described(algorithm: type[Segmenter]) -> dict[str, Any]:
    """Return what `subwords list --json` shows of an algorithm."""
    return {
        "algorithm": algorithm.algorithm,
        "summary": algorithm.summary,
        "size": algorithm.size_counts,
        "reads": algorithm.reads,
        "parameters": [
            {name: getattr(parameter, name) for name in ("name", "default", "choices", "stage", "help")}
            for parameter in algorithm.parameters
        ],
    }


def _as_text(described: dict[str, Any]) -> str:
    """Return the same for a person to read."""
    size = f"--size counts {described['size']}" if described["size"] else "takes no --size"
    lines = [f"{described['algorithm']}: {described['summary']}", f"    {size}; reads {described['reads']} text"]
    for parameter in described["parameters"]:
        choices = f" ({' | '.join(map(str, parameter['choices']))})" if parameter["choices"] else ""
        default = "none" if parameter["default"] is None else parameter["default"]
        lines.append(f"    --set {parameter['name']}={default}{choices}  [{parameter['stage']}] {parameter['help']}")
    return "\n".join(lines)


def _new(arguments: argparse.Namespace) -> None:
    name, path = arguments.name, Path(f"{arguments.name}.py")
    cls = "".join(part.capitalize() for part in name.split("_"))  # None and True are no names of classes
    if not all(map(str.isidentifier, (name, cls))) or iskeyword(name) or iskeyword(cls) or name != name.lower():
        raise InputError(
            f"{name!r} cannot name a Python module",
            allowed="small letters, digits and _",
            next_step="subwords new mine",
        )
    if name in registry.names():
        raise InputError(f"{name} is an algorithm of the library", next_step="choose another name")
    if path.exists():
        raise InputError(f"{path} already exists", next_step="choose another name")
    source = Path(__file__).with_name("template.py").read_text("utf-8")
    source = source.replace("NAME.py", path.name).replace("Template", cls).replace('"template"', f'"{name}"')
    write_whole(path, source)
    print(f"{path} has the class {cls}. Next: subwords check {path}:{cls}")


def _check(arguments: argparse.Namespace) -> None:
    from subwords.testing import CHECKS, Trial, failure

    algorithm, failed = registry.find(arguments.algorithm), 0
    with tempfile.TemporaryDirectory(prefix="subwords-check-") as folder:
        trial = Trial(algorithm, Path(folder))
        for name, check in CHECKS.items():
            reason = failure(check, trial)
            failed += bool(reason)
            print(f"{'FAILED' if reason else 'ok':6}  {name.replace('_', ' ')}{reason and ': '}{reason}")
    if failed:
        raise InputError(
            f"{arguments.algorithm} fails {failed} of {len(CHECKS)} checks",
            next_step="subwords/testing.py has each check",
        )

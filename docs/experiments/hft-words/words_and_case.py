"""Numbers of the page that no findings.md has: repeated words, words with a mark, case, and all seeds of bpe-raw.

python docs/experiments/hft-words/words_and_case.py --corpus results/corpora/loresmt-en-ga.KEY/en-ga \\
    --segmented results/segmented/loresmt-en-ga.KEY/en-ga

Writes words-and-case.md beside itself, which says how the two folders are prepared. Nothing is trained.
"""

from __future__ import annotations

import itertools
import json
import statistics
import tarfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from experiment.programs import command_line, program
from experiment.reporting.findings import read_references, read_translations, table
from experiment.scoring.comparison import compare
from experiment.scoring.contrasts import Interval
from experiment.scoring.metrics import METRICS, make_metric
from experiment.scoring.significance import count_sentences
from experiment.text.postprocessing import ToText, round_trip
from subwords import load
from subwords.counting import count_words
from subwords.errors import InputError
from subwords.files import read_lines

PAGE = Path(__file__).parent.resolve()
RAW, MOSES, BASELINE, HFT, COPY = "bpe-raw", "bpe-moses", "bpe-hft-words", "hft", "copied source"
DIRECTIONS = {"en-ga": "cpu", "ga-en": "cpu-ga-en", "en-mr": "cpu-en-mr", "mr-en": "cpu-mr-en"}
TESTSET, LANGUAGES = "test_en2ga", {"en": "English", "ga": "Irish"}
MADE = """# Words and case

English to Irish, where no other direction is named. Made by [`words_and_case.py`](words_and_case.py):

```sh
.venv/bin/snakemake --cores 1 data segmentation --configfile config/experiments/hft-words-cpu.yaml
.venv/bin/python docs/experiments/hft-words/words_and_case.py --corpus results/corpora/loresmt-en-ga.KEY/en-ga --segmented results/segmented/loresmt-en-ga.KEY/en-ga
```"""  # noqa: E501


def repeated(lines: Sequence[Sequence[str]]) -> float:
    """Return in percent how many pairs of neighbouring words occur earlier in the same line."""
    pairs = [[*itertools.pairwise(words)] for words in lines]
    return 100 * (1 - sum(len({*line}) for line in pairs) / sum(map(len, pairs)))


def of_repeats(page: Path) -> Iterator[str]:
    """Yield how much the small model's translations repeat themselves."""
    tokenize, found = make_metric("bleu").tokenizer, dict[str, dict[str, list[float]]]()
    for direction, folder in DIRECTIONS.items():
        for system, _, _, lines in read_translations(page / folder / "translations.tar.xz"):
            share = repeated([tokenize(line.rstrip()).split() for line in lines])
            found.setdefault(system, {}).setdefault(direction, []).append(share)
    rows = [
        [name, *(f"{statistics.fmean(each):.1f} ({min(each):.1f} to {max(each):.1f})" for each in shares.values())]
        for name, shares in found.items()
    ]
    yield "The small model: pairs of BLEU's words that occur earlier in the same translation, % of all pairs."
    yield table(["mean over seeds (lowest to highest)", *DIRECTIONS], rows)


def of_marks(words: Mapping[str, int], encode: Callable[[str], str]) -> list[str]:
    """Return the cells of one language in the table of words with a mark; `words` are counts."""
    marked = apart = whole = alike = 0
    for word, count in words.items():
        if unicodedata.category(word[-1])[0] == "P" and word[:-1] in words:
            mine, bare = encode(word).split(), encode(word[:-1]).split()
            marked += count
            if not {*mine} & {*bare}:
                apart += count
                whole += count * (len(bare) == 1)
                plain = [{piece.removesuffix("@@") for piece in pieces} for pieces in (mine, bare)]
                alike += count * bool(plain[0] & plain[1])
    shares = (marked / sum(words.values()), apart / marked, whole / apart, alike / apart)
    return [f"{marked:,}", *(f"{100 * share:.1f}" for share in shares)]


def only_file(folder: Path, pattern: str) -> Path:
    """Return the file of this name. Raises InputError unless there is exactly one."""
    found = [*folder.glob(pattern)]
    if len(found) != 1:
        raise InputError(f"{folder} has {len(found)} files {pattern}", allowed="one", next_step="give another folder")
    return found[0]


def of_texts(corpus: Path, segmented: Path, references: Sequence[str]) -> Iterator[str]:
    """Yield what bpe-raw makes of words with a mark, and the round trip of bpe-moses with case and without."""
    yield f"Running words of train that are a known word and a mark, in pieces of {RAW}. Known words occur without it."
    columns = ["", "these words", "of all words, %", "(a) no piece of the bare word, %"]
    columns += ["of (a): the bare word is one piece, %", "of (a): a piece of the bare word but for `@@`, %"]
    models = {language: load(only_file(segmented, f"{RAW}.*/model.{language}")) for language in LANGUAGES}
    words = {language: count_words([corpus / f"train.{language}"]) for language in LANGUAGES}
    yield table(columns, ([LANGUAGES[each], *of_marks(words[each], models[each].encode)] for each in LANGUAGES))
    model, moses = load(only_file(segmented, f"{MOSES}.*/model.ga")), only_file(corpus / "moses", f"{TESTSET}*.ga")
    texts = (round_trip(read_lines(moses), model, ToText(model, "moses", "ga")), references)
    scores = [
        make_metric("bleu", target="ga").corpus_score(lines, [others]).score
        for lines, others in (texts, [[line.lower() for line in text] for text in texts])
    ]
    yield f"Round trip of {MOSES}, BLEU: {scores[0]:.1f}, case-insensitive {scores[1]:.1f}."


def read_runs(archive: Path, ending: str) -> dict[tuple[str, int], list[str]]:
    """Return (system, seed) -> the lines of its file with this ending in runs.tar.xz, which has folders of results."""
    found = {}
    with tarfile.open(archive) as files:
        for member in files:
            if member.name.endswith(ending) and (stream := files.extractfile(member)):
                system, _, seed = Path(member.name).parts[4:7]
                found[system, int(seed.removeprefix("seed"))] = stream.read().decode("utf-8").split("\n")[:-1]
    return found


def of_seeds(folder: Path, source: Sequence[str], references: Sequence[str]) -> Iterator[str]:
    """Yield the paper's model, all seeds: scores of bpe-raw, compared, and lengths, right words, losses on dev."""
    runs = {(name, seed): lines for name, seed, _, lines in read_translations(folder / "translations.tar.xz")}
    runs |= read_runs(folder / "runs.tar.xz", ".hyp")
    of = {name: sorted(run for run in runs if run[0] == name) for name in (RAW, BASELINE, HFT)}
    rows = []
    for metric, case in (("bleu", True), ("bleu", False), ("chrf", True), ("chrf++", True)):
        change: Callable[[str], str] = str if case else str.lower
        texts = {run: [*map(change, lines)] for run, lines in (runs | {(COPY, 0): [*source]}).items()}
        _, counted = count_sentences(metric, texts, [*map(change, references)], target="ga")
        systems = {name: [counted[run] for run in each] for name, each in of.items()}
        against = compare(systems, {RAW: BASELINE, HFT: BASELINE}, margin=0.5)[RAW]
        cells = [", ".join(f"{run.score:.2f}" for run in systems[name]) for name in (RAW, BASELINE)]
        cells.append(f"{statistics.fmean(run.score for run in systems[RAW]) / counted[COPY, 0].score:.2f}")
        cells += [Interval(against.effect, against.low, against.high).text(), f"{against.p_holm:.3f}"]
        rows.append([METRICS[metric].label + ("" if case else ", case-insensitive"), *cells])
    scores = [make_metric("bleu", target="ga").corpus_score(runs[run], [references]) for run in of[RAW]]
    logs = {run: [json.loads(line) for line in log] for run, log in read_runs(folder / "runs.tar.xz", ".jsonl").items()}
    dev = [min(each["nll_loss"] for each in logs[run] if each["split"] == "dev") for run in of[RAW] if run in logs]
    for said, numbers in (
        ("length by the references'", [f"{score.sys_len / score.ref_len:.2f}" for score in scores]),
        ("words in the reference, %", [f"{score.precisions[0]:.1f}" for score in scores]),
        (f"lowest loss on dev, last {len(dev)} seeds, bits a piece", [f"{loss:.2f}" for loss in dev]),
    ):
        rows.append([said, ", ".join(numbers), *[""] * 4])
    yield f"The paper's model, all seeds of {RAW}, devices mixed. p is corrected for two comparisons ({RAW} and {HFT})."
    seeds = [f"{name}, seeds {', '.join(str(seed) for _, seed in of[name])}" for name in (RAW, BASELINE)]
    yield table(["", *seeds, "mean by the copied source's", f"less {BASELINE}'s", "p (Holm)"], rows)


def parts(page: Path, corpus: Path | None = None, segmented: Path | None = None) -> Iterator[str]:
    """Yield the parts of words-and-case.md; without the two folders, what needs committed files alone."""
    yield MADE
    yield from of_repeats(page)
    if corpus and segmented:
        source, references = (read_references(corpus, TESTSET, language) for language in LANGUAGES)
        yield from of_texts(corpus, segmented, references)
        yield from of_seeds(page / "paper-model" / "seeds", source, references)


@program
def main(argv: list[str] | None = None) -> None:
    parser = command_line(__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="the prepared corpus, English and Irish")
    parser.add_argument("--segmented", type=Path, required=True, help=f"where its pieces of {RAW} and {MOSES} are")
    given = parser.parse_args(argv)
    found = "\n\n".join(parts(PAGE, given.corpus, given.segmented)) + "\n"
    (PAGE / "words-and-case.md").write_text(found, encoding="utf-8")
    print(found)


if __name__ == "__main__":
    raise SystemExit(main())

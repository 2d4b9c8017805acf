"""Translations of a run's test sets and their lexical scores: only what is missing is made.

The first run that needs them also writes the words of the training text with their counts, beside the text, and the
reference after segmentation and back, beside the segmentation. Tables show both with the scores.
"""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiment.jsonfiles import read_json, write_json
from experiment.provenance import software
from experiment.scoring.metrics import METRICS, make_metric, read_parallel, score_corpus
from experiment.scoring.words import training_words
from experiment.segmentation.segmenting import load_segmenter, read_counts, write_counts
from experiment.store import making
from experiment.text.postprocessing import ToText, round_trip
from experiment.training import gpu
from subwords.files import read_lines, write_lines
from subwords.segmenter import Segmenter
from subwords.statistics import Segmented, unknown_rates

if TYPE_CHECKING:
    from translation.decoding import Translator


class Evaluator:
    """Translates test sets with one model and scores them.

    The model is loaded when the first set needs it, on the card that this process holds. `job` is from
    `plan.systems.Evaluation.job`.
    """

    def __init__(self, job: Mapping[str, Any], model: str | None = None) -> None:
        self._job = job
        self._model = Path(model or job["model"])
        self._folder = Path(job["folder"])
        self._languages = job["direction"].split("-")

    @functools.cached_property
    def _translator(self) -> Translator:
        from translation.decoding import Translator

        return Translator(self._model, Path(self._job["data"]), self._job["direction"], self._job["search"])

    def translated(self, test: Mapping[str, str]) -> bool:
        """Return whether a test set is translated, by the model that is there now."""
        record = self._folder / f"{test['stem']}.translation.json"
        return making.fits_source(record, self._model)

    def translate(self, test: Mapping[str, str]) -> bool:
        """Write {stem}.hyp (text), {stem}.pieces and {stem}.translation.json; return False where they exist."""
        stem = test["stem"]
        if self.translated(test):
            return False
        making.check_inputs({str(self._model.with_name(making.RECORD)): [self._model.name]})
        for stale in ("scores.json", "comet.*.json"):  # of another translation
            for path in self._folder.glob(f"{stem}.{stale}"):
                path.unlink()
        hypotheses, pieces, facts = self.translation(test)
        write_lines(self._folder / f"{stem}.hyp", hypotheses)
        write_lines(self._folder / f"{stem}.pieces", pieces)
        facts |= {"unknown_words": self._unknown_words(test), "source": making.source_of(self._model)}
        making.write_record(
            self._folder / f"{stem}.translation.json", [Path(f"{stem}.hyp"), Path(f"{stem}.pieces")], facts
        )
        return True

    def translation(self, test: Mapping[str, str]) -> tuple[list[str], list[str], dict[str, Any]]:
        """Return hypotheses as text, their pieces, and facts about the translation."""
        job, translator, to_text = self._job, self._translator, self._to_text()
        source = list(self._segmenters[0].encode_lines(read_lines(test["source"])))
        cut, began = translator.cut, time.monotonic()
        pieces = translator.translate(source, job["max_tokens"])
        seconds = time.monotonic() - began
        hypotheses = [to_text(line).replace("\n", " ") for line in pieces]  # a translation is one line
        generated = sum(len(line.split(" ")) for line in pieces if line)
        facts = {
            "sentences": len(pieces),
            "seconds": round(seconds, 2),
            "pieces": generated,
            "pieces_per_second": round(generated / seconds, 1) if seconds else None,
            "words": to_text.words,
            "lost_in_decoding": to_text.lost(),
            "sources_cut": translator.cut - cut,
            "unknown_pieces": sum(line.split(" ").count("<unk>") for line in pieces),
            "empty_hypotheses": sum(not line.strip() for line in hypotheses),
            "device": "cuda" if translator.cuda else "cpu",
            "search": job["search"],
            "segmentations": {name: self._segmenters[side].signature() for side, name in enumerate(self._languages)},
            "precision": job["search"]["precision"] if translator.cuda else "fp32",
        }
        return hypotheses, pieces, facts

    def score(self, test: Mapping[str, str]) -> list[str]:
        """Write {stem}.scores.json, or add the metrics that it lacks; return these."""
        path = self._folder / f"{test['stem']}.scores.json"
        known = read_json(path) if path.exists() else {"metrics": {}}
        missing = [name for name in self._job["metrics"] if name not in known["metrics"]]
        if missing:
            making.check_inputs({str(self._folder / f"{test['stem']}.translation.json"): ["*.hyp"]})
            hypotheses, references = read_parallel(self._folder / f"{test['stem']}.hyp", test["reference"])
            words = self._training_words()
            found = score_corpus(hypotheses, references, missing, target=self._languages[1], training=words)
            every = known["metrics"] | found["metrics"]
            found["metrics"] = {name: every[name] for name in METRICS if name in every}
            found["made"] = known.get("made", {}) | dict.fromkeys(missing, software())
            write_json(path, found, sealed=True)
        return missing

    def send_round(self, test: Mapping[str, str]) -> bool:
        """Write the reference after segmentation and back; return False where it exists."""
        place = Path(test["round_trip"])

        def work(scratch: Path) -> Mapping[str, Any]:
            found = round_trip(read_lines(test["target"]), self._segmenters[1], self._to_text())
            write_lines(scratch / place.name, found)
            return {}

        return making.make(place.parent, work, f"{place.name}.json")

    def _training_words(self) -> dict[str, int]:
        """Return how often each word occurs in the target side of the training text, counted once for a corpus."""
        train, language = Path(self._job["train"]), self._languages[1]
        counts = train.with_name(f"words.{language}")

        def work(scratch: Path) -> Mapping[str, Any]:
            tokenizer = make_metric("bleu", target=language).tokenizer
            write_counts(scratch / counts.name, training_words(train, tokenizer))
            return {"tokenizer": tokenizer.signature()}

        making.make(train.parent, work, f"{counts.name}.json")
        making.check_inputs({f"{counts}.json": [counts.name]})
        return read_counts(counts)

    def _to_text(self) -> ToText:
        # with a segmenter of its own: it counts what is lost in these lines alone
        return ToText(self._load(self._languages[1]), self._job["form"], self._languages[1])

    @functools.cached_property
    def _segmenters(self) -> list[Segmenter]:
        """Those of source and target."""
        return [self._load(language) for language in self._languages]

    def _load(self, language: str) -> Segmenter:
        return load_segmenter(Path(self._job["segmented"]), language, self._job["algorithm"])

    def _unknown_words(self, test: Mapping[str, str]) -> dict[str, float | None]:
        """Return, by side, the share of the test set's words with a piece that the train text does not have."""
        rates = {}
        for side, language in enumerate(self._languages):
            text, segmenter = Path(test[("source", "target")[side]]), self._segmenters[side]
            known = read_counts(Path(self._job["segmented"], f"pieces.{language}"))
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=self._folder) as pieces:
                pieces.writelines(line + "\n" for line in segmenter.encode_lines(read_lines(text)))
                pieces.flush()
                found = unknown_rates(Segmented(Path(pieces.name), text), known, segmenter)
            rates[("source", "target")[side]] = found["unknown_word_rate"]
        return rates


def evaluate(job: Mapping[str, Any], has_card: bool = False) -> Sequence[str]:
    """Translate and score what is missing, with the folder locked; return a line about each test set.

    The card is taken before the lock, as in training: otherwise two processes could each hold one and wait for
    the other.
    """
    evaluator, folder, lines = Evaluator(job), Path(job["folder"]), []
    if not (has_card or all(map(evaluator.translated, job["tests"]))):
        gpu.check_usable(gpu.take(1, job["device"], job["runs_per_gpu"]))
    with making.locked(folder):
        making.define(folder, job["definition"])
        making.check_inputs(job["inputs"])
        making.check_made_of(Path(job["model"]).parent.parent / making.RECORD, Path(job["segmented"], making.RECORD))
        for test in job["tests"]:
            made = ["translated"] if evaluator.translate(test) else []
            evaluator.send_round(test)
            scored = evaluator.score(test)
            made += [f"scored with {', '.join(scored)}"] if scored else []
            lines.append(f"{test['stem']}: {', '.join(made) or 'already done'}")
    return lines

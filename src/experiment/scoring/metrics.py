"""Corpus scores by sacrebleu, each with its signature.

The scores equal those of sacrebleu's command line on the same files, because it is the same code with the same
options. References are raw text and hypotheses are detokenized text (Post 2018, "A Call for Clarity in Reporting BLEU
Scores").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.text.moses import base_language
from subwords.errors import InputError, unknown
from subwords.files import read_lines


@dataclass(frozen=True)
class MetricKind:
    """How a metric is computed, named and printed."""

    label: str
    higher_is_better: bool
    decimals: int
    margin: float  # a smaller difference counts as none, unless an experiment says otherwise
    sacrebleu: str | None = None  # the metric's name in sacrebleu, where it is one of sacrebleu's
    options: tuple[tuple[str, Any], ...] = ()


#: The metrics an experiment may ask for. Tables show them in the experiment's order.
METRICS: dict[str, MetricKind] = {
    "bleu": MetricKind("BLEU", True, 1, 0.5, "BLEU"),
    "chrf": MetricKind("chrF", True, 1, 0.5, "CHRF"),
    "chrf++": MetricKind("chrF++", True, 1, 0.5, "CHRF", (("word_order", 2),)),
    "ter": MetricKind("TER", False, 1, 0.5, "TER"),
    "word_accuracy": MetricKind("Word accuracy", True, 1, 1.0),
    "exact_match": MetricKind("Exact match", True, 1, 1.0),
    "comet": MetricKind("COMET", True, 4, 0.005),
}
#: Languages of which BLEU's tokenizer is an extra of sacrebleu, of the same name.
NEED_A_PACKAGE = ("ja", "ko")
#: What an experiment measures unless it says otherwise.
DEFAULT_METRICS = ["bleu", "chrf", "chrf++"]


def check_metrics(names: Iterable[str], *, lexical: bool = False) -> list[str]:
    """Return `names` without duplicates, in the order given. Raises InputError for one that does not exist.

    With `lexical`, only those that compare texts are allowed, so not COMET.
    """
    allowed = [name for name in METRICS if name != "comet" or not lexical]
    asked = list(names)
    for name in asked:
        if name not in allowed:
            step = "score COMET with scripts/score_comet.py" if name in METRICS else "correct `metrics`"
            raise unknown("metric", name, allowed, next_step=step)
    if not asked:
        raise InputError("no metric is asked for", allowed=", ".join(allowed), next_step="name at least one")
    return list(dict.fromkeys(asked))


def bleu_tokenizers() -> list[str]:
    from sacrebleu.metrics import BLEU

    return list(BLEU.TOKENIZERS)


def make_metric(
    name: str, references: Sequence[str] | None = None, *, target: str = "", tokenizer: str | None = None
) -> Any:
    """Return a metric object of sacrebleu's kind, with `references` (one per sentence) cached when given.

    Words are those of BLEU's tokenizer, for word accuracy and exact match, too. `target` is the target language; where
    no `tokenizer` is named, sacrebleu chooses by it, without its region (zh, ja-mecab, ko-mecab, else 13a). Raises
    InputError when the tokenizer does not exist, is not installed, or cannot be downloaded.
    """
    from sacrebleu.metrics import METRICS as FOUND

    check_metrics([name], lexical=True)
    kind, target = METRICS[name], base_language(target)
    options: dict[str, Any] = dict(kind.options)
    if references is not None:
        options["references"] = [list(references)]
    if kind.sacrebleu and name != "bleu":
        return FOUND[kind.sacrebleu](**options)
    if tokenizer is not None and tokenizer not in bleu_tokenizers():
        raise unknown("BLEU tokenizer", tokenizer, bleu_tokenizers())
    try:
        if kind.sacrebleu:
            return FOUND["BLEU"](trg_lang=target, tokenize=tokenizer, **options)
        from experiment.scoring.words import ExactMatch, WordAccuracy

        measure = {"word_accuracy": WordAccuracy, "exact_match": ExactMatch}[name]
        return measure(FOUND["BLEU"](trg_lang=target, tokenize=tokenizer).tokenizer, **options)
    except (RuntimeError, ImportError, OSError) as error:
        wanted = tokenizer or f"the one sacrebleu uses for {target!r}"
        extra = (tokenizer or target).removesuffix("-mecab")
        step = f"pip install 'sacrebleu[{extra}]'" if extra in NEED_A_PACKAGE else "connect, or name another"
        reason = " ".join(str(error).split())
        raise InputError(
            f"the BLEU tokenizer ({wanted}) cannot be used: {reason}",
            allowed=f"{', '.join(bleu_tokenizers())} (char needs nothing installed)",
            next_step=step,
        ) from error


def check_tokenizer(target: str, metrics: Iterable[str]) -> None:
    """Raise InputError where a metric needs words of a language whose tokenizer is a package that is not installed."""
    if base_language(target) in NEED_A_PACKAGE and {"bleu", "word_accuracy", "exact_match"}.intersection(metrics):
        make_metric("bleu", target=target)


def read_parallel(*paths: str | Path) -> list[list[str]]:
    """Return the lines of each file. Raises InputError when the counts differ or there is no line."""
    texts = [list(read_lines(path)) for path in paths]
    if len({len(lines) for lines in texts}) > 1:
        counts = ", ".join(f"{path}: {len(lines)}" for path, lines in zip(paths, texts, strict=True))
        raise InputError(
            f"unequal line counts ({counts})",
            allowed="files with one sentence per line, line by line translations of each other",
            next_step="translate again, or give the reference of this test set",
        )
    if not texts[0]:
        raise InputError(f"{paths[0]} is empty", allowed="at least one sentence", next_step="check the test set")
    return texts


def count_empty(hypotheses: Iterable[str]) -> int:
    """Return how many hypotheses have nothing but white space."""
    return sum(not line.strip() for line in hypotheses)


def score_corpus(
    hypotheses: Sequence[str],
    references: Sequence[str],
    metrics: Iterable[str],
    *,
    target: str = "",
    tokenizer: str | None = None,
    training: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return what `{testset}.scores.json` holds: a score and signature per metric, and chrF of every sentence.

    Scores are on sacrebleu's scale of 0 to 100. Sentence chrF serves to find sentences on which systems differ; no
    score is computed from it. With `training`, the `training_words` of the target side, `words_by_frequency` says how
    well words of each frequency are translated.
    """
    scores: dict[str, Any] = {}
    # Trailing white space goes as in sacrebleu's command line.
    hypotheses = [line.rstrip() for line in hypotheses]
    references = [line.rstrip() for line in references]
    for name in check_metrics(metrics, lexical=True):
        metric = make_metric(name, references, target=target, tokenizer=tokenizer)
        score = metric.corpus_score(hypotheses, None)
        scores[name] = {"name": score.name, "score": score.score, "signature": metric.get_signature().format()}
        if name == "bleu":
            scores[name] |= {
                "precisions": list(score.precisions),
                "brevity_penalty": score.bp,
                "hypothesis_length": score.sys_len,
                "reference_length": score.ref_len,
            }
    found = {
        "sentences": len(hypotheses),
        "empty_hypotheses": count_empty(hypotheses),
        "metrics": scores,
        "sentence_chrf": sentence_chrf(hypotheses, references),
    }
    if training is not None:
        from experiment.scoring.words import words_by_frequency

        tokenize = make_metric("bleu", target=target, tokenizer=tokenizer).tokenizer
        found["words_by_frequency"] = words_by_frequency(hypotheses, references, training, tokenize)
    return found


def sentence_chrf(hypotheses: Sequence[str], references: Sequence[str]) -> list[float]:
    """Return chrF (0 to 100, two decimals) of each hypothesis against its reference."""
    metric = make_metric("chrf")
    pairs = zip(hypotheses, references, strict=True)
    return [round(metric.sentence_score(hypothesis, [reference]).score, 2) for hypothesis, reference in pairs]

"""A translation task whose dev score is BLEU on text: detokenized hypotheses against raw references.

fairseq's own `--eval-bleu` compares pieces, or text that still carries the segmentation's marks, so its numbers cannot
be compared between segmentations. Here every hypothesis is treated like a test hypothesis (pieces, text,
detokenized text) before sacrebleu scores it. BLEU's counts add up over batches and over GPUs, so the sum is the corpus
score.
"""

# (no `from __future__ import annotations`: fairseq reads the types of the configuration below)

import functools
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Optional

import torch
from fairseq import metrics
from fairseq.tasks import register_task
from fairseq.tasks.translation import TranslationConfig, TranslationTask
from sacrebleu.metrics import BLEU

from experiment.scoring.metrics import make_metric
from experiment.segmentation.segmenting import load_segmenter
from experiment.text.postprocessing import ToText
from fairseq_plugins.graphs import Graphs, Signs, can_be_captured
from fairseq_plugins.greedy import Greedy
from fairseq_plugins.transformer import FastTransformer
from subwords.files import read_lines

ORDERS = 4  # BLEU's n-grams


@dataclass
class TextBleuConfig(TranslationConfig):
    dev_references: Optional[str] = field(  # noqa: UP045 (fairseq cannot read `str | None`)
        default=None, metadata={"help": "raw references of the dev set, one a line"}
    )
    dev_algorithm: str = field(default="", metadata={"help": "segmentation algorithm of the target side"})
    dev_segmenter: str = field(default="", metadata={"help": "the folder of its models and options"})
    dev_text: str = field(default="raw", metadata={"help": "what the segmenter reads: raw or moses"})
    dev_beam: int = field(default=1, metadata={"help": "beam of the dev translations"})
    dev_length_factor: float = field(default=1.5, metadata={"help": "longest hypothesis: factor * source + constant"})
    autocast: str = field(default="none", metadata={"help": "bf16: train in bf16, with weights in fp32"})
    cuda_graphs: str = field(default="auto", metadata={"help": "off: launch each kernel by itself on a GPU, too"})
    dev_length_constant: int = field(default=30, metadata={"help": "longest hypothesis: factor * source + constant"})


@register_task("translation_text_bleu", dataclass=TextBleuConfig)
class TextBleuTask(TranslationTask):
    """fairseq's translation task, with BLEU of the dev set as text when `--dev-references` is given."""

    graphs: Optional[Graphs] = None  # noqa: UP045

    def build_model(self, cfg: Any, from_checkpoint: bool = False) -> Any:
        model = super().build_model(cfg, from_checkpoint)
        if self.cfg.dev_references:
            self.bleu = make_metric("bleu", target=self.cfg.target_lang)
            self.references = list(read_lines(self.cfg.dev_references))
            language = self.cfg.target_lang
            segmenter = load_segmenter(Path(self.cfg.dev_segmenter), language, self.cfg.dev_algorithm)
            self.to_text = ToText(segmenter, self.cfg.dev_text, language)
            self.translate_dev = self.translator(model)
        return model

    def translator(self, model: Any) -> Callable[[Any], list[torch.Tensor]]:
        """Return what translates a batch into one hypothesis for each sentence, with the weights of the time."""
        factor, constant = self.cfg.dev_length_factor, self.cfg.dev_length_constant
        if self.cfg.dev_beam == 1 and isinstance(model, FastTransformer):
            greedy = Greedy(model, self.target_dictionary.eos(), self.target_dictionary.pad(), factor, constant)
            sides = itemgetter("src_tokens", "src_lengths")
            return lambda sample: greedy.translate(*sides(sample["net_input"]))
        search = Namespace(beam=self.cfg.dev_beam, max_len_a=factor, max_len_b=constant)
        generator = self.build_generator([model], search)
        return lambda sample: [best["tokens"] for best, *_ in self.inference_step(generator, [model], sample)]

    def precision(self, sample: Any) -> torch.autocast:
        """Return the context in which a batch is computed, in training and on dev."""
        return torch.autocast(sample["target"].device.type, torch.bfloat16, enabled=self.cfg.autocast == "bf16")

    def train_step(
        self, sample: Any, model: Any, criterion: Any, optimizer: Any, update_num: int, **options: Any
    ) -> tuple[Any, Any, dict[str, Any]]:
        def compute_loss(model: Any, sample: Any) -> Any:  # the backward pass uses the precisions of the forward pass
            with self.precision(sample):
                return criterion(model, sample)

        without = self.cfg.cuda_graphs != "auto" or options.get("ignore_grad")
        if without or not can_be_captured(model, criterion, optimizer):
            return super().train_step(sample, model, compute_loss, optimizer, update_num, **options)
        if self.graphs is None:
            signs = Signs(self.source_dictionary.pad(), self.source_dictionary.eos())
            self.graphs = Graphs(model, functools.partial(compute_loss, model), signs, self.cfg.left_pad_source)
        optimizer.flat_gradients = self.graphs.gradients
        model.train()
        model.set_num_updates(update_num)
        log = {**criterion.sizes(sample), **self.graphs.add_gradients(sample)}
        return log["loss"], log["sample_size"], log

    def valid_step(self, sample: Any, model: Any, criterion: Any) -> tuple[Any, Any, dict[str, Any]]:
        with self.precision(sample):
            loss, sample_size, logging_output = super().valid_step(sample, model, criterion)
            if self.cfg.dev_references:
                logging_output.update(self._bleu_counts(self.translate_dev(sample), sample["id"]))
        return loss, sample_size, logging_output

    def _bleu_counts(self, found: list[torch.Tensor], numbers: torch.Tensor) -> dict[str, int]:
        hypotheses = [self.to_text(join_pieces(self.target_dictionary, pieces)) for pieces in found]
        references = [self.references[number] for number in numbers.tolist()]
        score = self.bleu.corpus_score(hypotheses, [references])
        counts = {"_bleu_sys_len": score.sys_len, "_bleu_ref_len": score.ref_len}
        for n in range(ORDERS):
            counts[f"_bleu_counts_{n}"] = score.counts[n]
            counts[f"_bleu_totals_{n}"] = score.totals[n]
        return counts

    def reduce_metrics(self, logging_outputs: list[dict[str, Any]], criterion: Any) -> None:
        super().reduce_metrics(logging_outputs, criterion)
        if not any("_bleu_sys_len" in output for output in logging_outputs):
            return
        for name in [name for name in logging_outputs[0] if name.startswith("_bleu_")]:
            total = sum(int(output.get(name, 0)) for output in logging_outputs)
            metrics.log_scalar(name, torch.tensor(total))
        metrics.log_derived("bleu", _bleu)


def join_pieces(dictionary: Any, tokens: torch.Tensor) -> str:
    """Return the pieces of a hypothesis, without fairseq's signs for its ends and padding."""
    skipped = {dictionary.bos(), dictionary.eos(), dictionary.pad()}
    return " ".join(dictionary[index] for index in tokens.tolist() if index not in skipped)


def _bleu(meters: Any) -> float:
    """Return corpus BLEU from the summed counts of all batches since the meters were reset."""
    score = BLEU.compute_bleu(
        correct=[int(meters[f"_bleu_counts_{n}"].sum) for n in range(ORDERS)],
        total=[int(meters[f"_bleu_totals_{n}"].sum) for n in range(ORDERS)],
        sys_len=int(meters["_bleu_sys_len"].sum),
        ref_len=int(meters["_bleu_ref_len"].sum),
        smooth_method="exp",
    )
    return round(float(score.score), 4)

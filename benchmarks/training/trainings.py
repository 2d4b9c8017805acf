"""Trainings in this process: fairseq's own trainer, one update at a time."""

from __future__ import annotations

import logging
import math
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiment.training import fairseq_flags

from . import ROOT
from .variants import STOCK, Model, Variant, recipes

#: The first update whose time says something.
FIRST = 3
#: Updates of a training that are timed together: on a GPU, the processor launches an update while another is computed.
TOGETHER = {"cpu": 1, "cuda": 8}


class Training:
    """A model and its trainer."""

    def __init__(self, data: Path, model: Model, variant: Variant, device: str, seed: int, **changes: Any) -> None:
        """Build a training on binarized `data` (folder); `changes` are further recipe flags."""
        import fairseq_plugins  # noqa: F401  (before fairseq: mends it)
        from fairseq import options, tasks, utils
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf
        from fairseq.trainer import Trainer

        logging.getLogger("fairseq").setLevel(logging.WARNING)
        flags = {**model.flags, **variant.flags, **{name.replace("_", "-"): value for name, value in changes.items()}}
        flags = fairseq_flags.resolve("model", {**recipes(), "model": {"like": model.like, "flags": flags}})["flags"]
        if not variant.stock:
            flags = {**fairseq_flags.dev_batch(flags, 1), **flags}
        source, target = next(data.glob("train.*-*.idx")).name.split(".")[1].split("-")
        joint = (data / f"dict.{source}.txt").read_bytes() == (data / f"dict.{target}.txt").read_bytes()
        words = [str(data), "--user-dir", str(ROOT / "fairseq_plugins"), "--task", "translation_text_bleu"]
        words += ["--source-lang", source, "--target-lang", target, "--seed", str(seed), "--no-save"]
        words += [*fairseq_flags.arguments(flags, joint), *variant.words, *(["--cpu"] if device == "cpu" else [])]
        parsed = options.parse_args_and_arch(options.get_training_parser(), input_args=words)
        parsed.tpu = False  # fairseq thinks that whoever asks for bf16 has a TPU
        config = convert_namespace_to_omegaconf(parsed)
        utils.set_torch_seed(seed)
        task = tasks.setup_task(config.task)
        task.load_dataset("valid")
        self.device, self.stock, self._leaves_padding_out = device, variant.stock, variant.leaves_padding_out
        self.trainer = Trainer(config, task, task.build_model(config.model), task.build_criterion(config.criterion))
        epochs = self.trainer.get_train_iterator(1)
        self.updates_a_pass = len(epochs)
        self._batches = self._stream(epochs)
        self.seconds: list[float] = []

    def _stream(self, epochs: Any) -> Iterator[list[Any]]:
        from fairseq.data.iterators import GroupedIterator

        self.trainer.begin_epoch(1)
        while True:
            yield from GroupedIterator(epochs.next_epoch_itr(shuffle=True), 1)

    def update(self, count: int = 1) -> None:
        """Train on the next batches, and note the seconds of each: of the processor, or of a clock if there is a GPU.

        Of several updates each has the mean: a GPU is waited for at the end of the last one.
        """
        self._prepare()
        began = self._now()
        for _ in range(count):
            self.trainer.train_step(next(self._batches))
        took = self._now() - began
        self.seconds += [took / count for _ in range(count)]

    def _prepare(self) -> None:
        """Set what all trainings of a process share."""
        import torch
        from fairseq.data import language_pair_dataset
        from fairseq.trainer import Trainer
        from fairseq_plugins import ahead, batches
        from fairseq_plugins.graphs import Graphs

        language_pair_dataset.collate = batches.by_fairseq if self.stock else batches.collate
        Trainer._reduce_and_log_stats = ahead.by_fairseq if self.stock else ahead.log_without_reading
        torch.backends.cuda.enable_cudnn_sdp(self.stock)
        Graphs.leaves_padding_out = self._leaves_padding_out

    def _now(self) -> float:
        if self.device == "cpu":
            return time.process_time()
        import torch

        torch.cuda.synchronize()
        return time.perf_counter()

    def dev(self) -> dict[str, float]:
        """Return the cross-entropy of the dev set in bits a piece, and what it and translating dev took (seconds)."""
        self._prepare()
        trainer, total, pieces = self.trainer, 0.0, 0
        model, translate = trainer.model, trainer.task.translator(trainer.model)
        seconds = {"loss": 0.0, "translation": 0.0}
        for batch in trainer.get_valid_iterator("valid").next_epoch_itr(shuffle=False):
            found, _ = trainer._prepare_sample(batch)
            began = self._now()
            _, _, log = trainer.task.valid_step(found, model, trainer.criterion)
            loss_is_there = self._now()
            with trainer.task.precision(found):
                translate(found)
            seconds["loss"] += loss_is_there - began
            seconds["translation"] += self._now() - loss_is_there
            total, pieces = total + float(log["nll_loss"]), pieces + int(log["ntokens"])
        return {
            "dev_loss": total / pieces / math.log(2),
            **{f"dev_{part}_seconds": took for part, took in seconds.items()},
        }

    def gradient(self) -> Any:
        """Return the gradient of the first batch by all weights, in one fp32 vector on the CPU.

        On a GPU it is computed twice, because a CUDA graph is there from the second time on.
        """
        import torch

        trainer = self.trainer
        model, optimizer = trainer.model.train(), trainer.optimizer
        self._prepare()
        batch, _ = trainer._prepare_sample(next(self._batches)[0])
        for _ in range(1 if self.device == "cpu" else 2):
            optimizer.zero_grad()
            trainer.task.train_step(batch, model, trainer.criterion, optimizer, 0)
        named = sorted((name, weight.grad) for name, weight in model.named_parameters() if weight.grad is not None)
        return torch.cat([gradient.float().flatten().cpu() for _, gradient in named])


def compare(
    data: Path, model: Model, variants: Sequence[Variant], device: str, seeds: int, updates: int, warmup: int
) -> list[dict[str, Any]]:
    """Train all variants in turn with each seed; return what each took and learned.

    After the first `warmup` updates, `TOGETHER` are timed together.
    """
    together = TOGETHER[device]
    whole, rest = divmod(updates - warmup, together)
    found: list[dict[str, Any]] = [{"name": variant.name, "seconds": [], "ratios": []} for variant in variants]
    for seed in range(1, seeds + 1):
        trainings = [Training(data, model, variant, device, seed) for variant in variants]
        for count in filter(None, [*[1] * warmup, *[together] * whole, rest]):
            for training in trainings:
                training.update(count)
        for entry, training in zip(found, trainings, strict=True):
            own, first = training.seconds[warmup:], trainings[0].seconds[warmup:]
            entry["seconds"].append(statistics.median(own))
            if device == "cuda":  # where a new shape costs most
                first_pass = training.seconds[FIRST : training.updates_a_pass]
                entry.setdefault("first_pass", []).append(statistics.median(first_pass or own))
            entry["ratios"].append(statistics.median(one / other for one, other in zip(first, own, strict=True)))
            for name, value in training.dev().items():
                entry.setdefault(name, []).append(value)
    errors = gradient_errors(data, model, variants, device)
    return [{**entry, "gradient_error": error} for entry, error in zip(found, errors, strict=True)]


def gradient_errors(data: Path, model: Model, variants: Sequence[Variant], device: str) -> list[float | None]:
    """Return how far each variant's gradient is from fairseq's in fp32 on the CPU, relative to its norm.

    Without dropout, on the same weights and batch. None for variants whose weights are themselves rounded.
    """
    still = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0}
    oracle = Training(data, model, Variant("oracle", STOCK), "cpu", 1, **still)
    exact, weights = oracle.gradient(), oracle.trainer.model.state_dict()
    found: list[float | None] = []
    for variant in variants:
        if {"--fp16", "--bf16"} & set(variant.words):
            found.append(None)
            continue
        training = Training(data, model, variant, device, 1, **still)
        training.trainer.model.load_state_dict(weights)
        found.append(float((training.gradient() - exact).norm() / exact.norm()))
    return found

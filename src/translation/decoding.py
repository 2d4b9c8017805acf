"""Beam search with a trained system, as `decode` of an experiment file says: pieces in, pieces out."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import fairseq_plugins  # noqa: F401  (before fairseq: mends it, and registers the task)
import torch
from fairseq import checkpoint_utils, utils
from fairseq_plugins.text_bleu import join_pieces


class Translator:
    """A trained system with its beam; `search` has beam, length_penalty, length_factor, length_constant, precision."""

    def __init__(self, model: Path, data: Path, direction: str, search: dict[str, Any]) -> None:
        source, target = direction.split("-")
        overrides = {"data": str(data), "source_lang": source, "target_lang": target, "dev_references": None}
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
        self.cuda = torch.cuda.is_available()
        models, _, self.task = checkpoint_utils.load_model_ensemble_and_task([str(model)], arg_overrides=overrides)
        self.model = models[0].eval()
        if self.cuda:
            self.model = self.model.cuda()
            if search["precision"] != "fp32":
                self.model = self.model.bfloat16() if search["precision"] == "bf16" else self.model.half()
        self.limit = min(self.task.max_positions()[0], self.model.max_positions()[0])  # pieces and the end of a source
        self.cut = 0
        self.generator = self.task.build_generator(
            [self.model],
            argparse.Namespace(
                beam=search["beam"],
                lenpen=search["length_penalty"],
                max_len_a=search["length_factor"],
                max_len_b=search["length_constant"],
            ),
        )

    def translate(self, lines: list[str], max_tokens: int) -> list[str]:
        """Return the pieces of each line's best hypothesis; an empty line is translated into an empty line."""
        pieces, wanted = [""] * len(lines), [number for number, line in enumerate(lines) if line]
        if not wanted:
            return pieces
        dictionary = self.task.source_dictionary
        tokens = [dictionary.encode_line(lines[number], add_if_not_exist=False).long() for number in wanted]
        for number, sentence in enumerate(tokens):
            if len(sentence) > self.limit:  # longer than the model has positions for
                self.cut += 1
                tokens[number] = torch.cat([sentence[: self.limit - 1], sentence[-1:]])
        lengths = torch.tensor([len(sentence) for sentence in tokens])
        dataset = self.task.build_dataset_for_inference(tokens, lengths)
        batches = self.task.get_batch_iterator(
            dataset, max_tokens=max(max_tokens, int(lengths.max())), max_positions=None, disable_iterator_cache=True
        ).next_epoch_itr(shuffle=False)
        for batch in batches:
            sample = utils.move_to_cuda(batch) if self.cuda else batch
            with torch.no_grad():
                found = self.task.inference_step(self.generator, [self.model], sample)
            for number, candidates in zip(batch["id"].tolist(), found, strict=True):
                pieces[wanted[number]] = join_pieces(self.task.target_dictionary, candidates[0]["tokens"])
        return pieces

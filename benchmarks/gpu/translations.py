"""Step 1: the same weights translate alike on the GPU and on the CPU.

A system is trained by the workflow (bf16 on a card), then its test set is translated by scripts/translate.py, beam 5,
under each setting, and the dev set's cross-entropy is computed, with fairseq's attention and with torch's kernels
(fairseq_plugins/attention.py). The CPU in fp32 is what the others are held against.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiment.decoding import write_lines
from experiment.jsonfiles import read_json
from experiment.scoring.metrics import make_metric
from subwords.files import read_lines

from . import record, sample
from .call import ROOT, Call

SEARCH = '{"beam": 5, "length_penalty": 1.0, "length_factor": 1.5, "length_constant": 30, "max_tokens": %d}'
#: Source pieces in a batch; on a CPU there is nothing to compare with but other batches.
BATCH, OTHER_BATCH = 4000, 100


@dataclass(frozen=True)
class Setting:
    """Where and how test sentences are translated."""

    name: str
    device: str
    precision: str
    batch: int = BATCH


CPU = Setting("CPU, fp32", "cpu", "fp32")
ON_GPU = [Setting("GPU, fp32", "cuda", "fp32"), Setting("GPU, bf16", "cuda", "bf16")]
ON_CPU = [Setting("CPU, fp32, smaller batches", "cpu", "fp32", OTHER_BATCH)]


def run(call: Call) -> None:
    """Train, translate under every setting, compare, and write the record."""
    system = sample.make(call, "{run}/model.pt")
    count = 20 if call.smoke else 200
    source, target = system.run.source, system.run.target
    sentences = list(read_lines(system.text(source)))[:count]
    references = list(read_lines(system.reference(target)))[:count]
    write_lines(call.folder / "source", sentences)
    settings = [CPU, *(ON_GPU if call.device == "cuda" else ON_CPU)]
    for setting in settings:
        if setting.name not in call.memory["done"]:
            call.remember(**{setting.name: _translate(call, system, setting)})
    done = call.memory["done"]
    expected = done[CPU.name]["translations"]
    bleu = make_metric("bleu", target=target)
    compared = []
    for setting in settings:
        found = done[setting.name]["translations"]
        compared.append(
            {
                "setting": setting.name,
                "same": sum(one == other for one, other in zip(expected, found, strict=True)),
                "sentences": len(found),
                "bleu": round(bleu.corpus_score(found, [references]).score, 2),
                "seconds": done[setting.name]["seconds"],
                "different": [
                    {"line": number, CPU.name: one, setting.name: other}
                    for number, (one, other) in enumerate(zip(expected, found, strict=True), 1)
                    if one != other
                ],
            }
        )
    losses = list(_losses(call, system))
    training = read_json(ROOT / system.run.folder / "run.json")
    facts = ("device", "precision", "updates", "train_seconds", "tokens_per_second", "model_parameters")
    results = {"training": {name: training[name] for name in facts}, "translations": compared, "losses": losses}
    on_card = "on GPU and CPU" if call.device == "cuda" else "in other batches, on a CPU"
    record.write(call, f"The same translations {on_card}", _body(results), results)


def _translate(call: Call, system: sample.Sample, setting: Setting) -> dict[str, Any]:
    """Return the translations under a setting, and the seconds that the search took."""
    folder, run = system.segmented, system.run
    place = call.folder / setting.name.replace(", ", "-").replace(" ", "-")
    words: list[str | Path] = [sys.executable, "scripts/translate.py", "--model", system.model]
    words += ["--data", folder / "binarized", "--direction", run.direction, "--source", call.folder / "source"]
    words += ["--algorithm", system.segmentation.algorithm, "--text", system.segmentation.text]
    words += ["--encode-options", folder / f"encode.{run.source}.json"]
    words += ["--source-segmenter", folder / f"model.{run.source}"]
    words += ["--target-segmenter", folder / f"model.{run.target}"]
    words += ["--search", SEARCH % setting.batch, "--precision", setting.precision]
    words += ["--hypotheses", f"{place}.hyp", "--pieces", f"{place}.pieces", "--report", f"{place}.json"]
    call.run(words, "translate", {"CUDA_VISIBLE_DEVICES": ""} if setting.device == "cpu" else {})
    report = read_json(f"{place}.json")
    assert report["device"] == setting.device
    return {"translations": list(read_lines(Path(f"{place}.hyp"))), "seconds": report["seconds"]}


def _losses(call: Call, system: sample.Sample) -> Iterator[dict[str, Any]]:
    """Yield the cross-entropy of the dev set, in bits a piece, on each device, precision and kind of attention."""
    for device in dict.fromkeys(["cpu", call.device]):
        for precision in ("fp32", "bf16"):
            for attention in ("fairseq", "torch"):
                bits = dev_loss(system, device, precision, attention)
                yield {"device": device, "precision": precision, "attention": attention, "bits_per_piece": bits}


def dev_loss(system: sample.Sample, device: str, precision: str, attention: str) -> float:
    """Return the mean cross-entropy of the dev set's target pieces, in bits."""
    import fairseq_plugins  # noqa: F401
    import torch
    from fairseq_plugins.attention import SdpaAttention
    from fairseq_plugins.compatibility import prepare_fairseq
    from torch.nn.functional import cross_entropy

    prepare_fairseq()
    from fairseq import checkpoint_utils, utils
    from fairseq.modules import MultiheadAttention

    overrides = {
        "data": str(system.segmented / "binarized"),
        "source_lang": system.run.source,
        "target_lang": system.run.target,
        "dev_references": None,
    }
    models, _, task = checkpoint_utils.load_model_ensemble_and_task([str(system.model)], arg_overrides=overrides)
    model = models[0].eval().to(device)
    if precision == "bf16":
        model = model.bfloat16()
    if attention == "torch":
        for module in model.modules():
            if isinstance(module, MultiheadAttention):
                module.__class__ = SdpaAttention
    task.load_dataset("valid")
    batches = task.get_batch_iterator(task.dataset("valid"), max_tokens=BATCH, disable_iterator_cache=True)
    total, pieces, pad = 0.0, 0, task.target_dictionary.pad()
    with torch.no_grad():
        for batch in batches.next_epoch_itr(shuffle=False):
            found = utils.move_to_cuda(batch) if device == "cuda" else batch
            logits = model(**found["net_input"])[0].float()
            loss = cross_entropy(logits.flatten(0, 1), found["target"].flatten(), ignore_index=pad, reduction="sum")
            total += loss.item()
            pieces += batch["ntokens"]
    return total / pieces / math.log(2)


def _body(results: dict[str, Any]) -> list[str]:
    training, compared = results["training"], results["translations"]
    shown = [["beam 5", "same as CPU, fp32", "BLEU", "seconds"]]
    shown += [[c["setting"], f"{c['same']} of {c['sentences']}", c["bleu"], c["seconds"]] for c in compared]
    losses = [["dev set", "attention", "bits a piece"]]
    losses += [
        [f"{loss['device']}, {loss['precision']}", loss["attention"], f"{loss['bits_per_piece']:.6f}"]
        for loss in results["losses"]
    ]
    lines = [
        f"A Transformer of {training['model_parameters']:,} parameters, trained on {training['device']} in "
        f"{training['precision']} ({training['updates']:,} updates, {training['train_seconds']:.0f} seconds, "
        f"{training['tokens_per_second'] or 0:,.0f} target pieces per second). The same weights everywhere below.",
        "",
        *record.table(shown),
        "",
        *record.table(losses),
    ]
    for entry in compared:
        for found in entry["different"][:5]:
            lines += ["", f"Line {found['line']}, CPU, fp32: {found[CPU.name]}  "]
            lines += [f"{entry['setting']}: {found[entry['setting']]}"]
    return lines

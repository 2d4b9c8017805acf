"""Which checkpoints stay: the best few and the last few, without optimizer states, and a record of every dev score.

fairseq's own --keep-best-checkpoints forgets scores on resuming, gives equal scores random names, and keeps a
checkpoint only when it beats the worst one kept, even while there is room. And its early stopping counts afresh after
an interruption. Here a file beside the checkpoints, one JSON line per dev score, is the memory of both.
"""

from __future__ import annotations

import functools
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiment.training.dev_scores import ranked, read_record, write_record
from subwords.files import whole_file

LAST = "checkpoint_last.pt"


def keep(folder: Path, record: list[dict[str, Any]], count: int, maximize: bool) -> None:
    """Delete checkpoints that are neither among the `count` best nor among the `count` last."""
    wanted = {entry["file"] for entry in ranked(record, maximize)[:count] + record[-count:]}
    for path in folder.glob("checkpoint*_*.pt"):
        numbered = path.stem.removeprefix("checkpoint").strip("_").replace("_", "").isdigit()
        if numbered and path.name not in wanted:
            path.unlink()
    for path in folder.glob("checkpoint[0-9]*.pt"):
        if path.name not in wanted:
            path.unlink()


def strip_optimizer(path: Path) -> None:
    """Take the optimizer's state out of a checkpoint: two thirds of its size, needed only in checkpoint_last.pt."""
    import torch

    state = torch.load(path, map_location="cpu", weights_only=False)
    if state.pop("last_optimizer_state", None) is not None:
        with whole_file(path, "wb") as stream:
            torch.save(state, stream)


def add_to_record(folder: Path, epoch: int, at_its_end: bool, updates: int, score: float) -> list[dict[str, Any]]:
    """Keep what checkpoint_last.pt holds as a numbered file, add its dev score to the record, and return the record."""
    name = f"checkpoint{epoch}.pt" if at_its_end else f"checkpoint_{epoch}_{updates}.pt"
    shutil.copyfile(folder / LAST, folder / f"{name}.part")
    (folder / f"{name}.part").replace(folder / name)
    strip_optimizer(folder / name)
    record = [entry for entry in read_record(folder) if entry["updates"] < updates]
    record.append({"file": name, "epoch": epoch, "updates": updates, "score": score})
    write_record(folder, record)
    return record


def watch(folder: Path, count: int, maximize: bool) -> None:
    """Make fairseq's training keep checkpoints as this module says, and stop early as if never interrupted."""
    import fairseq.checkpoint_utils as checkpoint_utils

    save = checkpoint_utils.save_checkpoint

    @functools.wraps(save)
    def save_and_record(cfg: Any, trainer: Any, epoch_itr: Any, score: float | None) -> None:
        save(cfg, trainer, epoch_itr, score)
        if score is None or not trainer.should_save_checkpoint_on_current_rank:
            return
        record = add_to_record(folder, epoch_itr.epoch, epoch_itr.end_of_epoch(), trainer.get_num_updates(), score)
        keep(folder, record, count, maximize)

    checkpoint_utils.save_checkpoint = save_and_record


def resume(folder: Path, flags: Mapping[str, Any], maximize: bool) -> bool:
    """Prepare to go on from checkpoint_last.pt; return whether the training had come to its end there.

    A kill can come between a checkpoint and the record of its score: the score is in the checkpoint and is added.
    fairseq looks at max-update and patience only after another update, so that both are looked at here.
    """
    import torch
    from fairseq_cli.train import should_stop_early

    if not (folder / LAST).exists():
        return False
    state = torch.load(folder / LAST, map_location="cpu", weights_only=False)
    updates, extra = state["optimizer_history"][-1]["num_updates"], state["extra_state"]
    record = [entry for entry in read_record(folder) if entry["updates"] <= updates]
    write_record(folder, record)
    if extra.get("val_loss") is not None and all(entry["updates"] < updates for entry in record):
        place = extra["train_iterator"]
        at_its_end = place["iterations_in_epoch"] == 0
        epoch = place["epoch"] - 1 if at_its_end else place["epoch"]
        record = add_to_record(folder, epoch, at_its_end, updates, extra["val_loss"])
    if record:
        best = ranked(record, maximize)[0]
        should_stop_early.best = best["score"]
        should_stop_early.num_runs = sum(entry["updates"] > best["updates"] for entry in record)
        if 0 < int(flags.get("patience", 0)) <= should_stop_early.num_runs:
            return True
    return 0 < int(flags.get("max-update", 0)) <= updates

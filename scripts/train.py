"""Train one system with fairseq, choose its model, translate its test sets and score them.

After a kill at any moment, the same command continues from the last checkpoint and ends with the same model. It uses a
GPU when there is one, else the CPU with the number of threads in OMP_NUM_THREADS. FOLDER has training.json (what it
cost and every dev score), log.jsonl (the learning curve), checkpoints/ and, in {which}-{average}/, model.pt, run.json
and the translations (scripts/evaluate.py makes these alone).
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from experiment.programs import Job, program, read_job
from experiment.store.making import RECORD, check_inputs, define, fits, locked, made_of, make, write_record
from experiment.store.usage import uses_of
from experiment.training import fairseq_flags, gpu
from experiment.training.selection import drop_checkpoints, gone
from subwords.errors import InputError
from translation.averaging import write_model
from translation.evaluating import evaluate
from translation.training import check_logging, checkpoint_folder, train

#: What libraries read when a process starts. By default glibc returns every large tensor's memory to the system and
#: requests it again: 15 % of a CPU training. And oneDNN, which compiles a kernel for each shape of a product in bf16,
#: keeps 1,024 of them: fewer than an epoch has.
ENVIRONMENT = {
    "MALLOC_TOP_PAD_": str(2**28),
    "MALLOC_MMAP_THRESHOLD_": str(2**32),
    "MALLOC_TRIM_THRESHOLD_": str(2**33),
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": str(2**14),
}

#: Set for the processes that `train_on` starts, one for each card.
ONE_OF_SEVERAL = "ONE_OF_SEVERAL_TRAINING_PROCESSES"
#: What torchrun says to its processes. A container may have set it, too: it says nothing about this training.
RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def train_on(job: Job, cards: list[str], words: Sequence[str]) -> None:
    """Train in this process, or in one process for each card; each of these calls `main` again.

    With `device: cpu`, `gpus: N` starts N processes on the CPU.
    """
    from fairseq_plugins import checkpoints  # imported after the cards were taken: torch must not see others

    processes = len(cards) or (job["gpus"] if job["device"] == "cpu" else 1)
    checkpoint_folder(job).mkdir(exist_ok=True)
    checkpoints.mend(checkpoint_folder(job), processes)
    if processes > 1:
        launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={processes}"]
        own = {**os.environ, ONE_OF_SEVERAL: "yes"}
        status = os.spawnve(os.P_WAIT, sys.executable, [sys.executable, *launch, __file__, *words], own)
        if status:
            raise InputError(f"a process of the training ended with status {status}", next_step="see above")
    else:
        train(job, cards, 1)
    pieces = str(Path(job["data"].split(os.pathsep)[0]).with_name(RECORD))
    read = job["inputs"].get(pieces)  # a job that was written by hand may name none
    made_from = {"made_of": made_of(pieces, read)} if read else {}
    write_record(Path(job["folder"], RECORD), [Path("training.json"), Path("log.jsonl")], made_from)


def choose_models(folder: Path, job: Job) -> None:
    """Make the model of this job, and those that other experiments need of its training; then delete checkpoints.

    What another experiment cannot get stops nobody else.
    """
    make(Path(job["chosen"]), functools.partial(write_model, folder, job["select"]))
    root = Path(job["results"])
    wanted, failed = list(uses_of(root, folder)), False
    for use in wanted:
        chosen = root / use["chosen"]
        try:
            if fits(chosen / RECORD) or not gone(folder, use["select"]):
                make(chosen, functools.partial(write_model, folder, use["select"]))
        except InputError as error:
            print(f"{chosen}, which another experiment needs, is not made: {error}", file=sys.stderr)
            failed = True
    if not (failed or job["keep_checkpoints"] or any(use["keep"] for use in wanted)):
        drop_checkpoints(folder)


@program
def main(argv: list[str] | None = None) -> None:
    words = list(sys.argv[1:] if argv is None else argv)
    job = read_job(__doc__, words)
    if os.environ.pop(ONE_OF_SEVERAL, ""):  # one process per card; started by `train_on`
        train(job, gpu.visible_gpus(), int(os.environ["WORLD_SIZE"]))
        return
    for name in RANKS:
        os.environ.pop(name, None)
    check_logging(job["recipe"])
    folder, has_card = Path(job["folder"]), False
    define(folder.parent, job["definition"])
    with locked(folder):
        if not fits(folder / RECORD):
            has_card = True
            check_inputs(job["inputs"])
            fairseq_flags.check_files(job["recipe"], job["definition"].get("recipe", {}))
            train_on(job, gpu.take(job["gpus"], job["device"], job["runs_per_gpu"]), words)
        choose_models(folder, job)
    print("\n".join(evaluate(job["evaluation"], has_card)))


if __name__ == "__main__":
    if not os.environ.keys() >= ENVIRONMENT.keys():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})
    raise SystemExit(main())

# What the rules ask about the experiment. Checking, names and paths live in src/experiment; here they meet wildcards.
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "src"))

from experiment import gpu
from experiment.comet_model import check_comet_model
from experiment.config import Experiment, Run, Segmentation
from subwords.errors import InputError


def checked(settings):
    """Return the experiment, or stop with a message that says what to mend."""
    try:
        found = Experiment(settings, where=str(workflow.configfiles[-1]))
        if "comet" in found.settings["metrics"]:
            check_comet_model(found.settings["comet_model"])
        return found
    except InputError as error:
        raise WorkflowError(f"\n{error}") from None


experiment = checked(config)
settings = experiment.settings
#: Without a GPU here, jobs do not wait for one. On a cluster the profile asks for it (profiles/slurm).
HAS_GPU = bool(gpu.visible_gpus())

# programs find the project's code here, with or without conda; bash stops at the first error
shell.prefix(
    f"set -euo pipefail; export PYTHONPATH={workflow.basedir}/src:{workflow.basedir}; "
)


wildcard_constraints:
    corpus="[^/]+",
    l1="[A-Za-z0-9_]+",  # the languages of a pair, in the catalogue's order
    l2="[A-Za-z0-9_]+",
    source="[A-Za-z0-9_]+",  # the languages of a direction
    target="[A-Za-z0-9_]+",
    lang="[A-Za-z0-9_]+",
    split="[^/]+",
    testset="[^/]+",
    segmentation="[^/]+",
    model="[^/]+",
    seed="[0-9]+",


def as_json(value):
    """A value as one argument of a shell command (with :q)."""
    return json.dumps(value, ensure_ascii=False)


def pair_of(wildcards):
    return f"{wildcards.l1}-{wildcards.l2}"


def segmentation_of(wildcards):
    """The Segmentation of a folder name; `name.seedN` is one that is learned anew for each seed."""
    name = wildcards.segmentation
    if name in experiment.segmentations:
        return experiment.segmentations[name]
    return experiment.segmentations[name.rpartition(".seed")[0]]


def run_of(wildcards):
    """The Run of a run folder."""
    source, target = wildcards.source, wildcards.target
    return Run(
        wildcards.corpus,
        source,
        target,
        experiment.corpora[wildcards.corpus].pair(source, target),
        wildcards.segmentation,
        wildcards.model,
        int(wildcards.seed),
    )


def segmented(run):
    """The folder with the pieces and models that a run is trained on."""
    folder = experiment.segmentations[run.segmentation].folder(run.seed)
    return f"results/segmented/{run.corpus}/{run.pair}/{folder}"


def segmentation_folders():
    return list(dict.fromkeys(segmented(run) for run in experiment.runs))


def text_folder(corpus, pair, form):
    """Where the text lies that a segmenter reads: raw is the cleaned corpus itself."""
    return (
        f"results/corpora/{corpus}/{pair}"
        if form == "raw"
        else f"results/text/{corpus}/{pair}/{form}"
    )


def texts():
    """Every text that the experiment's segmenters read, and the raw references."""
    wanted = []
    for run in experiment.runs:
        splits = ["train", "dev", *experiment.test_sets(run.corpus, run.direction)]
        for form in {"raw", experiment.segmentations[run.segmentation].text}:
            folder = text_folder(run.corpus, run.pair, form)
            wanted += [
                f"{folder}/{split}.{lang}"
                for split in splits
                for lang in (run.source, run.target)
            ]
    return list(dict.fromkeys(sorted(wanted)))

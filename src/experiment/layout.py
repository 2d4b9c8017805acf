"""Where everything made lies: results/, in words a person chose.

    downloads/{host}/{path}                        as served
    raw/{corpus}/{l1}-{l2}/{split}.{lang}          put together, as it came
    corpora/{corpus}/{l1}-{l2}/{split}.{lang}      clean and aligned; references/ holds dev and tests as they came;
                                                   of a group, {split}.origin says where each line comes from
    text/{corpus}/{l1}-{l2}/moses/{split}.{lang}   tokenized and truecased; raw text is the clean corpus itself
    segmented/{corpus}/{l1}-{l2}/{segmentation}/   models, pieces, statistics, binarized data
    runs/{corpus}/{source}-{target}/{segmentation}/{model}/seed{n}/
    {experiment}/                                  scores.csv, tables, figures, report
    papers/{paper}/{scale}/                        the same of a paper, in its own layout

A pair (l1-l2) has the languages in the catalogue's order and serves both directions; a direction (source-target) is a
system's. Files depend on nothing that their path does not name but the settings in Snakemake's params.
"""

from __future__ import annotations

from pathlib import Path

from experiment.config import Experiment
from experiment.runs import Run

DOWNLOADS = Path("results/downloads")


def raw_folder(corpus: str, pair: str) -> str:
    """Return the folder of a corpus as it came, with its parts.json."""
    return f"results/raw/{corpus}/{pair}"


def text_folder(corpus: str, pair: str, form: str) -> str:
    """Return the folder of the text that a segmenter of this form reads."""
    return f"results/corpora/{corpus}/{pair}" if form == "raw" else f"results/text/{corpus}/{pair}/{form}"


def reference(corpus: str, pair: str, split: str, language: str) -> str:
    """Return the path of a dev or test set as it came, which hypotheses are compared with."""
    return f"results/corpora/{corpus}/{pair}/references/{split}.{language}"


def segmentation_folder(corpus: str, pair: str, folder: str) -> str:
    """Return the folder with the models, pieces and statistics of a segmentation of a corpus."""
    return f"results/segmented/{corpus}/{pair}/{folder}"


def segmented_folder(experiment: Experiment, run: Run) -> str:
    """Return the folder with the pieces and models that a run is trained on."""
    return segmentation_folder(run.corpus, run.pair, experiment.segmentations[run.segmentation].folder(run.seed))


def experiment_folder(experiment: Experiment) -> str:
    return f"results/{experiment.folder}"

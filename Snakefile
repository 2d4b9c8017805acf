# What does the choice of subword segmentation do to a translation system?
#
#   snakemake --cores 2                                                       the demo experiment
#   snakemake --cores 8 --configfile config/experiments/multi30k.yaml         another one
#   snakemake --cores 8 --config mirror=../mirror                             downloads from a folder
#   snakemake --cores 8 --configfile papers/hft/experiment.yaml --config scale=smoke    a paper's tables
#
# Targets beside `all`: data, segmentation, training, scores (each with what it needs).
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")

# The folder of this file, wherever snakemake is started, and as a module of another workflow
HERE = Path(workflow.current_basedir)
sys.path.insert(0, str(HERE / "src"))

if not config:  # not a default that another experiment would be merged into

    configfile: str(HERE / "config" / "config.yaml")


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/segmentation.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/scores.smk"


if paper:

    include: "workflow/rules/papers.smk"

else:

    include: "workflow/rules/tables.smk"


# tables and report: of the experiment, or of the paper
rule all:
    default_target: True
    input:
        RESULTS,
    localrule: True


# downloaded, cleaned and tokenized text
rule data:
    input:
        plan.marks["texts"],
    localrule: True


# pieces of all segmentations, and their statistics
rule segmentation:
    input:
        plan.marks["segmented"],
    localrule: True


# trained systems, and their translations
rule training:
    input:
        plan.marks["runs"],
    localrule: True


# scores of all systems in one tidy table
rule scores:
    input:
        f"{experiment.results}/scores.csv",
    localrule: True

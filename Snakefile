# What does the choice of subword segmentation do to a translation system?
#
#   snakemake --cores 2                                                       the demo experiment
#   snakemake --cores 8 --configfile config/experiments/multi30k.yaml         another one
#   snakemake --cores 8 --config mirror=../mirror                             downloads from a folder
#   snakemake --cores 8 paper_hft --config scale=smoke                        a paper's tables (config/papers/hft.yaml)
#
# Targets beside `all`: data, segmentation, training, scores (each with what it needs).
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")

sys.path.insert(0, str(Path(workflow.basedir) / "src"))  # the project's code, for this file and what it includes

from experiment.requested import configuration

if not workflow.configfiles:  # not a default that another experiment would be merged into

    configfile: configuration(sys.argv)


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/text.smk"
include: "workflow/rules/segmentation.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/scores.smk"


if paper:

    include: "workflow/rules/papers.smk"

else:

    include: "workflow/rules/report.smk"


# tables and report: of the experiment, or of the paper
rule all:
    default_target: True
    input:
        RESULTS,
    localrule: True


# downloaded, cleaned and tokenized text
rule data:
    input:
        graph.texts(),
    localrule: True


# pieces of all segmentations, and their statistics
rule segmentation:
    input:
        collect("{folder}/stats.json", folder=graph.segmentation_folders()),
    localrule: True


# trained systems
rule training:
    input:
        collect("{run.folder}/run.json", run=experiment.runs),
    localrule: True


# scores of all systems, as one tidy table
rule scores:
    input:
        f"{EXPERIMENT}/scores.csv",
    localrule: True

# What does the choice of subword segmentation do to a translation system?
#
#   snakemake --cores 2                                                       the demo experiment
#   snakemake --cores 8 --configfile config/experiments/multi30k.yaml         another one
#   snakemake --cores 8 --config mirror=../mirror                             downloads from a folder
#
# Targets beside `all`: data, segmentation, training, scores (each with what it needs).

from snakemake.utils import min_version

min_version("9.0")

if not workflow.configfiles:  # not a default that another experiment would be merged into

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/text.smk"
include: "workflow/rules/segmentation.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/tables.smk"


# the experiment's table and report
rule all:
    default_target: True
    input:
        f"{EXPERIMENT}/table.md",
        f"{EXPERIMENT}/table.tex",
        f"{EXPERIMENT}/report.html",
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

# Scores to tables and the report. Tables are made from scores.csv and from nothing else.
from experiment.jsonfiles import write_json


def _test_set_files(run, testset):
    """The files of one test set of a run, as the manifest names them."""
    references = f"results/corpora/{run.corpus}/{run.pair}/references/{testset}"
    files = {
        "scores": f"{run.folder}/{testset}.scores.json",
        "hypothesis": f"{run.folder}/{testset}.hyp",
        "translation": f"{run.folder}/{testset}.translation.json",
        "reference": f"{references}.{run.target}",
        "source": f"{references}.{run.source}",
    }
    if "comet" in settings["metrics"]:
        files["comet"] = f"{run.folder}/{testset}.comet.json"
    return files


def _manifest_run(run):
    given = experiment.segmentations[run.segmentation]
    return {
        "corpus": run.corpus,
        "direction": run.direction,
        "segmentation": run.segmentation,
        "algorithm": given.algorithm,
        "size": given.size if isinstance(given.size, int) else None,
        "model": run.model,
        "seed": run.seed,
        "run_json": f"{run.folder}/run.json",
        "stats_json": f"{segmented(run)}/stats.json",
        "log": f"{run.folder}/log.jsonl",
        "testsets": {
            testset: _test_set_files(run, testset)
            for testset in experiment.test_sets(run.corpus, run.direction)
        },
    }


def _manifest():
    """What the experiment is made of: its runs and where their files are."""
    prose = ("title", "homepage", "licence", "citation")
    return {
        "experiment": experiment.name,
        "title": settings["title"] or experiment.name,
        "description": settings["description"],
        "baseline": settings["baseline"],
        "metrics": settings["metrics"],
        "runs": [_manifest_run(run) for run in experiment.runs],
        "significance": significance_files(),
        "corpora": {
            name: {
                key: corpus.definition[key] for key in prose if key in corpus.definition
            }
            for name, corpus in experiment.corpora.items()
        },
        "parameters": {
            key: value
            for key, value in settings.items()
            if key not in ("title", "description")
        },
        "commands": [f"snakemake --configfile {workflow.configfiles[-1]}"],
    }


def significance_files():
    """One comparison with the baseline for each block of the tables and test set; none where nothing is compared."""
    if len(experiment.segmentations) < 2:
        return []
    return [
        f"results/{experiment.name}/significance/{corpus}.{direction}.{model}.{testset}.json"
        for corpus, direction, model in experiment.blocks
        for testset in experiment.test_sets(corpus, direction)
    ]


def run_files():
    """Every file that the manifest names and a job makes."""
    files = significance_files()
    for run in map(_manifest_run, experiment.runs):
        files += [run["run_json"], run["stats_json"], run["log"]]
        files += [
            path for testset in run["testsets"].values() for path in testset.values()
        ]
    return list(dict.fromkeys(files))


# the list of runs and their files
rule manifest:
    output:
        f"results/{experiment.name}/manifest.json",
    log:
        f"results/logs/manifest/{experiment.name}.log",
    localrule: True
    params:
        content=_manifest(),
    message:
        "list the runs of {output}"
    run:  # too long for a command line when there are hundreds of runs
        write_json(output[0], params.content)


# one tidy row for each run, test set and metric
rule collect_scores:
    input:
        manifest=rules.manifest.output,
        files=run_files(),
    output:
        f"results/{experiment.name}/scores.csv",
    log:
        f"results/logs/collect/{experiment.name}.log",
    conda:
        "../../envs/evaluation.yaml"
    message:
        "collect the scores of {wildcards}"
    shell:
        "python scripts/collect_scores.py --manifest {input.manifest} --output {output} >{log} 2>&1"


# Markdown and LaTeX
rule tables:
    input:
        rules.collect_scores.output,
    output:
        markdown=report(f"results/{experiment.name}/table.md", category="Tables"),
        latex=f"results/{experiment.name}/table.tex",
    log:
        f"results/logs/tables/{experiment.name}.log",
    conda:
        "../../envs/evaluation.yaml"
    message:
        "tables"
    shell:
        "python scripts/make_tables.py --scores {input} --markdown {output.markdown} --latex {output.latex} >{log} 2>&1"


# one self-contained page: tables, plots, sample translations, provenance
rule report_page:
    input:
        scores=rules.collect_scores.output,
        manifest=rules.manifest.output,
    output:
        page=report(f"results/{experiment.name}/report.html", category="Report"),
        figures=directory(f"results/{experiment.name}/figures"),
    log:
        f"results/logs/report/{experiment.name}.log",
    conda:
        "../../envs/evaluation.yaml"
    message:
        "report"
    shell:
        "python scripts/make_report.py --scores {input.scores} --manifest {input.manifest} --output {output.page}"
        " --figures {output.figures} >{log} 2>&1"

# Scores to tables and the report. Tables are made from scores.csv and from nothing else.
from experiment.jsonfiles import write_json


# the list of runs and their files
rule manifest:
    output:
        f"{EXPERIMENT}/manifest.json",
    log:
        f"results/logs/manifest/{experiment.name}.log",
    localrule: True
    params:
        digest=graph.digest(),
    message:
        "list the runs of {output}"
    run:  # too long for a command line when there are hundreds of runs
        write_json(output[0], graph.manifest())


# one tidy row for each run, test set and metric
rule collect_scores:
    input:
        manifest=rules.manifest.output,
        files=graph.run_files(),
    output:
        f"{EXPERIMENT}/scores.csv",
    log:
        f"results/logs/collect/{experiment.name}.log",
    conda:
        "../../envs/evaluation.yaml"
    message:
        "collect the scores"
    shell:
        "python scripts/collect_scores.py --manifest {input.manifest} --output {output} >{log} 2>&1"


# Markdown and LaTeX
rule tables:
    input:
        rules.collect_scores.output,
    output:
        markdown=report(f"{EXPERIMENT}/table.md", category="Tables"),
        latex=f"{EXPERIMENT}/table.tex",
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
        page=report(f"{EXPERIMENT}/report.html", category="Report"),
        figures=directory(f"{EXPERIMENT}/figures"),
    log:
        f"results/logs/report/{experiment.name}.log",
    conda:
        "../../envs/evaluation.yaml"
    message:
        "report"
    shell:
        "python scripts/make_report.py --scores {input.scores} --manifest {input.manifest} --output {output.page}"
        " --figures {output.figures} >{log} 2>&1"

# An experiment's tables, made from scores.csv and from nothing else, and its report.

RESULTS = [f"{EXPERIMENT}/table.md", f"{EXPERIMENT}/table.tex", f"{EXPERIMENT}/report.html"]


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

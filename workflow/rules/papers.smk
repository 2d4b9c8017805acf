# A paper's tables, figures and claims: published values beside ours. What each is made of is in config/papers/.
include: "selection_on_test.smk"


from experiment.layout import DOWNLOADS
from papers.inputs import Inputs
from papers.paper import SCORES, analysis_files

PAPER = f"results/{paper.folder}"
ON_SCALE = f"--paper {CONFIGFILE} --scale {paper.scale}"
ON_PARTS = f"{ON_SCALE} --parts {' '.join(paper.parts)}" if paper.parts else ON_SCALE


for name in paper.needed_analyses:
    for file in analysis_files(paper, name).values():
        if file.url:
            graph.downloads[str(file.location(DOWNLOADS))] = file

RESULTS = [f"{PAPER}/{name}.{kind}" for name in paper.tables for kind in ("csv", "md", "tex")]
RESULTS += [f"{PAPER}/{name}.{kind}" for name in paper.figures for kind in ("svg", "png")]
RESULTS += [f"{PAPER}/claims.csv", f"{PAPER}/report.html"]


# everything that the paper has
rule:
    name:
        f"paper_{paper.name}"
    input:
        RESULTS,
    localrule: True


# scores.csv under the paper's names and sizes
rule measured_scores:
    input:
        f"{PAPER}/scores.csv",
    output:
        f"{PAPER}/measurements/{SCORES}.csv",
    log:
        f"results/logs/measure/{paper.name}.{paper.scale}.{SCORES}.log",
    conda:
        "../../envs/evaluation.yaml"
    params:
        paper=ON_SCALE,
        sizes=as_json(paper.sizes_of_paper),
    message:
        "scores under the paper's names"
    shell:
        "python scripts/measure.py {params.paper} --scores {input} --output {output} >{log} 2>&1"


for name in paper.needed_analyses:

    # measure what is beyond training and scoring (src/papers/analyses)
    rule:
        name:
            rule_name("measure", name)
        input:
            Inputs(paper, name).paths(),
        output:
            measured=f"{PAPER}/measurements/{name}.csv",
            made=[directory(f"{PAPER}/{folder}") for folder in Inputs(paper, name).kind.makes],
        log:
            f"results/logs/measure/{paper.name}.{paper.scale}.{name}.log",
        benchmark:
            f"results/benchmarks/measure/{paper.name}.{paper.scale}.{name}.tsv"
        conda:
            "../../envs/training.yaml"
        threads: settings["threads"]
        resources:
            mem_mb=8000,
            runtime="4h",
        params:
            paper=ON_SCALE,
            name=name,
            options=as_json(paper.analyses[name]),
            sizes=as_json(paper.sizes_of_paper),
        message:
            f"measure {name}"
        shell:
            "OMP_NUM_THREADS={threads} python scripts/measure.py {params.paper} --analysis {params.name}"
            " --threads {threads} --output {output.measured} >{log} 2>&1"


for name in paper.tables:

    # one of its tables, in its layout
    rule:
        name:
            rule_name("table", name)
        input:
            measured=paper.measurement_files(paper.tables[name]),
            published=paper.published_files(name),
        output:
            expand(f"{PAPER}/{name}.{{kind}}", kind=("csv", "md", "tex")),
        log:
            f"results/logs/tables/{paper.name}.{paper.scale}.{name}.log",
        conda:
            "../../envs/evaluation.yaml"
        params:
            paper=ON_SCALE,
            name=name,
            folder=subpath(output[0], parent=True),
            described=as_json(paper.tables[name]),
        message:
            f"table {name}"
        shell:
            "python scripts/make_paper_tables.py {params.paper} --table {params.name} --measurements {input.measured}"
            " --output {params.folder} >{log} 2>&1"


for name in paper.figures:

    # one of its figures
    rule:
        name:
            rule_name("figure", name)
        input:
            measured=paper.measurement_files(paper.figures[name]),
            published=paper.published_files(),
        output:
            expand(f"{PAPER}/{name}.{{kind}}", kind=("svg", "png")),
        log:
            f"results/logs/figures/{paper.name}.{paper.scale}.{name}.log",
        conda:
            "../../envs/evaluation.yaml"
        params:
            paper=ON_SCALE,
            name=name,
            folder=subpath(output[0], parent=True),
            described=as_json(paper.figures[name]),
        message:
            f"figure {name}"
        shell:
            "python scripts/make_paper_figures.py {params.paper} --figure {params.name} --measurements {input.measured}"
            " --output {params.folder} >{log} 2>&1"


# a verdict per claim, by the claim's rule, on the published values and on ours
rule judge:
    input:
        measured=[f"{PAPER}/measurements/{name}.csv" for name in paper.evidence],
        published=paper.published_files(),
    output:
        f"{PAPER}/claims.csv",
    log:
        f"results/logs/judge/{paper.name}.{paper.scale}.log",
    conda:
        "../../envs/evaluation.yaml"
    params:
        paper=ON_PARTS,
        folder=subpath(output[0], parent=True),
        claims=as_json(paper.claims),
    message:
        "claims"
    shell:
        "python scripts/judge_claims.py {params.paper} --measurements {input.measured} --output {params.folder}"
        " >{log} 2>&1"


# one self-contained page: verdicts, tables, figures, provenance
rule paper_report:
    input:
        parts=[path for path in RESULTS if not path.endswith("report.html")],
        claims=f"{PAPER}/claims.csv",
        scores=f"{PAPER}/scores.csv" if paper.uses_scores else [],
        manifest=rules.manifest.output,
    output:
        page=report(f"{PAPER}/report.html", category="Report"),
        claims=f"{PAPER}/claims.md",
    log:
        f"results/logs/report/{paper.name}.{paper.scale}.log",
    conda:
        "../../envs/evaluation.yaml"
    params:
        paper=ON_PARTS,
        folder=subpath(output.page, parent=True),
        scores="--scores" if paper.uses_scores else "",
        about=as_json([paper.title, paper.citation, paper.url, paper.tables, paper.figures]),
    message:
        "report of the paper"
    shell:
        "python scripts/make_paper_report.py {params.paper} --tables {params.folder} --figures {params.folder}"
        " --claims {input.claims} {params.scores} {input.scores} --manifest {input.manifest} --output {output.page}"
        " >{log} 2>&1"

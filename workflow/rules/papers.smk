# A paper's tables, figures and claims: published values beside ours. papers/NAME/paper.py defines each.
from pathlib import Path


include: "selection_on_test.smk"


PAPER = f"results/{paper.folder}"
PAPER_FOLDER = Path(paper.where).parent
PAPER_OPTIONS = f"--paper {shlex.quote(CONFIGFILE)} --scale {paper.scale}"

plan.further_files = [file for name in paper.needed_measures for file in paper.files(name).values()]

PAGES = [f"{PAPER}/{name}.{kind}" for name in paper.tables for kind in ("csv", "md", "tex")]
PAGES += [f"{PAPER}/{name}.{kind}" for name in paper.figures for kind in ("svg", "png")]
PAGES += [f"{PAPER}/{name}" for name in ("claims.csv", "claims.md", "report.html", "measured.json")]
RESULTS = PAGES + [f"{PAPER}/scores.csv"] * paper.uses_scores

MEASURED = [Sources(paper, name).measured for name in paper.needed_measures]

#: What `snakemake --report` shows: heading and caption.
SHOWN = {
    ".md": {"category": "Tables", "caption": "../report/paper_table.rst"},
    ".svg": {"category": "Figures", "caption": "../report/paper_figure.rst"},
    ".html": {"category": "Report", "caption": "../report/page.rst"},
}
TITLES = {name: made.title for name, made in {**paper.tables, **paper.figures}.items()}


for name in paper.needed_measures:

    # measure what training and scoring do not
    rule:
        name:
            f"measure_{name}".replace("-", "_")
        input:
            Sources(paper, name).paths(),
        output:
            Sources(paper, name).measured,
        log:
            f"results/logs/measure/{paper.name}.{paper.scale}.{name}.log",
        benchmark:
            f"results/benchmarks/measure/{paper.name}.{paper.scale}.{name}.tsv"
        conda:
            "../../envs/evaluation.yaml"
        threads: runtime["threads"]
        params:
            paper=PAPER_OPTIONS,
            name=name,
        message:
            f"measure {name}"
        shell:
            program(
                "measure.py {params.paper} --measure {params.name:q}"
                " --threads {threads} --output {output:q} >{log:q} 2>&1"
            )


# tables, figures, a verdict per claim, and one self-contained page with all of them
rule replicate:
    input:
        measured=MEASURED,
        scores=f"{PAPER}/scores.csv" if paper.uses_scores else [],
        manifest=rules.list_runs.output.manifest,
        published=sorted(map(str, PAPER_FOLDER.glob("published/*.csv"))),
        modules=sorted(map(str, PAPER_FOLDER.rglob("*.py"))),
    output:
        [
            (
                report(
                    page, labels={"title": TITLES.get(Path(page).stem, Path(page).stem)}, **SHOWN[Path(page).suffix]
                )
                if Path(page).suffix in SHOWN
                else page
            )
            for page in PAGES
        ],
    log:
        f"results/logs/replicate/{paper.name}.{paper.scale}.log",
    conda:
        "../../envs/evaluation.yaml"
    params:
        paper=PAPER_OPTIONS,
        parts=f"--parts {' '.join(paper.parts)}" if paper.parts else "",
        scores="--scores" if paper.uses_scores else "",
        key=plan.manifest_key,
        code=code_of(
            "src/replication/**/*.py",
            "src/experiment/reporting/*.*",
            "src/experiment/reporting/templates/*",
            "scripts/replicate.py",
        ),
        measured=MEASURED,  # this and the next only make the pages again when they change
        sizes=as_json(paper.sizes),
        about=[paper.title, paper.citation, paper.url],
        folder=subpath(output[0], parent=True),
    message:
        "tables, figures, claims and report of the paper"
    shell:
        program(
            "replicate.py {params.paper} {params.parts} --measurements {input.measured}"
            " {params.scores} {input.scores} --manifest {input.manifest} --key {params.key} --output {params.folder:q} >{log:q} 2>&1"
        )

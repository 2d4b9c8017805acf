# An experiment's tables, made from scores.csv and from nothing else, and its report.

# The runs are targets, too: a deleted run is made again although its scores are still in the tables.
RESULTS = [f"{experiment.results}/{name}" for name in ("scores.csv", "table.md", "table.tex", "report.html")]
RESULTS += plan.marks["runs"]
#: Kind of figure -> its title and caption, as in the report.
CAPTIONS = read_mapping(HERE / "src/experiment/reporting/templates/captions.yaml", next_step="restore it")


# Markdown and LaTeX; one self-contained page with tables, plots, sample translations, provenance
rule make_tables:
    input:
        scores=rules.collect_scores.output,
        manifest=rules.list_runs.output.manifest,
    output:
        markdown=report(f"{experiment.results}/table.md", category="Tables", caption="../report/table.rst"),
        latex=f"{experiment.results}/table.tex",
        page=report(f"{experiment.results}/report.html", category="Report", caption="../report/page.rst"),
        figures=report(
            directory(f"{experiment.results}/figures"),
            patterns=[f"{{block}}.{{kind,({'|'.join(CAPTIONS)})([.].+)?}}.svg"],
            category="Figures",
            labels={"system": "{block}", "figure": "{kind}"},
            caption="../report/figure.rst",
        ),
    log:
        f"results/logs/make_tables/{experiment.name}.log",
    benchmark:
        f"results/benchmarks/make_tables/{experiment.name}.tsv"
    localrule: True
    conda:
        "../../envs/evaluation.yaml"
    params:
        code=code_of(
            "src/experiment/reporting/*.*",
            "src/experiment/reporting/templates/*",
            "scripts/make_report.py",
            "scripts/make_tables.py",
        ),
        key=plan.manifest_key,
        captions=CAPTIONS,
    message:
        "tables and report"
    shell:
        program(
            "make_report.py --scores {input.scores:q} --manifest {input.manifest:q} --key {params.key}"
            " --output {output.page:q} --figures {output.figures:q} >{log:q} 2>&1 && "
        )
        + program(
            "make_tables.py --scores {input.scores:q} --markdown {output.markdown:q} --latex {output.latex:q}"
            " >>{log:q} 2>&1"
        )

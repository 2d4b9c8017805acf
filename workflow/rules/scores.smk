# From all runs together: their list, COMET, significance, and one table of all scores.


# the list of runs and their files, and the list of what this experiment uses: the first job, before anything is made
rule list_runs:
    output:
        manifest=f"{experiment.results}/manifest.json",
        used=update(plan.use_file),  # never deleted: it protects results
        again=plan.manifest_again,
    log:
        f"results/logs/list_runs/{experiment.name}.log",
    localrule: True
    params:
        key=plan.manifest_key,
    message:
        "list the runs of {output}"
    run:  # too long for a command line when there are hundreds of runs
        plan.register()
        plan.write_manifest(output.manifest, output.again)


if "comet" in settings["metrics"]:

    # fetch the model where the cache of the Hugging Face hub lacks it
    rule download_comet:
        output:
            update(f"results/downloads/comet/{experiment.comet_key}"),
        log:
            f"results/logs/download_comet/{experiment.name}.log",
        localrule: True
        conda:
            "../../envs/evaluation.yaml"
        params:
            model=lambda wildcards, output: settings["comet_model"],
        message:
            "COMET's model, {params.model}"
        shell:
            program("score_comet.py --fetch --model {params.model:q} >{log:q} 2>&1 && touch {output:q}")

    # COMET scores of every system and test set that lack them; the model is loaded once
    rule score_comet:
        input:
            model=ancient(rules.download_comet.output),
            manifest=rules.list_runs.output.manifest,
            runs=plan.marks["runs"],
        output:
            update(f"{experiment.results}/comet.done"),
        log:
            f"results/logs/score_comet/{experiment.name}.log",
        benchmark:
            f"results/benchmarks/score_comet/{experiment.name}.tsv"
        conda:
            "../../envs/evaluation.yaml"
        threads: runtime["threads"]
        resources:
            gpu=int(HAS_GPU),
        params:
            key=plan.manifest_key,
        message:
            "COMET"
        shell:
            program(
                "score_comet.py --manifest {input.manifest:q} --key {params.key} >{log:q} 2>&1"
                f" --device {runtime['device']} --runs-per-gpu {runtime['runs_per_gpu']} && touch {{output:q}}"
            )


# significance against the baseline, and one tidy row for each run, test set and metric
rule collect_scores:
    input:
        manifest=rules.list_runs.output.manifest,
        texts=ancient(plan.marks["texts"]),
        pieces=ancient(plan.marks["segmented"]),
        runs=plan.marks["runs"],
        comet=rules.score_comet.output if "comet" in settings["metrics"] else [],
    output:
        report(f"{experiment.results}/scores.csv", category="Tables", caption="../report/scores.rst"),
    log:
        f"results/logs/collect_scores/{experiment.name}.log",
    benchmark:
        f"results/benchmarks/collect_scores/{experiment.name}.tsv"
    conda:
        "../../envs/evaluation.yaml"
    params:
        code=code_of("src/experiment/scoring/*.py", "src/experiment/scoring/*.csv", "scripts/collect_scores.py"),
        key=plan.manifest_key,
    message:
        "scores of {output}"
    shell:
        program("collect_scores.py --manifest {input.manifest:q} --key {params.key} --output {output:q} >{log:q} 2>&1")

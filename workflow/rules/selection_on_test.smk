# Checkpoints chosen on the test set, where a paper did so. Their scores are never in scores.csv, which has checkpoints chosen on
# dev. It costs one translation of the test set for every checkpoint that the training kept (`select: keep` of the experiment).

ON_TEST = f"{RUN}/{{choice}}/{{search}}/{{testset}}.chosen-on-test"  # .hyp, .json


ruleorder: rescore_on_test > select_on_test  # the first whose inputs are there


# translate with every checkpoint, keep what scores best
rule select_on_test:
    input:
        run=lambda wildcards: ancient(run_of(wildcards).done),
    output:
        update(f"{ON_TEST}.{{request}}.done"),
    log:
        "results/logs/select_on_test/{corpus}.{direction}.{segmentation}.{model}.{key}.{seed}.{choice}.{search}.{testset}.{request}.log",
    wildcard_constraints:
        testset="[^/]+",
    conda:
        "../../envs/pipeline.yaml"
    threads: runtime["threads"]
    resources:
        gpu=int(HAS_GPU),
    params:
        job=lambda wildcards, output: as_json(
            run_of(wildcards).job(runtime) | {"select": settings["select"], "chooses": wildcards.testset}
        ),
    message:
        "choose on {wildcards.testset} itself: {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        program("select_on_test.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")


# score what is chosen with another metric, without a card
use rule select_on_test as rescore_on_test with:
    input:
        choice=ancient(f"{ON_TEST}.json"),
        run=lambda wildcards: ancient(run_of(wildcards).done),
    resources:
        gpu=0,
    message:
        "score what was chosen on {wildcards.testset} itself: {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"


if "comet" in settings["metrics"]:

    # COMET of all of them; the model is loaded once
    rule score_comet_on_test:
        input:
            model=ancient(rules.download_comet.output),
            manifest=rules.list_runs.output.manifest,
            chosen=[path for name in paper.needed_measures for path in Sources(paper, name).chosen_on_test],
        output:
            update(f"{experiment.results}/comet-on-test.done"),
        log:
            f"results/logs/score_comet_on_test/{experiment.name}.log",
        conda:
            "../../envs/evaluation.yaml"
        threads: runtime["threads"]
        resources:
            gpu=int(HAS_GPU),
        params:
            key=plan.manifest_key,
        message:
            "COMET of what was chosen on test"
        shell:
            program(
                "score_comet.py --manifest {input.manifest:q} --key {params.key} --chosen-on-test >{log:q} 2>&1"
                f" --device {runtime['device']} --runs-per-gpu {runtime['runs_per_gpu']} && touch {{output:q}}"
            )

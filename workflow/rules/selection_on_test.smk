# Checkpoints chosen on the test set, where a paper did so. Their scores are never in scores.csv, which has checkpoints chosen on
# dev. It costs one translation of the test set for every checkpoint that the training kept (`select: keep` of the experiment).

ON_TEST = f"{RUN}/{{choice}}/{{search}}/{{testset}}.chosen-on-test"


# translate with every checkpoint, keep what scores best
rule select_on_test:
    input:
        run=lambda wildcards: ancient(plan.evaluation(wildcards.key, wildcards.seed).done),
    output:
        hypotheses=update(f"{ON_TEST}.hyp"),
        report=update(f"{ON_TEST}.json"),
    log:
        "results/logs/select_on_test/{corpus}.{direction}.{segmentation}.{model}.{key}.{seed}.{choice}.{search}.{testset}.log",
    wildcard_constraints:
        testset="[^/]+",
    conda:
        "../../envs/pipeline.yaml"
    threads: runtime["threads"]
    resources:
        gpu=1 if HAS_GPU else 0,
    params:
        job=lambda wildcards, output: as_json(
            plan.evaluation(wildcards.key, wildcards.seed).job(runtime) | {"chooses": wildcards.testset}
        ),
    message:
        "choose on {wildcards.testset} itself: {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        program("select_on_test.py {params.job:q} >{log:q} 2>&1")


# COMET of it
rule score_comet_on_test:
    input:
        hypotheses=rules.select_on_test.output.hypotheses,
    output:
        update(f"{ON_TEST}.comet.json"),
    log:
        "results/logs/comet_on_test/{corpus}.{direction}.{segmentation}.{model}.{key}.{seed}.{choice}.{search}.{testset}.log",
    wildcard_constraints:
        testset="[^/]+",
    conda:
        "../../envs/evaluation.yaml"
    threads: runtime["threads"]
    resources:
        gpu=1 if HAS_GPU else 0,
    params:
        model=lambda wildcards, output: settings["comet_model"],
        texts=lambda wildcards, output: plan.references(wildcards.key, wildcards.testset),
    message:
        "COMET of {wildcards.testset}, chosen on it: {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        program(
            "score_comet.py --source {params.texts[0]:q} --reference {params.texts[1]:q}"
            " --hypothesis {input.hypotheses:q} --model {params.model:q} --output {output:q} >{log:q} 2>&1"
            f" --device {runtime['device']} --runs-per-gpu {runtime['runs_per_gpu']}"
        )

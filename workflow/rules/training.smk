# From pieces to a model, its translations and their scores: one job for each run. Only what is missing is made, by the rule
# that the plan shows: `train`, `select` (other checkpoints of a finished training), `evaluate` (another search or test set) or
# `rescore` (another metric). Checkpoints are not outputs: Snakemake deletes the outputs of an interrupted job, and training continues from them.

RUN = "results/runs/{corpus}/{direction}/{segmentation}/{model}.{key}/seed{seed}"
EVALUATED = f"{RUN}/{{choice}}/{{search}}/{{request}}.done"


ruleorder: rescore > evaluate > select > train  # the first whose inputs are there


# train a system, choose its model, translate and score; after a kill, the same job continues
rule train:
    input:
        pieces=lambda wildcards: ancient(plan.systems[wildcards.key].segmented.done),
        texts=lambda wildcards: ancient(plan.text_marks(wildcards.key, wildcards.seed)),
        used=lambda wildcards: registered(plan.evaluation(wildcards.key, wildcards.seed).done),
    output:
        update(EVALUATED),
    log:
        "results/logs/train/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.log",
    benchmark:
        "results/benchmarks/train/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.tsv"
    conda:
        "../../envs/pipeline.yaml"
    threads: runtime["threads"]
    resources:
        gpu=runtime["gpus"] if HAS_GPU else 0,
    params:
        job=lambda wildcards, output: as_json(plan.training_job(wildcards.key, wildcards.seed)),
    message:
        "train {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.direction}"
    shell:
        program("train.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")


# choose or average other checkpoints of a finished training, translate and score
use rule train as select with:
    input:
        training=f"{RUN}/record.json",
        pieces=lambda wildcards: ancient(plan.systems[wildcards.key].segmented.done),
        texts=lambda wildcards: ancient(plan.text_marks(wildcards.key, wildcards.seed)),
        used=lambda wildcards: registered(plan.evaluation(wildcards.key, wildcards.seed).done),
    log:
        "results/logs/select/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.log",
    benchmark:
        "results/benchmarks/select/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.tsv"
    message:
        "choose {wildcards.choice} of {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"


# translate and score with an existing model: another search or test set
rule evaluate:
    input:
        model=ancient(f"{RUN}/{{choice}}/record.json"),
        pieces=lambda wildcards: ancient(plan.systems[wildcards.key].segmented.done),
        texts=lambda wildcards: ancient(plan.text_marks(wildcards.key, wildcards.seed)),
        used=lambda wildcards: registered(plan.evaluation(wildcards.key, wildcards.seed).done),
    output:
        update(EVALUATED),
    log:
        "results/logs/evaluate/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.log",
    benchmark:
        "results/benchmarks/evaluate/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.tsv"
    conda:
        "../../envs/pipeline.yaml"
    threads: runtime["threads"]
    resources:
        gpu=int(HAS_GPU),
    params:
        job=lambda wildcards, output: as_json(plan.evaluation(wildcards.key, wildcards.seed).job(runtime)),
    message:
        "evaluate {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.direction}"
    shell:
        program("evaluate.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")


# score what is translated with another metric, without a card
use rule evaluate as rescore with:
    input:
        # a file that is never there: where something must be translated, this rule is none for the run
        translations=lambda wildcards: ["untranslated"] * plan.needs_translation(wildcards.key, wildcards.seed),
        model=ancient(f"{RUN}/{{choice}}/record.json"),
        pieces=lambda wildcards: ancient(plan.systems[wildcards.key].segmented.done),
        texts=lambda wildcards: ancient(plan.text_marks(wildcards.key, wildcards.seed)),
        used=lambda wildcards: registered(plan.evaluation(wildcards.key, wildcards.seed).done),
    resources:
        gpu=0,
    message:
        "score {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.direction}"

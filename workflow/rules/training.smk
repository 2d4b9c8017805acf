# From pieces to a model, its translations and their scores: one job for each run. Only what is missing is made, by the rule
# that the plan shows: `train`, `select` (other checkpoints of a finished training), or one of those in evaluation.smk.
# Checkpoints are not outputs: Snakemake deletes the outputs of an interrupted job, and training continues from them.

RUN = "results/runs/{corpus}/{direction}/{segmentation}/{model}.{key}/seed{seed}"
# {choice}: which checkpoints become the model, as in best-5. {search}: how test sets are translated, beam-N and a key.
# {request}: a digest of the test sets and metrics that are asked for; the mark of what is made has its name.
EVALUATED = f"{RUN}/{{choice}}/{{search}}/{{request}}.done"


ruleorder: rescore > evaluate > select > train  # the first whose inputs are there


# train a system, choose its model, translate and score; after a kill, the same job continues
rule train:
    input:
        unpack(inputs_of_run),
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
        job=lambda wildcards, output: as_json(run_of(wildcards).training_job(runtime, plan.results.root)),
    message:
        "train {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.direction}"
    shell:
        program("train.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")


# choose or average other checkpoints of a finished training, translate and score
use rule train as select with:
    input:
        unpack(inputs_of_run),
        training=f"{RUN}/record.json",
    log:
        "results/logs/select/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.log",
    benchmark:
        "results/benchmarks/select/{corpus}.{direction}.{segmentation}.{model}.{key}.seed{seed}.{choice}.{search}.{request}.tsv"
    resources:
        gpu=int(HAS_GPU),
    message:
        "choose {wildcards.choice} of {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"

# Translations and scores of a trained model: `evaluate` (another search or test set) and `rescore` (another metric). `train` and
# `select` (training.smk, where the order of these rules is) do the same for a new model.


# translate and score with an existing model: another search or test set
rule evaluate:
    input:
        unpack(inputs_of_run),
        model=ancient(f"{RUN}/{{choice}}/record.json"),
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
        job=lambda wildcards, output: as_json(run_of(wildcards).job(runtime)),
    message:
        "evaluate {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.direction}"
    shell:
        program("evaluate.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")


# score what is translated with another metric, without a card
use rule evaluate as rescore with:
    input:
        unpack(inputs_of_run),
        # "untranslated" never exists, so that this rule is not chosen while a translation is missing
        translations=lambda wildcards: ["untranslated"] * run_of(wildcards).needs_translation(),
        model=ancient(f"{RUN}/{{choice}}/record.json"),
    resources:
        gpu=0,
    message:
        "score {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.direction}"

# A model to translations, translations to scores. A changed or added metric touches no training and no translation.

SCORED = [metric for metric in settings["metrics"] if metric != "comet"] or ["bleu"]


# translate a test set: text in, detokenized text out
rule translate:
    input:
        model=rules.select.output.model,
        data=graph.segmented("binarized"),
        source=graph.source_text,
        encode_options=graph.segmented("encode.{source}.json"),
        source_segmenter=graph.segmented("model.{source}"),
        target_segmenter=graph.segmented("model.{target}"),
    output:
        hypotheses=f"{RUN}/{{testset}}.hyp",
        pieces=f"{RUN}/{{testset}}.pieces",
        report=f"{RUN}/{{testset}}.translation.json",
    log:
        "results/logs/translate/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.log",
    benchmark:
        "results/benchmarks/translate/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.tsv"
    conda:
        "../../envs/training.yaml"
    threads: settings["threads"]
    resources:
        gpu=1 if HAS_GPU else 0,
        mem_mb=8000,
        runtime="4h",
    params:
        algorithm=graph.of_segmentation("algorithm"),
        text=graph.of_segmentation("text"),
        search=as_json({key: value for key, value in settings["decode"].items() if key != "precision"}),
        precision=settings["decode"]["precision"],
    message:
        "translate {wildcards.testset} with {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        "OMP_NUM_THREADS={threads} python scripts/translate.py --model {input.model} --data {input.data}"
        " --direction {wildcards.source}-{wildcards.target} --source {input.source} --algorithm {params.algorithm}"
        " --encode-options {input.encode_options} --source-segmenter {input.source_segmenter}"
        " --target-segmenter {input.target_segmenter} --text {params.text} --search {params.search:q}"
        " --precision {params.precision} --hypotheses {output.hypotheses} --pieces {output.pieces}"
        " --report {output.report} >{log} 2>&1"


# BLEU, chrF and their like, with signatures, against the raw references
rule score:
    input:
        hypotheses=rules.translate.output.hypotheses,
        references=graph.references("target"),
    output:
        f"{RUN}/{{testset}}.scores.json",
    log:
        "results/logs/score/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.log",
    conda:
        "../../envs/evaluation.yaml"
    params:
        metrics=SCORED,
    message:
        "score {wildcards.testset} of {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        "python scripts/score.py --hypothesis {input.hypotheses} --reference {input.references}"
        " --metrics {params.metrics} --target {wildcards.target} --output {output} >{log} 2>&1"


# COMET, which needs its model and is quicker on a GPU
rule score_comet:
    input:
        hypotheses=rules.translate.output.hypotheses,
        references=graph.references("target"),
        source=graph.references("source"),
    output:
        f"{RUN}/{{testset}}.comet.json",
    log:
        "results/logs/comet/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.log",
    conda:
        "../../envs/evaluation.yaml"
    threads: settings["threads"]
    resources:
        gpu=1 if HAS_GPU else 0,
        mem_mb=8000,
        runtime="1h",
    params:
        model=settings["comet_model"],
    message:
        "COMET of {wildcards.testset}, {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        "OMP_NUM_THREADS={threads} python scripts/score_comet.py --source {input.source}"
        " --hypothesis {input.hypotheses} --reference {input.references} --model {params.model:q}"
        " --output {output} >{log} 2>&1"


# paired tests of every system against the baseline, seed by seed
rule compare:
    input:
        hypotheses=graph.compared("hyp"),
        comet=branch(
            "comet" in settings["metrics"],
            then=graph.compared("comet.json"),
            otherwise=[],
        ),
        references=graph.references("target"),
    output:
        f"{EXPERIMENT}/significance/{{corpus}}.{{source}}-{{target}}.{{model}}.{{testset}}.json",
    log:
        f"results/logs/compare/{experiment.name}.{{corpus}}.{{source}}-{{target}}.{{model}}.{{testset}}.log",
    conda:
        "../../envs/evaluation.yaml"
    params:
        baseline=settings["baseline"],
        metrics=settings["metrics"],
        test=settings["significance"]["test"],
        samples=settings["significance"]["samples"],
        systems=graph.comparison_arguments,
    message:
        "significance on {wildcards.testset} of {wildcards.corpus} {wildcards.source}-{wildcards.target}"
    shell:
        "python scripts/compare_systems.py --corpus {wildcards.corpus}"
        " --direction {wildcards.source}-{wildcards.target} --model {wildcards.model} --testset {wildcards.testset}"
        " --baseline {params.baseline} --reference {input.references} --metrics {params.metrics}"
        " --target {wildcards.target} {params.systems} --test {params.test} --samples {params.samples}"
        " --output {output} >{log} 2>&1"

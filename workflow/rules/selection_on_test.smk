# Checkpoints chosen on the test set, where a paper did so: beside what was chosen on dev, and never in scores.csv. It
# costs one translation of the test set for every checkpoint that the training kept (`select: keep` of the experiment).


# translate with every checkpoint, keep what scores best
rule select_on_test:
    input:
        training=rules.train.output.report,
        data=graph.segmented("binarized"),
        source=graph.source_text,
        encode_options=graph.segmented("encode.{source}.json"),
        source_segmenter=graph.segmented("model.{source}"),
        target_segmenter=graph.segmented("model.{target}"),
        references=graph.references("target"),
    output:
        hypotheses=f"{RUN}/{{testset}}.chosen-on-test.hyp",
        report=f"{RUN}/{{testset}}.chosen-on-test.json",
    log:
        "results/logs/select_on_test/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.log",
    benchmark:
        "results/benchmarks/select_on_test/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.tsv"
    conda:
        "../../envs/training.yaml"
    threads: settings["threads"]
    resources:
        gpu=1 if HAS_GPU else 0,
        mem_mb=8000,
        runtime="12h",
    params:
        folder=subpath(input.training, parent=True),
        algorithm=graph.of_segmentation("algorithm"),
        text=graph.of_segmentation("text"),
        search=as_json({key: value for key, value in settings["decode"].items() if key != "precision"}),
        precision=settings["decode"]["precision"],
        metrics=SCORED,
    message:
        "choose on {wildcards.testset} itself: {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        "OMP_NUM_THREADS={threads} python scripts/select_on_test.py --checkpoints {params.folder}/checkpoints"
        " --training {input.training} --data {input.data} --direction {wildcards.source}-{wildcards.target}"
        " --source {input.source} --algorithm {params.algorithm} --encode-options {input.encode_options}"
        " --source-segmenter {input.source_segmenter} --target-segmenter {input.target_segmenter} --text {params.text}"
        " --search {params.search:q} --precision {params.precision} --references {input.references}"
        " --metrics {params.metrics} --hypotheses {output.hypotheses} --report {output.report} >{log} 2>&1"


# COMET of it
rule score_comet_on_test:
    input:
        hypotheses=rules.select_on_test.output.hypotheses,
        references=graph.references("target"),
        source=graph.references("source"),
    output:
        f"{RUN}/{{testset}}.chosen-on-test.comet.json",
    log:
        "results/logs/comet_on_test/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.{testset}.log",
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
        "COMET of {wildcards.testset}, chosen on it: {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        "OMP_NUM_THREADS={threads} python scripts/score_comet.py --source {input.source}"
        " --hypothesis {input.hypotheses} --reference {input.references} --model {params.model:q}"
        " --output {output} >{log} 2>&1"

# Pieces to a model. The checkpoints are no output: Snakemake deletes outputs before a job starts, and training goes on
# from its checkpoints after an interruption.

RUN = "results/runs/{corpus}/{source}-{target}/{segmentation}/{model}/seed{seed}"


# train one system; killed and started again, it continues
rule train:
    input:
        data=graph.segmented("binarized"),
        segmenter=graph.segmented("model.{target}"),
        references=graph.references("target", "dev"),
    output:
        curve=f"{RUN}/log.jsonl",
        report=f"{RUN}/training.json",
    log:
        "results/logs/train/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.log",
    benchmark:
        "results/benchmarks/train/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.tsv"
    conda:
        "../../envs/training.yaml"
    threads: settings["threads"]
    resources:
        gpu=settings["gpus"] if HAS_GPU else 0,
        mem_mb=16000,
        runtime="24h",
    params:
        folder=subpath(output.curve, parent=True),
        recipe=graph.recipe,
        joint=graph.joint_flag,
        select=graph.training_selection(),
        algorithm=graph.of_segmentation("algorithm"),
        text=graph.of_segmentation("text"),
        precision=settings["precision"],
        gpus=settings["gpus"],
    message:
        "train {wildcards.segmentation} {wildcards.model} seed {wildcards.seed} on {wildcards.corpus} {wildcards.source}-{wildcards.target}"
    shell:
        "OMP_NUM_THREADS={threads} python scripts/train.py --data {input.data}"
        " --direction {wildcards.source}-{wildcards.target} --recipe {params.recipe:q} --seed {wildcards.seed}"
        " {params.joint} --select {params.select:q} --algorithm {params.algorithm} --segmenter {input.segmenter}"
        " --text {params.text} --references {input.references} --gpus {params.gpus} --precision {params.precision}"
        " --checkpoints {params.folder}/checkpoints --curve {output.curve} --report {output.report} >{log} 2>&1"


# choose or average checkpoints; write down what the run is and what it cost
rule select:
    input:
        training=rules.train.output.report,
    output:
        model=f"{RUN}/model.pt",
        run=f"{RUN}/run.json",
    log:
        "results/logs/select/{corpus}.{source}-{target}.{segmentation}.{model}.seed{seed}.log",
    conda:
        "../../envs/training.yaml"
    params:
        folder=subpath(output.model, parent=True),
        select=as_json(settings["select"]),
        parameters=graph.run_parameters,
    message:
        "select checkpoints of {wildcards.segmentation} {wildcards.model} seed {wildcards.seed}"
    shell:
        "python scripts/select_checkpoint.py --checkpoints {params.folder}/checkpoints --training {input.training}"
        " --select {params.select:q} --parameters {params.parameters:q}"
        " --model {output.model} --run {output.run} >{log} 2>&1"

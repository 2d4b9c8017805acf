# Text to pieces: learn, encode, measure, binarize. Nothing here depends on the seed of a training or on the model.


# learn a segmentation on the train text, and segment train and dev with it
rule segment:
    input:
        train=graph.segmenter_text("train"),
        dev=graph.segmenter_text("dev"),
    output:
        record="results/segmented/{corpus}/{l1}-{l2}/{segmentation}/segmentation.json",
        models=[
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/model.{l1}",
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/model.{l2}",
        ],
        options=[
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/encode.{l1}.json",
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/encode.{l2}.json",
        ],
        pieces=[
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/train.{l1}",
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/train.{l2}",
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/dev.{l1}",
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/dev.{l2}",
        ],
    log:
        "results/logs/segment/{corpus}.{l1}-{l2}.{segmentation}.log",
    benchmark:
        "results/benchmarks/segment/{corpus}.{l1}-{l2}.{segmentation}.tsv"
    priority: 100  # a size that the text cannot give is found before anything is trained
    conda:
        "../../envs/segmentation.yaml"
    resources:
        mem_mb=8000,
    params:
        folder=subpath(output.record, parent=True),
        text_folder=graph.segmenter_folder,
        algorithm=graph.of_segmentation("algorithm"),
        size=lambda wildcards: as_json(graph.segmentation(wildcards).size),
        text=graph.of_segmentation("text"),
        joint=graph.learning_flags,
        learn=graph.learn_options,
        encode=lambda wildcards: as_json(graph.segmentation(wildcards).encode),
    message:
        "segmentation {wildcards.segmentation} of {wildcards.corpus} {wildcards.l1}-{wildcards.l2}"
    shell:
        "python scripts/segment.py --pair {wildcards.l1}-{wildcards.l2} --algorithm {params.algorithm} --size {params.size:q}"
        " {params.joint} --text {params.text} --options {params.learn:q} --encode-options {params.encode:q}"
        " --train {params.text_folder}/train --dev {params.text_folder}/dev --output {params.folder} >{log} 2>&1"


# what the pieces are like: sizes reached, lengths, unknown pieces, efficiency, boundaries against gold
rule segmentation_statistics:
    input:
        record=rules.segment.output.record,
        pieces=rules.segment.output.pieces,
        texts=graph.segmenter_text(),
        gold=graph.pair_gold,
    output:
        "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/stats.json",
    log:
        "results/logs/statistics/{corpus}.{l1}-{l2}.{segmentation}.log",
    conda:
        "../../envs/segmentation.yaml"
    params:
        folder=subpath(input.record, parent=True),
    message:
        "statistics of {wildcards.segmentation} on {wildcards.corpus} {wildcards.l1}-{wildcards.l2}"
    shell:
        "python scripts/describe_segmentation.py --pair {wildcards.l1}-{wildcards.l2} --segmented {params.folder}"
        " --texts {input.texts} --gold {input.gold} --output {output} >{log} 2>&1"


# pieces to fairseq's memory-mapped files; serves both directions
rule binarize:
    input:
        rules.segment.output.pieces,
    output:
        directory("results/segmented/{corpus}/{l1}-{l2}/{segmentation}/binarized"),
    log:
        "results/logs/binarize/{corpus}.{l1}-{l2}.{segmentation}.log",
    conda:
        "../../envs/training.yaml"
    threads: settings["workers"]
    params:
        folder=subpath(input[0], parent=True),
        joint=graph.joint_flag,
    message:
        "binarize {wildcards.segmentation} of {wildcards.corpus} {wildcards.l1}-{wildcards.l2}"
    shell:
        "python scripts/binarize.py --pair {wildcards.l1}-{wildcards.l2} --train {params.folder}/train --dev {params.folder}/dev"
        " {params.joint} --workers {threads} --output {output} >{log} 2>&1"

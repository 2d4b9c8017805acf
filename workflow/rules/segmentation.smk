# Text to pieces: learn, encode, measure, binarize. Nothing here depends on the seed of a training or on the model.


def _text_prefix(split):
    def prefix(wildcards):
        form = segmentation_of(wildcards).text
        return f"{text_folder(wildcards.corpus, pair_of(wildcards), form)}/{split}"

    return prefix


def _texts(split):
    prefix = _text_prefix(split)
    return lambda wildcards: [
        f"{prefix(wildcards)}.{lang}" for lang in (wildcards.l1, wildcards.l2)
    ]


def _learn_options(wildcards):
    found = segmentation_of(wildcards)
    seed = (
        {"seed": int(wildcards.segmentation.rpartition(".seed")[2])}
        if found.per_seed
        else {}
    )
    return as_json({**found.learn, **seed})


def _evaluation_texts(wildcards):
    """dev and every test set of the pair, as the segmenter reads them."""
    form = segmentation_of(wildcards).text
    folder = text_folder(wildcards.corpus, pair_of(wildcards), form)
    splits = experiment.corpora[wildcards.corpus].splits(pair_of(wildcards))
    languages = (wildcards.l1, wildcards.l2)
    return [
        f"{folder}/{split}.{lang}"
        for split in splits
        if split != "train"
        for lang in languages
    ]


def _gold(wildcards):
    languages = experiment.corpora[wildcards.corpus].gold_languages(pair_of(wildcards))
    return [
        f"results/corpora/{wildcards.corpus}/{pair_of(wildcards)}/gold.{lang}"
        for lang in languages
    ]


# learn a segmentation on the train text, and segment train and dev with it
rule segment:
    input:
        train=_texts("train"),
        dev=_texts("dev"),
    output:
        record="results/segmented/{corpus}/{l1}-{l2}/{segmentation}/segmentation.json",
        models=[
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/model.{l1}",
            "results/segmented/{corpus}/{l1}-{l2}/{segmentation}/model.{l2}",
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
    conda:
        "../../envs/segmentation.yaml"
    resources:
        mem_mb=8000,
    params:
        folder=subpath(output.record, parent=True),
        train=_text_prefix("train"),
        dev=_text_prefix("dev"),
        algorithm=lambda wildcards: segmentation_of(wildcards).algorithm,
        size=lambda wildcards: as_json(segmentation_of(wildcards).size),
        text=lambda wildcards: segmentation_of(wildcards).text,
        joint=lambda wildcards: "--joint" if segmentation_of(wildcards).joint else "",
        learn=_learn_options,
        encode=lambda wildcards: as_json(segmentation_of(wildcards).encode),
    message:
        "segmentation {wildcards.segmentation} of {wildcards.corpus} {wildcards.l1}-{wildcards.l2}"
    shell:
        "python scripts/segment.py --pair {wildcards.l1}-{wildcards.l2} --algorithm {params.algorithm} --size {params.size:q}"
        " {params.joint} --text {params.text} --options {params.learn:q} --encode-options {params.encode:q}"
        " --train {params.train} --dev {params.dev} --output {params.folder} >{log} 2>&1"


# what the pieces are like: sizes reached, lengths, unknown pieces, efficiency, boundaries against gold
rule segmentation_statistics:
    input:
        record=rules.segment.output.record,
        pieces=rules.segment.output.pieces,
        train=_texts("train"),
        evaluation=_evaluation_texts,
        gold=_gold,
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
        " --texts {input.train} {input.evaluation} --gold {input.gold} --output {output} >{log} 2>&1"


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
        joint=lambda wildcards: "--joint" if segmentation_of(wildcards).joint else "",
    message:
        "binarize {wildcards.segmentation} of {wildcards.corpus} {wildcards.l1}-{wildcards.l2}"
    shell:
        "python scripts/binarize.py --pair {wildcards.l1}-{wildcards.l2} --train {params.folder}/train --dev {params.folder}/dev"
        " {params.joint} --workers {threads} --output {output} >{log} 2>&1"

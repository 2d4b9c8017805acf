# Text to pieces. Nothing here depends on the seed of a training, on the direction or on the model.


# learn a segmentation on the train text, segment train and dev, measure the pieces, binarize them
rule segment:
    input:
        corpus=lambda wildcards: ancient(plan.segmented[wildcards.key].text.done),
        used=lambda wildcards: registered(plan.segmented[wildcards.key].done),
    output:
        update("results/segmented/{corpus}.{corpus_key}/{pair}/{segmentation}.{key}/done"),
    log:
        "results/logs/segment/{corpus}.{corpus_key}.{pair}.{segmentation}.{key}.log",
    benchmark:
        "results/benchmarks/segment/{corpus}.{corpus_key}.{pair}.{segmentation}.{key}.tsv"
    priority: 100  # a size that the text cannot give is found before anything is trained
    conda:
        "../../envs/pipeline.yaml"
    params:
        job=lambda wildcards, output: as_json(plan.segmented[wildcards.key].job()),
    message:
        "segmentation {wildcards.segmentation} of {wildcards.corpus} {wildcards.pair}"
    shell:
        program("segment.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")

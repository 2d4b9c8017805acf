# From downloads to clean, tokenized text. Rules that need a network run where snakemake does: on a cluster, the login node.
MIRROR = ["--mirror", runtime["mirror"]] if runtime["mirror"] else []


# fetch one file: retries, resumes, checks; from the mirror when there is one
rule download:
    output:
        update("results/downloads/{file}"),
    log:
        "results/logs/download/{file}.log",
    localrule: True
    conda:
        "../../envs/pipeline.yaml"
    params:
        url=lambda wildcards, output: plan.downloads[output[0]].url,
        sha256=lambda wildcards, output: plan.downloads[output[0]].sha256,
        mirror=lambda wildcards, output: MIRROR,
    message:
        "download {params.url}"
    shell:
        program(
            "download.py --url {params.url:q} --sha256 {params.sha256} {params.mirror:q}"
            " --output {output:q} >{log:q} 2>&1"
        )


# fetch what an id of mtdata's index names
rule download_mtdata:
    output:
        update("results/downloads/mtdata/{id}.done"),
    log:
        "results/logs/download_mtdata/{id}.log",
    localrule: True
    conda:
        "../../envs/pipeline.yaml"
    params:
        mirror=lambda wildcards, output: MIRROR,
    message:
        "download {wildcards.id}"
    shell:
        program(
            "download.py --mtdata {wildcards.id:q} {params.mirror:q} --output results/downloads >{log:q} 2>&1"
            " && touch {output:q}"
        )


ruleorder: download_mtdata > download


# put a corpus together from its files, or a group from its members; clean it; tokenize and truecase it
rule make_corpus:
    input:
        files=lambda wildcards: ancient(plan.files_of(wildcards.key)),
        members=lambda wildcards: ancient(plan.members_of(wildcards.key)),
        used=lambda wildcards: registered(plan.texts[wildcards.key].done),
    output:
        update("results/corpora/{corpus}.{key}/{pair}/done"),
    log:
        "results/logs/make_corpus/{corpus}.{key}.{pair}.log",
    benchmark:
        "results/benchmarks/make_corpus/{corpus}.{key}.{pair}.tsv"
    conda:
        "../../envs/pipeline.yaml"
    threads: runtime["workers"]
    params:
        job=lambda wildcards, output: as_json(plan.texts[wildcards.key].job(runtime)),
    message:
        "text of {wildcards.corpus} {wildcards.pair}"
    shell:
        program("make_corpus.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")


# a test set that train is not cleaned of: made after the corpus, which it does not change
rule make_testset:
    input:
        corpus=ancient("results/corpora/{corpus}.{key}/{pair}/done"),
        files=lambda wildcards: ancient(plan.files_of(wildcards.key, wildcards.testset)),
        used=lambda wildcards: registered(plan.testset_mark(wildcards.key, wildcards.testset)),
    output:
        update("results/corpora/{corpus}.{key}/{pair}/{testset}.done"),
    log:
        "results/logs/make_testset/{corpus}.{key}.{pair}.{testset}.log",
    localrule: True
    conda:
        "../../envs/pipeline.yaml"
    params:
        job=lambda wildcards, output: as_json(plan.testset_job(wildcards.key, wildcards.testset)),
    message:
        "test set {wildcards.testset} of {wildcards.corpus} {wildcards.pair}"
    shell:
        program("make_corpus.py {params.job:q} >{log:q} 2>&1 && touch {output:q}")

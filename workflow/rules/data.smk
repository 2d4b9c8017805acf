# From the network to clean, aligned, raw text.


# fetch one file: retries, resumes, checks; from the mirror when there is one (CORPUS_MIRROR)
rule download:
    output:
        "results/downloads/{file}",
    log:
        "results/logs/download/{file}.log",
    conda:
        "../../envs/data.yaml"
    params:
        url=lambda wildcards, output: graph.downloads[output[0]].url,
        sha256=lambda wildcards, output: graph.downloads[output[0]].sha256,
    message:
        "download {params.url}"
    shell:
        "python scripts/download.py --url {params.url:q} --sha256 {params.sha256}" " --output {output:q} >{log:q} 2>&1"


# One pair of rules for each language pair, because corpora differ in their test sets.
for corpus, pair in graph.pairs:

    # put a corpus together from its files, or generate it
    rule:
        name:
            rule_name("prepare", corpus, pair)
        input:
            graph.corpus_files(corpus, pair),
        output:
            directory(f"results/raw/{corpus}/{pair}"),
        log:
            f"results/logs/prepare/{corpus}.{pair}.log",
        conda:
            "../../envs/data.yaml"
        params:
            corpus=corpus,
            languages=pair.split("-"),
            definition=as_json(graph.corpora[corpus].for_pair(pair)),
        message:
            f"put {corpus} {pair} together"
        shell:
            "python scripts/prepare_corpus.py --corpus {params.corpus} --definition {params.definition:q}"
            " --languages {params.languages} --downloads results/downloads --output {output} >{log} 2>&1"

    # clean it: train loses bad pairs, dev and test sets keep every line
    rule:
        name:
            rule_name("clean", corpus, pair)
        input:
            f"results/raw/{corpus}/{pair}",
        output:
            files=graph.clean_files(corpus, pair),
            report=f"results/corpora/{corpus}/{pair}/cleaning.json",
        log:
            f"results/logs/clean/{corpus}.{pair}.log",
        conda:
            "../../envs/data.yaml"
        params:
            folder=subpath(output.report, parent=True),
            languages=pair.split("-"),
            tests=[split for split in graph.splits(corpus, pair) if split not in ("train", "dev")],
            gold=graph.corpora[corpus].gold_languages(pair),
            options=graph.cleaning_options(corpus),
        message:
            f"clean {corpus} {pair}"
        shell:
            "python scripts/clean_corpus.py --input {input} --output {params.folder} --languages {params.languages}"
            " --tests {params.tests} --gold {params.gold} {params.options} >{log} 2>&1"


for corpus, pair in graph.groups:

    # put a group together from the clean text of its members
    rule:
        name:
            rule_name("gather", corpus, pair)
        input:
            graph.member_files(corpus, "raw"),
        output:
            files=graph.clean_files(corpus, pair),
            origins=expand(
                f"results/corpora/{corpus}/{pair}/{{split}}.origin",
                split=("train", "dev"),
            ),
            report=f"results/corpora/{corpus}/{pair}/cleaning.json",
        log:
            f"results/logs/gather/{corpus}.{pair}.log",
        conda:
            "../../envs/data.yaml"
        params:
            folder=subpath(output.report, parent=True),
            members=graph.gathering_options(corpus, "raw"),
        message:
            f"put the group {corpus} together"
        shell:
            "python scripts/gather_corpora.py {params.members} --output {params.folder} >{log} 2>&1"

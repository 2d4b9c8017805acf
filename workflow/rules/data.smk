# From the network to clean, aligned, raw text.


def _downloads():
    """Every file that the experiment downloads: its place under results/downloads -> the File."""
    files = [
        file
        for corpus, pair in PAIRS
        for file in experiment.corpora[corpus].files(pair)
        if file.url
    ]
    return {str(file.location(Path("results/downloads"))): file for file in files}


def _corpus_files(corpus, pair):
    """The files that a corpus is put together from: downloads, or the user's own."""
    return [
        str(file.location(Path("results/downloads")))
        for file in experiment.corpora[corpus].files(pair)
    ]


def _splits(corpus, pair):
    return list(experiment.corpora[corpus].splits(pair))


def _clean_files(corpus, pair):
    folder, languages = f"results/corpora/{corpus}/{pair}", pair.split("-")
    evaluation = [split for split in _splits(corpus, pair) if split != "train"]
    return (
        [
            f"{folder}/{split}.{lang}"
            for split in _splits(corpus, pair)
            for lang in languages
        ]
        + [
            f"{folder}/references/{split}.{lang}"
            for split in evaluation
            for lang in languages
        ]
        + [
            f"{folder}/gold.{lang}"
            for lang in experiment.corpora[corpus].gold_languages(pair)
        ]
    )


def _cleaning_options():
    """`cleaning` of the experiment as the program's options."""
    words = []
    for key, value in settings["cleaning"].items():
        if value is True:
            words.append(f"--{key.replace('_', '-')}")
        elif value not in (None, False):
            words += [f"--{key.replace('_', '-')}", str(value)]
    return " ".join(words)


PAIRS = list(dict.fromkeys((run.corpus, run.pair) for run in experiment.runs))
DOWNLOADS = _downloads()


# fetch one file: retries, resumes, checks; from the mirror when there is one
rule download:
    output:
        "results/downloads/{file}",
    log:
        "results/logs/download/{file}.log",
    conda:
        "../../envs/data.yaml"
    params:
        url=lambda wildcards, output: DOWNLOADS[output[0]].url,
        sha256=lambda wildcards, output: DOWNLOADS[output[0]].sha256,
        mirror=f"--mirror {settings['mirror']}" if settings["mirror"] else "",
    message:
        "download {params.url}"
    shell:
        "python scripts/download.py --url {params.url:q} --sha256 {params.sha256} {params.mirror}"
        " --output {output:q} >{log:q} 2>&1"


# One pair of rules for each language pair, because corpora differ in their test sets.
for corpus, pair in PAIRS:

    # put a corpus together from its files, or generate it
    rule:
        name:
            f"prepare_{corpus}_{pair}".replace("-", "_")
        input:
            _corpus_files(corpus, pair),
        output:
            directory(f"results/raw/{corpus}/{pair}"),
        log:
            f"results/logs/prepare/{corpus}.{pair}.log",
        conda:
            "../../envs/data.yaml"
        params:
            corpus=corpus,
            languages=pair.split("-"),
            definition=as_json(experiment.corpora[corpus].for_pair(pair)),
        message:
            f"put {corpus} {pair} together"
        shell:
            "python scripts/prepare_corpus.py --corpus {params.corpus} --definition {params.definition:q}"
            " --languages {params.languages} --downloads results/downloads --output {output} >{log} 2>&1"

    # clean it: train loses bad pairs, dev and test sets keep every line
    rule:
        name:
            f"clean_{corpus}_{pair}".replace("-", "_")
        input:
            f"results/raw/{corpus}/{pair}",
        output:
            files=_clean_files(corpus, pair),
            report=f"results/corpora/{corpus}/{pair}/cleaning.json",
        log:
            f"results/logs/clean/{corpus}.{pair}.log",
        conda:
            "../../envs/data.yaml"
        params:
            folder=f"results/corpora/{corpus}/{pair}",
            languages=pair.split("-"),
            tests=[
                split
                for split in _splits(corpus, pair)
                if split not in ("train", "dev")
            ],
            gold=experiment.corpora[corpus].gold_languages(pair),
            options=_cleaning_options(),
        message:
            f"clean {corpus} {pair}"
        shell:
            "python scripts/clean_corpus.py --input {input} --output {params.folder} --languages {params.languages}"
            " --tests {params.tests} --gold {params.gold} {params.options} >{log} 2>&1"

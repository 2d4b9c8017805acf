# The text that segmenters read. Raw text is the cleaned corpus itself; Moses text is tokenized and truecased.

# One rule for each language of each pair, because corpora differ in their test sets.
for corpus, pair in graph.pairs:
    for lang in pair.split("-"):

        # tokenize and truecase; the truecaser is learned on the train text
        rule:
            name:
                f"moses_{corpus}_{pair}_{lang}".replace("-", "_")
            input:
                [f"results/corpora/{corpus}/{pair}/{split}.{lang}" for split in graph.splits(corpus, pair)],
            output:
                [f"results/text/{corpus}/{pair}/moses/{split}.{lang}" for split in graph.splits(corpus, pair)],
            log:
                f"results/logs/moses/{corpus}.{pair}.{lang}.log",
            conda:
                "../../envs/data.yaml"
            threads: settings["workers"]
            params:
                source=subpath(input[0], parent=True),
                target=subpath(output[0], parent=True),
                language=lang,
                splits=graph.splits(corpus, pair),
            message:
                f"tokenize and truecase {corpus} {pair} {lang}"
            shell:
                "python scripts/tokenize_text.py --form moses --language {params.language} --splits {params.splits}"
                " --input {params.source} --output {params.target} --workers {threads} >{log} 2>&1"


for corpus, pair in graph.groups:

    # tokens of a group: those of its members, each tokenized and truecased by its own language
    rule:
        name:
            rule_name("gather_moses", corpus, pair)
        input:
            texts=graph.member_files(corpus, "moses"),
            train_origin=f"results/corpora/{corpus}/{pair}/train.origin",
            dev_origin=f"results/corpora/{corpus}/{pair}/dev.origin",
        output:
            [
                f"results/text/{corpus}/{pair}/moses/{split}.{lang}"
                for split in graph.splits(corpus, pair)
                for lang in pair.split("-")
            ],
        log:
            f"results/logs/gather_moses/{corpus}.{pair}.log",
        conda:
            "../../envs/data.yaml"
        params:
            source=subpath(input.train_origin, parent=True),
            target=subpath(output[0], parent=True),
            members=graph.gathering_options(corpus, "moses"),
        message:
            f"put the tokens of the group {corpus} together"
        shell:
            "python scripts/gather_corpora.py {params.members} --origins {params.source} --output {params.target}"
            " >{log} 2>&1"

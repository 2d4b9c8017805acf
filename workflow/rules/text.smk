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

"""Peers that are libraries, each as a small program of its own.

python peers.py learn  PEER SIZE MODEL TEXT
python peers.py encode PEER MODEL TEXT OUTPUT

SIZE counts merges, on top of the text's letters, except for sentencepiece-unigram, where it counts pieces. One thread.
"""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path

LINES_PER_BATCH = 10_000


def learn_sentencepiece(kind: str, size: int, model: str, text: str) -> None:
    """Learn from the text as it is, every character kept, every line read."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=text,
        model_prefix=model,
        model_type=kind,
        vocab_size=size,
        character_coverage=1.0,
        normalization_rule_name="identity",
        max_sentence_length=1 << 20,
        num_threads=1,
        minloglevel=2,
    )
    Path(f"{model}.model").replace(model)


def encode_sentencepiece(model: str, text: str, output: str) -> None:
    """Write the pieces of a text."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=model)
    with open(text, encoding="utf-8", newline="\n") as source, open(output, "w", encoding="utf-8") as sink:
        while lines := [line.rstrip("\n") for line in islice(source, LINES_PER_BATCH)]:
            encoded = processor.encode(lines, out_type=str, num_threads=1)
            sink.writelines(" ".join(pieces) + "\n" for pieces in encoded)


def learn_tokenizers(size: int, model: str, text: str) -> None:
    """Learn so many merges within words, as subword-nmt does: ends of words marked, pairs that occur twice."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, end_of_word_suffix="</w>", special_tokens=["<unk>"], show_progress=False
    )
    tokenizer.train([text], trainer)
    tokenizer.save(model)


def encode_tokenizers(model: str, text: str, output: str) -> None:
    """Write the pieces of a text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(model)
    with open(text, encoding="utf-8", newline="\n") as source, open(output, "w", encoding="utf-8") as sink:
        while lines := [line.rstrip("\n") for line in islice(source, LINES_PER_BATCH)]:
            sink.writelines(" ".join(line.tokens) + "\n" for line in tokenizer.encode_batch_fast(lines))


def main() -> None:
    """Do what the arguments say."""
    do, peer, *rest = sys.argv[1:]
    library, _, kind = peer.partition("-")
    if do == "encode":
        (encode_tokenizers if library == "tokenizers" else encode_sentencepiece)(*rest)
        return
    size, model, text = rest
    if library == "tokenizers":
        learn_tokenizers(int(size), model, text)
    else:
        learn_sentencepiece(kind, int(size), model, text)


if __name__ == "__main__":
    main()

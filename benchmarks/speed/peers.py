"""Peers that are libraries, each as a small program of its own.

python peers.py learn  PEER THREADS SIZE MODEL TEXT
python peers.py encode PEER THREADS MODEL TEXT OUTPUT
python peers.py decode PEER THREADS MODEL PIECES OUTPUT

SIZE counts merges, on top of the text's letters, except for sentencepiece-unigram, where it counts pieces.
"""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path

LINES_PER_BATCH = 10_000


def learn_sentencepiece(kind: str, threads: int, size: int, model: str, text: str) -> None:
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
        num_threads=threads,
        minloglevel=2,
    )
    Path(f"{model}.model").replace(model)


def encode_sentencepiece(threads: int, model: str, text: str, output: str) -> None:
    """Write the pieces of a text."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=model)
    with open(text, encoding="utf-8", newline="\n") as source, open(output, "w", encoding="utf-8") as sink:
        while lines := [line.rstrip("\n") for line in islice(source, LINES_PER_BATCH)]:
            encoded = processor.encode(lines, out_type=str, num_threads=threads)
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


def encode_tokenizers(_: int, model: str, text: str, output: str) -> None:
    """Write the pieces of a text."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(model)
    with open(text, encoding="utf-8", newline="\n") as source, open(output, "w", encoding="utf-8") as sink:
        while lines := [line.rstrip("\n") for line in islice(source, LINES_PER_BATCH)]:
            sink.writelines(" ".join(line.tokens) + "\n" for line in tokenizer.encode_batch_fast(lines))


def decode_sentencepiece(threads: int, model: str, pieces: str, output: str) -> None:
    """Write the text of pieces."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=model)
    with open(pieces, encoding="utf-8", newline="\n") as source, open(output, "w", encoding="utf-8") as sink:
        while lines := [line.rstrip("\n").split(" ") for line in islice(source, LINES_PER_BATCH)]:
            sink.writelines(f"{line}\n" for line in processor.decode(lines, num_threads=threads))


def decode_tokenizers(_: int, model: str, pieces: str, output: str) -> None:
    """Write the text of pieces; the library decodes numbers, which are looked up first."""
    from tokenizers import Tokenizer, decoders

    tokenizer = Tokenizer.from_file(model)
    tokenizer.decoder = decoders.BPEDecoder()
    ids = tokenizer.get_vocab()
    with open(pieces, encoding="utf-8", newline="\n") as source, open(output, "w", encoding="utf-8") as sink:
        while lines := [line.rstrip("\n").split(" ") for line in islice(source, LINES_PER_BATCH)]:
            numbers = [[ids[piece] for piece in line if piece] for line in lines]
            sink.writelines(f"{line}\n" for line in tokenizer.decode_batch(numbers))


def main() -> None:
    """Do what the arguments say."""
    do, peer, given, *rest = sys.argv[1:]
    threads = int(given)
    os.environ["RAYON_NUM_THREADS"] = given
    library, _, kind = peer.partition("-")
    if do == "encode":
        (encode_tokenizers if library == "tokenizers" else encode_sentencepiece)(threads, *rest)
    elif do == "decode":
        (decode_tokenizers if library == "tokenizers" else decode_sentencepiece)(threads, *rest)
    elif library == "tokenizers":
        learn_tokenizers(int(rest[0]), *rest[1:])
    else:
        learn_sentencepiece(kind, threads, int(rest[0]), *rest[1:])


if __name__ == "__main__":
    main()

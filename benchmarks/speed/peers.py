"""Peers that are libraries, each as a small program of its own.

python peers.py learn  PEER THREADS SIZE MODEL TEXT
python peers.py encode PEER THREADS MODEL TEXT OUTPUT
python peers.py decode PEER THREADS MODEL PIECES OUTPUT

SIZE counts merges, on top of the text's letters, except for sentencepiece-unigram, where it counts pieces.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

LINES_PER_BATCH = 10_000


#: Makes lines of a batch of lines.
Convert = Callable[[list[str]], Iterable[str]]


def rewrite(source: str, output: str, convert: Convert) -> None:
    """Write what `convert` makes of the lines of a file, batch by batch."""
    with open(source, encoding="utf-8", newline="\n") as lines, open(output, "w", encoding="utf-8") as sink:
        while batch := [line.rstrip("\n") for line in islice(lines, LINES_PER_BATCH)]:
            sink.writelines(f"{line}\n" for line in convert(batch))


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


def use_sentencepiece(do: str, threads: int, model: str) -> Convert:
    """Return what encodes or decodes lines."""
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor(model_file=model)
    if do == "encode":
        return lambda lines: map(" ".join, processor.encode(lines, out_type=str, num_threads=threads))
    return lambda lines: processor.decode([line.split(" ") for line in lines], num_threads=threads)


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


def use_tokenizers(do: str, model: str) -> Convert:
    """Return what encodes or decodes lines; the library decodes numbers, which are looked up first."""
    from tokenizers import Tokenizer, decoders

    tokenizer = Tokenizer.from_file(model)
    if do == "encode":
        return lambda lines: (" ".join(line.tokens) for line in tokenizer.encode_batch_fast(lines))
    tokenizer.decoder = decoders.BPEDecoder()
    ids = tokenizer.get_vocab()
    return lambda lines: tokenizer.decode_batch([[ids[piece] for piece in line.split(" ") if piece] for line in lines])


def main() -> None:
    """Do what the arguments say."""
    do, peer, given, *rest = sys.argv[1:]
    threads = int(given)
    os.environ["RAYON_NUM_THREADS"] = given
    library, _, kind = peer.partition("-")
    if do == "learn" and library == "tokenizers":
        learn_tokenizers(int(rest[0]), *rest[1:])
    elif do == "learn":
        learn_sentencepiece(kind, threads, int(rest[0]), *rest[1:])
    else:
        model, source, output = rest
        uses_tokenizers = library == "tokenizers"
        rewrite(source, output, use_tokenizers(do, model) if uses_tokenizers else use_sentencepiece(do, threads, model))


if __name__ == "__main__":
    main()

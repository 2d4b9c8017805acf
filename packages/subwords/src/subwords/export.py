"""Models in other programs' formats.

| format | for | what is written |
|---|---|---|
| huggingface | bpe, sbpe, random-bpe, volt, muv, wordpiece, word, spm-bpe, unigram | tokenizer.json |
| sentencepiece | spm-bpe, unigram | the model file itself |
| fairseq | every algorithm whose model names its pieces | dict.txt: `piece count` |
| marian | the same | vocab.yml: `piece: id` |

A tokenizer.json has the ids of `Segmenter.vocab`. `transformers.PreTrainedTokenizerFast(tokenizer_file=…)`
loads it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from subwords.errors import InputError
from subwords.files import whole_file
from subwords.segmenter import Segmenter

#: Algorithms whose pieces come from merges of characters within words.
MERGES = ("bpe", "sbpe", "random-bpe", "volt", "muv")
HUGGINGFACE = (*MERGES, "wordpiece", "word", "spm-bpe", "unigram")
SENTENCEPIECE = ("spm-bpe", "unigram")
#: fairseq's and Marian's own first tokens.
FAIRSEQ_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MARIAN_SPECIAL = ("</s>", "<unk>")


def write(model: Segmenter, to: str, path: Path) -> None:
    """Write a model in the format of another program: "huggingface", "sentencepiece", "fairseq" or "marian".

    Raises InputError where the format cannot express the algorithm.
    """
    if to == "huggingface":
        text = json.dumps(tokenizer_json(model), ensure_ascii=False, indent=1)
    elif to == "sentencepiece":
        _check(model, to, SENTENCEPIECE)
        with whole_file(path, "wb") as stream:
            stream.write(model.model_bytes())
        return
    elif to == "fairseq":
        text = "".join(f"{piece} 1\n" for piece in model.known_pieces() if piece not in FAIRSEQ_SPECIAL)
    else:
        pieces = [*MARIAN_SPECIAL, *(piece for piece in model.known_pieces() if piece not in MARIAN_SPECIAL)]
        text = "".join(f"{json.dumps(piece, ensure_ascii=False)}: {number}\n" for number, piece in enumerate(pieces))
    with whole_file(path) as stream:
        stream.write(text)


def tokenizer_json(model: Segmenter) -> dict[str, Any]:
    """Return a model as Hugging Face's tokenizers read it. Raises InputError where they cannot express it."""
    _check(model, "huggingface", HUGGINGFACE)
    if set(model.applied_with()) - {"unknown"}:
        raise InputError(f"tokenizer.json has no place for {', '.join(model.applied_with())}")
    if model.algorithm in MERGES:
        parts = _of_merges(model)
    elif model.algorithm == "wordpiece":
        parts = _of_wordpiece(model)
    elif model.algorithm == "word":
        parts = _of_words(model)
    else:
        parts = _of_sentencepiece(model)
    tokens = [
        {"id": model.vocab[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False}
        | {"normalized": False, "special": True}
        for token in model.vocab.special
    ]
    empty = {"truncation": None, "padding": None, "normalizer": None, "post_processor": None, "decoder": None}
    return {"version": "1.0", "added_tokens": tokens} | empty | parts


def _check(model: Segmenter, to: str, algorithms: tuple[str, ...]) -> None:
    if model.algorithm not in algorithms:
        raise InputError(f"{to} cannot express {model.algorithm}", allowed=", ".join(algorithms))


#: Words are what single spaces separate, and nothing else is split off.
_WORDS = {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False}


def _of_merges(model: Segmenter) -> dict[str, Any]:
    """Symbols that end a word carry </w>, as in the codes file; tokenizers write no @@."""
    from subwords.merges.codes import END

    merges: list[tuple[str, str]] = list(dict.fromkeys(model.merges))  # type: ignore[attr-defined]
    symbols: list[str] = model.symbols()  # type: ignore[attr-defined]
    vocabulary = {token: number for number, token in enumerate(model.vocab.special)}
    if vocabulary.keys() & set(symbols) or any(END in symbol.removesuffix(END) for symbol in symbols):
        raise InputError(f"tokenizer.json cannot tell pieces that spell {END!r} or a special token from these")
    for symbol in symbols:
        vocabulary[symbol] = len(vocabulary)
    return {
        "pre_tokenizer": _WORDS,
        "decoder": {"type": "BPEDecoder", "suffix": END},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": model.vocab.special[0],
            "continuing_subword_prefix": None,
            "end_of_word_suffix": END,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": [list(merge) for merge in merges],
        },
    }


def _of_wordpiece(model: Segmenter) -> dict[str, Any]:
    if model.applied_with()["unknown"] != "word":
        raise InputError(
            "tokenizer.json can only make a whole word unknown, where this model takes a character as it is",
            next_step="--set unknown=word",
        )
    return {
        "pre_tokenizer": _WORDS,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 1_000_000,
            "vocab": {piece: number for number, piece in enumerate(model.vocab)},
        },
    }


def _of_words(model: Segmenter) -> dict[str, Any]:
    vocabulary = {piece: number for number, piece in enumerate(model.vocab)}
    return {
        "pre_tokenizer": _WORDS,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": model.vocab.special[0]},
    }


def _of_sentencepiece(model: Segmenter) -> dict[str, Any]:
    """By the scores of the pieces: unigram's are its model; of BPE, they are the order of the merges."""
    processor = model.processor  # type: ignore[attr-defined]
    options = {name: value for name, value in getattr(model, "options", {}).items() if name == "normalization"}
    if options:
        raise InputError(f"tokenizer.json is written for normalization=identity only, not {options['normalization']}")
    size = processor.get_piece_size()
    pieces = [processor.id_to_piece(number) for number in range(size)]
    spaces = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": model.algorithm == "spm-bpe"}
    if model.algorithm == "unigram":
        scored = [[piece, processor.get_score(number)] for number, piece in enumerate(pieces)]
        learned: dict[str, Any] = {
            "type": "Unigram",
            "unk_id": processor.unk_id(),
            "vocab": scored,
            "byte_fallback": False,
        }
    else:
        number_of = {piece: number for number, piece in enumerate(pieces)}
        merges = [
            (processor.get_score(number_of[piece]), place, piece[:place], piece[place:])
            for piece in pieces
            if not processor.is_control(number_of[piece]) and not processor.is_unknown(number_of[piece])
            for place in range(1, len(piece))
            if piece[:place] in number_of and piece[place:] in number_of
        ]
        merges.sort(key=lambda merge: (-merge[0], number_of[merge[2]], number_of[merge[3]]))
        learned = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "vocab": number_of}
        learned |= {"merges": [[left, right] for _, _, left, right in merges], "byte_fallback": False}
    return {"pre_tokenizer": spaces, "decoder": spaces, "model": learned}

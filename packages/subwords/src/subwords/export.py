"""Models in other programs' formats.

| format | for | what is written |
|---|---|---|
| huggingface | what applies merges (bpe, volt, ...), wordpiece, word, spm-bpe, unigram, byte-bpe | tokenizer.json |
| sentencepiece | spm-bpe, unigram, unigram-sampling | the model file itself |
| fairseq | every algorithm whose model names its pieces | dict.txt: `piece count` |
| marian | the same | vocab.yml: `piece: id` |

A tokenizer.json has the ids of `Segmenter.vocab`. `transformers.PreTrainedTokenizerFast(tokenizer_file=…)`
loads it. A pretrained model is exported as what it is.
"""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

from subwords import registry
from subwords.errors import InputError
from subwords.files import write_whole
from subwords.merges.segmenter import MergeSegmenter
from subwords.pretrained import Pretrained
from subwords.segmenter import Segmenter
from subwords.sentencepieces import SPACE, SentencePieceModel
from subwords.tokenizer_json import TokenizerJson
from subwords.word import Words
from subwords.wordpiece import WordPiece

#: What a tokenizer.json can express.
HUGGINGFACE = (MergeSegmenter, WordPiece, Words, SentencePieceModel, TokenizerJson)
#: fairseq's and Marian's own first tokens.
FAIRSEQ_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
MARIAN_SPECIAL = ("</s>", "<unk>")
#: What YAML reads in quotes only as an escape, and JSON leaves as it is.
_YAML_ESCAPES = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
#: Characters of a key of YAML, its quotes included; of a longer one a question mark says that it is a key.
_LONGEST_KEY = 1024


def write(model: Segmenter, to: str, path: Path) -> None:
    """Write a model in the format of another program: "huggingface", "sentencepiece", "fairseq" or "marian".

    Raises InputError where the format cannot express the algorithm.
    """
    model = model.inner if isinstance(model, Pretrained) else model
    if to == "huggingface":
        text = json.dumps(tokenizer_json(model), ensure_ascii=False, indent=1)
    elif to == "sentencepiece":
        _check(model, to, (SentencePieceModel,))
        write_whole(path, model.model_bytes())
        return
    elif to == "fairseq":
        pieces = [piece for piece in model.known_pieces() if piece not in FAIRSEQ_SPECIAL]
        if broken := [piece for piece in pieces if "\r" in piece]:
            raise InputError(
                f"dict.txt cannot hold a carriage return, which ends a line there: {broken[0]!r}",
                next_step="take carriage returns out of the text, and learn again",
            )
        text = "".join(f"{piece} 1\n" for piece in pieces)
    else:
        pieces = [*MARIAN_SPECIAL, *(piece for piece in model.known_pieces() if piece not in MARIAN_SPECIAL)]
        text = "".join(_yaml_entry(piece, number) for number, piece in enumerate(pieces))
    write_whole(path, text)


def _yaml_entry(piece: str, number: int) -> str:
    key = _YAML_ESCAPES.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(piece, ensure_ascii=False))
    return f"{key}: {number}\n" if len(key) <= _LONGEST_KEY else f"? {key}\n: {number}\n"


def tokenizer_json(model: Segmenter) -> dict[str, Any]:
    """Return a model as Hugging Face's tokenizers read it. Raises InputError where they cannot express it."""
    _check(model, "huggingface", HUGGINGFACE)
    if isinstance(model, TokenizerJson):
        return json.loads(model.tokenizer.to_str())
    in_draws = {parameter.name for parameter in model.parameters if parameter.draws}
    if left := set(model.applied_with()) - in_draws - {"unknown"}:
        raise InputError(f"tokenizer.json has no place for {', '.join(sorted(left))}")
    if isinstance(model, MergeSegmenter):
        parts = _of_merges(model)
    elif isinstance(model, WordPiece):
        parts = _of_wordpiece(model)
    elif isinstance(model, SentencePieceModel):
        parts = _of_sentencepiece(model)
    else:
        parts = _of_words(model)
    tokens = [
        {"id": model.vocab[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False}
        | {"normalized": False, "special": True}
        for token in model.vocab.special
    ]
    empty = {"truncation": None, "padding": None, "normalizer": None, "post_processor": None, "decoder": None}
    return {"version": "1.0", "added_tokens": tokens} | empty | parts


def _check(model: Segmenter, to: str, classes: tuple[type[Segmenter], ...]) -> None:
    if not isinstance(model, classes):
        allowed = [name for name in registry.ALGORITHMS if issubclass(registry.find(name), classes)]
        raise InputError(
            f"{to} cannot express {model.algorithm}", allowed=f"{', '.join(allowed)}; pretrained models of their kind"
        )


#: Words are what spaces separate, and nothing else is split off. Carriage returns at a line's ends are no words.
_WORDS = {
    "normalizer": {"type": "Replace", "pattern": {"Regex": r"\A[ \r]+|[ \r]+\z"}, "content": ""},
    "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False},
}


def _of_merges(model: MergeSegmenter) -> dict[str, Any]:
    """Symbols that end a word carry </w>, as in the codes file; tokenizers write no @@."""
    from subwords.merges.codes import END

    merges: list[tuple[str, str]] = list(dict.fromkeys(model.merges))
    symbols = model.symbols()
    vocabulary = {token: number for number, token in enumerate(model.vocab.special)}
    like_marks = any(END in symbol.removesuffix(END) for symbol in symbols)
    if like_marks or vocabulary.keys() & {*symbols, *model.known_pieces()}:
        raise InputError(f"tokenizer.json cannot tell pieces that spell {END!r} or a special token from these")
    for symbol in symbols:
        vocabulary[symbol] = len(vocabulary)
    return _WORDS | {
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
    return _WORDS | {
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
    return _WORDS | {"model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": model.vocab.special[0]}}


def _of_sentencepiece(model: SentencePieceModel) -> dict[str, Any]:
    """By the scores of the pieces: unigram's are its model; of BPE, they are the order of the merges."""
    processor = model.processor
    if model.kind in ("word", "char"):
        raise InputError(
            f"huggingface cannot express a SentencePiece model of type {model.kind}",
            allowed="the types unigram and bpe",
        )
    if _rewrites(model):
        raise InputError("tokenizer.json is written for normalization=identity only, and this model rewrites text")
    if special := model.special_pieces():
        raise InputError(
            f"tokenizer.json has no place for pieces that a user defined, or that are unused: {special[0]!r}"
        )
    size = processor.get_piece_size()
    pieces = [processor.id_to_piece(number) for number in range(size)]
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}
    text = {"type": "Replace", "pattern": {"String": SPACE}, "content": " "}
    first = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    learned: dict[str, Any] = {"byte_fallback": any(map(processor.is_byte, range(size)))}
    if model.kind == "bpe":
        number_of = {piece: number for number, piece in enumerate(pieces)}
        merges = [
            (processor.get_score(number_of[piece]), place, piece[:place], piece[place:])
            for piece in pieces
            if not processor.is_control(number_of[piece]) and not processor.is_unknown(number_of[piece])
            for place in range(1, len(piece))
            if piece[:place] in number_of and piece[place:] in number_of
        ]
        merges.sort(key=lambda merge: (-merge[0], number_of[merge[2]], number_of[merge[3]]))
        learned |= {"type": "BPE", "unk_token": pieces[processor.unk_id()], "fuse_unk": True, "vocab": number_of}
        learned |= {"merges": [[left, right] for _, _, left, right in merges]}
    else:
        scored = [[piece, processor.get_score(number)] for number, piece in enumerate(pieces)]
        learned |= {"type": "Unigram", "unk_id": processor.unk_id(), "vocab": scored}
    return {
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": SPACE}, spaces]},
        "decoder": {"type": "Sequence", "decoders": [text, {"type": "ByteFallback"}, {"type": "Fuse"}, first]},
        "model": learned,
    }


def _rewrites(model: SentencePieceModel) -> bool:
    """Return whether a model changes text before it segments it, but for a ▁ in front and in the place of spaces."""
    points = chain(range(1, ord(SPACE)), range(ord(SPACE) + 1, 0xD800), range(0xE000, 0x110000))
    every = f"  {''.join(map(chr, points))}  "
    normal: str = model.processor.normalize(every)
    return normal != SPACE + every.replace(" ", SPACE)

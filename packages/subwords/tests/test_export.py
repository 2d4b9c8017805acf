"""Exported models do what the models do, in the programs that they are exported to."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest

from subwords import learn, load, registry
from subwords.cli import main
from subwords.errors import InputError
from subwords.export import tokenizer_json, write
from subwords.testing import AWKWARD

STEMS = ["baro", "keli", "mino", "tuva", "sade", "é", "日本語", "मराठी"]
LINES = [" ".join(f"{a}{b}" for b in ("", "ko", "ri", "sem")) for a in STEMS for _ in range(3)]
#: How many pieces or merges are learned. The text's awkward characters are not in it.
SIZES = {"word": 20, "volt": 20, "muv": 20, "unigram": 36, "unigram-sampling": 36, "spm-bpe": 60, "wordpiece": 60}
MERGES = ("bpe", "sbpe", "random-bpe", "bpe-dropout", "volt", "muv")
RAW = ("spm-bpe", "unigram", "unigram-sampling")


#: What stands before and after a line.
ENDS = ((" ", ""), ("", "  "), ("\r", ""), ("", " \r"), ("\u2028", "\t"))


def random_lines(number: int) -> list[str]:
    chance = random.Random(number)
    words = [*" ".join(LINES).split(" "), "bako", "x", "кот", "@@", "a@@", "##x", "👋🏽", "e\u0301", "\u00a0", "1,000"]
    return [" ".join(chance.choices(words, k=chance.randint(0, 9))) for _ in range(number)]


@pytest.fixture(params=(*MERGES, "wordpiece", "word", *RAW))
def exported(request: pytest.FixtureRequest, tmp_path: Path):  # type: ignore[no-untyped-def]
    transformers = pytest.importorskip("transformers")
    name = request.param
    options = {"unknown": "word"} if name == "wordpiece" else {}
    model = learn(name, iter(LINES), SIZES.get(name, 40), **options)
    write(model, "huggingface", tmp_path / "tokenizer.json")
    return model, transformers.PreTrainedTokenizerFast(tokenizer_file=str(tmp_path / "tokenizer.json"))


@pytest.mark.slow
def test_transformers_gives_equal_pieces_and_ids(exported) -> None:  # type: ignore[no-untyped-def]
    model, tokenizer = exported
    known = model.vocab
    lines = [*LINES, *random_lines(300), *AWKWARD]
    for line in [*lines, *(f"{before}{line}{after}" for line in lines[:40] for before, after in ENDS)]:
        if model.algorithm in RAW and ("▁" in line or "\u2585" in line or not line):
            continue  # SentencePiece has no escape for its own marks
        if any(token in line for token in known.special):
            continue  # the tokenizer takes a special token of the text for itself
        ids = tokenizer(line, add_special_tokens=False)["input_ids"]
        assert ids == model.encode_ids(line), ascii(line[:80])
        expected = [piece if piece in known else known.special[0] for piece in model.encode(line).split(" ") if piece]
        if (
            model.algorithm not in MERGES
        ):  # in a codes file an end of a word is marked, in the text all other pieces are
            assert tokenizer.convert_ids_to_tokens(ids) == expected


@pytest.mark.parametrize("name", ["unigram", "spm-bpe"])
def test_unknown_characters_are_bytes_there_too(name: str) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = learn(name, iter(LINES), {"unigram": 290, "spm-bpe": 320}[name], byte_fallback=True)
    exported = tokenizers.Tokenizer.from_str(json.dumps(tokenizer_json(model)))
    for line in ("baro x语y", "语", " Ж baro"):
        assert "<0x" in model.encode(line)
        assert exported.encode(line, add_special_tokens=False).ids == model.encode_ids(line)
        assert exported.decode(model.encode_ids(line)) == line


def test_a_model_that_rewrites_text_is_not_exported_as_one_that_does_not(tmp_path: Path) -> None:
    learn("unigram", iter(LINES), 36, normalization="nmt_nfkc").write(tmp_path / "foreign")
    with pytest.raises(InputError, match="rewrites text"):
        tokenizer_json(load(tmp_path / "foreign", "unigram"))


def test_a_byte_bpe_model_is_a_tokenizer_json_with_the_same_numbers(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    model = learn("byte-bpe", iter(LINES), 280)
    model.save(tmp_path / "model")
    pretrained = learn("pretrained", iter([]), model=str(tmp_path / "model"))
    for one in (model, pretrained):
        write(one, "huggingface", tmp_path / "tokenizer.json")
        exported = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        for line in random_lines(50):
            assert exported.encode(line).ids == one.encode_ids(line)
            assert one.decode_ids(one.encode_ids(line)) == line


def test_vocabularies_are_read_again(tmp_path: Path) -> None:
    """By a YAML reader; and dict.txt as fairseq reads it, with any line end."""
    yaml = pytest.importorskip("yaml")
    longer = " ".join("é" * length for length in (1021, 1022, 1023, 5000))
    model = learn("word", iter([longer, "a\x7fb c\x85d e\u2028f g\ufeffh i\ufffej 👋🏽 : ' \" \\ # ~"]), 16)
    write(model, "marian", tmp_path / "vocab.yml")
    read = yaml.safe_load((tmp_path / "vocab.yml").read_text("utf-8"))
    assert list(read.items()) == [(piece, n) for n, piece in enumerate(["</s>", "<unk>", *model.known_pieces()])]
    write(model, "fairseq", tmp_path / "dict.txt")
    with pytest.raises(InputError, match="carriage return"):
        write(learn("word", iter(["a\rb"]), 1), "fairseq", tmp_path / "dict.txt")


def test_a_piece_that_is_spelled_like_a_special_token_is_not_exported_as_that() -> None:
    with pytest.raises(InputError, match="special token"):
        tokenizer_json(learn("bpe", iter(["low </s>"] * 3), 9))


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("said_by", ["trainer", "type", "unused"])
def test_symbols_that_a_user_gave_a_sentencepiece_model_are_not_exported_as_learned_pieces(
    kind: str, said_by: str
) -> None:
    """SentencePiece takes them out of the text before it segments the rest; tokenizers would give other pieces.

    The type of a piece says that, also where the trainer's options do not; so it does for pieces that are not used.
    """
    import sentencepiece

    content = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=content,
        model_type=kind,
        vocab_size=60 if kind == "bpe" else 36,
        user_defined_symbols=["oko"],
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=3,
    )
    model = content.getvalue()
    assert model.count(b"\xfa\x01\x03oko") == model.count(b"\x18\x04") == 1  # the trainer's option, and the type
    if said_by != "trainer":
        model = model.replace(b"\xfa\x01\x03oko", b"\xd2\x0f\x03oko")  # a field that nobody knows
    if said_by == "unused":
        model = model.replace(b"\x18\x04", b"\x18\x05")
    with pytest.raises(InputError, match="oko"):
        tokenizer_json(registry.find("spm-bpe" if kind == "bpe" else "unigram")(model))


@pytest.mark.parametrize("kind", ["word", "char"])
def test_a_sentencepiece_model_of_words_or_characters_is_not_exported_as_unigram(kind: str) -> None:
    import sentencepiece

    content = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=content,
        model_type=kind,
        vocab_size=20,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        minloglevel=3,
    )
    with pytest.raises(InputError, match=f"cannot express a SentencePiece model of type {kind}"):
        tokenizer_json(registry.find("unigram")(content.getvalue()))


@pytest.mark.parametrize("name", ["hft", "huffman", "char"])
def test_what_huggingface_cannot_express_is_said(name: str) -> None:
    model = learn(name, iter(LINES), None if name == "char" else 60)
    with pytest.raises(InputError, match="cannot express"):
        tokenizer_json(model)


def test_sentencepiece_takes_what_is_its_own(tmp_path: Path) -> None:
    import sentencepiece

    model = learn("unigram", iter(LINES), SIZES["unigram"])
    write(model, "sentencepiece", tmp_path / "model")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "model"))
    assert [" ".join(processor.encode(line, out_type=str)) for line in LINES] == model.encode_batch(LINES)
    with pytest.raises(InputError, match=r"cannot express bpe\n.*: spm-bpe, unigram, unigram-sampling"):
        write(learn("bpe", iter(LINES), 9), "sentencepiece", tmp_path / "model")


@pytest.mark.parametrize("name", ["bpe", "hft", "huffman", "char", "unigram"])
def test_vocabularies_of_translation_programs(name: str, tmp_path: Path) -> None:
    model = learn(name, iter(LINES), None if name == "char" else SIZES.get(name, 60))
    pieces = set(" ".join(model.encode_batch(LINES)).split(" "))
    write(model, "fairseq", tmp_path / "dict.txt")
    listed = [line.rsplit(" ", 1) for line in (tmp_path / "dict.txt").read_text("utf-8").split("\n")[:-1]]
    assert pieces <= {piece for piece, _ in listed}
    assert len({piece for piece, _ in listed}) == len(listed)
    assert not {piece for piece, _ in listed} & {"<s>", "<pad>", "</s>", "<unk>"}  # fairseq has these itself
    write(model, "marian", tmp_path / "vocab.yml")
    numbers = dict(line.rsplit(": ", 1) for line in (tmp_path / "vocab.yml").read_text("utf-8").split("\n")[:-1])
    assert [json.loads(piece) for piece in numbers][:2] == ["</s>", "<unk>"]
    assert [int(number) for number in numbers.values()] == list(range(len(numbers)))
    assert pieces <= {json.loads(piece) for piece in numbers}


def test_the_command_line_exports(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    model, output = str(tmp_path / "codes"), str(tmp_path / "tokenizer.json")
    assert main(["learn", "bpe", "--size", "20", "--model", model, str(tmp_path / "text")]) == 0
    assert main(["export", "bpe", "--model", model, "--to", "huggingface", "-o", output]) == 0
    assert json.loads(Path(output).read_text("utf-8")) == tokenizer_json(load(model))

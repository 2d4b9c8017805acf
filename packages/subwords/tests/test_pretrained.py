"""Models learned elsewhere: each is applied as its own program applies it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece
from subword_nmt.apply_bpe import BPE as Published
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from subwords.bpe import BPE
from subwords.cli import main
from subwords.errors import InputError
from subwords.export import write
from subwords.files import write_lines
from subwords.pretrained import Pretrained
from subwords.statistics import Segmented, describe
from subwords.testing import AWKWARD, CHECKS, LINES, Trial

TEXTS = [*LINES[:40], *AWKWARD[:11], "  two  spaces "]


def byte_level() -> tuple[Tokenizer, trainers.Trainer]:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return tokenizer, trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, show_progress=False)


def bert() -> tuple[Tokenizer, trainers.Trainer]:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer, trainers.WordPieceTrainer(vocab_size=90, special_tokens=["[UNK]", "[CLS]"], show_progress=False)


def metaspace() -> tuple[Tokenizer, trainers.Trainer]:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = ["<unk>", "<two words>"]
    return tokenizer, trainers.UnigramTrainer(
        vocab_size=80, special_tokens=special, unk_token="<unk>", show_progress=False
    )


@pytest.fixture(params=[byte_level, bert, metaspace])
def tokenizer_json(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    tokenizer, trainer = request.param()
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path / "tokenizer.json"


def test_tokenizer_json_as_transformers_applies_it(tokenizer_json: Path) -> None:
    transformers = pytest.importorskip("transformers")
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(tokenizer_json))
    model = Pretrained.learn([], None, model=str(tokenizer_json))
    for line in TEXTS:
        ids = theirs(line, add_special_tokens=False)["input_ids"]
        pieces = [piece.replace(" ", "␠") for piece in theirs.convert_ids_to_tokens(ids)]
        assert model.encode(line) == " ".join(pieces)
        assert model.decode(model.encode(line)) == theirs.decode(ids, clean_up_tokenization_spaces=False)


def test_an_entry_with_a_space_is_one_piece(tmp_path: Path) -> None:
    tokenizer, trainer = metaspace()
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.save(str(tmp_path / "m"))
    model = Pretrained.load(tmp_path / "m")
    pieces = model.encode("baro <two words> baro")
    assert "<two␠words>" in pieces.split(" ")
    assert model.decode(pieces) == "baro <two words> baro"


def test_numbers_are_those_of_the_file_where_it_leaves_some_out(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"low": 1, "lower": 7, "[UNK]": 4}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    model = Pretrained.learn([], None, model=str(tmp_path / "tokenizer.json"))
    assert model.encode_ids("lower low lowest") == tokenizer.encode("lower low lowest").ids == [7, 1, 4]
    assert model.decode_ids([7, 1]) == "lower low"
    for number in (0, 2, 8):
        with pytest.raises(InputError, match=rf"{number} is no number of a piece"):
            model.decode_ids([number])
    assert list(model.vocab) == model.known_pieces() == ["low", "[UNK]", "lower"]
    write(model, "fairseq", tmp_path / "dict.txt")
    assert (tmp_path / "dict.txt").read_text() == "low 1\n[UNK] 1\nlower 1\n"


def test_numbers_may_be_huge_and_entries_spelled_like_anything(tmp_path: Path) -> None:
    numbers = {"low": 1, "<hole:2>": 3_000_000, "[UNK]": 4}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    model = Pretrained.learn([], None, model=str(tmp_path / "tokenizer.json"))
    assert model.encode_ids("<hole:2> low x") == [3_000_000, 1, 4]
    assert model.decode_ids([3_000_000, 1]) == "<hole:2> low"
    assert model.known_pieces() == ["low", "[UNK]", "<hole:2>"]


def test_unknown_pieces_are_counted(tmp_path: Path) -> None:
    tokenizer, trainer = bert()
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.save(str(tmp_path / "m"))
    model = Pretrained.load(tmp_path / "m")
    assert model.encode("baro 東京 ?") == "baro [UNK] [UNK] [UNK]"
    assert model.counts() == {"unknown pieces": 3}
    assert model.counts() == {}


@pytest.mark.parametrize(
    "model",
    [
        models.WordLevel({"baro": 0, "[UNK]": 1}, unk_token="[UNK]"),
        models.WordLevel({"baro": 0, "not known": 1}, unk_token="not known"),
        models.Unigram([("no", 0.0), ("baro", -1.0)], unk_id=0),
    ],
)
def test_statistics_take_the_mark_for_the_unknown_for_no_piece_and_no_word(model: models.Model, tmp_path: Path) -> None:
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "m"))
    pretrained = Pretrained.load(tmp_path / "m")
    text, pieces = tmp_path / "text", tmp_path / "pieces"
    text.write_text("baro 東京 baro 京\n")
    write_lines(pieces, pretrained.encode_lines(["baro 東京 baro 京"]))
    assert pretrained.counts() == {"unknown pieces": 2}
    figures = describe(Segmented(pieces, text), {"dev": Segmented(pieces, text)}, segmenter=pretrained)
    assert figures["kept_whole"] == 0.5
    assert figures["held_out"]["dev"]["unknown_piece_rate"] == 0.5
    assert figures["held_out"]["dev"]["unknown_word_rate"] == 0.5


@pytest.mark.parametrize("kind", ["bpe", "unigram", "word", "char"])
def test_a_sentencepiece_model(kind: str, tmp_path: Path) -> None:
    content = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES),
        model_writer=content,
        model_type=kind,
        vocab_size=60,
        minloglevel=3,
        hard_vocab_limit=False,
    )
    (tmp_path / "m.model").write_bytes(content.getvalue())
    theirs = sentencepiece.SentencePieceProcessor(model_proto=content.getvalue())
    model = Pretrained.learn([], None, model=str(tmp_path / "m.model"))
    assert list(model.encode_lines(TEXTS)) == [" ".join(theirs.encode(line, out_type=str)) for line in TEXTS]
    assert model.model_bytes() == content.getvalue()


def test_codes_of_subword_nmt(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("\n".join(LINES))
    BPE.learn([tmp_path / "text"], 60, implementation="subword-nmt").save(tmp_path / "codes")
    theirs = Published(io.StringIO((tmp_path / "codes").read_text("utf-8")))
    model = Pretrained.learn([], None, model=str(tmp_path / "codes"))
    assert list(model.encode_lines(LINES)) == [theirs.process_line(line) for line in LINES]


#: A text does not shape these models, and only the byte-level one takes any text.
@pytest.mark.parametrize("check", [name for name in CHECKS if name != "another_process_learns_the_same"])
def test_the_contract_with_a_byte_level_tokenizer(check: str, tmp_path: Path) -> None:
    tokenizer, trainer = byte_level()
    tokenizer.train_from_iterator(LINES, trainer)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    CHECKS[check](Trial(Pretrained, tmp_path, options={"model": str(tmp_path / "tokenizer.json")}))


@pytest.mark.parametrize("content", [b"{}", b'{"a": [', b"#version: 0.1\na b\n", b"", b"the cat\n", b"\x00\x01"])
def test_files_of_no_known_kind(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(InputError, match=r"m is no|is no model"):
        Pretrained.load(tmp_path / "m")


@pytest.mark.parametrize("kind", ["tokenizer.json", "codes"])
def test_a_model_from_a_pipe(kind: str, tmp_path: Path, piped: Callable[[bytes], str]) -> None:
    if kind == "codes":
        (tmp_path / kind).write_text("#version: 0.2\nl o\n")
    else:
        tokenizer, trainer = byte_level()
        tokenizer.train_from_iterator(LINES, trainer)
        tokenizer.save(str(tmp_path / kind))
    content = (tmp_path / kind).read_bytes()
    model = Pretrained.learn([], None, model=piped(content))
    assert model.model_bytes() == content
    assert model.encode("low") == Pretrained.learn([], None, model=str(tmp_path / kind)).encode("low")


def test_the_command(tmp_path: Path, tokenizer_json: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text(LINES[0] + "\n")
    given = ["--model", str(tmp_path / "m"), str(tmp_path / "text")]
    assert main(["learn", "pretrained", *given]) == 2
    assert "pretrained needs model" in capsys.readouterr().err
    assert main(["learn", "pretrained", "--set", f"model={tokenizer_json}", *given]) == 0
    assert (tmp_path / "m").read_bytes() == tokenizer_json.read_bytes()

"""Byte-level BPE: merges of bytes inside GPT-2's pre-tokens (Radford et al. 2019; Wang et al. 2020).

Hugging Face's tokenizers learns and encodes; the model file is its `tokenizer.json`, which `transformers` loads, too.
Pieces are written in GPT-2's byte alphabet (`subwords.bytelevel`): `Ġ` is a space, a letter outside ASCII two or more
characters. No character is unknown, and every line comes back as it was, with its spaces.

`size` counts the 256 bytes and one entry for each merge; there are no special entries. A model's output that is no
UTF-8 decodes with U+FFFD.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from subwords import bytelevel
from subwords.errors import extra
from subwords.files import read_lines
from subwords.segmenter import Parameter, at_least, check_least, check_size, read_options, warn_of_fewer
from subwords.tokenizer_json import TokenizerJson


class ByteBPE(bytelevel.BytePieces, TokenizerJson):
    """See the module's docstring."""

    algorithm = "byte-bpe"
    summary = "byte-level BPE in GPT-2's pre-tokens (Radford et al. 2019; Wang et al. 2020), by tokenizers"
    parameters = (Parameter("min_frequency", 2, "pairs that occur less often are not merged, at least 1"),)

    @classmethod
    def learn(cls, texts: Sequence[Path], size: int | str | None, **options: Any) -> Self:
        """Learn `size` entries, or fewer (with a warning) when no pair is frequent enough, but at least the bytes."""
        with extra("huggingface"):
            from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

        least = at_least(read_options(cls, options, "learn"), "min_frequency")
        wanted = check_size(cls, size)
        check_least(cls, wanted, 256, "the number of bytes")
        most = 256 + sum(len(token) - 1 for token in bytelevel.count_tokens(texts))  # each merge shortens some type
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=min(wanted, most),
            min_frequency=least,
            initial_alphabet=sorted(bytelevel.ALPHABET),
            show_progress=False,
        )
        tokenizer.train_from_iterator((line for path in texts for line in read_lines(path)), trainer)
        warn_of_fewer(cls, tokenizer.get_vocab_size(), wanted, f"no other pair occurs {least} times")
        return cls(tokenizer)

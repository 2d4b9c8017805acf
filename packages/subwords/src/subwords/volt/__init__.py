"""Vocabularies by marginal utility: `volt` (learned by optimal transport) and `muv` (searched), Xu et al. 2021.

"Vocabulary Learning via Optimal Transport for Neural Machine Translation". A vocabulary v has the entropy
H_v = -(1/l_v) sum P(i) ln P(i) over its tokens, l_v their mean length in characters, each type counted once (Eq. 2).
Its marginal utility is the fall of that entropy for each token more, -(H_v(k+m) - H_v(k)) / m (Eq. 1).

**muv** learns byte-pair encoding once, to `maximum` merges; the merges of a smaller size are its beginning. It takes
the entropy of the segmented text at each multiple of `interval`, and cuts the merges where the marginal utility is
highest (MUV-search, section 5.2).

**volt** (Algorithm 1) ranks BPE's tokens by their frequency in the text that all `candidates` merges segment. For each
multiple S of `interval` it takes the first S, splits the other tokens into their parts, and transports characters to
tokens: each character j sends its probability P(j) exactly (Eq. 10); each token i receives its probability P(i) up to
epsilon (Eq. 9), and only from characters that it contains, at the distance ln len(i); <P, D> - H(P) is minimal (Eq. 8).
Tokens that receive less than 0.001 of their probability are removed (section 4.3). H of what the others receive gives
the size's utility. The characters themselves are always tokens, and are not counted in S, as in a codes file.
So a model of `--size S` can have a few merges less than S.

By hand: the text "abc abc abc abd", segmented by the merges (a, b) and (ab, c), holds the token abc three times, ab
once. A part ranks no lower than what is built from it, so ab comes before abc. With one candidate, abc splits:

>>> from subwords.volt.paper import Candidates
>>> candidates = Candidates([("a", "b"), ("ab", "c</w>")], {"abc</w>": 3, "ab": 1, "d</w>": 1})
>>> [candidates.tokens[i] for i in candidates.ranked()]
['ab', 'abc</w>']
>>> dict(zip(candidates.tokens, candidates.counts_with(candidates.ranked()[:1]).tolist()))
{'a': 0, 'b': 0, 'c</w>': 3, 'd</w>': 1, 'ab': 4, 'abc</w>': 0}

Which sign? Eq. 3 is said to follow from Eq. 1 but has lost its minus: as printed it prefers the size at which entropy
rises most, or falls least. `utility=gain` is Eq. 3 as printed and the default, `utility=muv` is Eq. 1; the report has
both. A `--size` leaves the choice out.

`variant=reference` computes what the authors' public code computes (`subwords.volt.published` says what that is), for
muv the mean length over tokens with their "@@". `report=FILE`, or the method `report`, gives every size with its
entropy and utility; in volt's `reference` these are the code's own value and score.

Model files are subword-nmt codes. Encoding and its limits are those of `subwords.bpe`.

Complexity: that of BPE learning; volt in addition, for each size, O(edges) for each of up to 4000 rounds, where a token
has as many edges as different characters. `reference` takes |characters| x S for each of up to 500 rounds.
"""

from subwords.volt.segmenters import Muv, Volt

__all__ = ["Muv", "Volt"]

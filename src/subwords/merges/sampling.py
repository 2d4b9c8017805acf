# mypy: disallow-untyped-defs=False
"""Merging pairs drawn at random, compiled by numba.

The weights of the pairs are the leaves of a binary tree whose inner nodes are the sums of their two children: a draw
goes down one path, a changed weight up one. Sums are always made from their children afresh, so no error builds up.
"""

from __future__ import annotations

import math

import numpy as np

from subwords.compiled import compiled_in_place
from subwords.merges.arrays import FINISHED, FULL, PAIRS, STATE, TOUCHED
from subwords.merges.units import merge, room

#: Laws of sampling: what the weight of a pair with count c is.
SOFTMAX, UNIFORM, PROPORTIONAL = range(3)
#: A total below this is lost precision: the weights are then taken relative to the counts that are left.
FAINT = 1e-100


@compiled_in_place
def _weight(count, law, temperature, most):
    """Return the weight of a pair, relative to that of a pair with the count `most` (no overflow, whatever the counts).

    softmax: exp(c / T) / exp(most / T); proportional: (c / most) ** (1 / T); uniform: 1.
    """
    if count <= 0:
        return 0.0
    if law == UNIFORM:
        return 1.0
    if law == SOFTMAX:
        return math.exp((count - most) / temperature)
    return math.exp(math.log(count / most) / temperature)


@compiled_in_place
def _weigh_all(tree, pairs, sizes, law, temperature):
    """Fill the tree and return the count that the weights are relative to."""
    leaves = len(tree) // 2
    most = np.int64(1)
    for k in range(sizes[PAIRS]):
        most = max(most, pairs.freq[k])
    for k in range(sizes[PAIRS]):
        tree[leaves + k] = _weight(pairs.freq[k], law, temperature, most)
    for node in range(leaves - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]
    return most


@compiled_in_place
def _set(tree, k, weight):
    node = len(tree) // 2 + k
    if tree[node] == weight:
        return
    tree[node] = weight
    while node > 1:
        node >>= 1
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@compiled_in_place
def _draw(tree, number):
    """Return the leaf at `number` (0 <= number < 1) of the total weight."""
    leaves = len(tree) // 2
    rest = number * tree[1]
    node = 1
    while node < leaves:
        node *= 2
        if rest >= tree[node] and tree[node + 1] > 0:
            rest -= tree[node]
            node += 1
    return node - leaves


@compiled_in_place
def random_merges(units, pairs, symbols, sizes, tree, numbers, law, temperature, chosen, done, limit):
    """Merge pairs drawn with `numbers` (uniform in [0, 1), one per merge), written to `chosen` from `done` to `limit`.

    Return how many merges there are now. When it is fewer than `limit`, `sizes[STATE]` says why.
    """
    most = _weigh_all(tree, pairs, sizes, law, temperature)
    while done < limit:
        if tree[1] < FAINT:
            most = _weigh_all(tree, pairs, sizes, law, temperature)
            if tree[1] <= 0:
                sizes[STATE] = FINISHED
                return done
        k = np.int32(_draw(tree, numbers[done]))
        if not room(units, pairs, symbols, sizes, k) or len(pairs.left) > len(tree) // 2:
            sizes[STATE] = FULL
            return done
        merge(units, pairs, symbols, sizes, k, True)
        _set(tree, k, 0.0)
        for i in range(sizes[TOUCHED]):
            m = pairs.touched[i]
            _set(tree, m, _weight(pairs.freq[m], law, temperature, most))
        chosen[done] = k
        done += 1
    return done

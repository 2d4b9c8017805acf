"""All vocabulary entries that end at each position of a word, in one pass over it (Aho & Corasick 1975).

A node stands for a prefix of an entry. Reading a character leads to the longest prefix that is a suffix of what has
been read, so the entries that end there are found from the longest to the shortest, in time proportional to their
number, however long entries and words are. Building is linear in the total length of the entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from subwords.compiled import compiled, compiled_in_place
from subwords.hft.codes import text_codes

ROOT = 0
NONE = -1


class Automaton(NamedTuple):
    """Nodes by number; node 0 is the empty prefix."""

    edges: NDArray[np.uint64]  # open addressing: code point << 32 | node, plus 1; 0 where free
    targets: NDArray[np.int32]  # the node that the edge in the same slot leads to
    shorter: NDArray[np.int32]  # the longest proper suffix that is a prefix of an entry
    entry: NDArray[np.int32]  # the entry that is this prefix, or NONE
    shorter_entry: NDArray[np.int32]  # the node of the longest proper suffix that is an entry, or ROOT
    depth: NDArray[np.int32]  # the length of the prefix


def build_automaton(entries: Sequence[str]) -> Automaton:
    """Return the automaton of distinct, non-empty strings; they are numbered in the order given."""
    ends = np.cumsum(np.fromiter(map(len, entries), np.int64, len(entries)))
    return _link(_insert(text_codes("".join(entries)), ends))


@compiled_in_place
def _slot(edges: NDArray[np.uint64], key: np.uint64) -> np.uint64:
    """Return where an edge is, or the free slot where it belongs."""
    mask = np.uint64(edges.size - 1)
    hashed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = (hashed >> np.uint64(32)) & mask
    while edges[slot] != 0 and edges[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled_in_place
def _key(node: int, code: int) -> np.uint64:
    return ((np.uint64(code) << np.uint64(32)) | np.uint64(node)) + np.uint64(1)


@compiled
def _insert(codes: NDArray[np.uint32], ends: NDArray[np.int64]) -> Automaton:
    """Return the tree of all prefixes, without the links between suffixes."""
    most = codes.size + 1
    slots = 16
    while slots < 2 * most:
        slots *= 2
    edges, targets = np.zeros(slots, np.uint64), np.zeros(slots, np.int32)
    shorter, shorter_entry = np.zeros(most, np.int32), np.zeros(most, np.int32)
    entry, depth = np.full(most, NONE, np.int32), np.zeros(most, np.int32)
    nodes, start = 1, 0
    for number in range(ends.size):
        node = ROOT
        for i in range(start, ends[number]):
            key = _key(node, codes[i])
            slot = _slot(edges, key)
            if edges[slot] == 0:
                edges[slot], targets[slot] = key, nodes
                depth[nodes] = depth[node] + 1
                nodes += 1
            node = targets[slot]
        entry[node] = number
        start = ends[number]
    return Automaton(edges, targets, shorter[:nodes], entry[:nodes], shorter_entry[:nodes], depth[:nodes])


@compiled
def _link(tree: Automaton) -> Automaton:
    """Fill in `shorter` and `shorter_entry`, parents and shallower nodes first."""
    into = np.zeros(tree.depth.size, np.uint64)  # the edge into each node
    for slot in range(tree.edges.size):
        if tree.edges[slot] != 0:
            into[tree.targets[slot]] = tree.edges[slot] - np.uint64(1)
    for node in np.argsort(tree.depth, kind="mergesort")[1:]:
        parent = np.int64(into[node] & np.uint64(0xFFFFFFFF))
        if parent != ROOT:
            suffix = follow(tree, tree.shorter[parent], into[node] >> np.uint64(32))
            tree.shorter[node] = suffix
            tree.shorter_entry[node] = suffix if tree.entry[suffix] != NONE else tree.shorter_entry[suffix]
    return tree


@compiled_in_place
def follow(automaton: Automaton, node: int, code: int) -> int:
    """Return the node after one more character."""
    while True:
        key = _key(node, code)
        slot = _slot(automaton.edges, key)
        if automaton.edges[slot] == key:
            return automaton.targets[slot]
        if node == ROOT:
            return ROOT
        node = automaton.shorter[node]

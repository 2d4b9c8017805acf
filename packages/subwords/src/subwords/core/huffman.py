"""The Huffman tree of counts, and the codes of its words (see `subwords.huffman`)."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libcpp.vector import vector
from cython.cimports.subwords.core.heap import Heap


def huffman_codes(words: list, counts: list, arity: int64_t, first: int64_t, symbols: list) -> dict[str, str]:
    """Return code -> word, depth first, of the tree with at most `arity` children a node whose leaves are the words.

    `counts` are those of the words, `first` says how many nodes the first merge joins. Among equal counts the layout
    of the heap decides, which is that of CPython's heapq: it is part of the published result.
    """
    heap = Heap()
    leaves: int32_t = len(counts)
    node: int32_t
    total: int64_t
    for node in range(leaves):
        total = counts[node]
        heap.push(total, node)
    children: vector[vector[int32_t]]
    joined: vector[int32_t]
    take: int64_t = first
    while heap.entries.size() > 1:
        joined.clear()
        sum_: cython.double = 0
        while heap.entries.size() and cython.cast(int64_t, joined.size()) < take:
            entry = heap.pop()
            joined.push_back(entry.item)
            sum_ += entry.key
        children.push_back(joined)
        heap.push(sum_, leaves + cython.cast(int32_t, children.size()) - 1)
        take = arity
    codes: dict = {}
    waiting: list = [("", heap.entries[0].item)]
    i: cython.Py_ssize_t
    while waiting:
        path, node = waiting.pop()
        if node < leaves:
            codes[path] = words[node]
            continue
        below: cython.pointer(vector[int32_t]) = cython.address(children[node - leaves])
        for i in range(below.size() - 1, -1, -1):
            waiting.append((path + symbols[i], below[0][i]))
    return codes

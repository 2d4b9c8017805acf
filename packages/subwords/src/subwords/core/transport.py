"""Rounds of scaling for entropic optimal transport (see `subwords.transport`)."""

import cython
from cython.cimports.libc.stdint import int32_t, int64_t
from cython.cimports.libcpp.vector import vector


def scale(
    rows: int32_t[::1],
    starts: int64_t[::1],
    plan: cython.double[::1],
    row_mass: cython.double[::1],
    lowest: cython.double[::1],
    highest: cython.double[::1],
    undone: cython.double[::1],
    row_change: cython.double[::1],
    change: cython.double[::1],
    received: cython.double[::1],
    rounds: cython.int,
) -> None:
    """Do some rounds on a plan whose rows and columns have changed by factors since it was written, and change these.

    Edges are in the order of their columns: those of column c are starts[c] to starts[c + 1]. `undone` would take a
    column's factor back. `received` gets the columns' sums before the last change. A sum that is too small for a double
    leaves its factor alone. A round reads the plan once: the rows of the next round are summed up in the same loop.
    """
    m: cython.Py_ssize_t = row_mass.shape[0]
    n: cython.Py_ssize_t = lowest.shape[0]
    sums: vector[cython.double]
    total: cython.double
    factor: cython.double
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        sums.assign(m, 0.0)
        for i in range(n):
            for e in range(starts[i], starts[i + 1]):
                sums[rows[e]] += plan[e] * change[i]
        for _ in range(rounds):
            for i in range(m):
                if sums[i] > 0:
                    row_change[i] = row_mass[i] / sums[i]
            sums.assign(m, 0.0)
            for i in range(n):
                total = 0.0
                for e in range(starts[i], starts[i + 1]):
                    total += plan[e] * row_change[rows[e]]
                factor = change[i]
                received[i] = total * factor
                if total > 0:
                    factor = min(max(undone[i], lowest[i] / total), highest[i] / total)
                    change[i] = factor
                for e in range(starts[i], starts[i + 1]):
                    sums[rows[e]] += plan[e] * factor


def parts(rows: int64_t[::1], columns: int64_t[::1], m: cython.Py_ssize_t, n: cython.Py_ssize_t) -> list[int]:
    """Return the connected part of each row and then of each column, numbered from 0 in that order."""
    above: vector[cython.Py_ssize_t]
    e: cython.Py_ssize_t
    for e in range(m + n):
        above.push_back(e)
    for e in range(rows.shape[0]):
        x: cython.Py_ssize_t = rows[e]
        y: cython.Py_ssize_t = m + columns[e]
        while above[x] != x:
            above[x] = above[above[x]]
            x = above[x]
        while above[y] != y:
            above[y] = above[above[y]]
            y = above[y]
        above[max(x, y)] = min(x, y)
    number: list = []
    count: cython.int = 0
    for e in range(m + n):
        if above[e] == e:
            number.append(count)
            count += 1
        else:
            number.append(number[above[e]])
    return number

"""Entropic transport against linear programming, a plain scaling in long doubles, a general solver, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from subwords.transport import Plan, transport

Floats = NDArray[np.float64]


def dense(plan: Plan, rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> Floats:
    matrix = np.zeros(shape)
    matrix[rows, columns] = plan.mass
    return matrix


def problem(seed: int, m: int, n: int, share: float = 1.0):
    """Random masses and distances; a share of the edges, among them those that make some plan possible."""
    random = np.random.default_rng(seed)
    possible = random.random((m, n)) < share
    possible[np.arange(m), np.arange(m) % n] = True
    possible[np.arange(n) % m, np.arange(n)] = True
    witness = np.where(possible, random.random((m, n)) + 0.05, 0.0)
    witness /= witness.sum()
    rows, columns = np.nonzero(possible)
    distance = random.random(len(rows)) * 3
    return rows, columns, distance, witness.sum(axis=1), witness.sum(axis=0)


def plain_sinkhorn(distance: Floats, possible: NDArray[np.bool_], a: Floats, b: Floats, gamma: float) -> Floats:
    """Sinkhorn's scaling as in the textbook, in long doubles."""
    kernel = np.where(possible, np.exp(-distance.astype(np.longdouble) / gamma), 0)
    u, v = np.ones(len(a), np.longdouble), np.ones(len(b), np.longdouble)
    for _ in range(20_000):
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
    return (u[:, None] * kernel * v).astype(np.float64)


@pytest.mark.parametrize(("seed", "m", "n", "share"), [(0, 3, 4, 1.0), (1, 5, 3, 1.0), (2, 4, 9, 0.5), (3, 8, 8, 0.3)])
@pytest.mark.parametrize("gamma", [0.3, 1.0])
def test_equals_plain_scaling(seed: int, m: int, n: int, share: float, gamma: float):
    rows, columns, distance, a, b = problem(seed, m, n, share)
    full = np.zeros((m, n))
    full[rows, columns] = distance
    possible = np.zeros((m, n), bool)
    possible[rows, columns] = True
    plan = transport(rows, columns, distance, a, b, gamma=gamma, tolerance=1e-14, still=-1, limit=20_000)
    expected = plain_sinkhorn(full, possible, a, b, gamma)
    np.testing.assert_allclose(dense(plan, rows, columns, (m, n)), expected, atol=1e-10)
    np.testing.assert_allclose(plan.columns, b, atol=1e-10)
    assert plan.miss < 1e-10


@pytest.mark.parametrize("epsilon", [0.0, 0.02])
@pytest.mark.parametrize("seed", range(4))
def test_small_gamma_approaches_linear_programming(seed: int, epsilon: float):
    from scipy.optimize import linprog

    m, n, gamma = 4, 6, 0.01
    rows, columns, distance, a, b = problem(seed, m, n, 0.6)
    sends = (np.arange(m)[:, None] == rows).astype(float)
    receives = (np.arange(n)[:, None] == columns).astype(float)
    solution = linprog(
        distance,
        A_eq=sends,
        b_eq=a,
        A_ub=np.vstack((receives, -receives)),
        b_ub=np.concatenate((b + epsilon + 1e-12, -(b - epsilon) + 1e-12)),
    )
    assert solution.success
    plan = transport(rows, columns, distance, a, b, epsilon=epsilon, gamma=gamma, still=-1, limit=200_000)
    assert plan.miss < 1e-8
    # Both are minimal, the entropy is at most ln(edges): so far the costs can lie apart, and no further.
    assert solution.fun - 1e-7 <= plan.mass @ distance <= solution.fun + gamma * np.log(len(rows)) + 1e-7


@pytest.mark.parametrize("seed", range(3))
def test_intervals_equal_a_general_solver(seed: int):
    from scipy.optimize import minimize

    m, n, epsilon = 3, 4, 0.03
    rows, columns, distance, a, b = problem(seed, m, n)
    b = np.roll(b, 1)  # so that some interval is not met for free
    sends = (np.arange(m)[:, None] == rows).astype(float)
    receives = (np.arange(n)[:, None] == columns).astype(float)

    def cost(p: Floats) -> float:
        return float(p @ distance + (p * np.log(p)).sum())

    solution = minimize(
        cost,
        (a[:, None] * b)[rows, columns],
        method="SLSQP",
        bounds=[(1e-12, 1)] * len(rows),
        constraints=[
            {"type": "eq", "fun": lambda p: sends @ p - a},
            {"type": "ineq", "fun": lambda p: b + epsilon - receives @ p},
            {"type": "ineq", "fun": lambda p: receives @ p - b + epsilon},
        ],
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    plan = transport(rows, columns, distance, a, b, epsilon=epsilon, tolerance=1e-14)
    np.testing.assert_allclose(plan.mass, solution.x, atol=1e-5)
    assert cost(plan.mass) <= solution.fun + 1e-9


@settings(max_examples=50, derandomize=True, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(1, 8),
    st.integers(1, 12),
    st.floats(0.1, 1.0),
    st.sampled_from([0.0, 1e-3, 0.5]),
)
def test_rows_are_met_exactly_and_columns_as_far_as_they_say(seed: int, m: int, n: int, share: float, epsilon: float):
    rows, columns, distance, a, b = problem(seed, m, n, share)
    plan = transport(rows, columns, distance, a, b, epsilon=epsilon)
    np.testing.assert_allclose(np.bincount(rows, plan.mass, m), a, rtol=1e-12)
    sums = np.bincount(columns, plan.mass, n)
    np.testing.assert_allclose(sums, plan.columns, rtol=1e-9, atol=1e-14)
    assert np.abs(sums - b).max() <= epsilon + plan.miss + 1e-12
    assert plan.miss < 1e-6


def test_without_any_demand_mass_spreads_by_distance():
    """One row, columns free: the plan is the softmax of -distance."""
    distance = np.log([1.0, 2.0, 5.0])
    plan = transport(np.zeros(3, int), np.arange(3), distance, np.ones(1), np.full(3, 1 / 3), epsilon=1.0)
    np.testing.assert_allclose(plan.mass, np.array([10, 5, 2]) / 17, atol=1e-12)


def test_symmetric_problem_has_the_symmetric_plan():
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    plan = transport(rows, columns, np.array([0.0, 1, 1, 0]), np.full(2, 0.5), np.full(2, 0.5))
    stays = 0.5 / (1 + np.exp(-1))  # by symmetry u = v, and P(i, i) : P(i, j) = 1 : 1/e
    np.testing.assert_allclose(plan.mass, [stays, 0.5 - stays, 0.5 - stays, stays], atol=1e-10)


def test_columns_that_cannot_be_met_are_reported():
    """Mass that can only go straight on: half of it is where a column wants a tenth."""
    plan = transport(np.array([0, 1]), np.array([0, 1]), np.zeros(2), np.full(2, 0.5), np.array([0.9, 0.1]))
    np.testing.assert_allclose(plan.mass, [0.5, 0.5], rtol=1e-12)
    assert plan.miss == pytest.approx(0.4)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_distances_beyond_the_range_of_doubles(far: float):
    """exp(-1000) is 0 in doubles; the plan needs the far edges nevertheless."""
    rows, columns = np.array([0, 1, 1]), np.array([0, 0, 1])
    plan = transport(rows, columns, np.array([0.0, 0.0, far]), np.array([0.3, 0.7]), np.array([0.6, 0.4]))
    np.testing.assert_allclose(plan.mass, [0.3, 0.3, 0.4], atol=1e-9)


@pytest.mark.parametrize(("seed", "share", "epsilon"), [(0, 1.0, 0.0), (1, 0.3, 1e-3), (2, 0.3, 0.02), (3, 0.2, 0.0)])
def test_scaling_equals_rounds_in_logarithms(seed: int, share: float, epsilon: float, monkeypatch: pytest.MonkeyPatch):
    """Columns that ask too much make factors drift apart, so that the plan has to be written anew at times."""
    rows, columns, distance, a, b = problem(seed, 6, 30, share)
    b = np.roll(b, 7)
    plan = transport(rows, columns, distance, a, b, epsilon=epsilon, still=-1, limit=2000)
    monkeypatch.setattr("subwords.transport.REACH", 1.0)  # one round in 16 is done in logarithms
    exact = transport(rows, columns, distance, a, b, epsilon=epsilon, still=-1, limit=2000)
    assert plan.rounds == exact.rounds
    np.testing.assert_allclose(plan.mass, exact.mass, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(plan.columns, exact.columns, rtol=1e-10, atol=1e-14)


def test_a_column_may_want_nothing():
    plan = transport(np.array([0, 0]), np.array([0, 1]), np.zeros(2), np.ones(1), np.array([1.0, 0.0]))
    np.testing.assert_allclose(plan.mass, [1.0, 0.0], atol=1e-12)


def test_the_limit_is_kept_and_said():
    rows, columns, distance, a, b = problem(0, 5, 5)
    plan = transport(rows, columns, distance, a, b, tolerance=0.0, limit=1)
    assert plan.rounds == 1
    assert not plan.converged
    np.testing.assert_allclose(np.bincount(rows, plan.mass, 5), a, rtol=1e-12)


@pytest.mark.parametrize(("rows", "columns"), [([0, 0], [0, 1]), ([0, 1], [0, 0])])
def test_every_end_needs_an_edge(rows: list[int], columns: list[int]):
    with pytest.raises(ValueError, match="needs an edge"):
        transport(np.array(rows), np.array(columns), np.zeros(2), np.full(2, 0.5), np.full(2, 0.5))

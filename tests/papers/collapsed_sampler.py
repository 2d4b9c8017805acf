"""Another way to the posterior of the random-bpe paper's model, for comparison: coefficients are integrated out.

Given the standard deviations, a linear model with normal priors has a normal posterior in closed form. What is left,
the standard deviations, is sampled by random-walk Metropolis on their logarithms, in plain numpy: nothing of bambi or
PyMC. Cell means and the variance within cells are all that the likelihood sees of the scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Score = tuple[int, int, int, float]  # language, variant, merges, score


@dataclass(frozen=True)
class Draws:
    """Draws of every effect, by ("variant" or "merges", level, language or None), and of the residual's deviation."""

    effects: dict[tuple[str, int, int | None], np.ndarray]
    sigma: np.ndarray


def sample(
    scores: Sequence[Score], scale: float, *, hierarchical: bool = False, steps: int = 20000, seed: int = 1
) -> Draws:
    """Return draws of the posterior; `scale` is that of the intercepts' prior."""
    random = np.random.default_rng(seed)
    cells: dict[tuple[int, int, int], list[float]] = {}
    for language, variant, merges, score in scores:
        cells.setdefault((language, variant, merges), []).append(score)
    languages, variants, merges_known = (1 + max(cell[factor] for cell in cells) for factor in range(3))
    levels = variants + merges_known
    number = np.array([len(values) for values in cells.values()])
    means = np.array([np.mean(values) for values in cells.values()])
    within = sum(float(np.sum((np.array(values) - np.mean(values)) ** 2)) for values in cells.values())
    everything = np.array([score[3] for score in scores])
    residual_scale = everything.std()
    # Columns: intercepts of the languages; averages of variants and merges; deviations from them, a block per level.
    design = np.zeros((len(cells), languages + levels + levels * languages))
    for row, (language, variant, size) in enumerate(cells):
        design[row, language] = 1
        for level in (variant, variants + size):
            design[row, [languages + level, languages + levels + level * languages + language]] = 1

    def variances(logs: np.ndarray) -> np.ndarray:
        intercept, spreads = np.exp(logs[0]) if hierarchical else scale, np.exp(logs[1:-1])
        return np.concatenate([np.full(languages, intercept**2), np.ones(levels), np.repeat(spreads**2, languages)])

    def log_density(logs: np.ndarray) -> float:
        deviations = np.exp(logs)
        sigma = deviations[-1]
        covariance = (design * variances(logs)) @ design.T + np.diag(sigma**2 / number)
        factor = np.linalg.cholesky(covariance)
        white = np.linalg.solve(factor, means)
        likelihood = -np.log(np.diag(factor)).sum() - white @ white / 2
        likelihood -= (len(scores) - len(cells)) * np.log(sigma) + within / (2 * sigma**2)
        prior = -(deviations[1:-1] ** 2).sum() / 2 - 2.5 * np.log1p((sigma / residual_scale) ** 2 / 4)
        prior -= (deviations[0] / scale) ** 2 / 2
        return float(likelihood + prior + logs.sum())

    logs = np.log(np.concatenate([[scale / 2], np.ones(levels), [max(residual_scale / 10, 1e-3)]]))
    density, path, draws = log_density(logs), [], []
    jumps = np.eye(len(logs)) * 0.04
    warm = steps // 4
    for step in range(steps):
        if step in (warm // 4, warm // 2, warm):
            jumps = np.cov(np.array(path[step // 4 :]).T) * 2.4**2 / len(logs) + 1e-6 * np.eye(len(logs))
        proposal = random.multivariate_normal(logs, jumps, method="cholesky")
        proposed = log_density(proposal)
        if np.log(random.random()) < proposed - density:
            logs, density = proposal, proposed
        path.append(logs)
        if step > warm and step % 5 == 0:
            precision = design.T @ (design * (number / np.exp(2 * logs[-1]))[:, None]) + np.diag(1 / variances(logs))
            factor = np.linalg.cholesky(precision)
            mean = np.linalg.solve(precision, design.T @ (means * number / np.exp(2 * logs[-1])))
            noise = np.linalg.solve(factor.T, random.standard_normal(len(mean)))
            draws.append(np.append(mean + noise, np.exp(logs[-1])))
    table = np.array(draws)
    effects: dict[tuple[str, int, int | None], np.ndarray] = {}
    for level in range(levels):
        name = ("variant", level) if level < variants else ("merges", level - variants)
        average = table[:, languages + level]
        effects[(*name, None)] = average
        for language in range(languages):
            effects[(*name, language)] = average + table[:, languages + levels + level * languages + language]
    return Draws(effects, table[:, -1])

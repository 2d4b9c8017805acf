"""The papers: what they published, what we measured, and how the two are put side by side.

published.py       the papers' numbers, as transcribed in config/papers/published/
measurements.py    ours, in the same shape: from scores.csv and from measuring programs
paper.py           a paper's file (config/papers/), brought to a scale, as an experiment that the workflow runs
tables.py, figures.py, claims.py, report.py    published and measured values, side by side
"""

"""The papers: what they published, what we measured, and how the two are put side by side.

published.py     the papers' numbers, as transcribed in config/papers/published/
measurements.py  ours, in the same shape: from scores.csv and from analyses; derived.py: what follows from them
paper.py         a paper's file (config/papers/), brought to a scale, as an experiment that the workflow runs
plan.py          what that will take
analyses/        what is measured beyond training and scoring, one module a kind; measures/: its maths, on plain data
claims/          rules, and their verdicts on published and measured numbers
rendering/       tables, figures, the report
people/          the human evaluation: sheets out, answers in
"""
